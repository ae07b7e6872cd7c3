"""Facts about every suite of the workspace: the keys and values it uses, and the files it refers to."""

from collections.abc import Collection, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.usage_counts import Counts, count
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_lsp.documents.file_report import PackedCounts, Word
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.block_memo import blocks_of

__all__ = ["SuiteSurvey", "SurveyedSuite"]

_BESIDE = frozenset({
    FileKind.TARGETS, FileKind.CONFIG, FileKind.CASES, FileKind.TEMPLATE, FileKind.DEFAULTS, FileKind.DEFAULT_TEST, FileKind.DATASET,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SurveyedSuite:
    """What the survey needs of one version of a suite."""

    snapshot: Snapshot
    usage: PackedCounts
    #: The eval and targets files on which it depends.
    beside: frozenset[Path]
    #: The prompts that it refers to, with its dialect.
    prompts: Mapping[Path, str]
    #: The files that a promptfoo configuration refers to.
    promptfoo: Mapping[Path, FileKind]
    #: What it defines for its prompt files.
    defined_names: DefinedNames | None


class SuiteSurvey:
    """Facts about each suite, cached until it or its dependencies change, and the usage counts of all suites."""

    def __init__(self, documents: ClientWorkspace, index: ProjectIndex) -> None:
        self._documents = documents
        self._index = index
        self._suites: dict[str, SurveyedSuite] = {}
        #: A single object for each word that suites use.
        self._words: dict[Word, Word] = {}

    def suite(self, snapshot: Snapshot) -> SurveyedSuite:
        """The facts about a suite, computed once for each version of its text and its dependencies."""
        known = self._suites.get(snapshot.uri)
        if known is None or known.snapshot is not snapshot:
            self._count(known, -1)
            is_file = self._index.project.look().is_file
            beside = frozenset(path for path in _beside(snapshot.analysis) if is_file(path))
            usage = self._usage(snapshot, known)
            named = snapshot.refers_to if snapshot.file_kind is FileKind.PROMPTFOO else {}
            known = SurveyedSuite(
                snapshot, usage, beside, _prompts(snapshot.analysis), named, snapshot.analysis.defined_names
            )
            self._suites[snapshot.uri] = known
            self._count(known, 1)
        return known

    def _usage(self, snapshot: Snapshot, known: SurveyedSuite | None) -> PackedCounts:
        """The usage counts of a suite; reused if only other files have changed."""
        made_from = _usage_key(snapshot)
        if known is not None and made_from and known.usage.made_from == made_from:
            return known.usage
        return PackedCounts(_usage(snapshot), made_from, self._words)

    def _count(self, suite: SurveyedSuite | None, times: int) -> None:
        """Add the usage counts of a suite to the total, or subtract them."""
        every = self._documents.usage
        for word, number in suite.usage.items() if suite is not None else ():
            every[word] += times * number
            if not every[word]:
                del every[word]

    def keep_only(self, uris: Collection[str]) -> None:
        """Forget the suites with other URIs, which no longer exist."""
        for uri in [uri for uri in self._suites if uri not in uris]:
            self._count(self._suites.pop(uri), -1)


def _usage_key(snapshot: Snapshot) -> tuple[object, ...]:
    """Equal for two versions of a closed file with equal usage counts; empty for an open document."""
    if snapshot.cache is None:
        return ()
    text = blake2b(snapshot.document.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return (text, snapshot.analysis.dialect.name, snapshot.analysis.kind)


def _usage(snapshot: Snapshot) -> Counts:
    """The usage counts of a suite."""
    found = Counts()
    if snapshot.cache is not None:  # a closed file is counted once
        for local in blocks_of(snapshot.analysis):
            found.update(count(local.every))
        return found
    for _, counts in snapshot.kept.usage.of(snapshot.analysis):
        found.update(counts)
    return found


def _beside(analysis: Analysis) -> Iterator[Path]:
    yield from analysis.case_files
    if analysis.kind is FileKind.PROMPTFOO:
        yield from analysis.refers_to
    yield from (path for path in analysis.depends_on if kind_by_name(path) in _BESIDE)


def _prompts(analysis: Analysis) -> dict[Path, str]:
    return {path: analysis.dialect.name for path, kind in analysis.refers_to.items() if kind is FileKind.PROMPT}
