"""nameless-criterion: a criterion whose id tells a reader of results nothing (document 002, "Use Meaningful IDs")."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NAMELESS_CRITERION"]

#: "check1", "r2", "criterion-3": a number with a word that every criterion could have.
_NUMBERED = re.compile(r"(?i)(?:check|crit|criterion|item|test|rule|point|[a-z])?[-_ ]?\d+\Z")


@rule("nameless-criterion", "hint", "A criterion whose id tells a reader of results nothing")
def NAMELESS_CRITERION(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """An id that is only a number, with or without a word that says as little."""
    if isinstance(criterion.id, str) and not criterion.borrowed and _NUMBERED.match(criterion.id):
        yield Finding(criterion.at("id"), "results are read by this id; let it name what the criterion checks")
