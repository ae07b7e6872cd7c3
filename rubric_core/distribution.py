"""Where to get rubric: the source for messages, editors and documents.

Both are empty until the first release, as an unregistered name must not be recommended: installing it from an index
could install somebody else's package. The release steps in CONTRIBUTING.md set them; `tests/release/addresses.py`
copies them into files that cannot import them.
"""

from pathlib import Path

__all__ = ["INDEX", "REPOSITORY", "page_address"]

#: The package's name on PyPI.
INDEX = ""
#: The address of the repository.
REPOSITORY = ""

_ROOT = Path(__file__).parents[1]


def page_address(page: Path) -> str:
    """The address of a page of the package: in the repository, else in the installation."""
    return f"{REPOSITORY}/blob/main/{page.relative_to(_ROOT).as_posix()}" if REPOSITORY else page.as_uri()
