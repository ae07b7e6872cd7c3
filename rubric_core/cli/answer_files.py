"""Answers of targets in `.rubric/cache/answers`: a file for each, signed, and for its owner alone."""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from rubric_core.atomic_write import write_file
from rubric_core.cli.signed_files import SignedFile, user_key
from rubric_core.evaluation.targets.answer_cache import answer_from_row, answer_row, plain_json
from rubric_core.ports import Answer
from rubric_core.user_dirs import cache_folder, hide

__all__ = ["AnswerFiles"]

#: Bytes.
_LARGEST = 20_000_000


class AnswerFiles:
    """The answers that a project keeps. What cannot be read is no answer, and what cannot be written is asked for again."""

    def __init__(self, folder: Path, now: Callable[[], str], say: Callable[[str], None]) -> None:
        """Raises OSError and ValueError where there is no key to sign with.

        Args:
            folder: The cache of the project, see `cache_folder`.
            now: Tells the time, in ISO 8601.
            say: Takes a sentence about an answer that could not be kept; of several, the first.
        """
        self._folder = folder / "answers"
        self._key = user_key()
        self._now, self._say = now, say
        self._failed = False

    @classmethod
    def of(cls, names: list[str], now: Callable[[], str], say: Callable[[str], None]) -> "AnswerFiles | None":
        """The answers of a project in which these files are; None, said, where none can be kept."""
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
            row = json.loads(self._file(asked).read())
            return replace(answer_from_row(row["answer"]), cached_at=str(row["at"]))
        return None

    def keep(self, asked: object, answer: Answer) -> None:
        """See `AnswerCache`."""
        text = json.dumps({"at": self._now(), "answer": answer_row(answer)}, ensure_ascii=False, default=str)
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
        """The file for a question. Its name tells nobody without the key what was asked."""
        name = blake2b(plain_json(asked).encode("utf-8", "surrogatepass"), key=self._key, digest_size=20).hexdigest()
        return SignedFile(self._folder / name[:2] / f"{name}.json", self._key, _LARGEST)
