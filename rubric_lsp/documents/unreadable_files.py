"""Files that are no text in UTF-8: an editor may show them in another encoding, but every program refuses them."""

from collections.abc import Callable
from pathlib import Path

from rubric_core.loading.files import UnreadableError, read_text

__all__ = ["UnreadableFiles"]


class UnreadableFiles:
    """Why files cannot be read as text; each is read again only when it has changed.

    Args:
        stamp: Gives a value that changes with the content of a file. Raises OSError for a missing one.
    """

    def __init__(self, stamp: Callable[[Path], object]) -> None:
        self._stamp = stamp
        self._known: dict[Path, tuple[object, UnreadableError | None]] = {}

    def of(self, path: Path) -> UnreadableError | None:
        """Why a file cannot be read; None if it can, or does not exist."""
        try:
            stamp = self._stamp(path)
        except OSError:
            self._known.pop(path, None)
            return None
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = stamp, _fault(path)
        return known[1]


def _fault(path: Path) -> UnreadableError | None:
    try:
        read_text(path)
    except UnreadableError as error:
        return error
    return None
