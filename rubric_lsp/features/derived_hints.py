"""Inlay hints derived from the text: shares, limits of bands, inherited evaluators, default gates."""

from collections.abc import Iterable, Iterator
from itertools import chain

from rubric_core.analysis import Analysis
from rubric_core.language.evaluators import Evaluator, ScoreRanges
from rubric_core.language.model import Execution, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.loading.grading import case_list, default_name, gather_evaluators, required, suite_list
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Span
from rubric_core.validation.bands import is_sound
from rubric_core.validation.entry_lists import CaseEntry
from rubric_core.validation.rubrics import criteria_of
from rubric_lsp.features.hints import Hint, HintSettings
from rubric_lsp.features.results import id_span, line_end
from rubric_lsp.features.weight_shares import WeightShare, percent, shares_of, suite_shares

__all__ = ["derived_hints"]

#: Editors cut longer hints.
_LONGEST = 43


def derived_hints(analysis: Analysis, within: Span, wanted: HintSettings) -> Iterator[Hint]:
    """The hints in a range; only the cases in it are visited, and the evaluators of the suite."""
    document = analysis.document
    first, last = document.block_at(within.start), document.block_at(within.end)
    found = [_suite_hints(analysis, wanted)]
    found += [_case_hints(analysis, e, wanted) for e in analysis.cases if e.block < 0 or first <= e.block <= last]
    for hint in chain.from_iterable(found):
        if within.start <= hint.offset <= within.end:
            yield hint


def _suite_hints(analysis: Analysis, wanted: HintSettings) -> Iterator[Hint]:
    """Hints of the evaluators that cases inherit from their suite. The share of each differs from case to case."""
    if wanted.weights:
        yield from (_weight(analysis, None, share) for share in suite_shares(analysis) if _is_written(share))
    for evaluator in suite_list(analysis.suite) or () if analysis.suite is not None else ():
        if isinstance(evaluator, Shape):
            yield from _shape_hints(analysis, None, children(evaluator), wanted)


def _case_hints(analysis: Analysis, entry: CaseEntry, wanted: HintSettings) -> Iterator[Hint]:
    if wanted.weights:
        for share in shares_of(analysis, entry.case):
            # Inherited evaluators are not written in a case.
            if _is_written(share) and _in_case(entry, share.of.places["weight"].value):
                yield _weight(analysis, entry, share)
    yield from _shape_hints(analysis, entry, children(entry.case), wanted)
    if wanted.inherited:
        yield from _inherited(analysis, entry)


def _is_written(share: WeightShare) -> bool:
    """Whether a weight is written that matters: a single weight does not."""
    return share.of.has("weight") and not share.of.borrowed and share.here is not None and share.here < 1


def _weight(analysis: Analysis, entry: CaseEntry | None, share: WeightShare) -> Hint:
    end = analysis.span_of(entry, share.of.places["weight"].value).end
    return Hint(end, f"= {percent(share.here or 0)}", share.words(len(analysis.cases)))


def _shape_hints(
    analysis: Analysis, entry: CaseEntry | None, shapes: Iterable[Shape], wanted: HintSettings
) -> Iterator[Hint]:
    def outer(span: Span) -> Span:
        return analysis.span_of(entry, span)

    for shape in shapes:
        if shape.borrowed:
            continue
        if wanted.bands and isinstance(shape, ScoreRanges) and shape.style == "map" and isinstance(shape.node, Mapping):
            for node, band in zip(shape.node.entries, shape.bands, strict=False):
                if is_sound(band) and band.low != band.high:
                    yield Hint(outer(node.key.span).end, f"–{band.high}", f"scores {band.low}–{band.high}", close=True)
        if wanted.required:
            for span, gates in _by_default(analysis, shape):
                why = "a plain string is required, an object only if it says so"
                yield Hint(line_end(analysis, outer(span).end), "required" if gates else "not required", why)


def _by_default(analysis: Analysis, shape: Shape) -> Iterator[tuple[Span, bool]]:
    """Criteria without `required`, in a list in which some are required by default and others are not."""
    unsaid = (c for c in criteria_of(shape) if not c.has("required") and not c.borrowed and c.min_score is None)
    silent = {c: required(c, analysis.dialect) for c in unsaid}
    if len(set(silent.values())) > 1:
        yield from ((c.span, gates) for c, gates in silent.items())


def _in_case(entry: CaseEntry, span: Span) -> bool:
    node = entry.case.node
    return node is not None and node.whole.start <= span.start and span.end <= node.whole.end


def _inherited(analysis: Analysis, entry: CaseEntry) -> Iterator[Hint]:
    """The evaluators that a case inherits, at the end of the line of its list or its id."""
    case, suite, dialect = entry.case, analysis.suite or Suite(Span(0, 0)), analysis.dialect
    skips = isinstance(case.execution, Execution) and case.execution.skip_defaults is True
    own, shared = case_list(case), suite_list(suite)
    if not shared or case.borrowed or (skips and dialect.properties.appends_suite_evaluators):
        return
    if own is not None and not dialect.properties.appends_suite_evaluators:
        return
    names = [default_name(e) for e in gather_evaluators(shared, dialect) if isinstance(e, Evaluator)]
    at = case.places.get("assertions") if own is not None else None
    offset = analysis.span_of(entry, at.key).end if at is not None and not at.borrowed else id_span(analysis, entry).end
    label = f"+ {', '.join(names)} (suite)"
    if len(label) > _LONGEST:
        label = f"+ {len(names)} evaluators of the suite"
    yield Hint(line_end(analysis, offset), label, "from the suite: " + ", ".join(names))
