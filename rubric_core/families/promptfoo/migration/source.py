"""A promptfoo configuration as the migration reads it: its parts with their places, and the comments around them.

What reads it merges `defaultTest`, follows `$ref` and opens the files that it names; nothing here touches a disk.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.families.promptfoo.migration.commented_yaml import Comments
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = ["SourceConfiguration", "SourceFile", "SourcePrompt", "SourceProvider", "SourceTest"]


@dataclass(frozen=True)
class SourceFile:
    """A file in which a part is written."""

    #: As messages name it.
    shown: str
    comments: Comments
    #: The line of an offset, from 1.
    line_of: Callable[[int], int]
    #: What aliases refer to.
    anchors: Mapping[str, Node] = field(default_factory=dict)


class SourcePrompt(NamedTuple):
    """One prompt."""

    #: Its name in results, and whether the author chose it.
    label: str
    is_labelled: bool
    #: How promptfoo refers to it.
    names: tuple[str, ...]
    text: str
    #: The file that it alone is in, relative to the configuration; empty for a text.
    path: str
    node: Node
    #: Why it cannot be carried over.
    trouble: str = ""
    #: Whether a function in the file makes it.
    is_function: bool = False
    #: The names of its own settings, which take precedence over those of the provider.
    settings: tuple[str, ...] = ()


class SourceProvider(NamedTuple):
    """One provider."""

    id: str
    label: str
    #: The kind of target that calls the same model, with its settings; empty if there is none.
    kind: str
    settings: Mapping[str, Any]
    #: The keys of `config` that this leaves out.
    unsent: tuple[str, ...]
    #: What promptfoo gives it.
    config: Mapping[str, Any]
    prompts: Sequence[Any] | None
    transform: Any
    delay: float
    node: Node

    @property
    def name(self) -> str:
        """Its name in results."""
        return self.label or self.id


class SourceTest(NamedTuple):
    """One test, merged with `defaultTest`."""

    #: As plain data, merged.
    data: Mapping[str, Any]
    #: Its own assertions, in order, each with its place.
    assertions: tuple[tuple[Mapping[str, Any], Node], ...]
    #: Whether it has the assertions of `defaultTest`, too.
    inherits: bool
    node: Node
    file: SourceFile
    #: Why promptfoo or rubric cannot read it.
    trouble: str = ""

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return self.file.line_of(self.node.span.start)


@dataclass(frozen=True)
class SourceConfiguration:
    """A whole configuration."""

    file: SourceFile
    root: MappingNode
    #: As plain data.
    data: Mapping[str, Any]
    prompts: Sequence[SourcePrompt]
    providers: Sequence[SourceProvider]
    default: Mapping[str, Any]
    default_node: Node
    default_assertions: Sequence[tuple[Mapping[str, Any], Node]]
    tests: Sequence[SourceTest]
    #: The parts of a text with commas. Raises ValueError.
    comma_values: Callable[[str], list[str]]
    #: The target of a grader by how it is written, as `providers` has them.
    grader: Callable[[Any], SourceProvider | None]
    #: The text of a file beside the configuration; None if it does not exist.
    read_text: Callable[[str], str | None]
