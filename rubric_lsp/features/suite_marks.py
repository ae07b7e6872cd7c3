"""Marks of the suite's evaluators: the results over all cases on their lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.analysis import Analysis
from rubric_core.language.evaluators import Criterion
from rubric_core.language.markdown import plain
from rubric_core.language.shape import Shape
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry
from rubric_core.validation.wording import count
from rubric_lsp.features.results import Results, ShownCase, marks_of_both

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.reporting.inline_marks import Mark
    from rubric_core.evaluation.reporting.summary import CaseMark, Summary

__all__ = ["Others", "SharedMarks", "shared_report", "shared_tooltip", "span_of"]

#: Gives the included cases of a suite, by their ids.
Others = Callable[[], "Mapping[str, Runnable]"]
#: The most cases in a hover, and in a tooltip.
_MOST, _FEW = 12, 5
_LONGEST = 160


class SharedMarks:
    """Summaries of a suite's evaluators over its cases, kept across versions: only changed cases are counted again."""

    def __init__(self) -> None:
        self._settings: Shape | None = None
        #: Whether the suite gives an evaluator to all cases.
        self._gives = False
        self._found: dict[Shape, Summary] = {}
        #: The inputs that each case was counted by.
        self._counted: dict[str, tuple[object, ...]] = {}
        #: How many cases were counted: tests use it to verify that only changed ones are.
        self.looked_at = 0

    def of(
        self, analysis: Analysis, results: Results, path: Path | None = None, others: Others = dict
    ) -> "Sequence[Summary]":
        """A summary of each evaluator and criterion of the suite that some case has a result for, in text order.

        Args:
            analysis: The suite.
            results: The results of its cases.
            path: Its file.
            others: Gives its cases in other files.
        """
        settings = analysis.settings
        if settings is not self._settings:
            self._settings, self._found, self._counted = settings, {}, {}
            self._gives = settings is not None and any(
                shape.stands_for in ("check", "criterion") for shape in settings.shared_parts
            )
        if not self._gives:
            return ()
        entries = {e.name: e for e in reversed(analysis.cases)} if results else {}
        now = {name: _counted_by(entries.get(name), shown) for name, shown in results.items()}
        gone = [name for name in self._counted if name not in now]
        changed = {name for name, by in now.items() if not _same(self._counted.get(name), by)}
        for name in (*gone, *changed):
            self._forget(name)
        here = [entries[name] for name in changed if name in entries]
        for case in _runnables(path or Path("/"), analysis, here, others if len(here) < len(changed) else dict):
            if case.id not in changed:
                continue  # in another file, and unchanged
            self.looked_at += 1
            for part, each in _marks(case, results[case.id]):
                self._add_mark(part, each)
        self._counted = now
        return sorted(self._found.values(), key=span_of)

    def _forget(self, name: str) -> None:
        for each in self._found.values():
            each.drop(name)
        self._found = {part: each for part, each in self._found.items() if each.marks}

    def _add_mark(self, part: Shape, each: "CaseMark") -> None:
        from rubric_core.evaluation.reporting.summary import Summary  # noqa: PLC0415  # loaded when something was run

        self._found.setdefault(part, Summary(part)).put(each)


def span_of(summary: "Summary") -> Span:
    """The span of an evaluator's or criterion's mark, in the text around the cases."""
    part = summary.of
    if part is None:
        return Span(0, 0)
    return part.at("id") if isinstance(part, Criterion) and part.has("id") else part.span


def _counted_by(entry: CaseEntry | None, shown: ShownCase) -> tuple[object, ...]:
    case = entry.case if entry is not None else None
    return (case, shown.last, shown.stale, bool(shown.running), *shown.newer.items())


def _same(before: tuple[object, ...] | None, now: tuple[object, ...]) -> bool:
    """Whether the inputs of a case's count are unchanged; compared by identity, which is cheap."""
    return before is not None and len(before) == len(now) and all(map(_is, before, now))


def _is(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, tuple) and one[0] == other[0] and one[1] is other[1])


def _runnables(path: Path, analysis: Analysis, here: Sequence[CaseEntry], others: Others) -> "Iterator[Runnable]":
    """The cases in the suite, and those in other files."""
    if here:
        from rubric_core.evaluation.cases.open_document_cases import placed_cases  # noqa: PLC0415  # loaded when something was run

        yield from placed_cases(path, analysis, here, marks_only=True)
    yield from others().values()


def _marks(case: "Runnable", shown: ShownCase) -> "Iterator[tuple[Shape, CaseMark]]":
    """The marks of one case for its inherited evaluators."""
    from rubric_core.evaluation.reporting.inline_marks import marks_of_some  # noqa: PLC0415
    from rubric_core.evaluation.reporting.summary import CaseMark  # noqa: PLC0415

    newer = _inherited(marks_of_some(case, shown.newer)) if shown.newer else {}
    if shown.running:
        yield from ((part, CaseMark(case.id)) for part in _waiting(case) if part not in newer)
    elif shown.result is not None:
        old = _inherited(marks_of_both(case, shown.result, shown.newer))
        yield from ((part, CaseMark(case.id, old[part], shown.stale)) for part in old if part not in newer)
    yield from ((part, CaseMark(case.id, mark)) for part, mark in newer.items())


def _inherited(marks: "Iterable[Mark]") -> "dict[Shape, Mark]":
    return {mark.of: mark for mark in marks if mark.inherited and mark.of is not None}


def _waiting(case: "Runnable") -> Iterator[Shape]:
    """The parts of the suite that a run of the case has not reached yet."""
    from rubric_core.validation.rubrics import criteria_of  # noqa: PLC0415

    for config in case.evaluators:
        if case.inherits(config):
            parts: Sequence[Shape] = criteria_of(config) or [config]
            yield from (part for part in parts if case.inherits(part))


def shared_report(summary: "Summary") -> str:
    """Each case's result for a part of the suite, the worst first, as Markdown for a hover."""
    rows = [_row(each) for each in summary.worst(_MOST)]
    head = f"**{plain(summary.words)}**\n\n| case | result | band | judge |\n|---|---|---|---|"
    left = len(summary.marks) - len(rows)
    more = [f"\n… and {count(left, 'more case')}"] if left else []
    return "\n".join([head, *rows, *more])


def _row(each: "CaseMark") -> str:
    from rubric_core.evaluation.reporting.inline_marks import RUNNING, STALE  # noqa: PLC0415

    mark = each.mark
    if mark is None:
        return f"| {_cell(each.case)} | {RUNNING} running | | |"
    result = f"{STALE} stale · was {mark.text}" if each.stale else mark.text
    band = mark.band[1] if mark.band is not None else ""
    return f"| {_cell(each.case)} | {_cell(result)} | {_cell(band)} | {_cell(mark.note)} |"


def _cell(text: str) -> str:
    from rubric_core.evaluation.reporting.inline_marks import shortened  # noqa: PLC0415

    return plain(shortened(text, _LONGEST))


def shared_tooltip(summary: "Summary") -> str:
    """The same in a few lines of plain text."""
    from rubric_core.evaluation.reporting.inline_marks import shortened  # noqa: PLC0415

    lines = [shortened(f"{e.case}: {e.mark.text}  {e.mark.note}", _LONGEST) for e in summary.worst(_FEW) if e.mark]
    return "\n".join([*lines, "…"] if len(summary.marks) > _FEW else lines)
