"""What is wrong with references to other files. As every issue plain data; the rule of its class has the words."""

from pathlib import Path
from typing import Literal

from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.issues import Issue
from rubric_core.syntax.tree import Node, Scalar

__all__ = [
    "BrokenCases",
    "BrokenProgram",
    "EmptyFile",
    "MissingFile",
    "PathLikePrompt",
    "PromptFileText",
    "PromptText",
    "UnknownTarget",
    "UnknownTemplate",
    "UnusedTarget",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFile(Issue):
    """A file or directory that does not exist."""

    node: Node
    name: str
    what: Literal["file", "directory"] = "file"
    severity: Literal["error", "warning"] = "error"
    #: What the engine does about it.
    consequence: str = ""
    #: What there is in the directory in which it should be.
    known: tuple[str, ...] = ()
    #: Whether there is a directory of that name, where a file is read.
    is_directory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyFile(Issue):
    """A file with nothing in it."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTarget(Issue):
    """A name that no target in reach has."""

    node: Scalar
    name: str
    known: tuple[str, ...]
    #: The targets file that counts.
    path: Path
    #: Whether it names a judge, which only some evaluators ask.
    judges: bool = False
    #: Why the targets file cannot be read; empty where it can.
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedTarget(Issue):
    """A target that no suite of the workspace names."""

    node: Node
    name: str
    #: Its whole entry, and the list that has it where that is in one piece.
    entry: Node | None = None
    listed: Node | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTemplate(Issue):
    """An `include` of a template that does not exist, or that cannot be used."""

    node: Node
    name: str
    known: tuple[str, ...] = ()
    #: What is wrong with the template that is there.
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenCases(Issue):
    """A file of cases that cannot be read as one."""

    node: Node
    name: str
    trouble: str
    #: Whether the engine refuses it, too.
    refused: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenProgram(Issue):
    """A program that is there, and in which promptfoo cannot call what it is to call."""

    node: Scalar
    name: str
    #: What is wrong with it, in words that follow its name.
    trouble: str
    #: The function that is named, and the one that was probably meant; empty for none.
    function: str = ""
    meant: str = ""
    consequence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLikePrompt(Issue):
    """A prompt that promptfoo takes for the path of a file, which does not exist."""

    node: Scalar
    #: What makes a path of it: "contains `/`".
    sign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFileText(Issue):
    """The file of a prompt of promptfoo, in which variables are filled in; `span` is where the configuration names it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText(Issue):
    """The text of a judge's prompt that stands in its own file; `span` is where a suite names it."""

    text: str
    #: The file; None when it is the text that is looked at.
    path: Path | None = None
    #: Whether the file is checked by itself, too.
    checked: bool = False
    #: The path in the suite, when the engine takes it for the prompt itself.
    bare: Scalar | None = field(default=None)
