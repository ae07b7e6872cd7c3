"""gate-out-of-range: a minimum that no score can be held against."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.syntax.edit import remove_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import number

__all__ = ["GATE_OUT_OF_RANGE"]

_DROPS = "agentv drops the whole case with a log line"


@rule("gate-out-of-range", "error", "A minimum score outside its scale")
def GATE_OUT_OF_RANGE(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`required_min_score` counts whole numbers of 0..10, `min_score` shares above 0 and up to 1."""
    ten = criterion.required_min_score
    if ten is not None and not (float(ten).is_integer() and 0 <= ten <= 10):
        yield Finding(
            criterion.at("required_min_score"),
            f"`required_min_score` is {number(ten)}; it should be a whole number of 0..10",
            fixes=_scaled(criterion, "required_min_score", ten * 10, context),
            consequence=_DROPS,
        )
    share = criterion.min_score
    if share is not None and not 0 < share <= 1:
        yield Finding(
            criterion.at("min_score"),
            f"`min_score` is {number(share)}; it should be above 0 and up to 1",
            fixes=_scaled(criterion, "min_score", share / 10, context),
            consequence=_DROPS,
        )


def _scaled(criterion: Criterion, field: str, value: float, context: Context) -> tuple[Fix, ...]:
    """A value on the other scale: 6 meant 0.6, 0.6 meant 6."""
    place = criterion.places[field]
    right = 0 < value <= 1 if field == "min_score" else 0 < value <= 10 and abs(value - round(value)) < 1e-9
    if place.borrowed:
        return ()
    if not right:
        return _nearest(criterion, field, context)
    written = number(value) if field == "min_score" else str(round(value))
    return (Fix(f"write {written}", (Edit(place.value, written),)),)


def _nearest(criterion: Criterion, field: str, context: Context) -> tuple[Fix, ...]:
    """The nearest value on the scale, where there is one: 0 gates nothing, so that `min_score` can go."""
    place, value = criterion.places[field], vars(criterion)[field]
    if field == "min_score" and value <= 0:
        return _gone(criterion, field, context)
    written = number(min(value, 1)) if field == "min_score" else str(min(10, max(0, round(value))))
    return (Fix(f"write {written}", (Edit(place.value, written),), safe=False),)


def _gone(criterion: Criterion, field: str, context: Context) -> tuple[Fix, ...]:
    """A minimum of 0 gates nothing."""
    node, name = criterion.node, criterion.places[field].name
    entry = next((e for e in node.entries if e.name == name), None) if isinstance(node, Mapping) else None
    edit = remove_entry(context.text, node, entry) if isinstance(node, Mapping) and entry is not None else None
    return (Fix(f"remove `{name}`", (edit,), safe=False),) if edit is not None else ()
