"""duplicate-criterion-id: two criteria of one rubric with one id."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.validation.rename_fixes import FreeNames
from rubric_core.validation.rubrics import criteria_fields, criteria_of
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["DUPLICATE_CRITERION_ID"]


@rule("duplicate-criterion-id", "error", "Two criteria of one rubric with the same id", needs=criteria_fields)
def DUPLICATE_CRITERION_ID(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A judge's reply names criteria by id, so the second would take the place of the first."""
    seen: dict[str, Criterion] = {}
    criteria = criteria_of(shape)
    if len(criteria) < 2:
        return
    named = [(each.id or f"rubric-{position}", each) for position, each in enumerate(criteria, 1)]
    free = FreeNames(name for name, _ in named)
    for name, criterion in named:
        first = seen.setdefault(name, criterion)
        if first is not criterion:
            # A criterion without an id gets one by its position; the one that is written has to give way.
            here, there = (criterion, first) if criterion.has("id") else (first, criterion)
            related = (Related(there.at("id"), f"`{name}` is taken here"),)
            yield Finding(
                here.at("id"),
                f"the id `{name}` is taken by another criterion of this rubric",
                related=related,
                fixes=free.called(here.places.get("id"), name),
                consequence="agentv counts the last one twice and the first not at all",
            )
