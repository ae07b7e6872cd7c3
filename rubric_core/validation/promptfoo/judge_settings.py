"""Settings of judged assertions of a shape that their type does not take."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo import graded_assertions as graded
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.validation.rule import Finding, Fix, checks

_WINDOW = "windowSize"
_USUAL_WINDOW = "promptfoo looks at 5 messages"
#: The two prompts of `g-eval`.
_PARTS = ("steps", "evaluate")
_TWO_PROMPTS = 2


@checks("promptfoo/judge-setting", "invalid-value", borrowed=False)
def judge_settings(shape: Assertion) -> Iterator[Finding]:
    """A `rubricPrompt` of a form that its type does not support, or a wrong `windowSize`."""
    place = shape.places.get("rubric_prompt")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and node.text.startswith("file:"):
        node = None  # in a file of cases, its content stands here
    if isinstance(shape, graded.GEval):
        yield from _two_parts(node)
    elif isinstance(shape, graded.ContextFaithfulness):
        yield from _two_prompts(node)
    elif isinstance(shape, graded.JUDGED) and isinstance(node, Scalar) and _is_odd(node):
        words = "a prompt for the judge is a text"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
    if isinstance(shape, graded.ConversationRelevance):
        yield from _window(shape)


def _is_odd(node: Scalar) -> bool:
    """Whether a prompt is a number or `true`; promptfoo takes `false` and 0 for none."""
    return isinstance(node.value, bool | int | float) and bool(node.value)


def _two_parts(node: Node | None) -> Iterator[Finding]:
    """`g-eval` reads a prompt for each of its two steps, and ignores everything else."""
    usual = "promptfoo asks with its own prompts"
    if isinstance(node, Sequence) or (isinstance(node, Scalar) and node.value is not None and node.text.strip()):
        words = "`g-eval` has two prompts: write `{steps: …, evaluate: …}`"
        yield Finding(node.span, words, severity="warning", consequence=usual)
    for entry in node.entries if isinstance(node, Mapping) else ():
        lacking = [name for name in _PARTS if isinstance(node, Mapping) and node.get(name) is None]
        if entry.name in (*_PARTS, "<<", "$ref"):
            continue
        meant = closest(entry.name or "", lacking)
        fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),) if meant is not None else ()
        advice = f"; did you mean `{meant}`?" if meant is not None else ""
        words = f"`g-eval` has no prompt `{entry.name}`{advice}"
        yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=usual)


def _two_prompts(node: Node | None) -> Iterator[Finding]:
    """`context-faithfulness` needs a list with two prompts."""
    is_wrong = isinstance(node, Mapping) and node.get("$ref") is None and node.entries and node.entries[0].name != "<<"
    if isinstance(node, Scalar):
        is_wrong = bool(node.text.strip()) and node.value is not None and "{{env" not in node.text.replace(" ", "")
    if node is not None and is_wrong:
        words = "`context-faithfulness` has two prompts: write a list of both"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
    elif isinstance(node, Sequence) and len(node.items) == 1:
        words = "`context-faithfulness` has two prompts, and this list has one"
        yield Finding(node.span, words, severity="warning", consequence="promptfoo asks without a second prompt")


def _window(shape: Assertion) -> Iterator[Finding]:
    """The number of messages that `conversation-relevance` looks at, which has one name."""
    place = shape.places.get("config")
    node = place.node if place is not None and not place.borrowed else None
    if not isinstance(node, Mapping):
        return
    written = node.get(_WINDOW)
    if isinstance(written, Scalar) and "{{" not in written.text:
        value = written.value
        if isinstance(value, str) and not value.strip().isdigit():
            yield Finding(written.span, f"`{_WINDOW}` is a number", severity="warning", consequence=_USUAL_WINDOW)
        elif isinstance(value, int | float) and value < 1:
            effect = _USUAL_WINDOW if value == 0 else "the judge sees no message"
            yield Finding(written.span, f"`{_WINDOW}` is at least 1", severity="warning", consequence=effect)
    for entry in node.entries if written is None else ():
        folded = (entry.name or "").replace("_", "").replace("-", "").lower()
        if folded in (_WINDOW.lower(), "window", "size") or closest(entry.name or "", (_WINDOW,)):
            fixes = (Fix(f"change it to `{_WINDOW}`", (rename_key(entry, _WINDOW),)),)
            words = f"`conversation-relevance` has no setting `{entry.name}`; did you mean `{_WINDOW}`?"
            yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_USUAL_WINDOW)


@checks("promptfoo/factuality-score", "invalid-value", "warning", borrowed=False)
def factuality_scores(shape: CaseOptions) -> Iterator[Finding]:
    """A score of `factuality` that is not a number, or a letter in place of the name of a category."""
    place = shape.places.get("factuality")
    node = place.node if place is not None and not place.borrowed else None
    categories = {"A": "subset", "B": "superset", "C": "agree", "D": "disagree", "E": "differButFactual"}
    for entry in node.entries if isinstance(node, Mapping) else ():
        meant, value = categories.get((entry.name or "").upper()), entry.value
        if meant is not None and isinstance(node, Mapping) and node.get(meant) is None:
            fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
            words = f"`factuality` has no category `{entry.name}`; did you mean `{meant}`?"
            yield Finding(
                entry.key.span, words, fixes=fixes, severity="warning", consequence="promptfoo takes the usual score"
            )
        elif entry.name in categories.values() and isinstance(value, Scalar) and _is_word(value):
            words = f"`{entry.name}` is a number"
            yield Finding(value.span, words, severity="warning", consequence="the assertion always fails")


def _is_word(node: Scalar) -> bool:
    """Whether a text is no number, and no template."""
    try:
        float(node.text)
    except ValueError:
        return isinstance(node.value, str) and bool(node.text.strip()) and "{{" not in node.text
    return False
