"""nothing-asserted: a case that no answer can fail."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.loading.grading import asserts_anything
from rubric_core.syntax.tree import Sequence
from rubric_core.text import Span
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NOTHING_ASSERTED"]

_ASSERTING = frozenset(("assertions", "evaluators", "rubrics", "evaluator", "criteria", "expected_output"))


@rule("nothing-asserted", "warning", "A case in which nothing is asserted")
def NOTHING_ASSERTED(case: Case, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Silent where a key that would assert something is misspelt: that key is reported already."""
    if context.defaults.asserts or context.defaults.evaluator:
        return
    unread = {*case.unread, *(case.execution.unread if case.execution is not None else {})}
    if unread & _ASSERTING or any(case.has(f) and _is_broken(case, f) for f in _ASSERTING):
        return
    if context.dialect.demanded(Case, "criteria"):
        return  # missing-key says it
    if asserts_anything(Suite(Span(0, 0)), case):
        return
    field = (
        "assertions"
        if context.dialect.spelled(Case, "assertions")
        else "rubrics"
        if context.dialect.spelled(Case, "rubrics")
        else "criteria"
    )
    key = context.dialect.spelled(Case, field)
    yield Finding(
        case.at("id") if case.has("id") else case.span,
        f"nothing is asserted in this case, so no answer can fail it; say what a good answer has under `{key}`",
        consequence="agentv skips a case without criteria, or grades it by nothing",
    )


def _is_broken(case: Case, field: str) -> bool:
    """Whether something is written that cannot be understood, which is said where it stands."""
    value, node = vars(case).get(field), case.places[field].node
    return value is None or (value == [] and isinstance(node, Sequence) and bool(node.items))
