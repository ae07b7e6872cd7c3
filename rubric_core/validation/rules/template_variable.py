"""template-variable: a name in a judge's prompt that nothing is filled in for, or a prompt without the answer."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rubric_core.language.closest_name import closest
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import LlmJudge
from rubric_core.language.variables import VARIABLE, replaces_system, variables_in
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import PromptText
from rubric_core.syntax.edit import newline_of
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import names

__all__ = ["TEMPLATE_VARIABLE"]

_VARS = pattern(r"^[ \t]*(?:- +)?vars[ \t]*:", re.MULTILINE)
_WRITTEN_FILE = pattern(r"[\"']?file://")
_LEFT = "agentv leaves it in the prompt as it is"
_NOTHING = "agentv scores nothing with it"
_SENT = "agentv sends it anyway, and the judge makes up a score"


@rule("template-variable", "warning", "A template variable that is never filled in")
def TEMPLATE_VARIABLE(  # noqa: N802  # a rule is a constant
    prompt: LlmJudge | PromptText, context: Context
) -> Iterator[Finding]:
    """Unknown names stay in the prompt as they are; a prompt without the answer judges nothing."""
    if not context.dialect.properties.template_variables:
        return
    if isinstance(prompt, PromptText):
        yield from (_in_prompt_file if prompt.path is None else _in_referenced_file)(prompt, context)
        return
    place = prompt.places.get("prompt")
    # Values of the case are filled in too, under names of the author's choice.
    if (
        place is not None
        and isinstance(place.node, Scalar)
        and not place.borrowed
        and not _WRITTEN_FILE.match(context.written(place.value))
        and not _has_vars(context.text)
    ):
        yield from _unknown(context, place.node.span, context.dialect.properties.template_variables)
        yield from _replaced(context, place.node.span)
        yield from _without_answer(context, place.node)


@lru_cache(maxsize=4)
def _has_vars(text: str) -> bool:
    """Whether something has `vars`; looked for once, however many judges are in the text."""
    return _VARS.search(text) is not None


def _in_prompt_file(prompt: PromptText, context: Context) -> Iterator[Finding]:
    """A prompt by itself may fill in values of cases, and may be of any dialect: only misspelt names are certain."""
    yield from (f for f in _unknown(context, Span(0, len(prompt.text)), _every()) if f.fixes)


def _every() -> tuple[str, ...]:
    """The names of all dialects."""
    return tuple(dict.fromkeys(name for dialect in DIALECTS for name in dialect.properties.template_variables))


def _in_referenced_file(prompt: PromptText, context: Context) -> Iterator[Finding]:
    """A prompt that a suite names, at the place where it does."""
    if prompt.path is None or prompt.bare is not None or _has_vars(context.text):
        return
    properties = context.dialect.properties
    known = properties.template_variables
    for name in dict.fromkeys(VARIABLE.findall(prompt.text)):
        if name not in known:
            meant = closest(name, known)
            if prompt.checked and name not in _every() and closest(name, _every()):
                continue  # said there
            line = prompt.text.count("\n", 0, prompt.text.index(name)) + 1
            yield Finding(
                prompt.span,
                f"`{name}` in {prompt.path.name}:{line} is not a template variable; {_advice(meant, known)}",
                consequence=_LEFT,
            )
    for name, instead in properties.replaced_variables:
        found = next((m for m in VARIABLE.finditer(prompt.text) if m[1] == name), None)
        if found is not None:
            line = prompt.text.count("\n", 0, found.start()) + 1
            yield Finding(
                prompt.span,
                f"`{name}` in {prompt.path.name}:{line} is deprecated: use `{instead}`",
                consequence=_later(context),
                tags=("deprecated",),
            )
    used = variables_in(prompt.text)
    if replaces_system(prompt.text, properties):
        return
    if used <= set(known) and not used & set(properties.answer_variables):
        yield Finding(prompt.span, f"{prompt.path.name} {_no_answer(context)}", consequence=_unseen(context))


def _unknown(context: Context, span: Span, known: tuple[str, ...]) -> Iterator[Finding]:
    from_environment = context.dialect.properties.interpolates == "everything"
    for found in VARIABLE.finditer(context.text, *span):
        if found[1] not in known and not (from_environment and context.text.startswith("$", found.start() - 1)):
            meant = closest(found[1], known)
            fixes = (Fix(f"change it to `{meant}`", (Edit(Span(*found.span(1)), meant),)),) if meant else ()
            words = f"`{found[1]}` is not a template variable; {_advice(meant, known)}"
            yield Finding(Span(*found.span()), words, fixes=fixes, consequence=_LEFT)


def _replaced(context: Context, span: Span) -> Iterator[Finding]:
    instead = dict(context.dialect.properties.replaced_variables)
    for found in VARIABLE.finditer(context.text, *span):
        if found[1] in instead:
            new = instead[found[1]]
            yield Finding(
                Span(*found.span()),
                f"`{found[1]}` is deprecated: use `{new}`",
                fixes=(Fix(f"change it to `{new}`", (Edit(Span(*found.span(1)), new),)),),
                consequence=_later(context),
                tags=("deprecated",),
            )


def _without_answer(context: Context, node: Scalar) -> Iterator[Finding]:
    span = node.span
    used = {found[1] for found in VARIABLE.finditer(context.text, *span)}
    properties = context.dialect.properties
    if used and used <= set(properties.template_variables) and not used & set(properties.answer_variables):
        yield Finding(
            _first_line(context, span),
            f"this prompt {_no_answer(context)}",
            fixes=_with_answer(context, node),
            consequence=_unseen(context),
        )


def _with_answer(context: Context, node: Scalar) -> tuple[Fix, ...]:
    """The answer at the end of the prompt, on a line of its own in a block."""
    written = f"{{{{ {context.dialect.properties.answer_variables[0]} }}}}"
    block = node.is_block
    end = node.span.end - node.is_quoted
    end = node.span.start + len(context.written(Span(node.span.start, end)).rstrip())
    lead = " "
    if block:
        lines = context.written(node.span).splitlines()
        blanks = next((len(each) - len(each.lstrip()) for each in lines[1:] if each.strip()), 0)
        lead = newline_of(context.text) + " " * blanks
    return (Fix(f"add `{written}`", (Edit(Span(end, end), lead + written),), safe=False),)


def _later(context: Context) -> str:
    return f"the newest releases of {context.dialect.name} leave it in the prompt as it is"


def _unseen(context: Context) -> str:
    return _SENT if context.dialect.properties.wording == "output" else _NOTHING


def _advice(meant: str | None, known: tuple[str, ...]) -> str:
    return f"did you mean `{meant}`?" if meant else f"there are {names(known)}"


def _no_answer(context: Context) -> str:
    return f"does not show the judge the answer; use {names(context.dialect.properties.answer_variables, 'or')}"


def _first_line(context: Context, span: Span) -> Span:
    line = context.written(span).partition("\n")[0].rstrip()
    return Span(span.start, span.start + max(1, len(line)))
