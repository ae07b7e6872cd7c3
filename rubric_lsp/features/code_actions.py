"""Code actions: the fixes of what is wrong here, every safe fix at once, and running the case at the cursor."""

from collections.abc import Iterator
from dataclasses import dataclass

from rubric_core.analysis import Analysis
from rubric_core.fixing import safe_edits
from rubric_core.text import Edit, Span
from rubric_core.validation.ignoring import suppression_edit
from rubric_lsp.features.results import id_span

__all__ = ["FIX_ALL", "KINDS", "QUICK_FIX", "RUN", "Action", "actions"]

QUICK_FIX, FIX_ALL, RUN = "quickfix", "source.fixAll.rubric", "rubric.run"
# As long as these are there, other findings may be missing.
_NOT_TO_BE_IGNORED = frozenset({"syntax-error", "too-large"})
KINDS = (QUICK_FIX, FIX_ALL, RUN)


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done here: edits, or a command whose first argument is the document's URI."""

    title: str
    kind: str
    edits: tuple[Edit, ...] = ()
    command: str = ""
    case_id: str = ""
    preferred: bool = False
    #: The code and span of the finding that it takes away.
    code: str = ""
    at: Span | None = None


def actions(analysis: Analysis, within: Span, *, asked: bool = True, runnable: bool = True) -> Iterator[Action]:
    """What can be done within a stretch of the text; `asked` is False when the editor only looks for something to offer."""
    yield from _fixes(analysis, within)
    edits = safe_edits(analysis.diagnostics)
    if edits:
        yield Action("Fix everything that can be fixed safely", FIX_ALL, tuple(edits))
    if runnable:
        yield from _runs(analysis, within, asked=asked)


def _fixes(analysis: Analysis, within: Span) -> Iterator[Action]:
    for found in analysis.diagnostics:
        if found.span.start > within.end or found.span.end < within.start:
            continue
        for number, fix in enumerate(found.fixes):
            preferred = number == 0 and fix.safe
            title = fix.title[:1].upper() + fix.title[1:]
            yield Action(title, QUICK_FIX, fix.edits, preferred=preferred, code=found.code, at=found.span)
        if found.code in _NOT_TO_BE_IGNORED:
            continue
        quiet = suppression_edit(analysis.document, found)
        if quiet is not None:
            yield Action(f"Ignore {found.code} here", QUICK_FIX, (quiet,), code=found.code, at=found.span)


def _runs(analysis: Analysis, within: Span, *, asked: bool) -> Iterator[Action]:
    entry = analysis.case_at(within.start)
    name = entry.case.id if entry is not None else None
    if entry is not None and isinstance(name, str) and name:
        # Offered unasked on every line, a light bulb would never go out.
        line = id_span(analysis, entry)
        if asked or (line.start <= within.end and within.start <= line.end):
            yield Action(f"Run case ‹{name}›", RUN, command="rubric.runCase", case_id=name)
    if asked and any(entry.case.id for entry in analysis.cases):
        yield Action("Run every case of this file", RUN, command="rubric.runFile")
