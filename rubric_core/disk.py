"""Files on disk, apart from the other adapters: a check reads files and needs nothing of what running needs."""

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["DiskFiles"]


class DiskFiles:
    """Files on disk."""

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        with path.open("rb") as file:
            if limit is None:
                return file.read()
            content = file.read(limit + 1)
        if len(content) > limit:
            raise OSError(f"{path.name} is longer than {limit:,} bytes")
        return content

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        with suppress(OSError, ValueError):
            return path.is_file()
        return False

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        with suppress(OSError, ValueError):
            return path.is_dir()
        return False

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        with suppress(OSError, ValueError):
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208  # names are wanted, not paths
        return ()
