"""Paths of a promptfoo configuration that begin almost with file://, and are taken for text (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["file_url_slips"]

#: `file:/a`, `file:a`, `file//a`, and the same with the other slash.
_SLIP = pattern(r"(file(?::[/\\]?(?![/\\])|:?\\\\|//))[\w.~*{-]\S{0,300}\Z")
_FIELDS = (
    "prompts", "providers", "targets", "tests", "default_test", "extensions", "vars", "value", "rubric_prompt", "transform",
    "context_transform", "transform_vars", "scoring",
)  # fmt: skip


def file_url_slips(shape: Configuration | PromptfooCase | Assertion | CaseOptions) -> Iterator[Finding]:
    """Each text that is such a path."""
    for field in _FIELDS:
        place = shape.places.get(field)
        if place is None or place.borrowed:
            continue
        for node in _texts(place.node, is_map=field == "vars"):
            found = _SLIP.match(node.text) if node.text.startswith("file") and not node.is_block else None
            if found is not None:
                start = node.span.start + node.is_quoted
                fixes = (Fix("write file://", (Edit(Span(start, start + len(found[1])), "file://"),)),)
                yield Finding(
                    node.span, f"`{found[1]}` begins no path; write file://", fixes=fixes, severity="warning",
                    consequence="promptfoo takes it for text",
                )  # fmt: skip


def _texts(node: Node, *, is_map: bool) -> Iterator[Scalar]:
    """A text, the texts of a list and the ids in it, and with `is_map` the values of a mapping."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            inner = item.get("id") if isinstance(item, Mapping) else item
            if isinstance(inner, Scalar):
                yield inner
    elif isinstance(node, Mapping) and is_map:
        yield from (entry.value for entry in node.entries if isinstance(entry.value, Scalar))
