"""The folder of a campaign: nothing finished is lost, and rows of different cells never mix."""

import json
from pathlib import Path

import pytest

from drycell.campaign import Campaign, CampaignError, Results
from drycell.campaign.design import RunPoint
from drycell.campaign.store import ROWS, CampaignStore, read_rows
from drycell.campaign.work import RunRow


def store_of(toy: Path, out: Path) -> CampaignStore:
    return Campaign(toy, seeds=range(3)).open(out).store


def row(seed: int, ending: str = "finished") -> RunRow:
    point = RunPoint(seed)
    return RunRow(
        point.key, point, ending, ending == "finished", figures={"waited": 2.5, "closest_m": None}, journal="ab"
    )


def test_rows_are_on_the_disk_when_add_returns(toy: Path, tmp_path: Path) -> None:
    with store_of(toy, tmp_path / "out") as store:
        store.add([row(0), row(1)])
        found, _ = read_rows(tmp_path / "out" / ROWS)
        assert list(found.values()) == [row(0), row(1)]


def test_a_run_is_never_counted_twice(toy: Path, tmp_path: Path) -> None:
    with store_of(toy, tmp_path / "out") as store:
        store.add([row(0)])
        store.add([row(0), row(0)])
    assert len((tmp_path / "out" / ROWS).read_text().splitlines()) == 1


def test_a_run_whose_process_died_is_replaced_by_one_that_finished(toy: Path, tmp_path: Path) -> None:
    with store_of(toy, tmp_path / "out") as store:
        store.add([row(0, "killed")])
        assert not store.done(row(0).key)
        store.add([row(0)])
        assert store.done(row(0).key)
    assert read_rows(tmp_path / "out" / ROWS)[0] == {row(0).key: row(0)}


@pytest.mark.parametrize("cut", [1, 20, 5000])
def test_a_torn_last_line_is_cut_off_and_everything_before_it_is_kept(toy: Path, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "out" / ROWS
    with store_of(toy, tmp_path / "out") as store:
        store.add([row(0), row(1)])
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    path.write_bytes(lines[0] + (lines[1][:-cut] if cut < len(lines[1]) else b"\0" * 40))
    assert list(read_rows(path)[0]) == [row(0).key]
    with store_of(toy, tmp_path / "out") as store:
        assert store.torn
        store.add([row(1)])
    assert path.read_bytes() == data


def test_a_damaged_line_in_the_middle_is_reported_with_its_number(toy: Path, tmp_path: Path) -> None:
    path = tmp_path / "out" / ROWS
    with store_of(toy, tmp_path / "out") as store:
        store.add([row(0), row(1)])
    path.write_bytes(b'{"key": 3}\n' + path.read_bytes())
    with pytest.raises(CampaignError, match=r"rows\.jsonl:1 is not a row"):
        store_of(toy, tmp_path / "out")


def test_a_row_with_the_key_of_another_run_is_refused(toy: Path, tmp_path: Path) -> None:
    path = tmp_path / "out" / ROWS
    store_of(toy, tmp_path / "out").close()
    path.write_text(json.dumps({**row(0).data(), "key": row(1).key}) + "\n")
    with pytest.raises(CampaignError, match="the key is not that of the point"):
        Results.read(tmp_path / "out")


def test_a_changed_program_is_refused_by_name(toy: Path, tmp_path: Path) -> None:
    store_of(toy, tmp_path / "out").close()
    (toy / "work.py").write_text((toy / "work.py").read_text() + "# changed\n")
    (toy / "new.py").write_text("x = 1\n")
    with pytest.raises(CampaignError) as caught:
        store_of(toy, tmp_path / "out")
    assert "work.py changed" in caught.value.what
    assert "new.py is new" in caught.value.what


def test_another_version_of_drycell_or_of_a_library_is_refused_by_name(toy: Path, tmp_path: Path) -> None:
    store_of(toy, tmp_path / "out").close()
    path = tmp_path / "out" / "plan.json"
    plan = json.loads(path.read_text())
    plan["identity"] |= {"numpy": "1.0.0", "drycell's files": "0" * 16}
    path.write_text(json.dumps(plan))
    with pytest.raises(CampaignError, match=r"drycell's files changed; numpy 1\.0\.0 → "):
        store_of(toy, tmp_path / "out")


def test_descriptions_beside_the_cell_do_not_count(toy: Path, tmp_path: Path) -> None:
    store_of(toy, tmp_path / "out").close()
    (toy / "README.md").write_text("more")
    (toy / ".git").mkdir()
    (toy / ".git" / "x.py").write_text("")
    store_of(toy, tmp_path / "out").close()


def test_two_processes_cannot_run_one_campaign(toy: Path, tmp_path: Path) -> None:
    with store_of(toy, tmp_path / "out"), pytest.raises(CampaignError, match="another process"):
        store_of(toy, tmp_path / "out")


def test_a_campaign_in_the_folder_of_its_cell_does_not_change_the_cell(toy: Path) -> None:
    store_of(toy, toy / "out").close()
    store_of(toy, toy / "out").close()


def test_the_copy_of_the_cell_is_restored_if_it_was_changed(toy: Path, tmp_path: Path) -> None:
    store_of(toy, tmp_path / "out").close()
    copy = tmp_path / "out" / "cell" / "work.py"
    copy.write_text("broken")
    store_of(toy, tmp_path / "out").close()
    assert copy.read_text() == (toy / "work.py").read_text()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": "x"}', '{"format": "drycell campaign", "version": 9}', "\0", '{"format": 3}']
)
def test_a_folder_that_is_not_a_campaign_is_reported(tmp_path: Path, text: str) -> None:
    with pytest.raises(CampaignError):
        Results.read(tmp_path)
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(CampaignError):
        Results.read(tmp_path)
