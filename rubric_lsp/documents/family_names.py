"""How a family of eval files spells the names that its files share: what navigation and renaming ask instead of whose file it is."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Iterator

from rubric_core.family import part_of
from rubric_core.text import Span
from rubric_lsp.documents.name_scope import NameScope, name_scope
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence

__all__ = ["FamilyNames", "names_of"]


class FamilyNames:
    """The shared names of one family, followed through its files. By default every text with a name is one that an edit can reach."""

    #: The kinds of which equal names are one name: where a new name is taken, a rename would make both one.
    unique_names: frozenset[NameKind] = frozenset({"case"})

    def refers_to(self, kind: NameKind, reference: str, name: str) -> bool:
        """Whether a reference means a name that is defined."""
        return reference == name

    def is_reserved(self, kind: NameKind, name: str) -> bool:
        """Whether a name has a meaning of its own, which an author cannot give it."""
        return False

    async def definitions(
        self, around: ProjectIndex, snapshot: Snapshot, name: NameOccurrence
    ) -> list[tuple[Snapshot, Span]]:
        """Where a shared name is defined."""

        def means(other: str) -> bool:
            return other == name.name or (not name.defines and self.refers_to(name.kind, name.name, other))

        scope = await name_scope(around, snapshot, name.kind, means)
        return [(file.snapshot, n.span) for file, n in scope.names(name.kind) if n.defines and means(n.name)]

    def obstacles(self, around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
        """Why a name cannot be renamed, besides what is asked of every family: texts that no edit reaches, as sentences."""
        return iter(())


_DEFAULT = FamilyNames()


def names_of(family: str) -> FamilyNames:
    """How a family spells shared names."""
    part = part_of(family, "names")
    found: FamilyNames = _DEFAULT if part is None else part.NAMES
    return found
