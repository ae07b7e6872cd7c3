"""Runs the command line: within the process where that is enough, as a process where that is what matters."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from command import Ran, Run

from rubric_core.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def rubric(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command within this process; `stdin` is what it reads."""

    def run(*arguments: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as wrong_use:
            code = int(wrong_use.code or 0)
        out, err = capsysbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run


@pytest.fixture
def process() -> Run:
    """Runs a command as a process of its own."""

    def run(*arguments: object, stdin: bytes = b"") -> Ran:
        command = [sys.executable, "-m", "rubric_core.cli", *map(str, arguments)]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=300, check=False)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
