"""Whose file it is, by its name, its first lines or its tree: every family is asked, in the order of the list."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath
from typing import ClassVar

from rubric_core.disk import read_beginning
from rubric_core.family import FAMILIES, part_of
from rubric_core.language.file_kinds import FileKind
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = [
    "FamilyRecognition",
    "are_cases",
    "has_own_name",
    "is_recognised_by_text",
    "may_have_own_name",
    "recognised_family",
    "recognised_kind",
    "sought_files",
]

#: The number of characters by which a walk recognises a file, and of those that it reads of one whose name says nothing.
_HEAD, _GLANCE = 8_000, 2_000


class FamilyRecognition(ABC):
    """How a family recognises its own files, before AgentV takes what is left.

    Asked about every file of a walk: its module imports neither the family's shapes nor what needs them.
    """

    #: The files that a walk finds, for people, in the plural.
    files: ClassVar[str]
    #: The kind of a text whose modeline names a dialect of the family.
    stated: ClassVar[FileKind]

    def has_own_name(self, name: str) -> bool:
        """Whether a file of that name is the family's, whatever is in it."""
        return False

    def may_have_own_name(self, name: str) -> bool:
        """Whether a file of that name is the family's, or becomes so by what is in it."""
        return self.has_own_name(name)

    def may_begin(self, head: str) -> bool:
        """Whether a file that begins so is parsed, if its name or its folder says that it may be the family's."""
        return True

    def begins(self, head: str) -> bool:
        """Whether a file that begins so is parsed, whatever its name; nearly every YAML file of a tree should not be."""
        return False

    @abstractmethod
    def kind(self, path: PurePath | None, head: str, root: Node | None, first: Node | None) -> FileKind | None:
        """The kind of a file by its name and content; None if it is not the family's, or another file says its kind.

        Args:
            path: Its path, if any.
            head: The beginning of its text.
            root: The root of its tree, or of the text around its cases.
            first: Its first case.
        """

    def is_case(self, item: MappingNode) -> bool:
        """Whether an item of a list that no other file names has the keys of the family's cases, and not those of AgentV's."""
        return False


@cache
def _recognitions() -> Mapping[str, FamilyRecognition]:
    """The recognition of each family that has one, in the order in which they are asked."""
    parts = {family.name: part_of(family.name, "recognition") for family in FAMILIES}
    return {name: part.RECOGNITION for name, part in parts.items() if part is not None}


def has_own_name(name: str) -> bool:
    """Whether a file of that name is a family's, whatever is in it."""
    return any(each.has_own_name(name) for each in _recognitions().values())


def may_have_own_name(name: str) -> bool:
    """Whether a file of that name is a family's, or becomes so by what is in it."""
    return any(each.may_have_own_name(name) for each in _recognitions().values())


def recognised_family(path: Path) -> str | None:
    """The name of the family that recognises a file by its name or its first lines; None also for an unreadable file."""
    asked = _recognitions()
    named = next((name for name, each in asked.items() if each.has_own_name(path.name)), None)
    if named is not None:
        return named
    head = read_beginning(path, _HEAD) or ""
    likely = {name: each for name, each in asked.items() if each.may_begin(head)}
    if not likely:
        return None
    whole = head if len(head) < _HEAD else head[: head.rfind("\n") + 1]
    root = parse(whole).root
    return next((name for name, each in likely.items() if each.kind(path, head, root, None) is not None), None)


def is_recognised_by_text(path: Path) -> bool:
    """Whether a family recognises a file whose name says nothing.

    A walk asks this of every YAML file, and reads only the first lines of one without a sign of any family.
    """
    head = read_beginning(path, _GLANCE) or ""
    return any(each.begins(head) for each in _recognitions().values()) and recognised_family(path) is not None


def recognised_kind(
    stated: str | None, path: PurePath | None, head: str, root: Node | None, first: Node | None
) -> FileKind | None:
    """The kind of a file that a family recognises; None for one that is left to AgentV.

    A `stated` dialect, which the modeline names, wins; see `FamilyRecognition.kind` for what else is read.
    """
    if stated is not None:
        owner = next((family.name for family in FAMILIES if stated in family.dialects), "")
        return _recognitions()[owner].stated if owner in _recognitions() else None
    found = (each.kind(path, head, root, first) for each in _recognitions().values())
    return next((kind for kind in found if kind is not None), None)


def are_cases(items: Sequence[MappingNode]) -> bool:
    """Whether the items of a list that nothing names are cases of a family that is not AgentV."""
    return any(all(map(each.is_case, items)) for each in _recognitions().values())


def sought_files() -> str:
    """The files that a walk finds besides AgentV's suites, for people: `configurations of promptfoo`."""
    return " and ".join(each.files for each in _recognitions().values())
