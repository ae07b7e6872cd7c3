"""The outline of suites of AgentV, and of families without one of their own: cases, their evaluators, their criteria."""

from collections.abc import Iterator, Mapping

from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape, StandsFor, as_list, children
from rubric_core.loading.grading import case_list, default_name, suite_list
from rubric_core.text import Span
from rubric_core.validation.rubrics import criteria_of
from rubric_lsp.features.symbol import Symbol, SymbolKind, short_title

__all__ = ["suite_symbols"]

#: The entries in the outline of a case, by what shapes stand for.
_INSIDE_CASE: Mapping[StandsFor, SymbolKind] = {"check": "evaluator", "criterion": "criterion"}


def suite_symbols(shape: Shape) -> Iterator[Symbol]:
    """The entries of one outermost shape of a block, at offsets of the block."""
    if isinstance(shape, Case):
        yield _case(shape)
    elif isinstance(shape, Suite):
        cases = shape.cases if isinstance(shape.cases, list) else []
        yield from (_case(c) for c in cases if isinstance(c, Case))
        yield from _graders(suite_list(shape) or [])
    else:
        yield from (_case_of_family(each) for each in children(shape) if each.stands_for == "case")


def _case_of_family(case: Shape) -> Symbol:
    inside = ((each, _INSIDE_CASE.get(each.stands_for)) for each in children(case))
    return _named(case, "case", tuple(_named(each, kind) for each, kind in inside if kind is not None))


def _named(shape: Shape, kind: SymbolKind, children: tuple[Symbol, ...] = ()) -> Symbol:
    """The entry of a shape under the name that people know it by."""
    named = vars(shape).get(shape.named_by)
    name = short_title(named) if isinstance(named, str) and named else shape.type_name or f"{kind} without name"
    return _symbol(shape, name, kind, shape.named_by, shape.type_name, children)


def _case(case: Case) -> Symbol:
    children = tuple(_graders([*(case.rubrics or []), *(case_list(case) or [])]))
    name = case.id if isinstance(case.id, str) and case.id else "case without id"
    detail = short_title(case.criteria) if isinstance(case.criteria, str) else ""
    return _symbol(case, name, "case", "id", detail, children)


def _graders(items: list[object]) -> Iterator[Symbol]:
    for item in items:
        if isinstance(item, Criterion):
            name = item.id if isinstance(item.id, str) and item.id else short_title(str(item.outcome or "criterion"))
            yield _symbol(item, name, "criterion", "id", short_title(str(item.outcome or "")) if item.id else "")
        elif isinstance(item, Evaluator):
            children = tuple(_graders(_inner(item)))
            yield _symbol(item, default_name(item), "evaluator", "name", item.type_name, children)


def _inner(shape: Evaluator) -> list[object]:
    """The children of an evaluator: a list, or a single criterion in its place."""
    return [*criteria_of(shape), *as_list(vars(shape).get("assertions"))]


def _symbol(
    shape: Shape, name: str, kind: SymbolKind, field: str, detail: str = "", children: tuple[Symbol, ...] = ()
) -> Symbol:
    whole = shape.span if shape.node is None or shape.borrowed else shape.node.whole
    named = shape.at(field) if shape.has(field) and not shape.places[field].borrowed else shape.span
    span = Span(min(whole.start, named.start), max(whole.end, named.end))
    return Symbol(name, kind, span, named, detail, children)
