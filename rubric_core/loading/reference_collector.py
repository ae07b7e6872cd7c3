"""Collects the references of a shape: names of targets, paths, templates, programs."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from rubric_core.language.evaluators import Scripted
from rubric_core.language.model import ContentBlock
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.language.value_kinds import Kind, ListOf, MapOf, NodeUnion, Text
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL, without_function
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span

__all__ = [
    "KINDS",
    "Mention",
    "collect_references",
    "is_open",
    "is_script",
    "looks_beside",
    "may_refer",
    "names_program",
    "words_of",
]

#: Kinds of references in a text, besides those that are resolved elsewhere.
KINDS = frozenset({"target", "file", "directory", "template", "program", "url"})
#: Values that are only known at run time, and addresses that are not files.
_OPEN = pattern(r"\{\{|\$\{|\$[A-Z]|^[a-z][a-z0-9+.-]*:(?!\\)", re.IGNORECASE)
_SCRIPT = pattern(r"(?i)\.(?:py|ts|mts|cts|js|mjs|cjs|sh|rb|pl|php|lua)\Z")
#: A word with one of these is a pattern, or a command for a shell.
_OF_SHELLS = frozenset("*{};&|<>$`\n")
_LONGEST = 400
#: Fields of any form in which a text with `file://` is a path.
_URLS = ("prompts", "extensions")


#: What a kind may be listed in.
_Container = type[Sequence] | type[Mapping]


class Mention(NamedTuple):
    """A reference in the text."""

    node: Scalar
    place: FieldPlace
    refers_to: str
    #: The field of the shape, with `[]` for an item of its list.
    field: str
    #: Whether its file is only looked for beside the file that names it.
    beside: bool = False

    @property
    def text(self) -> str:
        """The text of the reference."""
        return self.node.text

    @property
    def borrowed(self) -> bool:
        """Whether it is behind an alias."""
        return self.place.borrowed or self.place.meant is not None

    @property
    def span(self) -> Span:
        """Its span, or that of the alias before it."""
        return self.place.value if self.borrowed else self.node.span


def collect_references(shape: Shape) -> Iterator[Mention]:
    """Every reference of the shape itself, except those that are only known at run time."""
    cls: Any = type(shape)
    for field, refers_to, listed, beside in _fields(cls):
        place = shape.places.get(field)
        # Invalid values are reported anyway.
        if place is not None and field in vars(shape):
            for found in _in_place(place, field, refers_to, listed=listed, beside=beside):
                # A function after a grader's file does not make it an address: `file://check.py:strict`.
                word = without_function(found.text) if isinstance(shape, Scripted) else found.text
                if len(found.text) <= _LONGEST and not is_open(word):
                    yield found


def may_refer(cls: Any) -> bool:
    """Whether shapes of a class have fields with references."""
    return bool(_fields(cls))


def looks_beside(cls: Any, field: str) -> bool:
    """Whether the files that a field of a shape names are only looked for beside the file that names them."""
    return any(beside for name, _, _, beside in _fields(cls) if name == field)


def is_open(text: str) -> bool:
    """Whether a word is only known at run time, or is an address."""
    return _OPEN.search(text.removeprefix(URL)) is not None


def _in_place(
    place: FieldPlace, field: str, refers_to: str, *, listed: _Container | None, beside: bool
) -> Iterator[Mention]:
    value = place.meant or place.node
    if refers_to == "url":
        scalars = (n for n in walk(value) if isinstance(n, Scalar))
        yield from (Mention(n, place, refers_to, field) for n in scalars if n.text.startswith(URL))
    elif isinstance(value, listed or Scalar):
        for node in _members(value):
            if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
                yield Mention(node, place, refers_to, f"{field}[]" if listed else field, beside)


def _members(node: Node) -> list[Node]:
    if isinstance(node, Mapping):
        return [entry.value for entry in node.entries]
    return node.items if isinstance(node, Sequence) else [node]


@lru_cache(maxsize=512)
def _fields(cls: Any) -> tuple[tuple[str, str, _Container | None, bool], ...]:
    """The fields of a shape with references: (field, kind, the list or mapping they are in, whether beside the file alone)."""
    found = [(name, *each) for name, declared in cls.keys.items() for each in _referring(declared.kind)]
    if issubclass(cls, ContentBlock | Scripted):
        found.append(("value", "file", None, False))
    found += [(name, "url", None, False) for name in _URLS if name in cls.keys]
    return tuple(found)


def _referring(
    kind: Kind[object], *, listed: _Container | None = None
) -> Iterator[tuple[str, _Container | None, bool]]:
    if isinstance(kind, Text) and kind.refers_to in KINDS:
        yield kind.refers_to, listed, kind.beside
    elif isinstance(kind, NodeUnion):
        for branch in (kind.text, kind.sequence):
            if branch is not None:
                yield from _referring(branch, listed=listed)
    elif isinstance(kind, ListOf | MapOf) and not listed:
        inside, container = (kind.item, Sequence) if isinstance(kind, ListOf) else (kind.value, Mapping)
        yield from _referring(inside, listed=container)


def words_of(mention: Mention) -> list[str]:
    """The words of a command line, or its only argument."""
    if mention.field.endswith("[]"):
        return [mention.text]
    import shlex  # noqa: PLC0415  # few suites name programs

    try:
        return shlex.split(mention.text)
    except ValueError:
        return []


def names_program(word: str) -> bool:
    """Whether a word of a command line has the extension of a program."""
    return _SCRIPT.search(word) is not None


def is_script(word: str) -> bool:
    """Whether a word of a command line is certainly a file of the project."""
    if is_open(word) or word.startswith(("-", "/", "~", "@")) or not _OF_SHELLS.isdisjoint(word):
        return False
    return word.startswith(("./", "../")) or names_program(word)
