"""What a family of eval files shows in an editor besides what its shapes say: what features ask instead of whose file it is."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rubric_core.analysis import Analysis, LocalText
from rubric_core.family import part_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.shape import Shape
from rubric_core.text import Span
from rubric_lsp.features.hints import Hint
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence, NamePlace
from rubric_lsp.features.symbol import Symbol

__all__ = ["FamilyEditor", "editor_named", "editor_of"]


class FamilyEditor:
    """The features of an editor for one family. The defaults leave everything to the features themselves, which know AgentV's model."""

    #: The kinds of names that mean the same in all files which refer to each other. Without variables, each case has its own.
    shared_names: frozenset[NameKind] = frozenset({"case"})
    #: The kinds of these whose hover is made of their definitions, in whichever files these are.
    described_names: frozenset[NameKind] = frozenset()

    def symbols(self, shape: Shape) -> Iterable[Symbol]:
        """The entries in the outline of one outermost shape of a block, at offsets of the block."""
        return ()

    def names_in(self, local: LocalText) -> Iterable[NameOccurrence] | None:
        """The names in one block besides anchors, at offsets of the block; None for those of AgentV's shapes."""
        return None

    def name_description(self, name: NameOccurrence, definitions: Sequence[NamePlace]) -> str:
        """What hover says of a name of `described_names`, as Markdown; empty for nothing."""
        return ""

    def values(self, analysis: Analysis, local: LocalText) -> Mapping[str, object] | None:
        """The values of template variables at a place, as they are lowered; None for those of AgentV's cases."""
        return None

    def type_facts(self, shape: type[Shape], dialect: Dialect) -> Iterator[str]:
        """Paragraphs of the documentation of a type of check, between the keys that it needs and those that it takes."""
        return iter(())

    def type_words(self, shape: Shape) -> Iterator[str]:
        """Paragraphs about the type of a check as it is written, beyond the catalogue."""
        return iter(())

    def hints(self, analysis: Analysis, within: Span) -> Iterable[Hint] | None:
        """The values derived from the text; None for those of AgentV's suites."""
        return None


_DEFAULT = FamilyEditor()


def editor_of(analysis: Analysis) -> FamilyEditor:
    """What the family of a text shows in an editor."""
    return editor_named(analysis.dialect.properties.engine)


def editor_named(family: str) -> FamilyEditor:
    """What a family shows in an editor."""
    part = part_of(family, "editor")
    found: FamilyEditor = _DEFAULT if part is None else part.EDITOR
    return found
