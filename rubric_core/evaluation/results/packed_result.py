"""A full result as one compressed value of the database."""

import json
import zlib
from dataclasses import is_dataclass
from typing import Any

from rubric_core.dataclass_copies import field_values
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.stored_rows import GRADER_ERRORS, SentTexts, result_in, storable_result, stored_row

__all__ = ["pack_result", "unpack_result"]

#: Bytes of an unpacked result: a forged one may expand without end.
_LARGEST = 64_000_000
#: Bytes from which a result is compressed: below, it costs more than it saves.
_SMALL = 2_000
#: The fastest level compresses to a fifth; the best one takes ten times as long for little more.
_LEVEL = 1
_PLAIN = b"{"
#: Types of values that are left out of rows if empty.
_LEFT_OUT = frozenset({str, tuple, list})


def pack_result(result: CaseResult) -> bytes:
    """The result without the single runs or variations of a case."""
    try:
        content = _row_json(storable_result(result))
    except (TypeError, ValueError):  # a key or number that JSON cannot express
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
    """The JSON of `stored_row` without its intermediate objects, as each case of a run is written."""
    texts = SentTexts()

    def written(value: Any) -> dict[str, Any]:
        # A false value is left out only if it is empty: a 0 counts, an empty text does not.
        return {
            name: item
            for name, item in field_values(value)
            if item or (item is not None and type(item) not in _LEFT_OUT)
        }

    def plain(value: Any) -> Any:
        """Convert a value that the encoder does not support."""
        if not is_dataclass(value):
            return jsonable(value)
        fields = written(value)
        if exchanges := fields.get("exchanges"):
            fields["exchanges"] = texts.pack_exchanges([*map(written, exchanges)])
        return fields

    row = plain(result)
    if errors := result.grader_errors:
        row[GRADER_ERRORS] = len(errors)
    content = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=plain).encode(row)
    return f"{content[:-1]},{texts.as_member()}}}" if texts else content
