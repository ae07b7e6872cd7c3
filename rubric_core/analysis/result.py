"""The analysis of one version of a text."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Sequence as SequenceOf
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from rubric_core.analysis.anchors import Anchors
from rubric_core.analysis.block_state import BlockState, Found, Frame
from rubric_core.analysis.finding_list import FindingList, FindingsByBlock
from rubric_core.analysis.language import Language
from rubric_core.analysis.promptfoo_cases import configuration_of, promptfoo_cases
from rubric_core.language.detect_dialect import DialectChoice, Sign
from rubric_core.language.file_extensions import YAML
from rubric_core.language.file_kinds import OF_PROMPTFOO, WITH_CASES, FileKind
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.language.value_kinds import Kind
from rubric_core.loading.detect_eval_yaml import is_eval_yaml
from rubric_core.loading.project import Project
from rubric_core.loading.references import References
from rubric_core.syntax.ancestors import line_start
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.tree import Alias, Node, Sequence, SyntaxTree, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.entry_lists import CaseEntry, ExternalCases
from rubric_core.validation.rule import Diagnostic
from rubric_core.validation.selection import EVERYTHING, Selection

__all__ = ["Analysis", "LocalText"]


class Analysis:
    """The analysis of one version of a text. Offsets are those of the whole text unless said otherwise."""

    # -- what it is of; the arguments of the constructor

    #: What the file is.
    kind: FileKind
    #: The dialect and why it was taken.
    choice: DialectChoice
    #: Which findings are wanted.
    selection: Selection
    #: What is known of each block, in no order, for the check that fills this in and for views of one place.
    states: dict[Block, BlockState]
    #: The text around the cases.
    frame: Frame

    # -- what the check fills in

    #: The files around it, and where it stands among them; None where only the text itself is judged.
    around: tuple[Project, Path] | None = None
    #: What looks up other files.
    references: References | None = None
    #: Analyzes another version of the text as this one was; given `previous`, only what is different.
    read: "Callable[..., Analysis]"
    #: What tells the dialect in the text.
    signs = Sign(0)
    suite: Suite | None = None
    #: The findings that are wanted.
    found: FindingList
    #: Every finding, as severe as its rule says.
    every_found: FindingList
    #: The same by block, for the next version; None where findings cover one another, or comments cover some.
    by_block: FindingsByBlock | None = None
    #: Findings that a comment in the text covers.
    ignored: tuple[Diagnostic, ...] = ()
    #: Other files that the findings depend on, those included that do not exist.
    depends_on: frozenset[Path] = frozenset()
    #: The files that it refers to and that can be checked, and what they are.
    refers_to: Mapping[Path, FileKind]
    #: For a file of cases, the ids of the other cases of the suite that includes it; None where no suite is known.
    siblings: Collection[str] | None = None
    #: The paths in the case list with the cases in those files, in the order of the text.
    external: tuple[ExternalCases, ...] = ()
    #: The YAML documents after the first one, with the offsets at which they start; offsets in each are its own.
    further: "tuple[tuple[int, Analysis], ...]" = ()
    #: The names that the text gives to targets.
    own_targets: frozenset[str] = frozenset()
    #: The anchors, and as `#/key` the keys at the top, to which references in the whole text lead.
    referred: frozenset[str] = frozenset()
    #: The files of `depends_on` that its blocks refer to.
    linked_files: frozenset[Path] = frozenset()
    #: Equal for two versions when blocks that both have mean the same in both, but for anchors from elsewhere, ...
    judged_in: object = None
    #: ... and when they refer to the same things in other files.
    linked_in: object = None
    #: What rules across cases found.
    across: tuple[Found, ...] = ()
    #: What runs have made of this version, for those that ask several times.
    kept_by_runs: object = None
    #: What the items of a list are that is the whole text; None where there should be no list.
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
        self.dialect = language.dialect(choice.name)
        self.selection = selection
        self.found = self.every_found = FindingList()
        self.refers_to = {}
        self.states = states
        self.frame = frame
        #: Which anchor a name means where.
        self.anchoring = Anchors(document, states, frame)

    @cached_property
    def cases(self) -> tuple[CaseEntry, ...]:
        """The cases of the text in their order; those of a list that is not cut into blocks first. A keystroke can do without.

        Those of promptfoo, too, under the names that their results have.
        """
        if self.kind is FileKind.PROMPTFOO:
            return promptfoo_cases(self.document, self.states, self.frame, self.anchors)
        listed = self.suite.cases if self.suite is not None else None
        found = [CaseEntry(c, -1, 0) for c in (listed if isinstance(listed, list) else ()) if isinstance(c, Case)]
        for number, block in enumerate(self.document.blocks):
            if block.key:
                start = self.document.start(number)
                found += [CaseEntry(c, number, start) for c in self.states[block].shapes if isinstance(c, Case)]
        return tuple(found)

    @property
    def settings(self) -> Shape | None:
        """What is written around the cases: the suite, or the configuration of promptfoo. Another object where that has changed."""
        return configuration_of(self.states, self.frame) if self.kind is FileKind.PROMPTFOO else self.suite

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings that are wanted, in the order of the text. A keystroke can do without: see `found`."""
        return self.found.placed(self.document)

    @cached_property
    def every(self) -> tuple[Diagnostic, ...]:
        """Those that are not wanted among them, each as severe as its rule says."""
        return self.diagnostics if self.found is self.every_found else self.every_found.placed(self.document)

    def take(self, every: FindingList, wanted: SequenceOf[tuple[Diagnostic, ...]] = ()) -> None:
        """Take these findings for those of the text; `wanted` are those of each block that are wanted."""
        for placed in ("diagnostics", "every"):
            vars(self).pop(placed, None)
        self.found = self.every_found = every
        if self.selection is not EVERYTHING:
            self.found = FindingList(wanted, tuple(self.selection.of(every.loose)))

    def is_eval_yaml(self, path: PurePath) -> bool | None:
        """Whether a file of that name with this text has to do with evals; None where nothing in it tells."""
        if path.suffix.lower() not in YAML:
            return None
        if self.kind in OF_PROMPTFOO:
            return True
        roots = (self.states[block].tree.root for block in self.document.blocks if block.key)
        items = (item for root in roots for item in (root.items if isinstance(root, Sequence) else [root]) if item)
        text = f"{self.document.head}\n{self.frame.block.text}"
        return is_eval_yaml(path, text, self.states[self.frame.block].tree.root, items)

    def revised(self, edits: Iterable[Edit]) -> "Analysis":
        """The analysis of the text after `edits`; this one stays as it is. Raises ValueError when two of them overlap."""
        return self.read(self.document.revised(edits), previous=self)

    @property
    def case_files(self) -> tuple[Path, ...]:
        """The files with cases that the suite takes over; for promptfoo also those with what cases have in common."""
        if self.kind is FileKind.PROMPTFOO:
            return tuple(path for path, kind in self.refers_to.items() if kind in WITH_CASES)
        return tuple(f for each in self.external for f in each.found.files)

    def span_of(self, entry: CaseEntry | None, span: Span) -> Span:
        """A span of a case, or of the suite (None), in the whole text."""
        if entry is None or entry.block < 0:
            return self.frame.outer(span)
        return span.moved(entry.offset)

    @property
    def ids(self) -> frozenset[str] | None:
        """The ids of all cases, of those in other files as well; None where there may be more."""
        if not all(each.found.complete for each in self.external):
            return None
        outside = {case.id for each in self.external for case in each.found.cases}
        return frozenset(outside | {e.case.id for e in self.cases if e.case.id})

    def case_at(self, offset: int) -> CaseEntry | None:
        """The case whose text holds `offset`."""
        number = self.document.block_at(offset)
        if self.document.blocks[number].key:
            at = bisect_left(self.cases, number, key=lambda e: e.block)
            found = self.cases[at] if at < len(self.cases) and self.cases[at].block == number else None
            # A block has two cases where the first is nothing but its id.
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
        """The block that holds `offset`, for features that look at one place."""
        number = self.document.block_at(offset)
        block = self.document.blocks[number]
        if not block.key:
            return LocalText(self, -1, self.frame.block, self.frame.inner(offset))
        return LocalText(self, number, block, offset - self.document.start(number))

    def alias_value(self, alias: str, offset: int) -> str | None:
        """The value of the alias or anchor at `offset`, as it is written."""
        local = self.local(offset)
        for node in walk(local.tree.root):
            if isinstance(node, Alias) and node.target is not None and node.span.covers(local.offset):
                return _dedented(local.block, node.target)
            if node.anchor == alias and node.whole.start <= local.offset <= node.span.start:
                return _dedented(local.block, node)
        found = self.anchors_at(offset).get(alias)
        return found[1] if found is not None else None

    def anchors_at(self, offset: int) -> dict[str, tuple[Node, str]]:
        """The anchors that an alias at `offset` can name, the nearest first, with their values as they are written."""
        local = self.local(offset)
        found: dict[str, tuple[Node, str]] = {}
        for name, node, block in self.anchoring.above(local.number):
            if block is not local.block or node.whole.start <= local.offset:
                found.setdefault(name, (node, _dedented(block, node)))
        return found

    def anchors(self, block: int) -> Mapping[str, Node]:
        """The anchors that can be referred to in block number `block` (-1: the frame)."""
        return self.anchoring.visible(block)


def _dedented(block: Block, node: Node) -> str:
    """A value as it is written, as if it stood at the margin."""
    from textwrap import dedent  # noqa: PLC0415  # only for what hovers and fixes show of anchors

    margin = " " * (node.span.start - line_start(block.text, node.span.start))
    return dedent(margin + block.text[node.span.start : node.span.end]).strip()


class LocalText:
    """One block with its tree: offsets are those of the block, `outer` leads back."""

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
        """A span of the block in the whole text."""
        if self.number >= 0:
            return span.moved(self.analysis.document.start(self.number))
        return self.analysis.span_of(None, span)
