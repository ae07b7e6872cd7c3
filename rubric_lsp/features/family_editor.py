"""What a family of eval files shows in an editor besides what its shapes say: what features ask instead of whose file it is."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from rubric_core.analysis import Analysis, LocalText
from rubric_core.family import part_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.shape import Shape
from rubric_core.text import Span
from rubric_lsp.features.hints import Hint, HintSettings
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence, NamePlace
from rubric_lsp.features.suite_names import suite_names
from rubric_lsp.features.suite_symbols import suite_symbols
from rubric_lsp.features.suite_variables import suite_variables
from rubric_lsp.features.symbol import Symbol

__all__ = ["FamilyEditor", "editor_named", "editor_of"]


class FamilyEditor:
    """The features of an editor for one family. The defaults are those of AgentV's model."""

    #: The kinds of names that mean the same in all files which refer to each other. Without variables, each case has its own.
    shared_names: frozenset[NameKind] = frozenset({"case"})
    #: The kinds of these whose hover is made of their definitions, in whichever files these are.
    described_names: frozenset[NameKind] = frozenset()

    def symbols(self, shape: Shape) -> Iterable[Symbol]:
        """The entries in the outline of one outermost shape of a block, at offsets of the block."""
        return suite_symbols(shape)

    def names_in(self, local: LocalText) -> Iterable[NameOccurrence]:
        """The names in one block besides anchors, at offsets of the block."""
        return suite_names(local)

    def name_description(self, name: NameOccurrence, definitions: Sequence[NamePlace]) -> str:
        """What hover says of a name of `described_names`, as Markdown; empty for nothing."""
        return ""

    def values(self, analysis: Analysis, local: LocalText) -> Mapping[str, object]:
        """The values of template variables at a place, as they are lowered."""
        return suite_variables(analysis, local)

    def type_facts(self, shape: type[Shape], dialect: Dialect) -> Iterator[str]:
        """Paragraphs of the documentation of a type of check, between the keys that it needs and those that it takes."""
        return iter(())

    def type_words(self, shape: Shape) -> Iterator[str]:
        """Paragraphs about the type of a check as it is written, beyond the catalogue."""
        return iter(())

    def hints(self, analysis: Analysis, within: Span, wanted: HintSettings, taken: Container[int]) -> Iterable[Hint]:
        """The values derived from the text; `taken` are the ends of lines that show a result, without room for another hint."""
        from rubric_lsp.features.derived_hints import derived_hints  # noqa: PLC0415  # few clients ask for them

        return (hint for hint in derived_hints(analysis, within, wanted) if hint.offset not in taken)


_DEFAULT = FamilyEditor()


def editor_of(analysis: Analysis) -> FamilyEditor:
    """What the family of a text shows in an editor."""
    return editor_named(analysis.dialect.properties.engine)


def editor_named(family: str) -> FamilyEditor:
    """What a family shows in an editor."""
    part = part_of(family, "editor")
    found: FamilyEditor = _DEFAULT if part is None else part.EDITOR
    return found
