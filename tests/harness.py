"""Annotated text: the expectations of a test are written in the text that it checks.

Findings: a marker line under a line of YAML underlines the span and names what is found there::

    weight: -1
    #       ^^ error[bad-weight]: the weight is -1; a weight is 0 or more

The message may be left out. `~~~~ note: …` marks a place that the finding above it relates to. Marker lines are no part
of the text. The set is exact: what is found and not marked fails, and what is marked and not found fails.
`UPDATE=1 pytest` writes the markers anew; people read the difference.

Cursors: `<|>` stands where the cursor is. Files: lines `--- name.yaml` cut one text into several files.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path, PurePath

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.analysis.file_uses import FileUses, references_of
from rubric_core.configuration import Configuration
from rubric_core.configuration.parse import read
from rubric_core.families.promptfoo.loading.recognition import is_promptfoo_name
from rubric_core.loading.files import is_suite_name
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, LineIndex, Span, apply_edits
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = [
    "CURSOR", "LANGUAGE", "ROOT", "UPDATING", "Block", "Folder", "Mark", "Page", "Several", "analysis_of", "annotated", "check", "cursor", "files", "first_fixes",
    "fixed", "marks_of", "unmarked",
]  # fmt: skip

LANGUAGE = Language()
UPDATING = bool(os.environ.get("UPDATE"))
CURSOR = "<|>"
#: Where the files of a fixture stand.
ROOT = Path("/project")

_MARKER = re.compile(
    r"(?P<lead>#? *)(?P<line>\^+|~+) (?P<severity>error|warning|information|hint|note)"
    r"(?:\[(?P<code>[a-z/-]+)\])?(?:: (?P<message>.*))?\Z"
)
_PATH = re.compile(r"# (\.?[\w/.-]+\.ya?ml)\n")
_FENCED = re.compile(r"^```(?:yaml|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_FILE = re.compile(r"^--- (\S+)\n", re.MULTILINE)


@dataclass(frozen=True, order=True)
class Mark:
    """One finding, or one related place, as a marker line says it. Lines and columns are 0-based characters."""

    line: int
    start: int
    end: int
    severity: str
    code: str
    message: str | None

    def __str__(self) -> str:
        pad = "#".ljust(self.start) if self.start else ""
        code = f"[{self.code}]" if self.code else ""
        message = f": {self.message}" if self.message is not None else ""
        return (
            f"{pad}{('~' if self.severity == 'note' else '^') * (self.end - self.start)} {self.severity}{code}{message}"
        )


class Folder:
    """Files below `ROOT` that exist in memory only: the files of a project in tests."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = {ROOT / name: text for name, text in files.items()}

    def read(self, path: Path, limit: int | None = None) -> bytes:  # noqa: ARG002  # the files are short
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path].encode()

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        return self.read(path, limit)

    def is_file(self, path: Path) -> bool:
        return path in self.files

    def is_directory(self, path: Path) -> bool:
        return any(path in file.parents for file in self.files)

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        return frozenset(name for those in names.values() for name in those if self.is_file(path / name))

    def names(self, path: Path) -> tuple[str, ...]:
        depth = len(path.parts)
        return tuple(sorted({file.parts[depth] for file in self.files if path in file.parents}))


@dataclass(frozen=True)
class Several:
    """The findings in several files that are written in one text; spans are those of the text."""

    document: Document
    diagnostics: tuple[Diagnostic, ...]


def analysis_of(text: str, dialect: str | None = None) -> Analysis | Configuration | Several:
    """A fresh analysis of `text`: a suite, the file that its first line names (`# .agentv/targets.yaml`), or settings.

    Files under `--- name.yaml` are analyzed together, each as what it is at its place.
    """
    if _FILE.match(text):
        return _several(text, dialect)
    if text.startswith("[tool.rubric]"):
        return read(Path("pyproject.toml"), text, LANGUAGE)
    named = _PATH.match(text)
    path = PurePath(named[1]) if named else None
    return analyze(LANGUAGE.document(text, path), LANGUAGE, dialect=dialect, path=path)


def _several(text: str, dialect: str | None) -> Several:
    project = Project(Folder(files(text)))
    written = frozenset(ROOT / name for name in files(text))
    project.register_suites([ROOT], [path for path in written if is_suite_name(path.name)])
    project.register_checks(lambda path, kind, nested: kind.by_reference and path in written and not nested)
    uses = FileUses()
    for name, own in files(text).items():
        path = ROOT / name
        if is_promptfoo_name(path.name):
            document = LANGUAGE.document(own, path)
            uses.set(path, references_of(analyze(document, LANGUAGE, path=path, project=project)))
    found: list[Diagnostic] = []
    headings = list(_FILE.finditer(text))
    for heading, behind in zip_longest(headings, headings[1:]):
        start, end = heading.end(), behind.start() if behind else len(text)
        path, own = ROOT / heading[1], text[start:end]
        use = uses.of(path, str)
        kind = use.kind if use is not None else None
        if kind is None and path.suffix not in (".yaml", ".jsonl", ".md"):
            continue
        document = LANGUAGE.document(own, path, kind)
        analysis = analyze(
            document, LANGUAGE, dialect=dialect, path=path, kind=kind, project=project,
            defined_names=use.defined_names if use is not None else None,
        )  # fmt: skip
        found += (_moved(d, start) for d in analysis.diagnostics)
    return Several(Document.of(text), tuple(found))


def _moved(found: Diagnostic, by: int) -> Diagnostic:
    related = tuple(replace(r, span=r.span.moved(by)) for r in found.related)
    fixes = tuple(replace(f, edits=tuple(e._replace(span=e.span.moved(by)) for e in f.edits)) for f in found.fixes)
    return replace(found, span=found.span.moved(by), related=related, fixes=fixes)


def unmarked(text: str) -> tuple[str, list[Mark]]:
    """The text without its marker lines, and the marks."""
    lines: list[str] = []
    marks: list[Mark] = []
    for line in text.split("\n"):
        found = _MARKER.match(line)
        if found is None or not lines:
            lines.append(line)
            continue
        start = len(found["lead"])
        end = start + len(found["line"])
        marks.append(Mark(len(lines) - 1, start, end, found["severity"], found["code"] or "", found["message"]))
    return "\n".join(lines), marks


def marks_of(analysis: Analysis) -> list[Mark]:
    """Everything that was found, as marks in the order of the text."""
    index = LineIndex(analysis.document.text)
    found = [_mark(index, d.span, d.severity, d.code, d.message) for d in analysis.diagnostics]
    found += {_mark(index, r.span, "note", "", r.message) for d in analysis.diagnostics for r in d.related}
    return sorted(found, key=lambda m: (m.line, m.severity == "note", m.start, m.end, m.code, m.message))


def _mark(index: LineIndex, span: Span, severity: str, code: str, message: str) -> Mark:
    line = index.line_of(span.start)
    begin, end = index.line_span(line)
    if severity == "note":  # a related place may be a whole block: its first line stands for it
        span = Span(span.start, min(span.end, end))
    assert begin <= span.start <= span.end <= end, (
        f"{code} is marked over several lines: {index.text[span.start : span.end]!r}"
    )
    assert span.start < span.end or begin == end, f"{code} at line {line + 1} has nothing to underline"
    return Mark(line, span.start - begin, span.end - begin, severity, code, message)


def annotated(text: str, marks: Iterable[Mark]) -> str:
    """`text` with a marker line for each mark."""
    under: dict[int, list[str]] = {}
    for mark in marks:
        under.setdefault(mark.line, []).append(str(mark))
    return "\n".join(part for number, line in enumerate(text.split("\n")) for part in (line, *under.get(number, [])))


def check(marked: str, dialect: str | None = None) -> Analysis:
    """Fails unless the analysis finds exactly what is marked."""
    text, expected = unmarked(marked)
    analysis = analysis_of(text, dialect)
    found = marks_of(analysis)
    assert annotated(text, _as_found(expected, found)) == annotated(text, found)
    return analysis


def _as_found(expected: list[Mark], found: list[Mark]) -> list[Mark]:
    """The expected marks in the order of the found ones, messages that were left out filled in."""
    left = list(expected)
    result: list[Mark] = []
    for mark in found:
        same = next((e for e in left if e in (mark, replace(mark, message=None))), None)
        if same is not None:
            left.remove(same)
            result.append(mark)
    return sorted(
        [*result, *left],
        key=lambda m: (m.line, m.severity == "note", m.start, m.end, m.code, m.message or ""),
    )


def first_fixes(diagnostics: Iterable[Diagnostic]) -> list[Edit]:
    """The first fix of every finding; one that touches an earlier one waits for the next round."""
    chosen: list[Edit] = []
    for fix in (d.fixes[0] for d in diagnostics if d.fixes):
        if not any(_touch(mine, other) for mine in fix.edits for other in chosen):
            chosen += fix.edits
    return chosen


def _touch(a: Edit, b: Edit) -> bool:
    return a.span.start <= b.span.end and b.span.start <= a.span.end


def fixed(text: str, dialect: str | None = None) -> str:
    """`text` after the first fix of every finding, again until nothing changes."""
    for _ in range(10):
        edits = first_fixes(analysis_of(text, dialect).diagnostics)
        if not edits:
            return text
        text = apply_edits(text, edits)
    raise AssertionError("fixes never come to an end")


def after(text: str, fix: Fix) -> str:
    """`text` with one fix made."""
    return apply_edits(text, fix.edits)


def cursor(text: str) -> tuple[str, int]:
    """The text without its cursor, and where that was."""
    before, mark, behind = text.partition(CURSOR)
    assert mark, f"no {CURSOR} in the text"
    assert CURSOR not in behind, f"more than one {CURSOR} in the text"
    return before + behind, len(before)


def files(text: str) -> dict[str, str]:
    """The files of a fixture by name; what stands before the first `--- name.yaml` must be empty."""
    first, *parts = _FILE.split(text)
    assert not first.strip(), f"text in front of the first file: {first!r}"
    return dict(zip(parts[::2], parts[1::2], strict=True))


@dataclass(frozen=True)
class Block:
    """A fenced block of YAML in a page: its place there and its content."""

    start: int
    end: int
    text: str


class Page:
    """A Markdown page with fenced blocks of YAML under its headings."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """The first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def headings(self) -> list[str]:
        """The headings of the second level."""
        return _HEADING.findall(self.text)

    def blocks(self, heading: str) -> list[Block]:
        """The blocks of YAML under a heading."""
        found = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL)
        if found is None:
            return []
        return [Block(m.start(1), m.end(1), m[1]) for m in _FENCED.finditer(self.text, found.start(1), found.end(1))]

    def rewrite(self, blocks: Iterable[tuple[Block, str]]) -> None:
        """Write other contents into blocks."""
        new = apply_edits(self.text, [Edit(Span(block.start, block.end), content) for block, content in blocks])
        if new != self.text:
            self.path.write_text(new, encoding="utf-8")
            self.text = new
