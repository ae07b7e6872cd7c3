"""promptfoo assertions that can never fail, never pass, or have another meaning than they seem to."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language import measured_assertions as measured
from rubric_core.families.promptfoo.language import text_assertions as text
from rubric_core.families.promptfoo.language.assertion import Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["inversion_words"]

_NOT = "not-"
#: Types that do the same with and without `not-`: in every release, and up to 0.122.
_NEVER_INVERTED: tuple[type[Assertion], ...] = (
    graded.Factuality, graded.ClosedQa, measured.ValidFunctionCall, measured.ValidOpenAiToolsCall, measured.TraceSpanCount,
    measured.TraceSpanDuration, measured.TraceErrorSpans, graded.PiScore,
)  # fmt: skip
_INVERTED_LATE: tuple[type[Assertion], ...] = (
    graded.ContextFaithfulness, graded.ContextRecall, graded.ContextRelevance, graded.AnswerRelevance,
)  # fmt: skip


@checks("promptfoo/idle-inversion", "no-effect", "warning")
def idle_inversions(shape: Assertion, context: Context) -> Iterator[Finding]:
    """Types with a `not-` prefix that has no effect."""
    if not shape.type_name.startswith(_NOT) or not isinstance(shape, (*_NEVER_INVERTED, *_INVERTED_LATE)):
        return
    bare, place = shape.type_name.removeprefix(_NOT), shape.places.get("type")
    if place is None:
        return
    late = isinstance(shape, _INVERTED_LATE)
    where = "before promptfoo 0.123 " if late else ""
    at = context.text.find(_NOT, place.value.start, place.value.end)
    fixes = (Fix(f"change it to `{bare}`", (Edit(Span(at, at + len(_NOT)), ""),), safe=False),)
    yield Finding(
        place.value, f"{where}`not-` has no effect on `{bare}`", fixes=() if place.borrowed or at < 0 else fixes,
        consequence=f"promptfoo gives the verdict of `{bare}`",
    )  # fmt: skip


def inversion_words(shape: Assertion) -> str:
    """A sentence about the effect of `not-` on the type."""
    bare = shape.type_name.removeprefix(_NOT)
    if isinstance(shape, _NEVER_INVERTED):
        return f"`not-` has no effect: the verdict is that of `{bare}`."
    if isinstance(shape, _INVERTED_LATE):
        return f"Before promptfoo 0.123 `not-` has no effect: the verdict is that of `{bare}`."
    return f"`not-` inverts it: passes where `{bare}` fails."


@checks("promptfoo/idle-list", "no-effect", "warning")
def idle_lists(shape: Assertion, context: Context) -> Iterator[Finding]:
    """An empty list of texts, with which the result is always the same, or an empty text, which is in every output."""
    if not isinstance(shape, text.ContainsAll | text.IContainsAll | text.ContainsAny | text.IContainsAny):
        return
    place = shape.places.get("value")
    if place is None or not isinstance(place.node, Sequence):
        return
    needs_all, inverted = isinstance(shape, text.ContainsAll | text.IContainsAll), shape.type_name.startswith(_NOT)
    if not place.node.items:
        passes = needs_all != inverted
        yield Finding(place.value, f"with an empty list this assertion always {'passes' if passes else 'fails'}")
    for item in place.node.items if not place.borrowed else ():
        if isinstance(item, Scalar) and item.value == "":
            effect = "this item has no effect" if needs_all else f"this always {'fails' if inverted else 'passes'}"
            yield Finding(
                item.span, f"an empty text is in every output: {effect}", fixes=remove_item_fix(place.node, item, context),
                severity="hint" if needs_all else "warning",
            )  # fmt: skip
            return


@checks("promptfoo/idle-in-set", "no-effect", "warning")
def idle_in_sets(shape: AssertionSet) -> Iterator[Finding]:
    """A `provider` or `rubricPrompt` of an `assert-set`, which its assertions do not inherit."""
    for field in ("provider", "rubric_prompt"):
        place = shape.places.get(field)
        if place is not None and not place.borrowed:
            words = f"a set gives its assertions no `{place.name}`; write it at each of them, or under `options` of the case"
            yield Finding(place.key, words, consequence="promptfoo ignores it")


@checks("promptfoo/word-count", "invalid-value")
def word_counts(shape: measured.WordCount) -> Iterator[Finding]:
    """A value that is not a number of words, or whose `min` is larger than its `max`."""
    place = shape.places.get("value")
    if place is None or "{{" in (place.node.text if isinstance(place.node, Scalar) else ""):
        return
    error = "promptfoo makes the row an error"
    if isinstance(place.node, Scalar):
        if (
            isinstance(place.node.value, str)
            and _amount(place.node) is None
            and not place.node.text.startswith("file://")
        ):
            yield Finding(place.value, "`word-count` needs a number of words, or `{min, max}`", consequence=error)
        return
    if not isinstance(place.node, Mapping) or place.node.get("$ref") is not None:
        return
    low, high = place.node.get("min"), place.node.get("max")
    bounds = [(node, _amount(node)) for node in (low, high) if isinstance(node, Scalar) and "{{" not in node.text]
    amounts = [amount for _, amount in bounds if amount is not None]
    if low is None and high is None:
        yield Finding(place.value, "`word-count` needs `min`, `max` or both", consequence=error)
    elif len(amounts) < len(bounds):
        yield Finding(place.value, "`min` and `max` are numbers of words", consequence=error)
    elif sorted(amounts) != amounts:
        (first, _), (second, _) = bounds
        edits = Edit(first.span, second.text), Edit(second.span, first.text)
        fixes = () if place.borrowed else (Fix("exchange them", edits, safe=False),)
        yield Finding(place.value, "`min` is larger than `max`", fixes=fixes, consequence=error)


def _amount(node: Scalar) -> float | None:
    try:
        return float(node.text.strip() or 0)  # as JavaScript reads it
    except ValueError:
        return None


@checks("promptfoo/nested-set", "invalid-value")
def nested_sets(shape: AssertionSet) -> Iterator[Finding]:
    """Sets in a set, of which promptfoo accepts none."""
    value = shape.node.entry("value") if isinstance(shape.node, Mapping) else None
    if value is not None and isinstance(value.value, Sequence) and "assertions" not in shape.places:
        fixes = () if shape.borrowed else (Fix("change it to `assert`", (rename_key(value, "assert"),), safe=False),)
        at = shape.span if shape.borrowed else value.key.span
        yield Finding(at, "the assertions of a set stand under `assert`", fixes=fixes, consequence=STOPS)
    inner = shape.assertions if isinstance(shape.assertions, list) else []
    for each in inner:
        if isinstance(each, AssertionSet) and not each.borrowed:
            yield Finding(each.at("type"), "a set cannot be in a set", consequence=STOPS)


@checks("promptfoo/empty-assertions", "nothing-asserted", "hint", awaits="entry")
def empty_assertions(shape: PromptfooCase | AssertionSet, context: Context) -> Iterator[Finding]:
    """`assert: []`: the case passes with every output, and a set in it passes with score 0."""
    place = shape.places.get("assertions")
    if place is None or place.borrowed or not isinstance(place.node, Sequence) or place.node.items:
        return
    if isinstance(shape, PromptfooCase) and shape.stands_for == "case" and context.defaults.asserts:
        options = shape.options if isinstance(shape.options, CaseOptions) else None
        if options is None or options.disable_default_asserts is not True:
            return  # the case has those of `defaultTest`
    what = (
        "this set asserts nothing: it passes with score 0"
        if isinstance(shape, AssertionSet)
        else "this asserts nothing"
    )
    yield Finding(place.key, what, severity="hint", consequence="promptfoo passes every output")
