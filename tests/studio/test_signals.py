"""Signals in a session: equal traces live and recorded; forced values and faults go through the journal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drycell.base import DrycellError, FieldError, KernelError, UnknownName
from drycell.cell import Cell
from drycell.kernel import delay, seconds, ticks
from drycell.recording import Recording
from drycell.studio.host.session import HostSession

from .asking import answered

HOUR = 3_600_000_000


def _session(folder: Path) -> HostSession:
    """A lamp that blinks every second for 10 s, a gauge that counts along, and a light barrier that nothing writes."""
    session = HostSession(folder, lambda event: None)
    cell = Cell("blinker")
    lamp, gauge = cell.signal("lamp", False), cell.signal("gauge", 0.0, unit="N")
    cell.signal("barrier", False)
    cell.signal("recipe", "none")

    @cell.program
    def blink() -> None:
        for count in range(10):
            delay(1.0)
            lamp.set(count % 2 == 0)
            gauge.set(float(count))

    session.open_cell(cell)
    session.speed = None
    return session


@pytest.fixture
def session(tmp_path: Path) -> HostSession:
    return _session(tmp_path)


def _ask(session: HostSession, do: str, **given: Any) -> Any:
    return answered(session, do, given)[0]


def _at(session: HostSession, when: float, act: Callable[[], object]) -> None:
    """Has something asked for while the run continues, as the server's requests are."""
    cell = session.require_cell()
    cell.kernel.at(ticks(when), act, owner="test", writes=())


def _run(session: HostSession) -> None:
    session.start()
    session.perform()
    if session.failure is not None:
        raise session.failure


def _history(session: HostSession, name: str) -> list[tuple[float, object]]:
    return [(seconds(t), value) for t, value, _ in session.record.signals[name]]


def _row(session: HostSession, name: str) -> dict[str, Any]:
    return next(row for row in _ask(session, "signals.overview")["signals"] if row["name"] == name)


# ---------------------------------------------------------------- looking


def test_traces_and_values_are_reported_alike_live_and_recorded(session: HostSession, tmp_path: Path) -> None:
    _run(session)
    recorded = HostSession(tmp_path, lambda event: None)
    recorded.open_recording(Recording.open(session.recorded_as), session.recorded_as)
    given = {"names": ["lamp", "gauge", "recipe"], "t0": 0, "t1": 10_000_000, "width": 300}
    assert _ask(session, "signals.traces", **given) == _ask(recorded, "signals.traces", **given)
    values = _ask(recorded, "signals.values", names=["lamp", "gauge"], t=3_500_000)
    assert values["lamp"] == {"value": True, "since": 3_000_000, "writer": "blink"}
    assert values["gauge"]["value"] == 2.0
    assert _ask(recorded, "signals.next_edge", signal="lamp", t=3_500_000, forward=True) == 4_000_000
    assert _ask(recorded, "signals.next_edge", signal="lamp", t=3_500_000, forward=False) == 3_000_000
    assert _ask(recorded, "signals.next_edge", signal="barrier", t=3_500_000, forward=True) is None


def test_many_busy_signals_fit_one_message(session: HostSession) -> None:
    cell = session.require_cell()
    for number in range(60):
        busy = cell.signal(f"busy{number}", False)
        for k in range(1, 2000):
            busy.history.write(k * 5000, k % 2 == 0, "x")
    names = [f"busy{number}" for number in range(60)]
    reported = _ask(session, "signals.traces", names=names, t0=0, t1=10_000_000, width=4000)
    assert reported["width"] < 4000
    assert sum(len(trace["t"]) for trace in reported["signals"].values()) <= 40_000
    assert all(sum(trace["n"]) == 2000 for trace in reported["signals"].values())


def test_missing_bodies_cannot_be_drawn(session: HostSession) -> None:
    with pytest.raises(UnknownName, match="lamb"):
        _ask(session, "signals.traces", names=["lamb"], t0=0, t1=10, width=10)
    with pytest.raises(FieldError, match="at most 500"):
        _ask(session, "signals.traces", names=["lamp"] * 501, t0=0, t1=10, width=10)


# ---------------------------------------------------------------- forcing


def test_a_forced_signal_stays_until_it_is_released_and_the_journal_reports_it(session: HostSession) -> None:
    _at(session, 2.5, lambda: _ask(session, "signals.force", signal="lamp", value=True))
    rows: list[dict[str, Any]] = []
    _at(session, 3.5, lambda: rows.append(_row(session, "lamp")))
    _at(session, 6.5, lambda: _ask(session, "signals.release", signal="lamp"))
    _run(session)
    assert _history(session, "lamp") == [
        (0.0, False), (1.0, True), (2.0, False), (2.5, True), (6.5, False), (7.0, True), (8.0, False), (9.0, True),
        (10.0, False),
    ]  # fmt: skip
    assert (rows[0]["forced"], rows[0]["faults"]) == (True, [])
    reported = [(record.kind, record.fields.get("note")) for record in session.journal if record.kind == "post"]
    assert reported == [("post", "force lamp = True"), ("post", "release lamp")]
    assert _row(session, "lamp")["forced"] is None


def test_forcing_again_goes_straight_to_the_other_value(session: HostSession) -> None:
    _at(session, 2.5, lambda: _ask(session, "signals.force", signal="gauge", value=7))
    _at(session, 3.5, lambda: _ask(session, "signals.force", signal="gauge", value=8.5))
    _at(session, 9.5, lambda: _ask(session, "signals.release", signal="gauge"))
    _run(session)
    values = [value for _, value in _history(session, "gauge")]
    assert values == [0.0, 1.0, 7.0, 8.5, 8.0, 9.0]


def test_a_signal_forced_before_a_run_is_forced_from_the_start(session: HostSession) -> None:
    _ask(session, "signals.force", signal="recipe", value="steel")
    assert _row(session, "recipe")["forced"] == "steel"
    _run(session)
    assert _history(session, "recipe") == [(0.0, "none"), (0.0, "steel")]


def test_a_signal_that_cannot_be_forced_says_why(session: HostSession, tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="holds bool, got 3"):
        _ask(session, "signals.force", signal="lamp", value=3)
    with pytest.raises(KernelError, match="holds str, got True"):
        _ask(session, "signals.force", signal="recipe", value=True)
    with pytest.raises(KernelError, match="is not forced"):
        _ask(session, "signals.release", signal="lamp")
    with pytest.raises(UnknownName, match="lamb"):
        _ask(session, "signals.force", signal="lamb", value=True)
    session.require_cell().kernel.signal("inner", 0, quiet=True)
    with pytest.raises(KernelError, match="internal to drycell"):
        _ask(session, "signals.force", signal="inner", value=1)
    _run(session)
    with pytest.raises(KernelError, match="the run has ended"):
        _ask(session, "signals.force", signal="lamp", value=True)
    assert _row(session, "lamp")["locked"] == "the run has ended; restart the cell"
    recorded = HostSession(tmp_path, lambda event: None)
    recorded.open_recording(Recording.open(session.recorded_as), session.recorded_as)
    assert _row(recorded, "lamp")["locked"] == "this is a recording"
    with pytest.raises(DrycellError, match="recording"):
        _ask(recorded, "signals.force", signal="lamp", value=True)


def test_looking_leaves_the_run_as_it_is(session: HostSession, tmp_path: Path) -> None:
    for when in (0.5, 2.0, 5.5):
        _at(session, when, lambda: _ask(session, "signals.overview"))
    _run(session)
    assert [record.kind for record in session.journal if record.kind in ("post", "fault")] == []


# ---------------------------------------------------------------- faults


def test_a_fault_comes_into_a_running_cell_and_is_cleared(session: HostSession) -> None:
    _at(session, 2.5, lambda: _ask(session, "signals.put_fault", signal="lamp", kind="stuck_on", fields={}))
    rows: list[dict[str, Any]] = []
    _at(session, 3.5, lambda: rows.append(_row(session, "lamp")))
    _at(session, 4.5, lambda: _ask(session, "signals.clear_fault", signal="lamp", number=0))
    _run(session)
    assert _history(session, "lamp")[:6] == [
        (0.0, False),
        (1.0, True),
        (2.0, False),
        (2.5, True),
        (4.5, False),
        (5.0, True),
    ]
    assert [fault["text"] for fault in rows[0]["faults"]] == ["stuck on"]
    notes = [record.fields["note"] for record in session.journal if record.kind == "post"]
    assert notes == ["fault lamp stuck_on", "clear stuck_on of lamp"]
    states = [record.fields["state"] for record in session.journal if record.kind == "fault"]
    assert states == ["begins", "ends"]


def test_a_fault_that_does_not_fit_is_refused_and_the_run_goes_on(session: HostSession) -> None:
    refused: list[str] = []

    def try_them() -> None:
        tries: tuple[dict[str, Any], ...] = (
            {"signal": "gauge", "kind": "stuck_on"},
            {"signal": "lamp", "kind": "drift", "per_second": 1.0},
            {"signal": "lamp", "kind": "late"},
            {"signal": "lamp", "kind": "stuck_on", "at": 1.0},
            {"signal": "lamp", "kind": "swapped", "other": "gauge"},
            {"signal": "lamp", "kind": "crooked"},
        )
        for given in tries:
            try:
                signal, kind = given.pop("signal"), given.pop("kind")
                _ask(session, "signals.put_fault", signal=signal, kind=kind, fields=given)
            except DrycellError as error:
                refused.append(error.what)

    _at(session, 2.5, try_them)
    _run(session)
    assert len(refused) == 6
    assert session.result is not None
    assert session.result.ending == "finished"


def test_a_swap_shows_on_both_signals(session: HostSession) -> None:
    rows: list[dict[str, Any]] = []
    _at(
        session,
        0.5,
        lambda: _ask(session, "signals.put_fault", signal="barrier", kind="swapped", fields={"other": "lamp"}),
    )
    _at(session, 1.5, lambda: rows.extend(_ask(session, "signals.overview")["signals"]))
    _run(session)
    assert {row["name"] for row in rows if row["faults"]} == {"barrier", "lamp"}
    assert (1.0, True) in _history(session, "barrier")


# ---------------------------------------------------------------- the journal of what is going on


def test_pages_show_what_was_written_a_moment_ago(session: HostSession) -> None:
    pages: list[dict[str, Any]] = []
    _at(session, 3.5, lambda: pages.append(_ask(session, "journal.page", after=-5, wanted={"kinds": ["signal"]})))
    _run(session)
    assert [(row["subject"], row["text"]) for row in pages[0]["rows"]][-1] == ("gauge", "value=2.000000  writer=blink")
    _, text = answered(session, "journal.text", {"wanted": {}, "form": "jsonl"})
    assert text.decode() == "".join(record.json() + "\n" for record in session.journal)
    assert _ask(session, "journal.place", t=3_500_000, wanted={"kinds": ["signal"]}) == pages[0]["total"]


def test_cached_results_are_dropped_with_the_run(session: HostSession) -> None:
    _ask(session, "signals.force", signal="recipe", value="steel")
    session.open_cell(Cell("another"))
    assert _ask(session, "journal.page", wanted={})["records"] == 0
    session.require_cell().signal("recipe", "none")
    assert _row(session, "recipe")["forced"] is None
