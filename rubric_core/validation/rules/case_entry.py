"""case-entry: an entry of the case list that is neither a case nor a path to cases."""

from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.syntax.tree import Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CASE_ENTRY"]

_TYPES = (".yaml", ".yml", ".jsonl", ".json", ".csv", ".js", ".mjs", ".cjs", ".py")


@rule("case-entry", "error", "A string among the cases that is no path to cases")
def CASE_ENTRY(suite: Suite, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Paths in the list begin with `file://`; a single path in its place names a YAML or JSONL file or a folder."""
    place = suite.places.get("cases")
    if place is None or place.borrowed:
        return
    node = place.node
    if isinstance(node, Sequence):
        for item in node.items:
            if (
                isinstance(item, Scalar)
                and isinstance(item.value, str)
                and item.text
                and not item.text.startswith("file://")
            ):
                fixes = (
                    (Fix("write it as file://", (Edit(item.span, f"file://{item.text}"),)),) if _path(item.text) else ()
                )
                yield Finding(
                    item.span,
                    "an entry of the case list is a case or a path that begins with file://",
                    fixes=fixes,
                    consequence="agentv refuses the file",
                )
    elif (
        isinstance(node, Scalar)
        and isinstance(node.value, str)
        and "." in node.text.rpartition("/")[2]
        and not node.text.endswith(_TYPES)
    ):
        yield Finding(Span(*node.span), "a file of cases is YAML or JSONL", severity="warning")


def _path(text: str) -> bool:
    return "/" in text or text.endswith(_TYPES)
