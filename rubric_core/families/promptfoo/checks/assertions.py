"""Assertions that promptfoo does not know, that are equal, or that can never fail or never pass."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language import measured_assertions as measured
from rubric_core.families.promptfoo.language import text_assertions as text
from rubric_core.families.promptfoo.language.assertion import Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.language.closest_name import is_typo
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.misnomers import types_called
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import UnknownType
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rule import Context, Finding, Fix, Related, checks
from rubric_core.validation.wording import closest

__all__ = ["content_of", "inversion_words"]

_NOT = "not-"
#: Types that do the same with and without `not-`: in every release, and up to 0.122.
_NEVER_INVERTED: tuple[type[Assertion], ...] = (
    graded.Factuality, graded.ClosedQa, measured.ValidFunctionCall, measured.ValidOpenAiToolsCall, measured.TraceSpanCount,
    measured.TraceSpanDuration, measured.TraceErrorSpans, graded.PiScore,
)  # fmt: skip
_INVERTED_LATE: tuple[type[Assertion], ...] = (
    graded.ContextFaithfulness, graded.ContextRecall, graded.ContextRelevance, graded.AnswerRelevance,
)  # fmt: skip
_WORDS = pattern(r"(?<=[a-z])(?=[A-Z])|[_\s]+")
#: Of more assertions in a list, each is not compared.
_MOST = 500
_TWICE = "promptfoo checks it twice, and counts it twice in the score"


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


@checks("promptfoo/assertion-type", "unknown-type", "warning", about_name=True)
def types_in_templates(shape: Configuration, context: Context) -> Iterator[Finding]:
    """An assertion type that promptfoo does not have.

    Here in assertions under `assertionTemplates`, which `$ref` leads to. What else they lack may stand beside the `$ref`.
    """
    place = shape.places.get("assertion_templates")
    if place is None or place.borrowed or not isinstance(place.node, Mapping):
        return
    known = tuple(t.name for t in context.dialect.types_of(Assertion).values() if t.fate is SpellingStatus.CURRENT)
    for mapping in (entry.value for entry in place.node.entries if isinstance(entry.value, Mapping)):
        node = mapping.get("type")
        is_type = isinstance(node, Scalar) and isinstance(node.value, str) and "{{" not in node.text
        if isinstance(node, Scalar) and is_type and context.dialect.type_of(node.text, Assertion) is None:
            found = UnknownType(
                span=node.span, node=node, mapping=mapping, name=node.text, known=known, custom=False, base=Assertion
            )
            yield from unknown_assertion_type.check(found, context)


@checks("promptfoo/assertion-type", "unknown-type", "warning", about_name=True)
def unknown_assertion_type(issue: UnknownType, context: Context) -> Iterator[Finding]:
    """Types of promptfoo are a closed set: an unknown one makes the row an error, and its other assertions are lost."""
    bare = issue.name[len("not-") :] if issue.name.startswith("not-") else ""
    plain = _WORDS.sub("-", issue.name).lower()
    elsewhere = list(types_called(context.dialect, issue.name))
    known = [name for name in issue.known if not name.startswith("not-") or plain.startswith("not-")]
    meant = plain if plain in issue.known else elsewhere[0] if elsewhere else closest(plain, known)
    if bare in issue.known:
        words, meant = f"promptfoo cannot invert `{bare}`", None
    else:
        advice = f"; did you mean `{meant}`?" if meant else ""
        words = f"{context.dialect.name} has no assertion type `{issue.name}`{advice}"
    fixes: tuple[Fix, ...] = ()
    if meant and not issue.borrowed:
        fixes = (Fix(f"change it to `{meant}`", (Edit(issue.span, meant),), safe=is_typo(issue.name, meant)),)
    yield Finding(
        issue.span,
        words,
        fixes=fixes,
        severity="error",
        consequence="promptfoo makes the row an error: Unknown assertion type",
    )


@checks("promptfoo/repeated-assertion", "no-effect", "hint")
def repeated_assertions(shape: PromptfooCase | AssertionSet) -> Iterator[Finding]:
    """The second of two equal assertions."""
    listed = shape.assertions if isinstance(shape.assertions, list) else []
    checks = [each for each in listed if isinstance(each, Assertion) and not isinstance(each, AssertionSet)]
    seen: dict[object, Assertion] = {}
    for check in checks if 1 < len(checks) <= _MOST else ():
        whole = content_of(check.node)
        if whole is None or check.borrowed:
            continue
        first = seen.setdefault(whole, check)
        if first is not check:
            related = (Related(first.span, "the same assertion"),)
            words = "this assertion is here already"
            yield Finding(check.at("type"), words, related=related, severity="hint", consequence=_TWICE)


def content_of(node: Node | None) -> object:
    """What a node says, whatever it looks like; None if it refers to something, or is no plain data."""
    if isinstance(node, Scalar):
        return node.text if node.style != "plain" else (node.text, node.value.__class__)
    if isinstance(node, Sequence):
        items = [content_of(item) for item in node.items]
        return None if None in items else tuple(items)
    if isinstance(node, Mapping):
        entries = [(entry.name, content_of(entry.value)) for entry in node.entries]
        return (
            None
            if any(name is None or value is None or name in ("<<", "$ref") for name, value in entries)
            else frozenset(entries)
        )
    assert node is None or isinstance(node, Alias)
    return None
