"""vague-criterion: a demand that two judges would read differently."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.lazy_compilation import pattern
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["VAGUE_CRITERION"]

#: Words of praise, and such as every task has: "Finds the bug".
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and answer answers appropriate are be bug bugs code correct does error errors find finds fix "
        "fixes good great helpful high identifies identify is issue issues it its nice ok okay output problem "
        "problems quality reasonable relevant response right should task the useful very well works",
    )
)
_WORD = pattern(r"[A-Za-z']+")


@rule("vague-criterion", "hint", "A criterion that two judges would read differently")
def VAGUE_CRITERION(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Only words of praise: say what has to be there. With score ranges the bands say it."""
    text = criterion.outcome
    if (
        not isinstance(text, str)
        or isinstance(criterion.score_ranges, ScoreRanges)
        or criterion.borrowed
        or not text.isascii()
    ):
        return
    words = [w.lower() for w in _WORD.findall(text)]
    if words and len(words) <= 5 and all(w in _EMPTY for w in words):
        yield Finding(
            criterion.at("outcome"), "two judges would read this differently; say what the answer must contain or do"
        )
