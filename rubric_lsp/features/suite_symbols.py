"""The outline of suites of AgentV: cases, their evaluators, their criteria."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape, as_list
from rubric_core.loading.grading import case_list, default_name, suite_list
from rubric_core.text import Span
from rubric_core.validation.rubrics import criteria_of
from rubric_lsp.features.symbol import Symbol, SymbolKind, short_title

__all__ = ["suite_symbols"]


def suite_symbols(shape: Shape) -> Iterator[Symbol]:
    """The entries of one outermost shape of a block, at offsets of the block."""
    if isinstance(shape, Case):
        yield _case(shape)
    elif isinstance(shape, Suite):
        cases = shape.cases if isinstance(shape.cases, list) else []
        yield from (_case(c) for c in cases if isinstance(c, Case))
        yield from _graders(suite_list(shape) or [])


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
