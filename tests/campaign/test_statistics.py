"""Intervals cover the truth as often as they claim, and the numbers are those of textbooks."""

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from drycell.campaign.statistics import (
    Precision,
    difference,
    distances,
    effect_of,
    looks,
    mean_of,
    quantile_of,
    rank_correlation,
    share_of,
)


def test_the_interval_of_a_mean_is_that_of_student() -> None:
    # Student, "The probable error of a mean" (1908): extra hours of sleep, n = 10; t(9, 0.975) = 2.2622 from tables.
    hours = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = mean_of(hours)
    assert found.mean == pytest.approx(1.58)
    assert found.half_width == pytest.approx(2.2622 * 1.2300 / math.sqrt(10), rel=1e-3)
    assert found.sure


def test_one_value_says_nothing_about_the_spread() -> None:
    assert mean_of([4.0]).half_width == math.inf
    assert math.isnan(mean_of([]).mean)
    assert not mean_of([4.0]).sure


def test_the_interval_of_a_fraction_is_that_of_wilson() -> None:
    # Newcombe 1998, table I, method 3 (score): 81/263, 15/148, 0/20, 1/29.
    for count, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        found = share_of(count, n)
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert share_of(1, 29).high == pytest.approx(0.1718, abs=5e-5)
    assert share_of(20, 20).high == 1.0


def test_a_fraction_without_runs_is_unknown() -> None:
    assert (share_of(0, 0).low, share_of(0, 0).high) == (0.0, 1.0)


def test_the_interval_of_a_quantile_covers_it_in_at_least_95_of_100_samples() -> None:
    random = Random(1)
    for q in (0.5, 0.9):
        covered = 0
        for _ in range(400):
            _, low, high = quantile_of([random.random() for _ in range(60)], q)
            covered += low <= q <= high
        assert covered >= 0.93 * 400  # the standard error of the count is 1.1 %


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.sampled_from([0.05, 0.5, 0.95]))
@settings(deadline=None, max_examples=60)
def test_a_quantile_lies_within_its_interval(values: list[float], q: float) -> None:
    middle, low, high = quantile_of(values, q)
    assert low <= middle <= high


def test_pairing_by_seed_removes_what_the_seeds_have_in_common() -> None:
    random = Random(2)
    luck = {seed: random.gauss(0, 10) for seed in range(30)}
    one = {seed: luck[seed] + 0.5 + 0.1 * (-1) ** seed for seed in luck}
    other = {**luck, 99: 1e9}
    paired = difference(one, other)
    assert paired.sure
    assert paired.n == 30
    assert paired.low < 0.5 < paired.high
    unpaired = math.hypot(mean_of(list(one.values())).half_width, mean_of(list(luck.values())).half_width)
    assert unpaired > 50 * paired.half_width


def test_looks_begin_late_and_grow_by_a_quarter() -> None:
    found = list(looks(1000))
    assert found[:4] == [32, 40, 50, 63]
    assert found[-1] == 1000
    assert all(later > earlier for earlier, later in pairwise(found))
    assert list(looks(5)) == [5]


def test_stopping_at_the_looks_keeps_the_coverage_of_the_interval() -> None:
    random, wanted, covered = Random(3), Precision(0.2, relative=False), 0
    for _ in range(400):
        values = [random.gauss(10, 1) for _ in range(400)]
        for count in looks(400):
            found = mean_of(values[:count])
            if wanted.met(found):
                break
        covered += found.low <= 10 <= found.high
    assert covered >= 0.92 * 400  # 94.8 % in 4,000 campaigns; 91.5 % if it is checked after every run


def test_a_relative_precision_is_a_fraction_of_the_mean() -> None:
    assert Precision(0.1, relative=True).met(mean_of([100.0, 101.0, 99.0]))
    assert not Precision(0.001, relative=True).met(mean_of([100.0, 101.0, 99.0]))
    assert not Precision(1.0, relative=False).met(mean_of([100.0]))
    assert Precision(1e-9, relative=False).met(mean_of([5.0, 5.0]))


def test_the_effect_of_a_factor_is_the_variance_that_its_levels_explain() -> None:
    # Hand-computed: means 1 and 5 about 3, deviations ±1 within: between 4 · 4 = 16, total 16 + 4 = 20.
    found = effect_of("x", ["a", "a", "b", "b"], [0.0, 2.0, 4.0, 6.0], [None] * 4)
    assert found.share == pytest.approx(16 / 20)
    assert (found.low, found.high) == (("a", 1.0), ("b", 5.0))
    assert found.correlation is None
    assert effect_of("x", ["a", "b"], [1.0, 1.0], [None, None]).share == 0.0


def test_a_continuous_factor_is_grouped() -> None:
    random = Random(4)
    xs = [random.random() for _ in range(200)]
    found = effect_of("x", [f"{x}" for x in xs], [x * x for x in xs], list(xs))
    assert 0.9 < found.share < 1.0
    assert found.correlation == pytest.approx(1.0)
    noise = effect_of("x", [f"{x}" for x in xs], [random.random() for _ in xs], list(xs))
    assert noise.share < 0.15


def test_the_rank_correlation_is_that_of_spearman() -> None:
    # IQ and hours of television, the example of the Wikipedia article: ρ = −29/165.
    iq = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0]
    hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0]
    assert rank_correlation(iq, hours) == pytest.approx(-29 / 165)
    assert rank_correlation([1.0, 1.0], [1.0, 2.0]) is None


def test_outliers_are_far_in_robust_deviations() -> None:
    found = distances([1.0, 2.0, 3.0, 4.0, 100.0])
    assert found[2] == 0.0
    assert found[4] == pytest.approx(97 / 1.4826)
    assert distances([5.0, 5.0, 6.0]) == [0.0, 0.0, math.inf]
    assert distances([]) == []
