"""What code may assign is read from it."""

from typing import Any

from drycell.kernel.assignments import assignments


class Lift:
    def __init__(self, other: Any) -> None:
        self.height = 0
        other.busy = True

    def rise(self) -> None:
        self.height = 1


def test_attributes_that_are_assigned_are_found_except_those_of_new_objects() -> None:
    assert assignments(Lift.__init__.__code__).attributes == {"busy"}
    assert assignments(Lift.rise.__code__).attributes == {"height"}


def test_functions_within_a_function_count() -> None:
    def outer(lift: Lift) -> Any:
        def inner() -> None:
            lift.height = 2

        return inner

    assert assignments(outer.__code__).attributes == {"height"}


def test_contents_of_containers_may_change_in_several_ways() -> None:
    def stores(items: Any) -> None:
        items[0] = 1

    def appends(items: Any) -> None:
        items.append(1)

    def extends(items: Any) -> None:
        items += [1]

    def counts(items: Any) -> int:
        number = 0
        for _ in items:
            number += 1
        return number

    assert [assignments(each.__code__).contents for each in (stores, appends, extends)] == [True] * 3
    assert not assignments(counts.__code__).contents
