"""Sound suites to plant a mistake into, and what a planted mistake is."""

import csv
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.language.model import Message
from rubric_core.language.shape import Shape, children
from rubric_core.loading.project import Project
from rubric_core.syntax.tree import Entry, Mapping, Scalar

__all__ = ["LOST", "Plant", "Planted", "Site", "Suite", "entries", "in_conversation", "lost", "replaced", "suites"]

_OLDEST = ("agentv-0.1", "agentv-0.2", "agentv-0.5")


@dataclass(frozen=True)
class Site:
    """A key with its value, and the way from its block to the whole text."""

    shape: Shape
    entry: Entry
    offset: int


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

    def sites(self, kind: type[Shape], *fields: str, flow: bool = True) -> list[Site]:
        """The keys that the dialect has for `kind`, each where it is written; of `fields` only, if any are named."""
        table, head = self.analysis.dialect.table, len(self.analysis.frame.head)
        return [
            Site(s, e, o)
            for s, o in self.shapes
            if isinstance(s, kind) and not s.borrowed and isinstance(s.node, Mapping) and (flow or not s.node.flow)
            for e in entries(s)
            if (s is not self.analysis.suite or e.key.span.end <= head)
            and (known := table(type(s)).get(e.name or "")) is not None
            and known.field in s.places
            and not s.places[known.field].borrowed
            and s.places[known.field].key == e.key.span
            and (not fields or known.field in fields)
        ]

    def field_of(self, site: Site) -> str:
        """The field that the key of a site stands for."""
        return self.analysis.dialect.table(type(site.shape))[site.entry.name or ""].field


@dataclass
class Planted:
    """A text with a mistake on `line` (0-based)."""

    text: str
    line: int
    #: What the author can have meant: the sound text where nothing else is said; nothing where the text tells no more.
    right: tuple[str, ...] | None = None


#: What nobody can tell from the text any more.
LOST: tuple[str, ...] = ()
#: Makes a mistake in a suite; None where there is no place for it.
Plant = Callable[[Suite, random.Random], Planted | None]


def lost(plant: Plant) -> Plant:
    """The same mistake, after which the original cannot be recovered."""

    def planted(suite: Suite, rng: random.Random) -> Planted | None:
        made = plant(suite, rng)
        return made and replace(made, right=LOST)

    return planted


def replaced(
    suite: Suite, start: int, end: int, new: str, at: int | None = None, right: Iterable[str] | None = None
) -> Planted:
    """`new` in the place of a part of the text; `right`: what can have been meant in its place, where it is not the old."""
    text = suite.text
    whole = None if right is None else tuple(text[:start] + each + text[end:] for each in right)
    return Planted(text[:start] + new + text[end:], text.count("\n", 0, start if at is None else at), whole)


def entries(shape: Shape) -> list[Entry]:
    return [e for e in shape.node.entries if isinstance(e.key, Scalar)] if isinstance(shape.node, Mapping) else []


def suites(corpus: Path, language: Language, kinds: tuple[str, ...] = ("suite",)) -> Iterator[Suite]:
    """Every suite of the corpus from agentv-1 on, once, that is sound."""
    project = Project(DiskFiles())
    with (corpus / "INDEX.tsv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if row["kind"] not in kinds or row["copy"] != "first" or row["dialect"] in _OLDEST:
                continue
            path = corpus / row["tag"] / row["path"]
            made = suite_at(path, str(path.relative_to(corpus)), project, language, row["dialect"])
            if made is not None:
                yield made


def suite_at(path: Path, name: str, project: Project, language: Language, dialect: str | None = None) -> Suite | None:
    """The suite in a file; None for one that is not sound."""
    text = path.read_bytes().decode()
    analysis = analyze(language.document(text, path), language, dialect=dialect, path=path, project=project)
    if any(d.severity == "error" for d in analysis.diagnostics) or not analysis.cases:
        return None
    shapes = [(s, e.offset) for e in analysis.cases if e.block >= 0 for s in children(e.case)]
    shapes += ((s, 0) for s in _above_cases(analysis))
    return Suite(name, text, analysis, path, project, shapes)


def _above_cases(analysis: Analysis) -> Iterator[Shape]:
    """The shapes of the suite itself that stand above its cases."""
    head = len(analysis.frame.head)
    around = children(analysis.suite) if analysis.suite is not None and analysis.suite.has("cases") else ()
    return (s for s in around if s is analysis.suite or (s.node is not None and s.node.span.end <= head))


def in_conversation(shape: Shape, suite: Suite) -> bool:
    """A list of which nothing has a role is not a conversation: expected output may be any list."""
    lists = (v for s, _ in suite.shapes for v in vars(s).values() if isinstance(v, list))
    return any(
        sum(isinstance(i, Message) and i.has("role") for i in v) > 1 for v in lists if any(i is shape for i in v)
    )
