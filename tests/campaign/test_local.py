"""Campaigns with worker processes: killed workers are replaced, and tables do not depend on who did what."""

import os
import signal
from pathlib import Path

import pytest

from drycell.campaign import Campaign, CampaignProgress, CampaignSession
from drycell.campaign.local import LocalEngine

PAUSE = "work.args.pause"


def kill_one(session: CampaignSession) -> None:
    assert isinstance(session.engine, LocalEngine)
    os.kill(session.engine.processes[0], signal.SIGKILL)


@pytest.fixture
def reference(toy: Path, tmp_path: Path, in_process: object, monkeypatch: pytest.MonkeyPatch) -> str:
    """The table of the campaign as made in this process."""
    table = Campaign(toy, seeds=range(20), vary={PAUSE: [1, 2]}).run(tmp_path / "reference").csv()
    monkeypatch.undo()
    return table


def test_tables_do_not_depend_on_the_number_of_workers_and_killed_workers_are_replaced(
    toy: Path, tmp_path: Path, reference: str
) -> None:
    campaign = Campaign(toy, seeds=range(20), vary={PAUSE: [1, 2]})
    with campaign.open(tmp_path / "two", jobs=2) as session:
        killed = []

        def kill(now: CampaignProgress) -> None:
            if now.made in (1, 7) and now.made not in killed:
                killed.append(now.made)
                kill_one(session)

        found = session.run(progress=kill)
    assert killed == [1, 7]
    assert found.csv() == reference
    assert campaign.run(tmp_path / "one", jobs=1).csv() == reference


def test_a_run_that_kills_its_process_is_a_row_and_the_others_are_made(toy: Path, tmp_path: Path) -> None:
    text = (toy / "work.py").read_text()
    text = text.replace(
        "    if pause == 13:", "    if pause == 15:\n        import os\n        os.abort()\n    if pause == 13:"
    )
    (toy / "work.py").write_text(text)
    campaign = Campaign(toy, seeds=[4], vary={PAUSE: [1, 15]})
    found = campaign.run(tmp_path / "out", jobs=1)
    assert [each.row.ending for each in found.runs] == ["finished", "killed"]
    assert "its process died 3 times: SIGABRT" in found.runs[1].row.error
    assert not found.complete  # they are tried again next time
