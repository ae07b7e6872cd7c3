"""Finds the declaration of a workspace, environment or hooks: in a suite, a case, a target, or a separate file."""

from collections.abc import Callable
from pathlib import Path

from rubric_core.evaluation.cases.errors import place_words
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.settings import AnsweringTarget
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Environment, Workspace
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL, find_directory, find_file
from rubric_core.loading.issues import UnknownKey
from rubric_core.loading.lower import Lowering
from rubric_core.ports import Files
from rubric_core.syntax.parse import parse
from rubric_core.text import LineIndex

__all__ = ["DeclaredWorkspace", "environment_of_target", "suite_workspace", "target_workspace"]

#: Bytes of a file that describes a workspace.
_LARGEST = 10_000_000


@dataclass(frozen=True)
class DeclaredWorkspace:
    """A workspace, an environment, or something else about the place of a target, and how to find one's way from it."""

    shape: Shape
    #: The directory that its paths are relative to.
    directory: Path
    files: Files
    #: Gives "line 4" for a part of it.
    where: Callable[[Shape], str]
    #: The last directory in which its paths are searched; None where they are in `directory` alone.
    fallback: Path | None = None

    def find_directory(self, name: str) -> Path | None:
        """The directory with that name, if it exists."""
        beside = self.fallback is None
        return find_directory(name.removeprefix(URL), self.directory, self.files, self.fallback, beside=beside)

    def directory_named(self, name: str, at: Shape, what: str) -> Path:
        """The directory with that name. Raises Unscored if it does not exist."""
        found = self.find_directory(name)
        if found is None:
            raise Unscored(f"there is no directory {name} for the {what} ({self.where(at)})")
        return found


def suite_workspace(case: Runnable, shape: Shape, files: Files) -> DeclaredWorkspace | None:
    """The declaration in the suite or case; None without one. Raises Unscored for a missing file."""
    name = "environment" if vars(shape).get("environment") else "workspace"
    around = DeclaredWorkspace(shape, case.directory, files, lambda part: case.blame(part).strip(" ()"))
    return _behind(vars(shape).get(name), name, around, case.dialect, case)


def target_workspace(target: AnsweringTarget, case: Runnable, files: Files) -> DeclaredWorkspace:
    """The declaration of a target. Its paths are relative to the suite, else to its own file."""
    entry = target.entry

    def where(part: Shape) -> str:
        return f"{entry.home.path.name}:{entry.home.line(part.span)}"

    return DeclaredWorkspace(target.shape, case.directory, files, where, entry.home.path.absolute().parent)


def environment_of_target(target: AnsweringTarget, case: Runnable, files: Files) -> DeclaredWorkspace | None:
    """The environment in the entry of a target. Raises Unscored for a file that does not exist."""
    return _behind(target.shape.environment, "environment", target_workspace(target, case, files), target.dialect, case)


def _behind(
    value: object, name: str, around: DeclaredWorkspace, dialect: Dialect, case: Runnable
) -> DeclaredWorkspace | None:
    if isinstance(value, Workspace | Environment):
        return DeclaredWorkspace(value, around.directory, around.files, around.where, around.fallback)
    if not isinstance(value, str):
        return None
    kind = FileKind.ENVIRONMENT if name == "environment" else FileKind.WORKSPACE
    return _in_file(value, kind, around, dialect, case)


def _in_file(
    name: str, kind: FileKind, around: DeclaredWorkspace, dialect: Dialect, case: Runnable
) -> DeclaredWorkspace:
    """A workspace in its own file, whose paths are relative to that file."""
    files, blame = around.files, f" ({around.where(around.shape)})"
    beside = around.fallback is None
    path = find_file(name.removeprefix(URL), around.directory, files, around.fallback, beside=beside)
    if path is None:
        raise Unscored(f"the file {name} of the workspace does not exist{blame}")
    try:
        text = files.read(path, _LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        raise Unscored(f"the file {name} of the workspace cannot be read: {error}{blame}") from None
    tree = parse(text)
    lowering = Lowering(text, dialect, case.dialects, tree.anchors)
    shape = next(iter(lowering.root(tree.root, kind, "")), None)
    refused = any(isinstance(issue, UnknownKey) and issue.wraps for issue in lowering.issues)
    if tree.problems or refused or not isinstance(shape, Workspace | Environment):
        raise Unscored(f"{path.name} is no {kind.value.partition(' ')[2]}; rubric check {path.name} explains it")
    lines = LineIndex(text)
    return DeclaredWorkspace(
        shape, path.parent, files, lambda part: place_words(path, lines.line_of(part.span.start) + 1)
    )
