"""What is true of every migration."""

from collections import Counter
from collections.abc import Iterator

from harness import LANGUAGE

from rubric_core.analysis import Analysis, analyze
from rubric_core.language.file_kinds import FileKind
from rubric_core.migration import MigratedText, migrate
from rubric_core.syntax.collection_edits import comments_of
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import LineIndex

__all__ = ["check_all", "errors", "noted"]


def noted(made: MigratedText) -> str:
    """The notes with their lines."""
    index = LineIndex(made.text)
    return "".join(f"{index.line_of(note.offset) + 1}: {note.words}\n" for note in made.notes)


def check_all(before: str, made: MigratedText, source: str, target: str, kind: FileKind = FileKind.SUITE) -> None:
    """The result is YAML in its dialect, has every comment, and is as good as what it was made of."""
    tree = parse(made.text)
    assert not tree.problems, tree.problems[0]
    assert not (lost := comments(before) - comments(made.text)), f"comments lost: {list(lost)}"
    if kind is FileKind.SUITE and source != target:
        assert analyzed(made.text, None, kind).choice.name == target, "the dialect is not told from the text"
    if not errors(before, source, kind):
        left = {LineIndex(made.text).line_of(note.offset) for note in made.notes}
        new = [(line + 1, words) for line, words in errors(made.text, target, kind) if line not in left]
        assert not new, f"errors in {target}: {new}"
    assert migrate(made.text, target, target, kind=kind).text == made.text
    assert not (gone := texts(before) - texts(made.text)), f"texts lost: {gone}"


def analyzed(text: str, dialect: str | None, kind: FileKind) -> Analysis:
    return analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect, kind=kind)


def errors(text: str, dialect: str, kind: FileKind = FileKind.SUITE) -> list[tuple[int, str]]:
    """The errors in a text, with the lines that they begin in."""
    analysis = analyzed(text, dialect, kind)
    return [
        (analysis.document.position(d.span.start).line, d.message)
        for d in analysis.diagnostics
        if d.severity == "error"
    ]


def comments(text: str) -> Counter[str]:
    tree = parse(text)
    return Counter(text[span.start : span.end].rstrip() for span in comments_of(text, tree))


def texts(text: str) -> set[str]:
    """Everything with a blank in it that a person has written: what is moved or renamed has none."""
    return set(_texts(text))


def _texts(text: str) -> Iterator[str]:
    for node in walk(parse(text).root):
        if isinstance(node, Scalar) and " " in node.text.strip() and "{{" not in node.text:
            yield node.text.strip()
