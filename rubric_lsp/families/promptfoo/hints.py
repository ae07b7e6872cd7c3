"""Inlay hints in promptfoo configurations: the rows that a list makes of a case, and the prompts in a file."""

from collections.abc import Iterator
from math import prod

from rubric_core.analysis import Analysis, LocalText
from rubric_core.families.promptfoo.checks.case_parts import options_of
from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Span
from rubric_lsp.features.hints import Hint

__all__ = ["promptfoo_hints"]

#: Separates prompts in a text file.
_SEPARATOR = pattern(r"(?m)^---\r?$")


def promptfoo_hints(analysis: Analysis, within: Span) -> Iterator[Hint]:
    """The hints in a range; only the blocks in it are visited."""
    document = analysis.document
    first, last = document.block_at(within.start), document.block_at(within.end)
    parts = [analysis.local(0)] if analysis.local(0).in_frame else []
    parts += [analysis.local(document.start(n)) for n in range(first, last + 1) if document.blocks[n].key]
    for local in parts:
        for hint in (*_rows(local), *_prompts(local)):
            if within.start <= hint.offset <= within.end:
                yield hint


def _rows(local: LocalText) -> Iterator[Hint]:
    """Lists of texts under `vars`: each item is a row. A list that starts with anything else is one value."""
    for shape in local.every:
        if not isinstance(shape, PromptfooCase) or shape.borrowed:
            continue
        place, options = shape.places.get("vars"), options_of(shape)
        node = place.node if place is not None and not place.borrowed else None
        if not isinstance(node, Mapping) or (options is not None and options.disable_var_expansion is True):
            continue
        lists = [
            (entry.key, entry.value.items)
            for entry in node.entries
            if isinstance(entry.value, Sequence) and entry.value.items
        ]
        counts = [len(items) for _, items in lists if _expands(items[0])]
        for key, items in lists:
            at = local.outer(key.span).end
            if not _expands(items[0]):
                yield Hint(at, "one value", "promptfoo makes rows of a list only where its first item is a text")
            elif len(items) > 1:
                yield Hint(at, f"×{len(items)}", f"a row for each of the {len(items)} items")
        if place is not None and len(counts) > 1 and prod(counts) > 1 and not isinstance(shape, PartialCase):
            yield Hint(
                local.outer(place.key).end,
                f"{prod(counts)} rows",
                "every item of one list with every item of the others",
            )


def _expands(item: Node) -> bool:
    return isinstance(item, Scalar) and isinstance(item.value, str)


def _prompts(local: LocalText) -> Iterator[Hint]:
    """Text files with several prompts, which lines of exactly `---` separate."""
    if not any(isinstance(shape, Configuration) for shape in local.shapes):
        return
    for each in local.analysis.states[local.block].links.outside:
        node = each.node
        path = node.get("id") if isinstance(node, Mapping) else node
        if each.what == "prompt" and each.texts and isinstance(path, Scalar) and path.text.lower().endswith(".txt"):
            number = sum(len(_SEPARATOR.split(text)) for text in each.texts)
            if number > 1:
                parted = "lines with nothing but `---` part them, or several files match"
                yield Hint(local.outer(path.span).end, f"{number} prompts", parted)
