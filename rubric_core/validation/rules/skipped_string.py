"""skipped-string: a plain string where the engine only takes mappings."""

from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Composite, Criterion, LlmJudge, LlmRubric, Rubric, Rubrics
from rubric_core.language.model import Case, Execution, Suite
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rubrics import as_object, criteria_of
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SKIPPED_STRING"]


#: What has lists of evaluators.
_Holder = Case | Suite | Execution | Composite


@rule(
    "skipped-string",
    "warning",
    "A plain string where the engine accepts only mappings",
    needs=lambda visited: () if issubclass(visited, (Rubrics, LlmRubric)) else None,
)
def SKIPPED_STRING(shape: Rubric | LlmJudge | _Holder, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`rubrics` of an evaluator takes mappings; plain strings among evaluators came with agentv-3."""
    if isinstance(shape, Rubrics | LlmRubric):
        return
    if not isinstance(shape, Rubric | LlmJudge):
        yield from _among_evaluators(shape, context)
        return
    if isinstance(shape, Rubric) and shape.has("criteria") and shape.places["criteria"].name == "criteria":
        return  # renamed-key says that the list is not read
    known = context.dialect.type_of(shape.type_name)
    if known is not None and known.fate is SpellingStatus.REJECTED:
        return  # renamed-type says that all of it is refused
    items = shape.criteria if isinstance(shape, Rubric) else shape.rubrics
    name = context.dialect.spelled(Criterion, "outcome") or "outcome"
    for item in items or []:
        if isinstance(item, Criterion) and item.shorthand:
            # As rubric reads it: a plain string is required.
            edits = as_object(item, criteria_of(shape), ("required: true",), context)
            fixes = (Fix(f"write it as `{name}: …` with `required: true`", edits),) if edits else ()
            yield Finding(
                item.span,
                f"`rubrics` of an evaluator takes mappings with `{name}`; rubric reads this string",
                fixes=fixes,
                consequence="agentv skips it and only logs that, so it is not graded",
            )


def _among_evaluators(shape: _Holder, context: Context) -> Iterator[Finding]:
    if context.dialect.properties.string_assertions:
        return
    for field in ("assertions", "evaluators"):
        for item in vars(shape).get(field) or []:
            if isinstance(item, Criterion) and item.shorthand:
                yield Finding(
                    item.span,
                    f"a plain string is not an evaluator in {context.dialect.name}",
                    fixes=() if item.borrowed else tuple(_as_rubric(item, context)),
                    consequence="agentv skips it and only logs that, so it is not graded",
                )


def _as_rubric(item: Criterion, context: Context) -> Iterator[Fix]:
    """The string as the one criterion of a rubric."""
    dialect = context.dialect
    kind = next((s for s in (Rubrics, Rubric) if dialect.type_name(s)), None)
    name = dialect.type_name(kind) if kind else None
    key, text = dialect.spelled(kind or Rubric, "criteria"), dialect.spelled(Criterion, "outcome")
    if name is None or key is None or not isinstance(item.node, Scalar) or item.node.is_block:
        return
    words = quoted(item.node.text)
    criterion = words if kind is Rubrics else f"{{{text}: {words}}}"
    called = "name: …, " if dialect.properties.names_required else ""
    written = f"{{{called.replace('…', 'rubric')}type: {name}, {key}: [{criterion}]}}"
    yield Fix(f"write `{{{called}type: {name}, {key}: […]}}`", (Edit(item.node.whole, written),), safe=False)
