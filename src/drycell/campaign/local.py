"""The engine of one machine: worker processes that stay warm."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from drycell.campaign.bundle import Bundle
from drycell.campaign.design import RunPoint
from drycell.campaign.work import RunRow
from drycell.workers import WorkerPool


class Engine(Protocol):
    """Makes runs somewhere. It keeps no state: what it has not returned is made again."""

    def rows(self, points: Iterator[RunPoint]) -> Iterator[list[RunRow]]:
        """Make runs, and yield their rows as they arrive, in any order. Points are taken only when they are needed."""

    def close(self) -> None:
        """End the runs in progress and release everything."""


class LocalEngine:
    """Runs points in warm processes of this machine. A process that dies costs its run, which is made again."""

    def __init__(self, cell: Path, bundle: Bundle, count: int) -> None:
        self._pool = WorkerPool("drycell.campaign.worker", {"cell": str(cell.resolve())}, count)

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers."""
        return self._pool.processes

    def rows(self, points: Iterator[RunPoint]) -> Iterator[list[RunRow]]:
        """Make runs, and yield their rows as they arrive."""
        jobs: Iterator[Any] = (each.data() for each in points)
        for answers in self._pool.answers(jobs):
            yield [
                killed_row(RunPoint.of(each.job), each.deaths) if each.value is None else RunRow.of(each.value)
                for each in answers
            ]

    def close(self) -> None:
        """End the workers."""
        self._pool.close()


def killed_row(point: RunPoint, how: str) -> RunRow:
    """Return the row of a run whose process died each time."""
    return RunRow(point.key, point, "killed", False, f"killed: {how.splitlines()[0]}", how)
