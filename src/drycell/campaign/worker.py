"""A worker process of a campaign on this machine: it runs points of one bundle."""

from pathlib import Path
from typing import Any

from drycell.campaign.design import RunPoint
from drycell.campaign.work import run
from drycell.workers import GiveUp, Work, serve


def _prepare(setup: Any) -> Work:
    cell = Path(setup["cell"])

    def work(job: Any) -> Any:
        row = run(cell, RunPoint.of(job))
        if row is None:
            raise GiveUp
        return row.data()

    return work


if __name__ == "__main__":
    serve(_prepare)
