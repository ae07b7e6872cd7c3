"""stray-sign: punctuation that YAML reads as part of the text."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import StraySign
from rubric_core.syntax.edit import column_of, plain_or_quoted, replace_value
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["STRAY_SIGN"]

_LINE = pattern(r"(?<=[\r\n])[ ]*(?=[^\s])")


@rule("stray-sign", "warning", "Punctuation that YAML reads as part of the text")
def STRAY_SIGN(issue: StraySign, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """YAML lines end without a comma, and a closing quote needs an opening one."""
    if not issue.meant:
        yield _item_too_far_in(issue, context)
    elif issue.quote:
        yield _unopened_quote(issue, context)
    else:
        sign, written = context.written(issue.span), plain_or_quoted(issue.meant)
        signs = "these quotes, which are not YAML's," if len(sign) > 1 else f"`{sign}`"
        fix = Fix(f"write {written}", (replace_value(issue.node, written),), safe=False)
        yield Finding(issue.span, f"YAML reads {signs} as part of the text", fixes=(fix,))


def _unopened_quote(issue: StraySign, context: Context) -> Finding:
    """`refund"`: of a single word the quote is too many, of a sentence the first one is missing."""
    sign, start = context.written(issue.span), issue.node.span.start
    gone = Fix("remove the quote", (Edit(issue.span, ""),), safe=False)
    opened = Fix("open the quote", (Edit(Span(start, start), sign),), safe=False)
    message = f"no quote opens before this one, so YAML reads `{sign}` as part of the text"
    return Finding(issue.span, message, fixes=(opened, gone) if " " in issue.meant else (gone, opened))


def _item_too_far_in(issue: StraySign, context: Context) -> Finding:
    """`- a` above `    - b`: one text, not two items."""
    message = "line up the dashes of this list: YAML reads this line as part of the text above"
    fixes = tuple(_as_item(issue, context.text))
    return Finding(issue.span, message, fixes=fixes, consequence=f"{context.engine} grades both as one")


def _as_item(issue: StraySign, text: str) -> Iterator[Fix]:
    """The dash, and the lines below it, as far out as the dash of the item above."""
    node, at = issue.node, issue.span.start
    by = column_of(text, at) - (column_of(text, node.span.start) - len("- "))
    starts = [found.span() for found in _LINE.finditer(text, at - column_of(text, at), node.span.end)]
    if by > 0 and all(end - start >= by for start, end in starts):
        edits = tuple(Edit(Span(start, start + by), "") for start, _ in starts)
        yield Fix("make it the next item", edits, safe=False)
