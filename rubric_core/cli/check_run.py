"""One check of the given files and of the files that they refer to."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Language
from rubric_core.cli.check_result import CheckedFile, CheckRound
from rubric_core.cli.check_rounds import CheckedSource, check_with_used_files
from rubric_core.cli.file_checker import CheckOptions, FileChecker
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.dataclass_copies import field_values
from rubric_core.disk import DiskFiles
from rubric_core.lazy_compilation import replace
from rubric_core.loading.files import absolute
from rubric_core.loading.project import Project
from rubric_core.user_dirs import cache_folder

if TYPE_CHECKING:
    from rubric_core.cli.cache import Cache
    from rubric_core.cli.check_inputs import CheckInputs, DiskTime
    from rubric_core.cli.dependencies import Fact
    from rubric_core.cli.report_index import ReportIndex

__all__ = ["CheckRun"]

#: Reading a cache takes as long as analysing this many files.
_FEWEST = 24


class CheckRun:
    """Checks the files of some paths, once."""

    def __init__(
        self,
        language: Language,
        configurations: Configurations,
        wishes: CheckOptions,
        sources: SourceCollector,
        since: "Callable[[], DiskTime | None]" = lambda: None,
    ) -> None:
        """`since` tells the time of the disk at the beginning of the check; None where it is not known."""
        self._language = language
        self._configurations = configurations
        self._wishes = wishes
        self._sources = sources
        self._begun, self._since = time.monotonic(), since
        #: Everything that the check depended on, and what a patch of it needs; None if uncertain or unknown.
        self.inputs: CheckInputs | None = None
        self.index: ReportIndex | None = None
        self._found: list[Source] = []
        self._project: Project | None = None
        self._cache: Cache | None = None
        self._checker: FileChecker | None = None

    def round(self, *, cached: bool) -> CheckRound:
        """The result; `cached`: whether cached findings may be used and stored."""
        found = list(self._sources.found())
        found += self._sources.users()
        if len(found) >= _FEWEST and all(source.is_file for source in found):
            results, checker = self._check_batch(found, cached=cached)
        else:
            results, checker = self._one_by_one(found)
        found = self._found = [each.source for each in results]
        self._project = checker.project
        files = (each.result for each in results if isinstance(each.result, CheckedFile))
        failures = (each.result for each in results if isinstance(each.result, str))
        configurations = [*checker.configurations(found)]
        seconds = time.monotonic() - self._begun
        if self.inputs is not None and self._cache is not None:
            from rubric_core.cli.report_index import ReportIndex  # noqa: PLC0415  # a few files need none of this

            self.index = ReportIndex.of(configurations, results, self._cache, self.left_alone)
        return CheckRound((*configurations, *files), (*self._sources.failures, *failures), seconds)

    def source(self, shown: str) -> Source:
        """A checked file, as it is used by others."""
        return next(each for each in self._found if each.shown == shown)

    @property
    def left_alone(self) -> list[str]:
        """See `SourceCollector.left_alone`."""
        return self._sources.left_alone

    def left_out(self) -> Iterator[str]:
        """See `Discovery.left_out`."""
        return self._sources.left_out({str(absolute(source.shown)) for source in self._found})

    def _look_up_inputs(self, cache: "Cache", checker: FileChecker, found: Sequence[Source]) -> "CheckInputs | None":
        if self._sources.failures or self._sources.around.folders:
            return None
        by_name = {source.shown: source for source in found}
        if not cache.is_about(by_name):
            return None
        from rubric_core.cli.input_collection import inputs_of  # noqa: PLC0415  # a few files need none of this

        def made(names: Collection[str], facts: "Iterable[Fact]") -> "CheckInputs | None":
            several = [by_name[name] for name in names]
            used = {checker.configuration(source).path for source in several}
            folder = cache_folder(self._sources.names)
            root = None if folder is None else folder.parent.parent
            return inputs_of(self._sources, several, [path for path in used if path is not None], facts, root)

        return cache.inputs(made)

    def unfixed(self, shown: str) -> CheckedFile | str:
        """A file as it is on disk, after its fixes could not be written; see `FileChecker.attempt`."""
        wishes = replace(self._wishes, fix=False)
        source = self.source(shown)
        return FileChecker(self._language, self._configurations, wishes, self._project).attempt(source)

    def _one_by_one(self, found: list[Source]) -> tuple[list[CheckedSource], FileChecker]:
        checker = FileChecker(self._language, self._configurations, self._wishes)
        checker.register(self._sources, found)
        results = check_with_used_files(self._sources, found, lambda several: map(checker.attempt, several))
        return results, checker

    def _check_batch(self, found: list[Source], *, cached: bool) -> tuple[list[CheckedSource], FileChecker]:
        # Not needed for few files.
        from rubric_core.cli.cache import Cache  # noqa: PLC0415
        from rubric_core.cli.dependencies import RecordingProject  # noqa: PLC0415
        from rubric_core.cli.file_batch import FileBatch  # noqa: PLC0415

        wishes = [sorted(each) if isinstance(each, frozenset) else each for _, each in field_values(self._wishes)]
        kind = (wishes, self._sources.names, self._sources.folders)
        cache = self._cache = Cache.of(self._sources.names, kind) if cached else None
        project = RecordingProject(DiskFiles(), Path.cwd()) if cache is not None else None
        checker = self._checker = FileChecker(self._language, self._configurations, self._wishes, project)
        checker.register(self._sources, found)
        batch = FileBatch(checker, project, cache)
        results = check_with_used_files(self._sources, found, batch.results)
        if cache is not None:
            inputs = self.inputs = self._look_up_inputs(cache, checker, [each.source for each in results])
            for _ in range(2):  # a first check creates the folder whose disk tells the time
                since = self._since()
                cache.depends_on(inputs, since)
                cache.save()
                if since is not None or inputs is None:
                    break
        return results, checker
