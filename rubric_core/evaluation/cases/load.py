"""Loads a suite with all its cases: its own, and included ones."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze, default_language
from rubric_core.dataclass_copies import replace_fields
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.case_file_reader import CaseFileReader
from rubric_core.evaluation.cases.errors import place_words, problems_by_case
from rubric_core.evaluation.cases.family_cases import cases_of
from rubric_core.evaluation.cases.invalid_entries import empty_path_entry, invalid_entries, lines_of
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite, NoSuiteError, is_program
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.registered_kinds import allow_registered_kinds
from rubric_core.evaluation.cases.runnable import Runnable, runnables
from rubric_core.evaluation.cases.scenarios import scenario_cases
from rubric_core.evaluation.model.arguments import instance
from rubric_core.evaluation.model.errors import InvalidSuiteError
from rubric_core.language.dialects import dialect_named
from rubric_core.language.file_extensions import DATASETS, YAML
from rubric_core.language.file_kinds import FileKind, LoneCase
from rubric_core.language.model import Case, Origin, Suite
from rubric_core.lazy_compilation import replace
from rubric_core.loading.case_files import cases_behind, unread_case_file
from rubric_core.loading.directory_search import current_directory
from rubric_core.loading.files import UnreadableError, read_text
from rubric_core.loading.project import Project
from rubric_core.ports import Files
from rubric_core.syntax.line_document import LineDocument
from rubric_core.text import LineIndex, Span
from rubric_core.validation.entry_lists import CaseEntry, ExternalCases

__all__ = [
    "GeneratedCases",
    "InvalidSuiteError",
    "LoadedSuite",
    "NoSuiteError",
    "load_suite",
    "suite_in",
    "with_origins",
]


def load_suite(
    path: Path | str,
    language: Language | None = None,
    project: Project | None = None,
    options: Options | None = None,
    dialect: str | None = None,
    generated: Mapping[str, GeneratedCases] | None = None,
    *,
    strict: bool = False,
) -> LoadedSuite:
    """Read a suite and every file with cases that it names. Executes nothing.

    A suite with errors is loaded, too, unless `strict` is set: they are in `errors`, and in full in `analysis.diagnostics`, of
    the returned suite; a case with errors is unscored when it is run, and cannot be graded by itself. Warnings, deprecated keys
    among them, are logged.

    Args:
        path: The suite, or a data set.
        language: The known dialects and rules of eval YAML; all of them by default.
        project: The files around it; those on disk by default.
        options: What a person asks for beyond what the suite says.
        dialect: The dialect of suites that do not name one.
        generated: The cases from its programs, see `LoadedSuite.programs`; without it, each program is one unscored entry.
        strict: Whether a suite with errors is refused.

    Raises ValueError for an unknown dialect, UnreadableError for a file that is not readable text, NoSuiteError for a file that is not a suite, and
    InvalidSuiteError for a suite with errors when `strict` is set.
    """
    options = options or Options()
    instance("options", options, Options, "an Options")
    if dialect is not None:
        dialect_named(dialect)
    path = Path(path)
    around = project or Project(DiskFiles(), current_directory())
    loader = _Loader(language or default_language(), around, options, dialect, generated=generated or {})
    if path.suffix.lower() in DATASETS:
        return with_origins(loader.dataset(path))
    suite = with_origins(loader.suite(path, loader.analysis(path)))
    if strict and suite.errors:
        raise InvalidSuiteError("\n".join(suite.errors))
    if generated is None:  # with generated cases, it was loaded before
        for said in suite.warnings:
            logging.getLogger(__name__).warning("%s", said)
    return suite


def suite_in(
    path: Path,
    analysis: Analysis,
    project: Project,
    read: Callable[[Path], str],
    options: Options | None = None,
    files: Files | None = None,
) -> LoadedSuite:
    """The suite in a text that is already analysed, as in an editor.

    Args:
        path: The path of the suite.
        analysis: The analysed text.
        project: The files around it.
        read: Gives the text of a file with cases. Raises UnreadableError.
        options: What a person asks for beyond what the suite says.
        files: Reads what else the cases are made of; by default the files of the project.

    Raises NoSuiteError for a text that is not a suite.
    """
    loader = _Loader(analysis.language, project, options or Options(), None, read, files=files)
    return loader.suite(path, analysis)


def with_origins(suite: LoadedSuite) -> LoadedSuite:
    """The suite with the origin of each case: dialect, directory, and the errors that keep it from being graded."""
    return replace(suite, cases=tuple(map(_with_origin, suite.cases)))


def _with_origin(case: Runnable) -> Runnable:
    # Target errors do not matter once there is an answer.
    errors = (f"{place}: {said}" for place, said in case.problems if not said.startswith("unknown-target:"))
    made = object.__new__(type(case.case))
    vars(made).update(vars(case.case))
    made.origin = Origin(case.dialect, case.directory, case.anchors, tuple(errors))
    return replace_fields(case, case=made)


class _Loader:
    def __init__(
        self,
        language: Language,
        project: Project,
        options: Options,
        dialect: str | None,
        read: Callable[[Path], str] = read_text,
        generated: Mapping[str, GeneratedCases] | None = None,
        files: Files | None = None,
    ) -> None:
        self.generated = generated or {}
        self.files = files or project.files
        self.language, self.project, self.options, self.dialect, self.read = language, project, options, dialect, read
        self.case_files = CaseFileReader(language, project, read)

    def suite(self, path: Path, analysis: Analysis) -> LoadedSuite:
        allow_registered_kinds(analysis, self.options.evaluators)
        family = cases_of(analysis.dialect)
        if (made := family.suite(path, analysis, self.files, self.options, self.generated)) is not None:
            return made
        if analysis.kind is not FileKind.SUITE:
            raise NoSuiteError(_not_a_suite(path, analysis))
        frame = self._frame(path, analysis)
        own = [
            replace_fields(case, facts=frame.facts, files=frame.files)
            for case in runnables(path, analysis, self.options)
        ]
        placed = [(case.case_span(case.case.span).start, [case]) for case in own]
        placed += [(stray.case.span.start, [stray]) for stray in invalid_entries(analysis, frame, None)]
        if analysis.suite is not None:
            placed += [(each.span.start, list(self._external(each, frame))) for each in analysis.external]
            if analysis.suite.has("scenarios"):
                at = frame.suite_span(analysis.suite.key_at("scenarios")).start
                placed.append((at, list(scenario_cases(frame, partial(self._behind, frame)))))
        cases = [case for _, several in sorted(placed, key=lambda p: p[0]) for case in several]
        return LoadedSuite(path, analysis, tuple(_distinct(cases)), self.case_files.known, self.generated)

    def dataset(self, path: Path) -> LoadedSuite:
        """A data set that is run on its own; a YAML file of the same name holds the settings that its cases share."""
        sidecar = next((s for end in YAML if (s := path.with_suffix(end)).is_file()), None)
        described = self.description(sidecar) if sidecar is not None else None
        suite = described.suite if described is not None else None
        analysis = self.analysis(path, described.dialect.name if described is not None and suite is not None else None)
        frame = self._frame(path, analysis)
        if suite is not None and described is not None and sidecar is not None:
            shared = tuple(problems_by_case(described, sidecar)[None])
            frame = replace(self._frame(sidecar, described), path=path, problems=shared)
        return LoadedSuite(
            path, analysis, tuple(_distinct(self._file_cases(analysis, path, frame))), self.case_files.known
        )

    def description(self, path: Path) -> Analysis | None:
        """The YAML file that describes a data set; None if the suite has its own cases."""
        found = self.analysis(path, kind=FileKind.SIDECAR)
        allow_registered_kinds(found, self.options.evaluators)
        return None if found.suite is not None and found.suite.has("cases") else found

    def analysis(self, path: Path, dialect: str | None = None, kind: FileKind | None = None) -> Analysis:
        document = self.language.document(self.read(path), path)
        return analyze(
            document, self.language, dialect=dialect or self.dialect, path=path, kind=kind, project=self.project
        )

    def _frame(self, path: Path, analysis: Analysis) -> Runnable:
        """The settings that all cases of a suite share, as an empty case."""
        text = analysis.local(0).text
        return Runnable(
            path=path, suite=analysis.suite or Suite(Span(0, 0)), case=Case(Span(0, 0)), dialect=analysis.dialect,
            dialects=self.language.dialects, suite_anchors=analysis.anchors(-1), suite_text=text,
            suite_span=lambda span: analysis.span_of(None, span), suite_line_at=lines_of(analysis),
            problems=tuple(problems_by_case(analysis)[None]), options=self.options, files=self.files,
        )  # fmt: skip

    # Cases in other files

    def _external(self, each: ExternalCases, frame: Runnable) -> Iterator[Runnable]:
        """The cases in the files of a path; an invalid placeholder case stands for a path without cases."""
        refused = unread_case_file(each.found, frame.dialect)
        if is_program(each) and each.found.files and not refused:
            yield from self._program_cases(each, frame)
            return
        trouble = refused or each.found.trouble or ("there is no such file or directory" if each.found.missing else "")
        readable = [f for f in each.found.files if f.suffix.lower() in frame.dialect.properties.case_files]
        # A broken file among those that match a pattern does not keep the others from being run.
        for file in readable if not trouble or len(each.found.files) > 1 else ():
            try:
                found = self.case_files.analysis(file, frame.dialect.name)
            except UnreadableError as error:
                trouble = str(error)
                continue
            if found is None:  # a pattern starts no programs
                trouble = f"{file.name} is a program: name it by itself, and not by a pattern"
                continue
            yield from self._file_cases(found, file, frame)
        if trouble:
            yield empty_path_entry(each, frame, trouble)

    def _behind(self, frame: Runnable, name: str, at: Span) -> Iterator[Runnable]:
        """The cases in the files of a path in a scenario."""
        found = cases_behind(self.project.look(), name, frame.directory)
        return self._external(ExternalCases(at, found, name), frame)

    def _program_cases(self, each: ExternalCases, frame: Runnable) -> Iterator[Runnable]:
        """The cases that a program generated, named by their numbers if they have no id."""
        made, file = self.generated.get(each.text), each.found.files[0]
        trouble = "a program generates them when the suite is run" if made is None else made.trouble
        if made is None or trouble:
            yield empty_path_entry(each, frame, trouble)
            return
        document = LineDocument.of(made.lines)
        found = analyze(document, self.language, dialect=frame.dialect.name, path=file, kind=FileKind.DATASET, project=self.project)  # fmt: skip
        for number, case in enumerate(self._file_cases(found, file, frame), start=1):
            yield replace(case, named=f"{file.name}-{number}", line_at=lambda _: 1)

    def _file_cases(self, analysis: Analysis, file: Path, frame: Runnable) -> Iterator[Runnable]:
        allow_registered_kinds(analysis, self.options.evaluators)
        problems = problems_by_case(analysis, file)
        # A case in its own file and cases in a flow sequence are not block items.
        entries = analysis.cases or [CaseEntry(s, "", -1, 0) for s in analysis.local(0).shapes if isinstance(s, Case)]
        table = self.case_files.tables.get(file)
        line_at = lines_of(analysis) if table is None else _lines_in(table[0])
        for entry in entries:
            outer = _outer(analysis, entry) if table is None else _always(table[1][entry.block])
            block = analysis.document.blocks[entry.block].text if entry.block >= 0 else analysis.local(0).text
            yield replace(
                frame, case=entry.case, dialect=analysis.dialect, anchors=analysis.anchors(entry.block), text=block,
                case_span=outer, line_at=line_at, file=None if file == frame.path else file,
                named=file.parent.name if isinstance(entry.case, LoneCase) else "", renamed=entry.name if entry.case.id else "",
                problems=(*frame.problems, *problems[None], *problems.get(entry, ())),
            )  # fmt: skip
        yield from invalid_entries(analysis, frame, None if file == frame.path else file)


def _outer(analysis: Analysis, entry: CaseEntry) -> Callable[[Span], Span]:
    return lambda span: analysis.span_of(entry, span)


def _always(row: Span) -> Callable[[Span], Span]:
    return lambda _: row


def _lines_in(index: LineIndex) -> Callable[[int], int]:
    return lambda offset: index.line_of(offset) + 1


def _distinct(cases: Iterable[Runnable]) -> Iterator[Runnable]:
    """The cases, with an error and a name of its own for each case of another file whose id is taken."""
    listed = list(cases)
    # Those of the suite keep their names, as an editor shows them.
    seen = {(case.id, case.row.label): case for case in reversed(listed) if case.file is None}
    for case in listed:
        first = seen.setdefault((case.id, case.row.label), case)
        if first is case or case.file is None:
            yield case
            continue
        number = next(n for n in count(2) if (f"{case.base_id}~{n}", case.row.label) not in seen)
        taken = place_words(first.file, first.line)
        problem = (place_words(case.file, case.line), f"duplicate-case-id: the id {case.id} is taken ({taken})")
        made = replace(case, renamed=f"{case.base_id}~{number}", problems=(*case.problems, problem))
        seen[made.id, made.row.label] = made
        yield made


def _not_a_suite(path: Path, analysis: Analysis) -> str:
    hint = {
        FileKind.CASES: "; run the suite that includes it",
        FileKind.CASE: "; run the suite that includes it",
        FileKind.SIDECAR: "; run the data set itself",
    }
    return f"{path}: this is {analysis.kind.value}, not a suite{hint.get(analysis.kind, '')}"
