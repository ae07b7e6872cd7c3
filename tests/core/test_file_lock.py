"""Lock files and journals lie in repositories that may come from anybody, and are shared by processes."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rubric_core.evaluation.judging.recording_paths import recordings_journal
from rubric_core.file_lock import locked
from rubric_core.trust import Trust
from rubric_core.user_dirs import hide

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")

_TRUSTING = """\
import sys
from pathlib import Path
from rubric_core.trust import Trust
from rubric_core.user_dirs import hide
class Does:
    def entries(self, key, folder):
        return {"hash": "execute: echo"}
trust = Trust(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    folder = Path(sys.argv[2]) / f"folder{number}"
    trust.add(folder)
    trust.remember(folder, [Does()])
"""


def test_what_several_processes_allow_at_once_is_all_kept(tmp_path: Path) -> None:
    file, many, each = tmp_path / "trust.json", 4, 12
    for process in range(many):
        for number in range(each):
            (tmp_path / f"home{process}" / f"folder{number}").mkdir(parents=True)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _TRUSTING, file, tmp_path / f"home{process}", str(each)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        )
        for process in range(many)
    ]  # fmt: skip
    for process in running:  # they begin together
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    trust = Trust(file)
    assert len(trust.folders()) == many * each
    assert file.read_text("utf-8").count('"remembered"') == many * each


def test_a_process_that_was_stopped_with_the_lock_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubric_core.trust._PATIENCE", 0.05)
    trust = Trust(tmp_path / "trust.json")
    trust.add(tmp_path)
    (tmp_path / "other").mkdir()
    with locked(tmp_path / "trust.json.lock"), pytest.raises(OSError, match="another process"):
        trust.add(tmp_path / "other")
    assert trust.folders() == [tmp_path]
    assert trust.add(tmp_path / "other") == tmp_path / "other"


def test_a_list_that_cannot_be_read_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust = Trust(tmp_path / "trust.json")
    trust.add(tmp_path)
    before = trust.file.read_bytes()

    def refused(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("rubric_core.trust.read_file", refused)
    (tmp_path / "other").mkdir()
    with pytest.raises(OSError, match="Input/output"):
        trust.add(tmp_path / "other")
    assert trust.folders() == []
    assert trust.file.read_bytes() == before


@pytest.mark.parametrize("linked", ["lock", "journal"])
def test_a_link_in_the_place_of_a_lock_or_a_journal_is_not_followed(tmp_path: Path, linked: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    journal = recordings_journal(tmp_path / "repo" / "s.eval.yaml")
    place = journal.path if linked == "journal" else journal.path.with_suffix(".lock")
    place.parent.mkdir(parents=True)
    place.symlink_to(victim)
    with pytest.raises(OSError, match="symbolic link"):
        journal.append({"a": 1})
    if linked == "lock":
        with pytest.raises(OSError, match="symbolic link"), journal.locked():
            pass
    assert victim.read_text(encoding="utf-8") == "precious"
    place.unlink()
    journal.append({"a": 1})
    assert json.loads(journal.path.read_text(encoding="utf-8")) == {"a": 1}


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(OSError, match="No such device"), locked(tmp_path / "lock"):
        pass
    reader = os.open(tmp_path / "lock", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(OSError, match="not a regular file"), locked(tmp_path / "lock"):
            pass
    finally:
        os.close(reader)


def test_a_link_that_leads_nowhere_is_not_filled_where_it_leads(tmp_path: Path) -> None:
    folder = tmp_path / "repo" / ".rubric"
    folder.mkdir(parents=True)
    (folder / ".gitignore").symlink_to(tmp_path / "victim")
    hide(folder)
    assert not (tmp_path / "victim").exists()


def test_who_waits_for_a_lock_that_is_removed_locks_the_next_one(tmp_path: Path) -> None:
    lock, inside, most = tmp_path / "a.lock", [0], [0]

    def work() -> None:
        for _ in range(50):
            with locked(lock):
                inside[0] += 1
                time.sleep(0)  # for the others
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert most == [1]
    assert not lock.exists()


def test_a_lock_is_held_where_no_file_keeps_its_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.samestat", lambda *_: False)
    lock = tmp_path / "a.lock"
    with locked(lock):
        with pytest.raises(OSError, match="another process"), locked(lock, patience=0.05):
            raise AssertionError("it is held")
        assert lock.exists()


def test_recordings_leave_no_lock_behind(tmp_path: Path) -> None:
    journal = recordings_journal(tmp_path / "s.eval.yaml")
    journal.append({"a": 1})
    with journal.locked():
        journal.remove()
    assert not list(journal.path.parent.glob("s.*"))
    journal.append({"b": 2})  # by a program that had both files open
    assert json.loads(journal.path.read_text(encoding="utf-8")) == {"b": 2}


class WindowsLocks:
    """In place of `msvcrt`, whose locks are between open files."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        self.held: dict[int, int] = {}
        self.tried = 0

    def locking(self, file: int, how: int, length: int) -> None:
        assert (os.lseek(file, 0, os.SEEK_CUR), length) == (0, 1), "the first byte"
        place = os.fstat(file).st_ino
        if how == self.LK_UNLCK:
            assert self.held.pop(place) == file
            return
        self.tried += 1
        if place in self.held:
            raise PermissionError(errno.EACCES, "Permission denied")
        self.held[place] = file


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> WindowsLocks:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    locks = WindowsLocks()
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    return locks


def test_windows_has_locks_too(tmp_path: Path, windows: WindowsLocks) -> None:
    lock = tmp_path / "lock"
    with locked(lock):
        assert len(windows.held) == 1
        with pytest.raises(OSError, match="another process has locked it"), locked(lock, patience=0.05):
            raise AssertionError("it is held")
    assert windows.tried > 2
    assert not windows.held
    with pytest.raises(KeyError), locked(lock, patience=1):
        raise KeyError
    assert not windows.held


def test_on_windows_one_waits_until_the_other_is_done(tmp_path: Path, windows: WindowsLocks) -> None:
    lock, order = tmp_path / "lock", []

    def second() -> None:
        with locked(lock):
            order.append("second")

    with locked(lock):
        waiting = threading.Thread(target=second)
        waiting.start()
        while windows.tried < 3:
            time.sleep(0.001)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]
