"""Checks files together with those that they use, each as what it is used as."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis.file_uses import FileUses
from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.detect_file_kind import kind_by_name

__all__ = ["CheckedSource", "check_with_used_files"]

#: Files that use each other may change each other's kinds for ever.
_MOST_ROUNDS = 20
#: What the names of files say that use others.
_FIRST = (FileKind.SUITE, None)


class CheckedSource(NamedTuple):
    """A file with its result, or with the reason why it cannot be read."""

    source: Source
    result: CheckedFile | str


def check_with_used_files(
    sources: SourceCollector,
    found: Iterable[Source],
    check: Callable[[Sequence[Source]], Iterable[CheckedFile | str]],
) -> list[CheckedSource]:
    """The results of the files that were found, and of those that they use, without the files that were only read for their uses.

    Files that suites use come after these; one that turns out to be used otherwise is checked again.
    """
    uses = FileUses()
    done: dict[Path, CheckedSource] = {}
    every = list(found)
    waiting = [source for source in every if kind_by_name(source.path) in _FIRST] or every
    held = {s.path: s for s in every if kind_by_name(s.path) not in _FIRST} if waiting is not every else {}
    for _ in range(_MOST_ROUNDS):
        for source, result in zip(waiting, check(waiting), strict=True):
            done[source.path] = CheckedSource(source, result)
            uses.set(source.path, result.references if isinstance(result, CheckedFile) else None)
        used = {source.path: source for source in sources.used(uses)}
        waiting, held = [*{**held, **used}.values()], {}
        if not waiting:
            break
    shown = set(_reached(done))
    return [each for path, each in done.items() if path in shown]


def _reached(done: dict[Path, CheckedSource]) -> Iterator[Path]:
    """The files that are shown: found ones, and what these use."""
    waiting = [path for path, each in done.items() if each.source.is_found]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        yield path
        result = done[path].result
        references = result.references if isinstance(result, CheckedFile) else None
        more = [p for p in (references.files if references is not None else ()) if p in done and p not in seen]
        seen.update(more)
        waiting += more
