"""Designs: levels as text, and the variants and runs that factors make."""

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from drycell.base import DrycellError
from drycell.campaign.design import Design, Factor, RunPoint, faults, points_of, programs, seeds, span, values, varied


def labels(factor: Factor) -> list[str]:
    return [each.label for each in factor.levels]


def test_values_are_split_at_commas_outside_of_brackets() -> None:
    assert labels(varied("belt.speed=40 mm/s, 60 mm/s")) == ["40 mm/s", "60 mm/s"]
    assert labels(varied("m.duration=[30 s, 60 s],[20 s, 40 s]")) == ["[30 s, 60 s]", "[20 s, 40 s]"]
    assert labels(varied("x={a: 1, b: 2}")) == ["{a: 1, b: 2}"]
    assert labels(varied("name='a, b',c")) == ["'a, b'", "c"]


def test_a_range_with_a_count_is_evenly_spaced_with_both_limits() -> None:
    assert labels(varied("belt.speed=40..80/5 mm/s")) == ["40 mm/s", "50 mm/s", "60 mm/s", "70 mm/s", "80 mm/s"]
    assert labels(varied("x=-1..1/3")) == ["-1", "0", "1"]
    assert [each.number for each in varied("belt.speed=40..80/3 mm/s").levels] == [40.0, 60.0, 80.0]


def test_a_range_without_a_count_is_continuous() -> None:
    found = varied("belt.speed=40..80 mm/s").span
    assert found is not None
    assert found.text(0.25) == "50 mm/s"


@pytest.mark.parametrize(
    "text", ["belt.speed", "=3", "belt.speed=", "x=1,1", "x=80..40/5 mm/s", "x=40..80/1 mm/s", "x=1.2.3..4/2", "x=1,,2"]
)
def test_invalid_values_are_refused_with_a_hint(text: str) -> None:
    with pytest.raises(DrycellError) as caught:
        varied(text)
    assert caught.value.hint


def test_seeds_are_ranges_steps_and_lists() -> None:
    assert seeds("0..4") == [0, 1, 2, 3, 4]
    assert seeds("0..20/10,7") == [0, 10, 20, 7]
    for text in ("", "4..1", "a", "1,1", "0..9/0", "0..99999999999"):
        with pytest.raises(DrycellError):
            seeds(text)


def test_a_fault_is_compared_with_the_cell_as_it_stands() -> None:
    factor = faults("eye: {dropout: 0.5 %}", "eye: [{late: 1 s}]")
    assert [dict(each.settings) for each in factor.levels] == [
        {},
        {"faults.eye": "[{dropout: 0.5 %}]"},
        {"faults.eye": "[{late: 1 s}]"},
    ]


def test_a_grid_has_every_combination_and_a_list_pairs_levels() -> None:
    two, files = values("x", 1, 2), programs("robot", "a.py", "b.py")
    grid = [each.label for each in Design((two, files)).variants()]
    assert grid == [f"x = {x}, robot = {file}" for x in (1, 2) for file in ("a.py", "b.py")]
    assert [each.label for each in Design((two, files), kind="list").variants()] == [
        "x = 1, robot = a.py",
        "x = 2, robot = b.py",
    ]
    with pytest.raises(DrycellError, match="x 2, robot 1"):
        Design((two, programs("robot", "a.py")), kind="list")


@given(st.integers(1, 60), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_a_latin_hypercube_has_one_variant_in_every_stratum_of_every_factor(count: int, draw: int) -> None:
    factors = (span("x", 0, 1), span("y", 10, 30))
    found = Design(factors, kind="lhs", points=count, draw=draw).variants()
    for name, low, width in (("x", 0.0, 1.0), ("y", 10.0, 20.0)):
        # Six digits are kept, so a value may be rounded to the limit of its stratum.
        strata = Counter(min(int((each.numbers[name] - low) / width * count + 1e-4), count - 1) for each in found)
        assert len(found) == count
        assert sum(abs(strata[each] - 1) for each in range(count)) <= 2


def test_a_random_design_is_the_same_each_time_and_does_not_depend_on_other_factors() -> None:
    x, y = span("x", 0, 1), span("y", 0, 1)
    one = [each.settings["x"] for each in Design((x,), kind="random", points=8).variants()]
    assert one == [each.settings["x"] for each in Design((y, x), kind="random", points=8).variants()]
    assert len(set(one)) == 8
    assert one != [each.settings["x"] for each in Design((x,), kind="random", points=8, draw=1).variants()]


@pytest.mark.parametrize("kind", ["grid", "list"])
def test_single_values_of_a_continuous_range_are_asked_for(kind: str) -> None:
    with pytest.raises(DrycellError) as caught:
        Design((span("x", 0, 8, "mm"),), kind=kind)  # type: ignore[arg-type]
    assert "0..8/5 mm" in str(caught.value.hint)


def test_every_variant_meets_the_same_seeds_and_a_prefix_of_the_runs_is_balanced() -> None:
    variants = Design((values("x", 1, 2, 3),)).variants()
    found = list(points_of(variants, (5, 6), 60.0, 0.0))
    assert [point.seed for _, point in found] == [5, 5, 5, 6, 6, 6]
    assert Counter(variant.label for variant, _ in found[:3]) == {"x = 1": 1, "x = 2": 1, "x = 3": 1}


def test_the_key_of_a_run_depends_on_all_that_it_depends_on_and_on_nothing_else() -> None:
    base = RunPoint(3, 60.0, 0.0, (("a", "1"), ("b", "2")))
    assert base.key == RunPoint(3, 60.0, 0.0, (("b", "2"), ("a", "1"))).key
    others = [
        RunPoint(4, 60.0),
        RunPoint(3, 61.0),
        RunPoint(3, 60.0, 1.0),
        RunPoint(3),
        RunPoint(3, 60.0, programs=(("a", "1"),)),
    ]
    assert len({each.key for each in (base, *others)}) == 6
    assert RunPoint.of(base.data()) == base
