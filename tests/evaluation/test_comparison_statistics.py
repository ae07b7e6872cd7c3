"""The arithmetic of comparisons, beside scipy's and by simulation."""

import random
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rubric_core.evaluation.comparison.bootstrap import Interval, mean_interval, student_quantile
from rubric_core.evaluation.comparison.exact_tests import at_least_as_many, holm, sign_test
from rubric_core.evaluation.comparison.sample_size import RunSpread, Spread, spread_within

#: Scores have two decimals where a judge gives whole numbers of 0..10 and evaluators are averaged.
DIFFERENCES = st.lists(st.integers(-100, 100).map(lambda n: n / 100), min_size=2, max_size=40)


# The interval of the mean difference.


@pytest.mark.parametrize("count", [12, 40, 200])
def test_without_the_correction_for_few_cases_the_interval_is_scipys_percentile_bootstrap(count, monkeypatch):
    draw = random.Random(count)
    differences = [draw.choice((-0.4, -0.1, 0, 0, 0, 0.1, 0.2, 0.5, 1)) for _ in range(count)]
    monkeypatch.setattr("rubric_core.evaluation.comparison.bootstrap._tail", lambda _: 0.025)
    ours = mean_interval(differences)
    theirs = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        random_state=np.random.default_rng(1),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.04 * width)


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 9, 11, 29, 100, 20_000])
def test_the_quantiles_of_students_t_are_scipys(freedom):
    assert student_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-3)


@given(DIFFERENCES)
def test_b_against_a_mirrors_a_against_b(differences):
    forth = mean_interval(differences, resamples=100)
    back = mean_interval([-each for each in differences], resamples=100)
    assert back == forth.negated


@given(DIFFERENCES, st.randoms())
def test_the_order_of_the_cases_does_not_matter(differences, shuffler):
    shuffled = [*differences]
    shuffler.shuffle(shuffled)
    assert mean_interval(shuffled, resamples=100) == mean_interval(differences, resamples=100)


@given(DIFFERENCES)
def test_the_interval_is_within_the_differences(differences):
    found = mean_interval(differences, resamples=200)
    assert min(differences) <= found.low <= found.high <= max(differences)


def test_the_interval_is_the_same_everywhere():
    assert mean_interval([0.1, -0.2, 0.4, 0, 0, 0.3, -0.1, 0.2, 0.05, 0.15]) == Interval(-0.035, 0.22)


def test_one_difference_has_no_interval():
    with pytest.raises(ValueError, match="two differences"):
        mean_interval([0.5])


def of_judge(draw):
    return draw.choices((-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3), (1, 2, 4, 8, 5, 2, 1))[0]


def of_flips(draw):
    return draw.choices((-1, 0, 1), (3, 10, 5))[0]


def of_normal(draw):
    return draw.gauss(0.05, 0.2)


@pytest.mark.parametrize(
    ("one", "mean"),
    [(of_judge, 0.1 / 23), (of_flips, 2 / 18), (of_normal, 0.05)],
    ids=["judge", "flips", "normal"],
)
@pytest.mark.parametrize("count", [12, 40])
def test_about_nineteen_of_twenty_intervals_hold_the_true_difference(one, mean, count):
    draw = random.Random(20260501 + count)
    trials = 300
    held = 0
    for _ in range(trials):
        low, high = mean_interval([one(draw) for _ in range(count)], resamples=300, seed=draw.randrange(1 << 30))
        held += low <= mean <= high
    assert 0.915 <= held / trials <= 0.985


# Exact tests.


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_sign_test_is_scipys_binomial_test(better, worse):
    ours = sign_test(better, worse)
    theirs = stats.binomtest(better, better + worse, 0.5).pvalue if better + worse else 1.0
    assert ours == pytest.approx(theirs, rel=1e-9)
    assert ours == sign_test(worse, better)


@given(st.integers(0, 200).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_the_one_sided_test_is_scipys(counts):
    part, count = counts
    theirs = stats.binomtest(part, count, 0.5, alternative="greater").pvalue if count else 1.0
    assert at_least_as_many(part, count) == pytest.approx(theirs, rel=1e-9)


def test_twenty_thousand_cases_are_counted_exactly():
    assert sign_test(10_200, 9_800) == pytest.approx(stats.binomtest(10_200, 20_000, 0.5).pvalue, rel=1e-9)


def test_holm_adjusts_each_p_value_by_those_that_are_not_smaller():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_makes_a_p_value_smaller_and_keeps_the_order(values):
    adjusted = holm(values)
    assert all(before <= after <= 1 for before, after in zip(values, adjusted, strict=True))
    assert sorted(range(len(values)), key=values.__getitem__) == sorted(
        range(len(values)), key=lambda i: (adjusted[i], values[i], i)
    )


# How many cases, or repeats, would tell.


def test_as_many_cases_as_planned_find_the_difference_four_times_of_five():
    draw = random.Random(7)
    spread = Spread(12, 0.1, 0.04)
    count = spread.cases_needed
    assert count == 32
    found = 0
    for _ in range(1000):
        differences = [draw.gauss(spread.mean, spread.variance**0.5) for _ in range(count)]
        found += fmean(differences) > 1.96 * (variance(differences) / count) ** 0.5
    assert 0.76 <= found / 1000 <= 0.86


def test_the_smallest_detectable_difference_is_the_one_for_which_these_cases_are_enough():
    spread = Spread(50, 0.02, 0.09)
    assert Spread(50, spread.detectable - 1e-9, 0.09).cases_needed == 51
    assert Spread(50, spread.detectable + 1e-9, 0.09).cases_needed == 50


def test_repeats_help_only_against_the_spread_within_the_cases():
    noisy = Spread(60, 0.05, 0.08, (RunSpread(0.04, 1), RunSpread(0.04, 1)))
    assert noisy.share_within == 1.0
    assert noisy.repeats_needed == 5
    varied = Spread(60, 0.05, 0.08, (RunSpread(0.001, 1), RunSpread(0.001, 1)))
    assert varied.share_within == pytest.approx(0.025)
    assert varied.repeats_needed is None  # the cases differ from one another: only more of them help


def test_without_repeats_or_without_a_difference_nobody_can_say_how_many_would_tell():
    assert Spread(60, 0.05, 0.08).repeats_needed is None
    assert Spread(60, 0.0, 0.08).cases_needed is None
    assert Spread(60, 1e-6, 0.08).cases_needed is None  # more cases than anybody has


def test_the_spread_within_is_pooled_over_the_cases():
    found = spread_within([[0.0, 1.0], [0.5, 0.5, 0.5], [0.9]])
    assert found is not None
    assert found.variance == pytest.approx(0.5 / 3)
    assert found.repeats == pytest.approx(3 / (1 / 2 + 1 / 3 + 1))
    assert found.of_mean == pytest.approx(found.variance / found.repeats)
    assert spread_within([[0.4], [0.9]]) is None
