"""The environment of configurations of promptfoo. What promptfoo makes of it: `tests/parity/promptfoo`."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from rubric_core.adapters import system_ports
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.families.promptfoo.cases.run_environment import read_environment_files, variables_in
from rubric_core.families.promptfoo.language.run_options import number_of

SUITE = """\
prompts: ["[{{env.FROM_FILE}}][{{env.FROM_BOTH}}]"]
providers: [echo]
tests: [{assert: [{type: contains, value: "["}]}]
"""
JUDGED = """\
prompts: ["{{x}}"]
providers: [echo]
tests: [{vars: {x: a}, assert: [{type: contains, value: b}, {type: contains, value: a}], threshold: 0.3}]
"""


def result_of(
    folder: Path, text: str, environment: Mapping[str, str], working_directory: Path | None = None
) -> CaseResult:
    path = folder / "promptfooconfig.yaml"
    path.write_text(text, encoding="utf-8")
    options = Options(environment=environment, working_directory=working_directory)
    cases = [each for case in load_suite(path, options=options).cases for each in variations(case)]

    async def run() -> list[CaseResult]:
        async with system_ports(environment) as ports:
            return await run_cases(cases, ports)

    (result,) = asyncio.run(run())
    return result


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("A=1\r\nB = two words # not this\rC='x'\n", {"A": "1", "B": "two words", "C": "x"}),
        ("export A=1\nB: 2\nC:3\n", {"A": "1", "B": "2"}),
        ("A=\"x\\ny\"\nB='x\\ny'\n", {"A": "x\ny", "B": "x\\ny"}),
        ("A='one\ntwo' # said\nB=`a'b`\n", {"A": "one\ntwo", "B": "a'b"}),
        ('A="open\nB=1\n', {"A": '"open', "B": "1"}),
        ("A=\n=1\nB\nC=1\nC=2", {"A": "", "C": "2"}),
        ("A='it's'\n", {"A": "it's"}),
    ],
)
def test_a_file_with_variables(text: str, variables: dict[str, str]) -> None:
    assert variables_in(text) == variables


def test_the_file_of_the_folder_adds_to_the_variables_of_the_user(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_FILE=file\nFROM_BOTH=file\n", encoding="utf-8")
    assert result_of(tmp_path, SUITE, {"FROM_BOTH": "user"}).answer == "[file][user]"


def test_the_file_of_the_working_directory_counts(tmp_path: Path) -> None:
    inner = tmp_path / "evals"
    inner.mkdir()
    (tmp_path / ".env").write_text("FROM_FILE=outer\n", encoding="utf-8")
    (inner / ".env").write_text("FROM_FILE=inner\n", encoding="utf-8")
    assert result_of(inner, SUITE, {}).answer == "[inner][]"
    assert result_of(inner, SUITE, {}, tmp_path).answer == "[outer][]"


@pytest.mark.skipif(sys.platform == "win32", reason="its programs are no scripts")
@pytest.mark.parametrize("place", ["env", "file"])
def test_a_suite_does_not_choose_where_programs_are_looked_for(place: str, tmp_path: Path) -> None:
    """The question before a run would name `python3`, and another program would run."""
    own = tmp_path / "bin" / "python3"
    own.parent.mkdir()
    own.write_text(f'#!/bin/sh\ntouch {tmp_path}/ran\nexec {sys.executable} "$@"\n', encoding="utf-8")
    own.chmod(0o755)
    text = JUDGED.replace("type: contains, value: a", "type: python, value: output == 'a'")
    path = f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}"
    (tmp_path / "own.env").write_text(f"PATH={path}\n", encoding="utf-8")
    head = (
        f"env: {{Path: '{path}', PATH: '{path}'}}\n" if place == "env" else "commandLineOptions: {envPath: own.env}\n"
    )
    assert result_of(tmp_path, head + text, dict(os.environ)).verdict.value == "passed"
    assert not (tmp_path / "ran").exists()


PYTHON = """\
prompts: ["{{x}}"]
providers: [PROVIDERS]
tests: [{vars: {x: a}, assert: [{type: python, value: "__import__('os').environ.get('WHICH') == 'own'"}]}]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="its programs are no scripts")
@pytest.mark.parametrize(
    ("head", "providers", "answer"),
    [
        ("", "{id: file://p.py}", "None failed"),
        ("", "{id: file://p.py, config: {pythonExecutable: bin/own}}", "own passed"),
        ("", "{id: 'python:p.py', config: {pythonExecutable: '{{env.PLACE}}/bin/own'}}", "own passed"),
        ("env: {PROMPTFOO_PYTHON: bin/own}\n", "{id: file://p.py}", "own passed"),
        ("env: {PROMPTFOO_PYTHON: bin/own}\n", "echo", "a passed"),
        ("", "{id: file://p.py, config: {pythonExecutable: bin/none}}", " unscored"),
        ("env: {PROMPTFOO_PYTHON: none}\n", "{id: file://p.py}", " unscored"),
    ],
)
def test_the_python_that_a_suite_names(head: str, providers: str, answer: str, tmp_path: Path) -> None:
    own = tmp_path / "bin" / "own"
    own.parent.mkdir()
    own.write_text(f'#!/bin/sh\nWHICH=own exec {sys.executable} "$@"\n', encoding="utf-8")
    own.chmod(0o755)
    program = (
        "import os\ndef call_api(prompt, options, context):\n    return {'output': str(os.environ.get('WHICH'))}\n"
    )
    (tmp_path / "p.py").write_text(program, encoding="utf-8")
    result = result_of(tmp_path, head + PYTHON.replace("PROVIDERS", providers), {**os.environ, "PLACE": str(tmp_path)})
    assert f"{result.answer} {result.verdict.value}" == answer, result.reason


CALLING = """\
prompts: ["{{x}}"]
providers: ["openai:gpt-4o-mini"]
tests: [{vars: {x: a}, assert: [{type: python, value: "len(output) > 1"}]}]
"""


async def planned(path: Path, root: Path) -> Plan:
    """The plan of a configuration in an editor with an open folder."""
    async with system_ports({"PATH": os.environ["PATH"], "OPENAI_API_KEY": "sk-123456"}) as ports:
        return await plan_run(load_suite(path).cases, ports, [root])


async def test_an_editor_shows_the_python_that_a_file_names(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PROMPTFOO_PYTHON=./own\nOPENAI_API_HOST=example.test\n", encoding="utf-8")
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(CALLING, encoding="utf-8")
    own = tmp_path / "own"
    own.write_text("#!/bin/sh\n", encoding="utf-8")
    own.chmod(0o755)
    shown = (await planned(path, tmp_path)).words(tmp_path)
    assert "execute: own: len(output) > 1 (./own)" in shown
    assert "send requests to: https://example.test/v1/chat/completions with OPENAI_API_KEY" in shown


def test_a_missing_file_with_variables(tmp_path: Path) -> None:
    result = result_of(tmp_path, f"commandLineOptions: {{envPath: no.env}}\n{SUITE}", {})
    assert result.verdict.value == "unscored"
    assert "no.env" in result.reason


def test_keys_of_a_file_stay_out_of_results(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MY_API_KEY=sk-very-secret\n", encoding="utf-8")
    result = result_of(tmp_path, SUITE.replace("FROM_FILE", "MY_API_KEY"), {})
    assert result.answer == "[***][]"
    assert "sk-very-secret" not in repr(result)


async def test_an_editor_shows_the_addresses_that_variables_set(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "OPENAI_BASE_URL=https://u:secret-word@example.test/v1\nDB=postgres://x\n", encoding="utf-8"
    )
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(CALLING, encoding="utf-8")
    found = await planned(path, tmp_path / "elsewhere")
    assert [each.origin for each in found.sends] == ["https://example.test"]
    assert "secret-word" not in " ".join(found.words())
    assert str(tmp_path / ".env") in [each.path for each in found.reads]


def test_an_editor_shows_the_files_with_variables(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    data = {"commandLineOptions": {"envPath": ["../other.env, last.env"]}}
    found = read_environment_files(data, tmp_path, None, DiskFiles())
    assert found == [tmp_path / ".env", tmp_path / "../other.env", tmp_path / "last.env"]


@pytest.mark.parametrize(("value", "verdict"), [("yes", "unscored"), ("no", "passed"), ("", "passed")])
def test_a_failure_that_ends_a_row(value: str, verdict: str, tmp_path: Path) -> None:
    found = result_of(tmp_path, JUDGED, {"PROMPTFOO_SHORT_CIRCUIT_TEST_FAILURES": value})
    assert found.verdict.value == verdict


def test_a_switch_in_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PROMPTFOO_SHORT_CIRCUIT_TEST_FAILURES=1\n", encoding="utf-8")
    assert result_of(tmp_path, JUDGED, {}).verdict.value == "unscored"


@pytest.mark.parametrize("name", ["PROMPTFOO_DISABLE_TEMPLATING", "PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS"])
def test_a_switch_that_does_not_run_in_the_configuration(name: str, tmp_path: Path) -> None:
    result = result_of(tmp_path, f"env: {{{name}: true}}\n{JUDGED}", {})
    assert result.verdict.value == "unscored"
    assert name in result.reason


def test_references_that_promptfoo_does_not_follow(tmp_path: Path) -> None:
    text = 'x: {$ref: "#/y"}\ny: 1\n' + JUDGED
    result = result_of(tmp_path, text, {"PROMPTFOO_DISABLE_REF_PARSER": "1"})
    assert result.verdict.value == "unscored"


@pytest.mark.parametrize(
    ("text", "number"), [("250", 250.0), ("1.5s", 1.5), ("-3", -3.0), ("", None), ("x1", None), (".", None)]
)
def test_numbers(text: str, number: float | None) -> None:
    assert number_of({"N": text}, "N") == number


def test_a_result_is_stale_when_a_file_of_the_configuration_changes(tmp_path: Path) -> None:
    """Not when `.env` changes, which belongs to the directory in which a run begins."""
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(f"commandLineOptions: {{envPath: own.env}}\n{SUITE}", encoding="utf-8")
    found = []
    for name, text in (("own.env", "A=1"), ("own.env", "A=2"), (".env", "A=3")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        (case,) = load_suite(path).cases
        found.append(fingerprint(case, DiskFiles(), shared_targets(case, DiskFiles())))
    first, second, third = found
    assert first != second == third
