"""Settings of an assertion that nothing reads: at another place, or of another type."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language.assertion import SET_TYPE, Assertion, AssertionSet
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Span
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, checks

__all__ = ["WITH_CONTEXT"]

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
