"""Whether a case passes: in promptfoo if every assertion does, in AgentV if the score reaches the threshold.

Where each score is 0 or 1, a threshold of 1 is the same. Where a score may lie between, each check is required instead, with its
own minimum, and a missed one makes the score 0.
"""

from collections.abc import Sequence

from rubric_core.families.promptfoo.migration.conversion import USUAL_MINIMUM, Conversion

__all__ = ["EVERY", "needs_gates", "passing_score", "with_gate"]

#: The threshold with which every check of 0 or 1 has to pass.
EVERY = 1
#: Types that pass with 1 alone, and whose score may lie between: the threshold of the case would let that pass.
_BETWEEN = frozenset({"assert-set", "javascript", "python", "webhook"})


def needs_gates(checks: Sequence[Conversion]) -> bool:
    """Whether the score alone does not tell if every check passed."""
    counted = [each for each in checks if each.counts]
    return len(counted) > 1 and any(each.grade == "score" for each in counted)


def passing_score(checks: Sequence[Conversion]) -> float | None:
    """The score from which a case passes: 0 if no check counts; None for a case without checks."""
    counted = [each for each in checks if each.counts]
    if not counted:
        return 0 if checks else None
    between = [each.minimum for each in counted if each.grade == "score"]
    if not between:
        return EVERY
    return between[0] if len(counted) == 1 else min(USUAL_MINIMUM, *between)


def with_gate(check: Conversion) -> dict[str, object]:
    """The keys of a check that must pass, whatever the result of the others."""
    keys = dict(check.keys)
    if not check.counts:
        return keys
    keys["required"] = True
    if check.grade == "score" or keys.get("type") in _BETWEEN:
        keys.setdefault("min_score", check.minimum)
    return keys
