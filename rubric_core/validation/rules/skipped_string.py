"""skipped-string: a plain string where the engine only takes mappings."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, LlmRubric, Rubric, Rubrics
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SKIPPED_STRING"]


@rule("skipped-string", "warning", "A plain string among criteria that have to be mappings")
def SKIPPED_STRING(shape: Rubric | LlmJudge, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`rubrics` of an evaluator takes mappings; strings are only read on a case and under `criteria`."""
    if isinstance(shape, Rubrics | LlmRubric):
        return
    items = shape.criteria if isinstance(shape, Rubric) else shape.rubrics
    name = context.dialect.spelled(Criterion, "outcome") or "outcome"
    for item in items or []:
        if isinstance(item, Criterion) and item.shorthand:
            fixes: tuple[Fix, ...] = ()
            if not item.borrowed and isinstance(item.node, Scalar) and item.node.style not in ("literal", "folded"):
                at = item.node.whole.start
                end = item.node.whole.end
                around = (Edit(Span(at, at), f"{{{name}: "), Edit(Span(end, end), "}"))
                edits = around if _in_flow(context, at) else (Edit(Span(at, at), f"{name}: "),)
                fixes = (Fix(f"write it as `{name}: …`", edits),)
            yield Finding(
                item.span,
                f"`rubrics` of an evaluator takes mappings with `{name}`; rubric reads this string",
                fixes=fixes,
                consequence="agentv skips it with a log line, so it is not graded",
            )


def _in_flow(context: Context, offset: int) -> bool:
    """Whether the item stands in brackets, where a mapping needs braces of its own."""
    line = max(context.text.rfind("\n", 0, offset), context.text.rfind("\r", 0, offset)) + 1
    return context.text[line:offset].strip() not in ("-", "- -")
