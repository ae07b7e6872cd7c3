"""Small questions about shared files, so that a change of a file reaches only those to whom it matters.

A targets file is above thousands of suites, and each of them asks only whether it has one name. Such a suite depends on the
answer and not on the file: after an edit the question is asked once more, and whoever asked it is outdated if the answer is
another one.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import count
from pathlib import Path
from typing import Generic, TypeVar

__all__ = ["Question", "Questions"]

#: How an answer is found.
F = TypeVar("F")
#: Represents an answer among the files that something depends on, with a number. Not a valid file name.
_MARKS = Path("/**/answers")


class Question(Generic[F]):
    """A question, with its last answer."""

    __slots__ = ("answer", "find", "key", "mark")

    def __init__(self, key: object, find: F, answer: object, mark: Path) -> None:
        self.key = key
        self.find = find
        self.answer = answer
        #: The path that represents the answer.
        self.mark = mark


class Questions(Generic[F]):
    """Every question that something depends on."""

    def __init__(self) -> None:
        self._by_key: dict[object, Question[F]] = {}
        self._by_mark: dict[Path, Question[F]] = {}
        #: The marks of answers that depend on a changed file, until somebody needs to know.
        self._doubtful: set[Path] = set()
        self._numbers = count()

    def get(self, key: object) -> Question[F] | None:
        """A question that was asked before; its answer may be outdated."""
        return self._by_key.get(key)

    def add(self, key: object, find: F, answer: object) -> Question[F]:
        """A question is asked for the first time."""
        mark = _MARKS / str(next(self._numbers))
        asked = self._by_key[key] = self._by_mark[mark] = Question(key, find, answer, mark)
        return asked

    def set(self, question: Question[F], answer: object) -> bool:
        """A question was asked again. Returns whether it has another answer."""
        self._doubtful.discard(question.mark)
        if question.answer is answer or question.answer == answer:
            return False
        question.answer = answer
        return True

    def doubt(self, keys: Iterable[object]) -> None:
        """Values with these keys depend on changed files; some of them are answers."""
        self._doubtful.update(asked.mark for key in keys if (asked := self._by_key.get(key)) is not None)

    def doubtful(self, seen: AbstractSet[Path]) -> Iterator[Question[F]]:
        """The questions among the paths whose answers may be outdated."""
        return (self._by_mark[mark] for mark in self._doubtful & seen) if self._doubtful else iter(())

    def among(self, seen: Iterable[Path]) -> Iterator[Question[F]]:
        """The questions among the paths."""
        return (asked for path in seen if (asked := self._by_mark.get(path)) is not None)

    def clear(self) -> None:
        """Forget all questions. No mark is used again."""
        self._by_key.clear()
        self._by_mark.clear()
        self._doubtful.clear()
