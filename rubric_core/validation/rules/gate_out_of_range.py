"""gate-out-of-range: a minimum that no score can be held against."""

from collections.abc import Callable, Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.text import Edit
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rubrics import criteria_fields, criteria_of
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.units import intended_share
from rubric_core.validation.wording import number

__all__ = ["GATE_OUT_OF_RANGE"]

#: A field, whether a value is on its scale, that scale in words, and what leads from the other scale to it.
_SCALES: tuple[tuple[str, Callable[[float], bool], str, float], ...] = (
    (
        "required_min_score",
        lambda ten: float(ten).is_integer() and 0 <= ten <= 10,
        "a whole number of 0..10",
        10,
    ),
    ("min_score", lambda share: 0 < share <= 1, "above 0 and up to 1", 0.1),
)
_DROPS = "agentv skips the whole case and only logs it"


@rule("gate-out-of-range", "error", "A minimum score outside its scale", needs=criteria_fields)
def GATE_OUT_OF_RANGE(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`required_min_score` counts whole numbers of 0..10, `min_score` shares above 0 and up to 1."""
    criteria = criteria_of(shape)
    wrong = [
        (criterion, scale, value)
        for criterion in criteria
        for scale in _SCALES
        if (value := vars(criterion).get(scale[0])) is not None and not scale[1](value)
    ]
    # Without bands a criterion is met or not: then another number would change nothing, and the key can go.
    graded = bool(wrong) and (shape.has("score_ranges") or any(c.has("score_ranges") for c in criteria))
    for criterion, (field, _, scale, other), value in wrong:
        name = criterion.places[field].name
        yield Finding(
            criterion.at(field),
            f"`{name}` is {number(value)}; it should be {scale}",
            fixes=_scaled(criterion, field, value * other, context, graded=graded),
            consequence=_DROPS,
        )


def _scaled(criterion: Criterion, field: str, value: float, context: Context, *, graded: bool) -> tuple[Fix, ...]:
    """A value on the other scale: 6 meant 0.6, 0.6 meant 6; without bands a criterion is met or not, and the key can go."""
    place = criterion.places[field]
    right = 0 < value <= 1 if field == "min_score" else 0 < value <= 10 and abs(value - round(value)) < 1e-9
    if place.borrowed:
        return ()
    if not right:
        return _nearest(criterion, field, context)
    written = number(value) if field == "min_score" else str(round(value))
    # The other scale has whole numbers only, from 0 to 10: 1.5 is on neither.
    is_of_other = field != "min_score" or float(value * 10).is_integer()
    fix = Fix(f"write {written}", (Edit(place.value, written),), safe=graded and is_of_other)
    return (fix, *(() if graded else remove_key_fix(criterion.node, place.name, context)))


def _nearest(criterion: Criterion, field: str, context: Context) -> tuple[Fix, ...]:
    """The nearest value on the scale, where there is one: 0 gates nothing, so that `min_score` can go."""
    place, value = criterion.places[field], vars(criterion)[field]
    written = intended_share(value) if field == "min_score" else str(min(10, max(0, round(abs(value)))))
    if written is None:
        return remove_key_fix(criterion.node, place.name, context)
    return (Fix(f"write {written}", (Edit(place.value, written),), safe=False),)
