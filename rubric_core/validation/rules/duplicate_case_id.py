"""duplicate-case-id: two cases with one id."""

from collections.abc import Iterator

from rubric_core.validation.rule import CaseEntry, CaseList, Context, Finding, Related, rule

__all__ = ["DUPLICATE_CASE_ID"]


@rule("duplicate-case-id", "error", "Two cases with one id")
def DUPLICATE_CASE_ID(suite: CaseList, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Results are filed by id, so the second case would hide the first."""
    seen: dict[str, CaseEntry] = {}
    for entry in suite.cases:
        name = entry.case.id
        if name is None:
            continue
        first = seen.setdefault(name, entry)
        if first is not entry:
            here, there = suite.outer(entry, entry.case.at("id")), suite.outer(first, first.case.at("id"))
            yield Finding(
                here,
                f"the id `{name}` is taken by another case",
                related=(Related(there, f"`{name}` is taken here"),),
                consequence="agentv runs both and files them under one name",
            )
