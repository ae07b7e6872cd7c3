"""What an editor shows of files of promptfoo."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from rubric_core.analysis import Analysis, LocalText
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.language.dialect import Dialect
from rubric_core.language.shape import Shape
from rubric_core.text import Span
from rubric_lsp.families.promptfoo.names import promptfoo_names
from rubric_lsp.families.promptfoo.symbols import promptfoo_symbols
from rubric_lsp.features.family_editor import FamilyEditor
from rubric_lsp.features.hints import Hint, HintSettings
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence, NamePlace
from rubric_lsp.features.symbol import Symbol

__all__ = ["EDITOR"]


class _PromptfooEditor(FamilyEditor):
    """See `FamilyEditor`."""

    described_names: frozenset[NameKind] = frozenset({"provider", "prompt", "metric", "pointer"})
    shared_names: frozenset[NameKind] = described_names | {"variable"}

    def symbols(self, shape: Shape) -> Iterable[Symbol]:
        """See `FamilyEditor.symbols`."""
        return promptfoo_symbols(shape)

    def names_in(self, local: LocalText) -> Iterable[NameOccurrence]:
        """See `FamilyEditor.names_in`."""
        return promptfoo_names(local)

    def name_description(self, name: NameOccurrence, definitions: Sequence[NamePlace]) -> str:
        """See `FamilyEditor.name_description`."""
        from rubric_lsp.families.promptfoo.hover import promptfoo_hover  # noqa: PLC0415  # when somebody hovers

        return promptfoo_hover(name, definitions)

    def values(self, analysis: Analysis, local: LocalText) -> Mapping[str, object]:
        """See `FamilyEditor.values`."""
        from rubric_lsp.families.promptfoo.variables import values_at_place  # noqa: PLC0415  # when somebody completes or hovers

        return values_at_place(analysis, local)

    def type_facts(self, shape: type[Shape], dialect: Dialect) -> Iterator[str]:
        """See `FamilyEditor.type_facts`: the threshold, which most types have one of their own for."""
        declared = next((key for _, key in dialect.fields(shape) if key.field == "threshold"), None)
        if declared is not None and declared.shown_default:
            yield f"Default threshold: {declared.shown_default}."

    def type_words(self, shape: Shape) -> Iterator[str]:
        """See `FamilyEditor.type_words`: what `not-` does."""
        from rubric_core.families.promptfoo.checks.assertions import inversion_words  # noqa: PLC0415  # when somebody hovers

        if isinstance(shape, Assertion) and shape.type_name.startswith("not-"):
            yield inversion_words(shape)

    def hints(
        self,
        analysis: Analysis,
        within: Span,
        wanted: HintSettings,  # noqa: ARG002  # no setting is about its hints
        taken: Container[int],  # noqa: ARG002  # lists of variables and files of prompts show no result
    ) -> Iterable[Hint]:
        """See `FamilyEditor.hints`."""
        from rubric_lsp.families.promptfoo.hints import promptfoo_hints  # noqa: PLC0415  # few clients ask for them

        return promptfoo_hints(analysis, within)


EDITOR = _PromptfooEditor()
