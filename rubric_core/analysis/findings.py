"""What was found in the blocks of a text, put where it stands in the whole."""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

from rubric_core.analysis.result import Analysis
from rubric_core.language.around import FileKind
from rubric_core.language.model import CaseInclude
from rubric_core.language.shape import children
from rubric_core.language.targets import Entry
from rubric_core.loading.issues import NotASuite, WrongRoot
from rubric_core.syntax.items import ROOT_LIST
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import (
    CaseEntry,
    CaseList,
    Context,
    Diagnostic,
    Finding,
    Fix,
    Related,
    Rule,
    TargetEntry,
    TargetList,
)
from rubric_core.validation.suppression import Placed, Suppression, UnusedIgnore

__all__ = ["Findings"]


_LONE = re.compile(r"(?<!\r)\n")
#: Files whose cases belong to a suite elsewhere.
_TAKEN_OVER = (FileKind.CASES, FileKind.CASE, FileKind.DATASET)


class Findings:
    """The findings of every block and those across blocks, with what comments say about them."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.language = analysis.language
        self.dialect = analysis.dialect
        self.states = analysis.states
        self.frame = analysis.frame
        #: What findings across blocks say better than those of one block.
        self.explained: list[tuple[str, Span]] = []

    def settled(self) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
        """What no comment covers, with the comments that cover nothing; and what comments cover. Both in order of the text."""
        everything = list(self._diagnostics())
        self.explained.sort()
        found = sorted((d for d in everything if not self._explained(d)), key=lambda d: (d.span, d.code))
        if "\r\n" in self.frame.head:
            # A rule sees one block, which may have no line break to go by.
            found = [_with_breaks(d) for d in found]
        suppression = Suppression(self._ignores())
        if not suppression:
            return tuple(found), ()
        covered = [suppression.covers(d) for d in found]
        ignored = tuple(compress(found, covered))
        shown = [d for d, hidden in zip(found, covered, strict=True) if not hidden]
        context = Context("", self.dialect)
        for unused in suppression.unused([r.code for r in self.language.rules], self._settled):
            for rule in self.language.visitors(UnusedIgnore):
                shown += (_diagnostic(rule, finding, lambda span: span) for finding in rule.check(unused, context))
        return tuple(sorted(shown, key=lambda d: (d.span, d.code))), ignored

    def of_block(self, number: int) -> Iterator[Diagnostic]:
        """What is found in an item of the list that was cut, looked at by itself."""
        state = self.states[self.analysis.document.blocks[number]]
        if state.findings or state.links.findings:
            start = self.analysis.document.start(number)
            for rule, finding in (*state.findings, *state.links.findings):
                yield _diagnostic(rule, finding, lambda span: span.moved(start))

    def _diagnostics(self) -> Iterator[Diagnostic]:
        analysis = self.analysis
        frame = self.states[self.frame.block]
        for rule, finding in (*frame.findings, *frame.links.findings):
            diagnostic = _diagnostic(rule, finding, lambda span: analysis.span_of(None, span))
            if self.frame.item_key == ROOT_LIST and rule.visits in (NotASuite, WrongRoot):
                # Nothing but comments stands around a bare list: its first item is underlined.
                first = Context(analysis.document.blocks[1].text, self.dialect).underlined(Span(0, 0))
                diagnostic = replace(diagnostic, span=first.moved(analysis.document.start(1)))
            yield diagnostic
        for number, block in enumerate(analysis.document.blocks):
            if block.key:
                yield from self.of_block(number)
        shapes = (s for state in self.states.values() for s in state.shapes)
        taken_over = analysis.kind in _TAKEN_OVER or any(isinstance(s, CaseInclude) for s in shapes)
        siblings = analysis.siblings if taken_over else ()
        whole = CaseList(analysis.suite, analysis.cases, analysis.span_of, analysis.external, siblings, self._text_of)
        context = Context("", self.dialect)
        found = [(rule, f) for rule in self.language.visitors(CaseList) for f in rule.check(whole, context)]
        if analysis.kind is FileKind.TARGETS:
            targets = TargetList(tuple(self._entries()))
            found += ((rule, f) for rule in self.language.visitors(TargetList) for f in rule.check(targets, context))
        # Put together only when there is something to underline.
        written = Context(analysis.document.text if found else "", self.dialect)
        for rule, finding in found:
            self.explained += finding.explains
            shown = replace(finding, span=written.underlined(finding.span))
            yield _diagnostic(rule, shown, lambda span: span)

    def _explained(self, found: Diagnostic) -> bool:
        at = bisect_right(self.explained, (found.code, Span(found.span.start, sys.maxsize))) - 1
        code, span = self.explained[at] if at >= 0 else ("", Span(0, 0))
        return code == found.code and found.span.start < span.end

    def _text_of(self, entry: CaseEntry | None) -> str:
        """The text of the block that a case stands in."""
        if entry is None or entry.block < 0:
            return self.frame.block.text
        return self.analysis.document.blocks[entry.block].text

    def _entries(self) -> Iterator[TargetEntry]:
        """The entries of a targets file, wherever their list stands."""
        for shape in (c for s in self.states[self.frame.block].shapes for c in children(s)):
            if isinstance(shape, Entry):
                yield TargetEntry(shape, partial(self.analysis.span_of, None))
        for number, block in enumerate(self.analysis.document.blocks):
            if block.key == ROOT_LIST:
                outer = partial(Span.moved, by=self.analysis.document.start(number))
                yield from (TargetEntry(s, outer) for s in self.states[block].shapes if isinstance(s, Entry))

    def _ignores(self) -> Iterator[Placed]:
        analysis = self.analysis
        for ignore in self.states[self.frame.block].ignores:
            yield Placed(-1, ignore, partial(analysis.span_of, None))
        for number, block in enumerate(analysis.document.blocks):
            if block.key and self.states[block].ignores:
                outer = partial(Span.moved, by=analysis.document.start(number))
                yield from (Placed(number, ignore, outer) for ignore in self.states[block].ignores)

    def _settled(self, number: int | None) -> bool:
        blocks = (
            self.states
            if number is None
            else [self.frame.block if number < 0 else self.analysis.document.blocks[number]]
        )
        return not any(p.kind == "syntax" for b in blocks for p in self.states[b].tree.problems)


def _with_breaks(found: Diagnostic) -> Diagnostic:
    """The finding with the line breaks of the text in its fixes."""
    if not any(_LONE.search(e.new_text) for f in found.fixes for e in f.edits):
        return found
    fixes = (replace(f, edits=tuple(Edit(e.span, _LONE.sub("\r\n", e.new_text)) for e in f.edits)) for f in found.fixes)
    return replace(found, fixes=tuple(fixes))


def _diagnostic(rule: Rule[Any], finding: Finding, outer: Any) -> Diagnostic:
    return Diagnostic(
        rule.code,
        finding.severity or rule.severity,
        outer(finding.span),
        finding.message,
        tuple(Related(outer(r.span), r.message) for r in finding.related),
        tuple(Fix(f.title, tuple(Edit(outer(e.span), e.new_text) for e in f.edits), f.safe) for f in finding.fixes),
        finding.consequence,
        finding.tags,
        outer(finding.hides) if finding.hides is not None else None,
    )
