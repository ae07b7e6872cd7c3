"""The served folder, and errors as agents see them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

from rubric_core.cli.selection import WrongUseError
from rubric_core.cli.sources import STANDARD_INPUT
from rubric_core.evaluation.cases.load import NoSuiteError
from rubric_core.evaluation.results.records import RunNotFoundError
from rubric_core.loading.files import UnreadableError
from rubric_core.trust import real_path

__all__ = ["ServedFolder", "expected_errors"]


class ServedFolder:
    """Resolves the paths of a client, which are confined to the folder."""

    def __init__(self, folder: Path) -> None:
        self.root = real_path(folder)

    def path(self, name: str) -> Path:
        """The file or folder at a relative path. Raises ToolError if it is outside the folder, with links resolved."""
        if not name or "\0" in name:
            raise ToolError("name a file or folder; . is the whole folder")
        path = self.root / name
        if not self.holds(path):
            raise ToolError(f"{name} is outside of {self.root}, the folder that this server was started for")
        if path == self.root / STANDARD_INPUT:
            raise ToolError(
                f"{name} is the standard input of this server, which the client writes to; name a file or folder"
            )
        return path

    def holds(self, path: Path) -> bool:
        """Whether a path is the folder or inside it, with links resolved."""
        return real_path(self.root / path).is_relative_to(self.root)

    def shown(self, path: Path) -> str:
        """A path as the client would write it."""
        return path.relative_to(self.root).as_posix()


@contextmanager
def expected_errors() -> Iterator[None]:
    """Turns errors with a message for users into tool errors."""
    try:
        yield
    except (WrongUseError, NoSuiteError, UnreadableError, RunNotFoundError, ValueError, OSError) as error:
        raise ToolError(str(error)) from error
