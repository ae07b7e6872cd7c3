"""Assertions and providers of promptfoo in Ruby. What promptfoo itself makes of them: `tests/parity/promptfoo`."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult

CODE = """\
require 'json'

def get_assert(output, context)
  puts 'words on standard output'
  { pass_: output == context['vars']['name'], score: 0.75, reason: 'graded', named_scores: { size: output.length } }
end

def crash(_output, _context)
  undefined_name
end

def name(_output, _context) = 'Zoë'

def call_api(prompt, options, context)
  { output: "#{prompt} #{options['config']['a']} #{context['vars']['name']}", cost: 0.5, tokenUsage: { prompt: 1, completion: 2 } }
end

def refuse(_prompt, _options, _context) = { error: 'as asked' }
"""

needs_ruby = pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no ruby on this machine")


async def run(folder: Path, provider: Any, *checks: dict[str, Any]) -> CaseResult:
    path = folder / "promptfooconfig.yaml"
    test = {"vars": {"name": "Zoë"}, "assert": [*checks]}
    path.write_text(json.dumps({"prompts": ["{{name}}"], "providers": [provider], "tests": [test]}), encoding="utf-8")
    (folder / "code.rb").write_text(CODE, encoding="utf-8")
    (result,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return result


@needs_ruby
@pytest.mark.parametrize(
    ("value", "verdict", "score", "said"),
    [
        ("output == 'Zoë'", "passed", 1, ""),
        ("output.length > 3", "failed", 0, "the code returned false"),
        ("0.25", "passed", 0.25, ""),
        ("size = output.length\nreturn 0 if size > 3\nsize / 4.0", "passed", 0.75, ""),
        ("output.nope", "failed", 0, "the ruby code failed: value:1:in `main': undefined method `nope' for \"Zoë\":String (NoMethodError)"),
        ("(((", "failed", 0, "SyntaxError"),
        ("nil", "failed", 0, "the code returned None, which is no boolean, number or result"),
        ("file://code.rb", "passed", 0.75, ""),
        ("file://code.rb:crash", "failed", 0, "code.rb:9:in `crash': undefined local variable or method `undefined_name' for main:Object (NameError)"),
        ("file://code.rb:none", "failed", 0, "undefined method `none' for main:Object (NoMethodError)"),
        ("file://gone.rb", "unscored", None, "the file gone.rb is not there"),
    ],
)  # fmt: skip
async def test_what_an_assertion_returns_is_its_score(
    value: str, verdict: str, score: float | None, said: str, tmp_path: Path
) -> None:
    result = await run(tmp_path, "echo", {"type": "ruby", "value": value})
    assert (result.verdict.value, result.score) == (verdict, score)
    assert said in result.reason + " ".join(miss for each in result.evaluators for miss in each.misses)


@needs_ruby
async def test_a_function_gives_what_another_assertion_compares_with(tmp_path: Path) -> None:
    result = await run(
        tmp_path, "echo",
        {"type": "equals", "value": "file://code.rb:name"}, {"type": "equals", "value": "file://code.rb:crash"},
    )  # fmt: skip
    assert [each.verdict.value for each in result.evaluators] == ["passed", "failed"]


@needs_ruby
@pytest.mark.parametrize(
    "identity", ["ruby:code.rb", "ruby:file://code.rb", "file://code.rb", "file://code.rb:call_api"]
)
async def test_a_function_in_ruby_answers(identity: str, tmp_path: Path) -> None:
    result = await run(tmp_path, {"id": identity, "config": {"a": 1}}, {"type": "contains", "value": "Zoë 1"})
    assert (result.answer, result.cost_usd, result.tokens and result.tokens.total) == ("Zoë 1 Zoë", 0.5, 3)


@pytest.mark.parametrize(
    ("identity", "reason"),
    [
        pytest.param("ruby:code.rb:refuse", "as asked", marks=needs_ruby),
        pytest.param("ruby:code.rb:name", "wrong number of arguments", marks=needs_ruby),
        ("ruby:gone.rb", "gone.rb"),
        ("ruby:code.py", "rubric does not call the provider ruby:code.py"),
    ],
)
async def test_what_gives_no_answer_is_unscored(identity: str, reason: str, tmp_path: Path) -> None:
    result = await run(tmp_path, identity, {"type": "contains", "value": "x"})
    assert result.verdict.value == "unscored"
    assert reason in result.reason


async def test_without_ruby_nothing_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = await run(tmp_path, "echo", {"type": "ruby", "value": "true"})
    assert result.verdict.value == "unscored"
    assert "Ruby needs ruby, and there is no ruby on the PATH" in result.reason


async def test_transforms_are_not_run_in_ruby(tmp_path: Path) -> None:
    result = await run(tmp_path, {"id": "echo", "transform": "file://code.rb"}, {"type": "contains", "value": "x"})
    assert result.verdict.value == "unscored"
    assert "names no JavaScript or Python file" in result.reason
