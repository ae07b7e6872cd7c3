"""What a patch of a stored report needs to know of each of its files, as plain data."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.cli.cache import Cache
from rubric_core.cli.check_result import CheckedFile, Tally
from rubric_core.cli.check_rounds import CheckedSource
from rubric_core.cli.dependencies import CHECKED, Fact
from rubric_core.cli.serialize import digest_of, dumps, needs_text, packed_use, unpacked_use
from rubric_core.cli.sources import Source
from rubric_core.language.file_kinds import FileKind, kind_named

__all__ = ["ReportIndex", "StoredFile"]


class StoredFile(NamedTuple):
    """A file of a stored check. Without a path it is a configuration, whose findings are listed and which is not patched."""

    shown: str
    path: str
    is_found: bool
    may_be_fixed: bool
    named: bool
    #: See `packed_use`.
    use: list[Any] | None
    #: The kinds as which others use it, although its name or its text says otherwise.
    declined: Sequence[str]
    #: See `digest_of`.
    references: str
    tally: Tally
    #: See `dumps`; empty if the output has nothing of it.
    row: str

    @property
    def source(self) -> Source:
        """The file as it was checked."""
        return Source(
            self.shown,
            Path(self.path),
            use=unpacked_use(self.use),
            is_found=self.is_found,
            may_be_fixed=self.may_be_fixed,
            named=self.named,
        )

    def checked(self, result: CheckedFile) -> "StoredFile":
        """The same file with another result."""
        row = dumps(result) if _is_shown(result) else ""
        return self._replace(references=digest_of(result.references), tally=result.tally, row=row)


class ReportIndex(NamedTuple):
    """The files of a stored check, and what their findings depend on."""

    #: As plain rows where they were read: `file` makes them what they are.
    files: list[StoredFile]
    #: By path, the numbers of the files whose findings depend on its content, besides itself.
    dependents: dict[str, list[int]]
    #: By path, the questions whether it is checked by itself, with their answers; see `CHECKED`.
    checks: dict[str, dict[str, bool]]
    #: See `SourceCollector.left_alone`.
    left_alone: list[str]

    @classmethod
    def of(
        cls,
        configurations: Iterable[CheckedFile],
        results: Collection[CheckedSource],
        cache: Cache,
        left_alone: Iterable[str],
    ) -> "ReportIndex":
        """The index of a check of which the `cache` has everything."""
        kinds: defaultdict[Path, set[str]] = defaultdict(set)
        for each in results:
            references = each.result.references if isinstance(each.result, CheckedFile) else None
            for path, kind in references.files.items() if references is not None else ():
                kinds[path].add(kind.name)
        index = cls([*map(_configuration, configurations)], {}, {}, [*left_alone])
        for source, result in results:
            if isinstance(result, CheckedFile):
                row, facts = cache.entry(source.shown)
                declined = sorted(kinds.get(source.path, ())) if source.use is None else ()
                index.add(_stored(source, result, row, declined), facts)
        return index

    def file(self, number: int) -> StoredFile:
        """A file by its number."""
        file = StoredFile(*self.files[number])
        return file._replace(tally=Tally(*file.tally))

    def add(self, file: StoredFile, facts: Iterable[Fact]) -> None:
        """Add a file with the facts that its findings depend on."""
        self.files.append(file)
        self.depend(len(self.files) - 1, facts)

    def depend(self, number: int, facts: Iterable[Fact]) -> None:
        """Add facts that the findings of a file depend on."""
        for fact in facts:
            if fact.is_of_content:
                numbers = self.dependents.setdefault(fact.path, [])
                if not numbers or numbers[-1] != number:
                    numbers.append(number)
            asked = {question: bool(told) for question, told in fact.answers.items() if question.startswith(CHECKED)}
            if asked:
                self.checks.setdefault(fact.path, {}).update(asked)

    def tallies(self) -> Iterator[Tally]:
        """What each file adds to the result."""
        return (Tally(*row[-2]) for row in self.files)

    def declines(self, number: int) -> list[FileKind]:
        """See `StoredFile.declined`."""
        return [kind_named(name) for name in self.file(number).declined]


def _is_shown(result: CheckedFile) -> bool:
    return needs_text(result) or bool(result.passed_over)


def _configuration(checked: CheckedFile) -> StoredFile:
    return StoredFile(checked.path, "", False, False, False, None, (), "", checked.tally, dumps(checked))


def _stored(source: Source, result: CheckedFile, row: str, declined: Sequence[str]) -> StoredFile:
    return StoredFile(
        source.shown,
        str(source.path),
        source.is_found,
        source.may_be_fixed,
        source.named,
        packed_use(source.use),
        declined,
        digest_of(result.references),
        result.tally,
        row if _is_shown(result) else "",
    )
