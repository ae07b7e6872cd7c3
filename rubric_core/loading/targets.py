"""Target files: which one counts for a suite, and what stands in it. Nothing here reads the environment."""

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rubric_core.ports import Files
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Alias, Mapping, Node, Sequence, Tree
from rubric_core.text import LineIndex, Span

__all__ = ["TARGET_FILES", "TargetEntry", "TargetFile", "directories_up", "find_targets", "read_targets"]

#: In the order in which they are looked for, in each directory from the suite's upward.
TARGET_FILES = ("targets.yaml", "targets.yml", ".agentv/targets.yaml", ".agentv/targets.yml", ".agentevo/targets.yaml")
_LARGEST = 2_000_000
_ROOT = Span(0, 0)


@dataclass(frozen=True, slots=True)
class TargetEntry:
    """One target as it is written: nothing filled in, nothing checked."""

    name: str
    #: The word behind `provider`; empty for an entry that only points to another one.
    kind: str
    #: Every other key, as plain data.
    settings: MappingOf[str, Any]
    #: Where the name stands, and each key.
    span: Span
    spans: MappingOf[str, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TargetFile:
    """A target file: its entries, and what is wrong with the rest of it."""

    path: Path
    lines: LineIndex
    entries: tuple[TargetEntry, ...] = ()
    problems: tuple[tuple[Span, str], ...] = ()

    def entry(self, name: str) -> TargetEntry | None:
        """The first target of that name."""
        return next((e for e in self.entries if e.name == name), None)

    def line(self, span: Span) -> int:
        """The line of `span` in the file, from 1."""
        return self.lines.line_of(span.start) + 1

    def where(self, entry: TargetEntry, key: str = "") -> str:
        """File, line and key, as in "targets.yaml:7, base_url"."""
        place = f"{self.path.name}:{self.line(entry.spans.get(key, entry.span))}"
        return f"{place}, {key}" if key else place


def directories_up(start: Path, files: Files) -> Iterator[Path]:
    """`start` and every directory above it up to the root of the repository, the top of the disk without one."""
    for directory in (start, *start.parents):
        yield directory
        if files.is_file(directory / ".git" / "HEAD") or files.is_file(directory / ".git"):
            return


def find_targets(directory: Path, files: Files, fallback: Path | None = None) -> Path | None:
    """The target file for a suite in `directory`; `fallback` is looked at last (the current directory)."""
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        for name in TARGET_FILES:
            if files.is_file(place / name):
                return place / name
    return None


def read_targets(path: Path, files: Files) -> TargetFile:
    """What stands in a target file. Raises OSError when it cannot be read, ValueError when it is no UTF-8 text."""
    text = files.read(path, _LARGEST).decode("utf-8")
    tree = parse(text)
    problems = [(p.span, p.message) for p in tree.problems]
    entries = [e for node in _listed(tree, problems) if (e := _entry(node, tree, problems)) is not None]
    return TargetFile(path, LineIndex(text), tuple(entries), tuple(problems))


def _listed(tree: Tree, problems: list[tuple[Span, str]]) -> list[Node]:
    """The nodes of the entries: `targets: [...]`, or the bare list of the first releases."""
    root = _followed(tree.root, tree)
    listed = _followed(root.get("targets"), tree) if isinstance(root, Mapping) else root
    if isinstance(listed, Sequence):
        return listed.items
    problems.append((listed.span if listed else _ROOT, "a target file has a list under `targets`"))
    return []


def _followed(node: Node | None, tree: Tree) -> Node | None:
    return tree.anchors.get(node.name) if isinstance(node, Alias) else node


def _entry(node: Node, tree: Tree, problems: list[tuple[Span, str]]) -> TargetEntry | None:
    written = plain(node, tree.anchors)
    if not isinstance(written, dict) or not isinstance(written.get("name"), str):
        problems.append((node.span, "a target needs a `name`"))
        return None
    nested = written.get("settings")  # until agentv-0.5, everything but the name stood one level deeper
    settings = {**written, **nested} if isinstance(nested, dict) else written
    own = _followed(node, tree)
    spans = {e.name: e.value.span for e in own.entries if e.name} if isinstance(own, Mapping) else {}
    deeper = own.get("settings") if isinstance(own, Mapping) else None
    if isinstance(deeper, Mapping):
        spans.update({e.name: e.value.span for e in deeper.entries if e.name})
    kind = settings.get("provider")
    rest = {k: v for k, v in settings.items() if k not in ("name", "provider", "settings")}
    return TargetEntry(
        written["name"], kind if isinstance(kind, str) else "", rest, spans.get("name", node.span), spans
    )
