"""Facts shared by the cases of one suite, computed once on demand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.judging.lazy_recordings import LazyRecordings
from rubric_core.evaluation.model.redaction import GrowingRedactor
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.templating.custom_filters import CustomFilters
from rubric_core.language.model import Suite

__all__ = ["InheritedText", "SuiteFacts", "TargetEntries"]


class InheritedText(NamedTuple):
    """The text that every case of a suite inherits, as it enters its fingerprint."""

    of: Suite
    #: As JSON.
    text: str
    #: The file URLs in it.
    addresses: tuple[str, ...]


class TargetEntries(NamedTuple):
    """The entries of targets, as they enter fingerprints."""

    #: The targets that they belong to.
    of: Targets
    shown: Sequence[Mapping[str, Any]]
    #: As JSON.
    text: str


@dataclass(eq=False)
class SuiteFacts:
    """Facts about one loaded suite. None means not computed yet."""

    #: The directory of the suite at a path.
    directory: tuple[Path, Path] | None = None
    #: The identities of the shapes of a suite outside its cases.
    shapes: tuple[Suite, frozenset[int]] | None = None
    targets: Targets | None = None
    #: For the secrets of its cases that have begun.
    secrets: GrowingRedactor = field(default_factory=GrowingRedactor)
    #: An environment, and its variables whose names say that they are secret.
    secret_variables: tuple[Mapping[str, str], tuple[tuple[str, str], ...]] | None = None
    filters: CustomFilters | None = None
    recordings: LazyRecordings | None = None
    inherited: InheritedText | None = None
    #: By the names of the targets.
    entries: dict[tuple[str | None, ...], TargetEntries] = field(default_factory=dict)
    #: The files that a file imports.
    imports: dict[Path, tuple[Path, ...]] = field(default_factory=dict)
    #: The files named by the messages in a prompt file, verbatim.
    files_in_prompts: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    #: The files below a directory that is copied into workspaces, with their digests.
    trees: dict[Path, Mapping[str, str]] = field(default_factory=dict)
    #: The programs of custom provider kinds.
    provider_programs: dict[str, Path | None] = field(default_factory=dict)
