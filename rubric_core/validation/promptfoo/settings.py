"""Settings of a configuration of promptfoo that stop the run, or are not read (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo.configuration import Configuration, ConfiguredProvider, Metric
from rubric_core.language.shape import children
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.identities import configured_ids
from rubric_core.validation.rule import Finding, Fix

__all__ = ["settings"]

_OUTPUTS = ("csv", "html", "json", "jsonl", "txt", "xml", "yaml", "yml")
_REFUSED = "`promptfoo validate` rejects the configuration; a run goes on without it"


def settings(shape: Configuration) -> Iterator[Finding]:
    """Findings about the configuration itself."""
    yield from _outputs(shape)
    yield from configured_ids(shape)
    for inner in children(shape):
        if isinstance(inner, Metric):
            place = inner.places.get("value")
            node = place.node if place is not None and not place.borrowed else None
            if isinstance(node, Scalar) and not isinstance(node.value, str) and node.text.strip():
                fixes = (Fix(f"write {quoted(node.text)}", (Edit(node.span, quoted(node.text)),)),)
                yield Finding(
                    node.span,
                    "a formula is text: write it in quotes",
                    fixes=fixes,
                    severity="warning",
                    consequence=_REFUSED,
                )
        elif isinstance(inner, ConfiguredProvider):
            place = inner.places.get("prompts")
            node = place.node if place is not None and not place.borrowed else None
            if isinstance(node, Scalar) and isinstance(node.value, str) and "{{" not in node.text and not node.is_block:
                start, end = node.span
                fixes = (
                    Fix("write it as a list", (Edit(Span(start, start), "["), Edit(Span(end, end), "]")), safe=False),
                )
                yield Finding(
                    node.span, "`prompts` of a provider is a list", fixes=fixes if node.is_quoted else (), severity="warning",
                    consequence="`promptfoo validate` rejects the configuration; a run sends every prompt",
                )  # fmt: skip


def _outputs(shape: Configuration) -> Iterator[Finding]:
    place = shape.places.get("output_path")
    if place is None or place.borrowed:
        return
    nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
    for node in nodes:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or "{{" in node.text or "://" in node.text:
            continue
        stem, dot, ending = node.text.rpartition(".")
        if ending.lower() in _OUTPUTS and dot and "/" not in ending:
            continue
        meant = closest(ending, _OUTPUTS) if dot and "/" not in ending else None
        fixes: tuple[Fix, ...] = ()
        if not node.is_block:
            written = f"{stem}.{meant}" if meant else f"{node.text if not dot or '/' in ending else stem}.json"
            fixes = (
                Fix(
                    f"change it to `{written}`",
                    (Edit(node.span, quoted(written) if node.is_quoted else written),),
                    safe=False,
                ),
            )
        yield Finding(
            node.span, f"promptfoo writes no results into such a file; its name ends in one of {', '.join(_OUTPUTS)}",
            fixes=fixes, consequence="promptfoo stops after the run",
        )  # fmt: skip
