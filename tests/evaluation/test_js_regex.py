"""Patterns as evaluators: what JavaScript refuses, what takes too long, and engines of their own."""

import json
import math

import pytest
from suites import context, evaluator

from rubric_core.adapters import system_ports
from rubric_core.evaluation.evaluators.regex import REGEX
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.js_regex.translate import translate


async def grade(pattern: str, text: str):
    async with system_ports() as ports:
        return await REGEX.evaluate(context(evaluator(json.dumps({"type": "regex", "value": pattern})), text, ports))


async def test_an_invalid_pattern_scores_0_and_says_so() -> None:
    score = await grade("(", "x")
    assert (score.score, score.crashed) == (0, True)
    assert "unterminated" in score.misses[0]


async def test_a_pattern_that_takes_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rubric_core.evaluation.evaluators.regex._TIME_LIMIT", 0.5)
    with pytest.raises(Unscored, match="took longer than"):
        await grade("(a|a)*c", "a" * 40)
    with pytest.raises(Unscored, match="took longer than"):
        await grade("(a+)+c", "a" * 40)


async def test_a_costly_pattern_that_ends_has_its_score() -> None:
    assert (await grade("(?:a+)+b$", "a" * 15 + "b")).score == 1
    assert (await grade(".*x.*y.*z", "x y " + "-" * 5000)).score == 0


async def test_lookbehind_of_changing_length_has_an_engine_of_its_own() -> None:
    assert (await grade(r"(?<=\$\d*)7(?:a+)*$", "$17")).score == 1
    assert (await grade(r"(?<=\$\d*)7(?:a+)*$", "17")).score == 0


@pytest.mark.parametrize(
    ("part", "factor"),
    [
        ("(a|a)", 2),  # each way to match what comes before is tried with each way to match what follows
        ("(a|a|a)", 3),
        ("(?:a?)", 2),
        ("(?=(a|a))", 1),  # once it matches, nothing in it is tried again
        ("[ab]", 1),
        ("^", 1),
    ],
)
def test_choices_in_a_row_multiply_the_steps_of_a_match(part: str, factor: int) -> None:
    counts = [translate(f"^{part * times}").most_steps("aaaa") for times in (8, 9, 10)]
    assert counts[0] < counts[1] < counts[2]
    assert (counts[2] - counts[1]) / (counts[1] - counts[0]) == pytest.approx(factor, rel=0.05)


def test_what_follows_is_tried_in_full_for_each_way_before() -> None:
    before = translate("^(a|a)(a|a)(a|a)").most_steps("aaaa")
    one, three = (translate(f"^(a|a)(a|a)(a|a){part}").most_steps("aaaa") - before for part in ("a", "(?:a|a|a)"))
    assert (one, three) == (8, 8 * 4)


@pytest.mark.parametrize(
    ("pattern", "shorter", "longer"),
    [("^a*b", "a" * 10, "a" * 20), ("a*b", "a" * 10, "a" * 20), ("^(a|b)*c", "ab", "abab"), ("ab", "a", "aa")],
)
def test_longer_texts_take_more_steps(pattern: str, shorter: str, longer: str) -> None:
    assert translate(pattern).most_steps(shorter) < translate(pattern).most_steps(longer)


def test_a_match_without_bound_has_none() -> None:
    assert translate("^(a|b)*c").most_steps("ab" * 2_000) == math.inf
    assert translate("^(a+)+c").most_steps("a" * 2_000) == math.inf
    assert translate("^(a+)+c").most_steps("b" * 2_000) < math.inf
