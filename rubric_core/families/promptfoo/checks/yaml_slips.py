"""Slips of YAML in the texts of a promptfoo configuration that stay valid YAML: lists read as one text, quotes that nothing opens."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.text_slips import stray_sign
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.reindent import dash_within
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks
from rubric_core.validation.rules.stray_sign import STRAY_SIGN

#: The checked fields; not code, in which a line may begin with a dash.
_FIELDS = (
    "prompts",
    "providers",
    "targets",
    "scenarios",
    "output_path",
    "vars",
    "value",
    "prefix",
    "suffix",
)
#: A text with a quote at its end and no other; not the sign of inches.
_UNOPENED = pattern(r"[^\"]*[^\"\d]\"")
#: The same with a single quote; after an s, and after a number, it has other meanings.
_UNOPENED_SINGLE = pattern(r"[^']{2,2000}[^'sSxXzZ\d]'")
#: An item without a blank after its dash. Program options and negative numbers are not meant.
_DASH = pattern(r"-(?=[\"'{\[]|[^\W\d_])")
_ONE_TEXT = "YAML reads these lines as one text"


@checks("promptfoo/yaml-slip", "stray-sign", "warning")
def yaml_slips(shape: Configuration | PromptfooCase | Assertion | CaseOptions, context: Context) -> Iterator[Finding]:
    """A YAML typo that leaves a list as one string, or a closing quote that nothing opens."""
    for field in _FIELDS:
        for node, is_value in _texts(shape, field):
            yield from _slip(node, context, is_value=is_value)


@checks("promptfoo/yaml-slip", "stray-sign", "warning")
def items_as_text(shape: PromptfooCase | Assertion, context: Context) -> Iterator[Finding]:
    """Items that YAML reads as part of the one above, in lists of any values, which nothing else has checked."""
    listed = (node for field in ("vars", "value") for node, is_value in _texts(shape, field) if not is_value)
    for node in listed:
        found = stray_sign(context.text, node) if node.style == "plain" and node.text else None
        if found is not None and not found.meant:
            yield from STRAY_SIGN.check(found, context)


def _texts(shape: Shape, field: str) -> Iterator[tuple[Scalar, bool]]:
    """The texts of a field, those of variables included, with whether each is a value or an item of a list."""
    place = shape.places.get(field)
    if place is None or place.borrowed:
        return
    node = place.node
    values = [entry.value for entry in node.entries] if isinstance(node, Mapping) and field == "vars" else [node]
    for value in values:
        if isinstance(value, Scalar):
            yield value, True
        elif isinstance(value, Sequence):
            yield from ((item, False) for item in value.items if isinstance(item, Scalar))


def _slip(node: Scalar, context: Context, *, is_value: bool) -> Iterator[Finding]:
    if node.style != "plain" or not isinstance(node.value, str) or len(node.text) < len("-a"):
        return
    text, start = context.text, node.span.start
    begins_line = is_value and not text[start - column_of(text, start) : start].strip(" ")
    if begins_line and _DASH.match(node.text):
        at = Span(start, start + 1)
        fix = Fix("put a blank after the dash", (Edit(Span(start + 1, start + 1), " "),), safe=False)
        yield Finding(at, "an item of a list has a blank after its dash", fixes=(fix,), consequence=_ONE_TEXT)
    elif begins_line and dash_within(text, node) is not None:
        fix = Fix("put a dash before the first line", (Edit(Span(start, start), "- "),), safe=False)
        yield Finding(
            Span(start, start + len(node.text.split()[0])), "a list starts here; its first item needs a dash", fixes=(fix,),
            consequence=_ONE_TEXT,
        )  # fmt: skip
    elif _UNOPENED_SINGLE.fullmatch(node.text):
        fix = Fix("open the quote", (Edit(Span(start, start), "'"),), safe=False)
        at = Span(node.span.end - 1, node.span.end)
        yield Finding(at, "no quote opens before this one, so YAML reads `'` as part of the text", fixes=(fix,))
    elif _UNOPENED.fullmatch(node.text):
        fix = Fix("open the quote", (Edit(Span(start, start), '"'),), safe=False)
        at = Span(node.span.end - 1, node.span.end)
        yield Finding(at, 'no quote opens before this one, so YAML reads `"` as part of the text', fixes=(fix,))
