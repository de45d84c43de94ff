"""The report of a campaign is one page that runs nothing and shows every text as text."""

import re
from pathlib import Path

import pytest

from drycell.campaign import Campaign, html_page
from drycell.report import charts

pytestmark = pytest.mark.usefixtures("in_process")
PAUSE = "work.args.pause"


def test_the_page_shows_variants_intervals_differences_and_the_worst_runs_with_their_commands(
    toy: Path, tmp_path: Path
) -> None:
    results = Campaign(toy, seeds=range(8), vary={PAUSE: [1, 4, 13]}).run(tmp_path / "out")
    results.keep_worst(1)
    page = html_page(results)
    assert page == html_page(results)
    for text in ("Variants", "Paired differences", "What matters", "Runs that are not clean", "Runs to look at"):
        assert f"<h2>{text}</h2>" in page
    assert "8 of 24 runs not clean" in page
    assert "+3 ± " in page
    assert f"--set {PAUSE}=13" in page
    assert 'src="data:image/svg+xml' in page  # a picture of the recorded run
    assert page.count("<svg") >= 3


def test_a_campaign_that_is_not_complete_says_so(toy: Path, tmp_path: Path) -> None:
    with Campaign(toy, seeds=range(8)).open(tmp_path / "out") as session:
        assert "8 runs missing" in html_page(session.results)


def test_nothing_from_files_becomes_part_of_the_page(toy: Path, tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script>"
    text = (toy / "work.py").read_text()
    text = text.replace('"waited"', f'"{nasty}"').replace("unlucky", f"{nasty}&'")
    (toy / "work.py").write_text(text)
    results = Campaign(toy, seeds=range(4), vary={PAUSE: [1, 13], "description": [nasty, "'b'"]}).run(tmp_path / "out")
    page = html_page(results)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page


def test_charts_of_intervals_are_drawn_to_scale() -> None:
    drawn = charts.intervals([charts.Interval("a", 10, 20, 30, (10.0, 30.0))], "s", "title")
    found = re.search(r'<path class="line" d="M([\d.]+) [\d.]+H([\d.]+)"/>', drawn)
    mean = re.search(r'<path class="line l0" d="M([\d.]+) ', drawn)
    assert found
    assert mean
    low, high, middle = float(found[1]), float(found[2]), float(mean[1])
    assert middle == pytest.approx((low + high) / 2, abs=0.1)


def test_charts_of_single_and_equal_values_are_drawn() -> None:
    assert "<svg" in charts.intervals([charts.Interval("a", 5, 5, 5)], "s", "t")
    assert "<svg" in charts.distributions([("a", [5.0]), ("b", [5.0, 5.0])], "s", "t")
    infinite = float("inf")
    assert "nan" not in charts.convergence([(1, 5.0, -infinite, infinite), (2, 5.0, 5.0, 5.0)], "s", "t")
