"""broken-template: `{{ name }`, a `{% if %}` without its end, and filters that do not exist."""

from collections.abc import Collection, Iterator

from rubric_core.language.evaluators import LlmJudge
from rubric_core.language.model import Case, Suite
from rubric_core.language.properties import Properties
from rubric_core.language.targets import Entry
from rubric_core.loading.reference_issues import PromptText
from rubric_core.syntax.template_syntax import (
    NUNJUCKS_FILTERS,
    UnclosedReference,
    filters_used,
    loose_statements,
    unclosed_references,
)
from rubric_core.syntax.tree import Mapping, Node, Scalar, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import TEMPLATES, Context, Finding, Fix, rule
from rubric_core.validation.wording import closest, unmatched_words

__all__ = ["BROKEN_TEMPLATE", "unknown_filters"]

_STAYS = "it stays in the text verbatim"
_FAILS = "the template cannot be rendered, so the case does not run"


@rule(
    "broken-template",
    "warning",
    "A template that is not closed, or that uses an unknown filter",
    signs=TEMPLATES | {"{#"},
)
def BROKEN_TEMPLATE(visited: Suite | Case | Entry | LlmJudge | PromptText, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Only where the dialect fills something in: elsewhere braces are braces."""
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
            if context.defaults.filters is not None:
                yield from unknown_filters(node.span, context, NUNJUCKS_FILTERS | context.defaults.filters, _FAILS)


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


def unknown_filters(span: Span, context: Context, known: Collection[str], consequence: str) -> Iterator[Finding]:
    """The filters in a template that are not `known`, each at its name."""
    for name, at in filters_used(context.text, span):
        if name not in known:
            meant = closest(name, sorted(known))
            yield Finding(
                at,
                f"there is no filter `{name}`" + (f"; did you mean `{meant}`?" if meant else ""),
                fixes=(Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if meant else (),
                consequence=consequence,
                severity="error",
            )
