"""Files with environment variables are sent to nobody, whatever link leads to them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rubric_core.cluster.worker_files import WorkerFiles
from rubric_core.environment_files import is_environment_file
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.model.plan import Plan

SUITE = "tests:\n  - {id: a, criteria: c, input: [{role: user, content: [{type: file, value: NAME}]}], assertions: [{type: contains, value: k}]}\n"
NAMES = (".env", ".env.local", ".ENV", ".envrc", "notes.txt", "chain.txt", "folder/.env", "folder/notes.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "real").mkdir()
    for name in (".env", ".env.local", ".ENV", ".envrc", "real/.env", "ordinary.txt"):
        (tmp_path / name).write_text("KEY=hunter2secret\n", encoding="utf-8")
    for link, target in {
        "notes.txt": ".env",
        "chain.txt": "notes.txt",
        "folder": "real",
        "real/notes.txt": ".env",
    }.items():
        (tmp_path / link).symlink_to(target)
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(
        "targets:\n  - {name: default, provider: cli, command: 'cat {PROMPT_FILE}'}\n", encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_a_target_does_not_get_it(folder: Path, name: str) -> None:
    (folder / "a.eval.yaml").write_text(SUITE.replace("NAME", name), encoding="utf-8")
    command = [sys.executable, "-I", "-m", "rubric_core.cli", "run", "a.eval.yaml", "-o", "report.html"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(folder)}
    )
    assert "neither shows nor sends it" in done.stdout, done.stdout + done.stderr
    assert "hunter2secret" not in done.stdout + (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_cluster_does_not_get_it(folder: Path, name: str) -> None:
    (folder / "a.eval.yaml").write_text(SUITE.replace("NAME", name), encoding="utf-8")
    suite = load_suite(folder / "a.eval.yaml")
    files = WorkerFiles(suite, Plan(roots=(folder.resolve(),)))
    for case in suite.cases:
        files.fingerprint(case)
    sent = files.files()
    assert any(each.path.endswith("a.eval.yaml") for each in sent)
    assert all(b"hunter2secret" not in each.content for each in sent)


def test_other_files_are_files(folder: Path) -> None:
    assert not is_environment_file(folder / "ordinary.txt")
    assert not is_environment_file(folder / "environment")


#: Where a promptfoo configuration may name a file whose content is sent.
CONFIGURATIONS: dict[str, dict[str, object]] = {
    "a value": {"tests": [{"vars": {"q": "file://NAME"}}]},
    "a default value": {"defaultTest": {"vars": {"q": "file://NAME"}}, "tests": [{"vars": {"z": "1"}}]},
    "a prompt": {"prompts": ["file://NAME"], "tests": [{"vars": {"q": "1"}}]},
    "a case": {"tests": "file://cases.yaml"},
    "a table": {"tests": "file://table.csv"},
    "a scenario": {"scenarios": "file://cases.yaml"},
    "a request": {
        "providers": [{"id": "http://127.0.0.1:9/", "config": {"request": "file://NAME"}}],
        "tests": [{"vars": {"q": "1"}}],
    },
    "a judge's prompt": {
        "providers": ["echo"],
        "tests": [{
            "vars": {"q": "1"},
            "assert": [{"type": "llm-rubric", "value": "x", "provider": "exec: cat", "rubricPrompt": "file://NAME"}],
        }],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", [".env", "notes.txt"])
@pytest.mark.parametrize("place", CONFIGURATIONS)
def test_nothing_of_promptfoo_sends_it(folder: Path, place: str, name: str) -> None:
    (folder / ".env").write_text("words,q\nhunter2-words,x\n", encoding="utf-8")
    for link in ("table.csv", "cases.yaml"):
        (folder / link).symlink_to(".env")
    whole = {"prompts": ["{{q}}"], "providers": ["echo"], **CONFIGURATIONS[place]}
    (folder / "promptfooconfig.yaml").write_text(json.dumps(whole).replace("NAME", name), encoding="utf-8")
    shown = ran(folder, "promptfooconfig.yaml")
    assert "neither shows nor sends it" in shown or "cannot be read" in shown, shown
    assert "hunter2" not in shown


CASE = "{id: a, criteria: c, input: q, assertions: [{type: contains, value: k}]"
#: The same for AgentV's suites, each with what such a file holds.
SUITES = {
    "an input": (f"tests: [{CASE.replace('input: q', 'input: [{role: user, content: [{type: file, value: NAME}]}]')}}}]\n", "hunter2"),
    "cases": ("tests: NAME\nassertions: [{type: contains, value: k}]\n", "- {id: a, criteria: c, input: hunter2}\n"),
    "recorded answers": (f"execution: {{target: replayed}}\ntests: [{CASE}}}]\n", '[{"test_id": "a", "output": "hunter2"}]'),
    "a judge's prompt": ("tests: [{id: a, criteria: c, input: q, assertions: [{type: llm-grader, prompt: 'file://NAME', target: default}]}]\n", "hunter2 {{ output }}"),
    "a default test": ("# rubric: dialect=agentv-5\nprompts: ['{{ q }}']\ndefault_test: file://NAME\ntests: [{id: a, vars: {x: y}, assert: [{type: contains, value: k}]}]\n", "vars: {q: hunter2}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", [".env.yaml", "link.yaml", "ordinary.yaml"])
@pytest.mark.parametrize("place", SUITES)
def test_nothing_of_a_suite_sends_it(folder: Path, place: str, name: str) -> None:
    suite, content = SUITES[place]
    for each in (".env.yaml", "ordinary.yaml"):
        (folder / each).write_text(content, encoding="utf-8")
    (folder / "link.yaml").symlink_to(".env.yaml")
    targets = folder / ".agentv/targets.yaml"
    more = f"  - {{name: replayed, provider: replay, fixtures: {name}, source_target: replayed}}\n"
    targets.write_text(targets.read_text(encoding="utf-8") + more, encoding="utf-8")
    (folder / "a.eval.yaml").write_text(suite.replace("NAME", name), encoding="utf-8")
    shown = ran(folder, "a.eval.yaml")
    refused = "neither shows nor sends it" in shown or "cannot be read" in shown
    assert refused == (name != "ordinary.yaml"), shown
    assert name == "ordinary.yaml" or "hunter2" not in shown


def ran(folder: Path, suite: str) -> str:
    """Everything that a run of a suite shows and reports."""
    command = [sys.executable, "-I", "-m", "rubric_core.cli", "run", suite, "-v", "-o", "report.html", "-o", "r.json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(folder)}
    )
    written = [folder / "report.html", folder / "r.json"]
    return "".join([done.stdout, done.stderr, *(each.read_text(encoding="utf-8") for each in written if each.exists())])
