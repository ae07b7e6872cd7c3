"""Results as JSON rows of the store, with bounded requests in which repeated texts are stored once.

A judge is sent the same question and answer for every evaluator, and a program gets them in a payload: written out each
time, these would be most of the store. So would the messages of a conversation, which are sent again with every turn.
"""

import json
from collections.abc import Mapping, Sequence
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
#: The keys in place of messages that begin with those of the exchange before: how many these are, and the others.
_BEFORE, _THEN = "rubric:sent-before", "then"
#: The most messages of a row that are not written out; a forged row may claim any number.
_MOST_BEFORE = 4_000_000
_MESSAGES = "messages"
#: The number of failed graders, so that it is known without reading the evaluators.
GRADER_ERRORS = "grader_errors"


def stored_row(result: CaseResult) -> dict[str, Any]:
    """A result as the JSON row that is stored; the inverse of `result_in`."""
    row: dict[str, Any] = jsonable(storable_result(result))
    if errors := result.grader_errors:
        row[GRADER_ERRORS] = len(errors)
    texts = SentTexts()
    _each_exchanges(row, texts.pack_exchanges)
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
    made = dict(row)
    _each_exchanges(made, _Unpacking(row.get(_TEXTS)).exchanges)
    return case_result_of(made)


class SentTexts:
    """The long texts among the requests of a result, each stored once and referred to by number."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        #: How many messages were not written out.
        self._left_out = 0

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

    def pack_exchanges(self, exchanges: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Exchanges as rows, with longer texts and repeated messages replaced.

        `exchanges` are the fields of each; messages may be objects or rows.
        """
        rows: list[dict[str, Any]] = []
        before: Sequence[Any] = ()
        for exchange in exchanges:
            messages = exchange.get(_MESSAGES) or ()
            rows.append(
                {
                    name: self._pack_messages(messages, before) if name == _MESSAGES else self.pack(jsonable(item))
                    for name, item in exchange.items()
                }
            )
            before = messages
        return rows

    def _pack_messages(self, messages: Sequence[Any], before: Sequence[Any]) -> Any:
        number = len(before)
        if not number or messages[:number] != before or self._left_out + number > _MOST_BEFORE:
            return self.pack(jsonable(messages))
        self._left_out += number
        return {_BEFORE: number, _THEN: self.pack(jsonable(messages[number:]))}

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]


class _Unpacking:
    """The inverse of `SentTexts`."""

    def __init__(self, texts: Any) -> None:
        self._texts = texts
        #: How many messages were not written out.
        self._left_out = 0

    def exchanges(self, rows: Any) -> Any:
        """Whole exchanges. Raises ValueError, TypeError or LookupError for rows that `pack_exchanges` did not make."""
        made = self._whole(rows) if self._texts else rows
        if not isinstance(made, list):
            return made
        whole: list[Any] = []
        before: Any = ()
        for row in made:
            if not isinstance(row, Mapping):
                return made
            messages = row.get(_MESSAGES)
            if isinstance(messages, Mapping):
                messages = self._messages(messages, before)
                row = {**row, _MESSAGES: messages}  # noqa: PLW2901  # the same one, whole
            whole.append(row)
            before = messages
        return whole

    def _messages(self, packed: Mapping[str, Any], before: Any) -> list[Any]:
        number, then = packed[_BEFORE], packed[_THEN]
        if type(number) is not int or not isinstance(before, list) or not isinstance(then, list):
            raise TypeError("no messages")
        self._left_out += number
        if not 0 < number <= len(before) or self._left_out > _MOST_BEFORE:
            raise ValueError("more messages than there are")
        return [*before[:number], *then]

    def _whole(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if value.keys() == {_TEXT}:
                return self._texts[value[_TEXT]]
            return {name: self._whole(item) for name, item in value.items()}
        return [self._whole(item) for item in value] if isinstance(value, list) else value


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
