"""Finding suites, and the files around them: by their names, and by what the configurations around them say."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rubric_core.configuration.files import CONFIGURATION_FILES, Configurations
from rubric_core.configuration.model import Configuration
from rubric_core.language.endings import DATASETS, PROMPTS, YAML
from rubric_core.loading import gitignore
from rubric_core.loading.files import UnreadableError, absolute, is_common_name, is_suite, is_suite_name, read_text
from rubric_core.loading.kind import kind_by_name
from rubric_core.loading.patterns import Patterns, braces
from rubric_core.loading.recognize import head_is_eval_yaml
from rubric_core.loading.search import HOMES
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain import plain

__all__ = ["Discovery"]

_SKIPPED = frozenset({
    ".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", "node_modules", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    ".rubric", "dist", "build",
})  # fmt: skip
#: Only files that end like this are ever checked.
_ENDINGS = (*YAML, *DATASETS, *PROMPTS)
#: A suite has one of these at the beginning of a line, within so many characters.
_SUITE_KEY = re.compile(
    r"^(?:(?:evalcases|eval_cases|testcases)[ \t]*:|\$schema:[ \t]*[\"']?agentv-eval)", re.MULTILINE
)
_HEAD = 20_000
_EVALS = f"{os.sep}evals{os.sep}"
_MAGIC = frozenset("*?[{")
_SETTINGS_FOLDER = HOMES[0]


@dataclass(frozen=True, slots=True)
class _Here:
    """What counts in one folder."""

    configuration: Configuration
    ignores: tuple[Patterns, ...]
    #: The patterns of the nearest .agentv/config.yaml.
    evals: Patterns | None
    #: Whether somebody named a folder that its own configuration excludes.
    everything: bool = False

    def hides(self, path: str, *, is_folder: bool) -> bool:
        excluded = not self.everything and self.configuration.excludes(path, is_folder=is_folder)
        return excluded or gitignore.ignored(self.ignores, path, is_folder=is_folder)

    def takes(self, path: str, names: frozenset[str]) -> bool:
        if self.configuration.includes(path):
            return True
        if self.evals is not None and self.evals.decide(path) is True and path.lower().endswith(YAML):
            return True
        file = Path(path)
        if is_suite(file, names):
            return head_is_eval_yaml(file) is not False
        if is_common_name(file.name):
            return head_is_eval_yaml(file) is True
        return (
            path.endswith(YAML)
            and _EVALS in path.lower()
            and _says_suite(path)
            and head_is_eval_yaml(file) is not False
        )

    def takes_around(self, path: str, names: frozenset[str]) -> bool:
        """Whether to check a file although it is no suite: files of the engine's own folders, and data sets."""
        file = Path(path)
        if file.suffix in YAML:
            home = file.parent.name in HOMES or (file.parent.name == "templates" and file.parent.parent.name in HOMES)
            return (home and kind_by_name(file) is not None) or _has_data(file.name, names)
        return file.suffix in DATASETS and _has_data(f"{file.stem}.yaml", names)


class Discovery:
    """Walks folders. What git ignores and what a configuration excludes is left out."""

    def __init__(self, configurations: Configurations) -> None:
        self._configurations = configurations
        #: Folders that could not be looked into, with the reason.
        self.unreadable: list[str] = []
        #: Every file that was passed on the way and could be checked: how it is spelt, and what counts there.
        self._passed: dict[str, tuple[str, _Here]] = {}

    def suites(self, folder: str) -> Iterator[str]:
        """The suites in `folder` and below it, in the order of their names, spelt as `folder` is."""
        yield from self._walk(folder, self._start(folder), _Here.takes)

    def files(self, folder: str) -> Iterator[str]:
        """The suites in `folder` and below it, and the files around them that are known by their names."""

        def takes(here: _Here, path: str, names: frozenset[str]) -> bool:
            return path.lower().endswith(_ENDINGS) and (here.takes(path, names) or here.takes_around(path, names))

        yield from self._walk(folder, self._start(folder), takes)

    def passed(self, path: Path) -> str | None:
        """How a file is spelt that was passed on the way; None for one that was not, or that is left out."""
        shown, here = self._passed.get(str(path), ("", None))
        return None if here is None or here.hides(str(path), is_folder=False) else shown

    def matching(self, pattern: str) -> Iterator[str]:
        """The files that match a path with `*`, `**`, `?`, `[…]` or `{a,b}`, whatever their names. Raises ValueError for another one."""
        parts = Path(pattern).parts
        fixed = next(n for n, part in enumerate(parts) if _MAGIC & set(part))
        base = str(Path(*parts[:fixed]))
        rest = [f"/{each}" for each in braces("/".join(parts[fixed:]))]
        wanted = Patterns(base, rest)
        if not Path(base).is_dir():
            return iter(())
        return self._walk(base, self._start(base), lambda _, path, __: wanted.decide(path) is True)

    def _start(self, folder: str) -> _Here:
        here = absolute(folder)
        configuration = self._configurations.for_folder(here)
        evals = next((found for each in here.parents if (found := _eval_patterns(str(each))) is not None), None)
        everything = configuration.excludes(here, is_folder=True)
        return _Here(configuration, gitignore.above(folder), evals, everything)

    def _walk(self, shown: str, outer: _Here, takes: Callable[[_Here, str, frozenset[str]], bool]) -> Iterator[str]:
        whole = str(absolute(shown))
        try:
            with os.scandir(whole) as listing:
                entries = sorted(listing, key=lambda e: e.name)
        except OSError as error:
            self.unreadable.append(f"{shown}: cannot be looked into: {error.strerror or error}")
            return
        names = frozenset(e.name for e in entries)
        here = self._entered(whole, names, outer)
        folders = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and not here.hides(entry.path, is_folder=True):
                    folders.append(entry.name)
                continue
            if entry.name.endswith(_ENDINGS):
                self._passed[entry.path] = (_joined(shown, entry.name), here)
            if takes(here, entry.path, names) and _is_file(entry) and not here.hides(entry.path, is_folder=False):
                yield _joined(shown, entry.name)
        for name in folders:
            yield from self._walk(_joined(shown, name), here, takes)

    def _entered(self, folder: str, names: frozenset[str], outer: _Here) -> _Here:
        here = outer
        if not names.isdisjoint(CONFIGURATION_FILES):
            own = self._configurations.in_folder(folder)
            here = here if own is None else replace(here, configuration=own)
        if gitignore.GITIGNORE in names:
            here = replace(here, ignores=here.ignores + gitignore.within(folder))
        if _SETTINGS_FOLDER in names:
            own_patterns = _eval_patterns(folder)
            here = here if own_patterns is None else replace(here, evals=own_patterns)
        return here


def _is_file(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def _says_suite(path: str) -> bool:
    """Whether a file below a folder `evals` has a key that only suites have: the first releases gave them any name."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  # many files are looked at
            return False  # a pipe would be waited for
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return _SUITE_KEY.search(file.read(_HEAD)) is not None
    except OSError:
        return False


def _has_data(name: str, neighbours: frozenset[str]) -> bool:
    """Whether a YAML file of that name is, or would be, the description of a data set beside it."""
    return is_suite_name(name) and any(f"{Path(name).stem}{ending}" in neighbours for ending in DATASETS)


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else str(Path(folder) / name)


def _eval_patterns(folder: str) -> Patterns | None:
    """The `eval_patterns` of the .agentv/config.yaml in `folder`; None where there are none that can be used."""
    file = Path(folder) / _SETTINGS_FOLDER / "config.yaml"
    if not file.is_file():
        return None
    try:
        tree = parse(read_text(file))
    except UnreadableError:
        return None
    settings = plain(tree.root, tree.anchors)
    listed = settings.get("eval_patterns") if isinstance(settings, dict) else None
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    try:
        patterns = Patterns(folder, [each for text in texts for each in braces(text)], any_case=True)
    except ValueError:
        return None
    return patterns or None
