"""A configuration of promptfoo is read as such: no finding, no fix and no migration takes it for a suite of agentv."""

from pathlib import Path, PurePath

import pytest

from rubric_core.analysis import analyze
from rubric_core.cli import main
from rubric_core.language.dialects import PROMPTFOO
from rubric_core.language.file_kinds import FileKind
from rubric_core.text import apply_edits

CONFIG = """\
description: Greets
prompts: ["Say {{word}}"]
providers: [echo]
defaultTest:
  assert:
    - {type: contains, value: hello}
tests:
  - vars: {word: hi}
    assert:
      - {type: icontains, value: hi}
"""
#: The same without anything that tells promptfoo from agentv-5.
NEUTRAL = CONFIG.replace("defaultTest:\n  assert:\n    - {type: contains, value: hello}\n", "")
SCHEMA = "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("promptfooconfig.yaml", NEUTRAL),
        ("promptfooconfig.support.yml", NEUTRAL),
        ("suite.yaml", SCHEMA + NEUTRAL),
        ("suite.yaml", "\ufeff" + SCHEMA + NEUTRAL),
        ("suite.yaml", "# rubric: dialect=promptfoo\n" + NEUTRAL),
        ("suite.eval.yaml", SCHEMA + NEUTRAL),
        ("suite.yaml", CONFIG),
        ("suite.yaml", NEUTRAL + "evaluateOptions: {maxConcurrency: 2}\n"),
        ("suite.yaml", NEUTRAL + "redteam: {purpose: x}\n"),
        ("suite.yaml", CONFIG + "  - file://more.yaml\n"),
    ],
)
def test_it_is_known_by_its_name_its_schema_or_its_keys(name: str, text: str) -> None:
    analysis = analyze(text, path=PurePath("/w/evals") / name)
    assert (analysis.kind, analysis.dialect) == (FileKind.PROMPTFOO, PROMPTFOO)
    assert analysis.is_eval_yaml(PurePath("/w/evals") / name) is True
    assert analysis.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("suite.yaml", NEUTRAL),
        ("suite.eval.yaml", CONFIG),  # nobody but agentv's users calls files this
        ("suite.yaml", CONFIG + "default_test: {threshold: 1}\n"),
        ("suite.yaml", CONFIG.replace("- vars", "- id: greets\n    vars")),
        ("suite.yaml", SCHEMA + NEUTRAL + "default_test: {threshold: 1}\n"),
        ("promptfooconfig.eval.yaml", NEUTRAL + "default_test: {threshold: 1}\n"),
        ("promptfooconfig.yaml", "# rubric: dialect=agentv-5\n" + CONFIG),
        ("suite.yaml", NEUTRAL + "defaultTest\n"),  # still being typed
    ],
)
def test_what_agentv_has_too_does_not_tell(name: str, text: str) -> None:
    assert analyze(text, path=PurePath("/w/evals") / name).kind is FileKind.SUITE


def test_a_key_that_tells_comes_and_goes_while_it_is_typed() -> None:
    path = PurePath("/w/evals/suite.yaml")
    before = analyze(NEUTRAL + "unknown: 1\n", path=path)
    typed = analyze(CONFIG + "unknown: 1\n", path=path, previous=before)
    assert (before.kind, typed.kind) == (FileKind.SUITE, FileKind.PROMPTFOO)
    assert [found.code for found in before.diagnostics] == ["unknown-key"]
    assert typed.diagnostics == ()
    again = analyze(NEUTRAL + "unknown: 1\n", path=path, previous=typed)
    assert again.diagnostics == before.diagnostics


@pytest.mark.parametrize(
    "command",
    [["check"], ["check", "--fix"], ["migrate", "--to", "agentv-5"]],
)
def test_no_command_touches_it(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check --fix` renamed `defaultTest`, and a suite that failed passed from then on."""
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    main([*command, config.name])
    assert config.read_text(encoding="utf-8") == CONFIG
    assert [each.name for each in tmp_path.iterdir()] == [config.name]
    said = capsys.readouterr()
    assert ("promptfoo" if "check" not in command else "no findings") in said.out + said.err


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("test:\n", "tests:\n"),
        ("    asserts:\n", "    assert:\n"),
        ("      - {type: icontain, value: hi}", "      - {type: icontains, value: hi}"),
        ("      - {type: icontains, value: hi, wieght: 2}", "      - {type: icontains, value: hi, weight: 2}"),
        ("default_test:\n", "defaultTest:\n"),
    ],
)
def test_the_first_fix_gives_what_was_meant(wrong: str, right: str) -> None:
    """Compared both ways: what is meant has no finding, and the fix of what is not gives exactly that."""
    path = PurePath("/w/promptfooconfig.yaml")
    meant = CONFIG.replace("      - {type: icontains, value: hi}", right) if right.startswith("      -") else CONFIG
    written = meant.replace(right, wrong) if right.startswith("      -") else _once(CONFIG, right, wrong)
    assert analyze(meant, path=path).diagnostics == ()
    found = analyze(written, path=path).diagnostics
    assert [len(each.fixes) > 0 for each in found] == [True]
    assert apply_edits(written, found[0].fixes[0].edits) == meant


def _once(text: str, old: str, new: str) -> str:
    """The last `old` of a text replaced: the first may stand in `defaultTest`."""
    before, _, after = text.rpartition(old)
    return f"{before}{new}{after}"


def test_an_agentv_suite_knows_nothing_of_it() -> None:
    """Keys of promptfoo are in no suite's list of keys of other dialects."""
    found = analyze("tests:\n  - {id: a, input: hi, criteria: x, storeOutputAs: y}\n", path=PurePath("/w/a.eval.yaml"))
    assert [each.code for each in found.diagnostics] == ["unknown-key"]
    assert PROMPTFOO.name not in found.diagnostics[0].message


def test_a_folder_is_searched_for_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only `check` takes them: what acts on suites of agentv leaves them alone."""
    monkeypatch.chdir(tmp_path)
    wrong = CONFIG.replace("assert:", "asserts:")
    (tmp_path / "evals").mkdir()
    for name in ("promptfooconfig.yaml", "evals/promptfooconfig.support.yml", "evals/other.yaml", "notes.yaml"):
        (tmp_path / name).write_text(wrong, encoding="utf-8")
    as_json = '{"prompts": ["Hi"], "providers": ["echo"], "test": []}\n'
    (tmp_path / "promptfooconfig.json").write_text(as_json, encoding="utf-8")
    (tmp_path / "package.json").write_text(as_json, encoding="utf-8")
    assert main(["check", "."]) == 0  # warnings
    said = capsys.readouterr().out
    found = {line.partition(":")[0] for line in said.splitlines() if "warning[unknown-key]" in line}
    assert found == {"promptfooconfig.yaml", "promptfooconfig.json", "evals/promptfooconfig.support.yml"}
    assert main(["run", "."]) != 0
    assert "no suites in this folder" in capsys.readouterr().err
    assert main(["migrate", "--to", "agentv-5", "."]) != 0
    assert "no suites in this folder" in capsys.readouterr().err
