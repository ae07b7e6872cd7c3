"""no-cases: a suite without a single case."""

from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.tree import Sequence
from rubric_core.text import Edit
from rubric_core.validation.entry_lists import CaseList
from rubric_core.validation.first_case_fix import first_case
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["NO_CASES"]


@rule("no-cases", "error", "A suite without a single case", awaits="entry")
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
                fixes=_outer(suite, first_case(found, None, name, _suite_context(suite, context))),
                consequence="agentv rejects the file",
            )
    elif found.cases == [] and not (isinstance(place.node, Sequence) and place.node.items):
        yield Finding(
            suite.outer(None, place.key),
            f"`{place.name}` is empty, so nothing is tested",
            fixes=()
            if place.borrowed
            else _outer(suite, first_case(found, place.node, place.name, _suite_context(suite, context))),
        )


def _suite_context(suite: CaseList, context: Context) -> Context:
    return replace(context, text=suite.text_of(None))


def _outer(suite: CaseList, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """The fixes with their places in the whole text."""
    return tuple(replace(f, edits=tuple(Edit(suite.outer(None, e.span), e.new_text) for e in f.edits)) for f in fixes)
