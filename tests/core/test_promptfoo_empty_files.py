"""Files of promptfoo that are not there, and those that give no prompt, case or value."""

import json
from pathlib import Path

import pytest

from rubric_core.cli import main

CASES = "tests: [{vars: {word: hi}, assert: [{type: contains, value: hi}]}]\n"
TABLE = "prompts: ['Say {{word}}']\nproviders: [echo]\ndefaultTest: {vars: {word: hi}}\ntests: file://cases.%s\n"
PROMPTS = f"prompts: file://prompts.csv\nproviders: [echo]\n{CASES}"


def _found(files: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    main(["check", str(folder / "promptfooconfig.yaml"), "--format", "json"])
    return [f"{each['severity']} {each['message']}" for each in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "promt,label\nSay {{word}},a\n",
            ["error there is no prompt in `prompts.csv`: none of its columns is `prompt`"],
        ),
        ("label,prompt\na,\n", ["error there is no prompt in `prompts.csv`: its column `prompt` is empty"]),
        ("label,prompt\na,Say {{word}}\n", []),
        ("Say {{word}}\nTell {{word}}\n", []),
        ("Say, {{word}}\nTell {{word}}\n", []),  # no table, so each line is a prompt
        ("promt;label\nSay, {{word}};a, b\n", []),
    ],
)
def test_a_table_of_prompts_has_a_column_for_them(
    text: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _found({"promptfooconfig.yaml": PROMPTS, "prompts.csv": text}, tmp_path, capsys) == expected


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        ("csv", "", ["warning there is no case in `cases.csv`"]),
        ("csv", "word,__expected\n", ["warning there is no case in `cases.csv`"]),
        ("csv", "word,__expected\nhi,contains:hi\n", []),
        ("json", "[]", ["warning there is no case in `cases.json`"]),
    ],
)
def test_a_file_of_cases_has_one(
    suffix: str, text: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _found({"promptfooconfig.yaml": TABLE % suffix, f"cases.{suffix}": text}, tmp_path, capsys) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".env", ["hint there is no file `.env`"]),
        ("settings.txt", ["error there is no file `settings.txt`"]),
        ("here.txt", []),
        ("[here.txt, '.env.local, here.txt']", ["hint there is no file `.env.local`"]),
        ("'{{env.PLACE}}/x'", []),
    ],
)
def test_files_of_the_environment_are_looked_for(
    path: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = f"commandLineOptions: {{envPath: {path}}}\nprompts: ['Say {{{{word}}}}']\nproviders: [echo]\n{CASES}"
    assert _found({"promptfooconfig.yaml": config, "here.txt": "A=1\n"}, tmp_path, capsys) == expected


def test_a_case_of_a_file_that_is_not_there_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = "prompts: ['Say hi']\nproviders: [echo]\ntests:\n  - $ref: cases.yaml#/0\n"
    assert _found({"promptfooconfig.yaml": config}, tmp_path, capsys) == ["error there is no file `cases.yaml`"]


@pytest.mark.parametrize(
    ("kind", "result", "is_found"),
    [
        ("contains", "true", True),
        ("llm-rubric", "false", True),
        ("contains", "'hi'", False),
        ("is-json", "{type: 'object'}", False),
        ("javascript", "true", False),
    ],
)
def test_a_program_gives_the_value_of_an_assertion(
    kind: str, result: str, *, is_found: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = f"prompts: ['Say hi']\nproviders: [echo]\ntests: [{{assert: [{{type: {kind}, value: 'file://a.js'}}]}}]\n"
    program = f"module.exports = (output) => {{\n  return {result};\n}};\n"
    found = _found({"promptfooconfig.yaml": config, "a.js": program}, tmp_path, capsys)
    expected = "warning only assertions that are code take `true` or `false`; return the value that is looked for"
    assert found == ([expected] if is_found else [])
