"""The settings of a target in use: its entry with the environment filled in, read by the catalogue of its dialect."""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.providers import Cli
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Tagged
from rubric_core.language.targets import Entry, Provider, Runtime, Target
from rubric_core.language.value_kinds import Boolean, Integer, Kind, ListOf, Number, Text
from rubric_core.language.variables import ENVIRONMENT_REFERENCE, unset_message
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.loading.issues import ForeignKey, Issue, MissingKey, OutOfRange, RenamedKey, UnknownKey, WrongType
from rubric_core.loading.lower import Lowering
from rubric_core.loading.targets import NESTED, POINTERS, LoadedTargetEntry, LoadedTargetFile
from rubric_core.syntax.plain_data import MOST_NODES
from rubric_core.syntax.tree import Alias, Node, Scalar, Sequence
from rubric_core.syntax.tree import Entry as Pair
from rubric_core.syntax.tree import Mapping as MappingNode

__all__ = [
    "BARE",
    "SETTINGS_BESIDE_ANSWERS",
    "UNUSED",
    "AnsweringTarget",
    "ResolvedEntry",
    "family",
    "refuse",
    "resolve_entry",
    "unresolved_entry",
]

#: A word that the first releases treat as a variable.
BARE = re.compile(r"[A-Z][A-Z0-9_]*\Z")
#: Settings of all kinds that are accepted but ignored, because no result depends on them.
UNUSED: Mapping[str, str] = {
    "provider_batching": "rubric calls the target case by case",
    "subagent_mode_allowed": "the target decides what it passes on",
    "inputs": "they are for programs that generate attacks; a case sets its values under `vars`",
}
#: Settings that affect no answer and no score.
SETTINGS_BESIDE_ANSWERS = frozenset({"prices", "requests_per_minute", "tokens_per_minute"})
_COMMAND = "cli"
_TYPED = (Number, Integer, Boolean)


class ResolvedEntry(NamedTuple):
    """An entry as a shape: every key as in the catalogue, every value checked and filled in."""

    shape: Entry
    dialect: Dialect
    #: Settings and variables with their values, for finding secrets.
    values: list[tuple[str, str]]
    #: Keys that the dialect does not read and that would change nothing.
    idle: tuple[str, ...] = ()

    def spelled(self, name: str) -> str:
        """The spelling of a setting in the entry."""
        place = self.shape.places.get(name) or self.shape.unread.get(name)
        return place.name if place is not None else name


class AnsweringTarget(NamedTuple):
    """The target that answers a case, with the workspace settings of its entry."""

    shape: Entry
    dialect: Dialect
    entry: LoadedTargetEntry


def unresolved_entry(file: LoadedTargetFile, entry: LoadedTargetEntry) -> AnsweringTarget | None:
    """An entry without anything filled in, despite errors; None for an unreadable one."""
    try:
        members = family(file, entry)
    except Unscored:
        return None
    entry = replace(entry, kind=next((m.kind for m in members if m.kind), ""))
    base = Provider if entry.as_provider else Target
    dialect = _dialect(entry, base)
    anchors = _anchors(members)
    shape = Lowering(entry.home.text, dialect, DIALECTS, anchors).item(Tagged(base), _whole(members), "targets")
    return AnsweringTarget(shape, dialect, entry) if isinstance(shape, Entry) else None


def _anchors(members: SequenceOf[LoadedTargetEntry]) -> dict[str, Node]:
    return {name: node for m in reversed(members) for name, node in m.home.anchors.items()}


def resolve_entry(
    file: LoadedTargetFile, entry: LoadedTargetEntry, environment: Mapping[str, str], program: SequenceOf[str] = ()
) -> ResolvedEntry:
    """The settings of an entry.

    Args:
        file: The file with the entry and those that it extends.
        entry: The entry.
        environment: Only the variables that it names are read.
        program: The command of a kind that is a custom program; such an entry is read as the kind `cli`.

    Raises Unscored, naming file, line and what to do, for the first error.
    """
    members = family(file, entry)
    entry = replace(entry, kind=next((m.kind for m in members if m.kind), ""))
    base = Provider if entry.as_provider else Target
    entry = replace(entry, kind=_COMMAND) if program else entry
    dialect = _dialect(entry, base)
    anchors = _anchors(members)
    node = _whole(members)
    if program:
        _put(node, dialect.spelled(base, base.tag) or base.tag, _COMMAND)
        _put(node, dialect.spelled(Cli, "command") or "command", list(program))
    known = dialect.type_of(entry.kind, base)
    filling = _Filling(entry, dialect, known.shape if known is not None else base, environment, anchors)
    lowering = Lowering(entry.home.text, dialect, DIALECTS, anchors)
    shape = lowering.item(Tagged(base), filling.entry(node), "targets")
    trouble = next(_troubles(lowering.issues, entry, dialect), None)
    if trouble is not None or not isinstance(shape, Entry):
        raise Unscored(f"target {entry.name}: {trouble or f'cannot be read ({entry.where()})'}")
    literal = [(name, value) for m in members for name, value in m.settings.items() if isinstance(value, str)]
    unread = (i.entry.name or "" for i in lowering.issues if isinstance(i, RenamedKey | ForeignKey) and _idle(i))
    return ResolvedEntry(shape, dialect, [*filling.values, *literal], tuple(unread))


def refuse(read: ResolvedEntry, entry: LoadedTargetEntry) -> None:
    """Raises Unscored for an unsupported setting that would change the answer."""
    runtime = read.shape.runtime
    mode = runtime.mode if isinstance(runtime, Runtime) else runtime
    if mode not in (None, "host"):
        raise Unscored(
            f"target {entry.name}: runtime {mode} is not supported by rubric, only host ({entry.where('runtime')})"
        )


def _dialect(entry: LoadedTargetEntry, base: type[Entry]) -> Dialect:
    """The dialect of the file, or the nearest later one that knows the kind of the entry."""
    own = entry.home.dialect(DIALECTS)
    if own.type_of(entry.kind, base) is not None or not entry.kind:
        return own
    at = DIALECTS.index(own)
    return next((d for d in (*DIALECTS[at:], *DIALECTS[at::-1]) if d.type_of(entry.kind, base) is not None), own)


def family(file: LoadedTargetFile, entry: LoadedTargetEntry) -> list[LoadedTargetEntry]:
    """The entry and those that it extends, in order. Raises Unscored for one that does not exist, and for a cycle."""
    found = [entry]
    while isinstance(parent := found[-1].settings.get("extends"), str):
        where = found[-1].where("extends")
        known = file.entry(parent)
        if known is None:
            raise Unscored(f"target {found[-1].name} extends {parent}, which does not exist ({where})")
        if known in found:
            circle = " → ".join([*(e.name for e in found), parent])
            raise Unscored(f"target {entry.name} extends itself: {circle} ({where})")
        found.append(known)
    return found


def _whole(members: SequenceOf[LoadedTargetEntry]) -> MappingNode:
    """The entry merged with those that it extends."""
    first = members[0]
    pairs: dict[str, Pair] = {}
    for node in (m.node for m in members if isinstance(m.node, MappingNode)):
        for pair in node.entries:
            pairs.setdefault(pair.name or "", pair)
    made = MappingNode(first.node.span, first.node.whole, None, None, flow=False)
    made.entries = list(pairs.values())
    return made


def _put(node: MappingNode, name: str, value: str | list[str]) -> None:
    """Set one key of a mapping."""

    def scalar(text: str) -> Scalar:
        return Scalar(node.span, node.whole, None, None, text, "double")

    made: Node = scalar(value) if isinstance(value, str) else Sequence(node.span, node.whole, None, None, True)
    if isinstance(made, Sequence):
        made.items = [scalar(text) for text in value]
    node.entries = [*(p for p in node.entries if p.name != name), Pair(scalar(name), made)]


@dataclass
class _Filling:
    """Fills in environment variables, in copies of the nodes of one entry."""

    target: LoadedTargetEntry
    dialect: Dialect
    shape: type[Shape]
    environment: Mapping[str, str]
    anchors: Mapping[str, Node]
    values: list[tuple[str, str]] = field(default_factory=list)
    left: int = MOST_NODES  # values that are filled in before aliases are too many to follow

    def entry(self, node: MappingNode) -> MappingNode:
        """The whole entry. Raises Unscored for a variable that is not set."""
        made = MappingNode(node.span, node.whole, node.anchor, node.tag, flow=node.flow)
        made.entries = [Pair(p.key, self._value(p)) for p in node.entries]
        return made

    def _value(self, pair: Pair) -> Node:
        name = pair.name or ""
        if name in POINTERS:  # resolved only when the other target is needed
            return pair.value
        value = self._followed(pair.value)
        if name in (*NESTED, "<<") and isinstance(value, MappingNode):
            return self.entry(value)
        spelling = self.dialect.table(self.shape).get(name)
        declared = self.shape.keys.get(spelling.field) if spelling is not None else None
        return self._filled(pair.value, name, declared.kind if declared is not None else None)

    def _followed(self, node: Node) -> Node:
        self.left -= 1
        target = (node.target or self.anchors.get(node.name)) if isinstance(node, Alias) else None
        if target is None or (isinstance(node, Alias) and node.recursive):
            return node
        if self.left < 0:
            raise Unscored(f"target {self.target.name}: its aliases stand for too many values ({self.target.where()})")
        return target

    def _filled(self, node: Node, name: str, kind: Kind[object] | None) -> Node:
        node = self._followed(node)
        if isinstance(node, Sequence):
            items = Sequence(node.span, node.whole, node.anchor, node.tag, node.flow)
            items.items = [self._filled(i, name, kind.item if isinstance(kind, ListOf) else None) for i in node.items]
            return items
        if isinstance(node, MappingNode):
            made = MappingNode(node.span, node.whole, node.anchor, node.tag, flow=node.flow)
            made.entries = [Pair(p.key, self._filled(p.value, p.name or name, None)) for p in node.entries]
            return made
        return self._scalar(node, name, kind) if isinstance(node, Scalar) else node

    def _scalar(self, node: Scalar, name: str, kind: Kind[object] | None) -> Scalar:
        if not self.dialect.properties.interpolation:
            text = self._bare(node, name, kind)
        else:
            text = ENVIRONMENT_REFERENCE.sub(lambda m: self._looked_up(m[1] or m[2], name, node), node.text)
        if text == node.text:
            return node
        # A variable is a text; where the catalogue expects a number or a boolean, it is parsed as YAML.
        return Scalar(node.span, node.whole, None, None, text, "plain" if isinstance(kind, _TYPED) else "double")

    def _bare(self, node: Scalar, name: str, kind: Kind[object] | None) -> str:
        """The first releases treat a word in capitals as a variable; a secret always is one."""
        secret = isinstance(kind, Text) and kind.refers_to == "secret"
        if not isinstance(node.value, str) or not BARE.match(node.text):
            return node.text
        return self._looked_up(node.text, name, node) if secret or node.text in self.environment else node.text

    def _looked_up(self, variable: str, name: str, node: Scalar) -> str:
        found = self.environment.get(variable)
        if found is None:
            home = self.target.home
            raise Unscored(unset_message(variable, f"{home.path.name}:{home.line(node.span)}, {name}"))
        self.values += [(variable, found), (name, found)]
        return found


def _troubles(issues: list[Issue], entry: LoadedTargetEntry, dialect: Dialect) -> Iterator[str]:
    for issue in issues:
        words = _trouble(issue, entry, dialect)
        if words is not None:
            name = "" if isinstance(issue, MissingKey) else getattr(issue, "name", "")
            place = f"{entry.home.path.name}:{entry.home.line(issue.span)}{f', {name}' if name else ''}"
            yield f"{words} ({place})"


def _idle(issue: RenamedKey | ForeignKey) -> bool:
    """Whether a setting that this dialect does not read would change nothing anyway."""
    return (issue.spelling.name if isinstance(issue, RenamedKey) else issue.name) in UNUSED


def _trouble(issue: Issue, entry: LoadedTargetEntry, dialect: Dialect) -> str | None:
    """The message of an issue; None if it changes nothing."""
    kind = entry.kind or "such"
    if isinstance(issue, UnknownKey):
        hint = f"; did you mean {issue.meant}?" if issue.meant else ""
        return f"{issue.name} is not a setting of {kind} targets{hint}"
    if isinstance(issue, ForeignKey) and not _idle(issue):
        instead = f"; write {issue.current}" if issue.current else ""
        return f"{issue.name} is a setting of {issue.dialects[0]} but not of {dialect.name}{instead}"
    if isinstance(issue, RenamedKey | ForeignKey) and _idle(issue):
        return None
    if isinstance(issue, RenamedKey) and not issue.spelling.fate.read:
        instead = f"write {issue.current}" if issue.current else issue.spelling.note
        return f"{issue.spelling.name} is not read in {dialect.name}{f'; {instead}' if instead else ''}"
    if isinstance(issue, WrongType):
        return f"{issue.name} is {issue.kind.words()}, found {issue.found}"
    if isinstance(issue, OutOfRange):
        return f"{issue.name} is {issue.kind.words()}, found {issue.value}"
    if isinstance(issue, MissingKey):
        names = " or ".join(f"`{name}`" for name in (issue.name, *issue.alternatives))
        return (
            f"{kind} targets need {names}" if isinstance(issue.owner, Entry) else f"{issue.owner.title()} needs {names}"
        )
    return None
