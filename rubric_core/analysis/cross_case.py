"""The input of rules across cases: as long as it does not change, their findings are reused."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import Found
from rubric_core.analysis.result import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding

__all__ = ["CASE_FACTS", "cross_case_facts", "partly_unchanged", "unchanged"]

#: Keys of a case whose values other cases, or prompts of the suite, depend on.
CASE_FACTS = ("id", "depends_on", "vars", "prompts", "turns")


def unchanged(before: Analysis, now: Analysis, change: BlockChange) -> tuple[Found, ...] | None:
    """The findings of rules across cases from an earlier version, at their new offsets; None if the rules have to run again.

    They have to if the suite itself or something that cases share has changed, or if one of their findings is in a case
    that has changed. `cross_case_facts` lists their input from a case.
    """
    edited = _edited_cases(before, now, change)
    if edited is None or cross_case_facts(before, edited.old) != cross_case_facts(now, edited.new):
        return None
    return _moved(before.across, edited.span, edited.by)


def partly_unchanged(
    before: Analysis, now: Analysis, change: BlockChange
) -> tuple[tuple[Found, ...], frozenset[str]] | None:
    """Where a family tells them apart, the findings of some rules from an earlier version, and the groups of the rules that have to run again; None for all."""
    whole = now.family_whole
    edited = _edited_cases(before, now, change) if whole is not None else None
    if edited is None or whole is None:
        return None
    again = whole.rules_to_repeat(before, [b for _, b in edited.old], now, [b for _, b in edited.new])
    kept = _moved(((r, f) for r, f in before.across if r.group not in again), edited.span, edited.by)
    return (kept, again) if kept is not None else None


class _Edited(NamedTuple):
    """The cases that an edit touched, before and afterwards."""

    old: list[tuple[int, Block]]
    new: list[tuple[int, Block]]
    #: Their old place, and the difference in length.
    span: Span
    by: int


def _edited_cases(before: Analysis, now: Analysis, change: BlockChange) -> _Edited | None:
    """The cases that an edit touched; None if it changed more: then rules across cases run again."""
    if now.judged_in is None or before.judged_in != now.judged_in or before.suite is not now.suite:
        return None
    if (whole := now.family_whole) is not None and not whole.is_settled(before, now, change):
        return None
    if now.kind is FileKind.TARGETS or before.external or now.external or before.siblings != now.siblings:
        return None
    start, end = change.start, change.end
    old = [(n, before.document.blocks[n]) for n in range(start, len(before.document.blocks) - end)]
    new = [(n, now.document.blocks[n]) for n in range(start, len(now.document.blocks) - end)]
    if len(old) != len(new) or not all(block.key for _, block in (*old, *new)):
        return None
    changed = Span(before.document.start(start), before.document.start(start + len(old)))
    return _Edited(old, new, changed, len(now.document) - len(before.document))


def _moved(across: Iterable[Found], changed: Span, by: int) -> tuple[Found, ...] | None:
    """Findings moved by an edit; None if one of them involves the edited text."""
    made: list[Found] = []
    for rule, finding in across:
        spans = [*_spans(finding)]
        if any(span.start < changed.end and span.end >= changed.start for span in spans):
            return None
        behind = by and any(span.start >= changed.end for span in spans)
        made.append((rule, _behind(finding, changed.end, by)) if behind else (rule, finding))
    return tuple(made)


def _spans(finding: Finding) -> Iterator[Span]:
    yield finding.span
    yield from (each.span for each in finding.related)
    yield from (edit.span for fix in finding.fixes for edit in fix.edits)
    yield from (span for _, span in finding.explains)
    if finding.hides is not None:
        yield finding.hides


def _behind(finding: Finding, offset: int, by: int) -> Finding:
    """A finding with everything from `offset` on moved by `by` characters."""

    def there(span: Span) -> Span:
        return span.moved(by) if span.start >= offset else span

    return replace(
        finding,
        span=there(finding.span),
        related=tuple(replace(each, span=there(each.span)) for each in finding.related),
        fixes=tuple(replace(f, edits=tuple(Edit(there(e.span), e.new_text) for e in f.edits)) for f in finding.fixes),
        explains=tuple((code, there(span)) for code, span in finding.explains),
        hides=there(finding.hides) if finding.hides is not None else None,
    )


def cross_case_facts(analysis: Analysis, blocks: Iterable[tuple[int, Block]]) -> list[object]:
    """The facts of some blocks that other cases can depend on; equal lists mean that none has changed."""
    return [_facts_of_block(analysis, number, block) for number, block in blocks]


def _facts_of_block(analysis: Analysis, number: int, block: Block) -> object:
    if (whole := analysis.family_whole) is not None:
        return whole.case_facts(analysis, block)
    state, cases = analysis.states[block], _cases(analysis, number)
    # A case without an id may be the second half of the one above, which their keys show.
    halves = not all(case.has("id") for case in (*cases, *_cases(analysis, number + 1)))
    names = [[e.name for e in c.node.entries] for c in cases if halves and isinstance(c.node, Mapping)]
    return (
        [type(shape) for shape in state.shapes],
        state.own_targets,
        set(state.tree.anchors),
        names,
        [_facts_of_case(c, analysis, block) for c in cases],
    )


def _cases(analysis: Analysis, number: int) -> list[Case]:
    """The cases of a block; none if it is the text below them all."""
    block = analysis.document.blocks[number] if number < len(analysis.document.blocks) else None
    shapes = analysis.states[block].shapes if block is not None and block.key else ()
    return [shape for shape in shapes if isinstance(shape, Case)]


def _facts_of_case(case: Case, analysis: Analysis, block: Block) -> object:
    column = column_of(block.text, case.node.whole.start) if case.node is not None else 0
    places = {field: place for field in CASE_FACTS if (place := case.places.get(field)) is not None}
    # In dialects with prompts, it counts whether an input, which is an error, or a misspelt `vars` is written.
    asks = analysis.dialect.spelled(Case, "input") is None and "input" in case.unread
    return (
        column,
        asks,
        "vars" in case.unread,
        {field: block.text[slice(*place.node.whole)] for field, place in places.items()},
    )
