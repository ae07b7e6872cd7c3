"""duplicate-case-id: two cases with one id."""

from collections.abc import Iterator
from pathlib import Path

from rubric_core.language.model import Case
from rubric_core.validation.entry_lists import CaseEntry, CaseList
from rubric_core.validation.rename_fixes import FreeNames
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["DUPLICATE_CASE_ID"]

_BOTH = "agentv runs both and stores them under one name"
_NEITHER = "agentv runs none of the cases that share an id"


@rule("duplicate-case-id", "error", "Two cases with the same id")
def DUPLICATE_CASE_ID(suite: CaseList, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Results are filed by id, so the second case would hide the first."""
    # Ids are looked at since cases can depend on one another.
    agentv = _NEITHER if context.dialect.spelled(Case, "depends_on") else _BOTH
    elsewhere = dict(_elsewhere(suite))
    seen: dict[str, CaseEntry] = {}
    free = FreeNames((*elsewhere, *(e.case.id for e in suite.cases if e.case.id)))
    for entry in suite.cases:
        name = entry.case.id
        if name is None:
            continue
        first = seen.setdefault(name, entry)
        here = suite.outer(entry, entry.case.at("id"))
        if name in elsewhere:
            yield Finding(
                here,
                f"the id `{name}` is taken by a case in {elsewhere[name].name}",
                fixes=free.called(entry.case.places.get("id"), name, here),
                consequence=agentv,
            )
        elif first is not entry:
            there = suite.outer(first, first.case.at("id"))
            yield Finding(
                here,
                f"the id `{name}` is taken by another case",
                related=(Related(there, f"`{name}` is taken here"),),
                fixes=free.called(entry.case.places.get("id"), name, here),
                consequence=agentv,
            )
    yield from _among_files(suite, agentv)


def _elsewhere(suite: CaseList) -> Iterator[tuple[str, Path]]:
    """The ids of cases in other files."""
    return ((case.id, case.path) for path in suite.external for case in path.found.cases)


def _among_files(suite: CaseList, agentv: str) -> Iterator[Finding]:
    """Ids that two cases in other files have, at the path behind which the second one is."""
    seen: dict[str, Path] = {}
    for path in suite.external:
        for case in path.found.cases:
            first = seen.get(case.id)
            seen.setdefault(case.id, case.path)
            if first is not None:
                same = first == case.path
                where = f"two cases in {first.name}" if same else f"cases in {first.name} and {case.path.name}"
                yield Finding(path.span, f"the id `{case.id}` is taken twice: by {where}", consequence=agentv)
