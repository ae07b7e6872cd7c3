"""A person's file is replaced whole or stays as it is, and stays theirs: its mode, its owner, its links."""

import ast
import os
import re
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rubric_core
from rubric_core import atomic_write
from rubric_core.atomic_write import write_file

OLD, NEW = b"old\n" * 2000, b"new\n" * 3000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.eval.yaml"
    path.write_bytes(OLD)
    return path


def alone(path: Path) -> bool:
    return list(path.parent.iterdir()) == [path]


def test_the_new_content_takes_the_place_of_the_old(file: Path) -> None:
    before = file.stat().st_ino
    write_file(file, iter([b"one", b"two"]))
    assert file.read_bytes() == b"onetwo"
    assert file.stat().st_ino != before, "written beside it and moved"
    assert alone(file)


def test_a_file_is_made(tmp_path: Path) -> None:
    write_file(tmp_path / "new.yaml", NEW, mode=0o600)
    assert (tmp_path / "new.yaml").read_bytes() == NEW
    assert stat.S_IMODE((tmp_path / "new.yaml").stat().st_mode) == 0o600


def test_a_file_stays_whose_it_is(file: Path) -> None:
    file.chmod(0o640)
    owner = (1234, 5678) if os.getuid() == 0 else (os.getuid(), os.getgid())
    os.chown(file, *owner)
    write_file(file, NEW)
    found = file.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o640, *owner)


def test_a_link_stays_one(file: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "there" / "link.yaml"
    link.symlink_to("../a.eval.yaml")
    write_file(link, NEW)
    assert str(link.readlink()) == "../a.eval.yaml"
    assert file.read_bytes() == NEW


def test_every_name_of_a_file_has_the_new_content(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    os.link(file, other)
    write_file(file, NEW)
    assert other.read_bytes() == NEW
    assert other.samefile(file)


@pytest.mark.parametrize("other", ["link", "file"])
def test_what_comes_into_the_place_of_a_file_while_it_is_written_is_left_alone(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """A file with several names is written in place. Somebody exchanges it after it was looked at."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    os.link(file, tmp_path / "other.yaml")
    before = os.fsync

    def exchange(opened: int) -> None:  # the draft is on the disk, and the file has been looked at
        before(opened)
        file.unlink(missing_ok=True)
        if other == "link":
            file.symlink_to(victim)
        else:
            os.link(victim, file)

    monkeypatch.setattr(os, "fsync", exchange)
    with pytest.raises(OSError, match=r"symbolic link|taken its place"):
        write_file(file, NEW)
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / "other.yaml").read_bytes() == OLD


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="only Linux has these calls")
def test_extended_attributes_are_kept(file: Path) -> None:
    try:
        os.setxattr(file, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    write_file(file, NEW)
    assert os.getxattr(file, "user.note") == b"mine"


def test_a_draft_of_the_longest_name_has_room(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 125 + ".yaml")
    write_file(path, NEW)
    write_file(path, OLD)
    assert path.read_bytes() == OLD


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_only_regular_files_are_replaced(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/null")
    with pytest.raises(OSError, match="not a regular file"):
        write_file(path, NEW)


@pytest.mark.skipif(os.getuid() == 0, reason="everything is allowed to root")
def test_a_protected_file_is_not_replaced(file: Path) -> None:
    file.chmod(0o400)
    with pytest.raises(PermissionError):
        write_file(file, NEW)
    assert file.read_bytes() == OLD


@pytest.mark.parametrize("names", [1, 2], ids=["replaced", "in place"])
def test_a_full_disk_leaves_the_file_as_it_was(names: int, file: Path, tmp_path: Path) -> None:
    """RLIMIT_FSIZE ends a write half way, as a full disk does."""
    if names == 2:
        os.link(file, tmp_path / "other.yaml")
    code = (
        "import sys; from pathlib import Path; from rubric_core.atomic_write import write_file\n"
        f"try: write_file(Path(sys.argv[1]), {NEW!r})\n"
        "except OSError as error: print(error.strerror)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, file],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "File too large\n"
    assert file.read_bytes() == OLD
    assert len(list(tmp_path.iterdir())) == names


def test_a_write_over_the_file_that_fails_is_taken_back(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(file, tmp_path / "other.yaml")
    real, calls = os.write, []

    def failing(out: int, content: bytes) -> int:
        calls.append(out)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        return real(out, content[:100] if len(calls) == 1 else content)

    monkeypatch.setattr(atomic_write.os, "write", failing)
    with pytest.raises(OSError, match="Input/output error"):
        write_file(file, NEW)
    assert file.read_bytes() == OLD


def test_a_folder_that_takes_no_other_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.open

    def refused(path: str, flags: int, *mode: int) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied")
        return before(path, flags, *mode)

    monkeypatch.setattr(atomic_write.os, "open", refused)
    write_file(file, NEW)
    assert file.read_bytes() == NEW


# Nothing else writes


#: What else opens files to write, and what it writes.
OTHERS = {
    "atomic_write.py": "this function",
    "cli/__init__.py": "/dev/null, and standard streams",
    "cli/check_inputs.py": "an empty file, gone at once, that shows the time of the disk",
    "cli/output.py": "standard streams",
    "cli/parallel.py": "pipes between processes",
    "cli/view.py": "a page for a browser, in a new folder",
    "cli/terminal_region.py": "the terminal",
    "cluster/worker.py": "files of a run in a new folder, which is gone after it",
    "evaluation/results/connection.py": "a new database of results, before SQLite writes it",
    "evaluation/results/journal.py": "rows at the end of a journal, and locks",
    "disk_directories.py": "scratch files of programs, and workspaces",
}


#: Without one of these, a module need not be parsed.
_MAY_WRITE = re.compile(r"\bwrite_(?:text|bytes)\b|\bopen\b")


def writes(tree: ast.Module) -> Iterator[int]:
    """The lines on which files are opened to write."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        modes = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)]
        opens = name == "open" and any(isinstance(m, str) and len(m) <= 3 and set(m) & set("wax+") for m in modes)
        flags = name == "open" and any(
            isinstance(each, ast.Attribute) and each.attr in ("O_WRONLY", "O_RDWR")
            for argument in node.args
            for each in ast.walk(argument)
        )
        if opens or flags or name in ("write_text", "write_bytes"):
            yield node.lineno


def test_calls_that_write_files_are_recognised() -> None:
    text = "open(p)\nopen(p, 'w')\np.open('r+b')\np.open()\np.write_text(t)\nos.open(p, os.O_WRONLY | os.O_CREAT)\n"
    assert list(writes(ast.parse(text))) == [2, 3, 5, 6]


def test_one_function_writes_files() -> None:
    root = Path(rubric_core.__file__).parents[1]
    modules = [p for package in ("rubric_core", "rubric_lsp") for p in sorted((root / package).rglob("*.py"))]
    found = {
        path.relative_to(root).as_posix().removeprefix("rubric_core/")
        for path in modules
        if _MAY_WRITE.search(text := path.read_text(encoding="utf-8")) and any(writes(ast.parse(text)))
    }
    assert found == set(OTHERS)


def test_the_file_and_then_its_folder_are_brought_to_the_disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync = os.fsync

    def kept(number: int) -> None:
        new = file.read_bytes() == NEW
        done.append(f"{'folder' if stat.S_ISDIR(os.fstat(number).st_mode) else 'file'} {'after' if new else 'before'}")
        fsync(number)

    monkeypatch.setattr(os, "fsync", kept)
    write_file(file, NEW)
    assert done == ["file before", "folder after"]


def test_a_folder_that_cannot_be_brought_to_the_disk_is_no_failure(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def refused(number: int) -> None:
        if stat.S_ISDIR(os.fstat(number).st_mode):
            raise OSError(22, os.strerror(22))
        fsync(number)

    monkeypatch.setattr(os, "fsync", refused)
    before = file.stat().st_ino
    write_file(file, NEW)
    assert (file.read_bytes(), alone(file)) == (NEW, True)
    assert file.stat().st_ino != before, "not written over in place for that"


@pytest.mark.skipif(sys.platform == "win32", reason="such signals end nothing there")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_waits_until_the_file_is_whole(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    program = f"""
import os, signal
from pathlib import Path
from rubric_core.atomic_write import write_file
def pieces():
    yield b"af"
    os.kill(os.getpid(), signal.{name})
    yield b"ter"
write_file(Path("file"), pieces())
print("goes on")
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (-signal.Signals[name], "")
    assert (tmp_path / "file").read_text() == "after"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
