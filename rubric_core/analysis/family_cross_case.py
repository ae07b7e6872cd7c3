"""What the rules across cases of a family see of a text, and which of them an edit makes run again."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.result import Analysis
from rubric_core.analysis.suite_cross_case import cross_case_facts, visited_in_suite
from rubric_core.family import part_of
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.syntax.blocks import Block

__all__ = ["CrossCaseView", "FamilyCrossCase", "cross_case_of"]


class CrossCaseView(NamedTuple):
    """A text as rules across cases see it."""

    #: What they visit.
    visited: Sequence[object] = ()
    #: What the text defines for the files that it names; None if that is unknown.
    defined_names: Callable[[], DefinedNames | None] = lambda: None


class FamilyCrossCase:
    """The rules across cases of a family. The defaults are those of AgentV.

    Findings of such rules are kept while what they read stays the same, so that an edit in one case costs no look at the others.
    """

    #: The groups of rules whose input from cases is what a text defines for other files.
    naming_groups: frozenset[str] = frozenset()

    def view(self, analysis: Analysis) -> CrossCaseView:
        """What rules across cases visit, and what is defined for other files."""
        return CrossCaseView(visited_in_suite(analysis))

    def is_settled(self, before: Analysis, now: Analysis, change: BlockChange) -> bool:
        """Whether the rules see the same around the edited cases, so that only these count."""
        if now.kind is FileKind.TARGETS or before.external or now.external:
            return False
        return before.suite is now.suite and before.siblings == now.siblings

    def groups_to_repeat(
        self, before: Analysis, old: Sequence[tuple[int, Block]], now: Analysis, new: Sequence[tuple[int, Block]]
    ) -> frozenset[str] | None:
        """The groups of rules that read something else in the edited blocks, as many before as afterwards; None for all."""
        return frozenset() if cross_case_facts(before, old) == cross_case_facts(now, new) else None


_DEFAULT = FamilyCrossCase()


def cross_case_of(kind: FileKind) -> FamilyCrossCase:
    """The rules across cases of the family of a kind of file. Imports what only that family needs."""
    part = part_of(kind.family, "cross_case")
    found: FamilyCrossCase = _DEFAULT if part is None else part.CROSS_CASE
    return found
