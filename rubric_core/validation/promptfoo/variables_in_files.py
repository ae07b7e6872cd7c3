"""Variables of promptfoo in files of cases, by what the configurations that name a file define (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.validation.promptfoo.case_summary import PlacedCase
from rubric_core.validation.promptfoo.misspelt_variables import GIVEN, slips_in_code
from rubric_core.validation.promptfoo.unused_variables import slips_of_case
from rubric_core.validation.promptfoo.variables import undefined_in_case
from rubric_core.validation.rule import Context, Finding

__all__ = ["undefined_in_listed_case", "unused_in_listed_case"]


def undefined_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Names in a case of another file that neither the case nor the configuration defines."""
    known = context.defaults.names.variables if context.defaults.names is not None else None
    if known is None or case.borrowed:
        return
    placed = PlacedCase(case, -1, lambda _, span: span, context.text)
    summary = placed.summary
    if summary.is_plain:
        names = known | GIVEN | summary.names | summary.stored
        is_open = context.defaults.names is not None and context.defaults.names.is_open
        yield from undefined_in_case(placed, summary, names, is_open=is_open)
        yield from slips_in_code(placed, names)


def unused_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Variables of a case in another file that no prompt uses, and that are a slip of one which the case lacks."""
    names = context.defaults.names
    if names is None or names.asked is None or case.borrowed:
        return
    placed = PlacedCase(case, -1, lambda _, span: span, context.text)
    yield from slips_of_case(placed, placed.summary, names.asked, names.needed, "this case lacks")
