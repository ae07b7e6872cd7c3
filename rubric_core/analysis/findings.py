"""The findings of blocks at offsets of the whole text, with ignore comments applied."""

import sys
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import compress
from operator import is_
from pathlib import Path
from typing import Any

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import NOT_LISTED, BlockFindings, BlockState, Found
from rubric_core.analysis.cross_case import reusable
from rubric_core.analysis.family_cross_case import cross_case_of
from rubric_core.analysis.finding_list import FindingList, FindingsByBlock, in_order
from rubric_core.analysis.repetitions import Repetitions
from rubric_core.analysis.result import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.issues import NotASuite, WrongRoot
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Diagnostic, Finding, Fix, Related, Rule
from rubric_core.validation.selection import EVERYTHING
from rubric_core.validation.suppression import PlacedIgnore, Suppression, UnusedIgnore

__all__ = ["Findings"]


_LONE = pattern(r"(?<!\r)\n")


def _any_takes_names(files: Mapping[Path, FileKind]) -> bool:
    return any(kind.takes_names for kind in files.values())


class Findings:
    """The findings of every block and those across blocks, with ignore comments applied."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.language = analysis.language
        self.dialect = analysis.dialect
        self.states = analysis.states
        self.frame = analysis.frame
        self.cross_case = cross_case_of(analysis.kind)
        #: The selected findings, and the line break of the text.
        self.shown = (analysis.selection, "\r\n" in analysis.frame.head)
        #: Fixes at offsets of the whole text, by their original: many findings may share one.
        self._fixes: dict[tuple[int, int | None], tuple[Fix, Fix]] = {}
        #: Findings of blocks that findings across blocks replace.
        self.explained: list[tuple[str, Span]] = []

    def settle(self, previous: Analysis | None = None, change: BlockChange | None = None) -> None:
        """Separate the findings that ignore comments cover from the reported ones, and report unused comments."""
        loose = [*self._frame_diagnostics(), *self._across(previous, change)]
        known = previous.by_block if previous is not None and self._is_kept(previous) else None
        blocks = self.analysis.document.blocks
        if known is None or change is None:
            ignores = any(state.ignores for state in self.states.values())
        else:
            blocks = blocks[change.start : len(blocks) - change.end]
            ignores = any(self.states[b].ignores for b in (self.frame.block, *(b for b in blocks if b.key)))
        if self.explained or ignores:
            self._suppress(loose)
            return
        listed = [self._listed(self.states[b]) if b.key else NOT_LISTED for b in blocks]
        by_block = FindingsByBlock(self.shown, [each.every for each in listed], [each.wanted for each in listed])
        if known is not None and change is not None:
            by_block = known.around(by_block, change.start, change.end)
        self.analysis.by_block = by_block
        repeated = Repetitions.of
        if known is not None and change is not None and previous is not None:
            repeated = partial(previous.repetitions.around, start=change.start, end=change.end)
        self.analysis.take(FindingList(by_block.every, in_order(self._with_breaks(loose))), by_block.wanted, repeated)

    def _is_kept(self, previous: Analysis) -> bool:
        """Whether the findings of blocks that are shared with an earlier version are unchanged."""
        known, now = previous.by_block, self.analysis
        alike_inside = previous.judged_in is not None and previous.judged_in == now.judged_in
        return known is not None and known.shown == self.shown and alike_inside and previous.linked_in == now.linked_in

    def _suppress(self, loose: list[Diagnostic]) -> None:
        """The same if findings hide one another, or ignore comments apply: nothing is cached per block."""
        blocks = (n for n, block in enumerate(self.analysis.document.blocks) if block.key)
        everything = [*(each for number in blocks for each in self.of_block(number)), *loose]
        self.explained.sort()
        found = in_order(self._with_breaks([d for d in everything if not self._explained(d)]))
        suppression = Suppression(self._ignores())
        covered = [suppression.covers(d) for d in found]
        self.analysis.ignored = tuple(compress(found, covered))
        shown = [d for d, hidden in zip(found, covered, strict=True) if not hidden]
        context = Context("", self.dialect)
        for unused in suppression.unused(self.language.codes, self._settled) if suppression else ():
            for rule in self.language.visitors(UnusedIgnore, context.engine):
                shown += (self._diagnostic(rule, f, None, lambda span: span) for f in rule.check(unused, context))
        self.analysis.take(FindingList(loose=in_order(shown)))

    def _with_breaks(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """Findings with the line breaks of the text in their fixes: a rule sees one block, which may have none."""
        if "\r\n" not in self.frame.head:
            return found
        return [replace(d, fixes=tuple(map(self._fix_with_breaks, d.fixes))) if d.fixes else d for d in found]

    def _listed(self, state: BlockState) -> BlockFindings:
        """The findings of a block in order, at offsets of the block."""
        known, selection = state.listed, self.analysis.selection
        if known.findings is state.findings and known.links is state.links and known.shown == self.shown:
            return known
        found = [self._diagnostic(r, f, None, lambda span: span) for r, f in (*state.findings, *state.links.findings)]
        every = in_order(self._with_breaks(found))
        wanted = every if selection is EVERYTHING else tuple(selection.of(every))
        if len(wanted) == len(every) and all(map(is_, wanted, every)):
            wanted = every
        state.listed = BlockFindings(state.findings, state.links, self.shown, every, wanted)
        return state.listed

    def of_block(self, number: int) -> Iterator[Diagnostic]:
        """The findings of an item of the list, on its own."""
        state = self.states[self.analysis.document.blocks[number]]
        if state.findings or state.links.findings:
            start = self.analysis.document.start(number)
            for rule, finding in (*state.findings, *state.links.findings):
                yield self._diagnostic(rule, finding, number, lambda span: span.moved(start))

    def without_fixes(self, number: int) -> Iterator[Diagnostic]:
        """The same without fixes and related places, for comparison."""
        state, start = self.states[self.analysis.document.blocks[number]], self.analysis.document.start(number)
        for rule, found in (*state.findings, *state.links.findings):
            severity, hides = found.severity or rule.severity, found.hides
            hidden = hides.moved(start) if hides is not None else None
            message = found.within_limits().message
            yield Diagnostic(rule.code, severity, found.span.moved(start), message, hides=hidden, group=rule.group)

    def _frame_diagnostics(self) -> Iterator[Diagnostic]:
        analysis = self.analysis
        frame = self.states[self.frame.block]
        for rule, finding in (*frame.findings, *frame.links.findings):
            diagnostic = self._diagnostic(rule, finding, -1, lambda span: analysis.span_of(None, span))
            if self.frame.item_key == ROOT_LIST and rule.visits in (NotASuite, WrongRoot):
                # Only comments surround a bare list: its first item is underlined.
                first = Context(analysis.document.blocks[1].text, self.dialect).underlined(Span(0, 0))
                diagnostic = replace(diagnostic, span=first.moved(analysis.document.start(1)))
            yield diagnostic

    def _across(self, previous: Analysis | None, change: BlockChange | None) -> Iterator[Diagnostic]:
        """The findings of rules across cases; reused if their input has not changed."""
        analysis = self.analysis
        if previous is not None and not analysis.kind.takes_names:
            analysis.defined_names = previous.defined_names
        kept = None
        if previous is not None and change is not None:
            kept = reusable(self.cross_case, previous, analysis, change)
        if kept is None:
            analysis.across = tuple(self._looked_across())
        else:
            found, again = kept
            analysis.across = (*found, *self._looked_across(again)) if again else found
        if previous is not None and self._names_files_anew(previous):
            self._define(self.cross_case.view(analysis).defined_names)
        for rule, finding in analysis.across:
            self.explained += finding.explains
            yield self._diagnostic(rule, finding, None, lambda span: span)

    def _names_files_anew(self, previous: Analysis) -> bool:
        """Whether the text names files that need its names and did not before, or the reverse."""
        now, before = self.analysis.refers_to, previous.refers_to
        return now is not before and _any_takes_names(now) != _any_takes_names(before)

    def _define(self, names: Callable[[], DefinedNames | None]) -> None:
        """Set the names that the text defines for other files; a file that takes names from others defines none."""
        if not self.analysis.kind.takes_names:
            self.analysis.defined_names = names()

    def _looked_across(self, groups: Collection[str] | None = None) -> Iterator[Found]:
        """The findings of the rules across cases: of all, or of those in some groups."""
        view = self.cross_case.view(self.analysis)
        if groups is None or not self.cross_case.naming_groups.isdisjoint(groups):
            self._define(view.defined_names)
        yield from self._underlined([found for each in view.visited for found in self._found_in(each, groups)])

    def _found_in(self, whole: object, groups: Collection[str] | None = None) -> list[Found]:
        """What rules find in something about the whole text: all of them, or those in some groups."""
        context = Context("", self.dialect)
        rules = self.language.visitors(type(whole), context.engine)
        return [(r, f) for r in rules if groups is None or r.group in groups for f in r.check(whole, context)]

    def _underlined(self, found: list[Found]) -> Iterator[Found]:
        # Computed only if there is something to underline.
        written = Context(self.analysis.document.text if found else "", self.dialect)
        yield from ((rule, replace(finding, span=written.underlined(finding.span))) for rule, finding in found)

    def _explained(self, found: Diagnostic) -> bool:
        at = bisect_right(self.explained, (found.group, Span(found.span.start, sys.maxsize))) - 1
        group, span = self.explained[at] if at >= 0 else ("", Span(0, 0))
        return group == found.group and found.span.start < span.end

    def _ignores(self) -> Iterator[PlacedIgnore]:
        analysis = self.analysis
        for ignore in self.states[self.frame.block].ignores:
            yield PlacedIgnore(-1, ignore, partial(analysis.span_of, None))
        for number, block in enumerate(analysis.document.blocks):
            if block.key and self.states[block].ignores:
                outer = partial(Span.moved, by=analysis.document.start(number))
                yield from (PlacedIgnore(number, ignore, outer) for ignore in self.states[block].ignores)

    def _settled(self, number: int | None) -> bool:
        blocks = (
            self.states
            if number is None
            else [self.frame.block if number < 0 else self.analysis.document.blocks[number]]
        )
        return not any(p.kind == "syntax" for b in blocks for p in self.states[b].tree.problems)

    def _diagnostic(self, rule: Rule[Any], finding: Finding, number: int | None, outer: Any) -> Diagnostic:
        """A finding of block `number` in the whole text, with `outer` converting its spans."""
        finding = finding.within_limits()
        return Diagnostic(
            rule.code,
            finding.severity or rule.severity,
            outer(finding.span),
            finding.message,
            tuple(Related(outer(r.span), r.message) for r in finding.related),
            tuple(self._placed(fix, number, outer) for fix in finding.fixes),
            finding.consequence,
            finding.tags,
            outer(finding.hides) if finding.hides is not None else None,
            about_name=rule.about_name,
            group=rule.group,
        )

    def _placed(self, fix: Fix, number: int | None, outer: Any) -> Fix:
        if len(fix.edits) == 1:
            span, text = fix.edits[0]
            return Fix(fix.title, (Edit(outer(span), text),), fix.safe)
        known = self._fixes.get((id(fix), number))
        if known is None:
            made = Fix(fix.title, tuple(Edit(outer(e.span), e.new_text) for e in fix.edits), fix.safe)
            known = self._fixes[id(fix), number] = fix, made
        return known[1]

    def _fix_with_breaks(self, fix: Fix) -> Fix:
        """The fix with the line breaks of the text."""
        if len(fix.edits) == 1 and not _LONE.search(fix.edits[0].new_text):
            return fix
        known = self._fixes.get((id(fix), None))
        if known is None:
            edits = tuple(Edit(e.span, _LONE.sub("\r\n", e.new_text)) for e in fix.edits)
            known = self._fixes[id(fix), None] = fix, replace(fix, edits=edits)
        return known[1]
