"""criterion-without-text: a criterion that does not say what it checks."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CRITERION_WITHOUT_TEXT"]


@rule("criterion-without-text", "error", "A criterion that does not say what it checks")
def CRITERION_WITHOUT_TEXT(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """With score ranges the text may be left out, since the bands say it."""
    if (
        criterion.has("outcome")
        or criterion.unread.keys() & {"outcome", "score_ranges"}
        or criterion.score_ranges is not None
        or criterion.has("score_ranges")
    ):
        return
    name = context.dialect.spelled(Criterion, "outcome") or "outcome"
    fixes: tuple[Fix, ...] = ()
    if isinstance(criterion.node, Mapping) and not criterion.borrowed:
        edit = add_entry(context.text, criterion.node, name, '"…"')
        fixes = (Fix(f"add `{name}`", (edit,), safe=False),) if edit else ()
    yield Finding(
        criterion.span,
        f"this criterion does not say what it checks; it needs `{name}`",
        fixes=fixes,
        consequence="agentv skips it with a log line, so it is not graded",
    )
