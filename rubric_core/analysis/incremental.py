"""Incremental analysis: only changed blocks are analysed again."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import BlockState, origin_of
from rubric_core.analysis.clean_shapes import BlockContext, CleanShapes
from rubric_core.analysis.family_texts import texts_of
from rubric_core.analysis.findings import Findings
from rubric_core.analysis.linking import Linking
from rubric_core.analysis.repeated_findings import without_repeats
from rubric_core.analysis.result import Analysis
from rubric_core.analysis.run_rules import run_rules
from rubric_core.language.file_kinds import PROVIDER_ITEM, FileKind, case_item_of, item_of, root_of
from rubric_core.language.model import Suite
from rubric_core.language.shape import Shape, as_list, children
from rubric_core.language.value_kinds import Kind
from rubric_core.loading.block_references import NO_NAMES, own_targets
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.issues import Issue, MissingKey, NotYaml, UnknownKey, UnknownType
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.loading.split_items import join_split_item
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.line_document import LineDocument
from rubric_core.syntax.strict_layout import low_brackets, marked_beginning
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, SyntaxProblem
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span
from rubric_core.validation.rule import Context, SuiteDefaults

__all__ = ["Check", "items_of"]


def items_of(document: Document, states: Mapping[Block, BlockState], frame: Node | None) -> Iterator[Node]:
    """The items that are blocks of their own, or those of a bare list that could not be cut."""
    roots = (states[block].tree.root for block in document.blocks if block.key)
    framed = (frame,) if isinstance(frame, SequenceNode) else ()
    for root in chain(roots, framed):
        yield from (item for item in (root.items if isinstance(root, SequenceNode) else [root]) if item)


class Check:
    """Lowers and checks what is new, and combines the results."""

    def __init__(self, analysis: Analysis, around: tuple[Project, Path] | None, name: str = "") -> None:
        """`name` is that of the file, if known."""
        self.analysis, self.name = analysis, name
        self.around = analysis.around = around
        self.language = analysis.language
        self.dialect = analysis.dialect
        self.related = self.language.related(self.dialect)
        self.states = analysis.states  # the check fills the analysis
        self.anchors = analysis.anchoring
        self.frame = analysis.frame
        self.item_kind = analysis.item_kind = _item_kind(analysis)
        self.kind = analysis.kind
        self.texts = texts_of(analysis.kind)
        #: Equal contexts give equal shapes for equal texts.
        self.context = (self.dialect.name, analysis.kind, self.item_kind, around is None)
        self.linking = Linking(analysis)
        #: Of the items, whose rules get the same defaults.
        self.clean = CleanShapes()

    def run(self, previous: Analysis | None = None, change: BlockChange | None = None) -> None:
        """Check the text; the results of unchanged blocks come from `previous`, an analysis of an earlier version.

        Args:
            previous: The earlier version, if any.
            change: The difference between the two; None: nothing is reused.
        """
        analysis = self.analysis
        if previous is not None and change is not None and change.alike(previous.states, self.states, _referred):
            analysis.referred = previous.referred
        else:
            analysis.referred = frozenset[str]().union(*map(_referred, self.states.values()))
        self._refresh_frame()
        shapes = self.states[self.frame.block].shapes
        analysis.settings = settings = next((s for s in shapes if s.stands_for == "whole"), None)
        analysis.suite = settings if isinstance(settings, Suite) else None
        defaults = self._defaults()
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
        analysis.references = self.texts.references(*self.around, analysis) if self.around is not None else None
        if self.around is not None and analysis.references is not None:
            self.linking.settle(self.around[0], analysis.references, previous, change)
        Findings(analysis).settle(previous, change)

    def _refresh_items(self, change: BlockChange | None, defaults: SuiteDefaults) -> None:
        """Analyze the items of the list; after a change, only those that are not in an earlier version."""
        blocks = self.analysis.document.blocks
        first, last = (change.start, len(blocks) - change.end) if change is not None else (0, len(blocks))
        for number in range(first, last):
            if blocks[number].key:
                self._refreshed(number, blocks[number], defaults)

    def nearby(self, blocks: Iterable[tuple[int, Block]]) -> None:
        """Lower and check some blocks, in an analysis that is otherwise equal to an earlier one."""
        defaults = self._defaults()
        for number, block in blocks:
            self._refreshed(number, block, defaults)
            self.linking.nearby(number, block)

    def _refreshed(self, number: int, block: Block, defaults: SuiteDefaults) -> BlockState:
        state = self.states[block]
        key = (self.context, defaults, self.anchors.key(number) if state.borrows else ())
        if state.key != key:
            self._refresh_item(block, key, defaults, number)
        return self.states[block]

    def _to_fill(self, block: Block) -> BlockState:
        """The state of a block that is analyzed again; earlier analyses keep their own."""
        state = self.states[block]
        if state.key is not None:
            state = self.states[block] = state.again()
        return state

    def _refresh_frame(self) -> None:
        kept_for = self.analysis.referred if self.kind.keeps_blocks else None
        key = (self.context, self.frame.item_key, self.anchors.key(-1), kept_for, self._use)
        if self.states[self.frame.block].key == key:
            return
        state = self._to_fill(self.frame.block)
        lowering = Lowering(self.frame.block.text, self.dialect, self.related, self.anchors.outer(-1))
        lowering.known = self.anchors.names(-1)
        lowering.referred = self.analysis.referred
        broken = any(p.kind in ("syntax", "size", "unread") for p in state.tree.problems)
        skipped = root_of(self.kind) is None or (state.tree.root is None and broken)
        shapes = [] if skipped else lowering.root(state.tree.root, self.kind, self.frame.item_key)
        lowering.references(state.tree.aliases)
        settings = next((s for s in shapes if s.stands_for == "whole"), None)
        context = Context(self.frame.block.text, self.dialect, self.texts.defaults(settings, self.kind, self._use))
        if self.kind.is_text:
            shapes += self._read_text(self.frame.block.text, lowering)
        if self.kind.keeps_blocks:
            state.kept, state.unused = self._kept_blocks(state, lowering)
        self._fill(state, key, tuple(shapes), lowering.issues, context, -1)

    @property
    def _use(self) -> DefinedNames | None:
        """What the files define that name this one."""
        return self.analysis.defined_names if self.kind.takes_names else None

    def _defaults(self) -> SuiteDefaults:
        """What rules for the items may use of the content around them."""
        # A case file inherits from the suites that include it.
        return self.texts.defaults(self.analysis.settings if self.kind.is_root else None, self.kind, self._use)

    def _read_text(self, text: str, lowering: Lowering) -> list[Shape]:
        """The shapes in a file that is no YAML; `lowering` gets its issues."""
        path = self.around[1] if self.around is not None else None
        lowering.issues += self.texts.issues_of_text(self.kind, self.name, text, path, self._use)
        return [*self.texts.shapes_of_text(self.kind, text, lowering)]

    def _kept_blocks(self, state: BlockState, lowering: Lowering) -> tuple[tuple[Shape, ...], tuple[Span, ...]]:
        """Read the values of unread keys, for aliases and `$ref`; their missing keys may be written beside an alias.

        Returns the shapes, and the places without a reference.
        """
        made: list[Shape] = []
        unused: list[Span] = []
        for kind, node, names in list(self.texts.kept_blocks(state.tree.root, self.dialect)):
            before = len(lowering.issues)
            made += [shape for shape in as_list(lowering.value(kind, node, "")) if isinstance(shape, Shape)]
            lowering.issues[before:] = [each for each in lowering.issues[before:] if not isinstance(each, MissingKey)]
            if names.isdisjoint(self.analysis.referred):
                unused.append(node.whole)
        return tuple(made), tuple(unused)

    def _refresh_item(self, block: Block, key: object, defaults: SuiteDefaults, number: int) -> None:
        state = self._to_fill(block)
        lowering = Lowering(block.text, self.dialect, self.related, self.anchors.outer(number))
        lowering.known = self.anchors.names(number)
        lowering.merged_above = self.anchors.merged(number)
        root = state.tree.root
        items = root.items if isinstance(root, SequenceNode) else [root] if root is not None else []
        kind = self.item_kind if block.key == ROOT_LIST else case_item_of(self.kind)
        name = "" if block.key == ROOT_LIST else self.dialect.spelled(Suite, "cases") or ""
        if isinstance(self.analysis.document, LineDocument) and state.tree.problems:
            items = []  # of an invalid JSON line, it is unknown what else is missing
        if len(items) > 1 and kind is not None:
            items = list(join_split_item(items, kind, self.dialect, block.text, lowering.type_of))
        known = state.tree.mappings if len(items) == 1 else None
        shapes = tuple(s for i in items if kind is not None and (s := lowering.item(kind, i, name, known)) is not None)
        lowering.references(state.tree.aliases)
        state.merged = lowering.merged_here
        context = BlockContext(block.text, self.dialect, defaults)
        self._fill(state, key, shapes, lowering.issues, context, number, None if state.tree.aliases else self.clean)

    def _strict_problems(self, state: BlockState, text: str) -> tuple[SyntaxProblem, ...]:
        """What a parser of JSON refuses in a file that YAML can read."""
        is_strict = self.kind.strict_json and self.name.lower().endswith(".json")
        return parse_json(text).problems if is_strict and not state.tree.problems else ()

    def _fill(
        self,
        state: BlockState,
        key: object,
        shapes: tuple[Shape, ...],
        issues: list[Issue],
        context: Context,
        number: int,
        clean: CleanShapes | None = None,
    ) -> None:
        """Run the rules over the shapes of a block."""
        state.key = key
        state.shapes = shapes
        refused: list[SyntaxProblem] = []
        if self.kind.is_strict and not self.kind.is_text:
            refused = [*marked_beginning(context.text, state.tree.root), *low_brackets(context.text, state.tree.root)]
        state.problems = (*state.tree.problems, *refused, *self._strict_problems(state, context.text))
        problems = () if self.kind.is_text else state.problems
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
            self.linking.inner[id(shapes)] = shapes, inner
        visited += inner
        visited += [c for s in state.kept for c in children(s)]
        borrowed = any(each.borrowed for each in visited)
        if borrowed or state.tree.anchors:  # otherwise not needed, and thousands of cases can save the memory
            state.judged = frozenset(origin_of(each) for each in visited if not each.borrowed) - {None}
        if borrowed:
            origins = frozenset(origin_of(each) for each in visited if each.borrowed) - {None}
            told = origins & self._judged(origins, number)
            visited = [each for each in visited if not each.borrowed or origin_of(each) not in told]
            state.judged |= told
        state.findings = run_rules(self.analysis, visited, context, state.unused, clean)
        if state.findings and state.tree.aliases:
            state.findings = without_repeats(state, self._above(number))

    def _above(self, number: int) -> list[BlockState]:
        """The blocks that a block refers to directly."""
        if number < 0 or not self.states[self.analysis.document.blocks[number]].borrows:
            return []
        direct = self.anchors.direct(number)
        return [self.states[self.frame.block if d < 0 else self.analysis.document.blocks[d]] for d in direct]

    def _judged(self, origins: frozenset[object], number: int) -> frozenset[object]:
        """The shapes among these that were checked in a block or at their origin."""
        state = self.states[self.frame.block if number < 0 else self.analysis.document.blocks[number]]
        if number < 0 or not state.borrows or origins <= state.judged:
            return state.judged
        direct = (d for d in self.anchors.direct(number) if d >= 0)
        judged = state.judged.union(*(self.states[self.analysis.document.blocks[d]].judged for d in direct))
        if origins <= judged:
            return judged
        return judged.union(*(self.states[b].judged for b in self.anchors.blocks(number)))


def _referred(state: BlockState) -> frozenset[str]:
    """The anchors, and the top-level keys as `#/key`, that references of a block refer to."""
    if not state.tree.aliases and not state.pointers:
        return NO_NAMES
    return frozenset(alias.name for alias in state.tree.aliases).union(f"#/{key}" for key in state.pointers)


def _own_targets(state: BlockState) -> frozenset[str]:
    return state.own_targets


def _item_kind(analysis: Analysis) -> Kind[Any] | None:
    if analysis.kind is FileKind.TARGETS:
        items = items_of(analysis.document, analysis.states, None)  # a part of the check
        if any(isinstance(i, MappingNode) and i.get("label") is not None for i in items):
            return PROVIDER_ITEM
    return item_of(analysis.kind)
