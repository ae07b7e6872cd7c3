"""What the blocks of one text refer to in other files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.analysis.block_state import BlockState
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Shape
from rubric_core.loading.block_references import BlockReferences, look_up_references
from rubric_core.loading.project import Project
from rubric_core.loading.references import References
from rubric_core.syntax.blocks import Block
from rubric_core.validation.rule import SuiteDefaults

__all__ = ["LinkedBlock", "SuiteReferences", "TextReferences"]


class LinkedBlock(NamedTuple):
    """A block whose references are resolved."""

    block: Block
    state: BlockState
    #: The words that were resolved in the blocks to which this one refers.
    told_above: Callable[[], Sequence[frozenset[int]]]
    #: Its shapes and those inside them, if already computed.
    every: Sequence[Shape] | None = None


class TextReferences(ABC):
    """Resolves what the blocks of one text refer to.

    The result for a block is kept until its state, `key` or a file that was looked at changes, so that it may depend on nothing else.
    """

    #: Equal for two versions of a text in which equal blocks refer to the same.
    key: Hashable
    #: The files on which the text as a whole depends, including missing ones.
    seen: AbstractSet[Path] = frozenset()
    #: What rules may use of the text that refers to a file. It follows from `key`.
    defaults = SuiteDefaults()
    #: Whether cases of other files are known one by one, so that rules across cases visit them, too.
    joins_cases = True

    @abstractmethod
    def of_block(self, linked: LinkedBlock) -> BlockReferences:
        """What a block refers to: files with their kinds, and the issues about them."""

    def kinds(self, links: Iterable[BlockReferences]) -> dict[Path, FileKind]:
        """The checkable files to which the text refers; one that is used in several ways is what it is last."""
        return {file: kind for each in links for file, kind in each.files}


class SuiteReferences(TextReferences):
    """Those of a suite, and of files that it names."""

    def __init__(self, project: Project, path: Path, text: AnalyzedText) -> None:
        self._references = References(project, path, text.kind, text.dialect, text.own_targets)
        self.key = self._references.key
        look = project.look()
        targets = self._references.targets_path(look)
        self.seen = look.seen
        self._targets = {targets: FileKind.TARGETS} if targets is not None and text.kind.is_root else {}

    def of_block(self, linked: LinkedBlock) -> BlockReferences:
        block, state, told_above, every = linked
        marked = bool(state.borrows or state.tree.problems) or "//" in block.text or "\\" in block.text
        return look_up_references(
            self._references, state.shapes, state.tree.root, state.deferred, told_above(), marked=marked, every=every
        )

    def kinds(self, links: Iterable[BlockReferences]) -> dict[Path, FileKind]:
        """Those, and the file with the targets."""
        return {**super().kinds(links), **self._targets}
