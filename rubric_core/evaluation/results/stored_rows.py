"""Results as JSON rows of the store, with bounded requests in which repeated texts are stored once.

A judge is sent the same question and answer for every evaluator, and a program gets them in a payload: written out each
time, these would be most of the store.
"""

import json
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.result_reader import case_result_of
from rubric_core.lazy_compilation import replace

__all__ = ["GRADER_ERRORS", "SentTexts", "result_in", "storable_result", "stored_row"]

#: Shorter texts are stored in place.
_SHORTEST = 80
#: The most characters of one text; of all texts of a case; and of each text if they exceed that total.
_LONGEST, _TOGETHER, _CUT = 50_000, 500_000, 2_000
#: The key of a row's texts; a mapping with only this key refers to one of them by number.
_TEXTS, _TEXT = "sent_texts", "rubric:sent-text"
#: The number of failed graders, so that it is known without reading the evaluators.
GRADER_ERRORS = "grader_errors"


def stored_row(result: CaseResult) -> dict[str, Any]:
    """A result as the JSON row that is stored; the inverse of `result_in`."""
    row: dict[str, Any] = jsonable(storable_result(result))
    if errors := result.grader_errors:
        row[GRADER_ERRORS] = len(errors)
    texts = SentTexts()
    _each_exchanges(row, texts.pack)
    if texts:
        row[_TEXTS] = texts.bounded
    return row


def storable_result(result: CaseResult) -> CaseResult:
    """A result as it is stored: without the single runs or variations of a case, and with a long reference answer cut."""
    if result.runs or result.variations:
        result = replace(result, runs=(), variations=())
    if len(result.expected_output) > _LONGEST:  # it may come from a file of any size
        result = replace(result, expected_output=_shortened(result.expected_output, _LONGEST))
    return result


def result_in(row: Mapping[str, Any]) -> CaseResult:
    """The result in a stored row, also of an earlier version.

    Raises ValueError, TypeError, LookupError or RecursionError for a row that holds no result.
    """
    texts = row.get(_TEXTS)
    if not texts:
        return case_result_of(row)
    made = dict(row)
    _each_exchanges(made, lambda value: _unpacked(value, texts))
    return case_result_of(made)


class SentTexts:
    """The long texts among the requests of a result, each stored once and referred to by number."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._texts)

    @property
    def bounded(self) -> list[str]:
        """The texts in the order of their numbers, cut so that their total length stays bounded."""
        texts = self._texts
        return texts if sum(map(len, texts)) <= _TOGETHER else [_shortened(text, _CUT) for text in texts]

    def as_member(self) -> str:
        """The texts as a member of a row, in JSON."""
        return f"{json.dumps(_TEXTS)}:{json.dumps(self.bounded)}"

    def pack(self, value: Any) -> Any:
        """The value with its longer texts replaced by their numbers."""
        if isinstance(value, str):
            return value if len(value) < _SHORTEST else {_TEXT: self._number(_shortened(value, _LONGEST))}
        if isinstance(value, Mapping):
            return {name: self.pack(item) for name, item in value.items()}
        return [self.pack(item) for item in value] if isinstance(value, list) else value

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]


def _unpacked(value: Any, texts: list[str]) -> Any:
    if isinstance(value, Mapping):
        if value.keys() == {_TEXT}:
            return texts[value[_TEXT]]
        return {name: _unpacked(item, texts) for name, item in value.items()}
    return [_unpacked(item, texts) for item in value] if isinstance(value, list) else value


def _each_exchanges(row: dict[str, Any], made: Any) -> None:
    """Replace the exchanges of a row, of its evaluators and of their members by the results of `made`."""
    if row.get("exchanges"):
        row["exchanges"] = made(row["exchanges"])
    for inner in ("evaluators", "members"):
        if row.get(inner):
            row[inner] = [dict(each) for each in row[inner]]
            for each in row[inner]:
                _each_exchanges(each, made)


def _shortened(text: str, longest: int) -> str:
    """A text, or its beginning with the number of omitted characters."""
    return text if len(text) <= longest else f"{text[:longest]}\n… and {len(text) - longest:,} more characters"
