"""An engine that makes the runs of a campaign in this process."""

from collections.abc import Iterator
from pathlib import Path

from drycell.campaign.bundle import Bundle
from drycell.campaign.design import RunPoint
from drycell.campaign.work import RunRow, run


class InProcess:
    """An engine without processes. It returns runs in batches, each in reverse order."""

    made = 0

    def __init__(self, cell: Path, bundle: Bundle, count: int) -> None:
        self.cell = cell

    def rows(self, points: Iterator[RunPoint]) -> Iterator[list[RunRow]]:
        batch = []
        for point in points:
            row = run(self.cell, point)
            assert row is not None
            type(self).made += 1
            batch.append(row)
            if len(batch) == 3:
                yield batch[::-1]
                batch = []
        if batch:
            yield batch[::-1]

    def close(self) -> None:
        pass
