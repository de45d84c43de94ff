"""A logic block follows its rules, scan by scan, and skipping scans does not change its outputs."""

import contextlib
from collections.abc import Mapping

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import FieldError, InvalidThing, KernelError
from drycell.cell import Cell
from drycell.devices import Logic
from drycell.kernel import Kernel, delay, wait

Script = list[tuple[int, str, object]]


def played(
    rules: Mapping[str, str],
    script: Script,
    *,
    until: int,
    initial: Mapping[str, object] | None = None,
    skip: bool = True,
    scan: float = 0.010,
) -> Kernel:
    """A kernel after a run in which signals were set at given milliseconds."""
    cell = Cell("played")
    kernel = cell.kernel
    names = {name for _, name, _ in script} | set(initial or {})
    for name in sorted(names):
        kernel.signal(name, (initial or {}).get(name, False))  # type: ignore[arg-type]
    cell.add("plc", Logic(rules, scan=scan, skip=skip))
    for time, name, value in script:
        kernel.at(time * 1000, lambda name=name, value=value: kernel.signals[name].set(value, "script"), writes=())
    kernel.run(until * 1000)
    return kernel


def changes(kernel: Kernel, name: str) -> list[tuple[float, object]]:
    """The changes of a signal, with times in milliseconds; without the initial value."""
    return [(time / 1000, value) for time, value, _ in kernel.signals[name].history[1:]]


def test_a_rule_sets_a_signal_of_the_cell_at_the_next_scan() -> None:
    kernel = played({"lamp": "a and not b"}, [(13, "a", True), (47, "b", True)], until=100, initial={"lamp": False})
    assert changes(kernel, "lamp") == [(20, True), (50, False)]
    assert kernel.signals["lamp"].history[1][2] == "plc"


def test_a_change_at_the_instant_of_a_scan_is_seen_by_the_scan_after_it() -> None:
    assert changes(played({"lamp": "a"}, [(20, "a", True)], until=100), "plc.lamp") == [(30, True)]


def test_a_pulse_between_two_scans_is_not_seen() -> None:
    assert changes(played({"lamp": "a"}, [(11, "a", True), (19, "a", False)], until=100), "plc.lamp") == []


def test_an_output_that_no_signal_has_is_the_blocks_own() -> None:
    kernel = played({"half": "a or b", "whole": "half and a and b"}, [(1, "a", True), (21, "b", True)], until=50)
    # Rules are evaluated in order: a rule sees the results of earlier rules in the same scan.
    assert (changes(kernel, "plc.half"), changes(kernel, "plc.whole")) == ([(10, True)], [(30, True)])


def test_a_rule_that_reads_a_later_one_sees_it_a_scan_later() -> None:
    kernel = played({"first": "second", "second": "a"}, [(1, "a", True)], until=50)
    assert (changes(kernel, "plc.second"), changes(kernel, "plc.first")) == ([(10, True)], [(20, True)])


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        # The scans see x on from 10 ms to 60 ms and from 100 ms to 110 ms.
        ("ton(x, 30 ms)", [(40, True), (60, False)]),
        ("ton(x, 35 ms)", [(50, True), (60, False)]),
        ("tof(x, 20 ms)", [(10, True), (80, False), (100, True), (130, False)]),
        ("tp(x, 20 ms)", [(10, True), (30, False), (100, True), (120, False)]),
        ("tp(x, 0.07 s)", [(10, True), (80, False), (100, True), (170, False)]),
        ("rise(x)", [(10, True), (20, False), (100, True), (110, False)]),
        ("fall(x)", [(60, True), (70, False), (110, True), (120, False)]),
        ("ctu(x, false, 2)", [(100, True)]),
        ("count(x, false) = 1", [(10, True), (100, False)]),
        ("sr(x, true)", [(10, True), (60, False), (100, True), (110, False)]),
        ("rs(x, true)", []),
        ("rs(x, not x)", [(10, True), (60, False), (100, True), (110, False)]),
        ("not not not x", [(0, True), (10, False), (60, True), (100, False), (110, True)]),
    ],
)
def test_function_blocks(rule: str, found: list[tuple[float, object]]) -> None:
    script: Script = [(5, "x", True), (55, "x", False), (95, "x", True), (105, "x", False)]
    assert changes(played({"q": rule}, script, until=200), "plc.q") == found


def test_an_input_that_is_on_from_the_start_makes_no_edge() -> None:
    kernel = played({"up": "rise(x)", "n": "count(x, false)"}, [(100, "x", False)], until=200, initial={"x": True})
    assert (changes(kernel, "plc.up"), kernel.signals["plc.n"].value) == ([], 0.0)


def test_numbers_are_compared_in_the_unit_of_the_signal() -> None:
    cell = Cell("units")
    kernel = cell.kernel
    height = kernel.signal("height", 0.0, unit="mm")
    speed = kernel.signal("speed", 0.0, unit="m/s")
    cell.add("plc", Logic({"tall": "height > 50 mm", "bare": "height > 50", "fast": "speed >= 150 mm/s"}))
    kernel.at(1000, lambda: height.set(51.0), writes=())
    kernel.at(1000, lambda: speed.set(0.15), writes=())
    kernel.run(20_000)
    assert [kernel.signals[f"plc.{name}"].value for name in ("tall", "bare", "fast")] == [True, True, True]


def test_arithmetic() -> None:
    kernel = played({"n": "2 + 3 * a - -1", "same": "n = 2 * (a + 1) + a + 1"}, [], until=20, initial={"a": 4})
    assert (kernel.signals["plc.n"].value, kernel.signals["plc.same"].value) == (15.0, True)


def test_a_number_is_rounded_for_a_signal_of_whole_numbers() -> None:
    kernel = played({"n": "a * 1.5"}, [], until=20, initial={"a": 5.0, "n": 0})
    assert kernel.signals["n"].value == 8


def test_texts_are_compared() -> None:
    kernel = played({"tall": "kind = 'tall'"}, [(1, "kind", "tall")], until=20, initial={"kind": ""})
    assert kernel.signals["plc.tall"].value is True


def test_a_program_that_waits_for_a_timer_of_the_block_is_not_in_a_deadlock() -> None:
    cell = Cell("timer")
    kernel, start = cell.kernel, cell.signal("start", False)
    cell.add("plc", Logic({"late": "ton(start, 2 s)"}))

    def program() -> None:
        delay(1)
        start.set(True)
        wait(kernel.signals["plc.late"])

    kernel.spawn(program)
    outcome = kernel.run()
    assert (outcome.ending, outcome.time) == ("finished", 3_010_000)


def test_a_program_that_waits_for_what_no_rule_will_set_is_in_a_deadlock() -> None:
    cell = Cell("timer")
    kernel = cell.kernel
    cell.signal("start", False)
    cell.add("plc", Logic({"late": "ton(start, 2 s)"}))
    kernel.spawn(lambda: wait(kernel.signals["plc.late"]))
    assert kernel.run().ending == "deadlock"


def test_a_block_at_rest_makes_no_events() -> None:
    kernel = played({"lamp": "ton(a, 1 s)"}, [(5, "a", True)], until=3_600_000)
    # The first scan, the one that sees the change, the one after it, the timer's, and the one after that.
    assert len([entry for entry in kernel.queue if entry[3].is_live()]) <= 1
    assert kernel.sequence < 20


# -------------------------------------------------------------------- mistakes

COMPARE = "compare it, as in height > 50 mm"


@pytest.mark.parametrize(
    ("rule", "what", "hint"),
    [
        ("a and", "'a and', column 6: the expression is incomplete", "add the missing part"),
        ("a and and b", "'a and and b', column 7: unexpected 'and'", None),
        ("a b", "'a b', column 3: unexpected 'b'", "join conditions with 'and' or 'or'"),
        ("(a or b", "'(a or b', column 8: a parenthesis is not closed", "add ')'"),
        ("a & b", "'a & b', column 3: unexpected character '&'", "remove it"),
        ("a and mashine", "'a and mashine', column 7: unknown signal 'mashine'", "did you mean 'machine'?"),
        ("a + 1 > 2", "'a + 1 > 2', column 1: this is on or off, expected a number", None),
        ("n and a", "'n and a', column 1: this is a number, expected on or off", COMPARE),
        ("n", "'n', column 1: this is a number, expected on or off", COMPARE),
        ("a < b", "'a < b', column 3: on or off can only be compared with = or <>", None),
        ("n = a", "'n = a', column 3: a number cannot be compared with on or off", None),
        ("tonn(a, 2 s)", "'tonn(a, 2 s)', column 1: unknown function 'tonn'", "did you mean 'ton'?"),
        ("ton(a)", "'ton(a)', column 1: ton needs 2 values, not 1", "write ton(x, 2 s)"),
        ("ton(a, 2)", "'ton(a, 2)', column 8: '2' has no unit, but a time needs one", "write for example '2.5 s'"),
        ("ton(a, b)", "'ton(a, b)', column 8: expected a time above 0", "write for example 2 s or 200 ms"),
        ("ctu(a, b, 1.5)", "'ctu(a, b, 1.5)', column 11: expected a whole number from 1",
         "write for example ctu(x, reset, 5)"),
        ("n > 3 elle", "'n > 3 elle', column 5: unknown unit 'elle'", "write for example 50 mm, 2 s, 150 mm/s"),
        ("", "'', column 1: the expression is incomplete", "add the missing part"),
    ],
)  # fmt: skip
def test_mistakes_report_their_column(rule: str, what: str, hint: str | None) -> None:
    with pytest.raises(InvalidThing) as caught:
        played({"lamp": rule}, [], until=1, initial={"a": False, "b": False, "machine": False, "n": 1.0, "lamp": False})
    assert (caught.value.what, caught.value.hint) == (f"Logic.rules.lamp: {what}", hint)


def test_an_output_with_a_dot_must_be_there() -> None:
    with pytest.raises(InvalidThing, match=r"Logic.rules.bellt.run: there is no signal 'bellt.run'"):
        played({"bellt.run": "a"}, [], until=1, initial={"a": False, "belt.run": False})


def test_an_output_has_one_rule() -> None:
    with pytest.raises(InvalidThing, match=r"'plc.x' already has a rule"):
        played({"x": "a", "plc.x": "not a"}, [], until=1, initial={"a": False})


def test_expressions_are_bounded() -> None:
    deep = "(" * 50 + "a" + ")" * 50
    with pytest.raises(FieldError, match="the nesting is deeper than 40"):
        played({"x": deep}, [], until=1, initial={"a": False})
    with pytest.raises(FieldError, match="can have 2000 characters"):
        played({"x": "a or " * 500 + "a"}, [], until=1, initial={"a": False})
    wide = " or ".join(["a"] * 300) + " or " + "+".join(["1"] * 150) + " > 3"
    assert played({"x": wide}, [], until=1, initial={"a": False}).signals["plc.x"].value is True


@given(st.text("ab()n<=+-*, 'torise2.s", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidThing):
        played({"x": text}, [], until=50, initial={"a": False, "b": True, "n": 1.0})


# -------------------------------------------------------------------- skipping

SIGNALS = ("a", "b", "c")


def expressions() -> st.SearchStrategy[str]:
    names = st.sampled_from((*SIGNALS, "q0", "q1", "n > 2", "true"))
    spans = st.sampled_from(("5 ms", "10 ms", "25 ms", "80 ms", "0.13 s"))

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({} and {})".format, inner, inner),
            st.builds("({} or {})".format, inner, inner),
            st.builds("not {}".format, inner),
            st.builds("{}({}, {})".format, st.sampled_from(("ton", "tof", "tp")), inner, spans),
            st.builds("{}({})".format, st.sampled_from(("rise", "fall")), inner),
            st.builds("{}({}, {})".format, st.sampled_from(("sr", "rs")), inner, inner),
            st.builds("ctu({}, {}, {})".format, inner, inner, st.integers(1, 3)),
            st.builds("(count({}, {}) > n)".format, inner, inner),
        )

    return st.recursive(names, grown, max_leaves=6)


@settings(max_examples=300)
@given(
    st.lists(expressions(), min_size=2, max_size=4),
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from((*SIGNALS, "n")), st.integers(0, 3)), max_size=25),
    st.sampled_from((0.010, 0.007, 0.0333)),
)
def test_skipping_scans_publishes_what_scanning_does(
    rules: list[str], script: list[tuple[int, str, int]], scan: float
) -> None:
    named = {f"q{number}": rule for number, rule in enumerate(rules)}
    steps: Script = [(time, name, value if name == "n" else bool(value % 2)) for time, name, value in script]
    initial = {"a": False, "b": True, "c": False, "n": 1}
    first, second = (played(named, steps, until=700, initial=initial, skip=skip, scan=scan) for skip in (True, False))
    for name in named:
        assert list(first.signals[f"plc.{name}"].history) == list(second.signals[f"plc.{name}"].history)


@pytest.mark.parametrize(
    "rules", [{"n": "count(a, false)", "m": "n"}, {"m": "plc.k", "k": "n", "n": "count(a, false)"}]
)
def test_an_output_that_repeats_another_one_holds_what_that_holds(rules: dict[str, str]) -> None:
    kernel = played(rules, [(5, "a", True)], until=100)
    assert kernel.signals["plc.m"].value == 1.0


def test_outputs_that_only_repeat_each_other_are_switches() -> None:
    kernel = played({"x": "y", "y": "x"}, [], until=100)
    assert (kernel.signals["plc.x"].value, kernel.signals["plc.y"].value) == (False, False)


def test_nan_is_never_published() -> None:
    with pytest.raises(KernelError, match=r"plc for 'plc\.gap' results in nan, which is not a valid number"):
        played({"gap": "big * big - big * big"}, [], until=100, initial={"big": 1e200})
