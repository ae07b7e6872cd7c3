"""nameless-criterion: a criterion whose id tells a reader of results nothing."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.rubrics import NUMBERED, id_of
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NAMELESS_CRITERION"]


@rule("nameless-criterion", "hint", "A criterion whose id says nothing in results", needs={"id"})
def NAMELESS_CRITERION(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """An id that is only a number, with or without a word that says as little."""
    if isinstance(criterion.id, str) and not criterion.borrowed and NUMBERED.match(criterion.id):
        name, place = id_of(criterion.outcome or ""), criterion.places["id"]
        yield Finding(
            criterion.at("id"),
            "results show this id; name what the criterion checks",
            fixes=replace_with_words(place.node.span, [name]) if name and not place.borrowed else (),
        )
