"""undefined-variable: a name in a prompt, or in a case, for which no value is given."""

from collections import Counter
from collections.abc import Collection, Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.tree import Node, Scalar, Sequence, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.entry_lists import CaseEntry, CaseList
from rubric_core.validation.fixes import FILL_IN, add_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest

__all__ = ["UNDEFINED_VARIABLE"]

_NAME = pattern(r"(?<!\$)\{\{-?\s*(?:vars\.)?([A-Za-z_]\w*)\s*-?\}\}")
#: With statements, a template makes names of its own.
_STATEMENT = "{%"
_EMPTY = "it is empty when the prompt is rendered"


@rule(
    "undefined-variable",
    "warning",
    "A variable without a value",
    awaits="entry",
    needs=lambda visited: ("vars",) if issubclass(visited, Case) else None,
    about_name=True,
)
def UNDEFINED_VARIABLE(  # noqa: N802  # a rule is a constant
    visited: CaseList | Case, context: Context
) -> Iterator[Finding]:
    """Prompts are templates over the `vars` of a case; what a case writes is, too."""
    if context.dialect.spelled(Case, "vars") is None:
        return
    if isinstance(visited, Case):
        yield from _in_case(visited, context)
    elif visited.suite is not None and visited.siblings is not None:
        yield from _in_prompts(visited, visited.suite, context)


def _in_case(case: Case, context: Context) -> Iterator[Finding]:
    """Misspelt names: others may come from the suite, or be filled in by a judge's prompt. In assertions also names of nothing."""
    own = case.vars
    if not isinstance(own, dict) or not own or not context.templated:
        return
    properties, shared = context.dialect.properties, context.defaults.variables
    known = {*own, *properties.template_variables, *(shared or ())}
    for field, place in case.places.items():
        if place.borrowed or field == "vars":
            continue
        is_emptied = shared is not None and field == "assertions" and place.name in properties.emptied_keys
        for node in walk(place.node):
            if not isinstance(node, Scalar) or _STATEMENT in node.text:
                continue
            for found in _NAME.finditer(context.text, *node.span):
                name = found[1]
                meant = closest(name, own) if name not in known else None
                if meant is not None:
                    yield Finding(
                        Span(*found.span()),
                        f"`{name}` is not one of the `vars` of this case; did you mean `{meant}`?",
                        fixes=(Fix(f"change it to `{meant}`", (Edit(Span(*found.span(1)), meant),)),),
                    )
                elif is_emptied and name not in known and _is_plain(case):
                    fixes = add_key_fix(case.places["vars"].node, name, FILL_IN, context)
                    effect = "it is empty when an answer is graded"
                    yield Finding(Span(*found.span()), f"this case has no `{name}`", fixes=fixes, consequence=effect)


def _in_prompts(cases: CaseList, suite: Suite, context: Context) -> Iterator[Finding]:
    shared = suite.common_variables
    if shared is None:
        return
    asked = [e for e in cases.cases if not e.case.has("prompts") and _is_plain(e.case)]
    if not asked:
        return
    given = Counter(name for e in asked for name in {*shared, *(e.case.vars or {})})
    for node, at, name in _names(suite):
        if given[name] == len(asked):
            continue
        if given[name]:
            for entry in asked:
                if name not in shared and name not in (entry.case.vars or {}):
                    where = entry.case.key_at("vars") if entry.case.has("vars") else entry.case.at("id")
                    yield Finding(
                        cases.outer(entry, where),
                        f"this case has no `{name}`, which a prompt uses",
                        fixes=_add_variable(cases, entry, name, context),
                        consequence=_EMPTY,
                    )
        elif not cases.external:
            yield _unknown(cases, node, at, name, given)


def _add_variable(cases: CaseList, entry: CaseEntry, name: str, context: Context) -> tuple[Fix, ...]:
    """The value is left to the author."""
    own = replace(context, text=cases.text_of(entry))
    place = entry.case.places.get("vars")
    if entry.case.borrowed or (place is not None and place.borrowed):
        return ()
    if place is not None:
        fixes = add_key_fix(place.node, name, FILL_IN, own)
    else:
        fixes = add_key_fix(entry.case.node, "vars", f"{{{name}: {FILL_IN}}}", own)
    return tuple(replace(f, edits=tuple(Edit(cases.outer(entry, e.span), e.new_text) for e in f.edits)) for f in fixes)


def _unknown(cases: CaseList, node: Scalar, at: Span | None, name: str, given: Collection[str]) -> Finding:
    meant = closest(name, given)
    fixes: tuple[Fix, ...] = ()
    if meant and at is not None:
        fixes = (Fix(f"change it to `{meant}`", (Edit(cases.outer(None, at), meant),)),)
    advice = f"; did you mean `{meant}`?" if meant else ""
    span = cases.outer(None, at or node.span)
    return Finding(span, f"no case has a value for `{name}`{advice}", fixes=fixes, consequence=_EMPTY)


def _is_plain(case: Case) -> bool:
    """Whether the values of a case are known; a misspelt `vars` is reported itself, and has them."""
    place = case.places.get("vars")
    if place is None:
        return "vars" not in case.unread
    return isinstance(case.vars, dict) and not place.borrowed


def _names(suite: Suite) -> Iterator[tuple[Scalar, Span | None, str]]:
    """The names in prompts that stand in the suite itself, once each, and where these can be told from the text."""
    place = suite.places.get("prompts")
    if place is None or place.borrowed:
        return
    nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
    seen: set[str] = set()
    for node in nodes:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or _STATEMENT in node.text:
            continue
        begin = node.span.start + node.is_quoted
        exact = node.span.end - node.span.start - 2 * (begin - node.span.start) == len(node.text)
        for found in _NAME.finditer(node.text):
            if found[1] not in seen:
                seen.add(found[1])
                start, end = found.span(1)
                yield node, Span(begin + start, begin + end) if exact else None, found[1]
