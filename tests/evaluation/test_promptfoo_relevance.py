"""`answer-relevance` and `conversation-relevance` of promptfoo: what a judge is asked, and when there is no score."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import EndpointServer, Reply

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

JUDGE = "import sys\nprint(open('reply').read())\nopen('asked', 'a').write(sys.argv[-3])\n"
VECTORS = Reply({"data": [{"embedding": [1.0, 0.0]}, *[{"embedding": [0.6, 0.8]}] * 3]})
YES, NO = '{"verdict": "yes"}', 'Well: {"verdict": "no", "reason": "about the weather"}'
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.py").write_text(JUDGE, encoding="utf-8")

    def written(assertion: dict[str, Any], reply: str, url: str = "", **test: Any) -> Path:
        (tmp_path / "reply").write_text(reply, encoding="utf-8")
        (tmp_path / "asked").write_text("", encoding="utf-8")
        embedding = (
            {"embedding": {"id": "openai:embedding:m", "config": {"apiBaseUrl": url, "apiKey": "k"}}} if url else {}
        )
        grader = {"text": f"exec:{sys.executable} judge.py", **embedding}
        case = {"vars": {"q": "a cat"}, "assert": [assertion], "options": {"provider": grader}, **test}
        path = tmp_path / "promptfooconfig.yaml"
        path.write_text(json.dumps({"prompts": ["{{q}}"], "providers": ["echo"], "tests": [case]}), encoding="utf-8")
        return path

    return written


async def one(path: Path, mode: str = "auto") -> CaseResult:
    options = Options(mode=mode)  # type: ignore[arg-type]  # one of the words
    cases = [each for case in load_suite(path, options=options).cases for each in variations(case)]
    (found,) = await run_cases(cases)
    save_recordings(cases)
    return found


async def test_questions_are_compared_with_the_one_asked(write: Write, tmp_path: Path):
    with EndpointServer(VECTORS) as server:
        found = await one(write({"type": "answer-relevance", "threshold": 0.5}, "Which animal?", server.url))
    assert (found.verdict, found.score) == (Verdict.PASSED, pytest.approx(0.6))
    assert server.asked[0].json["input"] == ["a cat", *["Which animal?"] * 3]
    assert (tmp_path / "asked").read_text().count("<answer>\na cat\n</answer>") == 3


async def test_an_answer_that_was_judged_is_replayed_without_any_model(write: Write, tmp_path: Path):
    with EndpointServer(VECTORS) as server:
        path = write({"type": "answer-relevance", "threshold": 0.7}, "Which animal?", server.url)
        first = await one(path, "record")
    (tmp_path / "judge.py").unlink()
    again = await one(path, "replay")
    assert [(each.verdict, each.score) for each in (first, again)] == [(Verdict.FAILED, pytest.approx(0.6))] * 2


@pytest.mark.parametrize(
    ("reply", "vectors", "reason"),
    [
        ("", VECTORS, "gave no usable reply in 3 tries: it is empty"),
        ("Which animal?", Reply("no", status=500), "embeddings: "),
        ("Which animal?", Reply({"data": []}), "the reply has no embedding for each text"),
    ],
)
async def test_an_answer_that_cannot_be_judged_is_unscored(write: Write, reply: str, vectors: Reply, reason: str):
    with EndpointServer(*[vectors] * 9) as server:
        found = await one(write({"type": "answer-relevance"}, reply, server.url))
    assert found.verdict is Verdict.UNSCORED
    assert reason in found.reason


async def test_without_a_model_that_embeds_there_is_no_score(write: Write):
    found = await one(write({"type": "answer-relevance"}, "Which animal?"))
    assert found.verdict is Verdict.UNSCORED
    assert "no model embeds" in found.reason or "gets no embeddings" in found.reason


async def test_each_turn_is_judged_with_those_before_it(write: Write, tmp_path: Path):
    turns = [
        {"input": "one", "output": "uno"},
        {"input": "two", "output": {"n": 2}},
        {"input": "three", "output": "tres"},
    ]
    path = write(
        {"type": "conversation-relevance", "config": {"windowSize": 2}}, NO, vars={"q": "x", "_conversation": turns}
    )
    found = await one(path)
    assert (found.verdict, found.score) == (Verdict.FAILED, 0.0)
    assert found.evaluators[0].misses[0].startswith("0 of 3 turns are relevant; about the weather")
    asked = (tmp_path / "asked").read_text().split("<messages>")[1:]
    assert [text.count('"role"') for text in asked] == [2, 4, 4]
    assert '{\\"n\\":2}' in asked[1]


async def test_turns_are_replayed(write: Write, tmp_path: Path):
    path = write({"type": "conversation-relevance"}, YES)
    assert (await one(path, "record")).verdict is Verdict.PASSED
    (tmp_path / "judge.py").unlink()
    assert (await one(path, "replay")).verdict is Verdict.PASSED
    path = write({"type": "conversation-relevance"}, YES, vars={"q": "a dog"})
    assert (await one(path, "replay")).verdict is Verdict.UNSCORED


@pytest.mark.parametrize(
    ("reply", "turns", "reason"),
    [
        ("maybe", None, 'it has no {"verdict": "yes" or "no"}'),
        ('{"verdict": true}', None, 'it has no {"verdict": "yes" or "no"}'),
        (YES, [{"output": "uno"}], "needs turns with `input` and `output`"),
    ],
)
async def test_turns_that_cannot_be_judged_are_unscored(write: Write, reply: str, turns: Any, reason: str):
    found = await one(write({"type": "conversation-relevance"}, reply, vars={"q": "x", "_conversation": turns or []}))
    assert found.verdict is Verdict.UNSCORED
    assert reason in found.reason
