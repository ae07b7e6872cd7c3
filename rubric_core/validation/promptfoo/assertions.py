"""promptfoo assertions that can never fail, never pass, or have another meaning than they seem to (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo import graded_assertions as graded
from rubric_core.language.promptfoo import measured_assertions as measured
from rubric_core.language.promptfoo import text_assertions as text
from rubric_core.language.promptfoo.assertion import Assertion, AssertionSet
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.consequences import STOPS
from rubric_core.language.shape import FieldPlace, Shape, children
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import remove_item_fix, remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix
from rubric_core.validation.wording import number

__all__ = [
    "empty_assertions", "gives_any_score", "idle_inversions", "idle_lists", "idle_thresholds", "inversion_words", "nested_sets", "thresholds", "unread_thresholds", "weights", "word_counts", "write_value",
]  # fmt: skip

_NOT = "not-"
#: Types that do the same with and without `not-`: in every release, and up to 0.122.
_NEVER_INVERTED: tuple[type[Assertion], ...] = (
    graded.Factuality, graded.ClosedQa, measured.ValidFunctionCall, measured.ValidOpenAiToolsCall, measured.TraceSpanCount,
    measured.TraceSpanDuration, measured.TraceErrorSpans, graded.PiScore,
)  # fmt: skip
_INVERTED_LATE: tuple[type[Assertion], ...] = (
    graded.ContextFaithfulness, graded.ContextRecall, graded.ContextRelevance, graded.AnswerRelevance,
)  # fmt: skip
#: Types whose score is a share of 1, so that no other threshold means anything.
_SHARES: tuple[type[Assertion], ...] = (
    measured.RougeN, measured.Bleu, measured.Gleu, measured.Meteor, measured.ToolCallF1, measured.PerplexityScore, graded.GEval,
    graded.AnswerRelevance, graded.ContextFaithfulness, graded.ContextRecall, graded.ContextRelevance, graded.ConversationRelevance,
    graded.Classifier, AssertionSet,
)  # fmt: skip
#: Types whose judge is asked for a score of 0..1, but may give any other.
_ASKED_SHARES = (graded.ModelRubric, graded.SearchRubric, graded.AgentRubricCall, graded.TraceGoalSuccess)
#: Types that pass or fail, and read no threshold.
_WITHOUT_THRESHOLD: tuple[type[Assertion], ...] = (
    text.Contains, text.IContains, text.ContainsAll, text.IContainsAll, text.ContainsAny, text.IContainsAny, text.Equals, text.StartsWith,
    text.Regex, text.IsJson, text.ContainsJson, measured.WordCount, graded.Factuality, graded.ClosedQa,
)  # fmt: skip
_TEMPLATE = pattern(r"\{\{[^{}]{0,200}\}\}")
_NUMBER = pattern(r"\d+(?:\.\d+)?")
#: What makes the result of code true or false, or an object.
_COMPARES = pattern(
    r"[=!]==?|[<>]|\breturn\b|\b(?:true|false|True|False|in|not|and|or|score)\b|[&|]{2}|!|\.(?:includes|test|startsWith|endsWith|every|some)\("
)
_TEN, _HUNDRED = 10, 100


def weights(shape: Assertion, context: Context) -> Iterator[Finding]:
    """Weights below 0, which may make scores negative, and of 0, with which an assertion always passes but a set may fail."""
    weight, place = shape.weight, shape.places.get("weight")
    if place is None or not isinstance(weight, int | float) or isinstance(weight, bool):
        return
    if weight < 0:
        yield Finding(
            place.value, f"the weight is {number(weight)}; a weight is 0 or more",
            fixes=write_value(place, number(-weight)), severity="warning", consequence="promptfoo computes scores below 0 with it",
        )  # fmt: skip
    elif weight == 0 and isinstance(shape, AssertionSet):
        yield Finding(
            place.value, "a set with weight 0 still fails the case when it fails",
            fixes=_removed(shape, "weight", context), severity="warning",
        )  # fmt: skip
    elif weight == 0 and shape.metric:
        yield Finding(
            place.value, f"with weight 0 the metric `{shape.metric}` is recorded as 0",
            fixes=_removed(shape, "weight", context), severity="warning", consequence="the assertion always passes, and its score is lost",
        )  # fmt: skip
    elif weight == 0:
        yield Finding(
            place.value, "with weight 0 this assertion always passes", fixes=_removed(shape, "weight", context), severity="hint"
        )  # fmt: skip


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


def idle_lists(shape: Assertion, context: Context) -> Iterator[Finding]:
    """An empty list of texts: all of them are there, and none of them is; and an empty text, which is in every output."""
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


def idle_in_sets(shape: AssertionSet) -> Iterator[Finding]:
    """A judge of a set, which its assertions do not have."""
    for field in ("provider", "rubric_prompt"):
        place = shape.places.get(field)
        if place is not None and not place.borrowed:
            words = f"a set gives its assertions no `{place.name}`; write it at each of them, or under `options` of the case"
            yield Finding(place.key, words, consequence="promptfoo ignores it")


def idle_thresholds(shape: PromptfooCase | AssertionSet, context: Context) -> Iterator[Finding]:
    """With a threshold only the score counts, and every score reaches 0."""
    whole = "set" if isinstance(shape, AssertionSet) else "case"
    place = shape.places.get("threshold")
    if place is not None and shape.threshold == 0 and isinstance(shape.threshold, int | float):
        fixes = () if place.borrowed else remove_key_fix(shape.node, "threshold", context)
        yield Finding(
            place.value, f"with a threshold of 0 the {whole} passes whatever its assertions say", fixes=fixes, severity="hint"
        )  # fmt: skip


def unread_thresholds(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A threshold of a type that only passes or fails."""
    place = shape.places.get("threshold")
    if isinstance(shape, _WITHOUT_THRESHOLD) and place is not None and place.value != shape.at("type"):
        yield Finding(
            place.key if not place.borrowed else shape.span, f"`{shape.type_name}` passes or fails; it has no threshold",
            fixes=_removed(shape, "threshold", context), consequence="promptfoo does not read it",
        )  # fmt: skip


def thresholds(shape: PromptfooCase | Assertion, context: Context) -> Iterator[Finding]:
    """Thresholds that no score can reach, or that every score reaches."""
    value, place = shape.threshold, shape.places.get("threshold")
    if isinstance(shape, _ASKED_SHARES):
        yield from _judge_threshold(shape, context)
    if isinstance(shape, graded.SimilarText) and not shape.type_name.endswith(("similar", ":cosine")):
        return
    if isinstance(shape, Assertion) and not isinstance(shape, (graded.SimilarText, *_SHARES)):
        yield from _negative(shape)
        return
    if place is None or isinstance(value, bool) or not isinstance(value, int | float):
        return
    if (
        value == 0
        and isinstance(shape, Assertion)
        and not isinstance(shape, AssertionSet)
        and not shape.type_name.startswith(_NOT)
    ):
        words = "with a threshold of 0 it passes whatever its score is"
        yield Finding(place.value, words, severity="hint")
    if 0 <= value <= 1 or (value > 1 and isinstance(shape, PromptfooCase | AssertionSet) and _has_script(shape)):
        return
    whose = "the case" if isinstance(shape, PromptfooCase) else "it"
    words = f"{whose} can never pass" if value > 1 else "every score reaches it"
    yield Finding(
        place.value, f"`threshold` is {number(value)}, but scores are 0..1: {words}",
        fixes=write_value(place, _as_share(value)), severity="warning",
    )  # fmt: skip


def _has_script(shape: PromptfooCase | AssertionSet) -> bool:
    """Whether an assertion may give scores above 1."""
    scripts = (
        each
        for each in children(shape)
        if isinstance(each, graded.JavaScriptCode | graded.PythonCode | graded.RubyCode)
    )
    return any(isinstance(each.value, str) and gives_any_score(each.value) for each in scripts)


def gives_any_score(code: str) -> bool:
    """Whether inline code may give any number: it compares nothing, and is no file, whose scores are 0..1 as a rule."""
    return not code.startswith("file://") and _COMPARES.search(code) is None


def _as_share(value: float) -> str:
    """A share of 1 that was written on a scale of 10 or 100; else the nearest bound."""
    if not 1 < value <= _HUNDRED:
        return "1" if value > 1 else "0"
    return number(value / (_TEN if value <= _TEN else _HUNDRED))


def _judge_threshold(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A threshold above 1 where neither the rubric nor a prompt of the author asks for scores as high."""
    value, place, rubric = shape.threshold, shape.places.get("threshold"), str(shape.value or "")
    if place is None or not isinstance(value, int | float) or isinstance(value, bool) or value <= 1:
        return
    if shape.has("rubric_prompt") or context.defaults.judge_prompt or context.contains("rubricPrompt"):
        return
    rubric = _TEMPLATE.sub("", rubric)
    if not rubric.strip() or rubric.startswith("file://") or any(float(n) >= value for n in _NUMBER.findall(rubric)):
        return
    yield Finding(
        place.value, f"`threshold` is {number(value)}, but the judge is asked for a score of 0..1",
        fixes=write_value(place, _as_share(value)), severity="warning", consequence="with such a score it never passes",
    )  # fmt: skip


def _negative(shape: Assertion) -> Iterator[Finding]:
    """A negative threshold for a duration, a price, a distance or the score of a judge or script; a duration of seconds."""
    value, place = shape.threshold, shape.places.get("threshold")
    if place is None or not isinstance(value, int | float) or isinstance(value, bool):
        return
    if isinstance(shape, measured.Latency) and 0 <= value < _TEN:
        words = f"`threshold` is in milliseconds: {number(value)} is less than any model needs"
        yield Finding(
            place.value, words, fixes=write_value(place, number(value * 1000)) if value else (), severity="hint"
        )
    if isinstance(shape, measured.Levenshtein) and 0 < value < 1:
        words = f"`threshold` is a number of letters: with {number(value)} only an equal text passes"
        yield Finding(place.value, words, severity="hint")
    if value < 0:
        words = f"`threshold` is {number(value)}; it is 0 or more"
        # Code may give scores below 0.
        is_code = isinstance(shape, graded.JavaScriptCode | graded.PythonCode | graded.RubyCode)
        fixes = write_value(place, number(-value))
        yield Finding(place.value, words, fixes=() if is_code else fixes, severity="hint" if is_code else "warning")


def word_counts(shape: measured.WordCount) -> Iterator[Finding]:
    """Values that are not a word count, and `{min, max}` that no count satisfies."""
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


def write_value(place: FieldPlace, text_: str, title: str = "") -> tuple[Fix, ...]:
    """Write another value, if it stands where the key is and is no block."""
    scalar = isinstance(place.node, Scalar) and not place.node.is_block
    return (
        ()
        if place.borrowed or not scalar
        else (Fix(title or f"write {text_}", (Edit(place.value, text_),), safe=False),)
    )


def _removed(shape: Shape, field: str, context: Context) -> tuple[Fix, ...]:
    place = shape.places[field]
    return () if place.borrowed else remove_key_fix(shape.node, place.name, context)


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


def empty_assertions(shape: PromptfooCase | AssertionSet) -> Iterator[Finding]:
    """`assert: []`: the case passes with every output, and a set in it passes with score 0."""
    place = shape.places.get("assertions")
    if place is None or place.borrowed or not isinstance(place.node, Sequence) or place.node.items:
        return
    what = (
        "this set asserts nothing: it passes with score 0"
        if isinstance(shape, AssertionSet)
        else "this asserts nothing"
    )
    yield Finding(place.key, what, severity="hint", consequence="promptfoo passes every output")
