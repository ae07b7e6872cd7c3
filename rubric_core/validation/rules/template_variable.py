"""template-variable: a name in a judge's prompt that nothing is filled in for, or a prompt without the answer."""

import re
from collections.abc import Iterator

from rubric_core.language.closest import closest
from rubric_core.language.evaluators import LlmJudge
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import names

__all__ = ["TEMPLATE_VARIABLE"]

_VARS = re.compile(r"^\s*(?:- +)?vars[ \t]*:", re.MULTILINE)
_NAME = re.compile(r"\{\{\s*([A-Za-z0-9_]+)\s*\}\}")


@rule("template-variable", "warning", "A template variable that is never filled in")
def TEMPLATE_VARIABLE(judge: LlmJudge, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Unknown names stay in the prompt as they are; a prompt without the answer judges nothing."""
    place = judge.places.get("prompt")
    known = context.dialect.properties.template_variables
    if (
        place is None
        or place.borrowed
        or not isinstance(place.node, Scalar)
        or not known
        or place.node.text.startswith("file://")
    ):
        return
    if _VARS.search(context.text):
        # Values of the case are filled in too, under names of the author's choice.
        return
    used: list[str] = []
    for found in _NAME.finditer(context.text, *place.node.span):
        used.append(found[1])
        if found[1] not in known:
            meant = closest(found[1], known)
            fixes = (Fix(f"change it to `{meant}`", (Edit(Span(*found.span(1)), meant),)),) if meant else ()
            yield Finding(
                Span(*found.span()),
                f"`{found[1]}` is no template variable; "
                + (f"did you mean `{meant}`?" if meant else f"there are {names(known)}"),
                fixes=fixes,
                consequence="agentv leaves it in the prompt as it is",
            )
    answers = context.dialect.properties.answer_variables
    if used and all(u in known for u in used) and answers and not set(used) & set(answers):
        yield Finding(
            _first_line(context, place.node.span),
            f"this prompt shows the judge no answer; use {names(answers, 'or')}",
            consequence="agentv scores nothing with it",
        )


def _first_line(context: Context, span: Span) -> Span:
    line = context.written(span).partition("\n")[0].rstrip()
    return Span(span.start, span.start + max(1, len(line)))
