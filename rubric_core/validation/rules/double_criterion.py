"""double-criterion: two demands in one criterion."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["DOUBLE_CRITERION"]

_VERB = r"(?:mentions|explains|states|includes|uses|provides|describes|identifies|names|lists|gives|avoids|covers|cites|asks|suggests|proposes|apologi[sz]es|refuses|returns|handles)"
_TWO = re.compile(rf"\b{_VERB}\b.*\b(?:and|but)\s+(?:also\s+)?{_VERB}\b", re.IGNORECASE | re.DOTALL)


@rule("double-criterion", "hint", "Two demands in one criterion")
def DOUBLE_CRITERION(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """An answer that meets one of them has no fair score; two criteria say which one failed."""
    text = criterion.outcome
    if (
        isinstance(text, str)
        and not isinstance(criterion.score_ranges, ScoreRanges)
        and not criterion.borrowed
        and len(text) < 300
        and _TWO.search(text)
    ):
        yield Finding(
            criterion.at("outcome"), "this asks for two things; as two criteria the result says which one is missing"
        )
