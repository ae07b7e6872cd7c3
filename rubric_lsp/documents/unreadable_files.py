"""Files that are no text, or not in UTF-8: an editor may show them in another encoding, but every program refuses them."""

from collections.abc import Iterator
from pathlib import Path

from rubric_core.loading.files import UnreadableError, read_text

__all__ = ["UnreadableFiles"]


class UnreadableFiles:
    """What is wrong with the files that were looked at."""

    def __init__(self) -> None:
        self._known: dict[Path, UnreadableError] = {}

    def __iter__(self) -> Iterator[tuple[Path, UnreadableError]]:
        return iter(self._known.items())

    def of(self, path: Path | None) -> UnreadableError | None:
        """Why a file cannot be read, as it was found last."""
        return self._known.get(path) if path is not None else None

    def look(self, path: Path) -> bool:
        """Read a file. Returns whether something else is wrong with it than before."""
        before = self.of(path)
        self.forget(path)
        try:
            read_text(path)
        except UnreadableError as error:
            if path.is_file():
                self._known[path] = error
        return str(before) != str(self.of(path))

    def forget(self, path: Path) -> None:
        """A file can be read, or nobody shows it any more."""
        self._known.pop(path, None)
