"""A whole result as one packed value of the database."""

import json
import zlib
from dataclasses import is_dataclass
from typing import Any

from rubric_core.dataclass_copies import field_values
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.stored_rows import GRADER_ERRORS, SentTexts, result_in, storable_result, stored_row

__all__ = ["pack_result", "unpack_result"]

#: Bytes of a result when it is unpacked: a packed one that somebody made may grow without end.
_LARGEST = 64_000_000
#: Bytes from which a result is packed: less takes longer than it saves.
_SMALL = 2_000
#: The fastest level makes a fifth of what results are; the best one takes ten times as long for a little more.
_LEVEL = 1
_PLAIN = b"{"
#: What is left out of rows where it is empty.
_LEFT_OUT = frozenset({str, tuple, list})


def pack_result(result: CaseResult) -> bytes:
    """The result without the runs of a case that ran several times."""
    try:
        content = _row_json(storable_result(result))
    except (TypeError, ValueError):  # a key that JSON has no word for, or a number
        content = json.dumps(stored_row(result))
    packed = content.encode()
    return packed if len(packed) < _SMALL else zlib.compress(packed, _LEVEL)


def unpack_result(packed: bytes) -> CaseResult:
    """The inverse of `pack_result`. Raises ValueError, TypeError, LookupError, AttributeError or RecursionError for invalid data."""
    return result_in(json.loads(packed if packed[:1] == _PLAIN else _unpacked(packed)))


def _unpacked(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, _LARGEST)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacking.eof:
        raise ValueError("no whole result")
    return content


def _row_json(result: CaseResult) -> str:
    """What `stored_row` gives, as JSON, and without its objects in between: each case of a run is written. Raises TypeError or ValueError."""
    texts = SentTexts()

    def plain(value: Any) -> Any:
        """What the encoder does not know."""
        if not is_dataclass(value):
            return jsonable(value)
        # What is false says something all the same unless it is empty: a 0 does, no text does not.
        fields = {
            name: item
            for name, item in field_values(value)
            if item or (item is not None and type(item) not in _LEFT_OUT)
        }
        if isinstance(value, Exchange):
            return {name: texts.pack(jsonable(item)) for name, item in fields.items()}
        return fields

    row = plain(result)
    if errors := result.grader_errors:
        row[GRADER_ERRORS] = len(errors)
    content = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=plain).encode(row)
    return f"{content[:-1]},{texts.as_member()}}}" if texts else content
