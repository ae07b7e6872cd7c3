"""The analysis of one version of a text."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from pathlib import Path, PurePath
from typing import Any

from rubric_core.analysis.anchors import Anchors
from rubric_core.analysis.block_state import BlockState, Found, Frame
from rubric_core.analysis.family_texts import texts_of
from rubric_core.analysis.finding_list import FindingList, FindingsByBlock
from rubric_core.analysis.language import Language
from rubric_core.analysis.repetitions import Repetitions
from rubric_core.analysis.text_references import TextReferences
from rubric_core.cached_properties import cached_property
from rubric_core.language.detect_dialect import DialectChoice, Sign
from rubric_core.language.file_extensions import DATASETS, YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Suite
from rubric_core.language.shape import Shape, children
from rubric_core.language.value_kinds import Kind
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.detect_eval_yaml import is_eval_yaml, is_run_results
from rubric_core.loading.project import Project
from rubric_core.syntax.ancestors import line_start
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.tree import Alias, Node, Sequence, SyntaxTree, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.entry_lists import CaseEntry, ExternalCases
from rubric_core.validation.rule import Diagnostic
from rubric_core.validation.selection import EVERYTHING, Selection

__all__ = ["Analysis", "LocalText"]


class Analysis:
    """The analysis of one version of a text. Offsets are those of the whole text unless stated otherwise."""

    # -- what it is of; the arguments of the constructor

    #: The kind of the file.
    kind: FileKind
    #: The dialect, and why it was chosen.
    choice: DialectChoice
    #: The selection of findings.
    selection: Selection
    #: The state of each block, in no order, for the check that completes this and for views of one place.
    states: dict[Block, BlockState]
    #: The text around the cases.
    frame: Frame

    # -- what the check fills in

    #: The project and the path in it; None if only the text itself is checked.
    around: tuple[Project, Path] | None = None
    #: Resolves references to other files.
    references: TextReferences | None = None
    #: Analyzes another version of the text in the same way; given `previous`, only what has changed.
    read: "Callable[..., Analysis]"
    #: The signs of the dialect in the text.
    signs = Sign(0)
    #: The content around the cases. A new object if that has changed.
    settings: Shape | None = None
    #: The same if it is a suite.
    suite: Suite | None = None
    #: The selected findings.
    found: FindingList
    #: All findings, with the severity of their rules.
    every_found: FindingList
    #: The selected findings as they are shown, with those that repeat one another as one.
    repetitions: Repetitions
    #: The same by block, for the next version; None if findings hide one another, or ignore comments apply.
    by_block: FindingsByBlock | None = None
    #: Findings that an ignore comment covers.
    ignored: tuple[Diagnostic, ...] = ()
    #: Other files that the findings depend on, including missing ones.
    depends_on: frozenset[Path] = frozenset()
    #: The checkable files that it refers to, with their kinds.
    refers_to: Mapping[Path, FileKind]
    #: For a case file, the ids of the other cases of the suite that includes it; None if no suite is known.
    siblings: Collection[str] | None = None
    #: What it defines for the files that it names; for a kind of file that takes names, what the files that name it define.
    defined_names: DefinedNames | None = None
    #: The paths in the case list with the cases of those files, in text order.
    external: tuple[ExternalCases, ...] = ()
    #: The name of a case file; empty for a suite.
    case_file = ""
    #: The YAML documents after the first one, with their starts; offsets in each are its own.
    further: "tuple[tuple[int, Analysis], ...]" = ()
    #: The target names that the text defines.
    own_targets: frozenset[str] = frozenset()
    #: The anchors, and the top-level keys as `#/key`, that references in the whole text refer to.
    referred: frozenset[str] = frozenset()
    #: The files of `depends_on` that its blocks refer to.
    linked_files: frozenset[Path] = frozenset()
    #: Equal for two versions if shared blocks have the same meaning in both, except for anchors from elsewhere, ...
    judged_in: object = None
    #: ... and if they refer to the same things in other files.
    linked_in: object = None
    #: The findings of rules across cases.
    across: tuple[Found, ...] = ()
    #: What runs have computed for this version, for several readers.
    kept_by_runs: object = None
    #: The kind of the items if the whole text is a list; None if it should not be a list.
    item_kind: Kind[Any] | None = None

    def __init__(
        self,
        document: Document,
        language: Language,
        states: dict[Block, BlockState],
        frame: Frame,
        choice: DialectChoice,
        kind: FileKind,
        selection: Selection = EVERYTHING,
    ) -> None:
        self.document = document
        self.language = language
        self.kind = kind
        self.choice = choice
        self.dialect = language.dialect(choice.name, choice.releases)
        self.selection = selection
        self.found = self.every_found = FindingList()
        self.repetitions = Repetitions.of(self.found)
        self.refers_to = {}
        self.states = states
        self.frame = frame
        #: The node of each anchor by block.
        self.anchoring = Anchors(document, states, frame)

    @cached_property
    def cases(self) -> tuple[CaseEntry, ...]:
        """The cases in text order, under the names of their results. Keystrokes avoid this."""
        return texts_of(self.kind).cases(self)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The selected findings, in text order. Keystrokes avoid this: see `found`."""
        return self.found.placed(self.document)

    @property
    def listed(self) -> FindingList:
        """The selected findings as they are shown, with those that repeat one another as one."""
        return self.repetitions.listed

    @cached_property
    def every(self) -> tuple[Diagnostic, ...]:
        """All findings, including unselected ones, with the severity of their rules."""
        return self.diagnostics if self.found is self.every_found else self.every_found.placed(self.document)

    def take(
        self,
        every: FindingList,
        wanted: SequenceOf[tuple[Diagnostic, ...]] = (),
        repeated: Callable[[FindingList], Repetitions] = Repetitions.of,
    ) -> None:
        """Set the findings of the text; `wanted` are the selected ones of each block, `repeated` finds out which of them repeat."""
        for placed in ("diagnostics", "every"):
            vars(self).pop(placed, None)
        self.found = self.every_found = every
        if self.selection is not EVERYTHING:
            self.found = FindingList(wanted, tuple(self.selection.of(every.loose)))
        self.repetitions = repeated(self.found)

    def is_eval_yaml(self, path: PurePath) -> bool | None:
        """Whether a file of that name with this text is eval YAML; None if it contains no sign of either."""
        suffix = path.suffix.lower()
        if suffix not in (*YAML, *DATASETS, ".json"):
            return None
        if self.kind.dialect:
            return True
        roots = (self.states[block].tree.root for block in self.document.blocks if block.key)
        items = (item for root in roots for item in (root.items if isinstance(root, Sequence) else [root]) if item)
        if suffix in DATASETS:
            return False if is_run_results(items) else None
        text = f"{self.document.head}\n{self.frame.block.text}"
        return is_eval_yaml(path, text, self.states[self.frame.block].tree.root, items)

    def revised(self, edits: Iterable[Edit]) -> "Analysis":
        """The analysis of the text after `edits`; this one is unchanged. Raises ValueError if two of them overlap."""
        return self.read(self.document.revised(edits), previous=self)

    @cached_property
    def included(self) -> tuple[ExternalCases, ...]:
        """The paths in the case list with their files, in text order. Keystrokes avoid this."""
        return self.external or (tuple(self.included_cases()) if self.kind.is_root else ())

    def included_cases(self) -> Iterator[ExternalCases]:
        """The same from the links of the blocks."""
        for at, found, text in self.states[self.frame.block].links.cases:
            yield ExternalCases(self.span_of(None, at), found, text)
        for number, block in enumerate(self.document.blocks):
            if block.key and self.states[block].links.cases:
                start = self.document.start(number)
                for at, found, text in self.states[block].links.cases:
                    yield ExternalCases(at.moved(start), found, text)

    @property
    def has_scenarios(self) -> bool:
        """Whether it has cases that only loading gives: the tests of scenarios, each with every row."""
        return self.settings is not None and self.settings.has("scenarios")

    @cached_property
    def lists_more(self) -> bool:
        """Whether only loading gives all cases: there are scenarios, paths without cases, or items that are no cases."""
        read = {entry.block for entry in self.cases}
        others = (self.states[b] for n, b in enumerate(self.document.blocks) if b.key and n not in read)
        return (
            self.has_scenarios
            or (self.settings is not None and self.settings.has_implicit_case)
            or any(each.found.is_without_cases for each in self.included)
            or any(each.tree.root is not None and not each.links.cases for each in others)
        )

    @property
    def has_cases(self) -> bool:
        """Whether it has cases: its own, included ones, or those of scenarios."""
        return bool(self.cases or self.included or self.lists_more)

    @property
    def case_files(self) -> tuple[Path, ...]:
        """The case files that the suite includes, also those of scenarios, and of a file with common settings of cases."""
        referred = (path for path, kind in self.refers_to.items() if kind.of_cases)
        return tuple(dict.fromkeys((*(f for each in self.external for f in each.found.files), *referred)))

    def span_of(self, entry: CaseEntry | None, span: Span) -> Span:
        """A span of a case, or of the suite (None), in the whole text."""
        if entry is None or entry.block < 0:
            return self.frame.outer(span)
        return span.moved(entry.offset)

    @property
    def ids(self) -> frozenset[str] | None:
        """The ids of all cases, including those in other files; None if there may be more."""
        if not all(each.found.complete for each in self.external):
            return None
        outside = {case.id for each in self.external for case in each.found.cases}
        return frozenset(outside | {e.case.id for e in self.cases if e.case.id})

    def case_at(self, offset: int) -> CaseEntry | None:
        """The case at `offset`."""
        number = self.document.block_at(offset)
        if self.document.blocks[number].key:
            at = bisect_left(self.cases, number, key=lambda e: e.block)
            found = self.cases[at] if at < len(self.cases) and self.cases[at].block == number else None
            # A block has two cases if the first is only its id.
            behind = self.cases[at + 1] if found is not None and at + 1 < len(self.cases) else None
            if behind is not None and behind.block == number and behind.case.node is not None:
                inner = offset - self.document.start(number)
                found = behind if behind.case.node.whole.start <= inner else found
            return found
        inner = self.frame.inner(offset)
        held = (e for e in self.cases if e.block < 0 and e.case.node is not None)
        return next((e for e in held if e.case.node is not None and e.case.node.whole.covers(inner)), None)

    def case_named(self, name: str) -> CaseEntry | None:
        """The first case with that id."""
        return next((e for e in self.cases if e.case.id == name), None)

    def local(self, offset: int) -> "LocalText":
        """The block at `offset`, for features that need one place."""
        number = self.document.block_at(offset)
        block = self.document.blocks[number]
        if not block.key:
            return LocalText(self, -1, self.frame.block, self.frame.inner(offset))
        return LocalText(self, number, block, offset - self.document.start(number))

    def alias_value(self, alias: str, offset: int) -> str | None:
        """The value of the alias or anchor at `offset`, as written."""
        local = self.local(offset)
        for node in walk(local.tree.root):
            if isinstance(node, Alias) and node.target is not None and node.span.covers(local.offset):
                return _dedented(local.block, node.target)
            if node.anchor == alias and node.whole.start <= local.offset <= node.span.start:
                return _dedented(local.block, node)
        found = self.anchors_at(offset).get(alias)
        return found[1] if found is not None else None

    def anchors_at(self, offset: int) -> dict[str, tuple[Node, str]]:
        """The anchors for an alias at `offset`, the nearest first, with their values as written."""
        local = self.local(offset)
        found: dict[str, tuple[Node, str]] = {}
        for name, node, block in self.anchoring.above(local.number):
            if block is not local.block or node.whole.start <= local.offset:
                found.setdefault(name, (node, _dedented(block, node)))
        return found

    def anchors(self, block: int) -> Mapping[str, Node]:
        """The anchors that block number `block` can refer to (-1: the frame)."""
        return self.anchoring.visible(block)


def _dedented(block: Block, node: Node) -> str:
    """A value as written, without its indentation."""
    from textwrap import dedent  # noqa: PLC0415  # only for what hovers and fixes show of anchors

    margin = " " * (node.span.start - line_start(block.text, node.span.start))
    return dedent(margin + block.text[node.span.start : node.span.end]).strip()


class LocalText:
    """One block with its tree: offsets are those of the block, `outer` converts them."""

    def __init__(self, analysis: Analysis, number: int, block: Block, offset: int) -> None:
        self.analysis = analysis
        self.number = number
        self.block = block
        self.text = block.text
        self.tree: SyntaxTree = analysis.states[block].tree  # a view of the analysis
        self.shapes = analysis.states[block].shapes
        self.offset = offset

    @cached_property
    def every(self) -> list[Shape]:
        """Every shape of the block, outer ones first."""
        return [shape for root in self.shapes for shape in children(root)]

    @property
    def in_frame(self) -> bool:
        """Whether this is the text around the cases."""
        return self.number < 0

    def outer(self, span: Span) -> Span:
        """A span of the block, in the whole text."""
        if self.number >= 0:
            return span.moved(self.analysis.document.start(self.number))
        return self.analysis.span_of(None, span)
