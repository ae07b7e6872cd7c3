"""A configuration of promptfoo is left alone: no finding, no fix, no migration and no run takes it for a suite of agentv."""

from pathlib import Path, PurePath

import pytest

from rubric_core.analysis import analyze
from rubric_core.cli import main
from rubric_core.language.file_kinds import FileKind

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
        ("promptfooconfig.yaml", "tests: 3\n"),
        ("suite.yaml", SCHEMA + NEUTRAL),
        ("suite.eval.yaml", SCHEMA + NEUTRAL),
        ("suite.yaml", CONFIG),
        ("suite.yaml", NEUTRAL + "evaluateOptions: {maxConcurrency: 2}\n"),
        ("suite.yaml", NEUTRAL + "redteam: {purpose: x}\n"),
        ("suite.yaml", CONFIG + "  - file://more.yaml\n"),
    ],
)
def test_it_is_known_by_its_name_its_schema_or_its_keys(name: str, text: str) -> None:
    analysis = analyze(text, path=PurePath("/w/evals") / name)
    assert analysis.kind is FileKind.PROMPTFOO
    assert analysis.is_eval_yaml(PurePath("/w/evals") / name) is False
    assert analysis.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("suite.yaml", NEUTRAL),
        ("suite.eval.yaml", CONFIG),  # nobody but agentv's users calls files this
        ("suite.yaml", CONFIG + "default_test: {threshold: 1}\n"),
        ("suite.yaml", CONFIG.replace("- vars", "- id: greets\n    vars")),
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
    [["check"], ["check", "--fix"], ["migrate", "--to", "agentv-5"], ["run"]],
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
    assert "promptfoo configuration" in said.out + said.err
