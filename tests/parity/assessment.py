"""Whether the comparison holds: every difference known and as it was, nothing known that is gone, nothing wrong left."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .compare import Difference
from .known import Known, KnownDifferences, by_case
from .run import Comparison

__all__ = ["Assessment", "assess"]


@dataclass
class Assessment:
    """What the comparison found, ready to be printed."""

    #: What fails, a line each.
    failures: list[str] = field(default_factory=list)
    #: The class of a case that differs, by suite and case.
    classes: dict[tuple[str, str], str] = field(default_factory=dict)


def assess(comparisons: Iterable[Comparison], known: KnownDifferences) -> Assessment:
    """Hold what differs against what is known of it, for the suites that ran."""
    found = Assessment()
    for comparison in comparisons:
        expected = known.get(comparison.suite, {})
        differing = by_case(comparison.differences)
        for case in expected.keys() - differing.keys():
            found.failures.append(
                f"{comparison.suite}: {case}: does not differ any more; UPDATE=1 takes it off the list"
            )
        for case, differences in differing.items():
            entry = expected.get(case, Known((), "", ()))
            new = [d for d in differences if str(d) not in entry.differences]
            gone = [text for text in entry.differences if text not in map(str, differences)]
            changed = bool(new or gone)
            found.classes[comparison.suite, case] = "unexplained" if changed else entry.column
            found.failures.extend(_failures(f"{comparison.suite}: {case}", entry, new, gone))
        if not comparison.agentv.cases and not comparison.rubric.cases:
            found.failures.append(f"{comparison.suite}: neither program ran a case: {comparison.rubric.said.strip()}")
    return found


def _failures(at: str, entry: Known, new: list[Difference], gone: list[str]) -> Iterator[str]:
    for difference in new:
        detail = f"\n      {difference.detail}" if difference.detail else ""
        yield f"{at}: not explained: {difference}{detail}"
    for text in gone:
        yield f"{at}: not there any more: {text}"
    if not new and not gone and entry.column != "departure":
        why = entry.wrong or "no row of docs/departures.md says why"
        yield f"{at}: {'wrong' if entry.wrong else 'not explained'}: {why}: {'; '.join(entry.differences[:3])}"
