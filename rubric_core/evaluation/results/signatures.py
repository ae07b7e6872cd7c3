"""Signatures of stored results: what came with a repository, or was changed later, is shown and decides nothing.

Each row is signed by itself, so that a run in progress has signed results, and adding one takes the same time however
many there are.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from typing import Any

from rubric_core.user_key import user_key

__all__ = [
    "FOREIGN",
    "KEY_VARIABLE",
    "REMEDY",
    "digest_of",
    "is_signed",
    "is_signed_result",
    "signature_columns",
    "signature_of",
    "signing_key",
]

#: An environment variable with a key that the jobs of a CI server share; it takes the place of the user's key.
KEY_VARIABLE = "RUBRIC_RESULTS_KEY"
_SIZE = 16
#: What is said of a run or result that decides nothing, and what to do about it.
FOREIGN = "not stored by rubric of this user, or changed later"
REMEDY = f"run the suites again, or set {KEY_VARIABLE} to the key that signed it"


def signing_key() -> bytes:
    """The key of this user, or of the environment; empty if none can be made, and then nothing is signed or counts."""
    shared = os.environ.get(KEY_VARIABLE, "")
    if shared:
        return blake2b(shared.encode("utf-8", "surrogateescape"), person=b"rubric results").digest()
    with suppress(OSError, ValueError):
        return user_key()
    return b""


def signature_columns(version: int) -> str:
    """The columns of a result's digest and signature in a database of a version; before 3, nothing was signed."""
    return "r.digest, r.signature" if version > 2 else "'', ''"


def signature_of(key: bytes, kind: str, values: Sequence[Any]) -> str:
    """The signature of a row, as SQLite returns its values; empty without a key.

    Args:
        key: See `signing_key`.
        kind: The kind of row: no row passes for one of another kind.
        values: Texts, integers, floats and None.
    """
    if not key:
        return ""
    content = repr((kind, *values)).encode("utf-8", "surrogatepass")
    return blake2b(content, key=key, digest_size=_SIZE, person=b"rubric results").hexdigest()


def is_signed(key: bytes, kind: str, values: Sequence[Any], signature: object) -> bool:
    """Whether a row was signed with this key and is unchanged."""
    return (
        bool(key)
        and isinstance(signature, str)
        and compare_digest(signature_of(key, kind, values).encode(), signature.encode("utf-8", "surrogatepass"))
    )


def digest_of(content: bytes) -> str:
    """The digest of a packed result, or of the scores of its evaluators."""
    return blake2b(content, digest_size=_SIZE).hexdigest()


def is_signed_result(key: bytes, case: Sequence[Any], number: int, run: int | None, row: Sequence[Any]) -> bool:
    """Whether a result counts: it was signed with this key, and its row is unchanged.

    Args:
        key: See `signing_key`.
        case: The suite, the id and the target of its case, as they are stored.
        number: Its number.
        run: The number of its run.
        row: Its `SUMMARY_COLUMNS` and `signature_columns`.
    """
    verdict, score, at, _, fingerprint, errors, test, digest, signature = row
    covered = (*case, number, run, verdict, score, at, fingerprint, test, errors, digest)
    return is_signed(key, "result", covered, signature)
