"""Texts in the cache: read-only, for the person alone, and not for ever."""

import os
import time
from pathlib import Path

import pytest

from rubric_core.trust import Trust
from rubric_lsp.running.text_cache import KEPT_DAYS, cached, drop_oldest


def test_old_texts_are_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    old, kept = cached("a.answer.txt", "file:///old", "old"), cached("b.answer.txt", "file:///kept", "kept")
    beside = cached("c.answer.txt", "file:///kept", "old")
    assert [oct(path.stat().st_mode)[-3:] for path in (kept, kept.parent)] == ["400", "700"]
    then = time.time() - (KEPT_DAYS + 1) * 24 * 3600
    for path in (old, beside):
        os.utime(path, (then, then))
    drop_oldest()
    assert [path for path in (old, old.parent, beside) if path.exists()] == []
    assert kept.read_text(encoding="utf-8") == "kept"
    assert cached("b.answer.txt", "file:///kept", "newer").read_text(encoding="utf-8") == "newer"


def test_a_user_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs under any number at all."""

    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", none)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    drop_oldest()
    text = cached("a.answer.txt", "file:///a", "text")
    assert text.is_relative_to(tmp_path)
    assert text.read_text(encoding="utf-8") == "text"
    assert not Trust().allows(tmp_path)
    with pytest.raises(OSError, match="no home directory: set HOME or XDG_STATE_HOME"):
        Trust().add(tmp_path)
