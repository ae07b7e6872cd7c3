"""How the texts of a family are understood besides what their shapes say: what the analysis asks instead of whose text it is."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Iterable
from pathlib import Path

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.analysis.suite_cases import suite_cases
from rubric_core.analysis.suite_defaults import suite_defaults
from rubric_core.analysis.text_references import SuiteReferences, TextReferences
from rubric_core.family import part_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Shape
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.issues import Issue
from rubric_core.loading.kept_block import KeptBlock
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.loading.reference_issues import PromptText
from rubric_core.syntax.tree import Node
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry
from rubric_core.validation.rule import SuiteDefaults

__all__ = ["FamilyTexts", "texts_of"]


class FamilyTexts:
    """The texts of a family. The defaults are those of AgentV.

    The analysis keeps what these methods return until an argument changes, so that they may read nothing else.
    """

    def cases(self, text: AnalyzedText) -> tuple[CaseEntry, ...]:
        """The cases as those of AgentV, under the names of their results; unchanged ones are the same objects."""
        return suite_cases(text)

    def defaults(self, settings: Shape | None, kind: FileKind, names: DefinedNames | None) -> SuiteDefaults:
        """What rules for one case may use of the content around the cases; None for a file that others run.

        `names` is what the files that name it define.
        """
        return suite_defaults(settings)

    def references(self, project: Project, path: Path, text: AnalyzedText) -> TextReferences | None:
        """Resolves what the blocks of a text refer to; None for a kind of file that refers to nothing."""
        return SuiteReferences(project, path, text)

    def names_for_files(self, text: AnalyzedText, names: DefinedNames | None) -> DefinedNames | None:
        """What a text defines for the files that it names; `names` is what its cases, or the files that name it, define."""
        return names

    def kept_blocks(self, root: Node | None, dialect: Dialect) -> Iterable[KeptBlock]:
        """The blocks under keys that nothing reads, for kinds of files that keep such blocks for references."""
        return ()

    def shapes_of_text(self, kind: FileKind, text: str, lowering: Lowering) -> Iterable[Shape]:
        """The shapes of a file that is not YAML, such as a table."""
        return ()

    def issues_of_text(
        self, kind: FileKind, name: str, text: str, path: Path | None, names: DefinedNames | None
    ) -> Iterable[Issue]:
        """What rules visit in a file that is not YAML, such as a prompt: its whole text.

        `name` is the name of the file, empty if it has none; for `names` see `defaults`.
        """
        if kind is FileKind.PROMPT:
            yield PromptText(span=Span(0, 0), text=text)


_DEFAULT = FamilyTexts()


def texts_of(kind: FileKind) -> FamilyTexts:
    """How the texts of the family of a kind of file are understood. Imports what only that family needs."""
    part = part_of(kind.family, "texts")
    found: FamilyTexts = _DEFAULT if part is None else part.TEXTS
    return found
