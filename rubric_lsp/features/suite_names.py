"""Names in suites of AgentV: cases, criteria, evaluators, targets, variables, files."""

from collections.abc import Iterator, Mapping

from rubric_core.analysis import LocalText
from rubric_core.language.evaluators import Aggregator, Composite, Criterion, Evaluator, Scripted
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case, ContentBlock, DefaultTest
from rubric_core.language.shape import Shape, children
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.directory_search import URL
from rubric_core.loading.reference_collector import Mention, collect_references, is_open, is_script, words_of
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, Scalar, Sequence, walk
from rubric_core.text import Span
from rubric_lsp.features.cell_names import case_ids
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence, scalar_name

__all__ = ["suite_names"]

_VARIABLE = pattern(r"\{\{-?\s*([A-Za-z_]\w*)")


def suite_names(local: LocalText) -> Iterator[NameOccurrence]:
    """The names in one block, except anchors."""
    if local.analysis.kind is FileKind.TABLE:
        yield from case_ids(local.text)
        return
    own_folder = local.analysis.kind.has_own_folder
    for root in local.shapes:
        for shape in children(root):
            yield from _shape_names(shape, local.text, own_folder=own_folder)
    yield from _listed(local)
    if "{{" in local.text:
        yield from _variables(local)


def _listed(local: LocalText) -> Iterator[NameOccurrence]:
    """A case file in the case list of a suite."""
    root = local.tree.root if local.number >= 0 and local.analysis.kind is FileKind.SUITE else None
    for item in root.items if isinstance(root, Sequence) else ():
        if isinstance(item, Scalar) and not is_open(item.text):
            yield from scalar_name(item, "file", defines=False, beside=True)


def _shape_names(shape: Shape, text: str, *, own_folder: bool) -> Iterator[NameOccurrence]:
    if isinstance(shape, Case):
        yield from _defined(shape, "id", "case")
    elif isinstance(shape, Criterion) and not shape.shorthand:
        yield from _defined(shape, "id", "criterion")
    elif isinstance(shape, Evaluator):
        yield from _defined(shape, "name", "evaluator")
    elif isinstance(shape, Entry):
        yield from _defined(shape, "name", "target")
    if isinstance(shape, Composite) and isinstance(shape.aggregator, Aggregator):
        yield from _weights(shape.aggregator)
    for mention in collect_references(shape):
        if not mention.borrowed and not _is_text(shape, mention):
            yield from _mentioned(mention, text, beside=own_folder and mention.beside)
    if isinstance(shape, Case) and shape.has("depends_on"):
        yield from _dependencies(shape.places["depends_on"].node)
    if isinstance(shape, Case | DefaultTest) and shape.has("vars"):
        yield from _keys(shape.places["vars"].node, "variable")


def _is_text(shape: Shape, mention: Mention) -> bool:
    """Whether a value that may be a path is a text or code instead."""
    if mention.field != "value":
        return False
    if isinstance(shape, ContentBlock):
        return shape.type == "text"
    return isinstance(shape, Scripted) and not mention.text.startswith(URL)


def _defined(shape: Shape, field: str, kind: NameKind) -> Iterator[NameOccurrence]:
    place = shape.places.get(field)
    if place is not None and not place.borrowed:
        yield from scalar_name(place.node, kind, defines=True)


def _weights(aggregator: Aggregator) -> Iterator[NameOccurrence]:
    place = aggregator.places.get("weights")
    if place is not None and not place.borrowed:
        yield from (replace(n, defines=False) for n in _keys(place.node, "evaluator"))


def _keys(node: Node, kind: NameKind) -> Iterator[NameOccurrence]:
    if isinstance(node, MappingNode):
        for entry in node.entries:
            yield from scalar_name(entry.key, kind, defines=True)


_MENTIONED: Mapping[str, NameKind] = {
    "target": "target", "file": "file", "url": "file", "directory": "directory", "template": "template",
}  # fmt: skip


def _mentioned(mention: Mention, text: str, *, beside: bool) -> Iterator[NameOccurrence]:
    if mention.refers_to in _MENTIONED:
        yield from scalar_name(mention.node, _MENTIONED[mention.refers_to], defines=False, beside=beside)
    elif mention.refers_to == "program":
        for word in filter(is_script, words_of(mention)):
            at = text.find(word, mention.node.span.start, mention.node.span.end)
            if at >= 0:
                yield NameOccurrence("file", word, Span(at, at + len(word)), False, "raw", beside)


def _dependencies(node: Node) -> Iterator[NameOccurrence]:
    for item in node.items if isinstance(node, Sequence) else (node,):
        yield from scalar_name(item, "case", defines=False)


def _variables(local: LocalText) -> Iterator[NameOccurrence]:
    if local.analysis.kind is FileKind.PROMPT:
        for found in _VARIABLE.finditer(local.text):
            yield NameOccurrence("variable", found[1], Span(*found.span(1)), False, "raw")
    for node in walk(local.tree.root):
        if isinstance(node, Scalar):
            for found in _VARIABLE.finditer(local.text, node.span.start, node.span.end):
                yield NameOccurrence("variable", found[1], Span(*found.span(1)), False, "raw")
