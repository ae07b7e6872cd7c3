"""What is in a directory, and what changed there as a unified diff."""

import difflib
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from rubric_core.loading.gitignore import ignored, within
from rubric_core.loading.patterns import Patterns

__all__ = ["Snapshot", "changes", "take"]

#: Bytes; of a longer file only a hash is kept, and it is told only that it changed.
_LARGEST = 1_000_000
#: Characters of a diff.
_LONGEST = 1_000_000
_NEVER = ".git"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

#: What is kept of each file, by its path: its content, the target of a link, or what stands for a long one.
Snapshot = Mapping[str, bytes | str]


def take(root: Path) -> Snapshot:
    """Everything below `root` but repositories' own files and what they ignore."""
    return dict(_below(root, root, within(str(root))))


def _below(root: Path, folder: Path, levels: tuple[Patterns, ...]) -> Iterator[tuple[str, bytes | str]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == _NEVER or ignored(levels, entry.path, is_folder=is_folder):
            continue
        if is_folder:
            yield from _below(root, Path(entry.path), (*levels, *within(entry.path)))
            continue
        kept = _kept(entry)
        if kept is not None:
            yield Path(entry.path).relative_to(root).as_posix(), kept


def _kept(entry: "os.DirEntry[str]") -> bytes | str | None:
    try:
        if entry.is_symlink():
            return f"link to {os.readlink(entry.path)}"  # noqa: PTH115  # the text of the link, as it is
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size <= _LARGEST:
            return Path(entry.path).read_bytes()
        digest = hashlib.sha256()
        with open(entry.path, "rb") as file:  # noqa: PTH123  # entry.path is text
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return f"long file {digest.hexdigest()}"


def changes(before: Snapshot, after: Snapshot) -> str:
    """What happened between two snapshots, as `git diff` would write it; empty when nothing did."""
    pieces: list[str] = []
    length = 0
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old != new:
            piece = "\n".join(_file(path, old, new)) + "\n"
            length += len(piece)
            if length > _LONGEST:
                pieces.append(f"(cut: the changes are longer than {_LONGEST:,} characters)\n")
                break
            pieces.append(piece)
    return "".join(pieces)


def _file(path: str, old: bytes | str | None, new: bytes | str | None) -> Iterator[str]:
    yield f"diff --git a/{path} b/{path}"
    if old is None or new is None:
        yield "new file" if old is None else "deleted file"
    left, right = "/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}"
    was, now = _lines(old), _lines(new)
    if was is None or now is None:
        yield f"Binary files {left} and {right} differ"
        return
    for number, line in enumerate(difflib.unified_diff(was, now, left, right, lineterm="")):
        yield line.rstrip("\n")
        # After the two lines with the names.
        if number > 1 and not line.startswith("@@") and not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(content: bytes | str | None) -> list[str] | None:
    """The lines of a text with their ends; None for what is no text."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content + "\n"] if content.startswith("link to ") else None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    # Not splitlines, which cuts at characters that end no line of a file.
    return None if "\0" in text else _LINE.findall(text)
