"""Writes cases with their evaluators: which of them are required, and from which score a case passes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.migration.promptfoo.cases import CaseDraft, Checks, with_comments
from rubric_core.migration.promptfoo.converted import Converted
from rubric_core.migration.promptfoo.gates import EVERY, needs_gates, passing_score, with_gate
from rubric_core.migration.promptfoo.notes import Notes
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = ["CaseWriter"]

_ZERO = "in AgentV a missed check that is `required` makes the score 0"
_OUTWEIGHED = "its threshold does not outweigh the required checks of `default_test`"


class CaseWriter:
    """Writes the cases of one suite; `shared` are the checks of its default test."""

    def __init__(self, drafts: Sequence[CaseDraft], shared: Checks, notes: Notes) -> None:
        self._drafts, self._shared, self._notes = drafts, shared, notes
        scores = (self._passing(draft) for draft in drafts)
        found = Counter(score for score in scores if score is not None)
        #: The score from which most cases pass.
        self.threshold = found.most_common(1)[0][0] if found else EVERY
        #: Whether the shared checks are required one by one.
        self._is_gated = any(each.grade == "score" and each.counts for each in shared.converted) and any(
            draft.threshold is None
            and draft.test.inherits
            and needs_gates([*shared.converted, *draft.checks.converted])
            for draft in drafts
        )

    def shared(self) -> list[Any]:
        """The checks of the default test."""
        return [with_gate(each) if self._is_gated else dict(each.keys) for each in self._shared.converted]

    def cases(self) -> list[Any]:
        """Every case."""
        return [self._case(draft) for draft in self._drafts]

    def _effective(self, draft: CaseDraft) -> list[Converted]:
        """The checks of a case, those of the default test included."""
        own = draft.checks.converted
        return [*self._shared.converted, *own] if draft.test.inherits and not draft.is_emptied else own

    def _passing(self, draft: CaseDraft) -> float | None:
        return draft.threshold if draft.threshold is not None else passing_score(self._effective(draft))

    def _case(self, draft: CaseDraft) -> Any:
        is_gated = draft.threshold is None and needs_gates(self._effective(draft))
        case = dict(draft.before)
        checks = [
            self._check(with_gate(made) if is_gated else dict(made.keys), settings, at, draft)
            for made, settings, at in draft.checks.made
        ]
        if checks:
            case["assert"] = with_comments(draft.around_entry("assert", checks), draft.checks.lost)
        case |= draft.after
        if draft.is_emptied and self._shared.made:
            case["execution"] = {"skip_defaults": True}
        passing = self._passing(draft)
        if passing is not None and passing != self.threshold:
            case["run"] = {"threshold": passing, **case.get("run", {})}
        if is_gated:
            self._notes.add(draft.test.file.shown, draft.test.line, _ZERO)
        if draft.threshold is not None and self._is_gated and draft.test.inherits:
            self._notes.add(draft.test.file.shown, draft.test.line, _OUTWEIGHED)
        if not draft.is_first:
            return case
        comments, node = draft.test.file.comments, draft.test.node
        around = comments.around(node, case)
        return with_comments(around, (*comments.left_inside(node), *(() if checks else draft.checks.lost)))

    def _check(self, keys: dict[str, Any], settings: Mapping[str, Any], at: Node, draft: CaseDraft) -> Any:
        """An evaluator with the comments of its assertion."""
        if not draft.is_first or at is draft.test.node:
            return keys
        comments = draft.test.file.comments
        if isinstance(at, MappingNode) and not at.flow:
            for entry in at.entries:
                if entry.name in keys and entry.name in settings:
                    keys[entry.name] = comments.around(entry.key, keys[entry.name], entry.value)
        return comments.around(at, keys)
