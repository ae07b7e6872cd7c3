"""Results of runs in words: marks, lines, and where in a case each part of a result belongs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.analysis import Analysis
from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Suite
from rubric_core.language.shape import Shape
from rubric_core.loading.grading import evaluators_of, suite_list
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry

if TYPE_CHECKING:
    from rubric_core.evaluation.result import CaseResult, CriterionResult, EvaluatorResult

__all__ = [
    "LONGEST",
    "MARKS",
    "Part",
    "Results",
    "Shown",
    "brief",
    "clipped",
    "id_span",
    "line_end",
    "parts",
    "score_words",
]

#: Editors cut what stands at the end of a line after this many characters.
LONGEST = 43
#: By verdict. One character each, and never told by colour alone.
MARKS = {"passed": "✔", "borderline": "◐", "failed": "✘", "unscored": "○"}
STALE, RUNNING = "◌", "⟳"


@dataclass(frozen=True, slots=True)
class Shown:
    """What is known of one case: its last result, and what a run is doing with it now."""

    result: "CaseResult | None" = None
    #: Whether the case, or something that its result depends on, has changed since.
    stale: bool = False
    #: What is going on: "2/3 judging tone". Empty when nothing is.
    running: str = ""
    #: The verdicts of earlier runs, oldest first.
    history: tuple[str, ...] = ()


#: By case id.
Results = Mapping[str, Shown]


class Part(NamedTuple):
    """A part of a result and the text that it judges."""

    span: Span
    result: "CriterionResult | EvaluatorResult"


def clipped(text: str, longest: int = LONGEST) -> str:
    """`text` on one line of at most `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def score_words(score: float | None) -> str:
    """A score as it is shown: two digits."""
    return "" if score is None else f"{score:.2f}"


def seconds(milliseconds: float | None) -> str:
    """A duration as it is shown: 0.3s, 12s, 2m05s."""
    if milliseconds is None:
        return ""
    took = milliseconds / 1000
    if took < 10:
        return f"{took:.1f}s"
    return f"{took:.0f}s" if took < 60 else f"{int(took // 60)}m{int(took % 60):02d}s"


def brief(shown: Shown) -> str:
    """A case's result in one short line, empty when there is nothing to tell."""
    if shown.running:
        return clipped(f"{RUNNING} {shown.running}")
    result = shown.result
    if result is None:
        return ""
    if shown.stale:
        return clipped(f"{STALE} stale · was {MARKS[result.verdict]} {score_words(result.score)}")
    if result.verdict == "unscored":
        return clipped(
            f"{MARKS['unscored']} unscored: {result.reason}" if result.reason else f"{MARKS['unscored']} unscored"
        )
    cost = f"${result.cost_usd:.4g}" if result.cost_usd else ""
    words = (f"{MARKS[result.verdict]} {score_words(result.score)}", seconds(result.duration_ms), cost)
    return clipped("  ".join(w for w in words if w))


def id_span(analysis: Analysis, entry: CaseEntry) -> Span:
    """The id of a case in the text; its first line when it has none."""
    return analysis.span_of(entry, entry.case.at("id"))


def line_end(analysis: Analysis, offset: int) -> int:
    """The end of the line that holds `offset`."""
    document = analysis.document
    number = document.block_at(offset)
    start, index = document.start(number), document.blocks[number].index
    return start + index.line_span(index.line_of(offset - start)).end


def parts(analysis: Analysis, entry: CaseEntry, result: "CaseResult") -> Iterator[Part]:
    """The evaluators and criteria of a result with the spans of what they judge.

    Those that the suite gives to every case are left out: their lines belong to no case.
    """
    suite = analysis.suite or Suite(Span(0, 0))
    shared = {id(item) for item in suite_list(suite) or []}
    written = evaluators_of(suite, entry.case, analysis.dialect)
    for shape, found in zip(written, result.evaluators, strict=False):
        if id(shape) in shared:
            continue
        yield from _parts(analysis, entry, shape, found, shared)


def _parts(
    analysis: Analysis, entry: CaseEntry, shape: Evaluator, found: "EvaluatorResult", shared: set[int]
) -> Iterator[Part]:
    criteria = [c for c in vars(shape).get("criteria") or [] if isinstance(c, Criterion)]
    if not criteria:
        criteria = [c for c in vars(shape).get("rubrics") or [] if isinstance(c, Criterion)]
    for criterion, scored in zip(criteria, found.criteria, strict=False):
        if id(criterion) not in shared:
            yield Part(analysis.span_of(entry, _shown_at(criterion)), scored)
    # A rubric made of the plain strings of a list has no line of its own.
    if shape.node is not None:
        yield Part(analysis.span_of(entry, _shown_at(shape)), found)
    members = [m for m in vars(shape).get("assertions") or [] if isinstance(m, Evaluator)]
    for member, judged in zip(members, found.members, strict=False):
        yield from _parts(analysis, entry, member, judged, shared)


def _shown_at(shape: Shape) -> Span:
    """The word by which a person knows the part: its id, its type, or the string itself."""
    for field in ("id", "name", "type"):
        if shape.has(field):
            return shape.at(field)
    return shape.span
