"""`rubric check --watch`: the findings of now, again whenever something changes."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from rubric_core.cli.checked import Checked, Round
from rubric_core.cli.checker import Checker
from rubric_core.cli.printing import frames, summary
from rubric_core.cli.sources import Source, Sources
from rubric_core.cli.style import Style
from rubric_core.configuration import Configuration

__all__ = ["Watching", "watch"]

#: Seconds between two looks at the files, and between two searches for new ones.
LOOK, SEARCH = 0.2, 2.0
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"

_Stamp = tuple[int, int, Configuration]


def watch(checker: Checker, sources: Callable[[], Sources]) -> int:
    """Look until Ctrl-C."""
    watching = Watching(checker, sources)
    try:
        while True:
            if watching.look():
                watching.show()
            time.sleep(LOOK)
    except KeyboardInterrupt:
        print("\n" if sys.stdout.isatty() else "", end="")
        return 0


class Watching:
    """What is known of the files, and when each changed last."""

    def __init__(self, checker: Checker, sources: Callable[[], Sources], *, search: float = SEARCH) -> None:
        self._search_every = search
        self._checker = checker
        self._sources = sources
        self._searched = float("-inf")
        self._found: list[Source] = []
        self._stamps: dict[Source, _Stamp | None] = {}
        self._known: dict[Source, Checked | str] = {}
        self._failures: tuple[str, ...] | None = None
        self._seconds = 0.0

    def look(self) -> bool:
        """Check what has changed since the last look; whether there was anything."""
        begun = time.monotonic()
        changed = self._search() if begun - self._searched >= self._search_every else False
        configurations: dict[Path, Configuration] = {}
        for source in self._found:
            folder = source.path.parent
            if folder not in configurations:
                configurations[folder] = self._checker.configuration(source)
            stamp = _stamp(source, configurations[folder])
            if source not in self._known or stamp != self._stamps.get(source):
                self._stamps[source] = stamp
                self._known[source] = self._checker.attempt(source)
                changed = True
        if changed:
            self._seconds = time.monotonic() - begun
        return changed

    def _search(self) -> bool:
        sources = self._sources()
        found, failures = list(sources.found()), tuple(sources.failures)
        different = (found, failures) != (self._found, self._failures)
        self._found, self._failures = found, failures
        self._known = {source: known for source, known in self._known.items() if source in set(found)}
        self._searched = time.monotonic()
        return different

    def show(self) -> None:
        """Print everything that is known, on a clear screen."""
        known = [self._known[source] for source in self._found]
        files = (*self._checker.configurations(self._found), *(k for k in known if isinstance(k, Checked)))
        failures = (*(self._failures or ()), *(k for k in known if isinstance(k, str)))
        style = Style.of()
        lines = [*(f"{text}\n" for text in frames(files, style)), *(f"rubric: {failure}" for failure in failures)]
        lines.append(summary(Round(files, failures, self._seconds)))
        lines.append(style.paint("Waiting for changes; Ctrl-C ends", "dim"))
        print((_CLEAR if sys.stdout.isatty() else "") + "\n".join(lines), flush=True)


def _stamp(source: Source, configuration: Configuration) -> _Stamp | None:
    """What is different when the findings may be."""
    try:
        status = source.path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, configuration
