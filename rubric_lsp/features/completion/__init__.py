"""Completion: the keys, types, words, names and paths that fit at the cursor, in half-typed YAML too."""

from rubric_lsp.features.completion.complete import complete
from rubric_lsp.features.completion.context import Completion, NameSource

__all__ = ["Completion", "NameSource", "complete"]
