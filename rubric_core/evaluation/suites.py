"""A suite with all its cases: its own, and those that it takes over from other files."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.evaluation.runnable import Options, Runnable, place_words, problems_by_case, runnables, stray_items
from rubric_core.evaluation.scenarios import scenario_cases
from rubric_core.language.around import FileKind, LoneCase
from rubric_core.language.model import Case, Suite
from rubric_core.loading.files import UnreadableError, read_text
from rubric_core.loading.kind import DATASETS
from rubric_core.loading.project import Project
from rubric_core.loading.search import URL
from rubric_core.syntax.blocks import ROOT_LIST, Document
from rubric_core.syntax.line_document import LineDocument
from rubric_core.syntax.plain import plain
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry, ExternalCases

__all__ = ["LoadedSuite", "NoSuiteError", "load_suite", "suite_in"]


class NoSuiteError(Exception):
    """A file that is no suite; the message is one sentence that says what it is and what to do."""


@dataclass(frozen=True)
class LoadedSuite:
    """A suite, ready to be run. A data set in JSONL is one, too: the file beside it that describes it says what its cases share."""

    path: Path
    #: What stands in the file itself.
    analysis: Analysis
    #: Every case in the order of the text; a path in the case list behind which there is no case stands for itself.
    cases: tuple[Runnable, ...]
    #: The files in which cases stand, with what is in them.
    files: Mapping[Path, Analysis]

    @property
    def in_range(self) -> tuple[Runnable, ...]:
        """The cases that run when none is named: all, or those that `filter_range` of the suite leaves.

        It is written `[first, end]` or `"first:end"`, counts from 0, and the case at `end` is not among them. Raises
        NoSuiteError for one that is no range.
        """
        options = self.cases[0].suite.evaluate_options if self.cases else None
        if options is None or not options.has("filter_range"):
            return self.cases
        where = f"{self.path.name}:{self.cases[0].suite_line(options.key_at('filter_range'))}"
        first, end = _range(plain(options.filter_range, self.cases[0].suite_anchors), where)
        return self.cases[first:end]


def load_suite(
    path: Path, language: Language, project: Project, options: Options | None = None, dialect: str | None = None
) -> LoadedSuite:
    """Read a suite and every file with cases that it names. Executes nothing.

    Args:
        path: The suite, or a data set.
        language: What is known of eval YAML.
        project: The files around it.
        options: What a person asks for beyond what the suite says.
        dialect: The dialect of suites that do not name one.

    Raises UnreadableError for a file that cannot be read as text, NoSuiteError for one that is something else.
    """
    loader = _Loader(language, project, options or Options(), dialect)
    if path.suffix.lower() in DATASETS:
        return loader.dataset(path)
    return loader.suite(path, loader.analysis(path))


def suite_in(
    path: Path, analysis: Analysis, project: Project, read: Callable[[Path], str], options: Options | None = None
) -> LoadedSuite:
    """The suite in a text that is analysed already, as it stands in an editor.

    Args:
        path: Where the suite is.
        analysis: What stands in it.
        project: The files around it.
        read: Gives the text of a file with cases. Raises UnreadableError.
        options: What a person asks for beyond what the suite says.

    Raises NoSuiteError for a text that is something else.
    """
    return _Loader(analysis.language, project, options or Options(), None, read).suite(path, analysis)


class _Loader:
    def __init__(
        self,
        language: Language,
        project: Project,
        options: Options,
        dialect: str | None,
        read: Callable[[Path], str] = read_text,
    ) -> None:
        self.language, self.project, self.options, self.dialect, self.read = language, project, options, dialect, read
        self.files: dict[Path, Analysis] = {}

    def suite(self, path: Path, analysis: Analysis) -> LoadedSuite:
        if analysis.kind is not FileKind.SUITE:
            raise NoSuiteError(_not_a_suite(path, analysis))
        frame = self._frame(path, analysis)
        own = [
            replace(case, shared=frame.shared, files=frame.files) for case in runnables(path, analysis, self.options)
        ]
        placed = [(case.case_span(case.case.span).start, [case]) for case in own]
        placed += [(stray.case.span.start, [stray]) for stray in _strays(analysis, frame, None)]
        if analysis.suite is not None:
            placed += [(each.span.start, list(self._external(each, frame))) for each in analysis.external]
            if analysis.suite.has("scenarios"):
                at = frame.suite_span(analysis.suite.key_at("scenarios")).start
                placed.append((at, list(scenario_cases(frame))))
        cases = [case for _, several in sorted(placed, key=lambda p: p[0]) for case in several]
        return LoadedSuite(path, analysis, tuple(_distinct(cases)), self.files)

    def dataset(self, path: Path) -> LoadedSuite:
        """A data set that is run by itself; what its cases have in common stands in a YAML file of the same name."""
        sidecar = next((s for end in (".yaml", ".yml") if (s := path.with_suffix(end)).is_file()), None)
        described = self.description(sidecar) if sidecar is not None else None
        suite = described.suite if described is not None else None
        analysis = self.analysis(path, described.dialect.name if described is not None and suite is not None else None)
        frame = self._frame(path, analysis)
        if suite is not None and described is not None and sidecar is not None:
            shared = tuple(problems_by_case(described, sidecar)[None])
            frame = replace(self._frame(sidecar, described), path=path, problems=shared)
        return LoadedSuite(path, analysis, tuple(_distinct(self._of_file(analysis, path, frame))), self.files)

    def description(self, path: Path) -> Analysis | None:
        """What the YAML file beside a data set says of it; None for a suite with cases of its own."""
        found = self.analysis(path, kind=FileKind.SIDECAR)
        return None if found.suite is not None and found.suite.has("cases") else found

    def analysis(self, path: Path, dialect: str | None = None, kind: FileKind | None = None) -> Analysis:
        document = self.language.document(self.read(path), path)
        return analyze(
            document, self.language, dialect=dialect or self.dialect, path=path, kind=kind, project=self.project
        )

    def _frame(self, path: Path, analysis: Analysis) -> Runnable:
        """What every case of a suite has in common, as a case with nothing in it."""
        text = analysis.local(0).text
        return Runnable(
            path=path, suite=analysis.suite or Suite(Span(0, 0)), case=Case(Span(0, 0)), dialect=analysis.dialect,
            dialects=self.language.dialects, suite_anchors=analysis.anchors(-1), suite_text=text,
            suite_span=lambda span: analysis.span_of(None, span), suite_line_at=_lines(analysis),
            problems=tuple(problems_by_case(analysis)[None]), options=self.options, files=self.project.files,
        )  # fmt: skip

    # Cases in other files

    def _external(self, each: ExternalCases, frame: Runnable) -> Iterator[Runnable]:
        """The cases behind a path; one that cannot be run stands for a path behind which there are none."""
        line_at = frame.suite_line_at or frame.line_at
        trouble = each.found.trouble or ("there is no such file or directory" if each.found.missing else "")
        # Of several files that a pattern stands for, one that is broken keeps no other from being run.
        for file in each.found.files if not trouble or len(each.found.files) > 1 else ():
            try:
                found = self.case_file(file, frame.dialect.name)
            except UnreadableError as error:
                trouble = str(error)
                continue
            if found is None:
                trouble = f"rubric makes no cases of {file.name}; it reads lists of cases in YAML and JSON, and JSONL"
                continue
            yield from self._of_file(found, file, frame)
        if trouble:
            problem = (place_words(None, line_at(each.span.start)), f"no cases come from here: {trouble}")
            name = each.text.removeprefix(URL)
            yield replace(frame, case=Case(each.span), named=name, problems=(problem,), line_at=line_at)

    def case_file(self, file: Path, dialect: str) -> Analysis | None:
        """A file with cases, understood; None for one that is no list of cases in itself. Raises UnreadableError."""
        known = self.files.get(file)
        if known is not None:
            return known
        suffix = file.suffix.lower()
        if suffix not in (*DATASETS, ".yaml", ".yml", ".json"):
            return None
        text = self.read(file)
        kind = FileKind.CASE if file.stem.lower() == "case" else FileKind.CASES
        document = Document.of(text, self.language.item_keys | {ROOT_LIST})
        if suffix in DATASETS:
            kind, document = FileKind.DATASET, LineDocument.of(text)
        found = analyze(document, self.language, dialect=dialect, path=file, kind=kind, project=self.project)
        self.files[file] = found
        return found

    def _of_file(self, analysis: Analysis, file: Path, frame: Runnable) -> Iterator[Runnable]:
        problems = problems_by_case(analysis, file)
        # A case in a file of its own, and those of a list in brackets, are no blocks.
        entries = analysis.cases or [CaseEntry(s, -1, 0) for s in analysis.local(0).shapes if isinstance(s, Case)]
        line_at = _lines(analysis)
        for entry in entries:
            block = analysis.document.blocks[entry.block].text if entry.block >= 0 else analysis.local(0).text
            yield replace(
                frame, case=entry.case, dialect=analysis.dialect, anchors=analysis.anchors(entry.block), text=block,
                case_span=_outer(analysis, entry), line_at=line_at, file=None if file == frame.path else file,
                named=file.parent.name if isinstance(entry.case, LoneCase) else "",
                problems=(*frame.problems, *problems[None], *problems.get(entry, ())),
            )  # fmt: skip
        yield from _strays(analysis, frame, None if file == frame.path else file)


def _range(written: object, where: str) -> tuple[int, int]:
    parts = written.split(":") if isinstance(written, str) else written
    numbers = [int(str(part)) for part in parts if str(part).strip().isdecimal()] if isinstance(parts, list) else []
    if not isinstance(parts, list) or len(parts) != 2 or len(numbers) != 2 or numbers[0] > numbers[1]:
        raise NoSuiteError(f"{where}: `filter_range` is `[first, end]`, counted from 0, found {written!r}")
    return numbers[0], numbers[1]


def _strays(analysis: Analysis, frame: Runnable, file: Path | None) -> Iterator[Runnable]:
    """Items of a case list that are no case, each standing for itself, so that it is told and its neighbours can run."""
    line_at = _lines(analysis)
    for span, message in stray_items(analysis):
        problem = (place_words(file, line_at(span.start)), message)
        yield replace(frame, case=Case(span), problems=(problem,), line_at=line_at, file=file)


def _outer(analysis: Analysis, entry: CaseEntry) -> Callable[[Span], Span]:
    return lambda span: analysis.span_of(entry, span)


def _lines(analysis: Analysis) -> Callable[[int], int]:
    return lambda offset: analysis.document.position(offset).line + 1


def _distinct(cases: Iterable[Runnable]) -> Iterator[Runnable]:
    """The cases; one of another file whose id is taken already says so."""
    seen: dict[tuple[str, str], Runnable] = {}
    for case in cases:
        first = seen.setdefault((case.id, case.row.label), case)
        if first is case or case.file is None:
            yield case
            continue
        taken = place_words(first.file, first.line)
        problem = (place_words(case.file, case.line), f"duplicate-case-id: the id {case.id} is taken ({taken})")
        yield replace(case, problems=(*case.problems, problem))


def _not_a_suite(path: Path, analysis: Analysis) -> str:
    hint = {
        FileKind.CASES: "; run the suite that takes it over",
        FileKind.CASE: "; run the suite that takes it over",
        FileKind.SIDECAR: "; run the data set itself",
    }
    return f"{path}: this is {analysis.kind.value}, not a suite{hint.get(analysis.kind, '')}"
