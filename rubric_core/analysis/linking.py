"""Resolves references to other files, block by block, and again only if the result may have changed."""

from functools import partial
from pathlib import Path

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import BlockState, origin_of
from rubric_core.analysis.result import Analysis
from rubric_core.analysis.run_rules import run_rules
from rubric_core.analysis.suite_defaults import prompt_file_defaults
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.promptfoo.file_kinds import PromptfooFile
from rubric_core.language.shape import Shape
from rubric_core.loading.block_references import BlockReferences, look_up_references
from rubric_core.loading.project import Project
from rubric_core.loading.promptfoo_base import configuration_folder
from rubric_core.loading.promptfoo_files import look_up_configuration
from rubric_core.loading.references import References
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.tree import Sequence
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

    def of_suite(self, project: Project, path: Path, previous: Analysis | None, change: BlockChange | None) -> None:
        """Resolve the references of every block whose result may have changed."""
        analysis, states, blocks = self.analysis, self.states, self.analysis.document.blocks
        references = References(project, path, analysis.kind, self.dialect, analysis.own_targets)
        analysis.references = references
        analysis.linked_in = (project, project.version, references.key)
        if previous is None or change is None or previous.linked_in != analysis.linked_in:
            previous, first, last = None, 0, len(blocks)
        else:
            first, last = change.start, len(blocks) - change.end
        self._linked(-1, self.frame.block, references)
        for number in range(first, last):
            if blocks[number].key:
                self._linked(number, blocks[number], references)
        targets = references.targets_path(outside := project.look())
        if previous is not None and change is not None and self._links_alike(previous, change):
            analysis.linked_files, analysis.refers_to = previous.linked_files, previous.refers_to
        else:
            links = [states[self.frame.block].links, *(states[block].links for block in blocks if block.key)]
            analysis.linked_files = frozenset[Path]().union(*{each.seen for each in links})
            analysis.refers_to = {
                **{f: k for each in links for f, k in each.files},
                **({targets: FileKind.TARGETS} if targets is not None and analysis.kind is FileKind.SUITE else {}),
            }
            analysis.external = tuple(sorted(analysis.included_cases(), key=lambda each: each.span))
        analysis.depends_on = analysis.linked_files | outside.seen

    def of_promptfoo_file(
        self, project: Project, path: Path, previous: Analysis | None, change: BlockChange | None
    ) -> None:
        """The same for a file that a promptfoo configuration refers to, which gives its other references."""
        look = project.look()
        base = configuration_folder(path, look)
        if base is not None:
            self.of_promptfoo(project, path, previous, change, base)
            # Of other files, the configuration knows more: how these are checked depends on it.
            found = self.analysis.refers_to.items()
            self.analysis.refers_to = {f: kind for f, kind in found if kind.is_named_anywhere}
        self.analysis.depends_on = self.analysis.linked_files | look.seen

    def of_promptfoo(
        self,
        project: Project,
        path: Path,
        previous: Analysis | None,
        change: BlockChange | None,
        base: Path | None = None,
    ) -> None:
        """The same for a promptfoo configuration, whose paths follow other rules.

        `base` is the folder of the configuration, if the text is another file.
        """
        analysis, states, blocks = self.analysis, self.states, self.analysis.document.blocks
        analysis.linked_in = (project, project.version, path, base)
        every = [self.frame.block, *(b for b in blocks if b.key)]
        known = previous is not None and change is not None and previous.linked_in == analysis.linked_in
        for block in [self.frame.block, *change.added] if known and change is not None else every:
            state, key = states[block], (states[block].key, path, base)
            since, state.linked_at = state.linked_at, project.version
            if state.linked == key and not project.changed_since(since, state.links.seen):
                continue
            state = self._to_link(block)
            state.linked, state.linked_at = key, project.version
            in_list = state.tree.root if block.key and base is None else None
            state.links = look_up_configuration(
                state.shapes, in_list, project.look(), base or path.parent, kept=state.kept,
                is_told=partial(_is_judged, state.judged), inlined_from=path.parent if analysis.kind.inlines else None,
                nested=base is not None, is_of_list=analysis.kind is PromptfooFile.CASES and isinstance(state.tree.root, Sequence),
            )  # fmt: skip
            context = Context(block.text, self.dialect, prompt_file_defaults(states[self.frame.block].shapes))
            state.links.findings = run_rules(self.analysis, state.links.issues, context, unused=state.unused)
        if known and previous is not None and change is not None and self._links_alike(previous, change):
            analysis.linked_files, analysis.refers_to = previous.linked_files, previous.refers_to
        else:
            links = [states[b].links for b in every]
            analysis.linked_files = frozenset[Path]().union(*(each.seen for each in links))
            # A file that is used in several ways is what it is first: a prompt, rather than that of a judge.
            kinds: dict[Path, FileKind] = {}
            for file, kind in (pair for each in links for pair in each.files):
                kinds.setdefault(file, kind)
            analysis.refers_to = kinds
        analysis.depends_on = analysis.linked_files

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
        if self.analysis.references is not None:
            self._linked(number, block, self.analysis.references)

    def _linked(self, number: int, block: Block, references: References) -> None:
        state, project = self.states[block], references.project
        key = (state.key, references.key)
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
            every=self.inner.pop(id(state.shapes), (None, None))[1],
        )  # fmt: skip
        if state.links.issues:
            context = Context(block.text, self.dialect)
            state.links.findings = run_rules(self.analysis, state.links.issues, context)

    def _to_link(self, block: Block) -> BlockState:
        """The state of a block that is linked again; earlier analyses keep their own."""
        state = self.states[block]
        if state.linked is not None:
            key, state = state.key, state.again()
            state.key = key
            self.states[block] = state
        return state


def _is_judged(judged: frozenset[object], shape: Shape) -> bool:
    return origin_of(shape) in judged


def _links(links: BlockReferences) -> tuple[object, ...]:
    return links.seen, links.files, links.cases
