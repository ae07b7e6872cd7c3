"""Updates of references to files and folders that will be moved or renamed."""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from rubric_core.language.file_extensions import YAML
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL, directories_up, is_pattern, without_function
from rubric_core.loading.files import absolute
from rubric_core.loading.known_names import template_file
from rubric_core.ports import Files
from rubric_core.text import Edit
from rubric_lsp.features.name_occurrence import NameOccurrence
from rubric_lsp.features.names import FILES
from rubric_lsp.features.renaming import written_name

__all__ = ["FileMoves", "edit_of", "rewritten_references"]

#: A path up to its last fixed folder, and the pattern after it.
_FIXED = re.compile(r"(?P<path>(?:[^*?\[/]*/)*)(?P<pattern>[^/]*[*?\[].*)", re.DOTALL)

#: A prefix that does not change where a path leads.
_LEAD = re.compile(r"\./|/")
_LONGEST = 1_000
#: Paths that certainly need no quotes.
_PLAIN = re.compile(r"(?a:(?:file://)?[\w.]*/[\w./*-]*)")


@dataclass(frozen=True, slots=True)
class FileMoves:
    """Files and folders with their future paths."""

    paths: Mapping[Path, Path]

    def after(self, path: Path) -> Path:
        """The future path of a path; the contents of a folder move with it."""
        moved = next((old for old in (path, *path.parents) if old in self.paths), None)
        return self.paths[moved] / path.relative_to(moved) if moved is not None else path


@dataclass(frozen=True, slots=True)
class _Reference:
    """A path as written, with the text around it."""

    scheme: str
    path: str
    #: A pattern, or the name of a function.
    tail: str = ""

    @classmethod
    def of(cls, text: str) -> "_Reference":
        scheme = URL if text.startswith(URL) else ""
        path = text.removeprefix(URL)
        found = _FIXED.fullmatch(path) if is_pattern(path) else None
        if found is not None:
            return cls(scheme, found["path"], found["pattern"])
        bare = without_function(path)
        return cls(scheme, bare, path[len(bare) :])

    def to(self, path: str) -> str:
        """The same reference with another path."""
        found = _LEAD.match(self.path)
        lead = found[0] if found is not None and not path.startswith(("../", "/")) else ""
        end = "/" if self.path.endswith("/") else ""
        return f"{self.scheme}{lead}{path}{end}{self.tail}"


def edit_of(name: NameOccurrence, new: str) -> Edit:
    """The edit that writes another path; quotes are added only if YAML needs them."""
    if name.style == "plain" and _PLAIN.fullmatch(new):
        return Edit(name.span, new)
    return written_name(name, new)


def rewritten_references(name: NameOccurrence, suite: Path, moves: FileMoves, files: Files) -> str | None:
    """A name in `suite` rewritten for the `moves`; None if it does not change, or refers to nothing."""
    # If the suite does not move, only names with a moved name in them matter, which saves thousands of lookups.
    if moves.after(suite) == suite and not any(old.stem in name.name for old in moves.paths):
        return None
    if name.kind == "template" and "/" not in name.name and not name.name.endswith(YAML):
        return _template(name, suite, moves, files)
    if name.kind not in FILES and not name.name.startswith(URL):
        return None
    reference = _Reference.of(name.name)
    # A text is not a folder, even if one has that name, unless it ends like a path.
    to_directory = name.kind == "directory" or reference.path.endswith("/")
    way = _Way(suite.parent, moves.after(suite).parent, moves, files, to_directory, name.beside)
    path = way.after(reference.path)
    if path is None:
        return None
    # A word of a command line is not shell-quoted: it is unknown whether a shell will read it.
    return reference.to(path) if name.style != "raw" or shlex.quote(path) == path else None


@dataclass(frozen=True, slots=True)
class _Way:
    """How files are found from a folder, before and after the moves."""

    here: Path
    here_after: Path
    moves: FileMoves
    files: Files
    to_directory: bool
    beside: bool

    def _bases(self, start: Path) -> tuple[Path, ...]:
        return (start,) if self.beside else directories_up(start, self.files)

    def after(self, path: str) -> str | None:
        """The replacement for `path`; None if it does not change, or leads nowhere."""
        if not path or len(path) > _LONGEST:
            return None
        if Path(path).is_absolute() and self._is_there(Path(path)):
            target = self.moves.after(absolute(Path(path)))
            return target.as_posix() if target != absolute(Path(path)) else None
        relative = path.lstrip("/\\")
        bases = self._bases(self.here)
        base = next((each for each in bases if self._is_there(absolute(each / relative))), None)
        if base is None:
            return None
        target = self.moves.after(absolute(base / relative))
        beside = _relative(target, self.here_after)
        if base == self.here:
            return beside if absolute(self.here_after / relative) != target else None
        # A file found from a parent folder is still found from there, unless a nearer one is in the way.
        above = (relative, _relative(target, self.moves.after(base)))
        new = next((each for each in above if self._leads_to(each, target)), beside)
        return new if new != relative else None

    def _is_there(self, path: Path) -> bool:
        return self.files.is_directory(path) if self.to_directory else self.files.is_file(path)

    def _leads_to(self, written: str, target: Path) -> bool:
        """Whether a path refers to `target` after the moves."""
        for base in self._bases(self.here_after):
            place = absolute(base / written)
            if place == target:
                return True
            if written.startswith("../") or (self._is_there(place) and self.moves.after(place) == place):
                return False
        return False


def _relative(path: Path, base: Path) -> str:
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # on another drive
        return path.as_posix()


def _template(name: NameOccurrence, suite: Path, moves: FileMoves, files: Files) -> str | None:
    """The name of a template in a folder of templates, which is that of its file."""
    found = template_file(files, name.name, suite.parent)
    after = moves.after(found) if found is not None else None
    if found is None or after is None or after == found:
        return None
    if after.parent.name == found.parent.name and after.suffix in YAML:
        return after.stem if after.stem != name.name else None
    return _relative(after, moves.after(suite).parent)
