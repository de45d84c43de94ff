"""The tape: external input is stored as data, one row per request, and replayed byte for byte."""

import math
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from drycell.base import DrycellError, KernelError, ProgramError, UnknownName
from drycell.kernel import (
    FOREVER,
    Kernel,
    Pace,
    RandomWalkChooser,
    Rank,
    ReplayingChooser,
    Request,
    TapeRow,
    delay,
    load_program,
    wait,
)

LIMIT = 60.0
Build = Callable[[Kernel], None]
Left = tuple[str, tuple[TapeRow, ...], tuple[object, ...]]


def waiting(kernel: Kernel) -> None:
    """A program that waits for external input three times."""
    go = kernel.signal("go", 0)

    def program() -> None:
        for _ in range(3):
            wait(go.changes())
            kernel.journal.write("sees", "program", go=go.value)

    kernel.spawn(program)


def left(kernel: Kernel, until: int | None = None, pace: Pace | None = None) -> Left:
    """Run the kernel; return everything that the run leaves."""
    try:
        outcome = kernel.run(until, pace=pace)
        ended: tuple[object, ...] = (outcome.ending, outcome.reason, outcome.time, outcome.blocked)
    except DrycellError as error:
        kernel.journal.release()
        ended = ("error", error.what, kernel.now)
    return kernel.journal.json_lines(), tuple(kernel.tape.rows), ended


def again(build: Build, rows: tuple[TapeRow, ...], until: int | None = None) -> Left:
    """Repeat the run from its tape."""
    kernel = Kernel()
    build(kernel)
    kernel.play(rows)
    return left(kernel, until)


def by_hand(kernel: Kernel, *asked: tuple[int, Callable[[], object]]) -> None:
    """Make external requests during given instants of the run."""
    for time, action in asked:
        kernel.at(time, action, Rank.MOTION, owner="hand", writes=())


# ---------------------------------------------------------------- rows


def test_a_request_of_two_values_is_one_row_and_one_record() -> None:
    kernel = Kernel()
    start, speed = kernel.signal("start", False), kernel.signal("speed", 0.0)
    kernel.spawn(lambda: (delay(1), wait(start, timeout=5)), name="program")
    by_hand(kernel, (2_000_000, lambda: kernel.set_signals({"speed": 3, "start": True}, "plc")))
    kernel.run()
    assert list(kernel.tape.rows) == [TapeRow(2_000_000, "plc", "set", {"speed": 3.0, "start": True})]
    posts = [
        (record.time, record.subject, dict(record.fields)) for record in kernel.journal.records if record.kind == "post"
    ]
    assert posts == [(2_000_000, "plc", {"note": "set speed = 3.0, start = True"})]
    assert start.history[-1] == (2_000_000, True, "plc")
    assert speed.value == 3.0


def test_values_that_do_not_fit_are_refused_where_they_are_posted() -> None:
    kernel = Kernel()
    kernel.signal("speed", 0.0)
    for values in ({"speed": "fast"}, {"speed": math.nan}, {"speed": math.inf}):
        with pytest.raises(KernelError):
            kernel.set_signals(values)
    with pytest.raises(UnknownName, match="sped"):
        kernel.set_signals({"sped": 1.0})
    with pytest.raises(UnknownName, match="sett"):
        kernel.request("sett", {"speed": 1.0})
    with pytest.raises(KernelError, match="cannot be recorded"):
        kernel.request("set", {"speed": object()})
    with pytest.raises(KernelError, match="cannot be recorded"):
        kernel.request("set", {"speed": "\ud800"})
    for who in ("", "a\nb", "x" * 300):
        with pytest.raises(KernelError, match="the sender of a request"):
            kernel.set_signals({"speed": 1.0}, who)
    assert kernel.run().ending == "finished"
    assert list(kernel.tape.rows) == []


def test_a_request_that_is_refused_later_changes_nothing_and_the_run_goes_on() -> None:
    kernel = Kernel()
    start = kernel.signal("start", False)
    kernel.signal("speed", 0.0)
    kernel.spawn(delay, 1.0, name="main")
    refusals: list[str] = []
    kernel.request(
        "set", {"start": True, "speed": "fast"}, done=lambda refused: refusals.append(getattr(refused, "what", ""))
    )
    assert kernel.run().ending == "finished"
    assert not start.value
    assert "holds float, got 'fast'" in refusals[0]
    refused = next(record for record in kernel.journal.records if record.kind == "refused")
    assert "holds float, got 'fast'" in str(refused.fields["reason"])


def test_arguments_are_copied_when_the_request_is_made() -> None:
    kernel = Kernel()
    seen: list[Any] = []
    kernel.requests["take"] = Request(
        lambda given: "take", lambda who, given: seen.append(given["list"]), {"list": list}
    )
    given = {"list": [1, 2]}
    kernel.request("take", given)
    given["list"].append(3)
    kernel.spawn(delay, 1.0)
    kernel.run()
    assert seen == [[1, 2]]
    with pytest.raises(KernelError, match="it takes 'list'"):
        kernel.request("take", {})
    with pytest.raises(KernelError, match="list='no'"):
        kernel.request("take", {"list": "no"})


def test_rows_can_be_dropped_in_runs_of_days() -> None:
    kernel = Kernel()
    kernel.signal("n", 0)
    kernel.tape.keeps = False
    kernel.set_signals({"n": 1})
    kernel.spawn(delay, 1.0)
    kernel.run()
    assert (list(kernel.tape.rows), kernel.signals["n"].value) == ([], 1)


# ---------------------------------------------------------------- how a run ends


def test_stop_waits_for_the_end_of_the_instant() -> None:
    def build(kernel: Kernel) -> None:
        lamp = kernel.signal("lamp", False)
        for name in ("first", "second"):
            kernel.spawn(lambda: (delay(1.0), delay(0), lamp.set(not lamp.value), delay(1.0)), name=name)

    kernel = Kernel()
    build(kernel)
    by_hand(kernel, (1_000_000, lambda: (kernel.stop("enough"), kernel.set_signals({"lamp": True}))))
    journal, rows, ended = left(kernel)
    assert ended[:3] == ("stopped", "enough", 1_000_000)
    assert rows[-1] == TapeRow(1_000_000, "outside", "stop", {"ending": "stopped", "reason": "enough"})
    assert [record.fields["value"] for record in kernel.journal.records if record.kind == "signal"] == [
        True,
        False,
        True,
    ]
    assert again(build, rows) == (journal, rows, ended)


def test_an_attended_run_in_which_all_wait_can_be_stopped() -> None:
    kernel = Kernel()
    waiting(kernel)
    pace = Pace(attended=True)
    lefts: list[Left] = []
    thread = threading.Thread(target=lambda: lefts.append(left(kernel, pace=pace)))
    thread.start()
    seen = threading.Event()
    kernel.requests["see"] = Request(lambda given: "see", lambda who, given: seen.set(), {})
    kernel.set_signals({"go": 1}, "plc")
    kernel.request("see", {})
    assert seen.wait(LIMIT)
    kernel.stop("seen enough")
    thread.join(LIMIT)

    def build(kernel: Kernel) -> None:
        waiting(kernel)
        kernel.requests["see"] = Request(lambda given: "see", lambda who, given: None, {})

    assert lefts[0][2][:2] == ("stopped", "seen enough")
    assert again(build, lefts[0][1]) == lefts[0]


def test_the_replay_of_an_attended_run_is_not_a_deadlock() -> None:
    class Wall:
        time = 0.0

        def now(self) -> float:
            return self.time

        def wait(self, condition: threading.Condition, seconds: float | None) -> None:
            self.time += seconds or 0.0

    kernel = Kernel()
    waiting(kernel)
    ran = left(kernel, 3_000_000, Pace(1.0, attended=True, wall=Wall()))
    assert ran[2][0] == "until"
    assert again(waiting, ran[1], 3_000_000) == ran
    assert again(waiting, (), 3_000_000)[2][0] == "deadlock"


def test_a_deadlock_after_requests_is_the_same_deadlock() -> None:
    kernel = Kernel()
    waiting(kernel)
    for value in (1, 2):
        kernel.set_signals({"go": value})
    ran = left(kernel)
    assert (ran[2][0], len(ran[1])) == ("deadlock", 2)
    assert again(waiting, ran[1]) == ran


def test_an_error_after_requests_is_the_same_error() -> None:
    def build(kernel: Kernel) -> None:
        go = kernel.signal("go", 0)

        def program() -> None:
            wait(go)
            delay(0.5)
            raise ProgramError(f"got {go.value}")

        kernel.spawn(program)

    kernel = Kernel()
    build(kernel)
    kernel.set_signals({"go": 7})
    ran = left(kernel)
    assert ran[2][:2] == ("error", "got 7")
    assert again(build, ran[1]) == ran


def test_a_late_request_prevents_a_deadlock() -> None:
    def build(kernel: Kernel, live: bool = False) -> None:
        go = kernel.signal("go", 0)

        def waits() -> None:
            delay(1.0)
            if live:
                kernel.set_signals({"go": 1})
            wait(go)

        def fails() -> None:
            delay(1.0)
            raise ProgramError("no more")

        kernel.spawn(waits, priority=1)
        kernel.spawn(fails, daemon=True, writes=())

    kernel = Kernel()
    build(kernel, live=True)
    ran = left(kernel)
    assert ran[2][:2] == ("error", "no more")
    assert ran[1] == (TapeRow(1_000_000, "outside", "late", {}),)
    assert again(build, ran[1]) == ran
    assert again(build, ())[2][0] == "deadlock"


def test_ctrl_c_is_repeated() -> None:
    def build(kernel: Kernel, press: Callable[[], object] = lambda: None) -> None:
        kernel.spawn(lambda: (delay(5), press(), delay(0), delay(5)), name="program")

    kernel = Kernel()
    build(kernel, lambda: signal.raise_signal(signal.SIGINT))
    ran = left(kernel)
    assert ran[2][:3] == ("interrupted", "Ctrl-C", 5_000_000)
    assert again(build, ran[1]) == ran


def test_a_stop_while_a_program_is_held_at_a_line_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "steps.py"
    file.write_text(
        "from drycell import delay\n\ndef steps():\n    delay(1)\n    delay(0)\n    delay(0)\n    delay(2)\n"
    )

    def build(kernel: Kernel) -> None:
        kernel.spawn(load_program(file).function("steps"), name="steps")

    kernel, pace = Kernel(), Pace()
    build(kernel)
    pace.break_at(str(file), 5)
    pace.break_at(str(file), 6)
    lefts: list[Left] = []
    thread = threading.Thread(target=lambda: lefts.append(left(kernel, pace=pace)))
    thread.start()
    held = pace.wait_for("paused", LIMIT)
    assert held is not None
    assert held.line == 5
    kernel.stop("at the line")
    thread.join(LIMIT)
    assert lefts[0][2][:3] == ("stopped", "at the line", 1_000_000)
    assert again(build, lefts[0][1]) == lefts[0]


def test_a_stop_while_paused_executes_earlier_requests() -> None:
    kernel, pace = Kernel(), Pace(paused=True)
    waiting(kernel)
    lefts: list[Left] = []
    thread = threading.Thread(target=lambda: lefts.append(left(kernel, pace=pace)))
    thread.start()
    assert pace.wait_for("paused", LIMIT) is not None
    kernel.set_signals({"go": 4})
    kernel.stop("paused")
    thread.join(LIMIT)
    assert lefts[0][2][:3] == ("stopped", "paused", 0)
    assert [row.what for row in lefts[0][1]] == ["set", "stop"]
    assert again(waiting, lefts[0][1]) == lefts[0]


def test_requests_after_stop_do_not_keep_the_run_going() -> None:
    kernel = Kernel()
    waiting(kernel)

    def ask_on(who: str, given: object) -> None:
        kernel.request("again", {})

    kernel.requests["again"] = Request(lambda given: "again", ask_on, {})
    kernel.request("again", {})
    by_hand(kernel, (0, lambda: kernel.stop("enough")))
    assert kernel.run().ending == "stopped"


# ---------------------------------------------------------------- playing


def test_posted_code_is_only_journalled_in_a_replay() -> None:
    kernel = Kernel()
    waiting(kernel)
    kernel.post(lambda: kernel.signals["go"].set(1), "go by code")
    ran = left(kernel)
    assert ran[1] == (TapeRow(0, "outside", "code", {"note": "go by code"}),)
    journal, rows, ended = again(waiting, ran[1])
    assert rows == ran[1]
    assert ended[0] == "deadlock"
    assert '"note":"go by code"' in journal
    assert "sees" not in journal


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [TapeRow(5, "plc", "set", {"go": 1}), TapeRow(4, "plc", "set", {"go": 1})],
            "row 2 of the tape .* is out of order",
        ),
        (
            [TapeRow(0, "plc", "stop", {"ending": "stopped", "reason": ""}), TapeRow(4, "plc", "set", {"go": 1})],
            "out of order",
        ),
        ([TapeRow(0, "plc", "warp", {"go": 1})], "warp"),
        ([TapeRow(0, "plc", "stop", {})], "without ending and reason"),
        ([TapeRow(0, "plc", "stop", {"ending": "finished", "reason": ""})], "unknown way"),
        ([TapeRow(0, "plc", "code", {})], "without note"),
    ],
)
def test_an_invalid_tape_is_refused(rows: list[TapeRow], said: str) -> None:
    kernel = Kernel()
    waiting(kernel)
    with pytest.raises(DrycellError, match=said):
        kernel.play(rows)


def test_a_tape_is_played_on_a_fresh_cell_only() -> None:
    kernel = Kernel()
    waiting(kernel)
    kernel.play([])
    with pytest.raises(KernelError, match="already has a tape"):
        kernel.play([])


def test_answers_are_replayed_in_order() -> None:
    given = iter(["3", "limit"])

    def ask() -> str:
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    def build(kernel: Kernel) -> None:
        def program() -> None:
            try:
                while True:
                    kernel.journal.write("answer", "program", text=kernel.tape.ask("console", ask))
                    delay(1.5)
            except EOFError:
                kernel.journal.write("answer", "program", text="no more")

        kernel.spawn(program)

    kernel = Kernel()
    build(kernel)
    ran = left(kernel)
    assert [(row.tick, row.arguments.get("text")) for row in ran[1]] == [
        (0, "3"),
        (1_500_000, "limit"),
        (3_000_000, None),
    ]
    assert again(build, ran[1]) == ran
    assert again(build, ran[1][:1])[2][0] == "error"


VALUES = {"flag": st.booleans(), "count": st.integers(-3, 3), "level": st.floats(-1, 1), "word": st.text(max_size=2)}
SETS = st.fixed_dictionaries({}, optional=VALUES).filter(lambda values: all(_encodes(each) for each in values.values()))


def _encodes(value: object) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


@given(
    asked=st.lists(st.tuples(st.integers(0, 60), SETS), max_size=25),
    stop=st.none() | st.integers(0, 60),
    until=st.none() | st.integers(0, 60),
    attended=st.booleans(),
    walk=st.none() | st.integers(0, 1000),
)
def test_any_requests_at_any_time_are_repeated(
    asked: list[tuple[int, dict[str, Any]]], stop: int | None, until: int | None, attended: bool, walk: int | None
) -> None:
    """Programs that react, race and wait at time zero, with requests at any time, with and without a chooser."""
    if attended and stop is None:
        until = 60 if until is None else until  # an attended run does not end by itself

    def build(kernel: Kernel, acts: bool) -> None:
        flag, count = kernel.signal("flag", False), kernel.signal("count", 0)
        level, word = kernel.signal("level", 0.0), kernel.signal("word", "")

        def reacts() -> None:
            for _ in range(4):
                wait(flag.changes() | word.changes())
                count.set(count.value + 1)
                delay(0)

        def races() -> None:
            for _ in range(4):
                wait(count.changes(), timeout=0.000_013)
                level.set(level.value + 0.5)

        def answers() -> None:
            while True:
                wait(level > 0.7)
                level.set(0.0)
                delay(0.000_002)

        for program in (reacts, races):
            kernel.spawn(program)
        kernel.spawn(answers, daemon=True, writes=(level,))
        for time, values in asked:
            by_hand(kernel, (time, (lambda values=values: kernel.set_signals(values, "plc")) if acts else lambda: None))
        if stop is not None:
            by_hand(kernel, (stop, (lambda: kernel.stop("by hand")) if acts else lambda: None))

    first = Kernel(chooser=None if walk is None else RandomWalkChooser(walk))
    build(first, acts=True)
    ran = left(first, until, Pace(attended=True) if attended else None)
    second = Kernel(chooser=None if walk is None else ReplayingChooser(first.chooser.choices))  # type: ignore[union-attr]
    build(second, acts=False)
    second.play(ran[1])
    assert left(second, until) == ran
    assert second.now <= FOREVER
