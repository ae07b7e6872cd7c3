"""Sound suites to plant a mistake into, and what a planted mistake is."""

import csv
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.language.model import Message
from rubric_core.language.shape import Shape, children
from rubric_core.loading.project import Project
from rubric_core.syntax.tree import Entry, Mapping, Scalar

__all__ = ["Plant", "Planted", "Suite", "entries", "in_conversation", "replaced", "suites"]


@dataclass
class Suite:
    """A sound suite, and its shapes with the way to offsets of the whole text."""

    path: str
    text: str
    analysis: Analysis
    #: Where it is, for what it refers to.
    file: Path
    project: Project
    shapes: list[tuple[Shape, int]] = field(default_factory=list)

    def of(self, kind: type[Shape], *fields: str) -> list[tuple[Shape, int]]:
        """Shapes in block style with all of `fields` written in place."""
        return [
            (s, o)
            for s, o in self.shapes
            if isinstance(s, kind)
            and not s.borrowed
            and isinstance(s.node, Mapping)
            and not s.node.flow
            and all(s.has(f) and not s.places[f].borrowed for f in fields)
        ]


@dataclass
class Planted:
    """A text with a mistake on `line` (0-based)."""

    text: str
    line: int


#: Makes a mistake in a suite; None where there is no place for it.
Plant = Callable[[Suite, random.Random], Planted | None]


def replaced(suite: Suite, start: int, end: int, new: str, at: int | None = None) -> Planted:
    text = suite.text[:start] + new + suite.text[end:]
    return Planted(text, text.count("\n", 0, start if at is None else at))


def entries(shape: Shape) -> list[Entry]:
    return [e for e in shape.node.entries if isinstance(e.key, Scalar)] if isinstance(shape.node, Mapping) else []


def suites(corpus: Path, language: Language) -> Iterator[Suite]:
    """Every suite of the corpus from agentv-1 on, once, that is sound."""
    project = Project(DiskFiles())
    with (corpus / "INDEX.tsv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if (
                row["kind"] != "suite"
                or row["copy"] != "first"
                or row["dialect"] in ("agentv-0.1", "agentv-0.2", "agentv-0.5")
            ):
                continue
            path = corpus / row["tag"] / row["path"]
            text = path.read_bytes().decode()
            document = language.document(text, path)
            analysis = analyze(document, language, dialect=row["dialect"], path=path, project=project)
            if any(d.severity == "error" for d in analysis.diagnostics) or not analysis.cases:
                continue
            shapes = [(s, e.offset) for e in analysis.cases if e.block >= 0 for s in children(e.case)]
            shapes += ((s, 0) for s in _above_cases(analysis))
            yield Suite(str(path.relative_to(corpus)), text, analysis, path, project, shapes)


def _above_cases(analysis: Analysis) -> Iterator[Shape]:
    """The shapes of the suite itself that stand above its cases."""
    head = len(analysis.frame.head)
    around = children(analysis.suite) if analysis.suite is not None and analysis.suite.has("cases") else ()
    return (s for s in around if s is not analysis.suite and s.node is not None and s.node.span.end <= head)


def in_conversation(shape: Shape, suite: Suite) -> bool:
    """A list of which nothing has a role is no conversation: expected output may be any list."""
    lists = (v for s, _ in suite.shapes for v in vars(s).values() if isinstance(v, list))
    return any(
        sum(isinstance(i, Message) and i.has("role") for i in v) > 1 for v in lists if any(i is shape for i in v)
    )
