"""Suites, cases and evaluators as items of a test tree, and their results as states of that tree."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rubric_core.language.evaluators import Criterion, Evaluator, Rubrics
from rubric_core.language.model import Case, Execution
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.grading import default_name
from rubric_core.text import Span

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
    from rubric_core.evaluation.reporting.inline_marks import Mark

__all__ = [
    "SEPARATOR", "TestItem", "TestMessage", "cuts", "evaluator_mark", "evaluator_messages", "evaluator_names", "id_of", "items", "messages",
    "names_of", "skipped_tests",
]  # fmt: skip

SEPARATOR = "::"
_LONGEST = 60


def id_of(uri: str, name: str, evaluator: str = "") -> str:
    """The id of a case or of an evaluator."""
    return SEPARATOR.join(part for part in (uri, name, evaluator) if part)


def cuts(text: str) -> Iterator[tuple[str, str]]:
    """Every split of an id in two at a separator; the whole id first, with an empty rest."""
    yield text, ""
    at = text.find(SEPARATOR)
    while at >= 0:
        yield text[:at], text[at + len(SEPARATOR) :]
        at = text.find(SEPARATOR, at + 1)


@dataclass(frozen=True, slots=True)
class TestItem:
    """A case of a suite, or an evaluator of it."""

    case_id: str
    #: Empty for the case itself.
    evaluator: str
    label: str
    description: str
    #: The range of the whole part in its file.
    span: Span
    has_children: bool = False
    #: The file, if it is not the suite.
    file: Path | None = None
    #: Whether it is a program that a debugger can stop in, or a case with one.
    debuggable: bool = False


@dataclass(frozen=True, slots=True)
class TestMessage:
    """Why a test did not pass, and its location."""

    text: str
    severity: Literal["error", "warning", "information"]
    span: Span | None = None
    #: The expected and the actual answer, if they can be compared.
    expected: str = ""
    actual: str = ""
    #: The criterion, for clients that show no location.
    subject: str = ""


def items(cases: "Sequence[Runnable]") -> Iterator[TestItem]:
    """Each case followed by its evaluators; of cases with the same id, the first."""
    from rubric_core.evaluation.code.interpreted_program import can_be_debugged  # noqa: PLC0415  # what runs need, for clients with a tree

    seen: set[str] = set()
    for case in cases:
        if case.id in seen or case.case.node is None:
            continue
        seen.add(case.id)
        names = evaluator_names(case)
        yield TestItem(
            case.id,
            "",
            case.id,
            _short(case.case.criteria),
            case.case_span(case.case.node.whole),
            bool(names),
            case.file,
            any(map(can_be_debugged, case.evaluators)),
        )
        for name, shape in zip(names, case.evaluators, strict=True):
            # Evaluators of the suite are shown at the case.
            own = not case.inherits(shape) and shape.span.end > 0
            span = case.case_span(_written(case.case, shape) if own else case.case.at("id"))
            debuggable = can_be_debugged(shape)
            yield TestItem(case.id, name, name, shape.type_name or "", span, file=case.file, debuggable=debuggable)


def _written(case: Case, shape: Evaluator) -> Span:
    """The text of an evaluator. Several plain strings are one evaluator: their list, as each of them has a result of its own."""
    if shape.node is not None:
        return shape.node.whole
    if not isinstance(shape, Rubrics) or len(shape.criteria or ()) < 2:
        return shape.span
    execution = case.execution if isinstance(case.execution, Execution) else None
    lists = ((case, "assertions"), (execution, "evaluators"), (case, "evaluators"))
    return next((at.key_at(key) for at, key in lists if at is not None and at.has(key)), shape.span)


def evaluator_names(case: "Runnable") -> list[str]:
    """The unique names of the evaluators of a case: the second `contains-x` is `contains-x #2`."""
    return names_of(case.evaluators)


def names_of(evaluators: Iterable[Evaluator]) -> list[str]:
    """The unique names of evaluators, in order."""
    names: list[str] = []
    for shape in evaluators:
        name = default_name(shape)
        number = sum(n == name or n.startswith(f"{name} #") for n in names)
        names.append(f"{name} #{number + 1}" if number else name)
    return names


def _short(text: object) -> str:
    line = " ".join(text.split()) if isinstance(text, str) else ""
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def skipped_tests(result: "CaseResult") -> bool:
    """Whether a case was skipped, because of another case or the budget."""
    return result.verdict == "unscored" and result.reason.startswith("not run:")


def messages(case: "Runnable", result: "CaseResult", expected: str = "") -> list[TestMessage]:
    """Why a case did not pass: a summary, then each part with its location. Empty if it passed and every grader ran."""
    if result.is_sound_pass:
        return []
    from rubric_core.evaluation.reporting.inline_marks import marks_of  # noqa: PLC0415  # loaded when something was run

    severity: Literal["error", "warning"] = "error" if result.verdict == "failed" else "warning"
    at = case.case_span(case.case.at("id"))
    short = TestMessage(_case_words(result), severity, at, expected, result.answer if expected else "")
    parts = (m for m in marks_of(case, result) if m.what not in ("case", "band") and m.verdict != "passed")
    return [short, *(_part(case, mark) for mark in parts if mark.error or mark.note != result.reason)]


def _part(case: "Runnable", mark: "Mark") -> TestMessage:
    """The message of a part that did not pass. Evaluators of the suite are reported at the case, as their own lines show all cases."""
    from rubric_core.evaluation.model.result import CriterionResult  # noqa: PLC0415

    severity: Literal["error", "warning"] = "error" if mark.verdict == "failed" or mark.error else "warning"
    # The mark of an unscored part is its reason in short: the full reason is enough.
    words = f"unscored: {mark.note}" if mark.verdict == "unscored" and mark.note else _words(mark.text, mark.note)
    if mark.error:
        words = f"the grader failed: {mark.note}"
    if not mark.inherited:
        subject = mark.result.label if isinstance(mark.result, CriterionResult) else ""
        return TestMessage(words, severity, mark.span, subject=subject)
    part = mark.of
    name = default_name(part) if isinstance(part, Evaluator) else part.id if isinstance(part, Criterion) else ""
    return TestMessage(f"{name}: {words}" if name else words, severity, case.case_span(case.case.at("id")))


def _case_words(result: "CaseResult") -> str:
    from rubric_core.evaluation.reporting.inline_marks import grader_words  # noqa: PLC0415  # loaded when something was run

    errors = grader_words(result, why=True)
    if result.verdict == "unscored":
        return f"unscored: {errors or result.reason}"
    needs = f", {result.needs}" if result.needs else ""
    if errors:
        return f"{errors}; {result.verdict.value} with {result.score or 0:.2f}{needs}"
    words = f"{result.verdict.value} with {result.score:.2f}{needs}"
    return f"{words}: {result.reason}" if result.reason else words


def _words(mark: str, note: str) -> str:
    """A mark without its sign, which the state implies, and the reason."""
    told = mark[1:].strip()
    if not note or note in told:
        return told or mark
    return f"{told}: {note}" if told else note


def evaluator_mark(result: "EvaluatorResult") -> str:
    """The mark of an evaluator: `✘ 0.60`."""
    from rubric_core.evaluation.reporting.inline_marks import evaluator_words  # noqa: PLC0415  # loaded when something was run

    return evaluator_words(result)


def evaluator_messages(case: "Runnable", number: int, result: "EvaluatorResult") -> list[TestMessage]:
    """Why an evaluator did not pass; `number` counts from 1."""
    ungraded = tuple(result.ungraded())
    if result.verdict == "passed" and not ungraded:
        return []
    from rubric_core.evaluation.cases.turns import turns_of  # noqa: PLC0415
    from rubric_core.evaluation.reporting.inline_marks import evaluator_words, marks_of_some, of_row  # noqa: PLC0415

    place = len(turns_of(case.case)) + number
    found = [m for m in marks_of_some(case, {place: result}) if m.what != "band" and m.verdict != "passed"]
    said = [_part(case, mark) for mark in found]
    if said:
        return said
    if result.score is not None and ungraded:
        return [TestMessage(f"the grader failed: {each.name}: {each.reason}", "error") for each in ungraded]
    why = result.reason or of_row(result, "; ".join(result.shown_misses) or result.reasoning)
    return [TestMessage(_words(evaluator_words(result), why), "error" if result.verdict == "failed" else "warning")]
