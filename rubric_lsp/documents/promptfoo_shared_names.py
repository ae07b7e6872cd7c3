"""Where the names are defined that a promptfoo configuration shares with its files: providers, prompts, metrics, pointers."""

from collections.abc import AsyncIterator

from rubric_core.analysis import Analysis
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import absolute
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.tree import Mapping, Node, Sequence
from rubric_core.text import Span
from rubric_lsp.documents.name_scope import name_scope
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence
from rubric_lsp.features.promptfoo_names import is_name_of

__all__ = ["BY_BEGINNING", "OF_FAMILY", "PromptfooFamily"]

OF_FAMILY: frozenset[NameKind] = frozenset({"provider", "prompt", "metric", "pointer"})
#: Kinds of names that a reference may match by prefix.
BY_BEGINNING: frozenset[NameKind] = frozenset({"provider", "prompt"})


class PromptfooFamily:
    """Follows such names through a configuration and its files.

    Args:
        around: The files of the workspace.
    """

    def __init__(self, around: ProjectIndex) -> None:
        self._around = around

    async def definitions(self, snapshot: Snapshot, name: NameOccurrence) -> AsyncIterator[tuple[Snapshot, Span]]:
        """Where a name is defined; a definition in this file takes precedence."""
        if name.kind == "pointer":
            found = self._target(snapshot, name)
            if found is not None:
                yield found
            return
        whole = name.kind in BY_BEGINNING and not name.defines

        def means(other: str) -> bool:
            return other == name.name or (whole and is_name_of(name.name, other))

        scope = await name_scope(self._around, snapshot, name.kind, means)
        for where, each in scope.names(name.kind):
            if each.defines and means(each.name):
                yield where.snapshot, each.span

    def _target(self, snapshot: Snapshot, name: NameOccurrence) -> tuple[Snapshot, Span] | None:
        """The target of a `$ref`: in the same file, or in the file named before `#`."""
        file, _, pointer = name.name.partition("#")
        where: Snapshot | None = snapshot
        if file:
            path = snapshot.path.parent / file.removeprefix(URL) if snapshot.path is not None else None
            where = self._around.at(absolute(path)) if path is not None else None
        span = _span_at(where.analysis, pointer) if where is not None else None
        return (where, span) if where is not None and span is not None else None


def _span_at(analysis: Analysis, pointer: str) -> Span | None:
    """The span of the key or item at a JSON pointer; the start of the file for an empty pointer."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.strip("/").split("/") if step]
    if not steps:
        return Span(0, 0)
    frame = analysis.frame.block
    found = _within(analysis.states[frame].tree.root, steps)
    if found is not None:
        return analysis.frame.outer(found)
    # Items of the list of cases are blocks of their own.
    blocks = [(number, block) for number, block in enumerate(analysis.document.blocks) if block.key]
    if (
        len(steps) > 1
        and blocks
        and blocks[0][1].key == steps[0]
        and steps[1].isdigit()
        and int(steps[1]) < len(blocks)
    ):
        number, block = blocks[int(steps[1])]
        found = _in_block(analysis, block, steps[2:])
        return found.moved(analysis.document.start(number)) if found is not None else None
    return None


def _in_block(analysis: Analysis, block: Block, steps: list[str]) -> Span | None:
    root = analysis.states[block].tree.root
    item = root.items[0] if isinstance(root, Sequence) and root.items else root
    if item is None:
        return None
    return _within(item, steps) if steps else Span(item.span.start, item.span.start)


def _within(node: Node | None, steps: list[str]) -> Span | None:
    """The key or item at the end of a path from a node."""
    span: Span | None = None
    for step in steps:
        if isinstance(node, Mapping):
            entry = node.entry(step)
            if entry is None:
                return None
            node, span = entry.value, entry.key.span
        elif isinstance(node, Sequence) and step.isdigit() and int(step) < len(node.items):
            node = node.items[int(step)]
            span = Span(node.span.start, node.span.start)
        else:
            return None
    return span
