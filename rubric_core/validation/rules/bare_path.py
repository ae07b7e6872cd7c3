"""bare-path: a path that only counts as one behind `file://`."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.language.value_kinds import ListOf
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["BARE_PATH"]

_FIELDS = ("environment", "default_test", "scenarios")
_MARKS = ("file://", "ref://")


@rule(
    "bare-path",
    "error",
    "A path without file:// in front",
    needs=_FIELDS,
)
def BARE_PATH(shape: Suite | Case, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """What is no mapping in these places is a file, and says so."""
    if not context.dialect.properties.strict_keys:
        return
    for field in _FIELDS:
        place = shape.places.get(field)
        if place is None or place.borrowed:
            continue
        listed = isinstance(type(shape).keys[field].kind, ListOf)
        if listed != isinstance(place.node, Sequence):
            continue  # wrong-type says it
        nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
        for node in nodes:
            if isinstance(node, Scalar) and isinstance(node.value, str) and _is_bare(node.text):
                at = node.span.start + node.is_quoted
                yield Finding(
                    node.span,
                    f"a file under `{place.name}` begins with file://",
                    fixes=(Fix("write file:// in front", (Edit(Span(at, at), "file://"),)),),
                    consequence="agentv rejects the file",
                )


def _is_bare(text: str) -> bool:
    return bool(text.strip()) and not text.startswith(_MARKS) and "{{" not in text
