"""split-item: one item that an extra dash has cut in two."""

from collections.abc import Iterator
from itertools import pairwise

from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.loading.issues import SplitItem
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit, Span
from rubric_core.validation.entry_lists import CaseEntry, CaseList
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SPLIT_ITEM"]

_SKIPS = "agentv skips one half or both, so nothing is asserted here"


@rule("split-item", "error", "An item that an extra dash splits in two", awaits="entry")
def SPLIT_ITEM(issue: SplitItem | CaseList, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Without the dash the keys belong to the item above, in the same columns."""
    if isinstance(issue, CaseList):
        for above, entry in pairwise(issue.cases):
            if entry.block == above.block + 1 > 0 and not entry.case.has("id") and _belongs(entry, above, context):
                yield from _cut_case(issue, above, entry)
        return
    fixes = () if issue.borrowed else (Fix("join it to the item above", (Edit(issue.span, " "),)),)
    yield Finding(
        issue.span, _message(issue.shape), fixes=fixes, consequence=_SKIPS if context.engine == "agentv" else ""
    )


def _message(shape: type[Shape]) -> str:
    return f"this dash starts a new item, but its keys belong to {shape.title()} above"


def _belongs(entry: CaseEntry, above: CaseEntry, context: Context) -> bool:
    """Whether a case has nothing of what every case needs, and the one above everything but what stands here."""
    if not above.case.has("id"):  # first of all: where no case has one, the rest would be worked out for each
        return False
    node, before, dialect = entry.case.node, above.case.node, context.dialect
    if not isinstance(node, Mapping) or not isinstance(before, Mapping) or node.flow or before.flow:
        return False
    names, others = ({e.name for e in each.entries} for each in (node, before))
    needed = {spelling.field for spelling, _ in dialect.needed(Case)}
    table = dialect.table(Case)
    whole = all(field in above.case.places or field in entry.case.places for field in needed)
    known = all(name in table and table[name].fate.read for name in names if name is not None)
    return whole and known and bool(names) and not names & (others | {"<<"})


def _cut_case(suite: CaseList, above: CaseEntry, entry: CaseEntry) -> Iterator[Finding]:
    """A case in two blocks of the text. Each of them lacks what stands in the other."""
    node, before, text = entry.case.node, above.case.node, suite.text_of(entry)
    assert node is not None and before is not None  # noqa: PT018  # both were looked at
    dash = text.rfind("-", 0, node.whole.start)
    column, there = column_of(text, node.whole.start), column_of(suite.text_of(above), before.whole.start)
    if dash < 0 or text[dash + 1 : node.whole.start].strip(" ") or column != there:
        return
    at = suite.outer(entry, Span(dash, dash + 1))
    whole, first = suite.outer(entry, node.whole), suite.outer(above, before.whole)
    yield Finding(
        at,
        _message(Case),
        fixes=(Fix("join it to the item above", (Edit(at, " "),)),),
        consequence=_SKIPS,
        explains=tuple((code, span) for code in ("missing-key", "nothing-asserted") for span in (whole, first)),
    )
