"""criteria-beside-assert: two ways to say what a good answer is, of which the newest dialect takes only one."""

from collections.abc import Iterator

from rubric_core.language.model import Case
from rubric_core.syntax.edit import column_of, newline_of, quoted, remove_entry
from rubric_core.syntax.reindent import shift_lines
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CRITERIA_BESIDE_ASSERT"]


@rule("criteria-beside-assert", "error", "Criteria beside a list of assertions", needs={"assertions"})
def CRITERIA_BESIDE_ASSERT(case: Case, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The criteria can be the first of the assertions: a plain string is a criterion."""
    if not context.dialect.properties.strict_keys or not (case.criteria and case.has("assertions")):
        return
    key = case.places["assertions"].name
    yield Finding(
        case.key_at("criteria"),
        f"a case has either `criteria` or `{key}`",
        fixes=tuple(_fixes(case, context)),
        consequence="agentv rejects the file",
    )


def _fixes(case: Case, context: Context) -> Iterator[Fix]:
    place, listed, node = case.places["criteria"], case.places["assertions"], case.node
    criteria, items = place.node, listed.node
    if place.borrowed or listed.borrowed or not isinstance(node, Mapping) or not isinstance(criteria, Scalar):
        return
    entry = next((e for e in node.entries if e.value is criteria), None)
    gone = remove_entry(context.text, node, entry) if entry is not None else None
    if entry is None or gone is None or not isinstance(items, Sequence) or not items.items or criteria.anchor:
        return
    first = items.items[0]
    if items.flow:
        made = Edit(Span(first.whole.start, first.whole.start), f"{quoted(criteria.text)}, ")
    else:
        dash = context.text.rindex("-", 0, first.whole.start)
        column = column_of(context.text, dash)
        # A text over several lines keeps its distance from what it stands under.
        by = column - column_of(context.text, entry.key.whole.start)
        written = shift_lines(context.written(criteria.whole), by)
        if written is None or context.text[dash - column : dash].strip(" "):
            return
        made = Edit(Span(dash, dash), f"- {written}{newline_of(context.text)}{' ' * column}")
    yield Fix(f"make it the first of `{listed.name}`", (gone, made))
