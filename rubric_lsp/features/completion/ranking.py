"""The order of completions: by usage around the cursor, in the workspace, and in suites in general."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.shape import Shape, children
from rubric_core.language.usage_counts import ANY, Counts, count, front_at, general_usage, likelihoods, lineage
from rubric_lsp.features.completion.context import CompletionSite

__all__ = ["blocks_near", "key_ranks", "name_ranks", "usage_for", "word_ranks"]

#: How many blocks on either side of the cursor count, and how many shapes of each, which may be larger than a case.
_NEAR, _MOST_SHAPES = 4, 400
#: The advantage of a required key over others.
_NEEDED = 0.2


def usage_for(analysis: Analysis, local: LocalText, workspace: Counts) -> tuple[Counts, ...]:
    """The usage counts for completion at a place, the most general first."""
    return general_usage(), workspace, count(_shapes_near(analysis, local))


def _shapes_near(analysis: Analysis, local: LocalText) -> Iterable[Shape]:
    for each in blocks_near(analysis, local):
        yield from each.every[:_MOST_SHAPES] if each is local else islice(_shapes(each), _MOST_SHAPES)


def _shapes(local: LocalText) -> Iterable[Shape]:
    return (shape for root in local.shapes for shape in children(root))


def blocks_near(analysis: Analysis, local: LocalText) -> Iterable[LocalText]:
    """The block of the cursor, the text around the cases, and a few cases on either side."""
    yield local
    if not local.in_frame:
        yield analysis.local(0)
    document = analysis.document
    for number in range(max(0, local.number - _NEAR), min(len(document.blocks), local.number + _NEAR + 1)):
        if document.blocks[number].key and number != local.number:
            yield analysis.local(document.start(number))


def key_ranks(site: CompletionSite, shape: type[Shape], fields: Mapping[str, bool]) -> Mapping[str, int]:
    """The ranks of keys, from 0 on; `fields` says whether the mapping requires each."""
    known = site.dialect.table(shape).get(site.cursor.before)
    before = known.field if known is not None else site.cursor.before
    likely = likelihoods(site.usage, lineage(shape), before, list(fields))
    # What an evaluator is decides which other keys it can have.
    first = shape.tag if shape.stands_for == "check" else ""
    return _ranks(fields, lambda field: likely[field] + (1.0 if field == first else _NEEDED if fields[field] else 0.0))


def word_ranks(site: CompletionSite, shape: type[Shape], field: str, words: Iterable[str]) -> Mapping[str, int]:
    """The ranks of the values of `field`."""
    every = list(dict.fromkeys(words))
    names = lineage(shape)[:1] if field == shape.tag else lineage(shape)
    fresh = site.cursor.role == "item"
    front = front_at(site.local.every, site.local.offset, shape, field, fresh=fresh)
    likely = likelihoods(site.usage, [f"{name}.{field}" for name in names], front, every)
    return _ranks(every, lambda word: likely[word])


def name_ranks(site: CompletionSite, kind: str, names: Sequence[str]) -> Mapping[str, int]:
    """The ranks of names that the project defines, such as those of targets."""
    likely = likelihoods(site.usage, [kind], ANY, names)
    return _ranks(names, lambda name: likely[name])


def _ranks(words: Iterable[str], likely: Callable[[str], float]) -> Mapping[str, int]:
    # Equally likely words keep their order.
    return {word: rank for rank, word in enumerate(sorted(words, key=lambda word: -likely(word)))}
