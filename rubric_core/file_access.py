"""The port for file access, apart from `ports`, as a check needs only this one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

__all__ = ["Files"]


class Files(Protocol):
    """Reads the files that suites refer to."""

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """The content of a file. Raises OSError, also for a file of more than `limit` bytes, and for one of environment variables."""

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        """The content of a file of environment variables, of which nothing else may be taken. Raises OSError."""

    def is_file(self, path: Path) -> bool:
        """Whether the path is a file."""

    def is_directory(self, path: Path) -> bool:
        """Whether the path is a directory."""

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """The existing files among some paths below a directory; `names` has them by their first part."""

    def names(self, path: Path) -> tuple[str, ...]:
        """The sorted names in a directory; empty if it does not exist."""
