"""Checks many files: unchanged ones from the cache, the rest in several processes."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.cli.cache import Cache, CacheEntry
from rubric_core.cli.cache_files import digest
from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.dependencies import CurrentFacts, Fact, RecordingProject
from rubric_core.cli.file_checker import FileChecker
from rubric_core.cli.masked_findings import with_hidden_spans
from rubric_core.cli.parallel import parallel_map
from rubric_core.cli.serialize import dumps, loads, needs_text, packed_use
from rubric_core.cli.sources import Source
from rubric_core.configuration import CONFIGURATION_FILES, Configuration
from rubric_core.disk import DiskFiles
from rubric_core.loading.files import UnreadableError

__all__ = ["FileBatch"]


class _Sent(NamedTuple):
    """Findings from another process, as text, which is cheap to send."""

    row: str
    #: Empty if the findings can be shown without the text.
    text: str
    #: See `Cache.keep`; None if it cannot be cached.
    state: str | None
    facts: tuple[int, ...] | None
    news: list[tuple[int, Fact]]


class FileBatch:
    """Checks files of one round."""

    def __init__(self, checker: FileChecker, project: RecordingProject | None, cache: Cache | None) -> None:
        """`project` records what the `checker` looks up, if there is a `cache`."""
        self._checker = checker
        self._project = project
        self._cache = cache
        self._settings: dict[Path, str] = {}
        #: See `Cache.changed`.
        self._changed = cache.changed() if cache is not None else None
        if cache is not None:
            cache.compare(CurrentFacts(DiskFiles(), checker.project, self._changed).holds)

    def results(self, sources: Sequence[Source]) -> list[CheckedFile | str]:
        """The result of each file, or why it cannot be read."""
        known = [self._known(source) for source in sources]
        rest = [source for source, found in zip(sources, known, strict=True) if found is None]
        # The first file loads what nearly all need; forked processes then share it.
        checked = iter([*map(self._check, rest[:1]), *parallel_map(self._check, rest[1:])])
        return [
            self._receive(source, next(checked)) if found is None else found
            for source, found in zip(sources, known, strict=True)
        ]

    def _state(self, source: Source, text: str) -> str | None:
        """The state of a file as a key of the cache; None if it cannot be cached."""
        way = self._way(source)
        return None if way is None else f"{way}{digest(text.encode())}"

    def _way(self, source: Source) -> str | None:
        """The beginning of the state: how the file is checked, without its content."""
        if source.path.name in CONFIGURATION_FILES:
            return None
        folder = source.path.parent
        settings = self._settings.get(folder)
        if settings is None:
            settings = self._settings[folder] = _settings_of(self._checker.configuration(source))
        how = (source.shown, str(source.path), packed_use(source.use), source.named, settings)
        return digest(repr(how).encode())

    def _known(self, source: Source) -> CheckedFile | None:
        if self._cache is None or source.shown not in self._cache:
            return None
        is_unchanged = self._changed is not None and os.path.join(os.getcwd(), source.shown) not in self._changed  # noqa: PTH109, PTH118  # there are many
        if is_unchanged and (way := self._way(source)) is not None:
            row = self._cache.find(source.shown, way)
            known = None if row is None else loads(row, "")
            if known is None or not needs_text(known):
                return known
        try:
            text = source.read()
        except UnreadableError:
            return None
        state = self._state(source, text)
        row = self._cache.find(source.shown, state) if state is not None else None
        return None if row is None else loads(row, text)

    def _check(self, source: Source) -> _Sent | str:
        if self._project is not None:
            self._project.begin()
        checked = self._checker.attempt(source)
        if isinstance(checked, str):
            return checked
        text = checked.document.text if checked.before is None else checked.before
        state = self._state(source, text) if self._project is not None else None
        facts = self._project.facts() if self._project is not None else None
        news = self._project.news() if self._project is not None else []
        return _Sent(dumps(with_hidden_spans(checked)), text if needs_text(checked) else "", state, facts, news)

    def _receive(self, source: Source, sent: _Sent | str) -> CheckedFile | str:
        if isinstance(sent, str):
            return sent
        if self._cache is not None:
            self._cache.learn(sent.news)
            if sent.state is not None and sent.facts is not None:
                self._cache.keep(source.shown, CacheEntry(sent.state, sent.facts, sent.row))
        return loads(sent.row, sent.text)


def _settings_of(configuration: Configuration) -> str:
    """The text and the path of a configuration."""
    return f"{configuration.path}:{digest(configuration.document.text.encode())}" if configuration.path else ""
