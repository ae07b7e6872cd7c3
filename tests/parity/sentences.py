"""What the pages of rules say that agentv does, held against agentv: each failing example of its dialect is run.

Only sentences with an effect that a run shows are checked; the others are counted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from harness import LANGUAGE, Page, analysis_of, unmarked

from rubric_core.analysis import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.validation.rule import Diagnostic

from .bundles import SuiteSource
from .outcome import EvaluatorOutcome, SuiteOutcome
from .run import Runner

__all__ = ["Example", "SentencesChecked", "check_sentences", "examples"]

#: The dialect that release 4.42.4 belongs to.
DIALECT = "agentv-3"
_ANSWERS = {"*": "an answer"}


@dataclass(frozen=True)
class Example:
    """A failing example of a rule's page, and what the findings in it say that agentv does."""

    name: str
    text: str
    #: How many cases it has.
    cases: int
    sentences: frozenset[str]


@dataclass(frozen=True)
class SentencesChecked:
    """What a run of agentv said to an example."""

    example: Example
    untrue: tuple[str, ...]
    unchecked: tuple[str, ...]
    #: What agentv did, for people.
    found: str


def examples() -> Iterator[Example]:
    """The examples that agentv can run: suites of its dialect, in one file, with a sentence about agentv."""
    for rule in LANGUAGE.rules:
        for number, block in enumerate(Page(rule.page).blocks("Example")):
            text = unmarked(block.text)[0]
            analysis = analysis_of(text)
            if isinstance(analysis, Analysis) and analysis.kind is FileKind.SUITE and _of_dialect(analysis):
                sentences = frozenset(d.consequence for d in analysis.diagnostics if _about_agentv(d))
                if sentences:
                    yield Example(f"{rule.code}-{number}", text, len(analysis.cases), sentences)


def check_sentences(runner: Runner, found: Sequence[Example], at_once: int) -> Iterator[SentencesChecked]:
    """Run examples with agentv, some of them at once, and hold their sentences against what it did."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(lambda example: _check(runner, example), found)


def _check(runner: Runner, example: Example) -> SentencesChecked:
    outcome = runner.run_agentv(SuiteSource(f"page-{example.name}", example.text, _ANSWERS))
    checks = {sentence: _check_of(sentence) for sentence in example.sentences}
    untrue = [sentence for sentence, check in checks.items() if check is not None and not check(example, outcome)]
    unchecked = [sentence for sentence, check in checks.items() if check is None]
    cases = ", ".join(
        f"{case.id} {case.verdict} {case.score:g}" for case in outcome.cases.values() if case.score is not None
    )
    return SentencesChecked(example, tuple(untrue), tuple(unchecked), cases or outcome.said[-200:])


def _of_dialect(analysis: Analysis) -> bool:
    return analysis.dialect is not None and analysis.dialect.name == DIALECT


def _about_agentv(diagnostic: Diagnostic) -> bool:
    return diagnostic.consequence.startswith("agentv")


def _check_of(sentence: str) -> "Check | None":
    return next((check for pattern, check in _CHECKS if re.match(pattern, sentence)), None)


def _some_case_is_left_out(example: Example, outcome: SuiteOutcome) -> bool:
    return len(outcome.cases) < max(example.cases, 1)


def _nothing_runs(_: Example, outcome: SuiteOutcome) -> bool:
    return all(case.verdict == "unscored" for case in outcome.cases.values())


def _some_case_is_refused(example: Example, outcome: SuiteOutcome) -> bool:
    refused = any(case.verdict == "unscored" for case in outcome.cases.values())
    return refused or _some_case_is_left_out(example, outcome)


def _is_skipped_in_the_log(_: Example, outcome: SuiteOutcome) -> bool:
    return "skipping" in outcome.said.lower()


def _some_evaluator_has_none(_: Example, outcome: SuiteOutcome) -> bool:
    return any(each.score == 0 for case in outcome.cases.values() for each in _flat(case.evaluators))


def _several_run(_: Example, outcome: SuiteOutcome) -> bool:
    return bool(outcome.cases) and all(case.verdict != "unscored" for case in outcome.cases.values())


def _some_case_runs(_: Example, outcome: SuiteOutcome) -> bool:
    return any(case.verdict != "unscored" for case in outcome.cases.values())


def _no_score(_: Example, outcome: SuiteOutcome) -> bool:
    return not any(each.score for case in outcome.cases.values() for each in case.evaluators)


def _flat(evaluators: Sequence[EvaluatorOutcome]) -> Iterator[EvaluatorOutcome]:
    for each in evaluators:
        yield each
        yield from _flat(each.members)


Check = Callable[[Example, SuiteOutcome], bool]
#: Sentences by how they begin, with what a run must show.
_CHECKS: Sequence[tuple[str, Check]] = (
    (r"agentv skips (the whole case|the case|a case)", _some_case_is_left_out),
    (
        r"agentv (still runs the case|runs the other cases)|agentv sends it anyway|agentv asks its default judge",
        _some_case_runs,
    ),
    (r"agentv runs none of the cases", _nothing_runs),
    (r"agentv rejects the case", _some_case_is_refused),
    (r"agentv (rejects (the whole file|the file|the suite)|refuses to run the suite)|agentv cannot run", _nothing_runs),
    (r"agentv (skips this evaluator and only logs it|skips it and only logs that)", _is_skipped_in_the_log),
    (r"agentv scores 0", _some_evaluator_has_none),
    (r"agentv scores nothing", _no_score),
    (r"agentv runs both", _several_run),
)
