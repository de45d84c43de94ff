"""Sets of detection: counted by hand on rows of samples short enough to count."""

import math

import pytest
from hypothesis import given, strategies as st

from drycell.rigs.passing import SensorSample, average, expected_samples, sets_of


def row(text: str, every: float = 0.25) -> list[SensorSample]:
    """``"..##."`` as samples of 0 and 5 V."""
    return [SensorSample(index * every, 5.0 if sign == "#" else 0.0) for index, sign in enumerate(text)]


def test_each_pass_has_its_own_set():
    #         0 s  1 s  2 s  3 s  4 s
    samples = row(".##. ####.#..".replace(" ", ""))
    assert sets_of(samples, [0.0, 1.0, 2.25], above=2.5) == [2, 4, 1]


def test_openings_of_the_tool_count_in_the_set_but_its_ends_do_not():
    assert sets_of(row("...###..###..."), [0.0], above=2.5) == [8]


def test_a_pass_without_detection_has_an_empty_set():
    assert sets_of(row("....##...."), [0.0, 2.0], above=2.5) == [2, 0]


def test_averages_include_all_passes():
    assert average([18, 19, 18, 19, 19, 18, 19, 19]) == 18.625


@given(
    length=st.floats(0.001, 1.0),
    step=st.floats(0.001, 0.5),
    phases=st.integers(1, 40),
)
def test_the_mean_over_all_start_times_is_length_over_step(length, step, phases):
    many = 400 * phases
    counts = [
        math.floor((length - step * phase / many) / step) + 1 if length >= step * phase / many else 0
        for phase in range(many)
    ]
    assert sum(counts) / many == pytest.approx(expected_samples(length, step), abs=2.0 / many + 1e-6)
