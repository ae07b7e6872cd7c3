"""`rubric check --watch`: checks again whenever a file changes."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rubric_core.cli.check_output import frames, summary
from rubric_core.cli.check_result import CheckedFile, CheckRound
from rubric_core.cli.check_rounds import check_with_used_files
from rubric_core.cli.file_checker import FileChecker
from rubric_core.cli.sanitize import StreamSanitizer, send_sequence
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.cli.terminal_style import TerminalStyle, columns_of
from rubric_core.configuration import Configuration
from rubric_core.loading.landmarks import every_landmark, is_any_landmark, landmark_of

__all__ = ["FileWatch", "stamp", "watch"]

#: Seconds between two checks of the files, and between two searches for new ones.
LOOK, SEARCH = 0.2, 2.0
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"

_Stamp = tuple[int, int] | None


def watch(checker: FileChecker, sources: Callable[[], SourceCollector]) -> int:
    """Check until Ctrl-C."""
    watching = FileWatch(checker, sources)
    try:
        while True:
            if watching.look():
                watching.show()
            time.sleep(LOOK)
    except KeyboardInterrupt:
        print("\n" if sys.stdout.isatty() else "", end="")
        return 0


class FileWatch:
    """The files with their results and stamps."""

    def __init__(self, checker: FileChecker, sources: Callable[[], SourceCollector], *, search: float = SEARCH) -> None:
        self._search_every = search
        self._checker = checker
        self._make_sources = sources
        self._sources = sources()
        self._searched = float("-inf")
        self._named: list[Source] = []
        self._found: list[Source] = []
        self._stamps: dict[Source, tuple[_Stamp, Configuration]] = {}
        #: The files that findings depend on, with their stamps.
        self._around: dict[Path, _Stamp] = {}
        self._known: dict[Source, CheckedFile | str] = {}
        self._failures: tuple[str, ...] | None = None
        self._seconds = 0.0

    def look(self) -> bool:
        """Check what has changed since; returns whether there is anything to show."""
        begun = time.monotonic()
        changed = self._search() if begun - self._searched >= self._search_every else False
        touched = self._touched()
        self._checker.changed(touched)
        configurations: dict[Path, Configuration] = {}

        def check(several: Sequence[Source]) -> list[CheckedFile | str]:
            nonlocal changed
            for source in several:
                changed |= self._again(source, touched, configurations)
            return [self._known[source] for source in several]

        self._found = [each.source for each in check_with_used_files(self._sources, self._named, check)]
        self._sources.start_again(self._named)
        changed |= self._known.keys() != set(self._found)
        self._known = {source: self._known[source] for source in self._found}
        needed = {p for each in self._known.values() if isinstance(each, CheckedFile) for p in each.depends_on}
        needed = {p for each in needed for p in (every_landmark(each) if is_any_landmark(each) else (each,))}
        self._around = {path: self._around[path] if path in self._around else stamp(path) for path in needed}
        if changed:
            self._seconds = time.monotonic() - begun
        return changed

    def _touched(self) -> set[Path]:
        """The changed files that others depend on."""
        now = {path: stamp(path) for path in self._around}
        touched = {path for path, stamp in now.items() if stamp != self._around[path]}
        self._around = now
        return touched.union(*map(landmark_of, touched))

    def _again(self, source: Source, touched: set[Path], configurations: dict[Path, Configuration]) -> bool:
        """Check a file if it or a dependency has changed; returns whether the output may change."""
        folder = source.path.parent
        if folder not in configurations:
            configurations[folder] = self._checker.configuration(source)
        before, now_stamp = self._known.get(source), (stamp(source.path), configurations[folder])
        own = before is None or now_stamp != self._stamps.get(source)
        if not own and not (isinstance(before, CheckedFile) and before.depends_on & touched):
            return False
        self._stamps[source] = now_stamp
        self._checker.changed([source.path])
        now = self._known[source] = self._checker.attempt(source)
        return own or _findings_or_error(before) != _findings_or_error(now)

    def _search(self) -> bool:
        self._sources = self._make_sources()
        named, failures = [*self._sources.found(), *self._sources.users()], tuple(self._sources.failures)
        different = (named, failures) != (self._named, self._failures)
        if different:
            self._checker.register(self._sources, named)
        self._named, self._failures = named, failures
        self._searched = time.monotonic()
        return different

    def show(self) -> None:
        """Clear the screen and print everything."""
        known = [self._known[source] for source in self._found]
        files = (*self._checker.configurations(self._found), *(k for k in known if isinstance(k, CheckedFile)))
        failures = (*(self._failures or ()), *(k for k in known if isinstance(k, str)))
        style = TerminalStyle.of()
        lines = [
            *(f"{text}\n" for text in frames(files, style, columns_of(sys.stdout))),
            *(f"rubric: {each}" for each in (*self._sources.left_alone, *failures)),
        ]
        lines.append(summary(CheckRound(files, failures, self._seconds)))
        lines.append(style.paint("Waiting for changes; Ctrl-C ends", "dim"))
        if sys.stdout.isatty():
            send_sequence(sys.stdout, _CLEAR)
        print(*map(StreamSanitizer(sys.stdout), lines), sep="\n", flush=True)


def stamp(path: Path) -> _Stamp:
    """A value that changes with the file; None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _findings_or_error(known: CheckedFile | str | None) -> object:
    return known.diagnostics if isinstance(known, CheckedFile) else known
