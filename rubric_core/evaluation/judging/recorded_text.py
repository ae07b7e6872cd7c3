"""Rewrites the file of recordings: unchanged entries stay verbatim, changed ones keep their comments and quotes.

People edit these files. An entry that is still needed keeps its place and the lines above it; one that was partly recorded
anew is changed in place. Only entries that are no longer needed are removed.
"""

import itertools
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.disk import read_file
from rubric_core.evaluation.judging.recorded_entry import changed_entry_text, key_of, new_entry_text
from rubric_core.evaluation.judging.recording_file import RecordedEntry, RecordingsError, entries_in, whole_file
from rubric_core.evaluation.results.journal import write_atomically
from rubric_core.syntax.collection_edits import extent
from rubric_core.syntax.edit import column_of, item_dash, newline_of
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Node
from rubric_core.syntax.tree import Sequence as SequenceNode

__all__ = ["rewrite_entries", "write_entries"]

#: Bytes of recordings.
_LARGEST = 50_000_000


class _Placed(NamedTuple):
    """An entry for the file, with the number of the old entry whose text it replaces; None for a new one."""

    entry: RecordedEntry
    at: int | None = None
    #: Whether it keeps its place, or goes to the end.
    stays: bool = True
    #: Whether another entry has replaced that text already, with the lines above it.
    shared: bool = False


def write_entries(path: Path, entries: Sequence[RecordedEntry], suite: str, *, aligned: bool = False) -> None:
    """Write the file, at once or not at all.

    Args:
        path: The file.
        entries: Its new content; of entries with the same key, the last one counts.
        suite: The name of the suite, for the header of a new file.
        aligned: Whether these are the entries of the file one by one, some of them changed.

    Raises OSError, and RecordingsError for an unreadable file.
    """
    before = read_file(path, _LARGEST).decode("utf-8") if path.is_file() else ""
    text = rewrite_entries(path, before, entries, aligned=aligned) if before.strip() else None
    text = whole_file(entries, suite) if text is None else text
    if text != before:
        write_atomically(path, text)


def _placed(old: Sequence[RecordedEntry], wanted: Sequence[RecordedEntry]) -> list[_Placed]:
    """Place the entries. An entry with the same question and answer as an older one takes over its text.

    Of entries with the same key, the last one counts: their order is that of `wanted`, even if an older one has to
    move.
    """
    same, alike = defaultdict[str, deque[int]](deque), defaultdict[str, list[int]](list)
    for number, entry in enumerate(old):
        same[_json(entry)].append(number)
        alike[_header(entry)].append(number)
    found = [twins.popleft() if (twins := same[_json(entry)]) else None for entry in wanted]
    taken = {number for number in found if number is not None}
    last: dict[str, int] = {}
    made: list[_Placed] = []
    for entry, twin in zip(wanted, found, strict=True):
        at, shared = twin, False
        if at is None and (older := alike[_header(entry)]):
            at = next((number for number in older if number not in taken), older[0])
            shared = at in taken
            taken.add(at)
        question = _header(entry, judge=False)
        stays = at is not None and not shared and at > last.get(question, -1)
        last[question] = at if stays and at is not None else len(old)
        made.append(_Placed(entry, at, stays, shared))
    return made


def _json(entry: RecordedEntry) -> str:
    return entry.model_dump_json()


def _header(entry: RecordedEntry, *, judge: bool = True) -> str:
    parts = [entry.prompt, entry.question, entry.goal, entry.reference, entry.more, entry.answer]
    return json.dumps([entry.judge, *parts] if judge else parts)


def rewrite_entries(path: Path, before: str, entries: Sequence[RecordedEntry], *, aligned: bool = False) -> str | None:
    """The text of a file with these entries; None if its formatting cannot be preserved. Raises RecordingsError."""
    tree = parse(before)
    old = entries_in(path, before, tree)
    pieces = _pieces(before, tree.root)
    if pieces is None:
        return None
    wanted = [_Placed(entry, n) for n, entry in enumerate(entries)] if aligned else _placed(old, entries)
    ordered = sorted(wanted, key=lambda each: each.at if each.stays and each.at is not None else len(old))
    for inside in (True, False):
        texts = (_text(each, old, pieces, inside=inside) for each in ordered)
        made = pieces.head + _joined(texts, newline_of(before)) + pieces.tail
        if _holds(path, made, [each.entry for each in ordered]):
            return made
    return None


def _text(each: _Placed, old: Sequence[RecordedEntry], pieces: "_Pieces", *, inside: bool) -> str:
    if each.at is None:
        return new_entry_text(each.entry, pieces.column)
    piece = pieces.items[each.at]
    if old[each.at] == each.entry:
        return piece
    text = changed_entry_text(piece, old[each.at], each.entry, inside=inside)
    return text[_lead(text) :] if each.shared else text


def _lead(text: str) -> int:
    """The end of the lines above an entry."""
    lines = text.splitlines(keepends=True)
    above = itertools.takewhile(lambda line: not line.strip() or line.lstrip().startswith("#"), lines)
    return sum(map(len, above))


def _joined(texts: Iterable[str], newline: str) -> str:
    """The texts, each terminated by the line break that the file uses."""
    ended = (text if text.endswith(("\n", "\r")) else text + newline for text in texts)
    return "".join(text if newline in text else text.replace("\n", newline) for text in ended)


class _Pieces(NamedTuple):
    """A file cut into its entries, each with the lines above it."""

    head: str
    items: list[str]
    tail: str
    #: The column of the dashes.
    column: int


def _pieces(text: str, root: Node | None) -> _Pieces | None:
    listed = root.get("recordings") if isinstance(root, Mapping) else None
    if not isinstance(listed, SequenceNode) or listed.flow or not listed.items or listed.anchor:
        return None
    dashes = [item_dash(text, item) for item in listed.items]
    first = dashes[0]
    if first is None:
        return None
    ends = [
        extent(text, dash, item.whole.end) for dash, item in zip(dashes, listed.items, strict=True) if dash is not None
    ]
    if len(ends) < len(dashes):
        return None
    starts = [ends[0].start, *(span.end for span in ends[:-1])]
    items = [text[start : span.end] for start, span in zip(starts, ends, strict=True)]
    return _Pieces(text[: starts[0]], items, text[ends[-1].end :], column_of(text, first))


def _holds(path: Path, text: str, wanted: Sequence[RecordedEntry]) -> bool:
    """Whether the text has the wanted content, in any order of criteria."""
    try:
        return list(map(_sorted, entries_in(path, text))) == list(map(_sorted, wanted))
    except RecordingsError:
        return False


def _sorted(entry: RecordedEntry) -> RecordedEntry:
    return entry.model_copy(update={"criteria": sorted(entry.criteria, key=key_of)})
