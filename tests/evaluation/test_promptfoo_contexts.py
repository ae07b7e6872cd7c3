"""Assertions of promptfoo about what was retrieved for an answer: how a model's reply becomes a score."""

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import EndpointServer, Reply

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult

ONE_LINE = "Cats sleep. Dogs bark! Fish?"
LINES = "Cats sleep.\nDogs bark.\n\nFish swim. They do.\nBirds fly."
LIST = ["Cats sleep. They purr.", "Dogs bark."]


async def judged(
    tmp_path: Path, assertion: dict[str, Any], *replies: str, **values: Any
) -> tuple[CaseResult, list[str]]:
    """The result of a case whose output is `Cats sleep.`, and what its judge was asked."""
    with EndpointServer(*(Reply({"choices": [{"message": {"content": text}}]}) for text in replies)) as server:
        grader = {"id": "openai:chat:m", "config": {"apiBaseUrl": server.url, "apiKey": "k"}}
        options = {"provider": grader, "disableVarExpansion": True}
        test = {"vars": {"query": "What do cats do?", **values}, "assert": [assertion], "options": options}
        path = tmp_path / "promptfooconfig.yaml"
        tests = [{**test, "providerOutput": "Cats sleep."}]
        path.write_text(json.dumps({"prompts": ["p"], "providers": ["echo"], "tests": tests}), encoding="utf-8")
        (result,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
        return result, [call.json["messages"][-1]["content"] for call in server.asked]


@pytest.mark.parametrize(
    ("context", "reply", "score", "words"),
    [
        (ONE_LINE, "Cats sleep.", 1 / 3, "1 of 3 parts"),
        (ONE_LINE, "Cats sleep. Dogs bark!", 2 / 3, "2 of 3 parts"),
        (ONE_LINE, "Cats sleep. Cats sleep.", 1 / 3, "1 of 3 parts"),
        (ONE_LINE, "1. Cats sleep.", 1 / 3, "1 of 3 parts"),
        (ONE_LINE, "a. b. c. d. e.", 1.0, "3 of 3 parts"),
        (ONE_LINE, "Insufficient Information", 0.0, "0 of 3 parts"),
        (LINES, "Fish swim. They do.", 0.25, "1 of 4 parts"),
        (LINES, "Cats sleep.\n\nDogs bark.", 0.5, "2 of 4 parts"),
        (LIST, "Cats sleep. They purr.", 0.5, "1 of 2 parts"),
    ],
)
async def test_context_relevance(tmp_path: Path, context: Any, reply: str, score: float, words: str) -> None:
    found, asked = await judged(tmp_path, {"type": "context-relevance", "threshold": 0.5}, reply, context=context)
    assert (found.score, found.verdict == "passed") == (pytest.approx(score), score >= 0.5)
    assert words in found.evaluators[0].reasoning
    assert "What do cats do?" in asked[0]
    assert (context if isinstance(context, str) else "\n\n".join(context)) in asked[0]


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Cats sleep. [Attributed]\nThey purr. [Not Attributed]", 0.5),
        ("Cats sleep. [ATTRIBUTED]", 1.0),
        ("Cats sleep. [not attributed]\nand so on", 0.0),
    ],
)
async def test_context_recall(tmp_path: Path, reply: str, score: float) -> None:
    found, asked = await judged(tmp_path, {"type": "context-recall", "value": "Cats sleep."}, reply, context=LIST)
    assert (found.score, found.verdict) == (score, "passed")
    assert "Cats sleep. They purr.\n\nDogs bark." in asked[0]


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ("Final verdict for each statement in order: Yes. No.", 0.5),
        ("Final verdict for each statement in order: Yes.", 0.5),
        ("Final verdict for each statement in order: Yes. Yes. No. No. No.", 0.0),
        ("verdict: yes\nVerdict: Yes", 1.0),
        ("verdict: no", 0.0),
    ],
)
async def test_context_faithfulness(tmp_path: Path, verdicts: str, score: float) -> None:
    statements = "Cats sleep.\n\nThey purr."
    found, asked = await judged(tmp_path, {"type": "context-faithfulness"}, statements, verdicts, context=ONE_LINE)
    assert (found.score, found.verdict) == (score, "passed")
    assert "Cats sleep." in asked[0]
    assert "They purr." in asked[1]


@pytest.mark.parametrize(
    ("assertion", "replies", "values", "words"),
    [
        ({"type": "context-recall"}, (), {"context": "a"}, "needs the right answer as `value`"),
        ({"type": "context-recall", "value": "a"}, ("who knows",) * 3, {"context": "a"}, "it marks no sentence as [Attributed]"),
        ({"type": "context-relevance"}, (), {}, "needs a variable `context`"),
        ({"type": "context-relevance"}, (), {"context": "a", "query": 5}, "needs a variable `query`"),
        ({"type": "context-faithfulness"}, ("a", *("who knows",) * 3), {"context": "a"}, "it has no verdicts"),
        ({"type": "context-faithfulness"}, (" \n ",) * 3, {"context": "a"}, ""),
    ],
)  # fmt: skip
async def test_without_what_it_needs_there_is_no_score(
    tmp_path: Path, assertion: dict[str, Any], replies: tuple[str, ...], values: dict[str, Any], words: str
) -> None:
    found, _ = await judged(tmp_path, assertion, *replies, **values)
    assert (found.score, found.verdict) == (None, "unscored")
    assert words in found.reason
