"""duplicate-evaluator-name: two evaluators of a case with one name."""

from collections.abc import Iterator

from rubric_core.language.evaluators import AssertSet, Composite, Evaluator
from rubric_core.language.model import Case, Execution, Suite
from rubric_core.validation.rename_fixes import FreeNames
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["DUPLICATE_EVALUATOR_NAME"]

#: Shapes with lists of evaluators.
_Holder = Case | Suite | Execution | Composite | AssertSet


@rule(
    "duplicate-evaluator-name",
    "warning",
    "Two evaluators of one list with the same name",
    needs={"assertions", "evaluators"},
)
def DUPLICATE_EVALUATOR_NAME(shape: _Holder, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Results, and the weights of a composite, go by name."""
    for field in ("assertions", "evaluators"):
        seen: dict[str, Evaluator] = {}
        named = [e for e in vars(shape).get(field) or [] if isinstance(e, Evaluator) and e.has("name") and e.name]
        if len(named) < 2:
            continue
        free = FreeNames(item.name for item in named if item.name)
        for item in named:
            name = item.name or ""
            first = seen.setdefault(name, item)
            if first is not item:
                yield Finding(
                    item.at("name"),
                    f"`{name}` is the name of another evaluator here",
                    related=(Related(first.at("name"), f"`{name}` is taken here"),),
                    fixes=free.called(item.places.get("name"), name),
                )
