"""A whole result as one packed value of the database."""

import json
import zlib

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.stored_rows import result_in, stored_row

__all__ = ["pack_result", "unpack_result"]

#: Bytes of a result when it is unpacked: a packed one that somebody made may grow without end.
_LARGEST = 64_000_000
#: The fastest level makes a fifth of what results are; the best one takes ten times as long for a little more.
_LEVEL = 1
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def pack_result(result: CaseResult) -> bytes:
    """The result without the runs of a case that ran several times."""
    return zlib.compress(_ENCODER.encode(stored_row(result)).encode(), _LEVEL)


def unpack_result(packed: bytes) -> CaseResult:
    """The result again. Raises ValueError, TypeError, LookupError, AttributeError or RecursionError for what is none."""
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, _LARGEST)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacking.eof:
        raise ValueError("no whole result")
    row = json.loads(content)
    return result_in(row)
