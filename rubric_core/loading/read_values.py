"""Reads single values from a tree: scalars by kind, aliases and merge keys, and their issues."""

import math
import re
from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from functools import lru_cache
from typing import Any, ClassVar

from rubric_core.language.dialect import Dialect
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    Kind,
    ListOf,
    Number,
    Text,
)
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import (
    Issue,
    OutOfRange,
    UnknownAlias,
    UnknownTag,
    WrongType,
)
from rubric_core.loading.text_slips import cut_off_text, is_sound, stray_sign, swallowed_text
from rubric_core.loading.type_match import found_words, takes_text
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, walk
from rubric_core.text import Span

__all__ = ["HOLE", "MOST_FOLLOWED", "ValueReader"]

#: The placeholder for an invalid value.
HOLE: Any = type("Hole", (), {"__repr__": lambda _: "HOLE"})()
_NUMBERS = (int, float)
#: Tags of YAML itself.
_CORE = "tag:yaml.org,2002:"
#: Tags whose values agentv copies entry by entry and finds without any: sets, ordered mappings, dates, bytes.
EMPTIED = frozenset(f"{_CORE}{name}" for name in ("set", "omap", "binary", "timestamp"))
#: A list of words meant as a command line: quoted with its brackets, or with commas alone.
_NO_COMMAND = pattern(r"\s*(?:\[.*\]|\([\w.-]+, \S.*\)|[\w.-]+, \S.*)\s*\Z")
#: The maximum depth of nested references; more would overflow the stack.
MOST_FOLLOWED = 100


@lru_cache(maxsize=16)
def _pattern(expressions: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{e})" for e in expressions) or r"(?!)")


class ValueReader:
    """Reads the values of one block; problems are added to `issues`."""

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        self.text = text
        self._braces = "{{" in text
        self._returns = "\r" in text
        self.dialect = dialect
        self.dialects = dialects
        #: Anchors that are defined elsewhere; references within the text resolve themselves.
        self.anchors = anchors
        self.issues: list[Issue] = []
        #: The candidates for a misspelt anchor.
        self.known: tuple[str, ...] = ()
        #: The span of the alias or merge key through which the current node was reached.
        self.via: Span | None = None
        self._following: list[str] = []
        self._tagged_nodes: set[int] = set()
        self._refs = dialect.properties.refs
        self._interpolation = _pattern(dialect.properties.interpolation)

    def references(self, aliases: SequenceOf[Alias]) -> None:
        """Report references without a target where no value is read, as in open mappings."""
        if not aliases:
            return
        said = {issue.span for issue in self.issues if isinstance(issue, UnknownAlias)}
        for alias in aliases:
            if (alias.recursive or self.target_of(alias) is None) and alias.span not in said:
                self.issues.append(
                    UnknownAlias(
                        span=alias.span, name=alias.name, recursive=alias.recursive, known=self.known, text=True
                    )
                )

    def target_of(self, alias: Alias) -> Node | None:
        """The target of a reference, here or in a block above."""
        return alias.target or self.anchors.get(alias.name)

    def value(self, kind: Kind[Any], node: Node, name: str) -> Any:
        """The value of `node` as a `kind`, or HOLE. `name` is the key, for messages."""
        if type(node) is Scalar:
            if node.style == "hole":
                return HOLE
        elif type(node) is Alias:
            return self._behind(node, lambda target: self.value(kind, target, name), text=takes_text(kind))
        elif self._refs and isinstance(node, Mapping) and node.get("$ref") is not None:
            return HOLE
        if node.tag is not None and self._is_strange(node.tag) and id(node) not in self._tagged_nodes:
            self._tagged_nodes.add(id(node))
            self.issues.append(UnknownTag(span=self.at(node), borrowed=self.via is not None, node=node, tag=node.tag))
        return self.readers[type(kind)](self, kind, node, name)

    def _is_strange(self, tag: str) -> bool:
        """Whether a tag means nothing, or makes something that agentv finds empty."""
        return not tag.startswith(_CORE) or (tag in EMPTIED and self.dialect.properties.engine == "agentv")

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
        """Where to report a node: the alias or merge key it came through, else the node itself."""
        return self.via or node.span

    # Scalars

    def _open_value(self, node: Scalar) -> bool:
        """Whether the value is only known at run time."""
        return "{{" in node.text and self._interpolation.search(node.text) is not None

    def _wrong(self, kind: Kind[Any], node: Node, name: str) -> Any:
        cut = swallowed_text(self.text, node, name) if isinstance(node, Scalar) and self.via is None else None
        if cut is not None:
            self.issues.append(cut)
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
        if node.style == "plain" and node.text and self.via is None and not is_sound(self.text, node):
            self.slips(node, signs=kind.refers_to != "type" and not name.startswith("value"))
        return node.text

    def slips(self, node: Scalar, *, signs: bool = True) -> None:
        """Report a plain text that a comment cuts off or, with `signs`, that has a stray sign."""
        if node.style != "plain" or self.via is not None:
            return
        cut = cut_off_text(self.text, node)
        if cut is not None:
            self.issues.append(cut)
        sign = stray_sign(self.text, node) if signs else None
        if sign is not None:
            self.issues.append(sign)

    def _number(self, kind: Number, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
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
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
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
        for word, _ in kind.options:
            if word == value:
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

    #: What reads values of a kind: functions of the class, since methods of each object would keep it alive in a circle.
    readers: ClassVar[MappingOf[type, Callable[[Any, Any, Node, str], Any]]] = {
        Text: _text, Number: _number, Integer: _integer, Boolean: _boolean, Choice: _choice, Anything: _anything,
    }  # fmt: skip
