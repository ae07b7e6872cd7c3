"""Where the names are defined that a promptfoo configuration shares with its files: providers, prompts, metrics, pointers."""

from collections.abc import Iterator

from rubric_core.analysis import Analysis
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import absolute
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.tree import Mapping, Node, Sequence
from rubric_core.text import Span
from rubric_lsp.documents.family_names import FamilyNames
from rubric_lsp.documents.name_scope import NameScope
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.families.promptfoo.names import is_name_of
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence

__all__ = ["NAMES"]

#: Kinds of names that a reference may match by prefix.
_BY_BEGINNING = frozenset({"provider", "prompt"})
#: Words with a meaning of their own in templates.
_WORDS_OF_TEMPLATES = frozenset({
    "and", "or", "not", "if", "else", "elif", "for", "in", "is", "set", "true", "false", "none", "null", "loop", "env", "range", "context",
    "vars", "undefined",
})  # fmt: skip


class _PromptfooNames(FamilyNames):
    """See `FamilyNames`."""

    unique_names: frozenset[NameKind] = frozenset({"metric", "variable"})

    def refers_to(self, kind: NameKind, reference: str, name: str) -> bool:
        """See `FamilyNames.refers_to`: exactly, or as `name*`, or as `group` for names `group:…`."""
        return is_name_of(reference, name) if kind in _BY_BEGINNING else reference == name

    def is_reserved(self, kind: NameKind, name: str) -> bool:
        """See `FamilyNames.is_reserved`: words of templates."""
        return kind == "variable" and (name in _WORDS_OF_TEMPLATES or name.startswith("__"))

    async def definitions(
        self, around: ProjectIndex, snapshot: Snapshot, name: NameOccurrence
    ) -> list[tuple[Snapshot, Span]]:
        """See `FamilyNames.definitions`."""
        if name.kind != "pointer":
            return await super().definitions(around, snapshot, name)
        found = _target(around, snapshot, name)
        return [found] if found is not None else []

    def obstacles(self, around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
        """See `FamilyNames.obstacles`: code and templates."""
        from rubric_lsp.families.promptfoo.rename_obstacles import promptfoo_obstacles  # noqa: PLC0415  # when somebody renames

        return promptfoo_obstacles(around, scope, name, new)


NAMES = _PromptfooNames()


def _target(around: ProjectIndex, snapshot: Snapshot, name: NameOccurrence) -> tuple[Snapshot, Span] | None:
    """The target of a `$ref`: in the same file, or in the file named before `#`."""
    file, _, pointer = name.name.partition("#")
    where: Snapshot | None = snapshot
    if file:
        path = snapshot.path.parent / file.removeprefix(URL) if snapshot.path is not None else None
        where = around.at(absolute(path)) if path is not None else None
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
