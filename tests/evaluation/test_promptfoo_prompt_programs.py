"""Prompts of promptfoo that functions make. What promptfoo makes of them: `tests/parity/promptfoo`."""

from pathlib import Path

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

FUNCTIONS = """\
import pathlib
pathlib.Path(__file__).with_name("ran").touch()
def text(context):
    return "Hi {{who}} from " + context["provider"]["id"] + context["config"].get("end", "")
def chat(context):
    return [{"role": "user", "content": "{{who}}"}]
def settings(context):
    return {"prompt": "x", "config": {"temperature": 1}}
def fails(context):
    raise ValueError("no prompt")
"""


def configuration(prompt: str) -> str:
    return f"prompts: [{prompt}]\nproviders: [echo]\ntests: [{{vars: {{who: Ann}}, assert: [{{type: contains, value: Ann}}]}}]\n"


async def result(folder: Path, prompt: str) -> CaseResult:
    (folder / "made.py").write_text(FUNCTIONS, encoding="utf-8")
    (folder / "made.ts").write_text("export default () => 'Ann'", encoding="utf-8")
    path = folder / "promptfooconfig.yaml"
    path.write_text(configuration(prompt), encoding="utf-8")
    cases = load_suite(path).cases
    assert not (folder / "ran").exists(), "loading runs nothing"
    (found,) = await run_cases(cases)
    return found


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("file://made.py:text", "Hi Ann from echo"),
        ("made.py:text", "Hi Ann from echo"),
        ("{id: 'file://made.py:text', config: {end: '!'}}", "Hi Ann from echo!"),
        ("file://made.py:chat", '[\n  {\n    "role": "user",\n    "content": "Ann"\n  }\n]'),
    ],
)
async def test_a_function_makes_the_template(tmp_path: Path, prompt: str, answer: str) -> None:
    found = await result(tmp_path, prompt)
    assert (found.verdict, found.answer) == (Verdict.PASSED, answer)


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("file://made.py:fails", "ValueError: no prompt"),
        ("file://made.py:settings", "sets `config` of the provider"),
        ("file://none.py:text", "there is no file `none.py`"),
        ("file://made.ts", "does not run programs and functions that make prompts"),
    ],
)
async def test_a_prompt_that_cannot_be_made_is_unscored(tmp_path: Path, prompt: str, reason: str) -> None:
    found = await result(tmp_path, prompt)
    assert found.verdict is Verdict.UNSCORED
    assert reason in found.reason


async def test_a_changed_function_makes_the_result_stale(tmp_path: Path) -> None:
    first = await result(tmp_path, "file://made.py:text")
    (tmp_path / "made.py").write_text(FUNCTIONS.replace("Hi", "Hello"), encoding="utf-8")
    (second,) = await run_cases(load_suite(tmp_path / "promptfooconfig.yaml").cases)
    assert first.fingerprint != second.fingerprint
