"""Finds suites and related files by their names and by configurations."""

# Paths as text: every folder is walked through again after each pause of a person who types.
# ruff: noqa: PTH116, PTH118

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.configuration.folder_scope import SETTINGS_FOLDER, FolderScope, content_counts, eval_patterns
from rubric_core.configuration.lookup import CONFIGURATION_FILES, Configurations
from rubric_core.containment import OUTSIDE, bounds_of, is_inside, is_repository, leads_outside
from rubric_core.disk import open_file
from rubric_core.language.file_extensions import DATASETS, FILTERS, PROMPTS, TABLES, YAML
from rubric_core.lazy_compilation import replace
from rubric_core.loading import gitignore
from rubric_core.loading.family_recognition import may_have_own_name
from rubric_core.loading.files import absolute, is_suite_name
from rubric_core.loading.path_patterns import Patterns, braces

__all__ = ["Discovery", "decides_for_folder"]

_SKIPPED = frozenset({
    ".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", "node_modules", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    ".rubric", "dist", "build",
})  # fmt: skip
#: Only files with these extensions are ever checked.
_ENDINGS = (*YAML, *DATASETS, *PROMPTS)
#: Those that are checked if others refer to them.
_REFERABLE = (*_ENDINGS, *TABLES, *FILTERS, ".json")
_MAGIC = frozenset("*?[{")
#: What rubric itself writes beside suites, and reads with them.
_RECORDINGS = (".recordings.yaml", ".recordings.yml")
#: The usual names of targets files.
_TARGETS = frozenset({"targets.yaml", "targets.yml"})
_Stamp = tuple[int, int, int] | None


class _Listing(NamedTuple):
    """The result for one folder, and its dependencies."""

    outer: FolderScope
    here: FolderScope
    #: The names of subfolders to visit, of the selected files, and of related files that their names show.
    folders: tuple[str, ...]
    files: tuple[str, ...]
    related: tuple[str, ...]
    #: The stamps of the folder and of files whose content counts.
    stamps: Mapping[str, _Stamp]

    def holds(self, outer: FolderScope) -> bool:
        """Whether the result would be the same."""
        return outer is self.outer and all(_stamp(path) == known for path, known in self.stamps.items())


class Discovery:
    """Walks folders, without files that git ignores or a configuration excludes.

    A second walk visits only changed folders.
    """

    def __init__(self, configurations: Configurations, *, keeps_account: bool = False) -> None:
        """`keeps_account`: whether inputs are recorded, besides the results."""
        self._configurations = configurations
        self._keeps_account = keeps_account
        #: Folders and targets files that cannot be read, with the reason.
        self.unreadable: list[str] = []
        #: Links that lead out of the folder and its repository, each with what is said about it: they are left alone.
        self.outside: dict[str, str] = {}
        #: The repositories of files that were named.
        self._bounds: set[str] = set()
        #: Every checkable file that was passed: the spelling of its folder, and its scope.
        self._passed: dict[str, tuple[str, FolderScope]] = {}
        #: If inputs are recorded: the folders whose names all counted, with the entries of those where walks began, and the
        #: files that counted, existing or not.
        self.listed_folders: dict[str, Sequence[os.DirEntry[str]]] = {}
        self.looked_at: dict[str, bool] = {}
        #: The suites found in each folder, and the scopes of the folders where walks began.
        self._listings: dict[str, _Listing] = {}
        self._starts: dict[str, tuple[Mapping[str, _Stamp], FolderScope]] = {}

    def another(self) -> "Discovery":
        """A discovery with the same configurations that has walked nothing yet."""
        return Discovery(self._configurations)

    def changed(self, paths: Iterable[Path]) -> None:
        """Files have changed: any YAML file may be one that a family recognises now, of which walks keep no stamps."""
        for path in paths:
            self._listings.pop(str(path.parent), None)

    def suites(self, folder: str) -> Iterator[str]:
        """The suites below `folder`, ordered by name and spelt like `folder`."""
        for shown, listing in self._walk(str(Path(folder)), str(absolute(folder)), self._start(folder), None):
            yield from (_joined(shown, name) for name in listing.files)

    def related(self, folder: str) -> Iterator[str]:
        """The related files below `folder` that are known by their names; after `suites`, from its cache."""
        for shown, listing in self._walk(str(Path(folder)), str(absolute(folder)), self._start(folder), None):
            yield from (_joined(shown, name) for name in listing.related)

    def files(self, folder: str) -> Iterator[str]:
        """The suites below `folder`, and the related files that are known by their names."""
        for shown, listing in self._walk(str(Path(folder)), str(absolute(folder)), self._start(folder), _takes):
            yield from (_joined(shown, name) for name in listing.files)

    def files_beside(self, folder: str, path: Path) -> list[str]:
        """Those of `files(folder)` that are in the same folder as `path`, without a walk through all others."""
        shown, whole, here = str(Path(folder)), str(absolute(folder)), self._start(folder)
        listing = self._listing(shown, whole, here, _takes)
        for name in path.parent.relative_to(whole).parts:
            if listing is None or name not in listing.folders:
                return []
            shown, whole = _joined(shown, name), os.path.join(whole, name)
            listing = self._listing(shown, whole, listing.here, _takes)
        return [] if listing is None else [_joined(shown, name) for name in listing.files]

    def passed(self, path: Path) -> str | None:
        """The spelling of a file that was passed; None if it was not, or is excluded."""
        folder, here = self._passed.get(str(path), ("", None))
        return None if here is None or here.hides(str(path), is_folder=False) else _joined(folder, path.name)

    def passed_files(self) -> list[str]:
        """Every file that was passed and may be checked, as a whole path."""
        return [path for path, (_, here) in self._passed.items() if not here.hides(path, is_folder=False)]

    def left_out(self, checked: Collection[str]) -> Iterator[str]:
        """A sentence for each YAML file that the walks met and that was not checked. `checked` are absolute paths."""
        for path, (folder, here) in self._passed.items():
            if path not in checked and path.lower().endswith(YAML) and not path.endswith(_RECORDINGS):
                shown = _joined(folder, Path(path).name)
                if here.hides(path, is_folder=False):
                    yield f"{shown}: left out: git ignores it, or the configuration excludes it"
                elif is_suite_name(Path(path).name):
                    yield f"{shown}: left out: its keys are not those of a suite"
                else:
                    yield f"{shown}: left out: neither its name nor its content is that of a suite, and no suite refers to it"

    def refer(self, path: Path, *, named: bool = False) -> bool:
        """Whether a file is checked because others refer to it.

        It is if the walk passed it; one outside of the folders that were walked, if it is in the same repository and not excluded.
        With `named`, it is the repository of a file that was named.
        """
        if str(path) in self._passed:
            return self.passed(path) is not None
        walked = any(str(path).startswith(os.path.join(folder, "")) for folder in self._starts)
        if walked or not path.name.endswith(_REFERABLE):
            return False
        bounds = self._bounds if named else self._bounds.union(start.bounds for _, start in self._starts.values())
        # Without a repository, a suite may have its files anywhere, but links stay where they are.
        inside = any(is_inside(path, each) or not (is_repository(each) or leads_outside(path)) for each in bounds)
        return inside and not self._configurations.for_file(path).excludes(path)

    def name(self, path: Path) -> None:
        """A file was named: those that it refers to may be checked."""
        self._bounds.add(bounds_of(path.parent))

    def matching(self, pattern: str) -> Iterator[str]:
        """The files that match a path with `*`, `**`, `?`, `[…]` or `{a,b}`, whatever their names.

        Raises ValueError otherwise.
        """
        parts = Path(pattern).parts
        fixed = next(n for n, part in enumerate(parts) if _MAGIC & set(part))
        base = str(Path(*parts[:fixed]))
        rest = [f"/{each}" for each in braces("/".join(parts[fixed:]))]
        wanted = Patterns(base, rest)
        if not Path(base).is_dir():
            return iter(())
        whole = str(absolute(base))
        walked = self._walk(base, whole, self._start(base), lambda _, path, __: wanted.decide(path) is True)
        return (_joined(shown, name) for shown, listing in walked for name in listing.files)

    def _start(self, folder: str) -> FolderScope:
        here = absolute(folder)
        above = [str(each) for each in here.parents]
        configuration = self._configurations.for_folder(here)
        stamps = {p: _stamp(p) for each in (str(here), *above) for p in _files_that_count(each)}
        if self._keeps_account:
            self._note(stamps)
        known = self._starts.get(str(here))
        if known is not None and known[0] == stamps and known[1].configuration is configuration:
            return known[1]
        evals = next((found for each in above if (found := eval_patterns(each)) is not None), None)
        everything = configuration.excludes(here, is_folder=True)
        start = FolderScope(configuration, gitignore.above(folder), evals, everything, bounds_of(here))
        self._starts[str(here)] = (stamps, start)
        return start

    def _walk(
        self,
        shown: str,
        whole: str,
        outer: FolderScope,
        takes: Callable[[FolderScope, str, frozenset[str]], bool] | None,
    ) -> Iterator[tuple[str, _Listing]]:
        """The folders with the selected files; None: the suites, which are cached."""
        waiting = [(shown, whole, outer)]  # not recursive: folders may be nested more deeply than calls
        while waiting:
            shown, whole, outer = waiting.pop()
            listing = self._listing(shown, whole, outer, takes)
            if listing is not None:
                yield shown, listing
                waiting += (
                    (_joined(shown, name), os.path.join(whole, name), listing.here)
                    for name in reversed(listing.folders)
                )

    def _listing(
        self,
        shown: str,
        whole: str,
        outer: FolderScope,
        takes: Callable[[FolderScope, str, frozenset[str]], bool] | None,
    ) -> _Listing | None:
        """The result for one folder; None, with a note, if it cannot be read."""
        listing = self._listings.get(whole) if takes is None else None
        if listing is None or not listing.holds(outer):
            try:
                listing = self._look(shown, whole, outer, takes or FolderScope.takes)
            except OSError as error:
                self.unreadable.append(f"{shown}: cannot be looked into: {error.strerror or error}")
                return None
            if takes is None and _are_settled(listing.stamps):
                self._listings[whole] = listing
        return listing

    def _look(
        self, shown: str, whole: str, outer: FolderScope, takes: Callable[[FolderScope, str, frozenset[str]], bool]
    ) -> _Listing:
        """List one folder. Raises OSError."""
        # Before listing: later changes have another stamp.
        stamps = {whole: _stamp(whole)}
        with os.scandir(whole) as listed:
            entries = sorted(listed, key=lambda e: e.name)
        names = frozenset(e.name for e in entries)
        stamps |= {path: _stamp(path) for path in _files_that_count(whole, names)}
        here = self._entered(whole, names, outer)
        passed = shown, here  # one for all of its files
        folders: list[str] = []
        files: list[str] = []
        related: list[str] = []
        for entry in entries:
            if entry.name in _TARGETS and takes is not FolderScope.takes and not _is_file(entry):
                self._record_unusable_targets(_joined(shown, entry.name), entry.path, here)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and not here.hides(entry.path, is_folder=True):
                    folders.append(entry.name)
                continue
            if entry.is_symlink() and not is_inside(entry.path, here.bounds):
                stamps[entry.path] = _stamp(entry.path)
                if takes(here, entry.path, names) and _is_file(entry) and not here.hides(entry.path, is_folder=False):
                    shown_name = _joined(shown, entry.name)
                    self.outside[shown_name] = (
                        f"{shown_name}: left alone: {OUTSIDE}; name the file itself to include it"
                    )
                continue
            if entry.name.endswith(_REFERABLE):
                self._passed[entry.path] = passed
            counts = content_counts(entry.path, entry.name) or (self._keeps_account and entry.name.endswith(YAML))
            if counts:
                stamps[entry.path] = _stamp(entry.path)
            taken = takes(here, entry.path, names)
            if taken and not counts:
                stamps[entry.path] = _stamp(entry.path)
            wanted = taken or (entry.name.endswith(_ENDINGS) and here.includes_other_file(entry.path, names))
            if wanted and _is_file(entry) and not here.hides(entry.path, is_folder=False):
                (files if taken else related).append(entry.name)
        if self._keeps_account:
            links = {e.path: _stamp(e.path) for e in entries if e.is_symlink() and e.name.lower().endswith(_ENDINGS)}
            self._note({**links, **stamps})
            self.listed_folders[whole] = entries if whole in self._starts else ()
        return _Listing(outer, here, tuple(folders), tuple(files), tuple(related), stamps)

    def _record_unusable_targets(self, shown: str, path: str, here: FolderScope) -> None:
        """Record a folder, pipe or broken link with the name of a targets file, which a run ignores."""
        if not here.hides(path, is_folder=False):
            try:
                open_file(Path(path)).close()
            except OSError as error:
                self.unreadable.append(f"{shown}: cannot be read: {error.strerror or error}")

    def _note(self, stamps: Mapping[str, _Stamp]) -> None:
        self.looked_at |= {path: stamp is not None for path, stamp in stamps.items()}

    def _entered(self, folder: str, names: frozenset[str], outer: FolderScope) -> FolderScope:
        here = outer
        if not names.isdisjoint(CONFIGURATION_FILES):
            own = self._configurations.in_folder(folder)
            here = here if own is None else replace(here, configuration=own)
        if gitignore.GITIGNORE in names:
            here = replace(here, ignores=here.ignores + gitignore.within(folder))
        if SETTINGS_FOLDER in names:
            own_patterns = eval_patterns(folder)
            here = here if own_patterns is None else replace(here, evals=own_patterns)
        return here


def _takes(here: FolderScope, path: str, names: frozenset[str]) -> bool:
    """Whether a file is a suite, or a related file that is known by its name."""
    lowered = path.lower()
    ends = lowered.endswith(_ENDINGS) or (lowered.endswith(".json") and may_have_own_name(path.rpartition(os.sep)[2]))
    return ends and (here.takes(path, names) or here.includes_other_file(path, names))


#: The files that determine the suites below their folder.
_DECIDING = (*CONFIGURATION_FILES, gitignore.GITIGNORE, f"{SETTINGS_FOLDER}/config.yaml", ".git/info/exclude", ".git")


def decides_for_folder(path: str) -> bool:
    """Whether a file of that path may determine which others are checked, or how: settings, patterns of git."""
    name = os.path.basename(path)  # noqa: PTH119  # as text
    return any(name == each.rpartition("/")[2] for each in _DECIDING)


#: Nanoseconds after which another change gives a file another time, on any file system.
_A_TICK = 2 * 10**9


def _stamp(path: str) -> _Stamp:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _are_settled(stamps: Mapping[str, _Stamp]) -> bool:
    """Whether a later change would be visible in the stamps."""
    return max((each[0] for each in stamps.values() if each is not None), default=0) < time.time_ns() - _A_TICK


def _files_that_count(folder: str, names: frozenset[str] | None = None) -> Iterator[str]:
    """The files that determine the suites below a folder, by the `names` in it; None: unknown."""
    return (os.path.join(folder, name) for name in _DECIDING if names is None or name.partition("/")[0] in names)


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:  # a cyclic link
        return False


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else os.path.join(folder, name)
