"""Precedence graphs against orders and times computed by hand."""

from itertools import permutations

import pytest
from hypothesis import given, strategies as st

from drycell.base import UnknownName
from drycell.plan import PlanError, TaskGraph, precedence_picture


@pytest.fixture
def hinge() -> TaskGraph:
    """plate 4 s → drill 6 s ↘ join 5 s → store 2 s; pin 3 s → inspect 1 s ↗"""
    graph = TaskGraph("hinge")
    graph.task("plate", lasts=4)
    graph.task("pin", lasts=3)
    graph.task("drill", after="plate", lasts=6)
    graph.task("inspect", after="pin", lasts=1)
    graph.task("join", after=["drill", "inspect"], lasts=5)
    graph.task("store", after="join", lasts=2)
    return graph


def test_tasks_come_after_those_they_depend_on(hinge: TaskGraph) -> None:
    assert hinge.order == ["plate", "pin", "drill", "inspect", "join", "store"]
    assert hinge.count_orders() == len(list(hinge.orders())) == 6  # two pairs of two, shuffled: 4! / (2! 2!)
    assert hinge.violation(["pin", "inspect", "plate", "drill", "join", "store"]) is None
    assert hinge.violation(["pin", "plate", "join"]) == "'join' came before 'drill' and 'inspect'"


def test_the_critical_path_is_the_longest(hinge: TaskGraph) -> None:
    assert hinge.critical_path() == (["plate", "drill", "join", "store"], 17.0)
    spans = hinge.schedule()
    assert (spans["join"].begin, spans["join"].end) == (10, 15)
    assert TaskGraph().critical_path() == ([], 0.0)


def test_error_for_a_cycle_names_its_tasks(hinge: TaskGraph) -> None:
    hinge.task("a", after="c")
    hinge.task("b", after=["a", "store"])
    hinge.task("c", after="b")
    with pytest.raises(PlanError, match="tasks of 'hinge' wait for each other: a → b → c → a"):
        hinge.check()


def test_error_for_an_unknown_task_suggests_the_nearest(hinge: TaskGraph) -> None:
    hinge.task("paint", after="stor")
    with pytest.raises(UnknownName, match="did you mean 'store'"):
        hinge.check()
    with pytest.raises(PlanError, match="already a task 'paint'"):
        hinge.task("paint")


@given(st.integers(1, 6), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_orders_are_the_permutations_without_violations(count: int, pairs: set[tuple[int, int]]) -> None:
    graph = TaskGraph()
    for number in range(count):
        before = [f"t{a}" for a, b in sorted(pairs) if b == number and a < b]
        graph.task(f"t{number}", after=before)
    every = [list(each) for each in permutations(graph.tasks) if graph.violation(each) is None]
    assert sorted(graph.orders()) == sorted(every)
    assert graph.count_orders() == len(every)


def test_the_picture_has_every_task_and_marks_the_critical_path(hinge: TaskGraph) -> None:
    svg = precedence_picture(hinge)
    for name in hinge.tasks:
        assert f">{name}</text>" in svg
    assert svg.count('fill="none" stroke="#b5482a"') == 3  # plate → drill → join → store
    assert svg == precedence_picture(hinge)


@pytest.mark.parametrize("lasts", [-1, float("nan"), float("inf")])
def test_negative_durations_of_tasks_are_refused(lasts: float) -> None:
    with pytest.raises(PlanError, match=r"task 'drill' cannot last .* s"):
        TaskGraph("hinge").task("drill", lasts=lasts)
