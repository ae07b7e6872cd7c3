"""run-option: an option of the run in a form that the engine does not take."""

from collections.abc import Iterator

from rubric_core.language.model import EvaluateOptions, Repeat, RunSettings
from rubric_core.language.releases import NEXT
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["RUN_OPTION"]


@rule("run-option", "error", "A run option in a form that the engine does not accept")
def RUN_OPTION(options: EvaluateOptions | RunSettings, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """A range of cases has two ends; how often a case is run is a number in the newest releases."""
    if isinstance(options, EvaluateOptions) and isinstance(options.filter_range, list):
        numbers = options.filter_range
        if len(numbers) != 2 or numbers[0] > numbers[1]:
            yield Finding(
                options.at("filter_range"),
                "a range of cases is its first and last number, such as [0, 9]",
                consequence="agentv rejects the file",
            )
    repeat = options.repeat
    if isinstance(repeat, Repeat) and context.dialect.release >= NEXT:
        yield Finding(
            options.at("repeat"),
            f"agentv {NEXT} and later accept a whole number here",
            fixes=tuple(_fixes(options, repeat)),
            consequence="agentv rejects the file",
        )


def _fixes(options: EvaluateOptions | RunSettings, repeat: Repeat) -> Iterator[Fix]:
    """The number alone, which is the mean of the runs; where more is said than the number, that changes the result."""
    place, node = options.places["repeat"], repeat.node
    if place.borrowed or repeat.borrowed or not isinstance(node, Mapping) or not node.flow:
        return
    count = node.get("count")
    if isinstance(count, Scalar) and repeat.count is not None:
        yield Fix(f"write `repeat: {count.text}`", (Edit(node.span, count.text),), safe=False)
