"""Answers of targets in `.rubric/cache/answers`: one signed file each, readable by the owner alone."""

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path

from rubric_core.atomic_write import write_file
from rubric_core.evaluation.targets.answer_cache import answer_from_row, answer_row, plain_json
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Answer
from rubric_core.signed_files import SignedFile
from rubric_core.user_dirs import cache_folder, hide
from rubric_core.user_key import user_key

__all__ = ["AnswerFiles", "prune"]

#: Bytes.
_LARGEST = 20_000_000
#: Seconds after the last use for which an answer is kept, and the maximum bytes of all at the start of a run.
_LONGEST_KEPT = 30 * 24 * 3600.0
_MOST_BYTES = 500_000_000
#: The names in the folder: of answers, of their folders, and of temporary files that a killed run left.
_ANSWER = re.compile(r"[0-9a-f]{40}\.json")
_FOLDER = re.compile(r"[0-9a-f]{2}")
_DRAFT = re.compile(r"\.?[0-9a-f]{40}\.json\.[0-9a-f]{12}")


class AnswerFiles:
    """The cached answers of a project. Unreadable ones are ignored, and failures to write are not fatal."""

    def __init__(self, folder: Path, now: Callable[[], str], say: Callable[[str], None]) -> None:
        """Raises OSError and ValueError without a key to sign with.

        Args:
            folder: The cache of the project, see `cache_folder`.
            now: Gives the time in ISO 8601.
            say: Called once with a message if an answer cannot be kept.
        """
        self._folder = folder / "answers"
        self._key = user_key()
        self._now, self._say = now, say
        self._failed = self._pruned = False

    @classmethod
    def of(cls, names: list[str], now: Callable[[], str], say: Callable[[str], None]) -> "AnswerFiles | None":
        """The answers of the project of these files; None, with a notice, if none can be kept."""
        try:
            folder = cache_folder(names)
            if folder is not None:
                return cls(folder, now, say)
            reason = ".rubric is a link"
        except (OSError, ValueError) as error:
            reason = str(error)
        say(f"--cache has no effect: {reason}")
        return None

    def find(self, asked: object) -> Answer | None:
        """See `AnswerCache`."""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            file = self._file(asked)
            row = json.loads(file.read())
            with contextlib.suppress(OSError):
                os.utime(file.path)  # mark it as used
            return replace(answer_from_row(row["answer"]), cached_at=str(row["at"]))
        return None

    def keep(self, asked: object, answer: Answer) -> None:
        """See `AnswerCache`."""
        text = json.dumps({"at": self._now(), "answer": answer_row(answer)}, ensure_ascii=False, default=str)
        if not self._pruned:
            self._pruned = True
            prune(self._folder, time.time())
        try:
            hide(self._folder.parent.parent)
            file = self._file(asked)
            file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(file.path, file.signed(text.encode("utf-8", "surrogatepass")), 0o600, private=True)
        except OSError as error:
            if not self._failed:
                self._say(f"answers cannot be kept: {os.strerror(error.errno) if error.errno else error}")
            self._failed = True

    def _file(self, asked: object) -> SignedFile:
        """The file for a request. Its name reveals nothing without the key."""
        name = blake2b(plain_json(asked).encode("utf-8", "surrogatepass"), key=self._key, digest_size=20).hexdigest()
        return SignedFile(self._folder / name[:2] / f"{name}.json", self._key, _LARGEST)


def prune(folder: Path, now: float, *, longest: float = _LONGEST_KEPT, most_bytes: int = _MOST_BYTES) -> None:
    """Remove answers that have not been used for long, and the least recently used others if they take too much space.

    Other files in the folder, and links, are left alone. Never raises: files that cannot be removed stay.

    Args:
        folder: The folder of all answers.
        now: Seconds since 1970.
        longest: Seconds after its last use for which an answer stays.
        most_bytes: The bytes that all of them may take.
    """
    found: list[tuple[float, int, str]] = []
    for entry in _entries(folder):
        with contextlib.suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            found.append((about.st_mtime, about.st_size, entry.path))
    left = sum(size for _, size, _ in found)
    for used, size, path in sorted(found):
        if used >= now - longest and left <= most_bytes:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108  # a path as text, of thousands
            left -= size


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The files of answers, and temporary files."""
    with contextlib.suppress(OSError):
        if folder.is_symlink():
            return
        for part in os.scandir(folder):
            if not (_FOLDER.fullmatch(part.name) and part.is_dir(follow_symlinks=False)):
                continue
            with contextlib.suppress(OSError):
                for each in os.scandir(part):
                    named = _ANSWER.fullmatch(each.name) or _DRAFT.fullmatch(each.name)
                    if named and each.is_file(follow_symlinks=False):
                        yield each
