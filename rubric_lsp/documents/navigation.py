"""Definition, references and rename, across files."""

from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

from rubric_core.language.file_extensions import DATASETS, TABLES
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.directory_search import function_of
from rubric_core.loading.files import absolute
from rubric_core.loading.program_symbols import place_of_function
from rubric_core.text import Edit, Span
from rubric_lsp.documents.family_names import names_of
from rubric_lsp.documents.name_scope import NameScope, name_scope
from rubric_lsp.documents.name_uses import NameUses, uses
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.rename_obstacles import obstacle
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.documents.template_variables import Places, VariableIndex, VariableValue, is_prompt
from rubric_lsp.features.family_editor import editor_named, editor_of
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence
from rubric_lsp.features.names import FILES, name_at, occurrences
from rubric_lsp.features.renaming import RENAMED, objection, written_name
from rubric_lsp.protocol.errors import REQUEST_FAILED, RequestFailedError

__all__ = ["Navigation", "links"]


class Navigation:
    """Follows names through the documents of a workspace."""

    def __init__(self, around: ProjectIndex) -> None:
        self._around = around
        self._variables = VariableIndex(around)

    async def here(self, snapshot: Snapshot, offset: int) -> list[NameOccurrence]:
        """Every occurrence of the name at `offset` in the same document."""
        name = await self.name_at(snapshot, offset)
        if name is None or name.kind in FILES:
            return []
        return list(occurrences(snapshot.analysis, name, snapshot.names()))

    async def name_at(self, snapshot: Snapshot, offset: int) -> NameOccurrence | None:
        """The name at `offset`; None in a text that no suite uses."""
        return name_at(snapshot.analysis, offset) if await self._is_ours(snapshot) else None

    async def _is_ours(self, snapshot: Snapshot) -> bool:
        if snapshot.is_ours or snapshot.path is None:
            return snapshot.is_ours
        if is_prompt(snapshot):
            return bool(await self._variables.uses(snapshot))
        # Tables of AgentV are checked with their suites only, and data that is open alone before anything has named it.
        if snapshot.path.suffix.lower() not in (*TABLES, *DATASETS, ".json"):
            return False
        path = absolute(snapshot.path)
        return any([path in (*suite.refers_to, *suite.case_files) async for suite in self._around.suites()])

    async def values(self, snapshot: Snapshot, name: NameOccurrence) -> list[VariableValue]:
        """Where a template variable gets its values."""
        return await self._variables.values(snapshot, name)

    async def definition(self, snapshot: Snapshot, offset: int) -> list[tuple[Snapshot, Span]] | list[Path]:
        """Where the name at `offset` is defined, or the files that it refers to."""
        name = await self.name_at(snapshot, offset)
        if name is None:
            return []
        if name.kind == "variable":
            values = [(value.where, value.span) for value in await self.values(snapshot, name)]
            applies_to_all = is_prompt(snapshot) or snapshot.analysis.local(offset).in_frame
            if values and not (applies_to_all and _is_shared(snapshot, name)):
                return values
            return [(s, n.span) for s, n in await self._shared(snapshot, name) if n.defines] or values
        if name.kind in FILES:
            files = self._around.files_of(snapshot.path, name) if snapshot.path is not None else []
            function = function_of(name.name) if len(files) == 1 else ""
            program = self._around.at(files[0]) if function else None
            place = place_of_function(files[0], program.text, function) if program is not None else None
            return [(program, place)] if program is not None and place is not None else files
        if _is_shared(snapshot, name):
            family = snapshot.analysis.dialect.properties.engine
            return await names_of(family).definitions(self._around, snapshot, name)
        made = [(snapshot, n.span) for n in occurrences(snapshot.analysis, name, snapshot.names()) if n.defines]
        if made:
            return _nearest(made, name) if name.kind == "anchor" else made
        target = self._around.target_of(snapshot.path, name.name) if _is_target(name) and snapshot.path else None
        return [target] if target is not None else []

    async def references(self, snapshot: Snapshot, offset: int, *, declaration: bool) -> Places:
        """Every reference to the name at `offset`, in all files; for a name in a prompt, the prompt too."""
        name = await self.name_at(snapshot, offset)
        if name is None:
            return await self._variables.uses(snapshot) if is_prompt(snapshot) else []
        places = [each async for each in self._everywhere(snapshot, name)]
        return places if declaration else [(s, n) for s, n in places if not n.defines]

    async def _everywhere(
        self, snapshot: Snapshot, name: NameOccurrence
    ) -> AsyncIterator[tuple[Snapshot, NameOccurrence]]:
        if name.kind == "variable" or _is_shared(snapshot, name):
            for place in await self._shared(snapshot, name):
                yield place
            return
        if name.kind not in {"target", *FILES}:
            for found in occurrences(snapshot.analysis, name, snapshot.names()):
                yield snapshot, found
            return
        means = self._meaning(snapshot, name)
        async for suite in self._with_targets(snapshot, name):
            for local, names in suite.names({name.kind}):
                for each in names:
                    if each.kind == name.kind and _could_be(each, name) and self._meaning(suite, each) == means:
                        yield suite, each.moved(local.outer(each.span))

    async def _shared(self, snapshot: Snapshot, name: NameOccurrence) -> Places:
        """Every occurrence of a name that a suite shares with its files."""
        scope = await self._scope(snapshot, name)
        if name.kind == "variable" and name.kind not in editor_named(scope.family).shared_names:
            return await self._variables.everywhere(snapshot, name)
        return scope.places(name)

    async def _scope(self, snapshot: Snapshot, name: NameOccurrence) -> NameScope:
        return await name_scope(self._around, snapshot, name.kind, lambda other: other == name.name)

    async def _with_targets(self, snapshot: Snapshot, name: NameOccurrence) -> AsyncIterator[Snapshot]:
        """Every suite, and the files that define their targets."""
        seen: set[str] = set()
        if name.kind == "target" and snapshot.path is not None:
            found = (snapshot, name.span) if name.defines else self._around.target_of(snapshot.path, name.name)
            if found is not None:
                seen.add(found[0].uri)
                for part in _parts(found[0]):
                    yield part
        async for suite in self._around.suites():
            if suite.uri not in seen:
                for part in suite.parts:
                    yield part

    def _meaning(self, snapshot: Snapshot, name: NameOccurrence) -> object:
        """A key that is equal for two names of targets or files with the same meaning."""
        if snapshot.path is None:
            return (snapshot.uri, name.name)
        if name.kind != "target":
            return self._around.file_of(snapshot.path, name) or (snapshot.uri, name.name)
        if name.defines:
            return (snapshot.path, name.name)
        found = self._around.target_of(snapshot.path, name.name)
        return (found[0].path, name.name) if found is not None else (None, name.name)

    def uses(self, snapshot: Snapshot) -> list[NameUses]:
        """Where the cases and targets of a document are used, in the files that are indexed already."""
        known: dict[tuple[Path | None, str], Snapshot | None] = {}

        def means(other: Snapshot, name: str) -> Snapshot | None:
            key = (other.path.parent if other.path is not None else None, name)
            if key not in known:
                found = self._around.target_of(other.path, name) if other.path is not None else None
                known[key] = found[0] if found is not None else None
            return known[key]

        others = [s for s in self._around.known() if s.uri != snapshot.uri]
        return list(uses(snapshot, others, means, _sharing_cases(snapshot, others)))

    # -- renaming -----------------------------------------------------------------------------------------------------

    async def renamable(self, snapshot: Snapshot, offset: int) -> NameOccurrence | None:
        """The name at `offset`, if it can be renamed."""
        name = await self.name_at(snapshot, offset)
        return name if name is not None and name.kind in RENAMED else None

    async def rename(self, snapshot: Snapshot, offset: int, new: str) -> list[tuple[Snapshot, list[Edit]]]:
        """The edits that rename everything with the name at `offset` to `new`. Raises RequestFailedError."""
        name = await self.renamable(snapshot, offset)
        if name is None:
            raise RequestFailedError(REQUEST_FAILED, "there is no name to rename here")
        problem = objection(snapshot.analysis, name, new)
        if problem:
            raise RequestFailedError(REQUEST_FAILED, problem)
        problem = obstacle(self._around, await self._scope(snapshot, name), name, new)
        if problem:
            raise RequestFailedError(REQUEST_FAILED, problem)
        places = [each async for each in self._everywhere(snapshot, name)]
        by_engine = snapshot.analysis.dialect.properties.template_variables
        if name.kind == "variable" and name.name in by_engine and not any(each.defines for _, each in places):
            raise RequestFailedError(REQUEST_FAILED, f"{name.name} is set when the suite runs, and cannot be renamed")
        if name.kind == "variable" and _is_shared(snapshot, name) and not any(n.defines for _, n in places):
            raise RequestFailedError(
                REQUEST_FAILED, f"no variable is called {name.name} here; {snapshot.file_kind.family} fills it in"
            )
        if name.kind == "variable" and new != name.name and _hides(places, new):
            raise RequestFailedError(
                REQUEST_FAILED, f"there is already a variable {new}. Both would become one. Choose another name."
            )
        edits: dict[tuple[str, int], tuple[Snapshot, list[Edit]]] = {}
        for place, found in places:
            edits.setdefault((place.uri, place.first_line), (place, []))[1].append(written_name(found, new))
        return list(edits.values())

    # -- symbols ------------------------------------------------------------------------------------------------------

    async def symbols(self, query: str) -> Places:
        """The cases and targets of the workspace whose names contain the letters of `query` in this order."""
        found: Places = []
        async for suite in self._with_their_targets():
            for local, names in suite.names(_SYMBOLS):
                for each in names:
                    if each.defines and each.kind in _SYMBOLS and _matches(query, each.name):
                        found.append((suite, each.moved(local.outer(each.span))))
            if len(found) > _MOST_SYMBOLS:
                break
        return found

    async def _with_their_targets(self) -> AsyncIterator[Snapshot]:
        """Every suite, followed by the files that define their targets or hold their cases."""
        seen: set[Path] = set()
        files: dict[Path, None] = {}
        async for suite in self._around.suites():
            for part in suite.parts:
                yield part
            seen.update([suite.path] if suite.path is not None else [])
            files.update({p: None for p, kind in suite.refers_to.items() if kind is FileKind.TARGETS})
            files.update(dict.fromkeys(suite.case_files))
        for path in files:
            found = self._around.at(path) if path not in seen else None
            for part in found.parts if found is not None else ():
                yield part


_MOST_SYMBOLS = 2_000
_SYMBOLS: frozenset[NameKind] = frozenset({"case", "target", "description"})


def _sharing_cases(snapshot: Snapshot, others: Iterable[Snapshot]) -> list[Snapshot]:
    """The suites that include a file of cases, and the files of cases that a suite or they include."""
    here = absolute(snapshot.path) if snapshot.path is not None else None
    including = [s for s in others if here in s.case_files]
    included = {path for s in (snapshot, *including) for path in s.case_files}
    return [s for s in others if s in including or (s.path is not None and absolute(s.path) in included)]


def _hides(places: Places, new: str) -> bool:
    """Whether a text or case with one of these names has a variable with the new name."""
    for document in {id(s): s for s, _ in places}.values():
        blocks = {s.analysis.local(n.span.start).number for s, n in places if s is document}
        for local, names in document.names({"variable"}):
            if local.number in blocks and any(n.kind == "variable" and n.name == new for n in names):
                return True
    return False


def _parts(snapshot: Snapshot) -> tuple[Snapshot, ...]:
    """The YAML documents of the file of a document."""
    return (snapshot.part_of or snapshot).parts


def _is_shared(snapshot: Snapshot, name: NameOccurrence) -> bool:
    """Whether a name of a document means the same in other files."""
    return name.kind in editor_of(snapshot.analysis).shared_names


def _is_target(name: NameOccurrence) -> bool:
    return name.kind == "target" and not name.defines


def _could_be(one: NameOccurrence, other: NameOccurrence) -> bool:
    """Whether two names could have the same meaning; file names have several spellings."""
    if one.kind in FILES:
        return one.name.rpartition("/")[2] == other.name.rpartition("/")[2]
    return one.name == other.name


def _nearest(made: list[tuple[Snapshot, Span]], name: NameOccurrence) -> list[tuple[Snapshot, Span]]:
    """The anchor of an alias: the last one of its name above it."""
    above = [each for each in made if each[1].start <= name.span.start]
    return above[-1:] or made[:1]


def _matches(query: str, name: str) -> bool:
    letters: Iterator[str] = iter(name.lower())
    return all(letter in letters for letter in query.lower())


def links(around: ProjectIndex, snapshot: Snapshot) -> Iterable[tuple[Span, str]]:
    """The names in a document that refer to files, with the files."""
    if snapshot.path is None:
        return
    for local, names in snapshot.names():
        for name in names:
            path = around.file_of(snapshot.path, name) if name.kind in FILES else None
            if path is not None:
                yield local.outer(name.span), path.as_uri()
