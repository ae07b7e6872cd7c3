"""An occurrence of a name."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from rubric_core.analysis import Analysis
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.text import Span

__all__ = ["NameKind", "NameOccurrence", "NamePlace", "Style", "scalar_name"]

#: `provider`, `prompt`, `metric` and `pointer` (the target of a `$ref`) are names of configurations;
#: `description` is what its cases have in place of an id.
NameKind = Literal[
    "case", "criterion", "evaluator", "target", "anchor", "variable", "file", "directory", "template", "provider", "prompt", "metric", "pointer",
    "description",
]  # fmt: skip
#: How a name is written: as it is; plain, or in single or double quotes of YAML; so that code has a local name called
#: after it; as a cell of a table, with quotes around it or without.
Style = Literal["raw", "plain", "single", "double", "taken", "cell", "quoted-cell"]


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """An occurrence of a name. The span excludes quotes and signs."""

    kind: NameKind
    name: str
    span: Span
    #: Whether it is the definition.
    defines: bool = False
    style: Style = "plain"
    #: Whether the file of that name is only looked for beside the file that names it.
    beside: bool = False

    def moved(self, span: Span) -> "NameOccurrence":
        """The same name at another offset."""
        return replace(self, span=span)


class NamePlace(NamedTuple):
    """The definition of a name, and the name of its file."""

    analysis: Analysis
    span: Span
    file: str


def scalar_name(node: Node, kind: NameKind, *, defines: bool, beside: bool = False) -> Iterator[NameOccurrence]:
    """The name of a single-line text; None for anything else."""
    if not isinstance(node, Scalar) or not node.text or node.is_block:
        return
    quote = node.is_quoted
    span = Span(node.span.start + 1, node.span.end - 1) if quote else node.span
    style: Style = "single" if node.style == "single" else "double" if quote else "plain"
    yield NameOccurrence(kind, node.text, span, defines, style, beside)
