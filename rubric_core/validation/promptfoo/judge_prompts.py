"""Prompts for judges of promptfoo that do not show the output (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.templates import names_in
from rubric_core.validation.rule import Context, Finding, Fix

__all__ = ["judge_prompts"]

#: The variables that hold the output, in any of the types.
_OUTPUTS = frozenset(
    {
        "output",
        "completion",
        "answer",
        "statements",
        "context",
        "messages",
        "outputs",
        "trajectory",
        "criteria",
        "question",
    }
)


#: What promptfoo fills in, between single braces.
_SINGLE = pattern(r"(?<![{\w$\\\"':])\{(output|rubric|criteria|completion|ideal|input)\}(?!\})")


def judge_prompts(shape: Assertion | CaseOptions, context: Context) -> Iterator[Finding]:
    """A `rubricPrompt` of text: messages and files are left to their author."""
    place = shape.places.get("rubric_prompt")
    node = place.node if place is not None and not place.borrowed else None
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or node.text.startswith(("file:", "file//")):
        return
    if "{%" in node.text or not node.text.strip() or "env" in node.text:
        return
    start = node.span.start + node.is_quoted
    for found in _SINGLE.finditer(context.text, start, node.span.end - node.is_quoted):
        written, at = f"{{{{{found[1]}}}}}", Span(*found.span())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
        words = f"`{found[0]}` is no placeholder; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence="it is sent as it is")
    if {used.name for used in names_in(node.text)}.isdisjoint(_OUTPUTS):
        yield Finding(
            node.span,
            "this prompt does not show the judge the output; use `{{ output }}`",
            consequence="promptfoo sends it anyway",
        )
