"""Suites as pytest collects them: a file per suite, an item per case."""

import io
import itertools
import operator
import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from rubric_core.analysis import Language
from rubric_core.cli.annotated_suite import AnnotatedSuite
from rubric_core.cli.failures import failures, grader_failures
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.selection import WrongUseError, named_cases, no_file
from rubric_core.cli.sources import SourceCollector
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.control_characters import mask, mask_name
from rubric_core.evaluation.cases.case_labels import tags_of
from rubric_core.evaluation.cases.load import LoadedSuite, NoSuiteError
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.loading.files import UnreadableError, absolute
from rubric_core.pytest_plugin.permission import NotAllowedError
from rubric_core.pytest_plugin.runs import SuiteRuns, begin, read_suite

__all__ = ["CaseItem", "SuiteCollection", "SuiteFile"]

#: Marks that change how pytest runs a test. A tag with such a name must not skip a case or turn a failure into a pass.
_MARKS_OF_PYTEST = frozenset({"filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail"})


class CaseNotPassedError(Exception):
    """A case that did not pass: failed, borderline or unscored."""


class SuiteCollection:
    """The part of the plugin that is only registered when suites are collected."""

    def __init__(self, config: pytest.Config) -> None:
        """Raises UsageError for options that name nothing."""
        self._config = config
        self.language = Language()
        self.configurations = Configurations(self.language)
        get = config.getoption
        targets = get("rubric_targets")
        targets = config.invocation_params.dir / targets if targets else None
        if targets is not None and not targets.is_file():
            raise pytest.UsageError(f"--rubric-targets {targets}: {no_file(targets)}")
        self.options = Options(
            target=get("rubric_target"),
            grader_target=get("rubric_grader_target"),
            targets_file=targets,
            mode="replay" if get("rubric_replay") else "auto",
            allow_grader_errors=get("rubric_allow_grader_errors"),
            working_directory=config.invocation_params.dir,
        )
        self._suites: set[Path] = set()

    def pytest_collection(self) -> None:
        """Look for suites. Raises UsageError."""
        self._suites = self._found()

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """A suite as a collector; None for any other file."""
        if absolute(file_path) not in self._suites:
            return None
        made: pytest.Collector = SuiteFile.from_parent(
            parent, path=file_path, collection=self, **_names_of(file_path, parent)
        )
        return made

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin the run of the selected cases."""
        selected: dict[SuiteRuns, list[Runnable]] = {}
        for item in session.items:
            if isinstance(item, CaseItem):
                selected.setdefault(item.runs, []).append(item.case)
        if selected and not self._config.option.collectonly:
            begin(selected)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: "pytest.CallInfo[None]"
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Reports the time that the case took: with others that it depends on, it may have run before its turn."""
        report = yield
        if isinstance(item, CaseItem) and call.when == "call" and item.result is not None:
            report.duration = (item.result.duration_ms or 0.0) / 1000
        return report

    def _found(self) -> set[Path]:
        """The suites under `rubric_suites`, or else under the arguments of pytest, as `rubric run` finds them there.

        A file that is an argument itself counts whatever its name is, unless it is Python. Raises UsageError.
        """
        config = self._config
        listed = [config.rootpath / each for each in config.getini("rubric_suites")]
        named = [config.invocation_params.dir / each.partition("::")[0] for each in config.args]
        files = [each for each in named if each.is_file() and each.suffix != ".py"]
        collector = SourceCollector(
            map(str, [*files, *(listed or filter(Path.is_dir, named))]),
            Discovery(self.configurations),
            None,
            around=False,
        )
        found = {each.path for each in collector.found()}
        if listed and collector.failures:
            raise pytest.UsageError(f"rubric_suites: {'; '.join(collector.failures)}")
        return found


def _names_of(path: Path, parent: pytest.Collector) -> dict[str, Any]:
    """Name and id of a suite whose name has characters that act; for others, that of pytest.

    Reports, and messages between the workers of pytest-xdist, cannot hold halves of characters, as of a name that is not UTF-8.
    """
    name = os.path.relpath(path, parent.config.rootpath).replace(os.sep, "/")
    return {} if mask_name(name) == name else {"name": mask_name(path.name), "nodeid": mask_name(name)}


class SuiteFile(pytest.File):
    """A suite."""

    def __init__(self, *, collection: SuiteCollection, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.collection = collection
        self.runs: SuiteRuns | None = None

    def collect(self) -> Iterator["CaseItem"]:
        """The cases. A program that generates some is executed only where cases may run."""
        settings = self.collection
        dialect = settings.configurations.for_file(self.path).dialect
        try:
            suite = read_suite(self.path, settings.language, settings.options, dialect)
            cases = named_cases(suite, ())
        except (NoSuiteError, UnreadableError, WrongUseError) as error:
            raise self.CollectError(f"rubric: {error}") from None
        self.runs = SuiteRuns(suite)
        often = Counter(case.id for case in cases)
        for case in cases:
            name = case.id if often[case.id] == 1 else f"{case.id}[{case.options.target or case.line}]"
            made: CaseItem = CaseItem.from_parent(self, name=mask(name), case=case, suite=suite, runs=self.runs)
            yield made


class CaseItem(pytest.Item):
    """A case."""

    def __init__(self, *, case: Runnable, suite: LoadedSuite, runs: SuiteRuns, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case, self.suite, self.runs = case, suite, runs
        self.result: CaseResult | None = None
        #: Empty, as for a doctest: other plugins read the fixtures of every item.
        self.funcargs: dict[str, object] = {}
        for tag in map(mask, tags_of(case)):
            self.extra_keyword_matches.add(tag)
            if tag not in _MARKS_OF_PYTEST and not tag.startswith("_") and tag:
                self.config.addinivalue_line("markers", f"{tag}: a tag of evaluation suites")
                self.add_marker(tag)
        group = runs.group_of(case)
        if group:
            self._keep_together(f"{suite.path}::{group}")

    def _keep_together(self, group: str) -> None:
        """Ask `pytest-xdist --dist loadgroup` for one worker for cases that belong together."""
        if self.config.pluginmanager.has_plugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(group))

    def runtest(self) -> None:
        """Run the case. Raises CaseNotPassedError."""
        try:
            self.result = self.runs.result_of(self)
        except NotAllowedError as reason:
            raise CaseNotPassedError(str(reason)) from None
        self.user_properties.extend(_properties(self.result))
        # As for `rubric run`: a grader that did not run never makes a build green, unless that is allowed.
        hides_errors = self.result.grader_errors and not self.case.options.allow_grader_errors
        if self.result.verdict is not Verdict.PASSED or hides_errors:
            raise CaseNotPassedError

    def repr_failure(self, excinfo: "pytest.ExceptionInfo[BaseException]", style: Any = None) -> Any:
        """The lines of the case with its results, and what did not hold; anything else as pytest shows it."""
        if not isinstance(excinfo.value, CaseNotPassedError):
            return super().repr_failure(excinfo, style)
        return str(excinfo.value) if self.result is None else "\n".join(self._report(self.result))

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the case."""
        return self.case.file or self.path, max(self.case.line - 1, 0), self.name

    @property
    def location(self) -> tuple[str, int | None, str]:
        """The same for reports, which take no halves of characters."""
        path, line, name = super().location
        return mask_name(path), line, name

    def _report(self, result: CaseResult) -> Iterator[str]:
        path, style = Path(mask_name(self.path.name)), TerminalStyle(colour=False)
        safe = StreamSanitizer(io.TextIOWrapper(io.BytesIO(), "utf-8"))
        lines: list[str] = []
        if result.verdict is not Verdict.PASSED:
            lines += failures(path, [result], style)
        lines += [*grader_failures([(path, [result])], allowed=False), ""]
        analysis = self.suite.analysis if self.case.file is None else self.suite.files.get(self.case.file)
        if analysis is not None:
            lines += AnnotatedSuite(analysis, style, None, self.case.file).lines([self.case], [result])
        # The first line is in the summary of pytest.
        return map(safe, itertools.dropwhile(operator.not_, lines))


def _properties(result: CaseResult) -> Iterator[tuple[str, object]]:
    """The properties of a case in JUnit files."""
    yield "verdict", result.verdict.value
    if result.score is not None:
        yield "score", round(result.score, 4)
    if result.target:
        yield "target", mask(result.target)
