"""The cases of a configuration of promptfoo. Executes nothing."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from rubric_core.analysis import Analysis
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.errors import place_words
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.families.promptfoo.cases.case_inheritance import PromptfooTest, inline_tests, tests_of
from rubric_core.families.promptfoo.cases.configuration import (
    ConfigurationError,
    PromptfooConfiguration,
    read_configuration,
)
from rubric_core.families.promptfoo.cases.history import histories, is_serial, needed_tests
from rubric_core.families.promptfoo.cases.matrix import PromptfooMatrix, chosen_tests
from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt, prompts_of
from rubric_core.families.promptfoo.cases.providers import Graders, PromptfooProvider, providers_of
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.language.run_options import number_of
from rubric_core.language.model import Case, DerivedMetric, EvaluateOptions, Repeat, RunSettings, Suite
from rubric_core.language.shape import FieldPlace
from rubric_core.ports import Files
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.validation.entry_lists import distinct_names

__all__ = ["CaseMaker", "Places", "promptfoo_cases"]


class Places:
    """The places of some nodes of a text, which may contain one another."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        spans = sorted((each.whole.start, number, each.whole.end) for number, each in enumerate(nodes))
        #: Where the first of the nodes that contain a place changes, and its number from there on.
        self._bounds = sorted({bound for start, _, end in spans for bound in (start, end)})
        self._numbers: list[int | None] = []
        open_: list[tuple[int, int]] = []
        begun = 0
        for bound in self._bounds:
            while begun < len(spans) and spans[begun][0] <= bound:
                heappush(open_, spans[begun][1:])
                begun += 1
            while open_ and open_[0][1] <= bound:
                heappop(open_)
            self._numbers.append(open_[0][0] if open_ else None)

    def holding(self, place: int) -> int | None:
        """The number of the first of the nodes that contain a place; None if none does."""
        at = bisect_right(self._bounds, place) - 1
        return self._numbers[at] if at >= 0 else None


#: Errors at which promptfoo stops, wherever they occur.
_YAML_ERRORS = frozenset(
    {"syntax-error", "duplicate-key", "unknown-alias", "cut-text", "several-documents", "too-large"}
)

#: Errors of single rows that the run reports itself, because other prompts of the same test may be valid.
_OF_ROWS = frozenset({"broken-template", "script-value", "unknown-type"})


def promptfoo_cases(
    analysis: Analysis, path: Any, files: Files, options: Options, generated: Mapping[str, GeneratedCases] | None = None
) -> tuple[PromptfooRunnable, ...]:
    """The tests of an analysed configuration, in the order of the text; each is multiplied when it is run.

    `generated` are those that its programs made, see `test_programs`.
    """
    configuration = read_configuration(
        path, analysis.document.text, files, generated, options.environment, options.working_directory
    )
    troubles: list[tuple[str, str]] = []
    prompts: list[PromptfooPrompt] = []
    providers: list[PromptfooProvider] = []
    tests: list[PromptfooTest] = []
    shared: Sequence[Path] = ()
    try:
        prompts = prompts_of(configuration)
        errors = _Errors(analysis)
        providers = [errors.on(each, configuration) for each in providers_of(configuration)]
        shared = tuple(configuration.files_read)
    except ConfigurationError as error:
        troubles.append(_placed(error, configuration))
    try:
        tests = list(tests_of(configuration))
    except ConfigurationError as error:
        troubles.append(_placed(error, configuration))
        tests = list(inline_tests(configuration))
    if troubles and not tests:
        tests = [PromptfooTest(configuration.root, {})]
    chosen: Sequence[int] = range(len(tests))
    try:
        chosen = chosen_tests(configuration, len(tests))
    except ConfigurationError as error:
        troubles.append(_placed(error, configuration))
    maker = CaseMaker(analysis, configuration, prompts, providers, options, shared)
    return tuple(_cases(maker, tests, chosen, troubles))


def _placed(error: ConfigurationError, configuration: PromptfooConfiguration) -> tuple[str, str]:
    """The line of a mistake and what it is."""
    line = 1 if error.at is None else configuration.line_of(error.at.span.start)
    return f"line {line}", str(error)


def _cases(
    maker: "CaseMaker", tests: Sequence[PromptfooTest], chosen: Sequence[int], troubles: Sequence[tuple[str, str]]
) -> list[PromptfooRunnable]:
    """A case for each test, under unique names: first those of the list, as an editor names them."""
    problems = maker.problems(tests)
    order = sorted(range(len(tests)), key=lambda number: not tests[number].listed)
    names = dict(zip(order, distinct_names(tests[number].named for number in order), strict=True))
    found: dict[int, PromptfooRunnable] = {}
    serial = is_serial(maker.prompts, [tests[number] for number in chosen])
    first, among = 0, set(chosen)
    # A test that is not chosen runs only if a person names it, and then without what others leave.
    for group in (chosen, *([number] for number in range(len(tests)) if number not in among)):
        picked, named = [tests[number] for number in group], [names[number] for number in group]
        needed = needed_tests(maker.prompts, picked, named) if serial else ()
        before = histories(picked, named, needed) if serial else [""] * len(picked)
        for place, number in enumerate(group):
            test = tests[number]
            own = (*troubles, *problems[None], *problems.get(id(test.node), ()))
            made = maker.case(
                test, names[number], own, is_serial=serial, history_hash=before[place], first_row=first,
                is_chosen=group is chosen,
            )  # fmt: skip
            first += made.row_count * maker.repeat(test)
            if serial and needed[place]:  # whatever came of the earlier ones
                vars(made.case).update(depends_on=list(needed[place]), on_dependency_failure="run")
            found[number] = made
    return [found[number] for number in sorted(found)]


class CaseMaker:
    """Makes the cases of one configuration, which share everything that is written around them."""

    def __init__(
        self,
        analysis: Analysis,
        configuration: PromptfooConfiguration,
        prompts: Sequence[PromptfooPrompt],
        providers: Sequence[PromptfooProvider],
        options: Options,
        files: Sequence[Path] = (),
    ) -> None:
        """`files` are those of the prompts and providers."""
        self._analysis, self._configuration, self._options = analysis, configuration, options
        self._settings = _settings(configuration)
        self._graders = Graders(configuration, providers)
        pause = self._number("delay", "PROMPTFOO_DELAY_MS")
        self.prompts = prompts
        self._matrix = PromptfooMatrix(configuration, prompts, providers, self._graders, pause, files)
        self._suite = self._made_suite()
        self._facts = SuiteFacts()

    def case(
        self, test: PromptfooTest, name: str, problems: tuple[tuple[str, str], ...], **place: Any
    ) -> PromptfooRunnable:
        """The case of a test; `place` overrides fields of its `CaseSource`."""
        configuration = self._configuration
        graders: Mapping[int, str] = {}
        answered_by = ""
        try:
            graders = self._graders_of(test)
            answered_by = self._graders.name(test.data.get("provider"), test.node, is_own=True)
        except ConfigurationError as error:
            test = replace_fields(test, trouble=str(error))
        source = test.source
        line_of = configuration.line_of if source is None else source.line_of
        if test.trouble:
            line = line_of(test.node.span.start)
            where = f"line {line}" if source is None else place_words(source.path, line)
            problems = (*problems, (where, test.trouble))
        placed: dict[str, Any] = {"anchors": configuration.anchors, "text": configuration.text, "line_at": line_of}
        if source is not None:
            begin = source.offset
            placed = {
                "file": source.path, "anchors": source.anchors, "text": source.text, "line_at": line_of,
                "case_span": lambda span: span.moved(begin),
            }  # fmt: skip
        placed = {
            "case": self._made_case(test), "suite_anchors": configuration.anchors, "suite_text": configuration.text,
            "suite_line_at": configuration.line_of, **placed, **place,
        }  # fmt: skip
        return PromptfooRunnable(
            path=configuration.path, suite=self._suite, dialect=self._analysis.dialect, dialects=self._analysis.language.dialects,
            named=name, problems=problems, options=self._options, files=configuration.files, facts=self._facts, matrix=self._matrix,
            test=test, grader_names=graders,
            answered_by=answered_by, **placed,
        )  # fmt: skip

    def _graders_of(self, test: PromptfooTest) -> Mapping[int, str]:
        """The graders of the assertions, by the identity of their settings. Raises ConfigurationError."""
        usual = test.part("options").get("provider")
        found: dict[int, str] = {}

        def look(settings: Mapping[str, Any], at: Node) -> None:
            written = settings.get("provider", usual)
            if written is not None:
                found[id(settings)] = self._graders.name(written, at)
            listed = settings.get("assert")
            for each in listed if isinstance(listed, list) else ():
                if isinstance(each, dict):
                    look(each, at)

        for settings, at in test.assertions:
            look(settings, at)
        return found

    def _made_suite(self) -> Suite:
        """The suite fields that the engine reads."""
        node, settings = self._configuration.root, self._settings
        suite = Suite(node.span, node)
        tests = node.entry("tests")
        if tests is not None:
            suite.places["cases"] = FieldPlace(tests.key.span, tests.value.span, tests.value, "tests")
        workers = settings.get("maxConcurrency")
        limits = EvaluateOptions(
            node.span, None, max_concurrency=workers if isinstance(workers, int) and 0 < workers <= 50 else None,
            timeout_ms=self._number("timeoutMs", "PROMPTFOO_EVAL_TIMEOUT_MS") or None,
            max_eval_time_ms=self._number("maxEvalTimeMs", "PROMPTFOO_MAX_EVAL_TIME_MS") or None,
        )  # fmt: skip
        vars(suite).update(evaluate_options=limits, derived_metrics=self._derived_metrics())
        found = node.entry("extensions")
        if found is not None:
            suite.places["extensions"] = FieldPlace(found.key.span, found.value.span, found.value, "extensions")
        written = self._configuration.data.get("extensions")
        vars(suite)["extensions"] = written if isinstance(written, list) else [written] if written else None
        for key, name in (("env", "env"), ("tags", "tags"), ("nunjucksFilters", "nunjucks_filters")):
            written = self._configuration.data.get(key)
            if isinstance(written, dict):
                vars(suite)[name] = written
        return suite

    def _number(self, name: str, variable: str) -> float:
        """A setting above 0, which a variable of promptfoo gives where the configuration does not; 0 without either."""
        written = self._settings.get(name)
        return _number(number_of(self._configuration.environment.running, variable) if written is None else written)

    def _derived_metrics(self) -> list[DerivedMetric]:
        span = self._configuration.root.span
        formulas = self._configuration.derived_metrics
        return [DerivedMetric(span, None, name=name, value=formula) for name, formula in formulas]

    def _made_case(self, test: PromptfooTest) -> Case:
        """The case fields that the engine reads."""
        case, repeat = Case(test.node.span, test.node), self.repeat(test)
        if repeat > 1:
            count = Repeat(test.node.span, None, count=repeat, strategy="pass_all")
            vars(case)["run"] = RunSettings(test.node.span, None, repeat=count)
        if test.part("metadata"):
            vars(case)["metadata"] = dict(test.part("metadata"))
        return case

    def repeat(self, test: PromptfooTest) -> int:
        """How often a test is run."""
        written = test.part("options").get("repeat", self._settings.get("repeat"))
        return written if isinstance(written, int) and written > 1 else 1

    def problems(self, tests: Sequence[PromptfooTest]) -> Mapping[int | None, list[tuple[str, str]]]:
        """The errors by the identity of the node that contains them (shared by the rounds of a scenario).

        Errors outside of all tests, under None, keep all tests from being run.
        """
        found: dict[int | None, list[tuple[str, str]]] = {None: []}
        root = self._configuration.root
        unread = [node for name in Configuration.beside_results if (node := self._configuration.node(name)) is not root]
        here = [test for test in tests if test.source is None]
        graded = [node for test in here for _, node in test.assertions if node is not test.node]
        graded += _graders([self._configuration.node("defaultTest"), *(test.node for test in here)])
        # A merged provider has the whole configuration as its node.
        graded += [each.node for each in self._matrix.providers if each.node is not root]
        with_own_results, of_tests, of_unread = Places(graded), Places([test.node for test in here]), Places(unread)
        for each in self._analysis.diagnostics:
            # An error in an assertion or its grader only keeps it from grading, and one in a provider its rows, and their
            # results say so; recordings need no grader.
            inside = each.group not in _YAML_ERRORS and with_own_results.holding(each.span.start) is not None
            if each.severity == "error" and not inside:
                number = of_tests.holding(each.span.start)
                if number is None and each.group in _OF_ROWS:
                    continue
                # What promptfoo refuses at once runs nowhere.
                if number is None and each.consequence != STOPS and of_unread.holding(each.span.start) is not None:
                    continue
                found.setdefault(None if number is None else id(here[number].node), []).append(
                    (f"line {self._configuration.line_of(each.span.start)}", f"{each.code}: {each.message}")
                )
        return found


def _graders(nodes: Iterable[Node]) -> list[Node]:
    """The graders of tests."""
    options = (node.get("options") for node in nodes if isinstance(node, MappingNode))
    return [found for each in options if isinstance(each, MappingNode) and (found := each.get("provider")) is not None]


class _Errors:
    """The errors of an analysis, each of which may prevent the rows of a provider from running."""

    def __init__(self, analysis: Analysis) -> None:
        found = (each for each in analysis.diagnostics if each.severity == "error" and each.group not in _YAML_ERRORS)
        #: In the order of the text; of errors at one place, the first one found comes first.
        self._found = sorted(enumerate(found), key=lambda numbered: numbered[1].span.start)
        self._starts = [each.span.start for _, each in self._found]

    def on(self, provider: PromptfooProvider, configuration: PromptfooConfiguration) -> PromptfooProvider:
        """The provider with the first error found in it. A merged one has the whole configuration as its node, and none."""
        if provider.trouble or provider.node is configuration.root:
            return provider
        whole = provider.node.whole
        inside = self._found[bisect_left(self._starts, whole.start) : bisect_left(self._starts, whole.end)]
        if not inside:
            return provider
        _, first = min(inside, key=lambda numbered: numbered[0])
        return replace_fields(provider, trouble=f"{first.code}: {first.message}")


def _settings(configuration: PromptfooConfiguration) -> Mapping[str, Any]:
    """The run settings: `commandLineOptions`, which take precedence as in promptfoo, and `evaluateOptions`."""
    parts = (configuration.data.get(name) for name in ("evaluateOptions", "commandLineOptions"))
    return {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0.0
