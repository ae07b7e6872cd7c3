"""broken-template: `{{ name }`, a `{% if %}` without its end, and filters that do not exist."""

from collections.abc import Iterator
from functools import partial

from rubric_core.language.evaluators import LlmJudge
from rubric_core.language.model import Case, Suite
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.language.properties import Properties
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import replace
from rubric_core.loading.reference_issues import PromptFileText, PromptText
from rubric_core.syntax.template_syntax import (
    NUNJUCKS_FILTERS,
    UnclosedReference,
    filters_used,
    loose_statements,
    unclosed_references,
)
from rubric_core.syntax.tree import Mapping, Node, Scalar, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.judge_prompts import judge_texts
from rubric_core.validation.promptfoo.prompt_templates import faults_in_file, faults_of_chat
from rubric_core.validation.promptfoo.suite import texts_of
from rubric_core.validation.promptfoo.template_errors import broken_statements, rendered_nodes
from rubric_core.validation.rule import TEMPLATES, Context, Finding, Fix, rule
from rubric_core.validation.wording import closest, unmatched_words

__all__ = ["BROKEN_TEMPLATE"]

_STAYS = "it stays in the text verbatim"
_NAMED_SO = "promptfoo records a metric that is named so, braces included"
_FAILS = "the template cannot be rendered, so the case does not run"


@rule(
    "broken-template",
    "warning",
    "A template that is not closed, or that uses an unknown filter",
    signs=TEMPLATES | {"{#"},
)
def BROKEN_TEMPLATE(  # noqa: N802  # a rule is a constant
    visited: Suite
    | Case
    | Entry
    | LlmJudge
    | PromptText
    | PromptFileText
    | Configuration
    | ConfiguredProvider
    | PromptfooCase
    | CaseOptions
    | Assertion,
    context: Context,
) -> Iterator[Finding]:
    """Only where the dialect fills something in: elsewhere braces are braces."""
    if isinstance(visited, Configuration | ConfiguredProvider | PromptfooCase | CaseOptions | Assertion):
        for node in () if visited.borrowed else rendered_nodes(visited):
            yield from broken_statements(node, context, is_value=isinstance(visited, Assertion | ConfiguredProvider))
            yield from _filters(node.span, context, ROW_ERRORS)
        yield from _chats(visited, context) if isinstance(visited, Configuration) and not visited.borrowed else ()
        for node in judge_texts(visited) if isinstance(visited, Assertion | CaseOptions) else ():
            yield from broken_statements(node, context, is_value=True)
            yield from _filters(node.span, context, ROW_ERRORS, of_judges=True)
        if isinstance(visited, Assertion) and not visited.borrowed:
            yield from _in_metric(visited, context)
        return
    if isinstance(visited, PromptFileText):
        yield from faults_in_file(visited, context, partial(_filters, of_judges=visited.is_of_judges))
        return
    if isinstance(visited, PromptText):
        if visited.path is None:
            yield from _references(Span(0, len(context.text)), context, _names(visited, context))
        return
    if visited.borrowed or not isinstance(visited.node, Mapping):
        return
    names = _names(visited, context)
    for node in _texts(visited, visited.node):
        yield from _references(node.span, context, names)
        if context.dialect.properties.nunjucks and not isinstance(visited, LlmJudge):
            for found in loose_statements(context.text, node.span):
                yield Finding(found.span, unmatched_words(found), consequence=_FAILS, severity="error")
            yield from _filters(node.span, context)


def _chats(configuration: Configuration, context: Context) -> Iterator[Finding]:
    """Messages in the prompts of a configuration itself."""
    for node, _ in texts_of(configuration):
        yield from faults_of_chat(node, context.text)


def _in_metric(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A metric whose template cannot be rendered; promptfoo uses the text verbatim."""
    place = shape.places.get("metric")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, str):
        found = (*broken_statements(node, context, is_value=True), *_filters(node.span, context))
        yield from (replace(each, severity="warning", consequence=_NAMED_SO) for each in found)


def _texts(visited: Suite | Case | Entry | LlmJudge, mapping: Mapping) -> Iterator[Scalar]:
    """The texts in which something is filled in; cases are visited by themselves."""
    cases = visited.places.get("cases") if isinstance(visited, Suite) else None
    prompt = visited.places.get("prompt") if isinstance(visited, LlmJudge) else None
    nodes: list[Node] = [e.value for e in mapping.entries if cases is None or e.value is not cases.node]
    for inner in [prompt.node] if prompt is not None else [] if isinstance(visited, LlmJudge) else nodes:
        yield from (n for n in walk(inner) if isinstance(n, Scalar) and ("{{" in n.text or "{%" in n.text))


def _names(visited: Suite | Case | Entry | LlmJudge | PromptText, context: Context) -> frozenset[str] | None:
    """The names for which `{{ name }}` certainly stands here; None where nothing is filled in but `${{ NAME }}`."""
    if isinstance(visited, LlmJudge | PromptText):
        return frozenset(context.dialect.properties.template_variables) or None
    if context.dialect.spelled(Case, "vars") is None:
        return None
    own = visited.vars if isinstance(visited, Case) and isinstance(visited.vars, dict) else {}
    return frozenset({*own, *context.dialect.properties.template_variables})


def _references(span: Span, context: Context, names: frozenset[str] | None) -> Iterator[Finding]:
    for found in unclosed_references(context.text, span):
        if _is_meant(found, context, names):
            written = f"{context.written(found.span)}}}"
            end = Span(found.span.end, found.span.end)
            yield Finding(
                found.span,
                f"`{context.written(found.span)}` is not closed; write `{written}`",
                fixes=(Fix(f"write `{written}`", (Edit(end, "}"),)),),
                consequence=_STAYS,
            )


def _is_meant(found: UnclosedReference, context: Context, names: frozenset[str] | None) -> bool:
    properties: Properties = context.dialect.properties
    if context.text.startswith("$", found.span.start):
        return bool(properties.interpolation)
    return names is not None and (found.spaced or found.name.removeprefix("vars.") in names)


def _filters(span: Span, context: Context, consequence: str = _FAILS, *, of_judges: bool = False) -> Iterator[Finding]:
    own = context.defaults.filters
    known = NUNJUCKS_FILTERS.union(own or ()) if not of_judges else NUNJUCKS_FILTERS
    for name, at in filters_used(context.text, span) if own is not None or of_judges else ():
        if name in (own or ()) and of_judges:
            words = f"prompts for judges have no filter `{name}`: promptfoo fills them in without `nunjucksFilters`"
            yield Finding(at, words, consequence=consequence, severity="error")
        elif name not in known:
            meant = closest(name, sorted(known))
            yield Finding(
                at,
                f"there is no filter `{name}`" + (f"; did you mean `{meant}`?" if meant else ""),
                fixes=(Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if meant else (),
                consequence=consequence,
                severity="error",
            )
