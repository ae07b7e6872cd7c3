"""The differences that are known, `differences.yaml`: by suite and case, what differs, and why.

A case has `departure`, the row of `docs/departures.md` (or a list of rows), or `wrong`, a sentence about a mistake of rubric that is not
mended yet; and `differences`, each as it is printed, so that a figure that moves is seen. `UPDATE=1` writes what differs now and keeps
the reasons; a new case gets `departure: "?"`, which fails until a person has found the reason.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rubric_core.language.departure import Departure

from .compare import Difference, kind_of
from .run import Comparison

__all__ = [
    "KNOWN",
    "Known",
    "KnownDifferences",
    "false_explanations",
    "read_known",
    "unknown_departures",
    "write_known",
]

KNOWN = Path(__file__).with_name("differences.yaml")
_HEADER = """\
# What differs between agentv 4.42.4 and rubric in the suites beside this file, case by case: see known.py.
# `departure` names rows of docs/departures.md; `wrong` is a mistake of rubric that is still there and fails `make parity`.
"""
UNEXPLAINED = "?"


@dataclass(frozen=True)
class Known:
    """What is known of a case: why it differs, and how."""

    departures: tuple[str, ...]
    wrong: str
    differences: tuple[str, ...]

    @property
    def column(self) -> str:
        """The column of the table that its differences belong to."""
        if self.wrong:
            return "wrong"
        return "departure" if self.departures and UNEXPLAINED not in self.departures else "unexplained"


KnownDifferences = dict[str, dict[str, Known]]


def read_known(path: Path = KNOWN) -> KnownDifferences:
    """What is known, by suite and case."""
    loaded = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {suite: {case: _known(entry) for case, entry in cases.items()} for suite, cases in (loaded or {}).items()}


def write_known(known: KnownDifferences, comparisons: Iterable[Comparison], path: Path = KNOWN) -> None:
    """Write what differs now; reasons stay, cases that agree go, suites that did not run stay as they are."""
    current = {suite: dict(cases) for suite, cases in known.items()}
    for comparison in comparisons:
        before, current[comparison.suite] = current.get(comparison.suite, {}), {}
        for case, differences in by_case(comparison.differences).items():
            old = before.get(case, Known((UNEXPLAINED,), "", ()))
            current[comparison.suite][case] = Known(old.departures, old.wrong, tuple(map(str, differences)))
    entries = {
        suite: {c: _entry(k) for c, k in sorted(cases.items())} for suite, cases in sorted(current.items()) if cases
    }
    text = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=1000)
    path.write_text(_HEADER + text, encoding="utf-8")


def by_case(differences: Iterable[Difference]) -> dict[str, list[Difference]]:
    """Differences by their case."""
    found: dict[str, list[Difference]] = {}
    for difference in differences:
        found.setdefault(difference.case, []).append(difference)
    return found


def unknown_departures(known: KnownDifferences, rows: Collection[str]) -> Iterator[str]:
    """Entries that name a row which the page does not have."""
    for suite, cases in known.items():
        for case, entry in cases.items():
            for row in entry.departures:
                if row not in rows and row != UNEXPLAINED:
                    yield f"{suite}: {case}: there is no row {row} in docs/departures.md"


def false_explanations(known: KnownDifferences, rows: Iterable[Departure]) -> Iterator[str]:
    """Differences that no row of their entry may explain, and rows of an entry that explain none of its differences."""
    kinds = {row.id: row.explains for row in rows}
    for suite, cases in known.items():
        for case, entry in cases.items():
            named = [row for row in entry.departures if row in kinds]
            for text in entry.differences if named else ():
                if not any(kind_of(text) in kinds[row] for row in named):
                    yield f"{suite}: {case}: {' and '.join(named)} may not explain the {kind_of(text)}: {text}"
            found = {kind_of(text) for text in entry.differences}
            for row in named:
                if found.isdisjoint(kinds[row]):
                    yield f"{suite}: {case}: {row} explains none of the differences"


def _known(entry: Mapping[str, Any]) -> Known:
    departure = entry.get("departure") or []
    rows = (departure,) if isinstance(departure, str) else tuple(departure)
    return Known(rows, entry.get("wrong") or "", tuple(entry.get("differences") or ()))


def _entry(known: Known) -> dict[str, Any]:
    rows: str | list[str] = known.departures[0] if len(known.departures) == 1 else list(known.departures)
    reason = {"wrong": known.wrong} if known.wrong else {"departure": rows}
    return {**reason, "differences": list(known.differences)}
