"""Settings of `max-score` that promptfoo does not read, or reads as something else."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo.assertion import COMPARING_TYPES, AssertionSet
from rubric_core.language.promptfoo.graded_assertions import MaxScore
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Context, Finding, Fix, checks

_METHODS = ("average", "sum")
_IGNORED = "promptfoo ignores it"


@checks("promptfoo/max-score-setting", "invalid-value", "warning")
def score_settings(shape: MaxScore) -> Iterator[Finding]:
    """Settings of `max-score` that are misspelt, of the wrong type, or not under `value`."""
    beside = shape.places.get("threshold")
    if beside is not None and not shape.borrowed:
        words = "`max-score` reads no `threshold` here, but one in its `value`"
        yield Finding(beside.key, words, severity="warning", consequence=_IGNORED)
    place = shape.places.get("value")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, str) and "{{" not in node.text and "://" not in node.text:
        written = f"{{method: {node.text}}}"
        fixes = (Fix(f"write `{written}`", (Edit(node.span, written),)),) if node.text in _METHODS else ()
        words = "the value of `max-score` is a mapping, as in `{method: sum}`"
        yield Finding(node.span, words, fixes=fixes, severity="warning", consequence="promptfoo takes the average")
    for entry in node.entries if isinstance(node, Mapping) else []:
        yield from _setting(entry)


@checks("promptfoo/comparison-in-set", "invalid-value", "warning")
def comparisons_in_sets(shape: AssertionSet) -> Iterator[Finding]:
    """`select-best` or `max-score` in an `assert-set`, where promptfoo skips it."""
    for each in shape.assertions if isinstance(shape.assertions, list) else ():
        if each.type_name in COMPARING_TYPES and not each.borrowed:
            words = f"`{each.type_name}` does not run in a set; write it beside the set"
            yield Finding(each.at("type"), words, severity="warning", consequence="promptfoo skips it")


@checks("promptfoo/select-best-weight", "invalid-value", "warning")
def idle_weights(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:
    """Weights of `max-score` for types of which the case has no assertion."""
    if not suite.is_static or suite.scenarios or any(each.what == "defaults" for each in suite.outside or ()):
        return
    common = suite.bearers[0].summary.checks if suite.digest.comparing else ()
    for placed, summary in suite.digest.comparing if suite.outside is not None else ():
        types = {check.type_name.removeprefix("not-") for check in (*common, *summary.checks)}
        for check in summary.compares:
            place = check.places.get("value")
            settings = place.node if place is not None and not place.borrowed else None
            weights = settings.get("weights") if isinstance(settings, Mapping) else None
            for entry in weights.entries if isinstance(weights, Mapping) else ():
                name = entry.name or ""
                if (
                    name.removeprefix("not-") not in types
                    and name in context.dialect.types
                    and name not in COMPARING_TYPES
                ):
                    words = f"this case has no `{name}` assertion that the weight could count for"
                    yield Finding(placed.outer(entry.key.span), words, severity="warning", consequence=_IGNORED)


def _setting(entry: Entry) -> Iterator[Finding]:
    value, meant = entry.value, closest(entry.name or "", MaxScore.settings)
    if entry.name not in MaxScore.settings and meant is not None:
        fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
        words = f"`max-score` has no setting `{entry.name}`; did you mean `{meant}`?"
        yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_IGNORED)
    if entry.name == "weights" and isinstance(value, Sequence):
        words = "`weights` is a mapping from types to numbers"
        yield Finding(value.span, words, severity="warning", consequence=_IGNORED)
    if not isinstance(value, Scalar) or "{{" in value.text:
        return
    if entry.name == "method" and value.text not in _METHODS:
        yield Finding(
            value.span, f"`method` is `average` or `sum`, not `{value.text}`", severity="warning",
            fixes=replace_with_words(value.span, _METHODS), consequence="promptfoo takes the average",
        )  # fmt: skip
    if entry.name == "threshold" and isinstance(value.value, str) and not _is_number(value.text):
        yield Finding(value.span, "`threshold` is a number", severity="warning", consequence="no output passes")


def _is_number(text: str) -> bool:
    try:
        return bool(text.strip()) and float(text) == float(text)
    except ValueError:
        return False
