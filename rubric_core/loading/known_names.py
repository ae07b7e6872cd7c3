"""The names that a suite can use: targets, templates of evaluators, programs for custom types."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from types import MappingProxyType

from rubric_core.file_access import Files
from rubric_core.language.file_extensions import YAML
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.configured_targets import whole_target_file
from rubric_core.loading.directory_search import (
    SHARED_DEPTH,
    URL,
    configuration_files,
    configurations_in,
    current_directory,
    directories_up,
    find_file,
    memoize_lookup,
)
from rubric_core.loading.landmarks import HOMES
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.target_files import find_targets, has_targets, unusable_targets
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Scalar

__all__ = [
    "EVALUATOR_GROUP", "INSTALLED", "KnownTargets", "entry_name", "file_named", "installed_evaluators", "is_target", "known_targets", "programs", "targets_path",
    "template_file", "template_of", "templates",
]  # fmt: skip

#: The entry point group of installed evaluators: type to class.
EVALUATOR_GROUP = "rubric.evaluators"

#: Represents the installed packages among the files that something depends on. Not a valid file name.
INSTALLED = Path("/**/installed")

_PROGRAMS = (".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".py", ".sh", ".rb", ".go", ".exe")


@dataclass(frozen=True)
class KnownTargets:
    """The targets in reach of a suite."""

    #: Their locations.
    names: Mapping[str, Path]
    #: The effective targets file, None if there is none.
    path: Path | None = None
    #: Whether there may be more: computed names, or files that cannot be read.
    more: bool = False
    #: Those that are used where nothing else is named.
    defaults: frozenset[str] = frozenset()
    #: The name of an unreadable path in place of a targets file, such as a folder or a pipe, and the reason.
    unusable: tuple[str, str] | None = None


_NONE = KnownTargets(MappingProxyType({}))


def known_targets(look: TrackedLookup, directory: Path) -> KnownTargets:
    """The targets for suites in `directory`: of the nearest targets file, and of the configuration."""
    home = _home(look, directory)
    return look.answer(("targets", home), partial(_known, home))


def is_target(look: TrackedLookup, name: str, directory: Path) -> bool:
    """Whether a target of that name is in reach of `directory`. Other targets do not matter to who asks this."""
    home = _home(look, directory)
    return look.answer(("is a target", home, name), lambda inner: name in known_targets(inner, home).names)


def targets_path(look: TrackedLookup, directory: Path) -> Path | None:
    """The effective targets file for suites in `directory`."""
    home = _home(look, directory)
    return look.answer(("path of targets", home), lambda inner: known_targets(inner, home).path)


def _home(look: TrackedLookup, directory: Path) -> Path:
    """The directory itself, or the nearest one above it with other targets or another configuration."""
    return look.once(("home of targets", directory), partial(_find_home, directory))


def _find_home(directory: Path, look: TrackedLookup) -> Path:
    above = directories_up(directory, look)[1:]
    if 0 < len(above) < SHARED_DEPTH and not has_targets(directory, look) and not configurations_in(directory, look):
        return _home(look, above[0])
    return directory


def _known(directory: Path, look: TrackedLookup) -> KnownTargets:
    path = find_targets(directory, look, look.project.fallback)
    found = _unusable(look, directory) if path is None else _targets_in(look, path, is_config=False)
    for config in configuration_files(directory, look):
        found = _joined(found, _targets_in(look, config, is_config=True))
    return found


def _unusable(look: TrackedLookup, directory: Path) -> KnownTargets:
    return KnownTargets({}, unusable=unusable_targets(directory, look, look.project.fallback))


def _joined(one: KnownTargets, other: KnownTargets) -> KnownTargets:
    return KnownTargets(
        {**other.names, **one.names}, one.path or other.path, one.more or other.more, one.defaults | other.defaults,
        one.unusable,
    )  # fmt: skip


def _targets_in(look: TrackedLookup, path: Path, *, is_config: bool) -> KnownTargets:
    """The targets in a targets file or configuration, and in the files that it names, as a run finds them."""
    return look.once(("targets in", path), lambda inner: _read_targets(inner, path, is_config=is_config))


def _read_targets(look: TrackedLookup, path: Path, *, is_config: bool) -> KnownTargets:
    try:
        file = whole_target_file(path, look, look.project.fallback, beside_others=is_config)
    except (OSError, ValueError):
        return _NONE if is_config else KnownTargets({}, path, more=True)
    names = dict[str, Path]()
    for each in file.entries:
        names.setdefault(each.name, each.home.path)
    more = bool(file.problems or file.unread) or any("{{" in name for name in names)
    at = None if is_config and not (names or more) else path
    return KnownTargets(names, at, more, frozenset(file.defaults.values()))


def entry_name(node: MappingNode) -> str | None:
    """The name of an entry of a targets file, however the dialect writes it."""
    if len(node.entries) == 1 and isinstance(node.entries[0].value, MappingNode):
        node = node.entries[0].value
    keys = ("name", "id", "label") if node.get("provider") is not None else ("label", "name", "id")
    values = (node.get(key) for key in keys)
    return next((v.text for v in values if isinstance(v, Scalar) and v.text), None)


def templates(look: TrackedLookup, directory: Path) -> dict[str, Path]:
    """The templates of evaluators in reach of `directory`, by the words that include them."""
    return look.once(("templates", directory), lambda inner: _templates(inner, directory))


def _templates(look: TrackedLookup, directory: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for place in directories_up(directory, look):
        for path in memoize_lookup(look, ("templates in", place), partial(_templates_in, place)):
            found.setdefault(path.stem, path)
    return found


def _templates_in(directory: Path, files: Files) -> tuple[Path, ...]:
    folder = directory / ".agentv" / "templates"
    return tuple(folder / name for name in files.names(folder) if name.endswith(YAML))


def template_of(look: TrackedLookup, name: str, directory: Path) -> Path | None:
    """The file of an `include`: a bare word is the name of a template, anything else a path."""
    if "/" not in name and not name.endswith(YAML):
        return templates(look, directory).get(name)
    return find_file(name.removeprefix(URL), directory, look, look.project.fallback)


def template_file(files: Files, name: str, directory: Path) -> Path | None:
    """The same, for running a suite."""
    if "/" in name or name.endswith(YAML):
        return find_file(name.removeprefix(URL), directory, files, current_directory())
    places = (
        place / ".agentv" / "templates" / f"{name}{end}" for place in directories_up(directory, files) for end in YAML
    )
    return next((place for place in places if files.is_file(place)), None)


def programs(look: TrackedLookup, kind: str, directory: Path) -> frozenset[str]:
    """The names of the files in `.agentv/assertions`, `evaluators` or `providers` (`kind`) in reach of `directory`."""

    def make(inner: TrackedLookup) -> frozenset[str]:
        return frozenset(_stem(path.name) for path in _programs(inner, kind, directory))

    return look.once(("programs", kind, directory), make)


def installed_evaluators(look: TrackedLookup) -> frozenset[str]:
    """The evaluator types of installed packages, from their metadata; imports none of them."""

    def make(inner: TrackedLookup) -> frozenset[str]:
        from importlib.metadata import entry_points  # noqa: PLC0415  # slow, and only for unknown types

        inner.seen.add(INSTALLED)
        return frozenset(point.name for point in entry_points(group=EVALUATOR_GROUP))

    return look.once("installed evaluators", make)


def file_named(files: Files, kind: str, name: str, directory: Path) -> Path | None:
    """The nearest file that implements a custom type `name` in `.agentv/assertions`, `evaluators` or `providers` (`kind`)."""
    named = (path for path in _programs(files, kind, directory) if _stem(path.name) == name)
    return next((path for path in named if files.is_file(path)), None)


def _programs(files: Files, kind: str, directory: Path) -> Iterator[Path]:
    for place in directories_up(directory, files):
        yield from memoize_lookup(files, (kind, place), partial(_programs_in, place, kind))


def _programs_in(directory: Path, kind: str, files: Files) -> tuple[Path, ...]:
    folders = (directory / home / kind for home in HOMES)
    return tuple(folder / name for folder in folders for name in files.names(folder))


def _stem(name: str) -> str:
    """The type that a file implements: its name without the extension of a program."""
    path = PurePath(name)
    return path.stem if path.suffix in _PROGRAMS else name
