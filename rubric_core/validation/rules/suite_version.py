"""suite-version: a version that YAML changes, or that is invalid."""

from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SUITE_VERSION"]

_VERSION = pattern(r"v?\d+(?:\.\d+){0,3}(?:[-+][\w.+-]+)?\Z")


@rule("suite-version", "hint", "A version that YAML changes, or that is invalid")
def SUITE_VERSION(suite: Suite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`version: 1.10` is the number 1.1; as metadata, a version is a text such as 1.10.0."""
    place = suite.places.get("version")
    node = place.node if place is not None else None
    # The first releases read it, and what they want is said of the mark of the file.
    if place is None or not isinstance(node, Scalar) or "{{" in node.text or context.dialect.properties.suite_marker:
        return
    fixes = () if place.borrowed else (Fix("put it in quotes", (Edit(node.span, quoted(node.text)),)),)
    if isinstance(node.value, float) and _VERSION.match(node.text) and node.text != str(node.value):
        yield Finding(
            place.value, f"YAML reads {node.text} as the number {node.value:g}", fixes=fixes, severity="warning"
        )
    elif node.text.strip() and not _VERSION.match(node.text):
        yield Finding(place.value, f"`{node.text}` is not a version; write one such as 1.2.0")
