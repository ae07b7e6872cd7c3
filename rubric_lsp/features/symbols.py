"""The outline of a document."""

from rubric_core.analysis import LocalText
from rubric_lsp.features.family_editor import editor_of
from rubric_lsp.features.symbol import Symbol

__all__ = ["symbols_in"]


def symbols_in(local: LocalText) -> tuple[Symbol, ...]:
    """The outline of one block, at offsets of the block, in the order of the text."""
    editor = editor_of(local.analysis)
    return tuple(sorted((each for shape in local.shapes for each in editor.symbols(shape)), key=lambda s: s.span))
