"""Existing text is offered at its place: each key, once its line is blank, and each of a few words."""

import random
import re
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from harness import LANGUAGE, ROOT, files

from rubric_core.analysis import Analysis, analyze
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.shape import FieldPlace, Shape, children
from rubric_core.language.value_kinds import Boolean, Choice, NodeUnion
from rubric_core.loading.files import is_suite_name
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Span
from rubric_lsp.features.completion import complete
from rubric_lsp.features.hover import hover


def texts() -> list[tuple[str, str]]:
    pages = sorted((Path(__file__).parents[1] / "core" / "legal").glob("agentv-*.txt"))
    parts = [part for page in pages for part in re.split(r"(?m)^#### .+\n", page.read_text(encoding="utf-8"))[1:]]
    every = [(name, text) for part in parts for name, text in files(part).items()]
    return [(n, t) for n, t in every if is_suite_name(PurePath(n).name) or PurePath(n).stem in ("targets", "providers")]


def read(name: str, text: str, dialect: str | None = None) -> Analysis:
    return analyze(LANGUAGE.document(text, ROOT / name), LANGUAGE, path=ROOT / name, dialect=dialect)


def written(analysis: Analysis) -> Iterator[tuple[Shape, str, FieldPlace, Span, Span]]:
    """Every key that is written under its own name, with the spans of key and value in the whole text."""
    document = analysis.document
    starts = {id(block): document.start(number) for number, block in enumerate(document.blocks)}
    for block, state in analysis.states.items():
        for shape in (inner for outer in state.shapes for inner in children(outer)):
            for field, place in shape.places.items():
                spans = [
                    analysis.frame.outer(s) if block is analysis.frame.block else s.moved(starts[id(block)])
                    for s in (place.key, place.value)
                ]
                if not place.borrowed and document.text[slice(*spans[0])] == place.name and field in shape.keys:
                    yield shape, field, place, spans[0], spans[1]


def own_line(text: str, key: Span, value: Span) -> bool:
    start, end = text.rfind("\n", 0, key.start) + 1, text.find("\n", key.start) % (len(text) + 1)
    return not text[start : key.start].strip(" -") and value.end <= end and not text[value.end : end].strip()


def labels(name: str, text: str, at: int, dialect: str) -> set[str]:
    return {each.label for each in complete(read(name, text, dialect), at)}


@pytest.mark.parametrize("part", range(3))
def test_keys_and_words_are_offered_where_they_stand(part: int) -> None:
    rng = random.Random(part)
    for name, text in rng.sample(texts(), 25):
        analysis = read(name, text)
        dialect = analysis.dialect
        for shape, field, place, key, value in rng.sample(found := list(written(analysis)), min(6, len(found))):
            shown = hover(analysis, key.start + 1)
            assert shown is not None, (name, place.name)
            current = dialect.table(type(shape))[place.name].fate is SpellingStatus.CURRENT
            if not own_line(text, key, value) or not current or field == shape.tag:
                continue
            rest = text[: key.start] + text[value.end :]
            assert place.name in labels(name, rest, key.start, dialect.name), (name, place.name, text)
            kind = shape.keys[field].kind
            branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
            node = place.node
            few = any(isinstance(b, Choice) for b in branches) or kind == Boolean()
            if few and isinstance(node, Scalar) and node.style == "plain" and node.text.islower():
                rest = text[: value.start] + text[value.end :]
                assert node.text in labels(name, rest, value.start, dialect.name), (name, place.name, text)
