"""The outline: cases, their evaluators, their criteria."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rubric_core.analysis import Analysis
from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.shape import Shape
from rubric_core.loading.grading import case_list, default_name, suite_list
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry

__all__ = ["Symbol", "symbols"]

_LONGEST = 60
SymbolKind = Literal["case", "evaluator", "criterion"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the outline; `span` holds `name_span` and every child."""

    name: str
    kind: SymbolKind
    span: Span
    name_span: Span
    detail: str = ""
    children: "tuple[Symbol, ...]" = ()


def symbols(analysis: Analysis) -> list[Symbol]:
    """The outline of a suite, in the order of the text."""
    found = [_case(analysis, entry) for entry in analysis.cases]
    if analysis.suite is not None:
        found += _graders(analysis, None, suite_list(analysis.suite) or [])
    return sorted(found, key=lambda s: s.span)


def _case(analysis: Analysis, entry: CaseEntry) -> Symbol:
    case = entry.case
    children = tuple(_graders(analysis, entry, [*(case.rubrics or []), *(case_list(case) or [])]))
    name = case.id if isinstance(case.id, str) and case.id else "case without id"
    detail = _short(case.criteria) if isinstance(case.criteria, str) else ""
    return _symbol(analysis, entry, case, name, "case", "id", detail, children)


def _graders(analysis: Analysis, entry: CaseEntry | None, items: list[object]) -> Iterator[Symbol]:
    for item in items:
        if isinstance(item, Criterion):
            name = item.id if isinstance(item.id, str) and item.id else _short(str(item.outcome or "criterion"))
            yield _symbol(
                analysis, entry, item, name, "criterion", "id", _short(str(item.outcome or "")) if item.id else ""
            )
        elif isinstance(item, Evaluator):
            inner = _inner(item)
            children = tuple(_graders(analysis, entry, inner))
            yield _symbol(analysis, entry, item, default_name(item), "evaluator", "name", item.type_name, children)


def _inner(shape: Evaluator) -> list[object]:
    fields = vars(shape)
    return [item for field in ("criteria", "rubrics", "assertions") for item in fields.get(field) or []]


def _symbol(
    analysis: Analysis,
    entry: CaseEntry | None,
    shape: Shape,
    name: str,
    kind: SymbolKind,
    field: str,
    detail: str = "",
    children: tuple[Symbol, ...] = (),
) -> Symbol:
    whole = shape.span if shape.node is None or shape.borrowed else shape.node.whole
    named = shape.at(field) if shape.has(field) and not shape.places[field].borrowed else shape.span
    start, end = min(whole.start, named.start), max(whole.end, named.end)
    span = analysis.span_of(entry, Span(start, end))
    return Symbol(name, kind, span, analysis.span_of(entry, named), detail, children)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
