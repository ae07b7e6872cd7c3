"""Incremental analysis: only changed blocks are analysed again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import BlockState, Found
from rubric_core.analysis.findings import Findings
from rubric_core.analysis.result import Analysis
from rubric_core.language.file_kinds import ITEMS, OF_PROMPTFOO, PROVIDER_ITEM, ROOTS, TEXTS, FileKind
from rubric_core.language.model import CASE, Execution, Requires, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.language.value_kinds import Kind
from rubric_core.loading.block_references import BlockReferences, look_up_references, own_targets
from rubric_core.loading.grading import suite_list
from rubric_core.loading.issues import Issue, NotYaml, UnknownKey, UnknownType
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.loading.promptfoo_files import look_up_configuration
from rubric_core.loading.promptfoo_table import CaseTable
from rubric_core.loading.reference_issues import PromptText
from rubric_core.loading.references import References
from rubric_core.loading.split_items import join_split_item
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.line_document import LineDocument, is_still_json
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span
from rubric_core.validation.rule import (
    Context,
    ExternalCases,
    Finding,
    SuiteDefaults,
)

__all__ = ["Check", "items_of"]


def items_of(document: Document, states: Mapping[Block, BlockState], frame: Node | None) -> Iterator[Node]:
    """The items that have blocks of their own, or those of a list that is all there is and could not be cut."""
    roots = (states[block].tree.root for block in document.blocks if block.key)
    framed = (frame,) if isinstance(frame, SequenceNode) else ()
    for root in chain(roots, framed):
        yield from (item for item in (root.items if isinstance(root, SequenceNode) else [root]) if item)


class Check:
    """Lowers and judges what is new, then puts everything together."""

    def __init__(self, analysis: Analysis, around: tuple[Project, Path] | None) -> None:
        self.analysis = analysis
        self.around = analysis.around = around
        self.language = analysis.language
        self.dialect = analysis.dialect
        self.states = analysis.states  # the check fills the analysis
        self.anchors = analysis.anchoring
        self.frame = analysis.frame
        self.item_kind = analysis.item_kind = _item_kind(analysis)
        #: Whether every line is a case, as JSON.
        self.is_lines = isinstance(analysis.document, LineDocument)
        #: Equal contexts mean equal shapes for equal texts.
        self.context = (self.dialect.name, analysis.kind, self.item_kind, around is None)
        #: Shapes and everything inside them, from lowering to linking, by the id of the shapes, which are kept with it.
        self._inner: dict[int, tuple[tuple[Shape, ...] | None, list[Shape] | None]] = {}

    def run(self, previous: Analysis | None = None, change: BlockChange | None = None) -> None:
        """Check the text; what `previous`, an analysis of an earlier version, knows of blocks that are still there is kept.

        Args:
            previous: The earlier version, if any.
            change: What differs between the two; None: nothing of `previous` is kept.
        """
        analysis = self.analysis
        self._refresh_frame()
        shapes = self.states[self.frame.block].shapes
        analysis.suite = next((s for s in shapes if isinstance(s, Suite)), None)
        # What a file of cases inherits stands in the suites that refer to it.
        defaults = _defaults(analysis.suite if analysis.kind is FileKind.SUITE else None)
        settled = previous is not None and change is not None and previous.judged_in is not None
        blocks = (*change.added, self.frame.block) if settled and change is not None else self.states
        if not any(self.states[block].borrows for block in blocks):
            analysis.judged_in = (self.language, self.context, defaults)
        if not settled or previous is None or previous.judged_in != analysis.judged_in:
            previous = change = None
        self._refresh_items(change, defaults)
        if previous is not None and change is not None and change.alike(previous.states, self.states, _own_targets):
            analysis.own_targets = previous.own_targets
        else:
            analysis.own_targets = frozenset[str]().union(*map(_own_targets, self.states.values()))
        if self.around is not None and analysis.kind is FileKind.PROMPTFOO:
            self._link_promptfoo(*self.around, previous, change)
        elif self.around is not None and analysis.kind not in OF_PROMPTFOO:
            self._link(*self.around, previous, change)
        Findings(analysis).settle(previous, change)

    def _refresh_items(self, change: BlockChange | None, defaults: SuiteDefaults) -> None:
        """Look at the items of the list, after a change only at those that an earlier version has not."""
        blocks = self.analysis.document.blocks
        first, last = (change.start, len(blocks) - change.end) if change is not None else (0, len(blocks))
        for number in range(first, last):
            if blocks[number].key:
                self._refreshed(number, blocks[number], defaults)

    def nearby(self, blocks: Iterable[tuple[int, Block]]) -> None:
        """Lower and judge some blocks, in an analysis in which everything else is as it was in an earlier one."""
        analysis = self.analysis
        defaults = _defaults(analysis.suite if analysis.kind is FileKind.SUITE else None)
        for number, block in blocks:
            self._refreshed(number, block, defaults)
            if analysis.references is not None:
                self._linked(number, block, analysis.references, pinned=self._is_pinned)

    def _refreshed(self, number: int, block: Block, defaults: SuiteDefaults) -> BlockState:
        state = self.states[block]
        key = (self.context, defaults, self.anchors.key(number) if state.borrows else ())
        if state.key != key:
            self._refresh_item(block, key, defaults, number)
        return self.states[block]

    def _link(self, project: Project, path: Path, previous: Analysis | None, change: BlockChange | None) -> None:
        """Look up what the text refers to in other files, in every block for which that may have changed."""
        analysis, states, blocks = self.analysis, self.states, self.analysis.document.blocks
        references = References(project, path, analysis.kind, self.dialect, analysis.own_targets)
        analysis.references, pinned = references, self._is_pinned
        analysis.linked_in = (project, project.version, references.key, pinned)
        if previous is None or change is None or previous.linked_in != analysis.linked_in:
            previous, first, last = None, 0, len(blocks)
        else:
            first, last = change.start, len(blocks) - change.end
        self._linked(-1, self.frame.block, references, pinned=pinned)
        for number in range(first, last):
            if blocks[number].key:
                self._linked(number, blocks[number], references, pinned=pinned)
        known = references.targets(outside := project.look())
        if previous is not None and change is not None and self._links_alike(previous, change):
            analysis.linked_files, analysis.refers_to = previous.linked_files, previous.refers_to
        else:
            links = [states[self.frame.block].links, *(states[block].links for block in blocks if block.key)]
            analysis.linked_files = frozenset[Path]().union(*{each.seen for each in links})
            analysis.refers_to = {
                **{f: k for each in links for f, k in each.files},
                **(
                    {known.path: FileKind.TARGETS} if known.path is not None and analysis.kind is FileKind.SUITE else {}
                ),
            }
            analysis.external = tuple(sorted(self._external(), key=lambda each: each.span))
        analysis.depends_on = analysis.linked_files | outside.seen

    def _link_promptfoo(
        self, project: Project, path: Path, previous: Analysis | None, change: BlockChange | None
    ) -> None:
        """The same for a configuration of promptfoo, whose paths follow other rules."""
        analysis, states, blocks = self.analysis, self.states, self.analysis.document.blocks
        analysis.linked_in = (project, project.version, path)
        every = [self.frame.block, *(b for b in blocks if b.key)]
        known = previous is not None and change is not None and previous.linked_in == analysis.linked_in
        for block in [self.frame.block, *change.added] if known and change is not None else every:
            state, key = states[block], (states[block].key, path)
            since, state.linked_at = state.linked_at, project.version
            if state.linked == key and not project.changed_since(since, state.links.seen):
                continue
            state = self._to_link(block)
            state.linked, state.linked_at = key, project.version
            in_list = state.tree.root if block.key else None
            state.links = look_up_configuration(state.shapes, in_list, project.look(), path.parent)
            state.links.findings = self._judge(state.links.issues, Context(block.text, self.dialect))
        if known and previous is not None and change is not None and self._links_alike(previous, change):
            analysis.linked_files, analysis.refers_to = previous.linked_files, previous.refers_to
        else:
            links = [states[b].links for b in every]
            analysis.linked_files = frozenset[Path]().union(*(each.seen for each in links))
            analysis.refers_to = {f: k for each in links for f, k in each.files}
        analysis.depends_on = analysis.linked_files

    def _links_alike(self, previous: Analysis, change: BlockChange) -> bool:
        """Whether all links together are what they were. The places of cases in other files move with every letter."""
        if previous.external or any(self.states[b].links.cases for b in change.added):
            return False
        frame = previous.states[previous.frame.block].links, self.states[self.frame.block].links
        return _links(frame[0]) == _links(frame[1]) and change.alike(
            previous.states, self.states, lambda state: _links(state.links)
        )

    @property
    def _is_pinned(self) -> bool:
        """Whether somebody said which releases of the engine run this."""
        return self.analysis.choice.stated or _needs_release(self.analysis.suite)

    def _linked(self, number: int, block: Block, references: References, *, pinned: bool) -> None:
        state, project = self.states[block], references.project
        key = (state.key, references.key, pinned)
        since = state.linked_at
        state.linked_at = project.version
        if state.linked == key and not project.changed_since(since, state.links.seen):
            return
        state = self._to_link(block)
        state.linked, state.linked_at = key, project.version
        sources = self.anchors.blocks(number) if state.borrows and number >= 0 else ()
        above = [self.states[b].links.told for b in sources]
        marked = bool(state.borrows or state.tree.problems) or "//" in block.text or "\\" in block.text
        state.links = look_up_references(
            references, state.shapes, state.tree.root, state.deferred, above, marked=marked,
            every=self._inner.pop(id(state.shapes), (None, None))[1],
        )  # fmt: skip
        state.links.findings = self._judge(state.links.issues, Context(block.text, self.dialect, pinned=pinned))

    def _external(self) -> Iterator[ExternalCases]:
        outer = self.analysis.span_of
        for at, found, text in self.states[self.frame.block].links.cases:
            yield ExternalCases(outer(None, at), found, text)
        for number, block in enumerate(self.analysis.document.blocks):
            if block.key and self.states[block].links.cases:
                start = self.analysis.document.start(number)
                for at, found, text in self.states[block].links.cases:
                    yield ExternalCases(at.moved(start), found, text)

    def _to_fill(self, block: Block) -> BlockState:
        """The state of a block that is understood again; an earlier analysis keeps what it knows of it."""
        state = self.states[block]
        if state.key is not None:
            state = self.states[block] = state.again()
        return state

    def _to_link(self, block: Block) -> BlockState:
        """The state of a block that is linked again; an earlier analysis keeps what it knows of it."""
        state = self.states[block]
        if state.linked is not None:
            key, state = state.key, state.again()
            state.key = key
            self.states[block] = state
        return state

    def _refresh_frame(self) -> None:
        key = (self.context, self.frame.item_key, self.anchors.key(-1))
        if self.states[self.frame.block].key == key:
            return
        state = self._to_fill(self.frame.block)
        lowering = Lowering(
            self.frame.block.text, self.dialect, self.language.related(self.dialect), self.anchors.outer(-1)
        )
        lowering.known = self.anchors.names(-1)
        broken = any(p.kind in ("syntax", "size") for p in state.tree.problems)
        skipped = self.analysis.kind not in ROOTS or (state.tree.root is None and broken)
        shapes = [] if skipped else lowering.root(state.tree.root, self.analysis.kind, self.frame.item_key)
        lowering.references(state.tree.aliases)
        suite = next((s for s in shapes if isinstance(s, Suite)), None)
        context = Context(self.frame.block.text, self.dialect, _defaults(suite))
        if self.analysis.kind is FileKind.PROMPT:
            lowering.issues.append(PromptText(span=Span(0, 0), text=self.frame.block.text))
        elif self.analysis.kind is FileKind.PROMPTFOO_TABLE:
            lowering.issues.append(CaseTable(span=Span(0, 0), text=self.frame.block.text))
        self._fill(state, key, tuple(shapes), lowering.issues, context, -1)

    def _refresh_item(self, block: Block, key: object, defaults: SuiteDefaults, number: int) -> None:
        state = self._to_fill(block)
        lowering = Lowering(block.text, self.dialect, self.language.related(self.dialect), self.anchors.outer(number))
        lowering.known = self.anchors.names(number)
        lowering.merged_above = self.anchors.merged(number)
        root = state.tree.root
        items = root.items if isinstance(root, SequenceNode) else [root] if root is not None else []
        kind = self.item_kind if block.key == ROOT_LIST or self.analysis.kind in OF_PROMPTFOO else CASE
        name = "" if block.key == ROOT_LIST else self.dialect.spelled(Suite, "cases") or ""
        if self.is_lines and state.tree.problems:
            items = []  # of a line that is no JSON nobody knows what else is missing
        if len(items) > 1 and kind is not None:
            items = list(join_split_item(items, kind, self.dialect, block.text, lowering.type_of))
        shapes = tuple(s for i in items if kind is not None and (s := lowering.item(kind, i, name)) is not None)
        lowering.references(state.tree.aliases)
        state.merged = lowering.merged_here
        self._fill(state, key, shapes, lowering.issues, Context(block.text, self.dialect, defaults), number)

    def _fill(
        self,
        state: BlockState,
        key: object,
        shapes: tuple[Shape, ...],
        issues: list[Issue],
        context: Context,
        number: int,
    ) -> None:
        state.key = key
        state.shapes = shapes
        problems = () if self.analysis.kind in TEXTS else state.tree.problems
        visited: list[Issue | Shape] = [NotYaml(span=p.span, problem=p) for p in problems]
        half_typed = {p.span for p in state.tree.problems}
        deferred: list[UnknownType] = []
        for issue in issues:
            if self.around and isinstance(issue, UnknownType) and issue.custom:
                deferred.append(issue)
            elif not (isinstance(issue, UnknownKey) and issue.span in half_typed):
                visited.append(issue)
        state.deferred = tuple(deferred)
        inner = [c for s in shapes for c in children(s)]
        state.own_targets = own_targets(inner)
        if self.around is not None:
            self._inner[id(shapes)] = shapes, inner
        visited += inner
        borrowed = any(each.borrowed for each in visited)
        if borrowed or state.tree.anchors:  # else nobody asks, and thousands of cases need not remember it
            state.judged = frozenset(_origin(each) for each in visited if not each.borrowed) - {None}
        if borrowed:
            origins = frozenset(_origin(each) for each in visited if each.borrowed) - {None}
            told = origins & self._judged(origins, number)
            visited = [each for each in visited if not each.borrowed or _origin(each) not in told]
            state.judged |= told
        state.findings = self._judge(visited, context)

    def _judged(self, origins: frozenset[object], number: int) -> frozenset[object]:
        """What of these was judged in a block or where it comes from. Most of it is known to the blocks that it refers to."""
        state = self.states[self.frame.block if number < 0 else self.analysis.document.blocks[number]]
        if number < 0 or not state.borrows or origins <= state.judged:
            return state.judged
        direct = (d for d in self.anchors.direct(number) if d >= 0)
        judged = state.judged.union(*(self.states[self.analysis.document.blocks[d]].judged for d in direct))
        if origins <= judged:
            return judged
        return judged.union(*(self.states[b].judged for b in self.anchors.blocks(number)))

    def _is_json(self, text: str) -> bool:
        """Whether a file of promptfoo is JSON, which no fix may end."""
        return (
            self.analysis.kind in OF_PROMPTFOO
            and text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
            and is_still_json(text, ())
        )

    def _judge(self, visited: Iterable[Any], context: Context) -> tuple[Found, ...]:
        """What the rules find in shapes and issues; the same thing said twice is said once."""
        judges = self.language.judges  # of an issue they need no fields
        found = [
            (rule, _settled(finding, context.underlined(finding.span), finding.hides or _hidden(each)))
            for each in visited for rule, needs in judges(type(each)) if needs is None or not needs.isdisjoint(each.places)
            for finding in rule.check(each, context)
        ]  # fmt: skip
        if not found:
            return ()
        if self.is_lines or self._is_json(context.text):
            found = [
                (r, replace(f, fixes=tuple(x for x in f.fixes if is_still_json(context.text, x.edits))))
                for r, f in found
            ]
        return tuple({(rule.code, finding.span, finding.message): (rule, finding) for rule, finding in found}.values())


def _own_targets(state: BlockState) -> frozenset[str]:
    return state.own_targets


def _links(links: BlockReferences) -> tuple[object, ...]:
    return links.seen, links.files, links.cases


def _item_kind(analysis: Analysis) -> Kind[Any] | None:
    if analysis.kind is FileKind.TARGETS:
        items = items_of(analysis.document, analysis.states, None)  # a part of the check
        if any(isinstance(i, MappingNode) and i.get("label") is not None for i in items):
            return PROVIDER_ITEM
    return ITEMS.get(analysis.kind)


def _needs_release(suite: Suite | None) -> bool:
    """Whether a suite says which releases of the engine can run it."""
    return suite is not None and isinstance(suite.requires, Requires) and suite.requires.agentv is not None


def _settled(finding: Finding, span: Span, hides: Span | None) -> Finding:
    """A finding with what is underlined; most rules give that themselves, and a copy takes longer than to compare."""
    return finding if (span, hides) == (finding.span, finding.hides) else replace(finding, span=span, hides=hides)


def _hidden(each: Issue | Shape) -> Span | None:
    return each.hides if isinstance(each, Issue) and not each.borrowed else None


def _origin(each: Issue | Shape) -> object:
    """The same for everything of one class that is about one place in the text, referred to or not; None where unknown."""
    entry = getattr(each, "entry", None)
    node = entry.key if entry is not None else getattr(each, "node", None)
    return None if node is None else (type(each), id(node))


def _defaults(suite: Suite | None) -> SuiteDefaults:
    if suite is None:
        return SuiteDefaults(asserts=True)
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    threshold = execution.threshold if execution is not None and execution.has("threshold") else None
    return SuiteDefaults(
        asserts=bool(suite_list(suite)),
        evaluator=suite.has("evaluator"),
        threshold=threshold,
        asks=suite.has("input"),
        filters=frozenset(suite.nunjucks_filters or ()),
    )
