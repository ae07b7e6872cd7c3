"""Slips that stay valid YAML: lists read as one text, quotes that nothing opens, and keys indented too far."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import VENDORS
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.text_slips import stray_sign
from rubric_core.syntax.edit import add_entry, column_of, remove_entry
from rubric_core.syntax.reindent import dash_within
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.move_fixes import beside_fix
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
_IGNORED = "promptfoo gives it to the provider, and does nothing with it itself"
_EVERY_PROMPT = "the case runs with every prompt"
#: Keys of a provider that look like settings.
_BESIDE_CONFIG = ("transform", "delay")
#: The vendors whose providers may have such keys: those that read them, and programs.
_READ_ALL = frozenset({
    "exec", "file", "golang", "litellm", "package", "promptfoo", "python", "ruby", "sagemaker", "sequence", "webhook",
})  # fmt: skip


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


@checks("promptfoo/swallowed-key", "invalid-value", "warning")
def swallowed_by_options(shape: PromptfooCase, context: Context) -> Iterator[Finding]:
    """A key that is indented too far, such as `assert` or `vars` among the options of a case."""
    options = shape.options if isinstance(shape.options, CaseOptions) and not shape.options.borrowed else None
    if options is not None:
        for found in _among_options(options):
            entry = next((e for e in _entries(options.node) if e.key.span == found.span), None)
            fixes = (
                beside_fix(shape.node, "options", entry, context)
                if entry is not None and entry.name != "prompt"
                else ()
            )
            yield replace(found, fixes=fixes) if fixes else found


def _entries(node: Node | None) -> list[Entry]:
    return node.entries if isinstance(node, Mapping) else []


def _among_options(shape: CaseOptions) -> Iterator[Finding]:
    for name, kinds in (("assert", (Sequence, Alias)), ("vars", (Mapping, Alias))):
        yield from _swallowed(shape.node, name, kinds, "options", "the case runs without it")
    yield from _swallowed(shape.node, "prompts", (Sequence, Alias), "options", _EVERY_PROMPT)
    yield from _swallowed(shape.node, "threshold", (Scalar,), "options", "every assertion has to pass")
    entry = shape.node.entry("prompt") if isinstance(shape.node, Mapping) else None
    if entry is not None and isinstance(entry.value, Scalar) and isinstance(entry.key, Scalar):
        words = "`prompt` chooses nothing among options: a case lists its prompts under `prompts`, beside `options`"
        yield Finding(entry.key.span, words, severity="warning", consequence=_EVERY_PROMPT)


@checks("promptfoo/swallowed-key", "invalid-value", "warning", borrowed=False)
def swallowed_by_config(shape: ConfiguredProvider, context: Context) -> Iterator[Finding]:
    """`prompts`, `transform` and `delay` among the settings of a provider that has none itself."""
    place = shape.places.get("config")
    if place is None or place.borrowed or not isinstance(shape.node, Mapping):
        return
    if shape.node.get("prompts") is None:
        yield from _swallowed(place.node, "prompts", (Sequence,), "config", _IGNORED)
    vendor = shape.id.partition(":")[0] if isinstance(shape.id, str) else ""
    if isinstance(place.node, Sequence) and vendor in VENDORS and vendor not in _READ_ALL:
        words = "`config` is a mapping of settings, not a list"
        yield Finding(place.node.span, words, severity="warning", consequence="promptfoo reads no setting of it")
    if vendor not in VENDORS or vendor in _READ_ALL or not isinstance(place.node, Mapping):
        return
    for name in _BESIDE_CONFIG:
        entry = place.node.entry(name) if shape.node.get(name) is None else None
        if entry is not None and isinstance(entry.value, Scalar) and isinstance(entry.key, Scalar):
            yield Finding(
                entry.key.span, f"`{name}` stands beside `config`, not in it", severity="warning", consequence=_IGNORED,
                fixes=_beside(shape.node, place.node, name, entry.value, context),
            )  # fmt: skip


def _beside(provider: Mapping, settings: Mapping, name: str, value: Scalar, context: Context) -> tuple[Fix, ...]:
    """Move a setting on one line out of `config`."""
    around, config = provider.entry("config"), settings.entry(name)
    if value.is_block or around is None or config is None:
        return ()
    alone = len(settings.entries) == 1
    gone = remove_entry(context.text, *((provider, around) if alone else (settings, config)))
    added = add_entry(context.text, provider, name, context.written(value.span))
    if gone is None or added is None:
        return ()
    return (Fix("move it beside `config`", (added, gone), safe=False),)


@checks("promptfoo/swallowed-key", "invalid-value", "warning")
def swallowed_by_values(shape: Configuration) -> Iterator[Finding]:
    """Keys of the configuration among its environment variables and tags, whose values are texts."""
    known = frozenset(key.name for key in Configuration.keys.values())
    for field in ("env", "tags"):
        place = shape.places.get(field)
        if place is None or place.borrowed or not isinstance(place.node, Mapping):
            continue
        for entry in place.node.entries:
            if entry.name in known and isinstance(entry.value, Mapping | Sequence):
                yield from _swallowed(
                    place.node, entry.name, (Mapping, Sequence), field, "promptfoo does not read it here"
                )


@checks("promptfoo/env-value", "invalid-value", "warning")
def mappings_as_variables(shape: Configuration) -> Iterator[Finding]:
    """A mapping or a list as the value of an environment variable under `env`."""
    place = shape.places.get("env")
    node = place.node if place is not None and not place.borrowed else None
    known = frozenset(key.name for key in Configuration.keys.values())
    for entry in _entries(node):
        if isinstance(entry.value, Mapping | Sequence) and entry.name not in known and entry.name != "<<":
            words = "the value of an environment variable is a text"
            yield Finding(entry.value.span, words, severity="warning", consequence="promptfoo cannot insert it")


def _swallowed(
    node: Node | None, name: str, kinds: tuple[type[Node], ...], around: str, consequence: str
) -> Iterator[Finding]:
    entry = node.entry(name) if isinstance(node, Mapping) else None
    if entry is not None and isinstance(entry.value, kinds) and isinstance(entry.key, Scalar):
        words = f"`{name}` is indented too far: it stands beside `{around}`, not in it"
        yield Finding(entry.key.span, words, severity="warning", consequence=consequence)
