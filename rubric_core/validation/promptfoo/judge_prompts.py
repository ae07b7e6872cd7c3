"""Prompts for judges of promptfoo that do not show the output (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.chat_files import chat_faults
from rubric_core.validation.promptfoo.templates import UsedName, names_in
from rubric_core.validation.rule import Context, Finding, Fix

__all__ = ["judge_prompts", "judge_texts", "slips_in_judge_prompts"]

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


#: A placeholder without its end.
_LEFT_OPEN = pattern(r"\{\{[^{}]{0,200}(?:\}?\Z|\}[^}]|\{)")
#: What promptfoo fills in, between single braces.
_SINGLE = pattern(r"(?<![{\w$\\\"':])\{(output|rubric|criteria|completion|ideal|input)\}(?!\})")


#: What promptfoo fills in, by the type of the assertion.
_NAMES = _OUTPUTS | {"rubric", "input", "ideal", "steps", "maxScore", "groundTruth", "query", "goal"}


def judge_texts(shape: Assertion | CaseOptions) -> Iterator[Scalar]:
    """The texts of a `rubricPrompt`: one text, several, or the contents of messages. Files are left to their author."""
    place = shape.places.get("rubric_prompt")
    node = place.node if place is not None and not place.borrowed and not shape.borrowed else None
    for item in node.items if isinstance(node, Sequence) else [node]:
        content = item.get("content") if isinstance(item, Mapping) else item
        for part in content.items if isinstance(content, Sequence) else [content]:
            text = part.get("text") if isinstance(part, Mapping) else part
            is_text = isinstance(text, Scalar) and isinstance(text.value, str)
            if isinstance(text, Scalar) and is_text and not text.text.startswith(("file:", "file//", "package:")):
                yield text


def judge_prompts(shape: Assertion | CaseOptions, context: Context) -> Iterator[Finding]:
    """`{output}`, prompts that do not show the output, and mistakes in messages."""
    place = shape.places.get("rubric_prompt")
    node = place.node if place is not None and not place.borrowed else None
    messages = node.items if isinstance(node, Sequence) else []
    if any(not isinstance(item, Mapping) or item.get("content") is None for item in messages) or node is None:
        return
    yield from chat_faults(node, context.text) if messages else ()
    texts = list(judge_texts(shape))
    if any("{%" in each.text or "{#" in each.text or "env" in each.text for each in texts):
        return
    if not any(each.text.strip() for each in texts) or (messages and _has_other_parts(messages)):
        return
    yield from (found for each in texts for found in _single(each, context))
    shown = {used.name for each in texts for used in names_in(each.text)}
    # A placeholder that is misspelt or not closed is reported itself.
    slips = any(is_typo(name, each) for name in shown for each in _OUTPUTS)
    if not slips and shown.isdisjoint(_OUTPUTS) and not any(_LEFT_OPEN.search(each.text) for each in texts):
        yield Finding(
            node.span if isinstance(node, Scalar) else texts[0].span,
            "this prompt does not show the judge the output; use `{{ output }}`",
            consequence="promptfoo sends it anyway",
        )


def _has_other_parts(messages: list[Node]) -> bool:
    """Whether the content of a message is a file, or has parts that are no text."""
    contents = [item.get("content") for item in messages if isinstance(item, Mapping)]
    return any(
        not isinstance(content, Scalar) or not isinstance(content.value, str) or content.text.startswith("file:")
        for content in contents
    )


def _single(node: Scalar, context: Context) -> Iterator[Finding]:
    start = node.span.start + node.is_quoted
    for found in _SINGLE.finditer(context.text, start, node.span.end - node.is_quoted):
        written, at = f"{{{{{found[1]}}}}}", Span(*found.span())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
        words = f"`{found[0]}` is no placeholder; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence="it is sent as it is")


def slips_in_judge_prompts(
    shape: Assertion | CaseOptions, known: frozenset[str]
) -> Iterator[tuple[Scalar, list[UsedName], frozenset[str]]]:
    """The names in judge prompts that are a slip of one that promptfoo fills in, or of a variable.

    Args:
        shape: An assertion, or the options of a case.
        known: The variables of all cases.

    Returns:
        The texts, their slips, and every name that could be meant.
    """
    names = known | _NAMES
    for node in judge_texts(shape):
        used = names_in(node.text)
        missed = names.difference(each.name for each in used)
        slips = [each for each in used if each.name not in names and any(is_typo(each.name, m) for m in missed)]
        if slips:
            yield node, slips, names
