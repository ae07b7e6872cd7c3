"""Reading suites from disk, and recognizing them by their names."""

import os
import sys
from collections.abc import Collection
from pathlib import Path, PurePath

from rubric_core.disk import read_file, read_stream
from rubric_core.environment_files import refuse_environment_file
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.parse import LARGEST

__all__ = [
    "SUITE_NAMES",
    "UnreadableError",
    "absolute",
    "decoded",
    "is_common_name",
    "is_suite",
    "is_suite_name",
    "read_standard_input",
    "read_text",
]

#: For people: the names by which suites are found.
SUITE_NAMES = "*.eval.yaml, *-eval.yaml, *.test.yaml, dataset*.yaml, suite.yaml and eval.yaml"
_OWN = pattern(r"(?is)(?:.*\.eval|.*-eval|dataset[\w-]*|.*\.test)\.ya?ml\Z")
#: Names that many other programs use, too.
_COMMON = pattern(r"(?i)(?:eval|suite)\.ya?ml\Z")
_FOLDER = "evals"
#: Bytes. The parser refuses texts that are half as long, with a place to point at; data sets are read line by line.
_LARGEST = 2 * LARGEST
_LONGEST = {".jsonl": 200_000_000}


class UnreadableError(Exception):
    """A file that cannot be read as text; the message names the file and what to do.

    `reason` is the message without the file, and `line` the line that it is about, from 1.
    """

    def __init__(self, name: str, reason: str, line: int | None = None) -> None:
        super().__init__(f"{name}:{line}: {reason}" if line is not None else f"{name}: {reason}")
        self.reason = reason
        self.line = line


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, line breaks and byte order mark as they are. Raises UnreadableError."""
    try:
        refuse_environment_file(path)
        data = read_file(path, _LONGEST.get(path.suffix.lower(), _LARGEST))
    except FileNotFoundError:
        raise UnreadableError(str(path), "there is no such file") from None
    except IsADirectoryError:
        raise UnreadableError(str(path), "this is a folder, not a file") from None
    except OSError as error:
        raise UnreadableError(str(path), f"cannot be read: {error.strerror or error}") from None
    return decoded(data, str(path))


def read_standard_input(name: str) -> str:
    """The text on standard input, as `read_text`; `name` is what it is called. Raises UnreadableError."""
    try:
        return decoded(read_stream(sys.stdin.buffer, name, _LARGEST), name)
    except OSError as error:
        raise UnreadableError(name, f"cannot be read: {error.strerror or error}") from None


def decoded(data: bytes, name: str) -> str:
    """The text in `data`, which is UTF-8. Raises UnreadableError, which says `name`."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableError(name, "this is UTF-16, not UTF-8; save it as UTF-8")
    binary = b"\0" in data[:8000]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = "this is a binary file" if binary else "save it as UTF-8"
        raise UnreadableError(
            name, f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}; {what}", line
        ) from None
    if binary:
        at = data.index(b"\0")
        raise UnreadableError(
            name, f"this is a binary file, or UTF-16 without a byte order mark: byte 0x00 at offset {at}"
        )
    return text


def absolute(path: PurePath | str) -> Path:
    """The path from the root on, with `..` taken out and links left as they are."""
    whole = os.path.abspath(path)  # noqa: PTH100  # resolve() would follow links
    # Asked for each file again, of paths that are whole already: to make one takes longer than to compare.
    return path if isinstance(path, Path) and str(path) == whole else Path(whole)


def is_suite_name(name: str) -> bool:
    """Whether a file of that name can be a suite by the patterns of any dialect."""
    return _OWN.match(name) is not None or _COMMON.match(name) is not None


def is_common_name(name: str) -> bool:
    """Whether many other programs have files of that name, so that only its folder or its content tell a suite."""
    return _COMMON.match(name) is not None


def is_suite(path: Path, neighbours: Collection[str] = ()) -> bool:
    """Whether to treat a file as a suite that was found, not named. `neighbours` are the names in its folder."""
    if _OWN.match(path.name):
        # Beside a data set in JSONL, a file of its name describes that set.
        return f"{path.stem}.jsonl" not in neighbours
    return _COMMON.match(path.name) is not None and _FOLDER in map(str.lower, path.parts)
