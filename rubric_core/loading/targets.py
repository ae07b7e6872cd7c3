"""Reads the entries of targets files, and the targets of suites. Nothing here reads the environment."""

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from pathlib import Path
from typing import Any

from rubric_core.file_access import Files
from rubric_core.language.detect_dialect import modeline
from rubric_core.language.detect_file_dialect import choose_file_dialect, is_provider_list
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import as_list
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.loading.directory_search import URL
from rubric_core.loading.target_files import LARGEST
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, SyntaxProblem
from rubric_core.text import LineIndex, Span

__all__ = [
    "LISTS",
    "NESTED",
    "POINTERS",
    "LoadedTargetEntry",
    "LoadedTargetFile",
    "TargetSource",
    "default_names",
    "entries_of",
    "own_target_name",
    "read_targets",
    "targets_in",
]

_ROOT = Span(0, 0)
#: The name of the target that a suite describes under `target` without a name.
OWN_TARGET = "target"
#: Keys under which files and suites list targets.
LISTS = ("targets", "providers", "graders")
#: Settings that name other targets.
POINTERS = ("use_target", "grader_target", "judge_target", "fallback_targets", "extends")
#: Keys under which some dialects nest the settings one level deeper.
NESTED = ("settings", "config")


@dataclass(frozen=True)
class TargetSource:
    """A file with targets: a targets file or a suite."""

    path: Path
    #: The text that the spans of its nodes refer to.
    text: str
    root: Node | None
    anchors: MappingOf[str, Node]
    #: The line of a span in the file, from 1.
    line: Callable[[Span], int]
    #: The dialect, if known: that of a suite.
    known: str = ""

    def dialect(self, dialects: SequenceOf[Dialect]) -> Dialect:
        """The dialect that the file declares, else the one that its keys indicate."""
        root = self.root
        bare = [n for item in root.items if (n := _followed(item)) is not None] if isinstance(root, Sequence) else []
        choice = choose_file_dialect(FileKind.TARGETS, root, bare, self.text)
        names = (modeline(self.text), self.known, choice.name if choice else None)
        return next((d for name in names for d in dialects if d.name == name), dialects[-1])


@dataclass(frozen=True, slots=True)
class LoadedTargetEntry:
    """A target as written: variables are not filled in, and nothing is checked."""

    name: str
    #: The value of `provider`; empty for an entry that only refers to another one.
    kind: str
    #: Every other key, as plain data.
    settings: MappingOf[str, Any]
    #: The place of the name, and of each key.
    span: Span
    home: TargetSource
    #: The whole entry in the text.
    node: Node
    spans: MappingOf[str, Span] = field(default_factory=dict)
    #: Whether it is under `providers`, where `id` is its kind.
    as_provider: bool = False

    def where(self, key: str = "") -> str:
        """File, line and key, as in "targets.yaml:7, base_url"."""
        place = f"{self.home.path.name}:{self.home.line(self.spans.get(key, self.span))}"
        return f"{place}, {key}" if key else place


@dataclass(frozen=True, slots=True)
class LoadedTargetFile:
    """The entries of one or several targets files, and the problems of the first file."""

    home: TargetSource
    entries: tuple[LoadedTargetEntry, ...] = ()
    problems: tuple[tuple[Span, str], ...] = ()
    #: The first syntax error: the content of the file is then uncertain.
    broken: tuple[Span, str] | None = None
    #: Further targets files that it names.
    includes: tuple[str, ...] = ()
    #: The names under `defaults`: `provider` and `grader`.
    defaults: MappingOf[str, str] = field(default_factory=dict)
    #: The file with these names; empty if they are here, or there are none.
    defaults_file: str = ""
    #: The names of the targets in the files that it names, by their paths as written.
    included: MappingOf[str, tuple[str, ...]] = field(default_factory=dict)
    #: The files that it names and that cannot be read.
    unread: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The path of the (first) file."""
        return self.home.path

    def entry(self, name: str) -> LoadedTargetEntry | None:
        """The first target of that name."""
        return next((e for e in self.entries if e.name == name), None)

    def joined(self, other: "LoadedTargetFile | None") -> "LoadedTargetFile":
        """This file with the entries of another one after its own."""
        if other is None:
            return self
        return replace(self, entries=(*self.entries, *other.entries), defaults={**other.defaults, **self.defaults})

    def reachable(self, names: Iterable[object]) -> Iterator[LoadedTargetEntry]:
        """The targets with these names and all targets that they refer to, each once."""
        waiting = list(names)
        seen: set[str] = set()
        while waiting:
            name = waiting.pop(0)
            entry = self.entry(name) if isinstance(name, str) and name not in seen else None
            if entry is not None:
                seen.add(entry.name)
                for pointer in (entry.settings.get(key) for key in POINTERS):
                    waiting += as_list(pointer)
                yield entry


def read_targets(path: Path, files: Files, *, beside_others: bool = False) -> LoadedTargetFile:
    """Read a target file, or a configuration with targets (`beside_others`, see `targets_in`).

    Raises OSError if it cannot be read, ValueError if it is not UTF-8.
    """
    text = files.read(path, LARGEST).decode("utf-8")
    tree = parse(text)
    lines = LineIndex(text)
    home = TargetSource(path, text, tree.root, tree.anchors, lambda span: lines.line_of(span.start) + 1)
    return targets_in(home, tree.problems, beside_others=beside_others)


def targets_in(
    home: TargetSource, problems: Iterable[SyntaxProblem] = (), *, beside_others: bool = False
) -> LoadedTargetFile:
    """The targets in a parsed text.

    Args:
        home: The text.
        problems: Its syntax problems.
        beside_others: Whether it is a suite or a configuration, where a bare name refers to a target and does not
            define one.
    """
    problems = tuple(problems)
    troubles = [(p.span, p.message) for p in problems]
    broken = next(((p.span, p.message) for p in problems if p.kind == "syntax"), None)
    entries: list[LoadedTargetEntry] = []
    includes: list[str] = []
    defaults, defaults_file = _defaults(home)
    for node, inside in _listed(home, troubles, beside_others=beside_others):
        if isinstance(node, Scalar) and node.text.startswith(URL):
            includes.append(node.text[len(URL) :])
            continue
        if beside_others and isinstance(node, Scalar) and ":" not in node.text:
            continue
        entry = _entry(node, inside, home, troubles)
        if entry is not None:
            entries.append(entry)
    return LoadedTargetFile(home, tuple(entries), tuple(troubles), broken, tuple(includes), defaults, defaults_file)


def entries_of(nodes: Iterable[Node], home: TargetSource) -> LoadedTargetFile:
    """The providers that a text describes outside of a list of its targets."""
    troubles: list[tuple[Span, str]] = []
    entries = [_entry(node, as_provider=True, home=home, problems=troubles) for node in nodes]
    return LoadedTargetFile(home, tuple(each for each in entries if each is not None), tuple(troubles))


def _defaults(home: TargetSource) -> tuple[dict[str, str], str]:
    """The names under `defaults`, and the file that has them instead."""
    root = _followed(home.root)
    written = plain(root.get("defaults"), home.anchors) if isinstance(root, Mapping) else None
    if isinstance(written, str):
        return ({}, written[len(URL) :]) if written.startswith(URL) else ({"provider": written}, "")
    return default_names(written), ""


def default_names(written: object) -> dict[str, str]:
    """The names in a block of defaults, as plain data; what is now `provider` was `target` before."""
    names = {k: v for k, v in written.items() if isinstance(v, str)} if isinstance(written, dict) else {}
    return {"provider": names["target"], **names} if "target" in names else names


def _listed(home: TargetSource, problems: list[tuple[Span, str]], *, beside_others: bool) -> list[tuple[Node, bool]]:
    """The nodes of the entries, and whether they are providers: of `targets` or `providers`, or of a bare list.

    A suite may also have one under `target`.
    """
    root = _followed(home.root)
    if isinstance(root, Mapping):
        lists = [(root.get(name), name == "providers") for name in LISTS]
    else:
        lists = [(root, is_provider_list(root))]
    found = [(each, inside) for node, inside in lists if isinstance(each := _followed(node), Sequence)]
    alone: list[tuple[Node, bool]] = [
        (n, inside) for node, inside in lists if inside and isinstance(n := _followed(node), Mapping)
    ]
    alone += [
        (n, inside) for node, inside in lists if isinstance(n := _followed(node), Scalar) and n.text.startswith(URL)
    ]
    one = _followed(root.get("target")) if beside_others and isinstance(root, Mapping) else None
    alone += [(_with_name(one), False)] if isinstance(one, Mapping) else []
    if not found and not alone and not beside_others:
        where = next((node.span for node, _ in lists if node is not None), _ROOT)
        problems.append((where, "a target file has a list under `targets`"))
    return [*((item, inside) for each, inside in found for item in each.items), *alone]


def _followed(node: Node | None) -> Node | None:
    return node.target if isinstance(node, Alias) else node


def _entry(
    node: Node, as_provider: bool, home: TargetSource, problems: list[tuple[Span, str]]
) -> LoadedTargetEntry | None:
    node = _followed(node) or node
    if as_provider and isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
        return LoadedTargetEntry(node.text, node.text, {}, node.span, home, _from_shorthand(node), {}, as_provider)
    if as_provider and isinstance(node, Mapping):
        node = _unfolded(node)
    written = plain(node, home.anchors)
    if not isinstance(written, dict) or (keys := _keys(written)) is None:
        problems.append((node.span, "a target needs a `name`"))
        return None
    name, kind = keys
    settings = dict(written)
    spans = _spans(node)
    for nested in NESTED:
        if isinstance(written.get(nested), dict):
            settings.update(written[nested])
    rest = {k: v for k, v in settings.items() if k not in (name, kind, *NESTED)}
    written_kind = settings.get(kind, "")
    return LoadedTargetEntry(
        written[name], written_kind, rest, spans.get(name, node.span), home, node, spans, as_provider
    )


def _from_shorthand(node: Scalar) -> Mapping:
    """`openai:gpt-x` among the providers is short for `{id: "openai:gpt-x", label: "openai:gpt-x"}`."""
    made = Mapping(node.span, node.whole, None, None, flow=True)
    keys = (Scalar(node.span, node.whole, None, None, name, "plain") for name in ("id", "label"))
    made.entries = [Entry(key, node) for key in keys]
    return made


def _with_name(node: Mapping) -> Mapping:
    """A suite's `target` needs no name, as only that suite refers to it."""
    if own_target_name(plain(node, {})) != OWN_TARGET:
        return node
    made = Mapping(node.span, node.whole, node.anchor, node.tag, node.flow)
    key, name = (Scalar(node.span, node.whole, None, None, text, "plain") for text in ("name", OWN_TARGET))
    made.entries = [Entry(key, name), *node.entries]
    return made


def own_target_name(written: object) -> str:
    """The name of the target that a suite describes under `target`."""
    names = (written.get(key) for key in ("name", "id")) if isinstance(written, dict) else ()
    return next((name for name in names if isinstance(name, str)), OWN_TARGET)


def _unfolded(node: Mapping) -> Mapping:
    """`{openai: {label: bot}}` is short for `{id: openai, label: bot}`."""
    only = node.entries[0] if len(node.entries) == 1 else None
    inner = _followed(only.value) if only is not None else None
    if only is None or only.name in (None, "id", "label", "name") or not isinstance(inner, Mapping):
        return node
    made = Mapping(node.span, node.whole, node.anchor, node.tag, flow=node.flow)
    kind = Scalar(only.key.span, only.key.whole, None, None, "id", "plain")
    made.entries = [Entry(kind, only.key), *inner.entries]
    return made


def _keys(written: dict[str, Any]) -> tuple[str, str] | None:
    """The keys of name and kind, None without a name. `id` is the kind unless `provider` is, or another entry decides."""
    named = {"provider", "name", "extends", "use_target"} & written.keys() or "id" not in written
    kind = "provider" if named else "id"
    names = ("label", "name", "id") if kind == "id" else ("name", "id", "label")
    name = next((n for n in names if isinstance(written.get(n), str)), None)
    return None if name is None else (name, kind if isinstance(written.get(kind, ""), str) else "")


def _spans(node: Node | None) -> dict[str, Span]:
    """The place of each key's value in an entry, including those one level deeper."""
    own = node.entries if isinstance(node, Mapping) else []
    inner = [e for o in own if o.name in NESTED and isinstance(o.value, Mapping) for e in o.value.entries]
    return {e.name: e.value.span for e in (*own, *inner) if e.name}
