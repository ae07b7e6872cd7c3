"""Reads a promptfoo configuration for a run: as plain data, with the nodes that locate each part."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases
from rubric_core.families.promptfoo.cases.case_programs import TestProgram
from rubric_core.families.promptfoo.cases.run_environment import (
    MissingEnvironmentFileError,
    RunEnvironment,
    TableFormat,
    run_environment,
    table_format,
)
from rubric_core.families.promptfoo.language.run_options import is_on
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.path_matches import path_matches
from rubric_core.ports import Files
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.plain_data import TooManyValuesError, plain, plain_whole
from rubric_core.syntax.pointers import part_name
from rubric_core.syntax.tree import Alias, Node, Sequence
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.text import LineIndex, Span

__all__ = ["ConfigurationError", "PromptfooConfiguration", "read_configuration"]

#: How deep references may refer to references.
_DEEPEST = 50
_REF = "$ref"
_MISSING: Any = object()


class ConfigurationError(Exception):
    """Raised for a mistake at which promptfoo stops; the message describes it, and `at` is its place, if known."""

    def __init__(self, message: str, at: Node | None = None) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class PromptfooConfiguration:
    """A configuration as data. Reading it runs no code and reads no environment variable that it names."""

    path: Path
    text: str
    root: MappingNode
    anchors: Mapping[str, Node]
    #: The whole configuration; references are followed when they are used.
    data: Mapping[str, Any]
    #: The line of an offset, from 1.
    line_of: Callable[[int], int]
    files: Files
    #: The files that were read for it so far.
    files_read: list[Path] = field(default_factory=list)
    #: The programs that make tests, found among the tests read so far.
    programs: list[TestProgram] = field(default_factory=list)
    #: What such programs made, by their keys; empty before a run.
    generated: Mapping[str, GeneratedCases] = field(default_factory=dict)
    #: The variables that promptfoo reads for itself; none where nothing is run.
    environment: RunEnvironment = field(default_factory=RunEnvironment, repr=False, compare=False)
    #: Why nothing of it can be run (`data` is incomplete); empty if it can be run.
    trouble: str = ""

    @property
    def tables(self) -> TableFormat:
        """How its tables of tests are read."""
        return table_format(self.environment.loading)

    @cached_property
    def directory(self) -> Path:
        """The directory that its file paths are relative to."""
        return self.path.absolute().parent

    @cached_property
    def derived_metrics(self) -> list[tuple[str, str]]:
        """The name and the formula of each of `derivedMetrics`; the formula is empty if it is not a text."""
        written = self.data.get("derivedMetrics")
        named = [each for each in written if isinstance(each, dict)] if isinstance(written, list) else []
        return [
            (each["name"], formula if isinstance(formula := each.get("value"), str) else "")
            for each in named if isinstance(each.get("name"), str)
        ]  # fmt: skip

    def node(self, name: str) -> Node:
        """The node of a top-level key's value; the root if the key is merged in or missing."""
        return self.followed(self.root.get(name)) or self.root

    def followed(self, node: Node | None) -> Node | None:
        """The node that an alias refers to, or the node itself."""
        return (node.target or self.anchors.get(node.name) or node) if isinstance(node, Alias) else node

    def items(self, node: Node, values: list[Any]) -> list[Node]:
        """The nodes of the items of a list. If the node is not that list, the node itself for each item."""
        found = self.followed(node)
        if isinstance(found, Sequence) and len(found.items) == len(values):
            return [self.followed(item) or item for item in found.items]
        return [node] * len(values)

    def value(self, name: str) -> Any:
        """The value of a key at the top, with its references followed; None without the key. Raises ConfigurationError."""
        return self.resolved(self.data.get(name))

    def resolved(self, value: Any, root: Any = None, depth: int = 0) -> Any:
        """`value` with each `$ref` replaced by its content. Raises ConfigurationError for a broken reference.

        Args:
            value: Plain data.
            root: What a reference without a file refers into; by default the configuration.
            depth: How many references and levels led here.
        """
        if depth > _DEEPEST:
            raise ConfigurationError("its `$ref` refer to one another without end")
        if isinstance(value, list):
            return [self.resolved(item, root, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        pointer = value.get(_REF)
        if isinstance(pointer, str):
            return self.resolved(self._behind(pointer, root), root, depth + 1)
        return {name: self.resolved(item, root, depth + 1) for name, item in value.items()}

    def _behind(self, pointer: str, root: Any) -> Any:
        file, _, path = pointer.partition("#")
        found: Any = (self.data if root is None else root) if not file else self.external(file)
        for part in (part_name(each) for each in path.strip("/").split("/") if each):
            if isinstance(found, list) and part.isdecimal():
                found = found[int(part)] if int(part) < len(found) else _MISSING
            else:
                found = found.get(part, _MISSING) if isinstance(found, dict) else _MISSING
        if found is _MISSING:
            raise ConfigurationError(f"`$ref: {pointer}` refers to nothing")
        return found

    def files_named(self, name: str) -> list[Path]:
        """The files that a path or a pattern of paths names. Raises ConfigurationError for a pattern that matches none."""
        if not is_pattern(name):
            return [self.directory / name]
        found = list(path_matches(name, [self.directory], self.files).files_first)
        if not found:
            raise ConfigurationError(f"no file matches {name}")
        return found

    def external(self, name: str, files: Files | None = None) -> Any:
        """The data in a YAML or JSON file, whose name may begin with `file://`; see `read`. Raises ConfigurationError."""
        tree = parse(self.read(name, files))
        broken = next((p for p in tree.problems if p.kind == "syntax"), None)
        if broken is not None:
            shown = self.shown(self.directory / name.removeprefix(URL))
            raise ConfigurationError(f"{shown} is no YAML: {broken.message}")
        try:
            return plain_whole(tree.root, tree.anchors)
        except TooManyValuesError as error:
            raise ConfigurationError(f"{self.shown(self.directory / name.removeprefix(URL))}: {error}") from None

    def shown(self, path: Path) -> str:
        """A file's path relative to the directory of the configuration, for messages."""
        return Path(os.path.relpath(path, self.directory)).as_posix()

    def read(self, name: str, files: Files | None = None) -> str:
        """The text of a file, in a run by its `files`. Raises ConfigurationError."""
        path = self.directory / name.removeprefix(URL)
        shown = self.shown(path)
        self.files_read.append(path)
        try:
            return (files or self.files).read(path, LARGEST).decode("utf-8-sig")
        except FileNotFoundError:
            raise ConfigurationError(f"the file {shown} does not exist") from None
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ConfigurationError(f"the file {shown} cannot be read: {why}") from None


def read_configuration(
    path: Path,
    text: str,
    files: Files,
    generated: Mapping[str, GeneratedCases] | None = None,
    shell: Mapping[str, str] | None = None,
    working_directory: Path | None = None,
) -> PromptfooConfiguration:
    """The configuration in a text; empty if the text is not a mapping.

    `shell` and `working_directory` are the environment and the directory in which promptfoo would run; without them, it reads
    no variables, and is in the directory of the configuration.
    """
    tree, lines = parse(text), LineIndex(text)
    root = tree.root
    trouble = ""
    try:
        data = plain_whole(root, tree.anchors)
    except TooManyValuesError as error:
        data, trouble = plain(root, tree.anchors), str(error)
    if not isinstance(root, MappingNode):
        root = MappingNode(Span(0, 0), Span(0, 0), None, None, flow=True)
    data = data if isinstance(data, dict) else {}
    environment = RunEnvironment()
    if shell is not None:
        try:
            environment = run_environment(shell, data, path.absolute().parent, working_directory, files)
        except MissingEnvironmentFileError as error:
            trouble = trouble or str(error)
    if "$ref" in text and is_on(environment.loading, "PROMPTFOO_DISABLE_REF_PARSER"):
        trouble = trouble or "promptfoo follows no `$ref` while $PROMPTFOO_DISABLE_REF_PARSER is set"
    return PromptfooConfiguration(
        path, text, root, tree.anchors, data, lambda at: lines.line_of(at) + 1, files,
        generated=generated or {}, environment=environment, trouble=trouble,
    )  # fmt: skip
