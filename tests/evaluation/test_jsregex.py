"""Patterns as evaluators: what JavaScript refuses, what takes too long, and engines of their own."""

import json

import pytest
from suites import context, evaluator

from rubric_core.adapters import system_ports
from rubric_core.evaluation.evaluators.regex import REGEX
from rubric_core.evaluation.model.unscored import Unscored


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
