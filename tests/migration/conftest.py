"""Folders for the command."""

from pathlib import Path

import pytest


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository, which is the current folder: nothing above it is looked at."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".agentv").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path
