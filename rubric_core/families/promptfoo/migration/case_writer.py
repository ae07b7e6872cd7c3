"""Writes cases with their evaluators: which of them are required, and from which score a case passes.

In promptfoo a case passes if every assertion does, in AgentV if the score reaches the threshold. Where each score is 0 or 1, a threshold
of 1 is the same. Where a score may lie between, each check is required instead, with its own minimum, and a missed one makes the score 0.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.families.promptfoo.migration.cases import CaseDraft, Checks, with_comments
from rubric_core.families.promptfoo.migration.commented_yaml import Commented
from rubric_core.families.promptfoo.migration.conversion import USUAL_MINIMUM, Conversion, Notes
from rubric_core.families.promptfoo.migration.source import SourceFile
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = ["EVERY", "CaseWriter", "needs_gates", "passing_score", "with_gate"]

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


_ZERO = "in AgentV a missed check that is `required` makes the score 0"
_NOTHING = "the test checks nothing: promptfoo passes every output, AgentV skips the case until `assert` has a check"
_EMPTIED = (
    "none of the test's own assertions was carried over: it checks nothing and has no score until `assert` has a check"
)


class CaseWriter:
    """Writes the cases of one suite; `shared` are the checks of its default test."""

    def __init__(self, drafts: Sequence[CaseDraft], shared: Checks, notes: Notes) -> None:
        self._drafts, self._shared, self._notes = drafts, shared, notes
        scores = (self._passing(draft) for draft in drafts)
        found = Counter(score for score in scores if score is not None)
        #: The score from which most cases pass.
        self.threshold = found.most_common(1)[0][0] if found else EVERY
        #: Whether the shared checks are required one by one.
        self._is_gated = any(each.counts for each in shared.converted) and any(map(self._needs_gates, drafts))

    def shared(self) -> list[Any]:
        """The checks of the default test."""
        return self._evaluator_list(self._shared, is_gated=self._is_gated, has_comments=True)

    def cases(self) -> list[Any]:
        """Every case."""
        return [self._case(draft) for draft in self._drafts]

    def _effective(self, draft: CaseDraft) -> list[Conversion]:
        """The checks of a case, those of the default test included."""
        own = draft.checks.converted
        return [*self._shared.converted, *own] if draft.test.inherits and not draft.is_emptied else own

    def _needs_gates(self, draft: CaseDraft) -> bool:
        return draft.threshold is None and needs_gates(self._effective(draft))

    def _passing(self, draft: CaseDraft) -> float | None:
        return draft.threshold if draft.threshold is not None else passing_score(self._effective(draft))

    def _case(self, draft: CaseDraft) -> Any:
        is_gated = self._needs_gates(draft)
        case = dict(draft.before)
        checks = self._evaluator_list(draft.checks, is_gated=is_gated, has_comments=draft.is_first)
        inherits = draft.test.inherits and bool(self._shared.made)
        # What passes by its score alone must not be held up by required checks.
        is_apart = inherits and self._is_gated and draft.threshold is not None and not draft.is_emptied
        if is_apart:
            checks = [*self._evaluator_list(self._shared, is_gated=False, has_comments=False), *checks]
        if checks:
            case["assert"] = with_comments(draft.around_entry("assert", checks), draft.checks.lost)
        case |= draft.after
        if inherits and (draft.is_emptied or is_apart):
            case["execution"] = {"skip_defaults": True}
        passing = self._passing(draft)
        if passing is not None and passing != self.threshold:
            case["run"] = {"threshold": passing, **case.get("run", {})}
        if draft.is_emptied or not self._effective(draft):
            words = _EMPTIED if draft.is_emptied else _NOTHING
            self._notes.add(draft.test.file.shown, draft.test.line, words)
        if is_gated:
            self._notes.add(draft.test.file.shown, draft.test.line, _ZERO)
        if not draft.is_first:
            return case
        lost = () if checks else draft.checks.lost
        left = draft.test.file.comments.remaining_within(draft.test.node)
        around = draft.comments if isinstance(draft.comments, Commented) else Commented(None)
        return Commented(case, (*around.above, *left, *lost), around.beside)

    def _evaluator_list(self, checks: Checks, *, is_gated: bool, has_comments: bool) -> list[Any]:
        """Evaluators, with the comments of their assertions."""
        found: list[Any] = []
        for made, settings, at in checks.made:
            keys = with_gate(made) if is_gated else dict(made.keys)
            found.append(_commented(keys, settings, at, checks.file) if has_comments else keys)
        return found


def _commented(keys: dict[str, Any], settings: Mapping[str, Any], at: Node, file: SourceFile) -> Any:
    if not isinstance(at, MappingNode) or at.get("type") is None:
        return keys
    if not at.flow:
        for entry in at.entries:
            if entry.name in keys and entry.name in settings:
                keys[entry.name] = file.comments.around(entry.key, keys[entry.name], entry.value)
    described = settings.get("description")
    above = (f"# {' '.join(described.split())}",) if isinstance(described, str) and described.strip() else ()
    return with_comments(file.comments.around(at, keys), above)
