"""Resolves references to other files, block by block, and again only if the result may have changed."""

from functools import partial
from pathlib import Path

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import BlockState
from rubric_core.analysis.result import Analysis
from rubric_core.analysis.run_rules import run_rules
from rubric_core.analysis.text_references import LinkedBlock, TextReferences
from rubric_core.language.shape import Shape
from rubric_core.loading.block_references import BlockReferences
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Block
from rubric_core.validation.rule import Context

__all__ = ["Linking"]


class Linking:
    """Adds the files that its blocks refer to, and the findings about them, to an analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.dialect = analysis.dialect
        self.states = analysis.states
        self.anchors = analysis.anchoring
        self.frame = analysis.frame
        #: Shapes and those inside them, from lowering to linking, by the id of the shapes, which are kept with them.
        self.inner: dict[int, tuple[tuple[Shape, ...] | None, list[Shape] | None]] = {}

    def settle(
        self, project: Project, references: TextReferences, previous: Analysis | None, change: BlockChange | None
    ) -> None:
        """Resolve the references of every block whose result may have changed."""
        analysis, states, blocks = self.analysis, self.states, self.analysis.document.blocks
        analysis.linked_in = (project, project.version, references.key)
        if previous is None or change is None or previous.linked_in != analysis.linked_in:
            previous, first, last = None, 0, len(blocks)
        else:
            first, last = change.start, len(blocks) - change.end
        self._linked(-1, self.frame.block, project, references)
        for number in range(first, last):
            if blocks[number].key:
                self._linked(number, blocks[number], project, references)
        if previous is not None and change is not None and self._links_alike(previous, change):
            analysis.linked_files, analysis.refers_to = previous.linked_files, previous.refers_to
        else:
            links = [states[self.frame.block].links, *(states[block].links for block in blocks if block.key)]
            analysis.linked_files = frozenset[Path]().union(*{each.seen for each in links})
            analysis.refers_to = references.kinds(links)
            if references.joins_cases:
                analysis.external = tuple(sorted(analysis.included_cases(), key=lambda each: each.span))
        analysis.depends_on = analysis.linked_files | references.seen

    def _links_alike(self, previous: Analysis, change: BlockChange) -> bool:
        """Whether all links together are unchanged. The places of included cases move with every keystroke."""
        if previous.external or any(self.states[b].links.cases for b in change.added):
            return False
        frame = previous.states[previous.frame.block].links, self.states[self.frame.block].links
        return _links(frame[0]) == _links(frame[1]) and change.alike(
            previous.states, self.states, lambda state: _links(state.links)
        )

    def nearby(self, number: int, block: Block) -> None:
        """Resolve the references of one block, in an analysis that is otherwise equal to an earlier one."""
        references = self.analysis.references
        if self.analysis.around is not None and references is not None:
            self._linked(number, block, self.analysis.around[0], references)

    def _linked(self, number: int, block: Block, project: Project, references: TextReferences) -> None:
        state = self.states[block]
        key = (state.key, references.key)
        since = state.linked_at
        state.linked_at = project.version
        if state.linked == key and not project.changed_since(since, state.links.seen):
            return
        state = self._to_link(block)
        state.linked, state.linked_at = key, project.version
        every = self.inner.pop(id(state.shapes), (None, None))[1]
        linked = LinkedBlock(block, state, partial(self._told_above, number, state), every)
        state.links = references.of_block(linked)
        if state.links.issues:
            context = Context(block.text, self.dialect, references.defaults)
            state.links.findings = run_rules(self.analysis, state.links.issues, context, state.unused)

    def _told_above(self, number: int, state: BlockState) -> list[frozenset[int]]:
        """The words that were resolved in the blocks to which this one refers."""
        sources = self.anchors.blocks(number) if state.borrows and number >= 0 else ()
        return [self.states[b].links.told for b in sources]

    def _to_link(self, block: Block) -> BlockState:
        """The state of a block that is linked again; earlier analyses keep their own."""
        state = self.states[block]
        if state.linked is not None:
            key, state = state.key, state.again()
            state.key = key
            self.states[block] = state
        return state


def _links(links: BlockReferences) -> tuple[object, ...]:
    return links.seen, links.files, links.cases
