"""Issues with references to other files."""

from pathlib import Path
from typing import Literal

from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.issues import Issue
from rubric_core.loading.program_uses import ProgramUse
from rubric_core.syntax.tree import Node, Scalar

__all__ = [
    "BrokenCases",
    "BrokenProgram",
    "EmptyFile",
    "MissingFile",
    "PathLikePrompt",
    "PointerIntoFile",
    "ProgramText",
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
    severity: Literal["error", "warning", "hint"] = "error"
    #: The engine's reaction.
    consequence: str = ""
    #: The content of the directory in which it should be.
    known: tuple[str, ...] = ()
    #: Whether there is a directory of that name, where a file is expected.
    is_directory: bool = False
    #: Whether the engine looks in one directory alone: that of the file, or the one of this name.
    beside: bool = False
    directory: str = ""
    #: Its path from there, if it exists in a directory above, where the engine does not look.
    elsewhere: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyFile(Issue):
    """A file without content."""

    name: str
    #: The engine's reaction, if it needs the content.
    consequence: str = ""
    #: What it needs of it, and why nothing is found of it where the file has a text.
    what: Literal["prompt", "case"] = "prompt"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTarget(Issue):
    """A name that no target in reach has."""

    node: Scalar
    name: str
    known: tuple[str, ...]
    #: The effective targets file.
    path: Path
    #: Whether it names a judge, which only some evaluators need.
    judges: bool = False
    #: Why the targets file cannot be read; empty if it can.
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedTarget(Issue):
    """A target that no suite of the workspace uses."""

    node: Node
    name: str
    #: Its whole entry, and its list if that is contiguous.
    entry: Node | None = None
    listed: Node | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTemplate(Issue):
    """An `include` of a missing or invalid template."""

    node: Node
    name: str
    known: tuple[str, ...] = ()
    #: The problem of an existing template.
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenCases(Issue):
    """A case file that cannot be read."""

    node: Node
    name: str
    trouble: str
    #: The engine's reaction.
    consequence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenProgram(Issue):
    """An existing program in which the engine cannot call the function."""

    node: Scalar
    name: str
    #: The problem, in words that follow its name.
    trouble: str
    #: The named function, and the one that was probably meant; empty for none.
    function: str = ""
    meant: str = ""
    consequence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramText(Issue):
    """A JavaScript or Python file in which the engine finds what it is to call; `span` is where a file names it."""

    name: str
    text: str
    consequence: str
    #: Whether it is the file itself that is checked.
    is_own: bool = False
    #: What the configurations that name the file define; None if unknown.
    use: DefinedNames | None = None
    #: What the engine calls in it, as far as that is known.
    called: tuple[ProgramUse, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerIntoFile(Issue):
    """A `$ref` into another file, whose text that is."""

    node: Scalar
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLikePrompt(Issue):
    """A prompt that the engine takes for the path of a file that does not exist."""

    node: Scalar
    #: The sign of a path: "contains `/`".
    sign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFileText(Issue):
    """A prompt file with template variables; `span` is its reference in the file that names it."""

    name: str
    text: str
    #: Whether models that grade are asked with it.
    is_of_judges: bool = False
    #: Whether it is the file itself that is checked.
    is_own: bool = False
    #: What the configurations define that name the file itself.
    use: DefinedNames | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText(Issue):
    """A judge's prompt in its own file; `span` is its reference in the suite."""

    text: str
    #: The file; None if the prompt file itself is checked.
    path: Path | None = None
    #: Whether the file is checked by itself, too.
    checked: bool = False
    #: The path in the suite, if the engine takes it for the prompt itself.
    bare: Scalar | None = field(default=None)
