"""nameless-criterion: a criterion whose id tells a reader of results nothing (document 002, "Use Meaningful IDs")."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.validation.mending import changed
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NAMELESS_CRITERION"]

#: "check1", "r2", "criterion-3": a number with a word that every criterion could have.
_NUMBERED = re.compile(r"(?i)(?:check|crit|criterion|item|test|rule|point|[a-z])?[-_ ]?\d+\Z")

#: Words that say nothing in an id, and how many others make one.
_LITTLE = frozenset(
    {"a", "an", "and", "at", "by", "for", "in", "is", "it", "of", "on", "or", "that", "the", "to", "with"}
)
_WORDS = 4


@rule("nameless-criterion", "hint", "A criterion whose id tells a reader of results nothing")
def NAMELESS_CRITERION(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """An id that is only a number, with or without a word that says as little."""
    if isinstance(criterion.id, str) and not criterion.borrowed and _NUMBERED.match(criterion.id):
        name, place = _name(criterion.outcome or ""), criterion.places["id"]
        yield Finding(
            criterion.at("id"),
            "results are read by this id; let it name what the criterion checks",
            fixes=changed(place.node.span, [name]) if name and not place.borrowed else (),
        )


def _name(outcome: str) -> str:
    """The first words of what is demanded, as an id."""
    words = [w for w in re.findall(r"[a-z0-9]+", outcome.lower()) if w not in _LITTLE]
    return "-".join(words[:_WORDS])
