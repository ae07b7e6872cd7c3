"""The files that are sent to workers: those in the fingerprints of cases, and those needed to load the suite."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.cluster.errors import ClusterError
from rubric_core.disk import DiskFiles, read_file
from rubric_core.environment_files import is_environment_file
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.target_choice import targets_for, with_own_entries
from rubric_core.evaluation.engine.fingerprint import absolute_files_of, digests_of, fingerprint
from rubric_core.evaluation.judging.recording_paths import recordings_path
from rubric_core.evaluation.model.plan import Plan
from rubric_core.language.file_extensions import YAML
from rubric_core.loading.directory_search import configuration_files
from rubric_core.loading.files import absolute
from rubric_core.trust import real_path

__all__ = ["ShippedFile", "WorkerFiles", "differing"]

#: The hash of no content.
_EMPTY = hashlib.sha256().hexdigest()


class ShippedFile(NamedTuple):
    """A file to be sent."""

    path: str
    #: The hash of its content.
    key: str
    #: Its permissions.
    mode: int
    content: bytes


class _RecordingDisk(DiskFiles):
    """The disk; remembers the files that were found."""

    def __init__(self) -> None:
        self.found: dict[Path, None] = {}

    def read(self, path: Path, limit: int | None = None) -> bytes:
        content = super().read(path, limit)
        self.found[path] = None
        return content

    def is_file(self, path: Path) -> bool:
        found = super().is_file(path)
        if found:
            self.found[path] = None
        return found


class WorkerFiles:
    """The files of the cases of one suite, each once.

    Args:
        suite: The suite.
        plan: What the run may read.
    """

    def __init__(self, suite: LoadedSuite, plan: Plan) -> None:
        self._permitted = [*plan.roots, *(Path(each.path) for each in plan.reads)]
        self._files = _RecordingDisk()
        #: Its own facts: the suite's have cached reads, which `_files` would not see.
        self._facts = SuiteFacts()
        self._sent: set[Path] = set()
        #: Files named by absolute paths, which mean the worker's own files.
        self._absolute: set[Path] = set()
        self._directory = absolute(suite.path).parent
        for path in _read_with(suite, self._files):
            self._files.is_file(path)
        #: What loading the suite has read already, whatever a run may read, with the targets of links.
        self._loaded = {path: real_path(path) for path in self._files.found}

    def fingerprint(self, case: Runnable) -> str:
        """The fingerprint of a case; its files are among the next ones of `files`."""
        own = self._own(case)
        found = fingerprint(own, self._files, self._targets(own))
        for path in own.files_as_data:  # a worker reads the case from them
            self._files.is_file(path)
        outside = [each for each in self._files.found if each not in self._sent and self._directory not in each.parents]
        if outside:
            self._absolute |= set(absolute_files_of(own, self._files, self._targets(own)))
        return found

    def digests(self, case: Runnable) -> dict[str, str]:
        """The files of a case by their names, with the digests of their contents."""
        own = self._own(case)
        return digests_of(own, self._files, self._targets(own))

    def files(self) -> list[ShippedFile]:
        """The files that have not been returned before. Raises ClusterError for one that is not in the plan."""
        found = [path for path in self._files.found if path not in self._sent]
        self._sent.update(found)
        sent = [path for path in found if path not in self._absolute and not is_environment_file(path)]
        for path in sent:
            real = real_path(path)
            if real != self._loaded.get(path) and not any(real.is_relative_to(each) for each in self._permitted):
                raise ClusterError(
                    f"{path} is not sent to workers: {real} is outside of the folder and not in the plan"
                )
        return [_shipped(path) for path in sent]

    def _own(self, case: Runnable) -> Runnable:
        made = case.copied()
        vars(made)["facts"] = self._facts
        return made

    def _targets(self, case: Runnable):  # type: ignore[no-untyped-def]  # noqa: ANN202
        if self._facts.targets is None:
            self._facts.targets = targets_for(case, self._files)
        return with_own_entries(self._facts.targets, case)


def _read_with(suite: LoadedSuite, files: DiskFiles) -> Iterator[Path]:
    """The files that loading the suite reads."""
    yield absolute(suite.path)
    yield from map(absolute, suite.files)
    yield from (absolute(file) for each in suite.analysis.external for file in each.found.files)
    yield from (absolute(suite.path).with_suffix(end) for end in YAML)
    yield absolute(recordings_path(suite.path))
    yield from configuration_files(absolute(suite.path).parent, files)


def _shipped(path: Path) -> ShippedFile:
    if ".git" in path.parts:  # only marks the root of the repository
        return ShippedFile(str(absolute(path)), _EMPTY, 0o600, b"")
    content = read_file(path)
    return ShippedFile(
        str(absolute(path)), hashlib.sha256(content).hexdigest(), path.stat().st_mode & 0o700 | 0o400, content
    )


def differing(here: dict[str, str], there: dict[str, str]) -> Sequence[str]:
    """Phrases that name the differences between a case's files here and on a worker."""
    missing = [f"{name} is missing there" for name in here if name not in there]
    other = [f"{name} differs" for name in here if name in there and there[name] != here[name]]
    return [*missing, *other, *(f"{name} is only there" for name in there if name not in here)]
