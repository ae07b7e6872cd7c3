"""One evaluator for several cases: under an anchor, or in the list of the suite; and back into the cases."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, Execution, Suite
from rubric_core.loading.grading import case_list, default_name
from rubric_core.refactoring.place import Refactoring, RefactoringPlace, has_comment
from rubric_core.syntax.collection_edits import dedent, extent, indent
from rubric_core.syntax.edit import column_of, item_dash
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Mapping, Node, Sequence, walk
from rubric_core.text import Edit, Span, apply_edits
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["share_evaluators"]

_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_WORD = re.compile(r"[^\w-]+")


class _Place(NamedTuple):
    """An evaluator in the list of a case, and its text."""

    text: str
    #: Where that text begins in the whole one.
    base: int
    case: Case
    #: The list, in the order of the text.
    listed: Sequence
    node: Mapping


def share_evaluators(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """The evaluator at the cursor, for every case or for those that have the same."""
    here = next((e for e in spot.around(Evaluator) if _own(spot, e)), None)
    if here is None or not isinstance(here.node, Mapping):
        yield from _inlined(spot)
        return
    wanted = plain(here.node, spot.local.tree.anchors)
    cases = [_case_of(spot, entry) for entry in spot.analysis.cases]
    every = [_same(place, wanted) for place in cases]
    same = [each for each in every if each is not None]
    if len(same) < 2:
        return
    yield from _anchored(spot, here, same)
    if len(same) == len(spot.analysis.cases) and spot.dialect.properties.appends_suite_evaluators:
        yield from _for_all(spot, same)


def _own(spot: RefactoringPlace, evaluator: Evaluator) -> bool:
    """Whether it is written in the list of a case itself."""
    return any(isinstance(holder, Case) and field == "assertions" for holder, field, _ in spot.holders(evaluator))


def _case_of(spot: RefactoringPlace, entry: CaseEntry) -> tuple[str, int, CaseEntry]:
    local = spot.analysis.local(entry.offset)
    return local.text, entry.offset, entry


def _same(found: tuple[str, int, CaseEntry], wanted: object) -> _Place | None:
    """The evaluator of a case that is equal to the wanted one."""
    text, base, entry = found
    case = entry.case
    place = case.places.get("assertions")
    if entry.block < 0 or case.borrowed or place is None or place.borrowed or not isinstance(place.node, Sequence):
        return None
    for item in place.node.items:
        if isinstance(item, Mapping) and item_dash(text, item) is not None and plain(item, {}) == wanted:
            return _Place(text, base, case, place.node, item)
    return None


def _refactoring(spot: RefactoringPlace, title: str, kind: str, edits: list[Edit]) -> Iterator[Refactoring]:
    """A refactoring over several blocks, unless it would break the text."""
    text = spot.analysis.document.text
    try:
        after = apply_edits(text, edits)
    except ValueError:
        return
    if not parse(after).problems:
        yield Refactoring(title, "extract" if kind == "extract" else "inline", tuple(sorted(edits)))


# One anchor


def _anchored(spot: RefactoringPlace, here: Evaluator, same: list[_Place]) -> Iterator[Refactoring]:
    if any(has_comment(p.text, p.node.span, *walk(p.node)) for p in same[1:]) or any(p.node.anchor for p in same):
        return
    taken = {name for number in range(len(spot.analysis.document.blocks)) for name in _anchors(spot, number)}
    stem = _WORD.sub("-", default_name(here).strip()).strip("-").lower() or "shared"
    name = next(n for n in (stem, *(f"{stem}-{i}" for i in range(2, 1000))) if n not in taken)
    first, *others = same
    at = first.base + first.node.span.start
    margin = " " * column_of(first.text, first.node.span.start)
    lead = f"&{name} " if first.node.flow else f"&{name}{spot.newline}{margin}"
    edits = [Edit(Span(at, at), lead)]
    edits += (Edit(p.node.whole.moved(p.base), f"*{name}") for p in others)
    yield from _refactoring(
        spot, f"Share it by an anchor with {len(others)} other {_cases(len(others))}", "extract", edits
    )


def _cases(count: int) -> str:
    return "case" if count == 1 else "cases"


def _anchors(spot: RefactoringPlace, number: int) -> Iterator[str]:
    analysis = spot.analysis
    if analysis.document.blocks[number].key:
        yield from analysis.local(analysis.document.start(number)).tree.anchors
    elif number == 0:
        yield from analysis.local(0).tree.anchors


# One list


def _for_all(spot: RefactoringPlace, same: list[_Place]) -> Iterator[Refactoring]:
    """Out of every case, into the list of the suite."""
    skips = any(isinstance(p.case.execution, Execution) and p.case.execution.skip_defaults for p in same)
    if skips or any(isinstance(n, Alias) or n.anchor for p in same for n in walk(p.node)):
        return
    edits: list[Edit] = []
    for place in same:
        span = _removed(place)
        if span is None:
            return
        edits.append(Edit(span.moved(place.base), ""))
    first = same[0]
    said = [_comments(place) for place in same]
    if any(not comments <= said[0] for comments in said):
        return  # of items that are taken out, the comments would be lost
    dash = item_dash(first.text, first.node) or 0
    whole = extent(first.text, dash, first.node.whole.end)
    piece = first.text[whole.start : whole.end]
    piece = piece if piece.endswith(("\n", "\r")) else piece + spot.newline
    target = _suite_end(spot)
    if target is None:
        return
    at, column, lead = target
    written = lead + indent(dedent(piece, column_of(first.text, dash)), column)
    yield from _refactoring(
        spot, f"Move it to the suite: all {len(same)} cases have it", "extract", [Edit(Span(at, at), written), *edits]
    )


def _comments(place: _Place) -> set[str]:
    """The comments in and above an item."""
    span = _removed(place)
    return _comments_in(place.text[slice(*span)]) if span is not None else set()


def _comments_in(text: str) -> set[str]:
    return {found[0].strip() for line in text.splitlines() if (found := _COMMENT.search(line))}


def _removed(place: _Place) -> Span | None:
    """The lines of an item, or the whole list when it is the only one."""
    text = place.text
    if len(place.listed.items) > 1:
        dash = item_dash(text, place.node)
        return extent(text, dash, place.node.whole.end) if dash is not None else None
    key = place.case.places["assertions"].key
    node = place.case.node
    if not isinstance(node, Mapping) or node.flow or node.entries[0].key.span == key:
        return None
    return extent(text, key.start, place.listed.whole.end)


def _suite_end(spot: RefactoringPlace) -> tuple[int, int, str] | None:
    """The place for a further evaluator of the suite: the offset, the column of its dash, and the text before it."""
    analysis = spot.analysis
    suite, key = analysis.suite, spot.dialect.spelled(Suite, "assertions")
    if suite is None or key is None or not suite.has("cases"):
        return None
    frame = analysis.local(0)
    place = suite.places.get("assertions")
    if place is None:
        execution = suite.execution
        if isinstance(execution, Execution) and (execution.has("assertions") or execution.has("evaluators")):
            return None
        at = suite.key_at("cases").start
        return analysis.span_of(None, Span(at, at)).start, 2, f"{key}:{spot.newline}"
    node = place.node
    if not isinstance(node, Sequence) or node.flow or not node.items or place.borrowed:
        return None
    dash = item_dash(frame.text, node.items[-1])
    if dash is None:
        return None
    end = extent(frame.text, dash, node.items[-1].whole.end).end
    lead = "" if frame.text[:end].endswith(("\n", "\r")) else spot.newline
    at = analysis.span_of(None, Span(end - 1, end)).end
    return at, column_of(frame.text, dash), lead


# Back


def _inlined(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """An evaluator of the suite, written into every case."""
    suite = spot.analysis.suite
    if suite is None or not spot.local.in_frame or not spot.dialect.properties.appends_suite_evaluators:
        return
    place = suite.places.get("assertions")
    here = next(spot.around(Evaluator), None)
    listed = place.node if place is not None else None
    if here is None or not isinstance(listed, Sequence) or listed.flow or not isinstance(here.node, Mapping):
        return
    dash = item_dash(spot.text, here.node) if any(here.node is n for n in listed.items) else None
    nodes: list[Node] = list(walk(here.node))
    if dash is None or any(isinstance(n, Alias) or n.anchor for n in nodes) or not spot.analysis.cases:
        return
    whole = extent(spot.text, dash, here.node.whole.end)
    piece = dedent(spot.text[whole.start : whole.end], column_of(spot.text, dash))
    piece = piece if piece.endswith(("\n", "\r")) else piece + spot.newline
    edits: list[Edit] = []
    for entry in spot.analysis.cases:
        added = _added(spot, entry, piece)
        if added is None:
            return
        edits.append(added)
    only = len(listed.items) == 1 and place is not None
    gone = extent(spot.text, place.key.start, listed.whole.end) if only and place is not None else whole
    if not _comments_in(spot.text[slice(*gone)]) <= _comments_in(piece):
        return  # the comments around the list would be lost
    edits.append(Edit(spot.local.outer(gone), ""))
    yield from _refactoring(spot, "Write it into every case", "inline", edits)


def _added(spot: RefactoringPlace, entry: CaseEntry, piece: str) -> Edit | None:
    """A further evaluator at the end of a case's list."""
    case, text = entry.case, spot.analysis.local(entry.offset).text
    key = spot.dialect.spelled(Case, "assertions")
    node, place = case.node, case.places.get("assertions")
    skips = isinstance(case.execution, Execution) and case.execution.skip_defaults
    if entry.block < 0 or skips or key is None or not isinstance(node, Mapping) or node.flow or not node.entries:
        return None
    if place is None:
        if case_list(case) is not None:
            return None
        column = column_of(text, node.entries[0].key.whole.start)
        end = extent(text, node.entries[-1].key.whole.start, node.entries[-1].span.end).end
        lead, dashes = f"{' ' * column}{key}:{spot.newline}", column + 2
    else:
        listed = place.node
        if not isinstance(listed, Sequence) or listed.flow or not listed.items or place.borrowed:
            return None
        dash = item_dash(text, listed.items[-1])
        if dash is None:
            return None
        end, lead, dashes = extent(text, dash, listed.items[-1].whole.end).end, "", column_of(text, dash)
    ended = text[:end].endswith(("\n", "\r"))
    written = lead + indent(piece, dashes)
    # The end of the text may lack a line break.
    written = written if ended else spot.newline + written.rstrip("\r\n")
    return Edit(Span(end, end).moved(entry.offset), written)
