"""Calls of tools of promptfoo that cannot be checked. What promptfoo makes of the others: `tests/parity/promptfoo`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

CALL = [{"function": {"name": "weather", "arguments": '{"city": "Bern"}'}}]


async def graded(folder: Path, kind: str, provider: Any, output: Any = CALL) -> CaseResult:
    test = {"providerOutput": output, "assert": [{"type": kind}]}
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps({"prompts": ["x"], "providers": [provider], "tests": [test]}), encoding="utf-8")
    (found,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return found


def echo(parameters: Any) -> dict[str, Any]:
    tools = [{"type": "function", "function": {"name": "weather", "parameters": parameters}}]
    return {"id": "echo", "config": {"tools": tools}}


@pytest.mark.parametrize("tools", ["file://tools.json", ["file://tools.json"], [{"type": "{{kind}}"}]])
async def test_tools_that_stand_elsewhere_leave_the_case_unscored(tmp_path: Path, tools: Any):
    found = await graded(tmp_path, "is-valid-openai-tools-call", {"id": "echo", "config": {"tools": tools}})
    assert found.verdict is Verdict.UNSCORED
    assert "only by tools that stand in the configuration" in found.reason


async def test_a_schema_that_promptfoo_refuses_leaves_the_case_unscored(tmp_path: Path):
    found = await graded(tmp_path, "is-valid-openai-tools-call", echo({"type": "object", "requird": ["city"]}))
    assert found.verdict is Verdict.UNSCORED
    assert "unknown keyword requird" in found.reason


async def test_why_a_call_does_not_fit_is_told(tmp_path: Path):
    schema = {"type": "object", "properties": {"city": {"type": "integer"}}}
    found = await graded(tmp_path, "is-valid-openai-tools-call", echo(schema))
    assert found.evaluators[0].misses == ("the call of weather: /city: 'Bern' is not of type 'integer'",)


@pytest.mark.parametrize("provider", ["file://own.js", "anthropic:messages:m"])
async def test_what_a_provider_checks_itself_is_unscored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    (tmp_path / "own.js").write_text("module.exports = class { callApi() {} };", encoding="utf-8")
    found = await graded(tmp_path, "is-valid-function-call", provider)
    assert found.verdict is Verdict.UNSCORED
    assert "as this provider of promptfoo would" in found.reason


@pytest.mark.parametrize(
    "provider",
    ["echo", "exec: true", "file://own.py", {"id": "https://example.org", "config": {"method": "GET"}}, "webhook:https://example.org"],
)  # fmt: skip
async def test_a_provider_without_a_check_fails(tmp_path: Path, provider: Any):
    (tmp_path / "own.py").write_text("def call_api(*_): return {'output': 'x'}", encoding="utf-8")
    assert (await graded(tmp_path, "is-valid-function-call", provider)).verdict is Verdict.FAILED
