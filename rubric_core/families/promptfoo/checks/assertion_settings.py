"""Settings of assertions that nothing reads, and weights and thresholds with which they never fail or never pass."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language import measured_assertions as measured
from rubric_core.families.promptfoo.language import text_assertions as text
from rubric_core.families.promptfoo.language.assertion import SET_TYPE, Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.language.shape import Shape, children
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Span
from rubric_core.validation.fixes import remove_key_fix, write_value
from rubric_core.validation.rule import Context, Finding, Fix, checks
from rubric_core.validation.wording import number

__all__ = ["WITH_CONTEXT", "gives_any_score"]

_IGNORED = "promptfoo ignores it"
#: The types that take their context out of the output.
WITH_CONTEXT = (graded.ContextRecall, graded.ContextRelevance, graded.ContextFaithfulness)
#: The types whose code gets the settings under `config`, and those that get those of their members as well.
_READING = (graded.JavaScriptCode, graded.PythonCode, graded.RubyCode, graded.WebhookCall, AssertionSet)
#: What stands beside `config`, by the field.
_BESIDE = ("threshold", "weight", "metric", "provider", "rubric_prompt", "transform", "context_transform")
#: A setting that code in JavaScript reads, and whatever tells that it may be missing.
_SETTING = pattern(r"(?<![\w.$])context\.config\.(?P<name>[A-Za-z_$][\w$]{0,60})\b(?!\s{0,9}(?:=(?!=)|\())")
_COPES = pattern(r"\?|\|\||&&|\bif\b|\btypeof\b|\bundefined\b|\bin\b|\btry\b|!\s{0,9}context\.config|\bBoolean\(")
#: Types whose score is a share of 1, so that no other threshold means anything.
_SHARES: tuple[type[Assertion], ...] = (
    measured.RougeN, measured.Bleu, measured.Gleu, measured.Meteor, measured.ToolCallF1, measured.PerplexityScore, graded.GEval,
    graded.AnswerRelevance, graded.ContextFaithfulness, graded.ContextRecall, graded.ContextRelevance, graded.ConversationRelevance,
    graded.Classifier, AssertionSet,
)  # fmt: skip
#: Of these, the ones whose threshold is 0 where none is written.
_PASS_BY_DEFAULT = (graded.AnswerRelevance, graded.ContextFaithfulness, graded.ContextRecall, graded.ContextRelevance)
#: Types whose judge is asked for a score of 0..1, but may give any other.
_ASKED_SHARES = (graded.ModelRubric, graded.SearchRubric, graded.AgentRubricCall, graded.TraceGoalSuccess)
#: Types that pass or fail, and read no threshold.
_WITHOUT_THRESHOLD: tuple[type[Assertion], ...] = (
    text.Contains, text.IContains, text.ContainsAll, text.IContainsAll, text.ContainsAny, text.IContainsAny, text.Equals, text.StartsWith,
    text.Regex, text.IsJson, text.ContainsJson, measured.WordCount, graded.Factuality, graded.ClosedQa,
)  # fmt: skip
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_TEMPLATE = pattern(r"\{\{[^{}]{0,200}\}\}")
_NUMBER = pattern(r"\d+(?:\.\d+)?")
#: Dates, years and amounts, which are numbers in a rubric that say nothing about the score.
_NO_SCORE = pattern(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.?[ ](?:of[ ])?(?:{_MONTHS})\b|\b(?:{_MONTHS})[ ]\d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b"
    r"|\b(?:1[5-9]|20)\d\d\b(?!%)"
    r"|\b\d{1,9}[ -](?:words?|sentences?|characters?|letters|lines?|paragraphs?|days?|weeks?|months?|years?|hours?|minutes?|seconds?)\b"
)
#: What makes the result of code true or false, or an object.
_COMPARES = pattern(
    r"[=!]==?|[<>]|\breturn\b|\b(?:true|false|True|False|in|not|and|or|score)\b|[&|]{2}|!|\.(?:includes|test|startsWith|endsWith|every|some)\("
)
_TEN, _HUNDRED = 10, 100
#: So many are a time limit in seconds; no model answers in as many milliseconds.
_SECONDS = 60


@checks("promptfoo/setting-below-config", "no-effect", "warning", borrowed=False)
def settings_below_config(shape: Assertion) -> Iterator[Finding]:
    """Settings of an assertion under its `config`, which only code gets."""
    place = shape.places.get("config")
    value = shape.value if isinstance(shape.value, str) else ""
    is_read = isinstance(shape, _READING) or value.startswith(("file://", "package:"))
    if place is None or place.borrowed or is_read or not isinstance(place.node, Mapping):
        return
    for field in _BESIDE:
        name = type(shape).keys[field].name
        entry = place.node.entry(name) if not shape.has(field) else None
        if entry is not None:
            words = f"`{name}` stands beside `config`, which only code gets"
            yield Finding(entry.key.span, words, consequence=_IGNORED)


@checks("promptfoo/unread-context-transform", "no-effect", "warning", borrowed=False)
def unread_context_transforms(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A `contextTransform` of an assertion whose type uses no context."""
    place = shape.places.get("context_transform")
    is_known = shape.type_name.removeprefix("not-") in context.dialect.types
    if place is None or place.borrowed or not is_known:
        return
    if not isinstance(shape, (*WITH_CONTEXT, AssertionSet)):
        words = f"`{shape.type_name}` needs no context, and does not read `{place.name}`"
        fixes = remove_key_fix(shape.node, place.name, context)
        yield Finding(place.key, words, fixes=fixes, consequence=_IGNORED)


@checks("promptfoo/code-setting-missing", "script-value", "warning")
def missing_settings(shape: graded.JavaScriptCode, context: Context) -> Iterator[Finding]:
    """Inline JavaScript that reads a setting which the `config` of its assertion does not have.

    A set gives its assertions its own `config` as well.
    """
    code, place = shape.places.get("value"), shape.places.get("config")
    node = code.node if code is not None and not code.borrowed and not shape.borrowed else None
    if not isinstance(node, Scalar) or "context.config." not in node.text or "{{" in node.text:
        return
    if _COPES.search(node.text) or node.text.startswith(("file://", "package:")) or context.contains(SET_TYPE):
        return
    settings = place.node if place is not None and not place.borrowed else None
    whole = shape.node.entries if isinstance(shape.node, Mapping) else []
    if (place is not None and not isinstance(settings, Mapping)) or any(e.name in (None, "<<", "$ref") for e in whole):
        return
    names = {entry.name for entry in settings.entries} if isinstance(settings, Mapping) else set[str | None]()
    for found in _SETTING.finditer(node.text) if names.isdisjoint((None, "<<", "$ref")) else ():
        if found["name"] not in names:
            at: Span | None = place_in_code(node, context.text, found.start("name"), len(found["name"]))
            words = f"the `config` of this assertion has no `{found['name']}`"
            words = words if place is not None else "this assertion has no `config`"
            effect = "its value is `undefined`" if place is not None else "the code throws"
            yield Finding(at or node.span, words, consequence=effect)
            return


@checks("promptfoo/weight", "bad-weight", "warning")
def weights(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A weight below 0, or of 0, with which an assertion always passes.

    Negative weights may make scores negative; a set with weight 0 may still fail its case.
    """
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


@checks("promptfoo/idle-threshold", "no-effect", "hint")
def idle_thresholds(shape: PromptfooCase | AssertionSet, context: Context) -> Iterator[Finding]:
    """A threshold of 0, which every score reaches, so that failed assertions do not count."""
    whole = "set" if isinstance(shape, AssertionSet) else "case"
    place = shape.places.get("threshold")
    if place is not None and shape.threshold == 0 and isinstance(shape.threshold, int | float):
        fixes = () if place.borrowed else remove_key_fix(shape.node, "threshold", context)
        yield Finding(
            place.value, f"with a threshold of 0 the {whole} passes whatever its assertions say", fixes=fixes, severity="hint"
        )  # fmt: skip


@checks("promptfoo/unread-threshold", "no-effect", "warning")
def unread_thresholds(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A threshold of an assertion whose type only passes or fails."""
    place = shape.places.get("threshold")
    if isinstance(shape, _WITHOUT_THRESHOLD) and place is not None and place.value != shape.at("type"):
        yield Finding(
            place.key if not place.borrowed else shape.span, f"`{shape.type_name}` passes or fails; it has no threshold",
            fixes=_removed(shape, "threshold", context), consequence="promptfoo does not read it",
        )  # fmt: skip


@checks("promptfoo/templated-number", "invalid-value")
def templated_numbers(shape: Assertion | PromptfooCase) -> Iterator[Finding]:
    """A threshold or a weight that is a template, which gives a string and not a number.

    The threshold of a case is not rendered at all.
    """
    is_case = isinstance(shape, PromptfooCase)
    for field in ("threshold", "weight"):
        place = shape.places.get(field)
        node = place.node if place is not None and not place.borrowed and not shape.borrowed else None
        if isinstance(node, Scalar) and isinstance(node.value, str) and "{{" in node.text:
            words = f"`{field}` is a number, and a template gives a text"
            consequence = "promptfoo warns, and ignores it" if is_case else STOPS
            yield Finding(node.span, words, severity="warning" if is_case else "error", consequence=consequence)


@checks("promptfoo/threshold", "invalid-value", "warning")
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
    if place is None and isinstance(shape, _PASS_BY_DEFAULT) and not shape.type_name.startswith("not-"):
        yield Finding(
            shape.at("type"), "without `threshold` it passes whatever its score is",
            severity="hint", consequence="the threshold is 0; from 0.123 on promptfoo takes 0.5",
        )  # fmt: skip
    if place is None or isinstance(value, bool) or not isinstance(value, int | float):
        return
    if (
        value == 0
        and isinstance(shape, Assertion)
        and not isinstance(shape, AssertionSet)
        and not shape.type_name.startswith("not-")
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
    rubric = _NO_SCORE.sub("", _TEMPLATE.sub("", rubric))
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
    if isinstance(shape, measured.Latency) and 0 <= value <= _SECONDS:
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


def _removed(shape: Shape, field: str, context: Context) -> tuple[Fix, ...]:
    place = shape.places[field]
    return () if place.borrowed else remove_key_fix(shape.node, place.name, context)
