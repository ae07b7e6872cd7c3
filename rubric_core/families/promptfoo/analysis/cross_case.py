"""The checks across cases of promptfoo."""

from collections.abc import Sequence
from functools import partial

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.family_cross_case import CrossCaseView, FamilyCrossCase
from rubric_core.analysis.result import Analysis
from rubric_core.families.promptfoo.analysis.facts import defined_names_of, groups_to_repeat, is_settled, suite_of
from rubric_core.syntax.blocks import Block

__all__ = ["CROSS_CASE"]


class _PromptfooCrossCase(FamilyCrossCase):
    naming_groups = frozenset({"undefined-variable", "variable-value"})

    def view(self, analysis: Analysis) -> CrossCaseView:
        suite = suite_of(analysis)
        return CrossCaseView() if suite is None else CrossCaseView((suite,), partial(defined_names_of, analysis, suite))

    def is_settled(self, before: Analysis, now: Analysis, change: BlockChange) -> bool:
        return is_settled(before, now, change)

    def groups_to_repeat(
        self, before: Analysis, old: Sequence[tuple[int, Block]], now: Analysis, new: Sequence[tuple[int, Block]]
    ) -> frozenset[str] | None:
        if not now.kind.is_root:  # no check sees the cases of such a file together
            return super().groups_to_repeat(before, old, now, new)
        return groups_to_repeat(before, old, now, new)


#: See `FamilyCrossCase`.
CROSS_CASE = _PromptfooCrossCase()
