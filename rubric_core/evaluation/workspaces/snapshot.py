"""The content of a directory, and its changes as a unified diff."""

import difflib
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rubric_core.disk import read_stream
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.gitignore import is_ignored, within
from rubric_core.loading.path_patterns import Patterns
from rubric_core.ports import Directories

__all__ = ["KeptFile", "Snapshot", "changes", "take"]

#: Bytes; of a longer file only a hash is kept, so only that it changed is reported.
_LARGEST = 1_000_000
#: Characters of a diff.
_LONGEST = 1_000_000
_NEVER = ".git"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HUNK = re.compile(r"@@ -(\d+)")
#: The text after the numbers of a hunk: the last line above it that looks like the start of a section.
_HEADING = re.compile(r"[A-Za-z_$]")
#: The bytes that git examines to detect a text.
_BEGINNING = 8000
_LINK = "120000"


@dataclass(frozen=True, slots=True)
class KeptFile:
    """The part of a file that is kept."""

    #: As git writes it: 100644, 100755 for programs, 120000 for links.
    mode: str
    #: What git calls the content by; empty for a file that cannot be read.
    blob: str
    #: None for a file that is too long, or cannot be read; of a link its target.
    content: bytes | None


#: The files of a directory by their paths.
Snapshot = Mapping[str, KeptFile]


def take(root: Path, directories: Directories) -> Snapshot:
    """Everything below `root` except repositories' own files and ignored files."""
    return dict(_below(root, root, within(str(root)), directories))


def _below(
    root: Path, folder: Path, levels: tuple[Patterns, ...], directories: Directories
) -> Iterator[tuple[str, KeptFile]]:
    try:
        entries = directories.entries(folder)
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == _NEVER or is_ignored(levels, entry.path, is_folder=is_folder):
            continue
        if is_folder:
            yield from _below(root, Path(entry.path), (*levels, *within(entry.path)), directories)
            continue
        kept = _file_to_keep(entry, directories)
        if kept is not None:
            yield Path(entry.path).relative_to(root).as_posix(), kept


def _file_to_keep(entry: "os.DirEntry[str]", directories: Directories) -> KeptFile | None:
    try:
        if entry.is_symlink():
            target = os.fsencode(os.readlink(entry.path))  # noqa: PTH115  # the text of the link, as it is
            return KeptFile(_LINK, _content_name(target), target)
        status = entry.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        mode = "100755" if status.st_mode & stat.S_IXUSR else "100644"
        if status.st_size <= _LARGEST:
            with directories.open(Path(entry.path)) as file:
                content = read_stream(file, entry.name, _LARGEST)
            return KeptFile(mode, _content_name(content), content)
        digest = _digest(status.st_size)
        with directories.open(Path(entry.path)) as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError:
        return KeptFile("100644", "", None)
    return KeptFile(mode, digest.hexdigest(), None)


def _content_name(content: bytes) -> str:
    digest = _digest(len(content))
    digest.update(content)
    return digest.hexdigest()


def _digest(size: int) -> "hashlib._Hash":
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def changes(before: Snapshot, after: Snapshot) -> str:
    """The changes between two snapshots in the format of `git diff`; empty without any."""
    pieces: list[str] = []
    length = 0
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old != new:
            piece = "\n".join(_file(path, old, new))
            length += len(piece) + 1
            if length > _LONGEST:
                pieces.append(f"(cut: the changes are longer than {_LONGEST:,} characters)")
                break
            pieces.append(piece)
    return "\n".join(pieces)


def _file(path: str, old: KeptFile | None, new: KeptFile | None) -> Iterator[str]:
    yield f"diff --git a/{path} b/{path}"
    yield from _modes(old, new)
    if old is not None and new is not None and old.blob == new.blob:
        return
    same = f" {new.mode}" if old is not None and new is not None and old.mode == new.mode else ""
    yield f"index {_short(old)}..{_short(new)}{same}"
    left, right = "/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}"
    was, now = _lines(old), _lines(new)
    if was is None or now is None:
        yield f"Binary files {left} and {right} differ"
    else:
        yield from _hunks(was, now, left, right)


def _modes(old: KeptFile | None, new: KeptFile | None) -> Iterator[str]:
    if old is None and new is not None:
        yield f"new file mode {new.mode}"
    elif old is not None and new is None:
        yield f"deleted file mode {old.mode}"
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {old.mode}"
        yield f"new mode {new.mode}"


def _short(kept: KeptFile | None) -> str:
    return kept.blob[:7] if kept is not None else "0000000"


def _hunks(was: Sequence[str], now: Sequence[str], left: str, right: str) -> Iterator[str]:
    for number, line in enumerate(difflib.unified_diff(was, now, left, right, lineterm="")):
        hunk = _HUNK.match(line) if number > 1 else None
        if hunk is not None:
            heading = next((text for text in reversed(was[: max(0, int(hunk[1]) - 1)]) if _HEADING.match(text)), "")
            yield f"{line} {heading.rstrip()[:80]}".rstrip()
            continue
        yield line.rstrip("\n")
        # After the two lines with the names.
        if number > 1 and not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(kept: KeptFile | None) -> list[str] | None:
    """The lines of a text with their line breaks; None for binary content."""
    if kept is None:
        return []
    if kept.content is None or b"\0" in kept.content[:_BEGINNING]:
        return None
    # Not splitlines, which cuts at characters that end no line of a file.
    return _LINE.findall(kept.content.decode("utf-8", "replace"))
