"""Code actions about runs: the same as lenses, menus and palettes, for editors without these."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Suite
from rubric_core.language.shape import children
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.grading import evaluators_of
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry
from rubric_core.validation.rubrics import criteria_of
from rubric_lsp.features.explorer_items import names_of
from rubric_lsp.features.results import Results, ShownCase, id_span

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable

__all__ = ["RUN", "RUN_RESULTS", "TIMES", "RunAction", "included_actions", "run_actions"]

RUN, RUN_RESULTS = "rubric.run", "rubric.run.results"
#: The number of repetitions of “Repeat”.
TIMES = 5


@dataclass(frozen=True, slots=True)
class RunAction:
    """A title and a command; its arguments are the document's URI, the id of a case if it concerns one, and `more`."""

    title: str
    command: str
    case_id: str = ""
    more: tuple[str | int, ...] = ()
    kind: str = RUN


def run_actions(analysis: Analysis, within: Span, results: Results, *, asked: bool) -> Iterator[RunAction]:
    """The runs and views that are available at a place."""
    entry = analysis.case_at(within.start)
    if entry is not None:
        name = entry.name
        # If it were offered on every line, the light bulb would never disappear.
        line = id_span(analysis, entry)
        if asked or (line.start <= within.end and within.start <= line.end):
            yield RunAction(f"Run case ‹{name}›", "rubric.runCase", name)
        if asked:
            yield from _about_case(analysis, entry, name, within, results.get(name, ShownCase()))
    if asked and (analysis.cases or analysis.included):
        yield from _about_file(results, "file" if analysis.settings is not None else "suite")


def included_actions(case: "Runnable | None", results: Results, *, asked: bool) -> Iterator[RunAction]:
    """The runs and views of a case in a file whose suite names its cases, and of that suite."""
    if case is None or not asked:
        return
    name = case.id
    yield RunAction(f"Run case ‹{name}›", "rubric.runCase", name)
    yield RunAction(f"Run {TIMES}× ‹{name}›", "rubric.repeat", name, (TIMES,))
    yield RunAction(f"Copy the command line ‹{name}›", "rubric.copyCommand", name)
    yield RunAction(f"Open the prompt ‹{name}›", "rubric.openPrompt", name, kind=RUN_RESULTS)
    if results.get(name, ShownCase()).last is not None:
        yield RunAction(f"Open report ‹{name}›", "rubric.openReport", name, kind=RUN_RESULTS)
    yield from _about_file(results, "suite")


def _about_case(analysis: Analysis, entry: CaseEntry, name: str, within: Span, shown: ShownCase) -> Iterator[RunAction]:
    suite = shown.taken_over or _translated(analysis, entry)
    own = analysis.suite or Suite(Span(0, 0))
    evaluators = evaluators_of(own, entry.case, analysis.dialect) if suite is None else list(suite.evaluators)
    here = [each for each in evaluators if suite is None or not suite.inherits(each)]
    at = _evaluator_at(analysis, entry, evaluators, here, within.start)
    if at:
        yield RunAction(f"Run only this evaluator ‹{at}›", "rubric.runEvaluator", name, (at,))
    yield RunAction(f"Run {TIMES}× ‹{name}›", "rubric.repeat", name, (TIMES,))
    judged = not evaluators or any(isinstance(s, Evaluator) and s.is_judged for e in evaluators for s in children(e))
    if judged:
        yield RunAction(f"Run and record ‹{name}›", "rubric.record", name)
    yield RunAction(f"Copy the command line ‹{name}›", "rubric.copyCommand", name)
    yield RunAction(f"Open the prompt ‹{name}›", "rubric.openPrompt", name, kind=RUN_RESULTS)
    if shown.result is None:
        return
    result = shown.result
    yield RunAction(f"Open report ‹{name}›", "rubric.openReport", name, kind=RUN_RESULTS)
    if result.answer:
        yield RunAction(f"Open the answer ‹{name}›", "rubric.openAnswer", name, kind=RUN_RESULTS)
    asked = [each.name for one in result.evaluators for each in one.flat() if each.was_judged]
    if asked:
        about = (at,) if at in asked else ()
        yield RunAction(
            f"Open the judge's reply ‹{at if about else name}›", "rubric.openReply", name, about, RUN_RESULTS
        )
    yield RunAction(f"Open the trace ‹{name}›", "rubric.openTrace", name, kind=RUN_RESULTS)
    if result.answer and entry.case.has("expected_output"):
        title = "Compare the answer with the expected output"
        yield RunAction(f"{title} ‹{name}›", "rubric.diffAnswer", name, kind=RUN_RESULTS)


def _translated(analysis: Analysis, entry: CaseEntry) -> "Runnable | None":
    """The case with its evaluators, where these are no shapes of the text; else None."""
    if analysis.settings is None or not analysis.settings.is_translated:
        return None
    from rubric_core.evaluation.cases.open_document_cases import placed_cases  # noqa: PLC0415  # what runs need, when somebody asks

    return next(iter(placed_cases(Path(), analysis, [entry], marks_only=True)), None)


def _about_file(results: Results, what: str) -> Iterator[RunAction]:
    yield RunAction(f"Run every case of this {what}", "rubric.runFile")
    done = [shown.summary for shown in results.values() if shown.summary is not None]
    if any(not summary.is_sound_pass and not summary.lacks_a_verdict for summary in done):
        yield RunAction("Run failed cases", "rubric.runFailed")
    if any(summary.lacks_a_verdict for summary in done):
        yield RunAction("Run unscored cases", "rubric.runUnscored")
    if done:
        yield RunAction("Run again", "rubric.runAgain")
    if any(shown.running for shown in results.values()):
        yield RunAction("Cancel", "rubric.cancel")
    if done:
        yield RunAction("Clear results", "rubric.clearResults", kind=RUN_RESULTS)


def _evaluator_at(
    analysis: Analysis, entry: CaseEntry, evaluators: Sequence[Evaluator], here: Sequence[Evaluator], offset: int
) -> str:
    """The name of the evaluator of a case at an offset of this text; empty without one."""
    for name, shape in zip(names_of(evaluators), evaluators, strict=True):
        if shape in here and any(analysis.span_of(entry, span).covers(offset) for span in _spans(shape)):
            return name
    return ""


def _spans(shape: Evaluator) -> Iterator[Span]:
    """The spans of an evaluator; several if it consists of strings."""
    if shape.node is not None and not shape.borrowed:
        yield shape.node.whole
        return
    for item in criteria_of(shape):
        yield item.node.whole if item.node is not None else item.span
