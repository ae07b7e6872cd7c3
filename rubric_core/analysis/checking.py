"""What is in the blocks of a text and what is wrong with them. Only those that changed are looked at again."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rubric_core.analysis.finding_list import alike
from rubric_core.analysis.findings import Findings
from rubric_core.analysis.result import Analysis
from rubric_core.analysis.states import BlockState, Found
from rubric_core.language.around import ITEMS, PROVIDER_ITEM, ROOTS, FileKind
from rubric_core.language.kinds import Kind
from rubric_core.language.model import CASE, Case, Execution, Requires, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.loading.grading import suite_list
from rubric_core.loading.issues import Issue, NotYaml, UnknownKey, UnknownType
from rubric_core.loading.links import linked, own_targets
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.loading.reference_issues import PromptText
from rubric_core.loading.references import References
from rubric_core.loading.split import joined
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.items import ROOT_LIST
from rubric_core.syntax.line_document import still_json
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span
from rubric_core.validation.rule import (
    CaseEntry,
    Context,
    ExternalCases,
    SuiteDefaults,
)

__all__ = ["Check", "items_of"]


def items_of(states: Mapping[Block, BlockState], frame: Node | None) -> Iterator[Node]:
    """The items that have blocks of their own, or those of a list that is all there is and could not be cut."""
    roots = [state.tree.root for block, state in states.items() if block.key]
    if isinstance(frame, SequenceNode):
        roots.append(frame)
    return (item for root in roots for item in (root.items if isinstance(root, SequenceNode) else [root]) if item)


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
        #: Equal contexts mean equal shapes for equal texts.
        self.context = (self.dialect.name, analysis.kind, self.item_kind, around is None)

    def run(self, previous: Analysis | None = None) -> None:
        """Check the text; what `previous`, an analysis of an earlier version, knows of blocks that are still there is kept."""
        analysis = self.analysis
        self._refresh_frame()
        shapes = self.states[self.frame.block].shapes
        analysis.suite = next((s for s in shapes if isinstance(s, Suite)), None)
        # What a file of cases inherits stands in the suites that refer to it.
        defaults = _defaults(analysis.suite if analysis.kind is FileKind.SUITE else None)
        if not any(state.borrows for state in self.states.values()):
            analysis.judged_in = (self.language, self.context, defaults)
        if previous is not None and analysis.judged_in is not None and previous.judged_in == analysis.judged_in:
            self._follow(previous, defaults)
        else:
            previous = None
            analysis.cases = (*self._framed(), *self._cases(range(len(analysis.document.blocks)), defaults))
        if self.around is not None:
            self._link(*self.around, previous)
        Findings(analysis).settle(previous)

    def _follow(self, before: Analysis, defaults: SuiteDefaults) -> None:
        """Look at the blocks that an earlier version has not, and take the cases of the others from it."""
        analysis = self.analysis
        old, new = before.document, analysis.document
        start, end = alike(old.blocks, new.blocks)
        cases = before.cases
        first = bisect_left(cases, start, key=_block)
        last = bisect_left(cases, len(old.blocks) - end, lo=first, key=_block)
        framed = bisect_left(cases, 0, key=_block)
        made = [*self._framed(), *cases[framed:first]]
        made += self._cases(range(start, len(new.blocks) - end), defaults)
        blocks, by = len(new.blocks) - len(old.blocks), len(new) - len(old)
        if blocks or by:
            made += [CaseEntry(case, block + blocks, at + by) for case, block, at in cases[last:]]
        else:
            made += cases[last:]
        analysis.cases = tuple(made)

    def _framed(self) -> Iterator[CaseEntry]:
        """The cases of a list that is not cut into blocks."""
        suite = self.analysis.suite
        written = suite.cases if suite is not None else None
        return (CaseEntry(c, -1, 0) for c in (written if isinstance(written, list) else ()) if isinstance(c, Case))

    def _cases(self, numbers: Iterable[int], defaults: SuiteDefaults) -> Iterator[CaseEntry]:
        """The cases of some blocks, each of which is looked at if that is needed."""
        document = self.analysis.document
        for number in numbers:
            block = document.blocks[number]
            if block.key:
                start, shapes = document.start(number), self._refreshed(number, block, defaults).shapes
                yield from (CaseEntry(c, number, start) for c in shapes if isinstance(c, Case))

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

    def _link(self, project: Project, path: Path, previous: Analysis | None) -> None:
        """Look up what the text refers to in other files, in every block for which that may have changed."""
        analysis, states = self.analysis, self.states
        own = analysis.own_targets
        references = analysis.references = References(project, path, analysis.kind, self.dialect, own)
        pinned = self._is_pinned
        analysis.linked_in = (project, project.version, references.key, pinned)
        settled = previous is not None and previous.linked_in == analysis.linked_in
        numbered = [(-1, self.frame.block), *((n, b) for n, b in enumerate(analysis.document.blocks) if b.key)]
        for number, block in numbered:
            if number < 0 or not settled or states[block].linked is None:
                self._linked(number, block, references, pinned=pinned)
        known = references.targets(outside := project.look())
        links = [state.links for state in states.values()]
        analysis.depends_on = frozenset(outside.seen).union(*{each.seen for each in links})
        analysis.refers_to = {
            **{f: k for each in links for f, k in each.files},
            **({known.path: FileKind.TARGETS} if known.path is not None and analysis.kind is FileKind.SUITE else {}),
        }
        analysis.external = tuple(sorted(self._external(), key=lambda each: each.span))

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
        state.links = linked(references, state.shapes, state.tree.root, state.deferred, above)
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
        """The state of a block that is understood anew; an earlier analysis keeps what it knows of it."""
        state = self.states[block]
        if state.key is not None:
            state = self.states[block] = state.again()
        return state

    def _to_link(self, block: Block) -> BlockState:
        """The state of a block that is linked anew; an earlier analysis keeps what it knows of it."""
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
        lowering = Lowering(self.frame.block.text, self.dialect, self.language.dialects, self.anchors.outer(-1))
        lowering.known = self.anchors.names(-1)
        broken = any(p.kind in ("syntax", "size") for p in state.tree.problems)
        skipped = self.analysis.kind not in ROOTS or (state.tree.root is None and broken)
        shapes = [] if skipped else lowering.root(state.tree.root, self.analysis.kind, self.frame.item_key)
        lowering.references(state.tree.aliases)
        suite = next((s for s in shapes if isinstance(s, Suite)), None)
        context = Context(self.frame.block.text, self.dialect, _defaults(suite))
        if self.analysis.kind is FileKind.PROMPT:
            lowering.issues.append(PromptText(span=Span(0, 0), text=self.frame.block.text))
        self._fill(state, key, tuple(shapes), lowering.issues, context, -1)

    def _refresh_item(self, block: Block, key: object, defaults: SuiteDefaults, number: int) -> None:
        state = self._to_fill(block)
        lowering = Lowering(block.text, self.dialect, self.language.dialects, self.anchors.outer(number))
        lowering.known = self.anchors.names(number)
        root = state.tree.root
        items = root.items if isinstance(root, SequenceNode) else [root] if root is not None else []
        kind = self.item_kind if block.key == ROOT_LIST else CASE
        name = "" if block.key == ROOT_LIST else self.dialect.spelled(Suite, "cases") or ""
        if self.analysis.kind is FileKind.DATASET and state.tree.problems:
            items = []  # of a line that is no JSON nobody knows what else is missing
        if len(items) > 1 and kind is not None:
            items = list(joined(items, kind, self.dialect, block.text, lowering.type_of))
        shapes = tuple(s for i in items if kind is not None and (s := lowering.item(kind, i, name)) is not None)
        lowering.references(state.tree.aliases)
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
        visited: list[Issue | Shape] = [NotYaml(span=p.span, problem=p) for p in state.tree.problems]
        state.deferred = tuple(i for i in issues if self.around and isinstance(i, UnknownType) and i.custom)
        issues = [i for i in issues if i not in state.deferred]
        half_typed = {p.span for p in state.tree.problems}
        visited += (i for i in issues if not (isinstance(i, UnknownKey) and i.span in half_typed))
        inner = [c for s in shapes for c in children(s)]
        state.own_targets = own_targets(inner)
        visited += inner
        borrowed = any(each.borrowed for each in visited)
        if borrowed or state.tree.anchors:  # else nobody asks, and thousands of cases need not remember it
            state.judged = frozenset(_origin(each) for each in visited if not each.borrowed) - {None}
        if borrowed:
            above = self.anchors.blocks(number) if number >= 0 and state.borrows else ()
            judged = frozenset[object]().union(*(self.states[b].judged for b in above))
            visited = [each for each in visited if not each.borrowed or _origin(each) not in state.judged | judged]
        state.findings = self._judge(visited, context)

    def _judge(self, visited: Iterable[Issue | Shape], context: Context) -> tuple[Found, ...]:
        """What the rules find in shapes and issues; the same thing said twice is said once."""
        found = [
            (rule, replace(finding, span=context.underlined(finding.span), hides=finding.hides or _hidden(each)))
            for each in visited for rule in self.language.visitors(type(each)) for finding in rule.check(each, context)
        ]  # fmt: skip
        if self.analysis.kind is FileKind.DATASET:
            found = [
                (r, replace(f, fixes=tuple(x for x in f.fixes if still_json(context.text, x.edits)))) for r, f in found
            ]
        return tuple({(rule.code, finding.span, finding.message): (rule, finding) for rule, finding in found}.values())


def _block(entry: CaseEntry) -> int:
    return entry.block


def _item_kind(analysis: Analysis) -> Kind[Any] | None:
    if analysis.kind is FileKind.TARGETS:
        items = items_of(analysis.states, None)  # a part of the check
        if any(isinstance(i, MappingNode) and i.get("label") is not None for i in items):
            return PROVIDER_ITEM
    return ITEMS.get(analysis.kind)


def _needs_release(suite: Suite | None) -> bool:
    """Whether a suite says which releases of the engine can run it."""
    return suite is not None and isinstance(suite.requires, Requires) and suite.requires.agentv is not None


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
