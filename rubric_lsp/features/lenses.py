"""Code lenses: run a case, run the file, and what came of it."""

from dataclasses import dataclass

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.words import count
from rubric_lsp.features.results import Results, Shown, brief, id_span
from rubric_lsp.features.run_actions import TIMES

__all__ = ["Lens", "lenses"]


@dataclass(frozen=True, slots=True)
class Lens:
    """A title over a line, and the command behind it; the document's URI is its first argument."""

    span: Span
    title: str
    command: str
    case_id: str = ""
    #: Further arguments, behind the id of the case.
    more: tuple[str | int, ...] = ()


def lenses(analysis: Analysis, results: Results, *, told: bool = True) -> list[Lens]:
    """Those of the file, and those of each case that has an id of its own; `told` when results have no other place."""
    found: list[Lens] = []
    named: dict[str, Span] = {}
    for entry in analysis.cases:
        name = entry.case.id
        if isinstance(name, str) and name and name not in named:
            named[name] = id_span(analysis, entry)
    if (named or analysis.external) and analysis.suite is not None:
        span = analysis.span_of(None, analysis.suite.key_at("cases"))
        found += _file(span, results, 0 if analysis.external else len(named))
    for name, span in named.items():
        found += _case(span, name, results.get(name), told=told)
    return found


def _file(span: Span, results: Results, cases: int) -> list[Lens]:
    if any(shown.running for shown in results.values()):
        return [Lens(span, "■ Cancel", "rubric.cancel")]
    done = [s.result for s in results.values() if s.result is not None]
    tally = _tally([s.result.verdict.value for s in results.values() if s.result is not None and not s.stale])
    # Of cases in other files nobody has counted how many there are.
    run = f"▶ Run {count(cases, 'case')}" if cases else "▶ Run every case"
    found = [Lens(span, f"{tally} · {run}" if tally else run, "rubric.runFile")]
    failed = sum(not result.is_sound_pass for result in done)
    if 0 < failed < max(cases, len(done)):
        found.append(Lens(span, f"▶ Run {failed} failed", "rubric.runFailed"))
    return found


def _tally(verdicts: list[str]) -> str:
    """How many there are of each verdict: ✔ 2  ✘ 1."""
    if not verdicts:
        return ""
    from rubric_core.evaluation.marks import SIGNS  # noqa: PLC0415  # loaded when something was run

    return "  ".join(f"{sign} {verdicts.count(v.value)}" for v, sign in SIGNS.items() if v.value in verdicts)


def _case(span: Span, name: str, shown: Shown | None, *, told: bool) -> list[Lens]:
    result = brief(shown) if shown is not None and told else ""
    if shown is not None and shown.running:
        return [Lens(span, f"{result} · ■ Cancel" if result else "■ Cancel", "rubric.cancel", name)]
    found = [
        Lens(span, f"{result} · ▶ Run" if result else "▶ Run", "rubric.runCase", name),
        Lens(span, f"×{TIMES}", "rubric.repeat", name, (TIMES,)),
    ]
    if shown is not None and shown.result is not None:
        found.append(Lens(span, "Report", "rubric.openReport", name))
    return found
