"""Files with environment variables are sent to nobody, whatever link leads to them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rubric_core.cluster.worker_files import WorkerFiles
from rubric_core.environment_files import is_environment_file
from rubric_core.evaluation.cases.load import load_suite

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
    assert "sent to nobody" in done.stdout, done.stdout + done.stderr
    assert "hunter2secret" not in done.stdout + (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_cluster_does_not_get_it(folder: Path, name: str) -> None:
    (folder / "a.eval.yaml").write_text(SUITE.replace("NAME", name), encoding="utf-8")
    suite = load_suite(folder / "a.eval.yaml")
    files = WorkerFiles(suite)
    for case in suite.cases:
        files.fingerprint(case)
    sent = files.files()
    assert any(each.path.endswith("a.eval.yaml") for each in sent)
    assert all(b"hunter2secret" not in each.content for each in sent)


def test_other_files_are_files(folder: Path) -> None:
    assert not is_environment_file(folder / "ordinary.txt")
    assert not is_environment_file(folder / "environment")
