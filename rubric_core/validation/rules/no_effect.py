"""no-effect: an evaluator that can change nothing, or a threshold that everything reaches."""

from collections.abc import Iterator

from rubric_core.language.evaluators import AssertSet, Composite, Criterion, Evaluator, LlmJudge, Rubric
from rubric_core.language.file_kinds import Template
from rubric_core.language.model import Case, ContentBlock, DefaultTest, Execution, Suite, Turn
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.loading.grading import case_list
from rubric_core.text import Edit
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rubrics import criteria_of
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule

__all__ = ["NO_EFFECT"]

#: Fields that list evaluators.
_LISTS = ("assertions", "evaluators")

_MINIMUMS = ("min_score", "required_min_score")

#: In a tuple: a union is made anew each time that it is written out, and every case comes by here.
_WITH_THRESHOLD = (Execution, Suite)

#: Shapes with lists of evaluators.
_Holder = (
    Case | Suite | Execution | Composite | AssertSet | Turn | DefaultTest | Template | LlmJudge | Rubric | ContentBlock
)


@rule("no-effect", "warning", "A setting that cannot change any result")
def NO_EFFECT(shape: _Holder, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """A weight of 0 without a gate, and a threshold of 0, make a check that cannot fail."""
    if isinstance(shape, ContentBlock):
        if shape.type == "image":
            yield Finding(
                shape.at("type"),
                "no target is sent the image",
                consequence="agentv asks without it; rubric leaves the case unscored",
            )
        return
    if isinstance(shape, _WITH_THRESHOLD) and shape.has("threshold") and shape.threshold == 0:
        fixes = () if shape.places["threshold"].borrowed else remove_key_fix(shape.node, "threshold", context)
        yield Finding(shape.at("threshold"), "with a threshold of 0 every answer passes", fixes=fixes)
    if criteria := criteria_of(shape):
        yield from _idle_minimums(shape, criteria, context)
    # Without `execution` there is only one list in a suite, and two in a case.
    if "execution" in shape.places or ("assertions" in shape.places and "evaluators" in shape.places):
        yield from _shadowed(shape, context)
    if isinstance(shape, Case) and _nothing_counts(shape):
        every = [e.places["weight"] for e in case_list(shape) or [] if isinstance(e, Evaluator)]
        yield Finding(
            shape.at("id"),
            "every evaluator of this case has weight 0, so its score is always 0",
            fixes=_counting("give each weight 1", every),
        )
        return
    for field in _LISTS:
        for each in vars(shape).get(field) or []:
            if isinstance(each, Evaluator) and each.has("weight") and each.weight == 0 and not each.required:
                message = "with weight 0 and without `required` this evaluator changes no result"
                fixes = _counting("write 1", [each.places["weight"]])
                yield Finding(each.at("weight"), message, fixes=fixes, severity="information")


def _counting(title: str, places: list[FieldPlace]) -> tuple[Fix, ...]:
    edits = tuple(Edit(place.value, "1") for place in places)
    return () if any(place.borrowed for place in places) else (Fix(title, edits, safe=False),)


def _nothing_counts(case: Case) -> bool:
    written = case_list(case) or []
    first = written[0] if len(written) > 1 else None
    if not isinstance(first, Evaluator) or first.weight != 0:
        return False  # as in nearly every case
    return not case.rubrics and all(isinstance(e, Evaluator) and e.weight == 0 for e in written)


def _idle_minimums(shape: Shape, criteria: list[Criterion], context: Context) -> Iterator[Finding]:
    """A criterion that is met or not has no score that could be too low; one with bands puts all of its rubric on 0..10."""
    if shape.has("score_ranges") or any(c.has("score_ranges") for c in criteria):
        return
    for criterion in criteria:
        for field in _MINIMUMS:
            place = criterion.places.get(field) or criterion.unread.get(field)
            if place is None:
                continue
            yield Finding(
                place.key,
                f"`{place.name}` has no effect without `score_ranges`",
                fixes=() if place.borrowed else remove_key_fix(criterion.node, place.name, context),
                consequence="without them a criterion is met or it is not",
            )


def _shadowed(shape: Shape, context: Context) -> Iterator[Finding]:
    """Of the lists in which evaluators can stand, only the first that is written is read."""
    execution = shape.execution if isinstance(shape, Case | Suite) else None
    inner = execution if isinstance(execution, Execution) else None
    places: list[tuple[Shape, str]] = []
    if isinstance(shape, Case):
        places = [(shape, "assertions"), *([(inner, "evaluators")] if inner else []), (shape, "evaluators")]
    elif isinstance(shape, Suite):
        places = [(shape, "assertions"), *([(inner, "assertions"), (inner, "evaluators")] if inner else [])]
    written = [(owner, field) for owner, field in places if isinstance(vars(owner).get(field), list)]
    for owner, field in written[1:]:
        used, used_field = written[0]
        place = owner.places.get(field)
        name = used.places[used_field].name if used_field in used.places else used_field
        yield Finding(
            owner.key_at(field),
            f"these evaluators do not run next to `{name}`",
            related=(Related(used.key_at(used_field), "this one is read"),),
            fixes=() if place is None or place.borrowed else remove_key_fix(owner.node, place.name, context),
            consequence="where several lists are written, only the first of them is read",
        )
