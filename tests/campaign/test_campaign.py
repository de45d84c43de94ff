"""Campaigns: they resume, extend, stop when they are precise enough, and compare pair by pair."""

from pathlib import Path

import pytest

from drycell.base import DrycellError, UnknownName
from drycell.campaign import Campaign, CampaignProgress, Results
from drycell.campaign.results import precision_of
from drycell.campaign.statistics import looks
from tests.campaign.in_process import InProcess

pytestmark = pytest.mark.usefixtures("in_process")
PAUSE = "work.args.pause"


def test_a_campaign_makes_every_run_once_and_writes_its_table(toy: Path, tmp_path: Path) -> None:
    shown: list[CampaignProgress] = []
    results = Campaign(toy, seeds=range(4), vary={PAUSE: [1, 2]}).run(tmp_path / "out", progress=shown.append)
    assert results.complete
    assert InProcess.made == 8
    lines = (tmp_path / "out" / "table.csv").read_text().splitlines()
    assert lines[0].startswith(f"key,seed,{PAUSE},clean,ending,problem,duration_s")
    assert [line.split(",")[1:3] for line in lines[1:]] == [[str(seed), str(p)] for seed in range(4) for p in (1, 2)]
    assert shown[-1] == CampaignProgress(8, 8, 0, 8)


def test_the_same_call_again_makes_no_run_and_gives_the_same_table(toy: Path, tmp_path: Path) -> None:
    campaign = Campaign(toy, seeds=range(4))
    table = campaign.run(tmp_path / "out").csv()
    made = InProcess.made
    assert campaign.run(tmp_path / "out").csv() == table
    assert InProcess.made == made


def test_more_seeds_and_values_extend_a_campaign(toy: Path, tmp_path: Path) -> None:
    Campaign(toy, seeds=range(3), vary={PAUSE: [1, 2]}).run(tmp_path / "out")
    wider = Campaign(toy, seeds=range(4), vary={PAUSE: [1, 2, 3]})
    found = wider.run(tmp_path / "out")
    assert InProcess.made == 12
    assert found.csv() == wider.run(tmp_path / "fresh").csv()


def test_an_interrupted_campaign_resumes_to_the_table_of_an_uninterrupted_one(toy: Path, tmp_path: Path) -> None:
    campaign = Campaign(toy, seeds=range(10))

    def stop(now: CampaignProgress) -> None:
        if now.done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.run(tmp_path / "out", progress=stop)
    half = Results.read(tmp_path / "out")
    assert (len(half.runs), half.complete) == (6, False)
    assert campaign.run(tmp_path / "out").csv() == campaign.run(tmp_path / "whole").csv()
    assert InProcess.made == 6 + 4 + 10


def test_a_variant_that_cannot_be_built_is_refused_before_the_first_run(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(DrycellError, match=r"the variant run\.until = 3 mm cannot be built"):
        Campaign(toy, vary={"run.until": ["3 s", "3 mm"]}).run(tmp_path / "out")
    assert InProcess.made == 0
    with pytest.raises(DrycellError, match="there is no program file"):
        Campaign(toy, programs={"work": ["nothing.py"]})
    with pytest.raises(DrycellError, match="warm-up"):
        Campaign(toy, until=10, warm_up=10)


def test_runs_that_fail_are_rows_and_are_not_made_again(toy: Path, tmp_path: Path) -> None:
    campaign = Campaign(toy, seeds=range(2), vary={PAUSE: [2, 13, 14]})
    found = campaign.run(tmp_path / "out")
    assert found.complete
    assert [(each.problem, len(each.runs)) for each in found.failures] == [
        ("error: pause 13 is unlucky", 2),
        ("deadlock: work waits for ~ready", 2),
    ]
    assert [each.why for each in found.worst(1)] == ["error: pause 13 is unlucky"]
    made = InProcess.made
    campaign.run(tmp_path / "out")
    assert InProcess.made == made
    assert "2 × error: pause 13 is unlucky" in found.summary()


def test_programs_are_exchanged(toy: Path, tmp_path: Path) -> None:
    fast = tmp_path / "fast.py"
    fast.write_text((toy / "work.py").read_text().replace("delay(pause", "delay(0"))
    found = Campaign(toy, seeds=range(5), programs={"work": ["work.py", fast]}).run(tmp_path / "out")
    difference = found.compare(str(fast), "work.py", ["waited"])["waited"]
    assert (difference.mean, difference.n, difference.paired) == (pytest.approx(-2.0), 5, True)
    assert difference.half_width < 1e-6  # the same seeds: what is random is the same in both


def test_a_difference_is_paired_by_seed_and_by_the_levels_of_all_other_factors(toy: Path, tmp_path: Path) -> None:
    found = Campaign(toy, seeds=range(3), vary={PAUSE: [1, 4], "run.until": ["50 s", "60 s"]}).run(tmp_path / "out")
    difference = found.compare("4", "1")["waited"]
    assert (difference.mean, difference.n) == (pytest.approx(3.0), 3)
    ((factor, first, level, estimates), *_) = found.differences(["waited"])
    assert (factor, first, level) == (PAUSE, "1", "4")
    assert estimates["waited"].mean == pytest.approx(3.0)
    with pytest.raises(UnknownName):
        found.compare("5", "1")


def test_the_level_that_matters_explains_the_variance(toy: Path, tmp_path: Path) -> None:
    found = Campaign(toy, seeds=range(4), vary={PAUSE: [1, 50], "run.until": ["80 s", "90 s"]}).run(tmp_path / "out")
    effects = {each.factor: each for each in found.sensitivity("waited")}
    assert effects[PAUSE].share > 0.99
    assert effects["run.until"].share < 1e-9
    assert effects[PAUSE].correlation == pytest.approx(0.877, abs=0.02)  # 4/√(64/3): two groups of four, tied
    assert effects[PAUSE].low[0] == "1"


def test_no_further_seeds_are_run_when_the_figure_is_precise_enough(toy: Path, tmp_path: Path) -> None:
    # waited is uniform from 2 to 4 s, so its deviation is 0.58 s: 0.15 s needs about (1.96 · 0.58 / 0.15)² = 57 runs.
    campaign = Campaign(toy, seeds=range(200))
    found = campaign.run(tmp_path / "out", precise={"waited": 0.15})
    assert found.enough in list(looks(200))
    assert 40 <= (found.enough or 0) <= 80
    assert InProcess.made < 90
    assert len(found.runs) == found.enough
    estimate = found.mean("waited", "as it stands")
    assert estimate.half_width <= 0.15
    assert estimate.low < 3.0 < estimate.high
    # Rows that came later stay in the store, out of the table.
    assert Results.read(tmp_path / "out").csv() == found.csv()
    again = campaign.run(tmp_path / "out", precise={"waited": 0.15})
    assert again.csv() == found.csv()


def test_a_figure_that_no_run_has_is_reported_after_the_first_seed(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="wated"):
        Campaign(toy, seeds=range(50)).run(tmp_path / "out", precise={"wated": "1%"})
    assert InProcess.made <= 3
    for text in ("x", "0", "-1%", "nan", "inf"):
        with pytest.raises(DrycellError):
            precision_of("waited", text)


def test_a_dotted_name_means_the_column_with_an_underscore(toy: Path, tmp_path: Path) -> None:
    found = Campaign(toy, seeds=range(3)).run(tmp_path / "out")
    assert found.mean("duration.s", "as it stands") == found.mean("duration_s", "as it stands")


def test_evaluations_are_kept_and_made_with_the_seeds_of_the_campaign(toy: Path, tmp_path: Path) -> None:
    with Campaign(toy, seeds=range(3)).open(tmp_path / "out") as session:
        one, other = session.evaluate([{PAUSE: "1"}, {PAUSE: "5"}])
        made = InProcess.made
        (again,) = session.evaluate([{PAUSE: "5"}])
        assert InProcess.made == made == 6
        assert again.values("waited") == other.values("waited")
        assert [b - a for a, b in zip(one.values("waited"), other.values("waited"), strict=True)] == pytest.approx(
            [4.0] * 3
        )
        assert one.clean.share == 1.0
        assert session.results.plan.factors == [PAUSE]
    with Campaign(toy, seeds=range(3)).open(tmp_path / "out") as session:
        session.evaluate([{PAUSE: "5"}])
        assert InProcess.made == made


def test_optuna_can_optimise_a_cell(toy: Path, tmp_path: Path) -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def best(out: Path) -> float:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
        with Campaign(toy, seeds=range(2)).open(out) as session:
            for _ in range(6):
                trial = study.ask()
                (found,) = session.evaluate([{PAUSE: f"{trial.suggest_float('pause', 0.0, 9.0):.3f}"}])
                study.tell(trial, found.mean("waited").mean)
        return float(study.best_params["pause"])

    assert best(tmp_path / "one") == best(tmp_path / "two")


def test_a_warm_up_cuts_what_happened_before(toy: Path, tmp_path: Path) -> None:
    (toy / "work.py").write_text(
        "from drycell import delay\n\ndef work(pause):\n    for _ in range(9):\n        delay(10)\n"
    )
    whole = Campaign(toy, seeds=[0]).run(tmp_path / "whole").runs[0].row
    cut = Campaign(toy, seeds=[0], warm_up=50).run(tmp_path / "cut").runs[0].row
    assert whole.figures["duration_s"] == cut.figures["duration_s"] == 90.0
    assert whole.key != cut.key


def test_seeds_that_all_give_the_same_run_are_noted(toy: Path, tmp_path: Path) -> None:
    text = (toy / "work.py").read_text().replace('interval("wait", 0, 2)', "1")
    (toy / "work.py").write_text(text)
    found = Campaign(toy, seeds=range(3)).run(tmp_path / "out")
    assert found.alike
    assert "one seed is enough" in found.summary()


def test_any_run_can_be_made_again_and_recorded(toy: Path, tmp_path: Path) -> None:
    found = Campaign(toy, seeds=range(3), vary={PAUSE: [1, 14]}).run(tmp_path / "out")
    (toy / "work.py").write_text("broken")  # the campaign has its own copy
    run = found.find(found.runs[3].row.key[:9])
    row = found.repeat(run, tmp_path / "run.dry")
    assert row.journal == run.row.journal
    assert (tmp_path / "run.dry").exists()
    assert found.keep_worst(1) == [found.recording_of(found.runs[1])]
    copy = tmp_path / "out" / "cell" / "work.py"
    copy.write_text(copy.read_text().replace("0, 2", "0, 1"))
    with pytest.raises(DrycellError, match="is not the same"):
        found.repeat(run)


def test_a_run_is_found_by_the_beginning_of_its_key_or_by_its_seed(toy: Path, tmp_path: Path) -> None:
    found = Campaign(toy, seeds=range(3)).run(tmp_path / "out")
    assert found.find("2").seed == 2 or found.find("2").row.key.startswith("2")
    with pytest.raises(UnknownName):
        found.find("zz")
    with pytest.raises(DrycellError, match="3 runs match"):
        found.find("")


def test_the_table_is_written_as_parquet_if_pyarrow_is_installed(toy: Path, tmp_path: Path) -> None:
    found = Campaign(toy, seeds=range(3), vary={PAUSE: [1, 13]}).run(tmp_path / "out")
    with pytest.raises(DrycellError, match=r"neither \.csv nor \.parquet"):
        found.save_table(tmp_path / "table.xlsx")
    found.save_table(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == found.csv()
    parquet = pytest.importorskip("pyarrow.parquet")
    found.save_table(tmp_path / "table.parquet")
    table = parquet.read_table(tmp_path / "table.parquet")
    assert table.column_names == found.columns
    assert table.to_pylist()[0]["waited"] == found.records()[0]["waited"]
