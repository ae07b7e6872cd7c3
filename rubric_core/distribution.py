"""Where to get rubric: the source for messages, editors and documents.

Both are empty until the first release, since a name that nobody owns must not be recommended: whoever installs it from an
index gets what somebody else put there. The recipe in CONTRIBUTING.md sets them; `tests/release/addresses.py` carries them
into the files that cannot import them.
"""

from pathlib import Path

__all__ = ["INDEX", "REPOSITORY", "page_address"]

#: The package's name on PyPI.
INDEX = ""
#: The address of the repository.
REPOSITORY = ""

_ROOT = Path(__file__).parents[1]


def page_address(page: Path) -> str:
    """Where a page of the package can be read: in the repository, else where it is installed."""
    return f"{REPOSITORY}/blob/main/{page.relative_to(_ROOT).as_posix()}" if REPOSITORY else page.as_uri()
