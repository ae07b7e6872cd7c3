"""Prompts of promptfoo that functions make. What promptfoo makes of them: `tests/parity/promptfoo`."""

from pathlib import Path

import pytest
from judge_server import JudgeServer

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.families.promptfoo.cases.executed_code import executed_code
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable

FUNCTIONS = """\
import pathlib
pathlib.Path(__file__).with_name("ran").touch()
def text(context):
    return "Hi {{who}} from " + context["provider"]["id"] + context["config"].get("end", "")
def chat(context):
    return [{"role": "user", "content": "{{who}}"}]
def settings(context):
    return {"prompt": "{{who}}", "config": {"temperature": 1}}
def wrong(context):
    return {"prompt": "{{who}}", "config": 1}
def fails(context):
    raise ValueError("no prompt")
"""


PROGRAM = """\
#!/bin/sh
touch ran
echo "{{who}} $1"
"""


def configuration(prompt: str) -> str:
    return f"prompts: [{prompt}]\nproviders: [echo]\ntests: [{{vars: {{who: Ann}}, assert: [{{type: contains, value: Ann}}]}}]\n"


async def result(folder: Path, prompt: str) -> CaseResult:
    (folder / "made.py").write_text(FUNCTIONS, encoding="utf-8")
    (folder / "made.lua").write_text("return 'Ann'", encoding="utf-8")
    (folder / "bin").mkdir(exist_ok=True)
    for name in ("bin/made", "bin/made.sh"):
        (folder / name).write_text(PROGRAM, encoding="utf-8")
        (folder / name).chmod(0o755)
    (folder / "answer").touch()
    path = folder / "promptfooconfig.yaml"
    path.write_text(configuration(prompt), encoding="utf-8")
    cases = load_suite(path).cases
    assert not (folder / "ran").exists(), "loading runs nothing"
    (found,) = await run_cases(cases)
    return found


#: What a program gets, as JSON.
_TOLD = '{"vars":{"who":"Ann","__evalId":"eval-rubric","__evalStepId":"test-0-prompt-0-repeat-0","__repeatIndex":0},"provider":{"id":"echo","label":""},"config":{}}'


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("file://made.py:text", "Hi Ann from echo"),
        ("made.py:text", "Hi Ann from echo"),
        ("{id: 'file://made.py:text', config: {end: '!'}}", "Hi Ann from echo!"),
        ("file://made.py:settings", "Ann"),
        ("exec:./bin/made.sh 'two words'", "Ann two words"),
        ("file://bin/made.sh", f"Ann {_TOLD}"),
        ("bin/made", f"Ann {_TOLD}"),
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
        ("file://made.py:wrong", "`config` must be a mapping"),
        ("exec:no-such-program", "the prompt exec:no-such-program: command not found: no-such-program"),
        ("{id: 'exec:sh -c \"sleep 5\"', config: {timeout: 50}}", "stopped: it took longer than 0.05 s"),
        ("exec:./answer", "command not found: answer; promptfoo looks for a name without a folder on the PATH only"),
        ("exec:sh -c 'exit 3'", "ended with exit code 3"),
        ("file://none.py:text", "there is no file `none.py`"),
        ("file://made.lua", "does not run programs and functions that make prompts"),
    ],
)
async def test_a_prompt_that_cannot_be_made_is_unscored(tmp_path: Path, prompt: str, reason: str) -> None:
    found = await result(tmp_path, prompt)
    assert found.verdict is Verdict.UNSCORED
    assert reason in found.reason


async def test_settings_of_rows_reach_the_model(tmp_path: Path) -> None:
    """Those of the test win over those of the prompt, these over those of the provider; templates in them are filled in."""
    path = tmp_path / "promptfooconfig.yaml"
    (tmp_path / "format.json").write_text('{"type": "json_schema", "json_schema": {"name": "f"}}', encoding="utf-8")
    async with JudgeServer() as server:
        server.replies = ['{"a": 1}'] * 2
        path.write_text(
            "prompts: [{raw: hi, label: own, config: {top_p: 0.5, seed: 1}}]\n"
            f"providers: [{{id: 'openai:chat:gpt-4o', config: {{apiKey: k, apiBaseUrl: '{server.url}', seed: 0, temperature: 1, tools: [{{name: '{{{{n}}}}'}}]}}}}]\n"
            "defaultTest: {options: {max_tokens: 9}}\n"
            "tests: [{vars: {n: Ann}, options: {seed: 2, response_format: {type: json_schema, json_schema: {name: '{{n}}'}}, prefix: 'Oh, '}}, {vars: {n: Bo}, options: {response_format: file://format.json}}]\n",
            encoding="utf-8",
        )
        first, second = await run_cases(load_suite(path).cases)
    bodies = sorted(server.bodies, key=lambda each: str(each["tools"]))
    assert bodies[0] == {
        "model": "gpt-4o", "messages": [{"role": "user", "content": "Oh, hi"}], "seed": 2, "max_tokens": 9, "temperature": 1, "top_p": 0.5,
        "tools": [{"name": "Ann"}], "response_format": {"type": "json_schema", "json_schema": {"name": "Ann"}},
    }  # fmt: skip
    assert (bodies[1]["seed"], bodies[1]["response_format"]["json_schema"]) == (1, {"name": "f"})
    assert (first.verdict, second.verdict) == (Verdict.PASSED, Verdict.PASSED)


async def test_a_setting_of_a_row_with_which_a_model_is_not_called(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(
        "prompts: [hi]\nproviders: [{id: 'openai:chat:gpt-4o', config: {apiKey: k, apiBaseUrl: 'http://127.0.0.1:1/v1'}}]\n"
        "tests: [{vars: {a: b}, options: {mcp: {enabled: true}}}]\n",
        encoding="utf-8",
    )
    (found,) = await run_cases(load_suite(path).cases)
    assert found.verdict is Verdict.UNSCORED
    assert "rubric does not support `mcp`, which the prompt or `options` set, of openai:chat:gpt-4o" in found.reason


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [
        ("exec:bin/made.sh one", "bin/made.sh one"),
        ("file://bin/made.sh", "bin/made.sh"),
        ("bin/made", "bin/made"),
        ("bin/*", "bin/made bin/made.sh"),
    ],
)
async def test_the_code_of_a_prompt_is_found(tmp_path: Path, prompt: str, shown: str) -> None:
    await result(tmp_path, "exec:bin/made.sh")
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(configuration(f"'{prompt}'"), encoding="utf-8")
    (case,) = load_suite(path).cases
    assert isinstance(case, PromptfooRunnable)
    assert " ".join(code.text.removeprefix(f"{tmp_path}/") for code in executed_code(case)) == shown


async def test_a_changed_program_makes_the_result_stale(tmp_path: Path) -> None:
    first = await result(tmp_path, "exec:bin/made.sh")
    (tmp_path / "bin/made.sh").write_text(PROGRAM.replace("who", "who }} {{ who"), encoding="utf-8")
    (second,) = await run_cases(load_suite(tmp_path / "promptfooconfig.yaml").cases)
    assert first.fingerprint != second.fingerprint


async def test_a_changed_function_makes_the_result_stale(tmp_path: Path) -> None:
    first = await result(tmp_path, "file://made.py:text")
    (tmp_path / "made.py").write_text(FUNCTIONS.replace("Hi", "Hello"), encoding="utf-8")
    (second,) = await run_cases(load_suite(tmp_path / "promptfooconfig.yaml").cases)
    assert first.fingerprint != second.fingerprint


async def test_raw_may_name_a_file_with_prompts_or_a_function(tmp_path: Path) -> None:
    """The function is found, and the rows are those of the prompts."""
    (tmp_path / "made.js").write_text("module.exports = ({ vars }) => `made for ${vars.who}`;\n", encoding="utf-8")
    (tmp_path / "two.txt").write_text("one for {{who}}\n---\ntwo for {{who}}\n", encoding="utf-8")
    path = tmp_path / "promptfooconfig.yaml"
    listed = "{raw: file://made.js, label: code}, {raw: file://two.txt, label: texts}"
    path.write_text(f"prompts: [{listed}]\nproviders: [echo]\ntests: [{{vars: {{who: Ann}}}}]\n", encoding="utf-8")
    (case,) = load_suite(path).cases
    assert isinstance(case, PromptfooRunnable)
    assert [each.text for each in executed_code(case)] == ["node: made.js"]
    results = await run_cases(variations(case))
    assert sorted(each.answer for each in results) == ["made for Ann", "one for Ann", "two for Ann"]
