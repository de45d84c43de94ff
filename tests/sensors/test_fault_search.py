"""Searching orders of events with faults about: skipping orders by their footprints loses no outcome."""

import importlib.util
import random
from pathlib import Path
from types import ModuleType

import pytest

from drycell.kernel import Kernel
from drycell.sensors import Fault
from drycell.sensors.faults import Disturbance, Drift, Dropout, Late, Spike, Stuck, Swapped

VERBS = ("delay", "delay", "set", "set", "set", "read", "read", "wait", "edge", "timer", "fault", "end", "active")


def search() -> ModuleType:
    """The kernel's own test of footprints: a search over all orders, exhaustive or with sleep sets."""
    path = Path(__file__).parents[1] / "kernel" / "test_footprint.py"
    spec = importlib.util.spec_from_file_location("footprints_of_the_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def put_on(n: int) -> list[Fault]:
    """Faults that a program may inject into a signal during the run."""
    return [
        Stuck(value=7),
        Late(by=1),
        Swapped(other=f"x{1 - n}"),
        Dropout(share=0.5, value=9),
        Stuck(rate=1.0, lasting=1, value=4),
        Drift(per_second=1, every=1, lasting=3),
    ]


def planned(source: random.Random) -> list[tuple[int, Fault]]:
    """Faults that are injected before the run."""
    plan = []
    for _ in range(source.randrange(3)):
        n, at = source.randrange(2), source.choice((None, 0, 1))
        plan.append(
            (
                n,
                source.choice(
                    [
                        Stuck(at=at, lasting=source.choice((1, 2))),
                        Late(at=at, by=source.choice((1, 2))),
                        Swapped(other=f"x{1 - n}", at=at, lasting=1),
                        Dropout(share=0.5, value=9, until=2),
                        Spike(size=3, at=at, lasting=1),
                    ]
                ),
            )
        )
    return plan


@pytest.mark.parametrize("batch", range(2))
def test_reduction_by_footprints_loses_no_outcome(batch: int) -> None:
    source, kernels = random.Random(f"faults {batch}"), search()
    plan: list[tuple[int, Fault]] = []

    class Cell(kernels.Cell):  # type: ignore[name-defined, misc]
        def __init__(self, kernel: Kernel, programs: list[list[object]]) -> None:
            self.faults: list[Disturbance] = []
            super().__init__(kernel, programs)
            # The verdict of a deadlock would cut off what happens after it, in whatever order.
            kernel.at(99_000_000, lambda: None, owner="hope")
            self.faults += [Disturbance(self.signals[n], fault) for n, fault in plan]

        def do(self, verb: str, n: int, value: int | None) -> object:
            if verb not in ("fault", "end", "active"):
                return super().do(verb, n, value)
            (self.kernel.note_write if verb == "fault" else self.kernel.note_read)("faults")  # of our own list
            if verb == "fault":
                self.faults.append(Disturbance(self.signals[n], put_on(n)[(value or 0) * 2 + n]))
            elif self.faults and verb == "end":
                self.faults[n % len(self.faults)].end()
            elif self.faults:
                return self.faults[n % len(self.faults)].active
            return None

    kernels.Cell = Cell  # type: ignore[attr-defined]
    compared = exhaustive_runs = skipping_runs = 0
    while compared < 40:
        plan[:] = planned(source)
        programs = [
            [
                (source.choice(VERBS), source.randrange(2), source.choice((None, 1, 2)))
                for _ in range(source.randint(1, 4))
            ]
            for _ in range(source.choice((2, 3)))
        ]
        exhaustive = kernels.outcomes(programs, sleeping=False, most=100)
        if exhaustive is None:
            continue
        skipping = kernels.outcomes(programs, sleeping=True)
        assert skipping is not None
        assert skipping[0] == exhaustive[0], (programs, plan)
        compared += 1
        exhaustive_runs += exhaustive[1]
        skipping_runs += skipping[1]
    assert skipping_runs < exhaustive_runs
