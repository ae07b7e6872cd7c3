"""Code lenses: run a case or the file, and show results."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.analysis import Analysis
from rubric_core.language.model import Case
from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Span
from rubric_core.validation.wording import count
from rubric_lsp.features.results import Results, ShownCase, brief, whole_span
from rubric_lsp.features.run_actions import TIMES

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable

__all__ = ["Lens", "LensedCase", "case_lenses", "file_lenses", "included_lenses", "lensed_cases"]


@dataclass(frozen=True, slots=True)
class Lens:
    """A title above a line, and its command, whose first argument is the document's URI."""

    span: Span
    title: str
    command: str
    case_id: str = ""
    #: Further arguments, after the id of the case.
    more: tuple[str | int, ...] = ()


class LensedCase(NamedTuple):
    """A case with a unique name and the text of its lenses; equal values give equal lenses."""

    case: Case
    name: str
    #: The result in short, empty if it is shown elsewhere.
    result: str
    running: bool
    has_result: bool


def lensed_cases(analysis: Analysis, results: Results, *, told: bool = True) -> dict[int, list[LensedCase]]:
    """The cases with lenses, by the number of their block; `told` if results are shown in lenses."""
    found: dict[int, list[LensedCase]] = {}
    named: set[str] = set()
    for entry in analysis.cases:
        name = entry.name
        if name not in named:
            named.add(name)
            found.setdefault(entry.block, []).append(_lensed(entry.case, name, results.get(name), told=told))
    return found


def _lensed(case: Case, name: str, shown: ShownCase | None, *, told: bool) -> LensedCase:
    if shown is None:
        return LensedCase(case, name, "", running=False, has_result=False)
    return LensedCase(case, name, brief(shown) if told else "", bool(shown.running), shown.last is not None)


def file_lenses(analysis: Analysis, results: Results, cases: int) -> list[Lens]:
    """The lenses of the file; `cases` is the number of cases with lenses of their own."""
    settings = analysis.settings
    if not (cases or analysis.included or analysis.has_scenarios) or settings is None:
        return []
    span = analysis.span_of(None, settings.cases_key)
    return _file(span, results, 0 if analysis.included or analysis.has_scenarios else cases)


def case_lenses(span: Span, case: LensedCase, among: int = 1) -> list[Lens]:
    """The lenses of a case, above the line of its id at `span`; those of one among several there name it."""
    if among > 1:
        title, command = ("■ Cancel", "rubric.cancel") if case.running else ("▶ Run", "rubric.runCase")
        return [Lens(span, f"{title} ‹{case.name}›", command, case.name)]
    result = f"{case.result} · " if case.result else ""
    if case.running:
        return [Lens(span, f"{result}■ Cancel", "rubric.cancel", case.name)]
    found = [
        Lens(span, f"{result}▶ Run", "rubric.runCase", case.name),
        Lens(span, f"Run {TIMES}×", "rubric.repeat", case.name, (TIMES,)),
    ]
    if case.has_result:
        found.append(Lens(span, "Report", "rubric.openReport", case.name))
    return found


def included_lenses(cases: "Iterable[Runnable]", results: Results, *, told: bool) -> Iterator[Lens]:
    """The lenses of the cases of a file that its suite names; `told` if results are shown in lenses."""
    places: dict[int, list[Runnable]] = {}
    for case in cases:
        places.setdefault(whole_span(case).start, []).append(case)
    for start, several in places.items():
        for case in several:
            lensed = _lensed(case.case, case.id, results.get(case.id), told=told)
            yield from case_lenses(Span(start, start), lensed, among=len(several))


def _file(span: Span, results: Results, cases: int) -> list[Lens]:
    if any(shown.running for shown in results.values()):
        return [Lens(span, "■ Cancel", "rubric.cancel")]
    known = [(shown.summary, shown.stale) for shown in results.values()]
    done = [summary for summary, _ in known if summary is not None]
    tally = _tally([summary.verdict.value for summary, stale in known if summary is not None and not stale])
    # The number of cases in other files is not known.
    run = f"▶ Run {count(cases, 'case')}" if cases else "▶ Run every case"
    found = [Lens(span, f"{tally} · {run}" if tally else run, "rubric.runFile")]
    unscored = sum(summary.lacks_a_verdict for summary in done)
    failed = sum(not summary.is_sound_pass for summary in done) - unscored
    for amount, words, command in (
        (failed, "failed", "rubric.runFailed"),
        (unscored, "unscored", "rubric.runUnscored"),
    ):
        if 0 < amount < max(cases, len(done)):
            found.append(Lens(span, f"▶ Run {amount} {words}", command))
    return found


def _tally(verdicts: list[str]) -> str:
    """The number of cases per verdict: ✔ 2 ✘ 1."""
    if not verdicts:
        return ""
    from rubric_core.evaluation.reporting.inline_marks import SIGNS  # noqa: PLC0415  # loaded when something was run

    return "  ".join(f"{sign} {verdicts.count(v.value)}" for v, sign in SIGNS.items() if v.value in verdicts)
