"""Hover: the meaning of a key, type, band or dialect at its place."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rubric_core.analysis import Analysis, LocalText
from rubric_core.family import family_named
from rubric_core.language.evaluators import Band, Criterion, Evaluator, ScoreRanges
from rubric_core.language.markdown import code, plain
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import FieldPlace, Key, Shape, children
from rubric_core.language.value_kinds import Choice, Kind, NodeUnion
from rubric_core.loading.grading import default_name, evaluators_of, has_bands, on_scale, required
from rubric_core.syntax.cursor import cursor_at
from rubric_core.syntax.tree import Entry, Mapping, Sequence, walk
from rubric_core.text import Span
from rubric_core.validation.rubrics import criteria_of
from rubric_core.validation.wording import number
from rubric_lsp.features.band_scale import scale
from rubric_lsp.features.cursor_site import place_at
from rubric_lsp.features.family_editor import editor_of
from rubric_lsp.features.key_docs import key_markdown, type_markdown
from rubric_lsp.features.markdown import beginning, fenced
from rubric_lsp.features.weight_shares import shares_of

__all__ = ["HoverText", "hover", "row_hover"]

#: Gives the report of a case's last run as Markdown, or None, by case id.
Report = Callable[[str], str | None]
#: Gives the results of the cases for an evaluator or criterion of their suite as Markdown; empty without any.
Shared = Callable[[Shape], str]


#: Keys whose hover shows results of the suite's evaluators: those that name them.
_MARKED = frozenset({"id", "outcome", "name", "type", "value"})


@dataclass(frozen=True, slots=True)
class HoverText:
    """The text of a hover, and the span it refers to."""

    markdown: str
    span: Span


def hover(
    analysis: Analysis, offset: int, report: Report | None = None, shared: Shared = lambda _: ""
) -> HoverText | None:
    """The hover at `offset`; `report` and `shared` give the results of runs."""
    local = analysis.local(offset)
    found = _at(local)
    within = found is not None and not found[3] and isinstance(found[2].node, Mapping | Sequence)
    inner = _bare_key(analysis, local) if found is None or within else None
    if found is None or inner is not None:
        return inner
    shape, field, place, on_key = found
    told = shared(shape) if local.in_frame and field in _MARKED else ""
    text = "\n\n".join(part for part in (told, *_parts(analysis, local, shape, field, on_key, report)) if part)
    span = place.key if on_key else place.value
    return HoverText(text, local.outer(span)) if text else None


def row_hover(row: Span, report: str | None) -> HoverText | None:
    """The hover of a row of a table, whose cells have none: the report of its case."""
    return HoverText(report, row) if report else None


def _at(local: LocalText) -> tuple[Shape, str, FieldPlace, bool] | None:
    """The innermost shape with a key or scalar value at the cursor."""
    best: tuple[Shape, str, FieldPlace, bool] | None = None
    for root in local.shapes:
        for shape in children(root):
            for field, place in shape.places.items():
                if place.borrowed:
                    continue
                if place.key.covers(local.offset) and place.key.start < place.key.end:
                    best = (shape, field, place, True)
                elif place.value.covers(local.offset) and not isinstance(vars(shape).get(field), list | Shape):
                    best = (shape, field, place, False)
    return best


def _bare_key(analysis: Analysis, local: LocalText) -> HoverText | None:
    """The meaning of a key that no shape holds: it has no value yet, or stands in what is read as plain data."""
    entry = next((e for e in _entries(local) if e.key.span.covers(local.offset)), None)
    if entry is None or not entry.name:
        return None
    shape = place_at(analysis, local, cursor_at(local.text, entry.key.span.end)).shape
    spelling = analysis.dialect.table(shape).get(entry.name) if shape is not None else None
    if shape is None or spelling is None or not spelling.field:
        return None
    markdown = key_markdown(analysis, shape, analysis.dialect.declared(shape, spelling))
    return HoverText(markdown, local.outer(entry.key.span))


def _entries(local: LocalText) -> Iterator[Entry]:
    return (entry for node in walk(local.tree.root) if isinstance(node, Mapping) for entry in node.entries)


def _parts(
    analysis: Analysis, local: LocalText, shape: Shape, field: str, on_key: bool, report: Report | None
) -> Iterator[str]:
    if isinstance(shape, Case) and field == "id":
        yield _case(analysis, shape, report)
    elif shape.named_by and report is not None and not shape.has("id"):
        yield _case_without_id(analysis, local, shape, field, report)
    if isinstance(shape, Band):
        yield from _ranges_of_band(local, shape)
        return
    declared = _declared(analysis, shape, field)
    if declared is None:
        return
    if field == "score_ranges" and isinstance(shape, Criterion) and isinstance(shape.score_ranges, ScoreRanges):
        yield scale(shape.score_ranges)
        yield _weight(analysis, local, shape)
    if field in ("weight", "required", "min_score") and isinstance(shape, Criterion | Evaluator):
        yield _weight(analysis, local, shape)
    if field == "type" and shape.stands_for == "check" and not on_key:
        yield f"**{plain(shape.type_name)}**\n\n{type_markdown(type(shape), analysis.dialect)}"
        yield from editor_of(analysis).type_words(shape)
        return
    if isinstance(shape, Criterion) and shape.shorthand:
        yield f"**criterion** — {_plain(analysis, local, shape)}, with weight 1\n\n{type(shape).keys['outcome'].doc}"
        return
    if not on_key and field == "id" and isinstance(shape, Criterion) and shape.id:
        yield f"{code(shape.id)} — a criterion of this rubric"
        yield fenced(beginning(shape.outcome)) if shape.outcome else ""
        yield _weight(analysis, local, shape)
    if not on_key and field == "name" and isinstance(shape, Suite) and shape.name:
        yield _suite(analysis, shape.name)
    meaning = _meaning(declared.kind, vars(shape).get(field)) if not on_key else ""
    if meaning:
        yield f"**{plain(str(vars(shape)[field]))}** — {meaning}"
    if field == "cases" and isinstance(shape, Suite):
        yield _dialect(analysis)
    yield key_markdown(analysis, type(shape), declared)


def _meaning(kind: Kind[Any], value: object) -> str:
    """The effect of certain words."""
    choices = (each for each in (kind.branches if isinstance(kind, NodeUnion) else (kind,)) if isinstance(each, Choice))
    return next((meaning for each in choices for word, meaning in each.options if word == value), "")


def _suite(analysis: Analysis, name: str) -> str:
    """A one-sentence summary of a suite."""
    ids = analysis.ids
    count = len(analysis.cases) if ids is None or not analysis.external else len(ids)
    more = " and more" if ids is None else ""
    shared = evaluators_of(analysis.suite, Case(Span(0, 0)), analysis.dialect) if analysis.suite is not None else []
    kinds = ", ".join(dict.fromkeys(plain(each.type_name) for each in shared))
    graded = f" Every case is graded by {kinds}." if kinds else ""
    return f"{code(name)} — a suite of {count} case{'' if count == 1 else 's'}{more}.{graded}\n\n{_dialect(analysis)}"


def _declared(analysis: Analysis, shape: Shape, field: str) -> Key[object] | None:
    """The documentation of the key, as the dialect declares it."""
    spelling = analysis.dialect.table(type(shape)).get(shape.places[field].name) if field in shape.places else None
    if spelling is None or spelling.field != field:
        return type(shape).keys.get(field)
    return analysis.dialect.declared(type(shape), spelling)


def _dialect(analysis: Analysis) -> str:
    choice = analysis.choice
    releases = analysis.dialect.releases
    because = f"because {choice.reason}" if choice.reason.startswith(("of", "its", "the")) else f"since {choice.reason}"
    family = family_named(analysis.dialect.properties.engine)
    program = "" if choice.name == family.name else f"{family.title} "  # a dialect may be called as its program
    return f"Read as **{choice.name}** ({program}{releases}) {because}."


def _case(analysis: Analysis, case: Case, report: Report | None) -> str:
    name = next((entry.name for entry in analysis.cases if entry.case is case), case.id)
    last = report(name) if report is not None and name else None
    if last:
        return last
    if name != case.id:
        return f"**{plain(case.id or '')}** — not scored: the id is taken by another case"
    suite = analysis.suite or Suite(Span(0, 0))
    evaluators = evaluators_of(suite, case, analysis.dialect)
    total = sum(e.weight for e in evaluators)
    lines = [f"**{plain(case.id or '')}** — not run yet · {analysis.dialect.name}"]
    for each in evaluators:
        share = f"{each.weight / total:.0%} of the case" if total > 0 else "weight 0"
        lines.append(f"- {plain(default_name(each))} ({plain(each.type_name)}), weight {number(each.weight)} = {share}")
    if not evaluators:
        lines.append("- graded by a judge against the criteria of the case")
    return "\n".join(lines)


def _case_without_id(analysis: Analysis, local: LocalText, case: Shape, field: str, report: Report) -> str:
    """The last run of a case without an id, at its description or else at its first key."""
    named = "description" if case.has("description") else min(case.places, key=lambda each: case.places[each].key)
    if field != named:
        return ""
    entry = analysis.case_at(local.outer(Span(local.offset, local.offset)).start)
    return report(entry.name if entry is not None else "") or ""


def _ranges_of_band(local: LocalText, band: Band) -> Iterator[str]:
    for root in local.shapes:
        for shape in children(root):
            if isinstance(shape, ScoreRanges) and any(b is band for b in shape.bands):
                yield scale(shape, band)


def _weight(analysis: Analysis, local: LocalText, part: Criterion | Evaluator) -> str:
    """The share of the score that a part has, and its gate in words."""
    gate = _gate(analysis, local, part) if isinstance(part, Criterion) else _minimum(part)
    entry = analysis.case_at(local.outer(Span(local.offset, local.offset)).start)
    # The share of a suite's rubric differs from case to case: the first case stands for all.
    cases = [entry.case] if entry is not None else [e.case for e in analysis.cases[:1]]
    share = next((s for case in cases for s in shares_of(analysis, case) if s.of is part), None)
    words = share.words(len(analysis.cases)) if share is not None else ""
    return f"Weight {number(part.weight)}{f' = {words}' if words else ''}.{gate}"


def _minimum(evaluator: Evaluator) -> str:
    """How an evaluator alone can fail the case."""
    least = f" It passes with {number(evaluator.min_score)} or more." if evaluator.min_score is not None else ""
    needed: object = evaluator.required
    if needed is False or needed is None:
        return least
    below = number(needed) if isinstance(needed, int | float) and needed is not True else ""
    return f"{least} The case fails when this evaluator {f'is below {below}' if below else 'does not pass'}."


#: The points, of 0..10, that a required criterion without a minimum needs.
_NEEDS = {"nonzero": "is scored 0", "ten": "is scored less than 10"}


def _gate(analysis: Analysis, local: LocalText, criterion: Criterion) -> str:
    if criterion.min_score is not None:
        return f" The rubric fails below {number(criterion.min_score)}."
    if criterion.required_min_score is not None:
        return f" The rubric fails below {number(criterion.required_min_score)} of 10."
    if required(criterion, analysis.dialect):
        return f" {_required(analysis, local, criterion)}"
    if criterion.has("required") or has_bands(criterion):
        return ""
    return " It does not gate: `required` is not set, and the documentation of this dialect defaults it to false; agentv treats it as true."


def _required(analysis: Analysis, local: LocalText, criterion: Criterion) -> str:
    """The effect of `required` alone."""
    if not _scaled(local, criterion):
        return "The rubric fails when this criterion does."
    bound = _NEEDS.get(analysis.dialect.properties.required_without_min)
    return (
        f"The rubric fails when this criterion {bound}."
        if bound
        else "In a rubric with bands only a minimum gates; this criterion has none."
    )


def _plain(analysis: Analysis, local: LocalText, criterion: Criterion) -> str:
    """The meaning of a plain string criterion, and the points it needs."""
    if not _scaled(local, criterion):
        return "a plain string is a criterion that must be met"
    bound = _NEEDS.get(analysis.dialect.properties.required_without_min)
    gate = f": the rubric fails when it {bound}" if bound else ", and gates nothing"
    return f"a plain string, scored 0..10 because others in this rubric have bands{gate}"


def _scaled(local: LocalText, criterion: Criterion) -> bool:
    """Whether the criterion is in a rubric whose criteria are scored 0..10."""
    rubrics = (criteria_of(shape) for root in local.shapes for shape in children(root))
    return any(on_scale(criteria) for criteria in rubrics if any(c is criterion for c in criteria))
