"""Semantic tokens as clients ask for them: all of them, what has changed since, those of a stretch."""

from collections.abc import Callable
from typing import Any

from rubric_lsp import convert
from rubric_lsp.features import tokens
from rubric_lsp.snapshot import Snapshot

__all__ = ["all_tokens", "token_changes", "tokens_within"]

Json = dict[str, Any]


def all_tokens(d: Snapshot) -> Json:
    """The tokens of the document, under its version as result id."""
    numbers = _numbers(d)
    d.kept.sent_tokens = (str(d.version), numbers)
    return {"resultId": str(d.version), "data": numbers}


def token_changes(d: Snapshot, p: Any) -> Json:
    """What has changed since the result that the client names; everything, when that is not the last one it was sent."""
    known, before = d.kept.sent_tokens
    made = all_tokens(d)
    if known != p["previousResultId"]:
        return made
    return {"resultId": made["resultId"], "edits": convert.token_edits(before, made["data"])}


def tokens_within(d: Snapshot, p: Any) -> Json:
    """The tokens on the lines of a range."""
    return {"data": _numbers(d, lambda lines: convert.tokens_within(lines, p))}


def _numbers(d: Snapshot, choose: Callable[[Any], Any] = lambda lines: lines) -> list[int]:
    return tokens.encoded(choose(convert.token_lines(d)), convert.struck(d))
