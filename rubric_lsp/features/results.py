"""What is known of the cases of a suite, in a few words, and where in the text each part of a result belongs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry

if TYPE_CHECKING:
    from rubric_core.evaluation.marks import Mark
    from rubric_core.evaluation.result import CaseResult

__all__ = ["Results", "Shown", "brief", "id_span", "line_end", "marks", "stale_words"]

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


def brief(shown: Shown) -> str:
    """A case in one short line, empty when there is nothing to tell."""
    from rubric_core.evaluation.marks import case_words, shortened  # noqa: PLC0415  # loaded when something was run

    if shown.running:
        return shortened(f"{RUNNING} {shown.running}")
    if shown.result is None:
        return ""
    return shortened(f"{STALE} stale · was {stale_words(shown.result)}") if shown.stale else case_words(shown.result)


def stale_words(result: "CaseResult") -> str:
    """What a result was, when it does not hold any more."""
    from rubric_core.evaluation.marks import SIGNS  # noqa: PLC0415

    score = "unscored" if result.score is None else f"{result.score:.2f}"
    return f"{SIGNS[result.verdict]} {score}"


def id_span(analysis: Analysis, entry: CaseEntry) -> Span:
    """The id of a case in the text; its first line when it has none."""
    return analysis.span_of(entry, entry.case.at("id"))


def line_end(analysis: Analysis, offset: int) -> int:
    """The end of the line that holds `offset`."""
    document = analysis.document
    number = document.block_at(offset)
    start, index = document.start(number), document.blocks[number].index
    return start + index.line_span(index.line_of(offset - start)).end


def marks(analysis: Analysis, entry: CaseEntry, result: "CaseResult") -> "list[Mark]":
    """The marks of a result inside its case, the one of the case itself left out.

    Evaluators that the suite gives to every case have lines that belong to no case.
    """
    from rubric_core.evaluation.marks import marks_of  # noqa: PLC0415
    from rubric_core.evaluation.runnable import runnables  # noqa: PLC0415

    runnable = runnables(Path(), analysis, entries=[entry])[0]
    found = marks_of(runnable, result)
    return [m for m in found if m.what != "case" and analysis.case_at(m.span.start) == entry]
