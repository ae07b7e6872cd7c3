"""Template variables across files: where they get their values, and where they are used, also in prompt files."""

from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path

from rubric_core.analysis import LocalText
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape, children
from rubric_core.language.variables import FILLED_BY, STANDS_FOR
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.files import absolute
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.text import Span
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.block_memo import blocks_of
from rubric_lsp.features.name_occurrence import NameOccurrence

__all__ = ["Places", "VariableIndex", "VariableValue", "is_prompt"]

Places = list[tuple[Snapshot, NameOccurrence]]
#: A prompt that is used by a thousand cases has a thousand values for each name.
_MOST = 200
#: The number of the text around the cases, as in `LocalText`.
_FRAME = -1


@dataclass(frozen=True, slots=True)
class VariableValue:
    """A value of a variable: its key and file, the case (empty for every case), and the value as written."""

    where: Snapshot
    span: Span
    case: str
    text: str
    #: Whether an author chose the name; else the engine fills it in from the fields of the case.
    named: bool


@dataclass
class _Use:
    """The occurrences of a variable in a document, and the prompts that use it, by block numbers."""

    places: dict[int, list[NameOccurrence]] = field(default_factory=dict)
    prompts: dict[int, list[Snapshot]] = field(default_factory=dict)

    @property
    def around_cases(self) -> bool:
        """Whether it occurs in the text around the cases, which every case inherits."""
        return _FRAME in self.places or _FRAME in self.prompts


def is_prompt(snapshot: Snapshot) -> bool:
    """Whether a document may be a prompt by its name, or is one by a file that names it."""
    named = snapshot.path is not None and kind_by_name(snapshot.path) is FileKind.PROMPT
    return named or (snapshot.is_ours and snapshot.file_kind.is_template)


class VariableIndex:
    """Follows template variables through suites, their case files and their prompts."""

    def __init__(self, around: ProjectIndex) -> None:
        self._around = around

    async def uses(self, prompt: Snapshot) -> Places:
        """Every place where a suite or one of its case files refers to a prompt."""
        return [
            (document, name)
            async for document in self._documents()
            for _, name in self._file_names(document)
            if self._leads_to(document, name, prompt)
        ]

    async def everywhere(self, snapshot: Snapshot, name: NameOccurrence) -> Places:
        """Every occurrence of the variable at `name` in files of AgentV."""
        documents = [each async for each in self._documents()]
        uses = {_key(each): self._use(each, name.name) for each in documents}
        taken_over = {_key(f): s for s in documents for f in self._case_files(s) if uses[_key(s)].around_cases}
        found: dict[object, tuple[Snapshot, set[int]]] = {}
        waiting = [(snapshot, {snapshot.analysis.local(name.span.start).number})]
        while waiting:
            here, blocks = waiting.pop()
            key = _key(here)
            use = uses.setdefault(key, self._use(here, name.name))
            if use.around_cases or key in taken_over:
                blocks = {_FRAME, *use.places, *use.prompts}
            _, done = found.setdefault(key, (here, set()))
            new = blocks - done
            if not new:
                continue
            done |= new
            waiting += [(prompt, {_FRAME}) for number in new for prompt in use.prompts.get(number, ())]
            if is_prompt(here):
                waiting += [(s, own) for s in documents if (own := self._blocks_with(here, uses[_key(s)]))]
            if use.around_cases:
                waiting += [(cases, {_FRAME}) for cases in self._case_files(here)]
            if key in taken_over:
                waiting.append((taken_over[key], {_FRAME}))
        return [
            (document, each)
            for key, (document, blocks) in found.items()
            for number, names in uses[key].places.items()
            if number in blocks
            for each in names
        ]

    async def values(self, snapshot: Snapshot, name: NameOccurrence) -> list[VariableValue]:
        """The values of the variable at `name`, in the nearest place only."""
        if not is_prompt(snapshot):
            return self._values(snapshot, name.name, {snapshot.analysis.local(name.span.start).number})[:_MOST]
        found: list[VariableValue] = []
        async for document in self._documents():
            named = {number for number, n in self._file_names(document) if self._leads_to(document, n, snapshot)}
            found += self._values(document, name.name, named) if named else ()
            if len(found) >= _MOST:
                break
        return list(dict.fromkeys(found))[:_MOST]

    # -- documents ----------------------------------------------------------------------------------------------------

    async def _documents(self) -> AsyncIterator[Snapshot]:
        """Every suite and case file, each with its YAML documents."""
        seen = set[object]()
        async for suite in self._around.suites():
            if not is_prompt(suite):
                for each in (*suite.parts, *self._case_files(suite)):
                    if _key(each) not in seen:
                        seen.add(_key(each))
                        yield each

    def _case_files(self, suite: Snapshot) -> list[Snapshot]:
        return [s for path in suite.case_files if (s := self._around.at(path)) is not None]

    def _file_names(self, document: Snapshot) -> Iterator[tuple[int, NameOccurrence]]:
        """The file names that could be prompts, with the numbers of their blocks."""
        for local, names in document.names({"file"}):
            for each in names:
                if each.kind == "file":
                    yield local.number, each.moved(local.outer(each.span))

    def _files(self, document: Snapshot) -> Iterator[tuple[int, Path]]:
        """The files that names in a document refer to, with the numbers of the blocks."""
        for number, each in self._file_names(document):
            for path in self._around.files_of(document.path, each) if document.path is not None else ():
                yield number, path

    def _leads_to(self, document: Snapshot, name: NameOccurrence, prompt: Snapshot) -> bool:
        """Whether a name in a document refers to a prompt."""
        found = self._around.files_of(document.path, name) if document.path is not None else []
        return any((absolute(path), 0) == _key(prompt) for path in found)

    def _use(self, document: Snapshot, variable: str) -> _Use:
        use = _Use()
        for local, names in document.names({"variable"}):
            for each in names:
                if each.kind == "variable" and each.name == variable:
                    use.places.setdefault(local.number, []).append(each.moved(local.outer(each.span)))
        if is_prompt(document) or document.path is None:
            return use
        for number, path in self._files(document):
            if kind_by_name(path) is FileKind.PROMPT:
                prompt = self._around.at(absolute(path))
                if prompt is not None and any(
                    n.kind == "variable" and n.name == variable for _, ns in prompt.names({"variable"}) for n in ns
                ):
                    use.prompts.setdefault(number, []).append(prompt)
        return use

    @staticmethod
    def _blocks_with(prompt: Snapshot, use: _Use) -> set[int]:
        return {number for number, prompts in use.prompts.items() if any(_key(p) == _key(prompt) for p in prompts)}

    # -- values -------------------------------------------------------------------------------------------------------

    def _values(self, document: Snapshot, variable: str, blocks: set[int]) -> list[VariableValue]:
        """The values from the cases of some blocks; around the cases, from all cases, included ones too."""
        every = _FRAME in blocks
        documents = [document, *(self._case_files(document) if every else ())]
        looked = [(d, local) for d in documents for local in blocks_of(d.analysis) if every or local.number in blocks]
        found = [v for d, local in looked for v in _values_in_vars(d, local, variable)]
        if not found and not every:
            found = [
                v
                for local in islice(blocks_of(document.analysis), 1)
                for v in _values_in_vars(document, local, variable)
            ]
        return found or [v for d, local in looked for v in _values_from_case_fields(d, local, variable)]


def _key(snapshot: Snapshot) -> object:
    """Equal for all versions of the same YAML document."""
    path = snapshot.path
    return (absolute(path) if path is not None else snapshot.uri, snapshot.first_line)


def _values_in_vars(document: Snapshot, local: LocalText, variable: str) -> Iterator[VariableValue]:
    """The values under `vars`."""
    for shape in (s for root in local.shapes for s in children(root) if s.stands_for in ("case", "defaults")):
        node = shape.places["vars"].node if shape.has("vars") else None
        for entry in node.entries if isinstance(node, MappingNode) else ():
            if entry.name == variable:
                yield _value(document, local, shape, entry.key.span, entry.value.span, named=True)


def _values_from_case_fields(document: Snapshot, local: LocalText, variable: str) -> Iterator[VariableValue]:
    """The fields of the cases, for the variables that the engine fills in from them."""
    if variable not in document.analysis.dialect.properties.template_variables or variable.startswith("rubric"):
        return
    field_of_case = FILLED_BY.get(STANDS_FOR.get(variable, "answer"), "")
    for case in (s for root in local.shapes for s in children(root) if isinstance(s, Case)):
        place = case.places.get(field_of_case)
        if place is not None and not place.borrowed:
            yield _value(document, local, case, place.key, place.value, named=False)


def _value(
    document: Snapshot, local: LocalText, shape: Shape, name: Span, value: Span, *, named: bool
) -> VariableValue:
    case = vars(shape).get(shape.named_by)
    written = local.text[value.start : value.end]
    return VariableValue(document, local.outer(name), case if isinstance(case, str) else "", written, named)
