"""Which findings are not said yet, because a person is still writing what they are about."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rubric_core.syntax.above import LINE
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Awaited, Diagnostic
from rubric_lsp.features.writing import Writing, line_at, moved, unfinished

__all__ = ["Birth", "Ledger", "Review", "Scene", "review", "scene_of"]

#: A list or mapping is followed over so many characters, further than anybody sees.
_FARTHEST = 20_000
_BREAK = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a person writes; of a document that depends on the one that is written, only since when."""

    #: Equal as long as nothing is written elsewhere.
    stretch: tuple[str, int]
    #: Equal as long as the same token is written.
    token: tuple[str, int]
    writing: Writing | None = None
    unfinished: Span | None = None
    #: The block that is written, -1 for the text around the cases.
    block: int = -1


@dataclass(frozen=True, slots=True)
class Birth:
    """What was being written when something was found for the first time."""

    stretch: tuple[str, int]
    token: tuple[str, int]
    block: int
    #: Whether nothing but that token was written since the version before was looked at.
    alone: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """A finding of the version before."""

    start: int
    birth: Birth | None
    told: bool


#: Code, severity and message: what a person tells findings apart by.
_Key = tuple[str, str, str]
Ledger = Mapping[_Key, Sequence[_Known]]


@dataclass(frozen=True, slots=True)
class Review:
    """What is said of a version, and what of it the next one has to know."""

    #: The numbers of the findings that are not said yet.
    deferred: frozenset[int] = frozenset()
    ledger: Ledger = field(default_factory=dict)


def scene_of(uri: str, document: Document, writing: Writing, tokens: int, before: int | None) -> Scene:
    """What is written in a document.

    `tokens` is how many were written so far, `before` the place in this version where the last of them begins.
    """
    span = unfinished(document, writing)
    number = tokens + (span is None or span.start != before)
    return Scene((uri, writing.number), (uri, number), writing, span, _block(document, writing.at))


def _block(document: Document, offset: int) -> int:
    number = document.block_at(offset)
    return number if document.blocks[number].key else -1


def review(
    document: Document,
    findings: Sequence[Diagnostic],
    scene: Scene | None,
    before: Ledger | None,
    edits: Iterable[Edit] = (),
    awaits: Callable[[str], Awaited] = lambda _: "",
    *,
    alone: bool = False,
) -> Review:
    """Decide which findings are said.

    Args:
        document: The version that they are about.
        findings: Everything that is found in it.
        scene: What is being written; None: nothing.
        before: What was found before; None: nothing was looked at, and everything is said.
        edits: What was done since, in order.
        awaits: What a finding of a code may still be waiting for.
        alone: Whether nothing but one token was written since.
    """
    known = _after(before or {}, tuple(edits))
    ledger: dict[_Key, list[_Known]] = {}
    deferred: set[int] = set()
    birth = Birth(scene.stretch, scene.token, scene.block, alone) if scene is not None else None
    for number, (found, same) in enumerate(zip(findings, _matched(findings, known), strict=True)):
        born = same.birth if same is not None else birth
        told = scene is None or before is None or (same is not None and same.told)
        if not told and scene is not None:
            told = born is None or not _waits(document, found, born, scene, awaits(found.code))
        if not told:
            deferred.add(number)
        ledger.setdefault(_key(found), []).append(_Known(found.span.start, born, told))
    return Review(frozenset(deferred), ledger)


def _key(found: Diagnostic) -> _Key:
    return (found.code, found.severity, found.message)


def _after(ledger: Ledger, edits: Sequence[Edit]) -> Ledger:
    """What was known, with the places where it stands now."""
    if not edits:
        return ledger
    return {key: [_Known(_moved(k.start, edits), k.birth, k.told) for k in known] for key, known in ledger.items()}


def _moved(offset: int, edits: Sequence[Edit]) -> int:
    for edit in edits:
        offset = moved(offset, edit)
    return offset


def _matched(findings: Sequence[Diagnostic], known: Ledger) -> list[_Known | None]:
    """The finding of the version before that each is; first those that stand where they stood."""
    places = {(key, each.start): each for key, some in known.items() for each in some}
    matched = [places.pop((_key(found), found.span.start), None) for found in findings]
    taken = {id(each) for each in matched}
    left = {key: iter([each for each in some if id(each) not in taken]) for key, some in known.items()}
    return [same or next(left.get(_key(found), iter(())), None) for found, same in zip(findings, matched, strict=True)]


def _waits(document: Document, found: Diagnostic, born: Birth, scene: Scene, awaited: Awaited) -> bool:
    """Whether what is being written may be the reason for a finding that was not said yet."""
    span, writing = found.span, scene.writing
    if scene.unfinished is not None and span.start <= scene.unfinished.end and span.end >= scene.unfinished.start:
        return True
    if born.stretch != scene.stretch:
        return False
    if writing is not None and line_at(document, span.start) == line_at(document, writing.at):
        return True  # the key of the value that is being written, too
    if awaited and writing is not None and _may_come(document, span.start, born, scene, writing, awaited):
        return True
    if writing is not None and writing.pasted:
        return False
    if born.token != scene.token and not (writing is not None and writing.anew):
        return False
    # What was written before this token is finished; what is found there now for the first time is about that, unless
    # nothing but this token was written since the last look.
    return born.alone or writing is None or not writing.stretch.holds(span)


def _may_come(document: Document, start: int, born: Birth, scene: Scene, writing: Writing, awaited: Awaited) -> bool:
    """Whether what is missing at `start` may be about to be written."""
    if _still_inside(document, start, writing, awaited):
        return True
    # What the text around the cases lacks may be in the case that is written, and the other way round.
    return born.block == scene.block != _block(document, start)


def _still_inside(document: Document, start: int, writing: Writing, awaited: Awaited) -> bool:
    """Whether a person writes in the mapping or list that lacks something at `start`."""
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
        return True  # nobody knows yet how far the line will be indented
    return _Held.by(at, awaited).goes_on(between, written, below=there.start < here.start)


@dataclass(frozen=True, slots=True)
class _Held:
    """What lines have to be indented by to be part of a mapping or list."""

    least: int
    #: The same for items of a list, which may stand below the key of the list.
    listed: int

    @classmethod
    def by(cls, line: str, awaited: Awaited) -> "_Held":
        """What a line is an entry or item of; without a dash it begins the list that lacks an item."""
        found = LINE.match(line)
        if found is None:
            return cls(0, 0)
        dash, key = found.end("indent"), found.end("dashes")
        if found["dashes"] and awaited == "item":
            return cls(dash + 1, dash)
        if awaited == "item":
            return cls(key + 1, key)
        return cls(key, key)

    def goes_on(self, lines: Iterable[str], written: str, *, below: bool) -> bool:
        """Whether it has all of these lines, and the one that is written, `below` or above."""
        if not all(map(self._has, lines)):
            return False
        begins = re.match(r" *-(?: |\Z)", written)
        return self._has(written) or (not below and begins is not None and begins.end() - 2 < self.least)

    def _has(self, line: str) -> bool:
        body = line.lstrip(" \t")
        indent = len(line) - len(body)
        return not body or body[0] == "#" or indent >= (self.listed if body[0] == "-" else self.least)
