"""Settings under `value` of assertions about traces that promptfoo does not read, or requires."""

from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo import measured_assertions as measured
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Entry, Mapping, Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, checks

_IGNORED = "promptfoo does not read it"


class _Settings(NamedTuple):
    """The keys of a mapping under `value`."""

    known: tuple[str, ...]
    #: Groups of keys, of each of which one is required.
    required: tuple[tuple[str, ...], ...] = ()


_NAMED, _BOUNDS = ("name", "pattern"), ("min", "max")
_SETTINGS: tuple[tuple[type[Assertion], _Settings], ...] = (
    (measured.TraceToolUsed, _Settings((*_NAMED, *_BOUNDS, "type"), (_NAMED,))),
    (
        measured.TraceToolArguments,
        _Settings(
            (*_NAMED, "args", "arguments", "mode", "defaults", "ignore", "type"), (_NAMED, ("args", "arguments"))
        ),
    ),
    (measured.TraceToolSequence, _Settings(("steps", "mode"), (("steps",),))),
    (measured.TraceStepCount, _Settings((*_NAMED, *_BOUNDS, "type"), (_BOUNDS,))),
)
_OF_TRACES = (
    measured.TraceSpanCount, measured.TraceSpanDuration, measured.TraceErrorSpans, measured.TraceToolUsed, measured.TraceToolSequence,
    measured.TraceToolArguments, measured.TraceStepCount,
)  # fmt: skip
#: The modes of two of them. A sequence compares in order for every other word.
_MODES: tuple[tuple[type[Assertion], tuple[str, ...]], ...] = (
    (measured.TraceToolArguments, ("partial", "exact")),
    (measured.TraceToolSequence, ("in_order", "exact")),
)


@checks("promptfoo/untraced", "invalid-value", "warning")
def untraced(shape: Assertion, context: Context) -> Iterator[Finding]:
    """An assertion about traces where promptfoo records no traces."""
    if context.defaults.untraced and isinstance(shape, _OF_TRACES) and not shape.borrowed:
        words = f"`{shape.type_name}` needs `tracing: {{enabled: true}}` at the top of the configuration"
        yield Finding(shape.at("type"), words, severity="warning", consequence=ROW_ERRORS)


@checks("promptfoo/trace-value", "invalid-value")
def trace_values(shape: Assertion) -> Iterator[Finding]:
    """A misspelt, missing or invalid setting of an assertion about traces."""
    settings = next((each for kind, each in _SETTINGS if isinstance(shape, kind)), None)
    place = shape.places.get("value")
    node = place.node if place is not None and not place.borrowed else None
    if settings is None or not isinstance(node, Mapping):
        return
    present = {entry.name for entry in node.entries}
    if present & {"<<", "$ref"}:
        return
    meant = {entry.name: _meant(entry, settings, present) for entry in node.entries}
    for entry in node.entries:
        known = meant[entry.name]
        if known is not None:
            fixes = (Fix(f"change it to `{known}`", (rename_key(entry, known),)),)
            words = f"`{shape.type_name}` has no setting `{entry.name}`; did you mean `{known}`?"
            yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_IGNORED)
        elif entry.name in _BOUNDS:
            yield from _bound(entry)
    for group in settings.required:
        if not present.intersection(group) and not set(group).intersection(meant.values()):
            words = f"`{shape.type_name}` needs " + " or ".join(f"`{each}`" for each in group)
            yield Finding(shape.at("type"), words, consequence=ROW_ERRORS)
    yield from _mode(shape, node)


def _meant(entry: Entry, settings: _Settings, present: set[str | None]) -> str | None:
    if entry.name is None or entry.name in settings.known:
        return None
    return closest(entry.name, [each for each in settings.known if each not in present])


def _bound(entry: Entry) -> Iterator[Finding]:
    value = entry.value
    if not isinstance(value, Scalar) or value.value is None or "{{" in value.text:
        return
    if isinstance(value.value, str | bool):
        is_number = isinstance(value.value, str) and value.text.strip().isdecimal()
        fixes = (Fix(f"write {value.text.strip()}", (Edit(value.span, value.text.strip()),)),) if is_number else ()
        words = f"`{entry.name}` is a number"
        yield Finding(value.span, words, fixes=fixes, severity="warning", consequence=_IGNORED)
    elif isinstance(value.value, int | float) and value.value < 0:
        words = f"`{entry.name}` is {value.text}; a number of calls is 0 or more"
        yield Finding(value.span, words, severity="warning")


def _mode(shape: Assertion, node: Mapping) -> Iterator[Finding]:
    modes = next((each for kind, each in _MODES if isinstance(shape, kind)), None)
    mode = node.get("mode")
    if modes is None or not isinstance(mode, Scalar) or mode.text in modes or "{{" in mode.text or mode.value is None:
        return
    alike = closest(mode.text, modes)
    advice = f"; did you mean `{alike}`?" if alike else f"; it is {' or '.join(f'`{each}`' for each in modes)}"
    fixes = (Fix(f"change it to `{alike}`", (Edit(mode.span, alike),)),) if alike else ()
    fails = isinstance(shape, measured.TraceToolArguments)
    yield Finding(
        mode.span, f"there is no mode `{mode.text}`{advice}", fixes=fixes, severity="error" if fails else "warning",
        consequence=ROW_ERRORS if fails else "promptfoo compares as with `in_order`",
    )  # fmt: skip
