"""Looks up files relative to a file: whether one exists, its neighbours, and the issue if it does not exist."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rubric_core.language.dialect import Dialect
from rubric_core.language.file_extensions import PROMPTS, YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL, find_directory, find_file, is_pattern, places_of
from rubric_core.loading.issues import Issue
from rubric_core.loading.project import Project, TrackedLookup
from rubric_core.loading.reference_collector import Mention
from rubric_core.loading.reference_issues import EmptyFile, MissingFile, PromptText

__all__ = ["FileLookup"]

_PROMPT = pattern(r"[^\s{}<>|*?\"']+\.(?:md|markdown|txt|j2|njk|prompt)\Z")
_NOTHING_ASKED = "agentv leaves it out of the question and only logs it"


class FileLookup:
    """Finds files as the engine does for a file at its place.

    Args:
        project: The files around it.
        path: The file.
        kind: Its kind.
        dialect: Its dialect.
        own: The target names that the file itself defines.
    """

    def __init__(
        self, project: Project, path: Path, kind: FileKind, dialect: Dialect, own: frozenset[str] = frozenset()
    ) -> None:
        self.project = project
        self.path = path
        self.directory = path.parent
        self.dialect = dialect
        self.own = own
        self.kind = kind
        #: The existing checkable files, with their kinds.
        self.led: dict[Path, FileKind] = {}
        self.key = (project, path, kind, dialect.name, own)

    def beside(self, mention: Mention) -> bool:
        """Whether the engine looks for the file of a mention in the folder of this file alone."""
        return mention.beside and self.kind.has_own_folder

    def _places(self, look: TrackedLookup, name: str, *, beside: bool) -> Iterator[Path]:
        return places_of(name.removeprefix(URL), self.directory, look, self.project.fallback, beside=beside)

    def lead(self, look: TrackedLookup, mention: Mention, kind: FileKind | None) -> None:
        """Record a checkable file with its kind."""
        places = self._places(look, mention.text, beside=self.beside(mention))
        path = next((place for place in places if look.is_file(place)), None)
        if path is not None and kind is not None and path.suffix in YAML:
            self.led.setdefault(path, kind)

    def exists(self, look: TrackedLookup, name: str, *, beside: bool = False) -> bool:
        """Whether a file or directory exists; patterns always do."""
        if is_pattern(name.removeprefix(URL)):
            return True
        return any(look.is_file(place) or look.is_directory(place) for place in self._places(look, name, beside=beside))

    def missing(
        self,
        look: TrackedLookup,
        mention: Mention,
        consequence: str,
        *,
        severity: Literal["error", "warning"] = "error",
        what: Literal["file", "directory"] = "file",
        name: str = "",
        within: tuple[str, Path] | None = None,
    ) -> MissingFile:
        """The issue of a missing file, with the content of its directory.

        Args:
            look: The files around it.
            mention: Where it is named.
            consequence: The engine's reaction.
            severity: How bad that is.
            what: What is missing.
            name: Its path, where that is not all of the mention.
            within: The directory that its path is relative to, as it is written, unless it is that of this file.
        """
        name = name or mention.text.removeprefix(URL)
        written, base = within or ("", self.directory)
        beside = within is not None or self.beside(mention)
        return MissingFile(
            span=mention.span, borrowed=mention.borrowed, node=mention.node, name=name, what=what, severity=severity,
            consequence=consequence, known=self.neighbours(look, name, base, beside=beside), beside=beside, directory=written,
            elsewhere=self.elsewhere(look, name, base, what) if beside else "",
        )  # fmt: skip

    def neighbours(self, look: TrackedLookup, name: str, base: Path, *, beside: bool) -> tuple[str, ...]:
        """The content of the directory in which the file should be, in the spelling of its path."""
        folder, slash, _ = name.removeprefix(URL).rpartition("/")
        existing = find_directory(folder or ".", base, look, beside=beside)
        return tuple(f"{folder}{slash}{n}" for n in look.names(existing)) if existing is not None else ()

    def elsewhere(self, look: TrackedLookup, name: str, base: Path, what: Literal["file", "directory"] = "file") -> str:
        """The path from `base` of a file that exists above it, or in the current directory; empty if there is none."""
        places = (
            place
            for start in dict.fromkeys((base, self.directory))
            for place in places_of(name, start, look, self.project.fallback)
        )
        files = what == "file"
        found = next((place for place in places if look.is_directory(place) or (files and look.is_file(place))), None)
        return "" if found is None else Path(os.path.relpath(found, base)).as_posix()

    def prompt(self, look: TrackedLookup, mention: Mention, *, is_aggregator: bool = False) -> Iterator[Issue]:
        """Check that a judge's prompt that is a file exists; that of an aggregator has variables of its own."""
        marked = mention.text.startswith(URL)
        if not marked and not _PROMPT.match(mention.text):
            return
        path = find_file(mention.text.removeprefix(URL), self.directory, look, self.project.fallback)
        content = look.text(path) if path is not None else None
        if path is None:
            consequence = "agentv skips the case" if marked else "agentv uses this text as the judge's prompt"
            yield self.missing(look, mention, consequence, severity="error" if marked else "warning")
        elif content is not None and not is_aggregator and _PROMPT.match(path.name):
            if path.suffix in PROMPTS:
                self.led.setdefault(path, FileKind.PROMPT)
            bare = mention.node if not (marked or self.dialect.properties.bare_prompt_paths) else None
            yield PromptText(
                span=mention.span,
                borrowed=mention.borrowed,
                text=content,
                path=path,
                bare=bare,
                checked=look.is_checked(path, FileKind.PROMPT),
            )

    def question_file(self, look: TrackedLookup, mention: Mention) -> Iterator[Issue]:
        """Check a file whose content is part of the input."""
        name = mention.text.removeprefix(URL)
        if is_pattern(name):
            return
        found = next((p for p in places_of(name, self.directory, look, self.project.fallback) if look.is_file(p)), None)
        if found is None:
            yield self.missing(look, mention, _NOTHING_ASKED)
        elif look.is_blank(found):
            yield EmptyFile(span=mention.span, borrowed=mention.borrowed, name=name)
