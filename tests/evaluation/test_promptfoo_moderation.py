"""`moderation` of promptfoo: which model moderates, and when there is no score. What it decides: `tests/parity/promptfoo`."""

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import EndpointServer, Reply

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult

FLAGGED = Reply({"results": [{"flagged": True, "categories": {"hate": True, "violence": False}}]})
FINE = Reply({"results": [{"flagged": False, "categories": {"hate": False}}]})


async def moderated(folder: Path, provider: Any, options: Options | None = None, text: str = "hello") -> CaseResult:
    test = {"vars": {"q": text}, "assert": [{"type": "moderation", "provider": provider}]}
    whole = {"prompts": ["{{q}}"], "providers": ["echo"], "tests": [test]}
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps(whole), encoding="utf-8")
    (found,) = await run_cases([each for case in load_suite(path, options=options).cases for each in variations(case)])
    return found


def at(server: EndpointServer, identity: str = "openai:moderation", **config: Any) -> dict[str, Any]:
    return {"id": identity, "config": {"apiBaseUrl": server.url, "apiKey": "key-12345-secret", **config}}


@pytest.mark.parametrize(("reply", "verdict"), [(FINE, "passed"), (FLAGGED, "failed")])
async def test_the_model_decides(reply: Reply, verdict: str, tmp_path: Path) -> None:
    with EndpointServer(reply) as server:
        found = await moderated(tmp_path, {"moderation": at(server)})
    assert (found.verdict.value, server.asked[0].path) == (verdict, "/moderations")
    assert server.asked[0].json == {"model": "omni-moderation-latest", "input": [{"type": "text", "text": "hello"}]}
    assert server.asked[0].headers["authorization"] == "Bearer key-12345-secret"
    assert "key-12345-secret" not in repr(found)
    if verdict == "failed":
        assert found.evaluators[0].misses == ("flagged as hate",)


async def test_an_older_model_gets_a_text(tmp_path: Path) -> None:
    with EndpointServer(FINE) as server:
        await moderated(tmp_path, at(server, "openai:moderation:text-moderation-stable"))
    assert server.asked[0].json == {"model": "text-moderation-stable", "input": "hello"}


@pytest.mark.parametrize(
    "reply", [Reply("no", status=401), Reply({"error": 1}), Reply({"results": [{"flagged": True}]}), Reply("[]")]
)
async def test_without_a_reply_there_is_no_score(reply: Reply, tmp_path: Path) -> None:
    """promptfoo fails the case where the model reports an error, and passes it where the reply has no results."""
    with EndpointServer(reply) as server:
        found = await moderated(tmp_path, at(server))
    assert (found.verdict.value, "moderation: " in found.reason) == ("unscored", True)


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        (None, "no model moderates: name one as `openai:moderation`"),
        ("openai:chat:gpt-5", "rubric gets no moderation of openai:chat:gpt-5"),
        ({"moderation": "replicate:moderation:x"}, "rubric gets no moderation of replicate:moderation:x"),
        ({"id": "openai:moderation", "config": {"headers": {}, "apiKey": "k"}}, "does not send `config.headers`"),
        ({"id": "openai:moderation", "config": {"apiKeyEnvar": "PF_NO_KEY"}}, "set PF_NO_KEY"),
    ],
)
async def test_without_a_model_there_is_no_score(provider: Any, reason: str, tmp_path: Path) -> None:
    found = await moderated(tmp_path, provider)
    assert found.verdict.value == "unscored"
    assert reason in found.reason


async def test_replay_calls_no_model(tmp_path: Path) -> None:
    with EndpointServer(FINE) as server:
        found = await moderated(tmp_path, at(server), Options(mode="replay"))
    assert (found.verdict.value, server.asked) == ("unscored", [])
