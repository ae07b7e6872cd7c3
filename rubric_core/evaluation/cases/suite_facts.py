"""Facts shared by the cases of one suite, computed once on demand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.cases.by_identity import ByIdentity
from rubric_core.evaluation.cases.text_facts import TextFacts
from rubric_core.evaluation.judging.lazy_recordings import LazyRecordings
from rubric_core.evaluation.model.metadata import metadata_of_suite
from rubric_core.evaluation.model.redaction import GrowingRedactor, Redactor
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.templating.custom_filters import CustomFilters
from rubric_core.language.model import Suite
from rubric_core.syntax.tree import Node

__all__ = ["FileStamp", "FilledSuite", "InheritedText", "SuiteFacts", "SuiteReferences", "TargetEntries", "WrittenCase"]


#: Shorter texts are searched faster than they are remembered.
_SHORT = 1_000


class InheritedText(NamedTuple):
    """The text that every case of a suite inherits, as it enters its fingerprint."""

    of: Suite
    #: As JSON, or its hash.
    text: str
    #: The file URLs in it.
    addresses: tuple[str, ...]
    #: Those among its cases and scenarios.
    lists: tuple[str, ...]


class WrittenCase(NamedTuple):
    """A case as it enters its fingerprint, and that of each of its rows."""

    #: As JSON.
    text: str
    #: The file URLs in it.
    addresses: tuple[str, ...]


class TargetEntries(NamedTuple):
    """The entries of targets, as they enter fingerprints."""

    #: The targets that they belong to.
    of: Targets
    shown: Sequence[Mapping[str, Any]]
    #: As JSON, or its hash.
    text: str


class FileStamp(NamedTuple):
    """What tells that a file is as it was read."""

    #: The identity of the disk that it is read from: an editor has texts of its own.
    disk: int
    inode: int
    size: int
    #: The time of its last change, in nanoseconds.
    changed: int


class SuiteReferences(NamedTuple):
    """What the references in a suite read of a case."""

    #: The names of values; None if only the whole case tells.
    names: frozenset[str] | None


class FilledSuite(NamedTuple):
    """A suite with the values of an environment in place of its references."""

    of: Suite
    suite: Suite
    #: Why it cannot be filled in; empty if it is.
    trouble: str = ""


@dataclass(eq=False)
class SuiteFacts:
    """Facts about one loaded suite. None means not computed yet."""

    #: The directory of the suite at a path.
    directory: tuple[Path, Path] | None = None
    #: The identities of the shapes of a suite outside its cases.
    shapes: tuple[Suite, frozenset[int]] | None = None
    targets: Targets | None = None
    #: The targets of cases that describe targets themselves, by the places of these descriptions; each with the targets
    #: of the suite to which they were added.
    own_targets: dict[tuple[object, ...], tuple[Targets, Targets]] = field(default_factory=dict)
    #: The names of values that references in a suite outside of its cases read, see `names_read`.
    references: ByIdentity[Suite, SuiteReferences] = field(default_factory=ByIdentity)
    #: The suite with an environment filled in, for the cases without such values; else why it cannot be filled in.
    filled: ByIdentity[Mapping[str, str], FilledSuite] = field(default_factory=ByIdentity)
    #: The metadata that a suite gives to its cases.
    metadata: ByIdentity[Suite, Mapping[str, Any]] = field(default_factory=ByIdentity)
    #: For the secrets of its cases that have begun.
    secrets: GrowingRedactor = field(default_factory=GrowingRedactor)
    #: The environment with the variables that the suite sets.
    environments: ByIdentity[Mapping[str, str], Mapping[str, str]] = field(default_factory=ByIdentity)
    #: The variables whose names say that they are secret.
    secret_variables: ByIdentity[Mapping[str, str], tuple[tuple[str, str], ...]] = field(default_factory=ByIdentity)
    #: The secrets of cases, by the variables that a case and its suite name.
    redactors: ByIdentity[Mapping[str, str], dict[tuple[frozenset[str], frozenset[str]], Redactor]] = field(
        default_factory=ByIdentity
    )
    #: What was found in long texts: a case may have its text for itself, or share it with all others.
    texts: dict[str, TextFacts] = field(default_factory=dict)
    filters: CustomFilters | None = None
    recordings: LazyRecordings | None = None
    inherited: InheritedText | None = None
    #: By the nodes of cases: a case of thousands of values has as many rows.
    written: ByIdentity[object, WrittenCase] = field(default_factory=ByIdentity)
    #: By the names of the targets.
    entries: dict[tuple[str | None, ...], TargetEntries] = field(default_factory=dict)
    #: The files that a file imports.
    imports: dict[Path, tuple[Path, ...]] = field(default_factory=dict)
    #: The files named by the messages in a prompt file, verbatim.
    files_in_prompts: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    #: The files below a directory that is copied into workspaces, with their digests.
    trees: dict[Path, Mapping[str, str]] = field(default_factory=dict)
    #: The digests of long files, each with what tells that it has not changed.
    digests: dict[Path, tuple[FileStamp, str]] = field(default_factory=dict)
    #: The programs of custom provider kinds.
    provider_programs: dict[str, Path | None] = field(default_factory=dict)

    def metadata_of(self, suite: Suite, anchors: Mapping[str, Node]) -> Mapping[str, Any]:
        """The metadata for every case of a suite."""
        known = self.metadata.get(suite)
        return self.metadata.keep(suite, metadata_of_suite(suite, anchors)) if known is None else known

    def of_text(self, text: str) -> TextFacts:
        """The facts of the text of a case or of its suite."""
        known = self.texts.get(text) if len(text) >= _SHORT else None
        if known is None:
            known = TextFacts(text)
            if len(text) >= _SHORT:
                self.texts[text] = known
        return known
