"""The key that signs caches, results and the memory of trusted folders."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rubric_core import user_key as module
from rubric_core.user_key import user_key


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "rubric"


def test_it_is_made_once_for_its_owner_alone(state: Path) -> None:
    key = user_key()
    assert user_key() == key
    assert stat.S_IMODE((state / "cache.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


@pytest.mark.skipif(module.os.name == "nt", reason="files are locked on other systems only")
def test_all_who_make_it_at_the_same_time_get_the_same(state: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(lambda _: user_key(), range(64)))) == 1


def test_another_file_in_its_place_is_refused(state: Path) -> None:
    state.mkdir(parents=True)
    (state / "cache.key").write_bytes(b"short")
    with pytest.raises(ValueError, match="is not a key"):
        user_key()
