"""no-cases: a suite without a single case."""

from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.validation.rule import CaseList, Context, Finding, rule

__all__ = ["NO_CASES"]


@rule("no-cases", "error", "A suite without a single case")
def NO_CASES(suite: CaseList, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The key is there and its list is empty, or none of the keys that could hold cases is there."""
    found = suite.suite
    if found is None or suite.cases:
        return
    name = context.dialect.spelled(Suite, "cases") or "tests"
    place = found.places.get("cases")
    if place is None:
        if (
            not context.dialect.demanded(Suite, "cases")
            and not found.has("scenarios")
            and not found.unread.get("cases")
        ):
            yield Finding(
                suite.outer(None, found.span),
                f"a suite needs `{name}` or `scenarios`",
                consequence="agentv refuses the file",
            )
    elif found.cases == []:
        yield Finding(suite.outer(None, place.key), f"`{place.name}` is empty, so nothing is tested")
