"""The findings to defer, because the user is still typing their text."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from rubric_core.analysis.finding_list import FindingList
from rubric_core.analysis.finding_list import shift_findings as moved_by
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.ancestors import LINE
from rubric_core.syntax.blocks import Document
from rubric_core.text import Span
from rubric_core.validation.rule import Awaited, Diagnostic
from rubric_lsp.features.edit_place import EditPlace, line_at, unfinished

__all__ = [
    "CarriedFinding",
    "EditingContext",
    "FirstSeen",
    "Numbered",
    "leave_out_deferred",
    "number_findings",
    "review_deferred",
    "scene_of",
]

#: The most characters over which a list or mapping is followed; more is off the screen.
_FARTHEST = 20_000
_BREAK = pattern(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class EditingContext:
    """The place where the user types; for a dependent document, only since when they type."""

    #: Equal as long as nothing is typed elsewhere.
    stretch: tuple[str, int]
    #: Equal as long as the same token is being typed.
    token: tuple[str, int]
    writing: EditPlace | None = None
    unfinished: Span | None = None
    #: The block that is being edited, -1 for the text around the cases.
    block: int = -1


@dataclass(frozen=True, slots=True)
class FirstSeen:
    """The edit that was in progress when a finding first appeared."""

    stretch: tuple[str, int]
    token: tuple[str, int]
    block: int
    #: Whether only that token was typed since the version before was examined.
    alone: bool


@dataclass(frozen=True, slots=True)
class CarriedFinding:
    """A finding of the previous version, and its position in this one."""

    found: Diagnostic
    start: int
    #: None: it was published.
    birth: FirstSeen | None


#: The number of a finding: its block, -1 for findings around and across the cases, and its index there.
Numbered = tuple[int, int]
#: Code, severity and message, by which users tell findings apart.
_Key = tuple[str, str, str]
_Ledger = Mapping[_Key, Sequence[CarriedFinding]]


def number_findings(
    found: FindingList, blocks: Iterable[int], document: Document
) -> Iterator[tuple[Numbered, Diagnostic]]:
    """The numbers of the findings inside and outside of blocks, at offsets of the whole text."""
    yield from (((-1, n), each) for n, each in enumerate(found.loose))
    for block in blocks:
        if found.blocks and found.blocks[block]:
            start = document.start(block)
            yield from (((block, n), moved_by(each, start)) for n, each in enumerate(found.blocks[block]))


def leave_out_deferred(found: FindingList, numbers: Collection[Numbered]) -> FindingList:
    """The findings without those with these numbers."""
    if not numbers:
        return found
    blocks = list(found.blocks)
    for number in {block for block, _ in numbers if block >= 0}:
        blocks[number] = tuple(d for n, d in enumerate(blocks[number]) if (number, n) not in numbers)
    return FindingList(blocks, tuple(d for n, d in enumerate(found.loose) if (-1, n) not in numbers))


def scene_of(uri: str, document: Document, writing: EditPlace, tokens: int, before: int | None) -> EditingContext:
    """The edit in progress in a document. `tokens` is the number of tokens typed so far, `before` the offset of the last one in this version."""
    span = unfinished(document, writing)
    number = tokens + (span is None or span.start != before)
    return EditingContext((uri, writing.number), (uri, number), writing, span, _block(document, writing.at))


def _block(document: Document, offset: int) -> int:
    number = document.block_at(offset)
    return number if document.blocks[number].key else -1


def review_deferred(
    document: Document,
    findings: Sequence[Diagnostic],
    scene: EditingContext,
    before: Iterable[CarriedFinding],
    awaits: Callable[[str], Awaited] = lambda _: "",
    *,
    alone: bool = False,
) -> Mapping[int, FirstSeen]:
    """Decide which findings are deferred: their numbers, and the edit during which each first appeared.

    Args:
        document: The version that was analyzed.
        findings: Its findings, in the order of the text.
        scene: The edit in progress.
        before: The findings of the version before, in the order of the text, and their positions in this one.
        awaits: The text that a finding of a group may still be waiting for.
        alone: Whether only one token was typed since.
    """
    known: dict[_Key, list[CarriedFinding]] = {}
    for each in before:
        known.setdefault(_key(each.found), []).append(each)
    deferred: dict[int, FirstSeen] = {}
    birth = FirstSeen(scene.stretch, scene.token, scene.block, alone)
    for number, (found, same) in enumerate(zip(findings, _matched(findings, known), strict=True)):
        born = same.birth if same is not None else birth
        # One that stands for others is known from elsewhere.
        if born is not None and not found.more and _waits(document, found, born, scene, awaits(found.group)):
            deferred[number] = born
    return deferred


def _key(found: Diagnostic) -> _Key:
    return (found.group, found.severity, found.message)


def _matched(findings: Sequence[Diagnostic], known: _Ledger) -> list[CarriedFinding | None]:
    """The previous finding that each finding continues; those at the same position first."""
    places = {(key, each.start): each for key, some in known.items() for each in some}
    matched = [places.pop((_key(found), found.span.start), None) for found in findings]
    taken = {id(each) for each in matched}
    left = {key: iter([each for each in some if id(each) not in taken]) for key, some in known.items()}
    return [same or next(left.get(_key(found), iter(())), None) for found, same in zip(findings, matched, strict=True)]


def _waits(document: Document, found: Diagnostic, born: FirstSeen, scene: EditingContext, awaited: Awaited) -> bool:
    """Whether the edit in progress may be the reason for an unpublished finding."""
    span, writing = found.span, scene.writing
    if scene.unfinished is not None and span.start <= scene.unfinished.end and span.end >= scene.unfinished.start:
        return True
    if born.stretch != scene.stretch:
        return False
    if writing is not None and line_at(document, span.start) == line_at(document, writing.at):
        return True  # and the key of the value that is being typed
    if awaited and writing is not None and _may_come(document, span.start, born, scene, writing, awaited):
        return True
    if writing is not None and writing.pasted:
        return False
    if born.token != scene.token and not (writing is not None and writing.anew):
        return False
    # Earlier tokens are finished; a new finding there is about them, unless only this token was typed since the last
    # check.
    return born.alone or writing is None or not writing.stretch.holds(span)


def _may_come(
    document: Document, start: int, born: FirstSeen, scene: EditingContext, writing: EditPlace, awaited: Awaited
) -> bool:
    """Whether the missing part at `start` may be about to be typed."""
    if _still_inside(document, start, writing, awaited):
        return True
    # A part missing around the cases may be in the case that is being typed, and vice versa.
    return born.block == scene.block != _block(document, start)


def _still_inside(document: Document, start: int, writing: EditPlace, awaited: Awaited) -> bool:
    """Whether the user types in the mapping or list that lacks a part at `start`."""
    there, here = line_at(document, start), line_at(document, writing.at)
    if there == here:
        return True
    if abs(there.start - here.start) > _FARTHEST:
        return False
    lines = _BREAK.split(document.slice(min(there.start, here.start), max(there.end, here.end)))
    at, between, written = lines[0], lines[1:-1], lines[-1]
    if there.start > here.start:
        at, written = written, at
    if writing.column is not None:
        written = " " * writing.column
    elif not written.strip():
        return True  # the indentation of an unfinished line is not known yet
    return _RequiredIndent.of_line(at, awaited).contains(between, written, below=there.start < here.start)


@dataclass(frozen=True, slots=True)
class _RequiredIndent:
    """The indentation that lines need to be part of a mapping or list."""

    least: int
    #: The same for list items, which may be at the indentation of the list's key.
    listed: int

    @classmethod
    def of_line(cls, line: str, awaited: Awaited) -> "_RequiredIndent":
        """The indentation that a line is an entry or item of; without a dash, it starts the missing list."""
        found = LINE.match(line)
        if found is None:
            return cls(0, 0)
        dash, key = found.end("indent"), found.end("dashes")
        if found["dashes"] and awaited == "item":
            return cls(dash + 1, dash)
        if awaited == "item":
            return cls(key + 1, key)
        return cls(key, key)

    def contains(self, lines: Iterable[str], written: str, *, below: bool) -> bool:
        """Whether it contains all these lines, and the line being typed, `below` or above."""
        if not all(map(self._has, lines)):
            return False
        begins = re.match(r" *-(?: |\Z)", written)
        return self._has(written) or (not below and begins is not None and begins.end() - 2 < self.least)

    def _has(self, line: str) -> bool:
        body = line.lstrip(" \t")
        indent = len(line) - len(body)
        return not body or body[0] == "#" or indent >= (self.listed if body[0] == "-" else self.least)
