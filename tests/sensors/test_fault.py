"""A fault is checked when it is created: its kind, its times, and whether they are compatible."""

import pytest

from drycell import Cell, hour, s
from drycell.base import DrycellError, FieldError, KernelError, UnknownName
from drycell.sensors.faults import KINDS, StuckOn


def complaint(kind: str, **fields: object) -> DrycellError:
    cell = cell_of_all_types()
    with pytest.raises(DrycellError) as caught:
        cell.fault("flag", kind, **fields)
    return caught.value


def test_dashes_and_blanks_in_a_kind_read_as_underscores():
    cell = cell_of_all_types()
    assert cell.fault("flag", "stuck-on").fault == cell.fault("flag", "stuck on").fault == StuckOn()


def test_an_unknown_kind_names_the_nearest():
    error = complaint("drop-owt")
    assert isinstance(error, UnknownName)
    assert error.what == "there is no fault 'drop-owt'"
    assert error.hint == "did you mean 'dropout'?"


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"at": -1.0}, "StuckOn.at: -1 s must be at least 0"),
        ({"until": -2.0}, "StuckOn.until: -2 s must be at least 0"),
        ({"at": 12.0, "until": 8.0}, "StuckOn.until: 'until' is 8 s, not later than its start at 12 s"),
        ({"lasting": 0.0}, "StuckOn.lasting: 0 must be above 0"),
        ({"lasting": -3.0}, "StuckOn.lasting: -3 s must be above 0"),
        ({"rate": 0.0, "lasting": 1.0}, "StuckOn.rate: 0 must be above 0"),
        ({"rate": 2.0}, "StuckOn.rate: 'stuck_on' with a rate of 2/s needs 'lasting'"),
        ({"share": 1.5}, "StuckOn.share: a share of 1.5 is not in 0..1"),
        ({"share": -0.1}, "StuckOn.share: a share of -0.1 is not in 0..1"),
        ({"share": float("nan")}, "StuckOn.share: expected a ratio in SI, got nan"),
        ({"share": 0.1, "rate": 1.0}, "StuckOn.rate: 'share' and 'rate' cannot be combined"),
        ({"share": 0.1, "lasting": 1.0}, "StuckOn.lasting: 'share' and 'lasting' cannot be combined"),
        ({"until": 9.0, "lasting": 1.0}, "StuckOn.lasting: 'until' (9 s) and 'lasting' (1 s) both give its end"),
        ({"size": 4.0}, "a fault 'stuck_on' has no 'size'"),
    ],
)
def test_times_rates_and_shares_that_make_no_sense_are_reported_with_their_limits(fields, what):
    error = complaint("stuck_on", **fields)
    assert isinstance(error, FieldError)
    assert error.what == what
    assert error.hint


@pytest.mark.parametrize(
    ("kind", "fields", "what"),
    [
        ("drift", {}, "a fault 'drift' needs 'per_second'"),
        ("drift", {"per_second": 0.0}, "Drift.per_second: 0 is not a fault"),
        ("drift", {"per_second": 1.0, "every": -1.0}, "Drift.every: -1 s must be above 0"),
        ("drift", {"per_second": 1.0, "share": 0.5}, "a fault 'drift' has no 'share'"),
        ("late", {}, "a fault 'late' needs 'by'"),
        ("late", {"by": 0.0}, "Late.by: 0 must be above 0"),
        ("swapped", {}, "a fault 'swapped' needs 'other'"),
        (
            "spike",
            {"size": 3.0, "value": 4.0},
            "Spike.value: a spike has a size or a value, not both: size 3, value 4.0",
        ),
        ("spike", {"size": 0.0}, "Spike.size: 0 is not a fault"),
        ("dropout", {"by": 1.0}, "a fault 'dropout' has no 'by'"),
    ],
)
def test_each_kind_says_what_it_needs_and_what_it_has_not(kind, fields, what):
    error = complaint(kind, **fields)
    assert error.what == what
    assert error.hint


def test_the_hint_of_a_field_too_many_lists_what_there_is():
    assert complaint("late", value=3).hint == "its fields are at, until, lasting, rate, by"


# ---------------------------------------------------------------- against the signal it is put on


def cell_of_all_types() -> Cell:
    cell = Cell()
    for name, initial in (("flag", False), ("count", 0), ("level", 0.5), ("text", "none")):
        cell.signal(name, initial)
    return cell


@pytest.mark.parametrize(
    ("signal", "kind", "fields", "what", "hint"),
    [
        ("text", "stuck_on", {}, "'stuck_on' needs a signal that is on or off, but 'text' holds str", "'stuck'"),
        (
            "level",
            "stuck_off",
            {},
            "'stuck_off' needs a signal that is on or off, but 'level' holds float",
            "such as 0.5",
        ),
        ("flag", "drift", {"per_second": 1}, "a drift needs a number, but 'flag' holds bool", "spike without a size"),
        (
            "text",
            "spike",
            {"size": 1, "lasting": 1},
            "a spike with a size needs a number, but 'text' holds str",
            "stuck",
        ),
        (
            "text",
            "spike",
            {"lasting": 1},
            "a spike on 'text', which holds str, needs a size or a value",
            "'value', such as 'none'",
        ),
        (
            "level",
            "spike",
            {"size": 1},
            "a spike on 'level', which is not sampled, needs a duration",
            "'lasting', such as 10 ms",
        ),
        (
            "flag",
            "swapped",
            {"other": "count"},
            "'flag', which holds bool, cannot be swapped with 'count', which holds int",
            "two signals of one type",
        ),
        ("flag", "swapped", {"other": "flag"}, "signal 'flag' cannot be swapped with itself", "another signal"),
        ("flag", "swapped", {"other": "flagg"}, "there is no signal 'flagg'", "'flag'"),
        ("flog", "stuck", {}, "there is no signal 'flog'", "'flag'"),
        ("count", "stuck", {"value": 2.5}, "signal 'count' holds int, got 2.5 of type float", "int(value)"),
    ],
)
def test_a_fault_that_does_not_fit_its_signal_is_refused_and_leaves_it_alone(signal, kind, fields, what, hint):
    cell = cell_of_all_types()
    with pytest.raises(DrycellError) as caught:
        cell.fault(signal, kind, **fields)
    assert caught.value.what == what
    assert hint in str(caught.value.hint)
    assert all(each.filter is None for each in cell.kernel.signals.values())
    assert cell.faults == []


def test_a_fault_cannot_begin_in_the_past():
    cell = cell_of_all_types()

    @cell.program
    def late(cell: Cell) -> None:
        from drycell import delay

        delay(5 * s)
        with pytest.raises(KernelError) as caught:
            cell.fault("flag", "stuck_on", at=4 * s)
        assert caught.value.what == "'stuck_on' on 'flag' has at=4.000000 s, but it is already 5.000000 s"
        with pytest.raises(KernelError, match="until=5"):
            cell.fault("flag", "stuck_on", until=5 * s)

    assert cell.run().clean


def test_a_cell_that_has_run_takes_no_more_faults():
    cell = cell_of_all_types()
    cell.run(until=1)
    with pytest.raises(KernelError, match="the cell has already run"):
        cell.fault("flag", "stuck_on")


def test_a_fault_can_be_described_first_and_changed_where_it_is_put_on():
    cell = cell_of_all_types()
    described = StuckOn(at=1 * s, lasting=2 * s)
    put = cell.fault("flag", described, lasting=5 * s)
    assert put.fault == StuckOn(at=1 * s, lasting=5 * s)
    assert repr(put) == "<Disturbance flag/stuck_on, pending>"


def test_every_kind_can_be_put_on():
    needed = {"drift": {"per_second": 1.0}, "late": {"by": 1.0}, "swapped": {"other": "level2"}, "spike": {"size": 1.0}}
    for kind in KINDS:
        cell = cell_of_all_types()
        cell.signal("level2", 0.0)
        signal = "flag" if kind in ("stuck_on", "stuck_off") else "level"
        cell.fault(signal, kind, rate=3 / hour, lasting=1 * s, **needed.get(kind, {}))
        assert len(cell.faults) == 1
