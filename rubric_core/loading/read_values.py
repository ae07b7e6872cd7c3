"""Reading single values out of a tree: scalars by kind, aliases and merge keys, and what is wrong with them."""

import math
import re
from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from rubric_core.language.dialect import Dialect
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Number,
    Text,
)
from rubric_core.loading.issues import (
    CutText,
    Issue,
    MergeKey,
    OutOfRange,
    StraySign,
    UnknownAlias,
    UnknownTag,
    WrongType,
)
from rubric_core.loading.type_match import found_words, takes_text
from rubric_core.syntax.reindent import dash_within
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span

__all__ = ["HOLE", "MOST_FOLLOWED", "Merged", "MergedMapping", "ValueReader"]

#: Stands for a value that could not be understood.
HOLE: Any = type("Hole", (), {"__repr__": lambda _: "HOLE"})()
#: An entry of a mapping, and the reference through which it came, if any.
Merged = tuple[Entry, Span | None]


class MergedMapping(NamedTuple):
    """What was read of a mapping where it stands, for those that refer to it from elsewhere."""

    #: Its own entries, and those of its merge keys.
    entries: list[Merged]
    #: References of its merge keys to nothing: what it lacks may be there.
    lost: tuple[UnknownAlias, ...]


_MERGE = "<<"
#: Tags that YAML itself has.
_CORE = "tag:yaml.org,2002:"
#: Behind a plain text: a comment that begins with a number, as numbers of issues do.
_CUT = re.compile(r" +(#\d[^\r\n]*(?<![ \t]))[ \t]*(?=[\r\n]|\Z)")
#: The same where all of the value is gone; a comment that is meant has a blank behind its `#`.
_SWALLOWED = re.compile(r"[ \t]*(#[^\s#!][^\r\n]*(?<![ \t]))[ \t]*(?=[\r\n]|\Z)")
#: A name.
_WORD = re.compile(r"[A-Za-z][\w./:-]*")
#: A text with a quote at its end and no other: neither inches nor the genitive of a plural.
_UNOPENED = re.compile(r"[^\"]*[^\"\d\s]\"|[^']*[^'\ds]'")
_CURLY = re.compile(r"[“„«‹‘]([A-Za-z][\w./:-]*)[”“»›’]")
#: A list of words that was meant for a command line: in quotes with its brackets, or with its commas alone.
_NO_COMMAND = re.compile(r"\s*(?:\[.*\]|\([\w.-]+, \S.*\)|[\w.-]+, \S.*)\s*\Z")
#: A mapping gathers at most this many entries through merge keys; shapes have far fewer keys.
_MOST_MERGED = 2_000
#: So many references are followed, one in the other; more would end the program's stack.
MOST_FOLLOWED = 100


@lru_cache(maxsize=16)
def _pattern(expressions: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{e})" for e in expressions) or r"(?!)")


class ValueReader:
    """Reads the values of one block; `issues` fills up on the way."""

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        self.text = text
        self._braces = "{{" in text
        self.dialect = dialect
        self.dialects = dialects
        #: What is defined elsewhere; references to what stands in the same text know it themselves.
        self.anchors = anchors
        self.issues: list[Issue] = []
        #: The names that one of a reference to nothing can have meant.
        self.known: tuple[str, ...] = ()
        #: The mappings with a merge key that refers to nothing: what they lack may be there.
        self._lacking: set[int] = set()
        #: The span of the alias or merge key that the current node stands behind.
        self.via: Span | None = None
        self._following: list[str] = []
        self._merged: dict[int, list[Merged]] = {}
        #: What was read of mappings that can be referred to, by the id of the mapping: of those in this text, for texts
        #: that refer to it, ...
        self.merged_here: dict[int, MergedMapping] = {}
        #: ... and of those in texts that this one refers to.
        self.merged_above: MappingOf[int, MergedMapping] = {}
        self._tagged_nodes: set[int] = set()
        self._interpolation = _pattern(dialect.properties.interpolation)

    def references(self, aliases: SequenceOf[Alias]) -> None:
        """Complain of references to nothing that stand where no value was asked for, as in open mappings."""
        said = {issue.span for issue in self.issues if isinstance(issue, UnknownAlias)}
        for alias in aliases:
            if (alias.recursive or self.target_of(alias) is None) and alias.span not in said:
                self.issues.append(
                    UnknownAlias(
                        span=alias.span, name=alias.name, recursive=alias.recursive, known=self.known, text=True
                    )
                )

    def target_of(self, alias: Alias) -> Node | None:
        """What a reference refers to, here or in a block above."""
        return alias.target or self.anchors.get(alias.name)

    def value(self, kind: Kind[Any], node: Node, name: str) -> Any:
        """The value of `node` as a `kind`, or HOLE. `name` is the key, for messages."""
        if isinstance(node, Alias):
            return self._behind(node, lambda target: self.value(kind, target, name), text=takes_text(kind))
        if isinstance(node, Scalar) and node.style == "hole":
            return HOLE
        if self.dialect.properties.refs and isinstance(node, Mapping) and node.get("$ref") is not None:
            return HOLE
        if node.tag is not None and not node.tag.startswith(_CORE) and id(node) not in self._tagged_nodes:
            self._tagged_nodes.add(id(node))
            self.issues.append(UnknownTag(span=self.at(node), borrowed=self.via is not None, node=node, tag=node.tag))
        return self.readers[type(kind)](self, kind, node, name)

    def _behind(self, alias: Alias, then: Callable[[Node], Any], *, text: bool = False) -> Any:
        target = self.target_of(alias)
        recursive = alias.recursive or alias.name in self._following
        through = len(self._following) if len(self._following) >= MOST_FOLLOWED else 0
        if target is None or recursive or through:
            self.issues.append(
                UnknownAlias(
                    span=self.at(alias),
                    borrowed=self.via is not None,
                    name=alias.name,
                    recursive=recursive,
                    through=through,
                    known=self.known,
                    text=text,
                )
            )
            return HOLE
        outer, self.via = self.via, self.via or alias.span
        self._following.append(alias.name)
        try:
            return then(target)
        finally:
            self._following.pop()
            self.via = outer

    def at(self, node: Node) -> Span:
        return self.via or node.span

    # Scalars

    def _open_value(self, node: Scalar) -> bool:
        """Whether the value is only known when the suite runs."""
        return "{{" in node.text and self._interpolation.search(node.text) is not None

    def _wrong(self, kind: Kind[Any], node: Node, name: str) -> Any:
        empty = isinstance(node, Scalar) and node.empty and self.via is None
        comment = _SWALLOWED.match(self.text, node.span.end) if empty else None
        if comment is not None and isinstance(node, Scalar):
            self.issues.append(CutText(span=Span(*comment.span(1)), node=node, rest=comment[1], name=name))
            return HOLE
        self.issues.append(
            WrongType(
                span=self.at(node),
                borrowed=self.via is not None,
                name=name,
                kind=kind,
                found=found_words(node),
                node=node,
            )
        )
        return HOLE

    def _outside(self, kind: Kind[Any], node: Node, name: str, value: object) -> Any:
        self.issues.append(
            OutOfRange(span=self.at(node), borrowed=self.via is not None, name=name, kind=kind, value=value, node=node)
        )
        return HOLE

    def _text(self, kind: Text, node: Node, name: str) -> Any:
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return self._wrong(kind, node, name)
        if not (kind.blank or (node.text if kind.spaces else node.text.strip())):
            return self._wrong(kind, node, name)
        if kind.refers_to == "program" and _NO_COMMAND.match(node.text) and not name.endswith("[]"):
            return self._wrong(ListOf(kind), node, name)
        self._look_behind(node)
        if kind.refers_to != "type" and not name.startswith("value"):
            self._look_at_end(node)
        return node.text

    def _look_at_end(self, node: Scalar) -> None:
        """Complain of `refund,`, `refund"`, `“refund”` and of an item too far in: YAML reads the signs as part of the text."""
        if node.style != "plain" or self.via is not None:
            return
        last, start = node.text[-1], node.span.start
        dash = dash_within(self.text, node)
        if dash is not None and start >= len("- ") and self.text.startswith("- ", start - len("- ")):
            self.issues.append(StraySign(span=dash, node=node, meant=""))
        elif last in ",;" and _WORD.fullmatch(node.text, 0, len(node.text) - 1):
            at = Span(node.span.end - 1, node.span.end)
            self.issues.append(StraySign(span=at, node=node, meant=node.text[:-1]))
        elif (last == '"' or (last == "'" and _WORD.fullmatch(node.text[:-1]))) and _UNOPENED.fullmatch(node.text):
            at = Span(node.span.end - 1, node.span.end)
            self.issues.append(StraySign(span=at, node=node, meant=node.text[:-1], quote=True))
        elif (found := _CURLY.fullmatch(node.text)) is not None:
            self.issues.append(StraySign(span=Span(start, node.span.end), node=node, meant=found[1]))

    def _look_behind(self, node: Scalar) -> None:
        """Complain of `Fix issue #12`, of which YAML keeps `Fix issue`."""
        end = node.span.end
        if node.style == "plain" and self.via is None and self.text[end : end + 1] == " ":
            cut = _CUT.match(self.text, end)
            if cut is not None:
                self.issues.append(CutText(span=Span(*cut.span(1)), node=node, rest=cut[1]))

    def _number(self, kind: Number, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._wrong(kind, node, name)
        if not math.isfinite(value):
            return self._outside(kind, node, name, str(value))
        low, high, above = kind.at_least, kind.at_most, kind.above
        if not kind.judged_by_rule and (
            (low is not None and value < low)
            or (high is not None and value > high)
            or (above is not None and value <= above)
        ):
            return self._outside(kind, node, name, value)
        return value

    def _integer(self, kind: Integer, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._wrong(kind, node, name)
        whole = isinstance(value, int) or (math.isfinite(value) and value.is_integer())
        if (
            not whole
            or (kind.at_least is not None and value < kind.at_least)
            or (kind.at_most is not None and value > kind.at_most)
        ):
            return self._outside(kind, node, name, value)
        return int(value)

    def _boolean(self, kind: Boolean, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool):
            return value
        return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._wrong(kind, node, name)

    def _choice(self, kind: Choice, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if not isinstance(value, str):
            return self._wrong(kind, node, name)
        if value in kind.names:
            return value
        return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._outside(kind, node, name, value)

    def _anything(self, _: Anything, node: Node, name: str) -> Any:
        if isinstance(node, Scalar):
            return node.value
        # Anything may be a mapping, but nobody writes one whose key is a mapping.
        for inner in walk(node) if self._braces and self.via is None else ():
            if isinstance(inner, Mapping) and self.text.startswith("{{", inner.span.start):
                self._wrong(Text(), inner, name)
        return node

    # Merge keys

    def entries(self, node: Mapping) -> list[Merged]:
        """The entries of a mapping, its own first, then those of its merge keys with the span of the reference."""
        known = self._merged.get(id(node))
        if known is not None:
            return known
        above = self.merged_above.get(id(node))
        if above is not None:
            at = self.at(node)
            self.issues += (replace(each, span=at, borrowed=True, known=self.known) for each in above.lost)
            self._merged[id(node)] = above.entries
            return above.entries
        complaints = len(self.issues)
        own: list[Merged] = []
        merged: list[Merged] = []
        #: Where an issue is about a merge key, and where what comes through that begins.
        refused: list[tuple[int, int]] = []
        self._merged[id(node)] = own
        for entry in node.entries:
            key = entry.key
            if isinstance(key, Scalar) and key.text == _MERGE and key.style == "plain":
                sources = entry.value.items if isinstance(entry.value, Sequence) else [entry.value]
                if not self.dialect.properties.merges:
                    at = self.via or key.span
                    refused.append((len(self.issues), len(merged)))
                    self.issues.append(MergeKey(span=at, borrowed=self.via is not None, entry=entry, node=node))
                before = len(self.issues)
                for source in sources:
                    merged += self._merge(source)
                if len(self.issues) > before:
                    self._lacking.add(id(node))
            else:
                own.append((entry, None))
        if merged:
            names = {entry.name for entry, _ in own}
            for entry, span in merged:
                if entry.name not in names and len(own) < _MOST_MERGED:
                    names.add(entry.name)
                    own.append((entry, span))
        if refused:
            self._told_what_comes(own, merged, refused)
        if node.anchor is not None and self.via is None:
            lost = [each for each in self.issues[complaints:] if isinstance(each, UnknownAlias)]
            if complaints + len(lost) == len(self.issues):
                self.merged_here[id(node)] = MergedMapping(own, tuple(lost))
        return own

    def _told_what_comes(self, own: list[Merged], merged: list[Merged], refused: list[tuple[int, int]]) -> None:
        """Put what comes through each merge key into the issue about it."""
        taken = {id(entry) for entry, _ in own}
        for at, (number, start) in enumerate(refused):
            issue = self.issues[number]
            end = refused[at + 1][1] if at + 1 < len(refused) else len(merged)
            if isinstance(issue, MergeKey):
                through = tuple(entry for entry, _ in merged[start:end] if id(entry) in taken)
                self.issues[number] = replace(issue, merged=through)

    def _merge(self, source: Node) -> list[Merged]:
        if isinstance(source, Alias):
            span = source.span

            def take(target: Node) -> Any:
                if not isinstance(target, Mapping):
                    return self._wrong(MapOf(Anything()), target, _MERGE)
                return [(entry, span) for entry, _ in self.entries(target)]

            result = self._behind(source, take)
            return [] if result is HOLE else list(result)
        if isinstance(source, Mapping):
            return [(entry, source.span) for entry, _ in self.entries(source)]
        self._wrong(MapOf(Anything()), source, _MERGE)
        return []

    #: What reads values of a kind: functions of the class, since methods of each object would keep it alive in a circle.
    readers: ClassVar[MappingOf[type, Callable[[Any, Any, Node, str], Any]]] = {
        Text: _text, Number: _number, Integer: _integer, Boolean: _boolean, Choice: _choice, Anything: _anything,
    }  # fmt: skip
