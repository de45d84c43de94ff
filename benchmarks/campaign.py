"""Campaigns: what they cost beyond the runs themselves, in CPU time of all their processes."""

import resource
import tempfile
from pathlib import Path

from drycell.campaign import Campaign
from drycell.campaign.design import RunPoint
from drycell.campaign.work import run

_EVENT_CELL = Path(__file__).parents[1] / "examples" / "30_event_cell"
_SMALL = """\
format: 1
name: small
programs:
  work: {file: work.py}
"""
_PROGRAM = """\
from drycell import delay, interval


def work(cell):
    for _ in range(100):
        delay(interval("pause", 0.01, 0.02))
"""


def _spent() -> float:
    """CPU time of this process and of the children that have ended."""
    both = (resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def campaign_efficiency() -> float:
    """CPU time of warm serial runs of at least 1 s over that of the whole campaign: start-up of two workers, sending,
    writing, and the table."""
    until, seeds = 1800.0, range(24)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(_EVENT_CELL, seeds=seeds, until=until)
        cell = campaign.bundle.write(Path(folder) / "serial")
        run(cell, RunPoint(1000, until))  # warm
        started = _spent()
        for seed in seeds[:8]:
            run(cell, RunPoint(seed, until))
        serial = (_spent() - started) * len(seeds) / 8
        started = _spent()
        campaign.run(Path(folder) / "out", jobs=2)
        return serial / (_spent() - started)


def campaign_overhead_ms() -> float:
    """CPU milliseconds of a campaign per run of a millisecond, beyond the run itself; starting the workers counts."""
    seeds = range(1000)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "cell"
        source.mkdir()
        (source / "cell.yaml").write_text(_SMALL)
        (source / "work.py").write_text(_PROGRAM)
        campaign = Campaign(source, seeds=seeds)
        started = _spent()
        results = campaign.run(Path(folder) / "out", jobs=2)
        took = _spent() - started
        return 1000 * (took - sum(each.row.cpu for each in results.runs)) / len(seeds)
