"""Files of a suite outside of its repository, which a run sends to targets or judges."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rubric_core.language.file_extensions import CODE
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL, directories_up, find_file, without_function
from rubric_core.loading.issues import Issue
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.reference_collector import Mention, is_open
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Span

__all__ = ["OutsideFile", "outside_file", "outside_files", "repository_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideFile(Issue):
    """An existing file outside of the repository, with links resolved."""

    name: str
    real: str


def outside_files(
    shapes: Iterable[Shape], words: Iterable[Mention], look: TrackedLookup, directory: Path, fallback: Path | None
) -> Iterator[OutsideFile]:
    """The files that shapes name outside of the repository; none without a repository."""
    named = {span: name for span, name in _referenced_files(shapes, words) if not name.endswith(CODE)}
    root = repository_of(directory, look) if named else None
    for span, name in named.items():
        if root is None:
            break
        path = find_file(name, directory, look, fallback)
        real = look.real_path(path) if path is not None else ""
        if real and not _is_below(real, look.real_path(root)):
            yield OutsideFile(span=span, name=name, real=real)


def outside_file(span: Span, name: str, paths: Iterable[Path], root: Path, look: TrackedLookup) -> OutsideFile | None:
    """The first file of a name that is not below the root of the repository."""
    real = next((real for path in paths if not _is_below(real := look.real_path(path), look.real_path(root))), "")
    return OutsideFile(span=span, name=name, real=real) if real else None


def _referenced_files(shapes: Iterable[Shape], words: Iterable[Mention]) -> Iterator[tuple[Span, str]]:
    for mention in words:
        if mention.refers_to in ("file", "template") and not mention.borrowed:
            name = mention.text.removeprefix(URL)
            if not is_open(name):
                yield mention.node.span, without_function(name)
    for shape in shapes:
        for node in walk(shape.node) if shape.node is not None else ():
            if isinstance(node, Scalar) and node.text.startswith(URL):
                yield node.span, without_function(node.text.removeprefix(URL))


def _is_below(path: str, folder: str) -> bool:
    # As a string, which is the same for paths without links and `..`: avoids creating paths in thousands of suites.
    inside = path.startswith(os.path.join(folder, ""))  # noqa: PTH118  # with the separator at the end
    return inside or Path(path).is_relative_to(folder)


def repository_of(directory: Path, look: TrackedLookup) -> Path | None:
    """The root of the repository of a directory."""
    top = directories_up(directory, look)[-1]
    return top if look.is_file(top / ".git" / "HEAD") or look.is_file(top / ".git") else None
