"""Tasks run as programs of a cell: in order, with shared resources, and with recovery from exceptions."""

from collections.abc import Callable

import pytest

from drycell import Cell, ProgramError, delay
from drycell.plan import ImaginableException, PlanError, Strategy, TaskException, TaskExecution, TaskGraph, Unrecovered


def recoveries(cell: Cell) -> list[tuple[str, ...]]:
    return [
        (record.subject, *map(str, record.fields.values()))
        for record in cell.kernel.journal.records
        if record.kind == "recovers"
    ]


def failing(times: int, name: str = "slip") -> Callable[[], None]:
    """A task of one second that fails ``times`` times."""
    left = [times]

    def work() -> None:
        delay(1)
        if left[0]:
            left[0] -= 1
            raise TaskException(name)

    return work


def test_a_task_starts_when_those_before_it_are_done() -> None:
    cell = Cell("hinge")
    graph = TaskGraph("hinge")
    graph.task("plate", lambda: delay(4))
    graph.task("pin", lambda: delay(3))
    graph.task("join", lambda: delay(5), after=["plate", "pin"])
    work = TaskExecution(cell, graph)
    assert cell.run().duration == 9
    assert [signal.history[-1][0] for signal in work.done.values()] == [4_000_000, 3_000_000, 9_000_000]


def test_tasks_that_need_the_same_take_turns() -> None:
    cell = Cell("one arm")
    graph = TaskGraph("jobs")
    for name in ("a", "b", "c"):
        graph.task(name, lambda: delay(2), needs="arm" if name != "c" else ["arm", "light"])
    TaskExecution(cell, graph)
    assert cell.run().duration == 6


def test_parameters_of_a_task_name_things_of_the_cell() -> None:
    cell = Cell("lamp")
    cell.signal("lamp", False)
    graph = TaskGraph("jobs")
    graph.task("light", lambda lamp: lamp.set(True))
    TaskExecution(cell, graph)
    cell.run()
    assert cell.declared["lamp"].value


def test_the_cheapest_usable_strategy_is_used_first() -> None:
    cell = Cell("slips")
    calm = cell.signal("calm", False)
    done: list[str] = []
    slip = ImaginableException(
        "slip",
        (
            Strategy("call somebody", lambda: done.append("called"), cost=9),
            Strategy("again", cost=1, tries=2),
            Strategy("gently", cost=0, when=calm),
        ),
    )
    graph = TaskGraph("jobs")
    graph.task("hold", failing(3), exceptions=[slip])
    work = TaskExecution(cell, graph)
    assert cell.run().duration == 4
    assert recoveries(cell) == [
        ("hold", "slip", "again", "retry"),
        ("hold", "slip", "again", "retry"),
        ("hold", "slip", "call somebody", "retry"),
    ]
    assert (done, len(work.recovered)) == (["called"], 3)


def test_error_without_strategies_left_lists_those_tried() -> None:
    cell = Cell("slips")
    calm = cell.signal("calm", False)
    slip = ImaginableException("slip", (Strategy("again", tries=1), Strategy("gently", when=calm.is_on)))
    graph = TaskGraph("jobs")
    graph.task("hold", failing(2), exceptions=[slip])
    TaskExecution(cell, graph)
    with pytest.raises(Unrecovered) as error:
        cell.run()
    assert error.value.what == "task 'hold' detected 'slip', and no strategy is left"
    assert error.value.hint == "again: used 1 of 1 times; gently: calm does not hold"


def test_unforeseen_exceptions_propagate() -> None:
    cell = Cell("slips")
    graph = TaskGraph("jobs")
    graph.task("hold", failing(1, "fire"), exceptions=[ImaginableException("slip", (Strategy("again"),))])
    TaskExecution(cell, graph)
    with pytest.raises(TaskException, match="fire, for which the task has no strategies"):
        cell.run()


def test_a_condition_cancels_a_task_at_once() -> None:
    cell = Cell("mill")
    broken = cell.signal("broken", False)
    seen: list[float] = []

    def instead() -> TaskGraph:
        graph = TaskGraph("elsewhere")
        graph.task("carry", lambda: delay(2))
        graph.task("cut", lambda: seen.append(cell.time), after="carry")
        return graph

    fault = ImaginableException("mill broken", (Strategy("other mill", instead, then="replan"),), during=broken)
    graph = TaskGraph("jobs")
    graph.task("cut", lambda: delay(10), exceptions=[fault])
    graph.task("store", lambda: delay(1), after="cut")
    TaskExecution(cell, graph)

    @cell.program
    def fate() -> None:
        delay(3)
        broken.set(True)

    assert cell.run().duration == 6  # 3 s until it breaks, 2 s to carry, 1 s to store
    assert seen == [5.0]


def test_a_task_that_fails_its_final_check_can_be_resumed_or_skipped() -> None:
    cell = Cell("check")
    weight = cell.signal("weight", 3)
    graph = TaskGraph("jobs")
    light = ImaginableException(
        "too light", (Strategy("note it", lambda: weight.set(4), then="resume"),), shown=weight < 4
    )
    error = ImaginableException("error", (Strategy("leave it", then="skip"),), raises=ProgramError)
    graph.task("weigh", lambda: delay(1), exceptions=[light])

    def wrap() -> None:
        raise ProgramError("no paper")

    graph.task("wrap", wrap, after="weigh", exceptions=[error])
    work = TaskExecution(cell, graph)
    assert cell.run().ending == "finished"
    assert [each[2:] for each in recoveries(cell)] == [("note it", "resume"), ("leave it", "skip")]
    assert work.skipped == ["wrap"]


def test_inconsistent_strategies_are_refused() -> None:
    with pytest.raises(PlanError, match="'x' continues with 'pray'"):
        Strategy("x", then="pray")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="exception 'fire' has no strategies"):
        ImaginableException("fire", ())
    with pytest.raises(PlanError, match="'x' replans"):
        Strategy("x", then="replan")


def test_error_without_strategies_left_names_the_source_line() -> None:
    cell = Cell("slips")
    graph = TaskGraph("job")
    work = failing(9)
    graph.task("hold", work, exceptions=[ImaginableException("slip", (Strategy("again", tries=1),))])
    TaskExecution(cell, graph)
    line = work.__code__.co_firstlineno + 4  # where it raises
    with pytest.raises(Unrecovered, match=rf"at 2.000 s, program 'hold' \(test_execution.py:{line}\)"):
        cell.run()


def test_error_for_an_unforeseen_exception_suggests_the_nearest() -> None:
    cell = Cell("slips")
    graph = TaskGraph("job")
    graph.task("hold", failing(1, "slp"), exceptions=[ImaginableException("slip", (Strategy("again"),))])
    TaskExecution(cell, graph)
    with pytest.raises(TaskException, match=r"slp, for which the task has no strategies(.|\n)*did you mean 'slip'\?"):
        cell.run()
