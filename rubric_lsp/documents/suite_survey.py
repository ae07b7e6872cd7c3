"""Facts about every suite of the workspace: the keys and values it uses, and the files it refers to."""

from collections.abc import Collection
from hashlib import blake2b

from rubric_core.analysis.file_uses import OutgoingReferences, references_of
from rubric_core.language.usage_counts import Counts, count
from rubric_core.lazy_compilation import dataclass
from rubric_lsp.documents.file_report import PackedCounts, Word
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.block_memo import blocks_of

__all__ = ["SuiteSurvey", "SurveyedSuite"]


@dataclass(frozen=True, slots=True)
class SurveyedSuite:
    """What the survey needs of one version of a suite."""

    snapshot: Snapshot
    usage: PackedCounts
    #: The files that it refers to.
    references: OutgoingReferences


class SuiteSurvey:
    """Facts about each suite, cached until it or its dependencies change, and the usage counts of all suites."""

    def __init__(self, documents: ClientWorkspace) -> None:
        self._documents = documents
        self._suites: dict[str, SurveyedSuite] = {}
        #: What other files refer to.
        self._related: dict[str, tuple[Snapshot, OutgoingReferences]] = {}
        #: A single object for each word that suites use.
        self._words: dict[Word, Word] = {}

    def suite(self, snapshot: Snapshot) -> SurveyedSuite:
        """The facts about a suite, computed once for each version of its text and its dependencies."""
        known = self._suites.get(snapshot.uri)
        if known is None or known.snapshot is not snapshot:
            self._count(known, -1)
            known = SurveyedSuite(snapshot, self._usage(snapshot, known), references_of(snapshot.analysis))
            self._suites[snapshot.uri] = known
            self._count(known, 1)
        return known

    def references(self, snapshot: Snapshot) -> OutgoingReferences:
        """What a file that is no suite refers to, computed once for each version."""
        known = self._related.get(snapshot.uri)
        if known is None or known[0] is not snapshot:
            known = self._related[snapshot.uri] = snapshot, references_of(snapshot.analysis)
        return known[1]

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

    def keep_related(self, uris: Collection[str]) -> None:
        """Forget the other files with other URIs."""
        self._related = {uri: known for uri, known in self._related.items() if uri in uris}

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
