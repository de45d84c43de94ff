"""Plots: equal data give equal text, and invalid plots are rejected before anything is written."""

import math
from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.pictures import Panel, Series, save_plot

CURVE = Series([0.0, 1.0, 2.0], [1.0, math.nan, 0.5], "measured")


def test_the_same_data_give_the_same_svg(tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        save_plot(tmp_path / name, [Panel(title="A", x_label="mm", series=[CURVE])], title="Response")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_an_svg_contains_no_date_and_no_version(tmp_path: Path) -> None:
    save_plot(tmp_path / "a.svg", [Panel(series=[CURVE])])
    text = (tmp_path / "a.svg").read_text()
    assert "<dc:date>" not in text
    assert "matplotlib.org" not in text


@pytest.mark.parametrize("style", ["line", "step", "dots", "dashed", "area"])
def test_every_style_is_drawn_with_its_labels(style: str, tmp_path: Path) -> None:
    series = Series([0.0, 1.0], [0.0, 1.0], "virtual", style)  # type: ignore[arg-type]
    save_plot(tmp_path / "a.svg", [Panel(title="B", x_label="sample", y_label="V", series=[series])], title="T")
    text = (tmp_path / "a.svg").read_text()
    # Letters are drawn as outlines; the text is beside them in a comment.
    assert all(f"<!-- {said} -->" in text for said in ("B", "sample", "V", "virtual", "T"))


def test_panels_are_arranged_in_columns_and_written_as_png(tmp_path: Path) -> None:
    save_plot(tmp_path / "a.png", [Panel(series=[CURVE])] * 3, columns=2, size=(2.0, 1.0))
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert (int.from_bytes(content[16:20]), int.from_bytes(content[20:24])) == (600, 300)  # 4 × 2 inches at 150


def test_ranges_are_kept(tmp_path: Path) -> None:
    save_plot(tmp_path / "a.svg", [Panel(series=[CURVE], x_range=(0.0, 400.0), y_range=(-7.0, 7.0), equal=False)])
    assert "<!-- 400 -->" in (tmp_path / "a.svg").read_text()


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DrycellError, match=r"plots are SVG or PNG files, not 'a\.pdf'"):
        save_plot(tmp_path / "a.pdf", [Panel(series=[CURVE])])
    assert list(tmp_path.iterdir()) == []


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(DrycellError, match="the series 'x' has 2 x values but 1 y values"):
        Series([1.0, 2.0], [1.0], "x")


@pytest.mark.parametrize(("panels", "columns", "said"), [(0, 1, "needs a panel"), (2, 3, "3 columns for 2 panels")])
def test_a_plot_needs_panels_and_at_most_as_many_columns(panels: int, columns: int, said: str, tmp_path: Path) -> None:
    with pytest.raises(DrycellError, match=said):
        save_plot(tmp_path / "a.svg", [Panel()] * panels, columns=columns)
