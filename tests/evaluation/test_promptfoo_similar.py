"""`similar` of promptfoo: which model embeds, and when there is no score."""

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

MODEL = "openai:embedding:m"
NEAR = Reply({"data": [{"embedding": [1.0, 0.0]}, {"embedding": [1.0, 0.0]}]})
FAR = Reply({"data": [{"embedding": [1.0, 0.0]}, {"embedding": [0.0, 1.0]}]})


async def graded(folder: Path, provider: Any, options: Options | None = None, **more: Any) -> CaseResult:
    test = {"vars": {"q": "hello"}, "assert": [{"type": "similar", "value": "hi"}], **more}
    whole = {"prompts": ["{{q}}"], "providers": ["echo"], "tests": [test]}
    if provider is not None:
        test["options"] = {"provider": provider}
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps(whole), encoding="utf-8")
    (found,) = await run_cases([each for case in load_suite(path, options=options).cases for each in variations(case)])
    return found


def at(server: EndpointServer, **config: Any) -> dict[str, Any]:
    return {"id": MODEL, "config": {"apiBaseUrl": server.url, "apiKey": "k", **config}}


@pytest.mark.parametrize(("reply", "verdict"), [(NEAR, "passed"), (FAR, "failed")])
async def test_the_embeddings_decide(reply: Reply, verdict: str, tmp_path: Path) -> None:
    with EndpointServer(reply) as server:
        found = await graded(tmp_path, {"embedding": at(server), "text": "echo"})
    assert (found.verdict.value, server.asked[0].path) == (verdict, "/embeddings")
    assert server.asked[0].json == {"model": "m", "input": ["hello", "hi"]}


async def test_a_key_of_the_environment_reaches_the_server_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PF_KEY", "key-12345-secret")
    with EndpointServer(Reply("wrong key: key-12345-secret", status=401)) as server:
        found = await graded(tmp_path, at(server, apiKey="{{env.PF_KEY}}"))
    assert server.asked, found.reason
    assert server.asked[0].headers["authorization"] == "Bearer key-12345-secret"
    assert found.verdict.value == "unscored"
    assert "key-12345-secret" not in repr(found)


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        (None, "no model embeds"),
        ("openai:chat:gpt-5", "rubric gets no embeddings of openai:chat:gpt-5"),
        ({"embedding": "voyage:x", "moderation": "openai:moderation"}, "rubric gets no embeddings of voyage:x"),
        ({"id": MODEL, "config": {"dimensions": 3, "apiKey": "k"}}, "does not send `config.dimensions`"),
        ({"id": MODEL, "config": {"apiKeyEnvar": "PF_NO_KEY"}}, "set PF_NO_KEY"),
        # Neither the usual key nor the usual address takes the place of what is written.
        (
            {"id": MODEL, "config": {"apiKey": "{{env.PF_NO_KEY}}"}},
            f"the environment variable PF_NO_KEY is not set (`config.apiKey` of {MODEL}); set it",
        ),
        (
            {"id": MODEL, "config": {"apiKey": "k", "apiBaseUrl": "https://{{ env['PF_NO_HOST'] }}/v1"}},
            f"the environment variable PF_NO_HOST is not set (`config.apiBaseUrl` of {MODEL}); set it",
        ),
    ],
)
async def test_without_a_model_there_is_no_score(
    provider: Any, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    found = await graded(tmp_path, provider)
    assert found.verdict.value == "unscored"
    assert reason in found.reason


async def test_replay_calls_no_model(tmp_path: Path) -> None:
    with EndpointServer(NEAR) as server:
        found = await graded(tmp_path, at(server), Options(mode="replay"))
    assert (found.verdict.value, server.asked) == ("unscored", [])
