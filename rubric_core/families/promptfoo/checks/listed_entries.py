"""Entries of the lists of prompts and providers: those that are none, lack something, or are taken for others."""

from collections import defaultdict
from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.provider_settings import slips_of_settings
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, ProviderEntry, providers_of
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import VENDORS
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import PathLikePrompt
from rubric_core.syntax.edit import column_of, newline_of, quoted, replace_value
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import add_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["is_sentence", "lacks_its_text"]

#: The longest text that is offered as the label of a prompt.
_LONGEST_LABEL = 60
_NAME = pattern(r"[A-Za-z][\w-]{0,60}\Z")
#: Vendors whose ids are commands, files and addresses, which may have blanks and commas.
_OTHERS = frozenset({
    "a2a", "acp", "browser", "docker", "exec", "file", "golang", "http", "https", "mcp", "n8n", "package", "promptfoo", "python", "ruby", "sequence",
    "slack", "webhook", "websocket", "ws", "wss",
})  # fmt: skip
_VENDOR = pattern(r"\s{0,9}([a-z][a-z0-9-]{1,40}):")
_NEXT = pattern(r"[,;][ \t]{0,9}([a-z][a-z0-9-]{1,40}):")
_BLANK = pattern(r":[ \t]{1,9}(?=[^ \t])")
#: Providers that promptfoo makes only with a setting.
_NEEDED = MappingProxyType({
    "browser": "steps", "sequence": "inputs", "websocket": "messageTemplate", "ws": "messageTemplate", "wss": "messageTemplate",
})  # fmt: skip
_NOT_READ = "`promptfoo validate` rejects the configuration; a run goes on without it"


@checks("promptfoo/prompt-entry", "invalid-value")
def prompt_entries(shape: Configuration, context: Context) -> Iterator[Finding]:
    """An entry of `prompts` that is empty or a mapping by mistake, or lacks its text, file or label."""
    listed = shape.node.entry("prompts") if isinstance(shape.node, Mapping) else None
    if listed is None:
        return
    if isinstance(listed.value, Scalar):
        if not listed.value.text.strip() or (listed.value.value is None and listed.value.style != "hole"):
            yield Finding(
                listed.key.span, "there is no prompt", severity="warning",
                consequence="promptfoo sends the variable `prompt`, or nothing",
            )  # fmt: skip
        return
    if isinstance(listed.value, Mapping) and not listed.value.entries:
        yield Finding(listed.value.span, "there is no prompt", consequence=STOPS)
    yield from _items(listed.value, context)


def _items(node: Node, context: Context) -> Iterator[Finding]:
    items = node.items if isinstance(node, Sequence) else []
    if items and all(isinstance(item, Scalar) and not item.text.strip() for item in items):
        yield Finding(node.span, "every prompt is empty", consequence=STOPS)
    else:
        for each in items:
            if isinstance(each, Scalar) and each.value is not None and not each.text.strip():
                yield Finding(
                    each.span, "this prompt is empty", severity="warning", consequence="promptfoo sends nothing"
                )
    for item in items:
        if isinstance(item, Mapping):
            yield from _mapping(item, context)
            yield from slips_of_settings(item.get("config"))


def _mapping(node: Mapping, context: Context) -> Iterator[Finding]:
    """A mapping that is a sentence with a colon or braces, or lacks required keys of a prompt."""
    present = {entry.name for entry in node.entries}
    if is_sentence(node):
        braces = context.text.startswith("{{", node.span.start)
        why = "since YAML reads `{{` as one" if braces else f"since YAML reads `{node.entries[0].name}` as a key"
        yield Finding(
            node.span, f"this prompt is a mapping, {why}; put it in quotes", fixes=_quoted(node, context), consequence=STOPS,
        )  # fmt: skip
    elif lacks_its_text(node) and _has_known_keys_only(node):
        yield Finding(node.span, "a prompt needs `raw`, its text, or `id`, its file", consequence=STOPS)
    elif "raw" in present:
        if not present & {"id", "label", "display", "$ref"}:
            yield _unlabelled(node, node.get("raw"), "a prompt with `raw` needs a `label`", context)
    elif "function" not in present and "label" in present and _is_name(node.get("id")):
        at = node.get("id")
        words = "this id is no file, so it is the text of the prompt; write the text as `raw`"
        yield Finding(
            at.span if at is not None else node.span, words, severity="warning", consequence="promptfoo sends it"
        )
    elif not present & {"function", "label", "display", "$ref"} and _has_known_keys_only(node):
        yield _unlabelled(node, node.get("id"), "a prompt with `id` and no `raw` needs a `label`", context)


def _is_name(node: Node | None) -> bool:
    """Whether an id is one word without an extension, which is neither a file nor a text to send."""
    return isinstance(node, Scalar) and isinstance(node.value, str) and _NAME.match(node.text) is not None


def _unlabelled(node: Mapping, named: Node | None, words: str, context: Context) -> Finding:
    """A prompt that is run without a label in one of two ways; without one its label is its text or file."""
    is_short = isinstance(named, Scalar) and not named.is_block and len(named.text) <= _LONGEST_LABEL
    written = context.written(named.span) if is_short and named is not None else ""
    return Finding(
        node.span, words, severity="warning",
        fixes=add_key_fix(node, "label", written, context) if written and "\n" not in written else (),
        consequence="`promptfoo eval -c FILE` and `promptfoo validate` stop; `promptfoo eval` in its folder runs it",
    )  # fmt: skip


def _known() -> frozenset[str]:
    return frozenset(key.name for key in ConfiguredPrompt.keys.values())


def _has_known_keys_only(node: Mapping) -> bool:
    known = _known()
    return all(entry.name in known for entry in node.entries)


def lacks_its_text(node: Node | None) -> bool:
    """Whether a mapping among the prompts has neither a text nor a file."""
    if not isinstance(node, Mapping) or any(entry.name in ("<<", "$ref") for entry in node.entries):
        return False
    return all(node.get(key) is None for key in ("raw", "id", "function"))


def is_sentence(node: Node | None) -> bool:
    """Whether a mapping was meant as the text of a prompt: `Say: {{name}}`, or `{{name}}`."""
    if not isinstance(node, Mapping) or len(node.entries) != 1 or not lacks_its_text(node):
        return False
    entry = node.entries[0]
    return entry.name is None or entry.name not in _known()


def _quoted(node: Mapping, context: Context) -> tuple[Fix, ...]:
    written = context.written(node.span).rstrip()
    if "\n" in written:
        return ()
    at = Span(node.span.start, node.span.start + len(written))
    return (Fix("put it in quotes", (Edit(at, quoted(written)),)),)


@checks("promptfoo/prompt-as-path", "prompt-path")
def prompt_as_path(prompt: PathLikePrompt, context: Context) -> Iterator[Finding]:
    """A prompt on one line that promptfoo takes for the path of a file."""
    at = prompt.node.whole.start
    column = column_of(context.text, at)
    line = context.text[at - column : at]
    own = line.strip() in ("-", "prompts:") and prompt.node.whole.start == prompt.node.span.start
    blanks = " " * (len(line) - len(line.lstrip()) + 2)
    block = f"|{newline_of(context.text)}{blanks}{prompt.node.text}"
    rest = context.text[prompt.node.span.end :].partition("\n")[0].strip()
    fits = own and not rest and "\n" not in context.written(prompt.node.span) and prompt.node.text[:1] not in " \t"
    fixes = (Fix("write it as a block", (replace_value(prompt.node, block),)),) if fits and not prompt.borrowed else ()
    yield Finding(
        prompt.span, f"promptfoo takes this prompt for the path of a file, because it {prompt.sign}; write it as a block behind `|`",
        fixes=fixes, severity="error", consequence="promptfoo stops: there is no such file",
    )  # fmt: skip


@checks("promptfoo/provider-names", "invalid-value", "warning")
def providers_of_one_name(suite: PromptfooSuite) -> Iterator[Finding]:
    """Providers with one id and no labels: promptfoo keeps the prompts of the last one for all."""
    if not suite.has_static_lists:
        return
    by_name = defaultdict[str, list[ProviderEntry]](list)
    for each in suite.providers:
        if each.id and "{{" not in each.id and not each.id.startswith("file://"):
            by_name[each.label or each.id].append(each)
    for entries in by_name.values():
        prompts = [_prompts_of(each, suite) for each in entries]
        if len(set(prompts)) == 1:
            continue
        kept = prompts[-1]
        for each, own in zip(entries, prompts, strict=True):
            place = each.shape.places.get("prompts") if each.shape is not None else None
            if place is None or place.borrowed or (own == kept and own):
                continue
            words = "another provider has this id, and its prompts count for both: give them labels"
            effect = "this list is ignored"
            yield Finding(suite.frame.outer(place.key), words, severity="warning", consequence=effect)
        last = entries[-1].shape.places.get("prompts") if entries[-1].shape is not None else None
        if kept and last is not None and not last.borrowed:
            words = "another provider has this id, and these prompts count for both: give them labels"
            effect = "the other one gets these prompts as well"
            yield Finding(suite.frame.outer(last.key), words, severity="warning", consequence=effect)


def _prompts_of(entry: ProviderEntry, suite: PromptfooSuite) -> str:
    place = entry.shape.places.get("prompts") if entry.shape is not None else None
    return suite.frame.text[slice(*place.node.span)] if place is not None else ""


@checks("promptfoo/provider-id", "invalid-value")
def ids_with_blanks(shape: Configuration) -> Iterator[Finding]:
    """Ids of models with a blank at the start of the model or at the end, two ids in one text, and an id without its model."""
    for field in ("providers", "targets"):
        place = shape.places.get(field)
        if place is None or place.borrowed:
            continue
        for item in place.node.items if isinstance(place.node, Sequence) else (place.node,):
            node = item.get("id") if isinstance(item, Mapping) else item
            if isinstance(node, Scalar) and isinstance(node.value, str) and not node.is_block:
                yield from _id(node)


def _id(node: Scalar) -> Iterator[Finding]:
    found = _VENDOR.match(node.text)
    if found is None or found[1] not in VENDORS or found[1] in _OTHERS or "{{" in node.text:
        return
    following = _NEXT.search(node.text)
    if following is not None and following[1] in VENDORS:
        words = "these are several ids: write each of them as an entry of the list"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
    elif (plain := _BLANK.sub(":", node.text.strip())) != node.text:
        fixes: tuple[Fix, ...] = (Fix(f"change it to `{plain}`", (Edit(node.span, quoted(plain)),)),)
        words = f"the blank is part of this id; did you mean `{plain}`?"
        effect = "promptfoo asks for a model whose name has the blank"
        yield Finding(node.span, words, fixes=fixes, severity="warning", consequence=effect)
    elif node.text == "anthropic:messages":
        words = "this id needs a model, as in `anthropic:messages:claude-sonnet-4-5`"
        yield Finding(node.span, words, severity="error", consequence=STOPS)


@checks("promptfoo/provider-setting-missing", "invalid-value")
def missing_settings(shape: Configuration) -> Iterator[Finding]:
    """Providers without a setting that promptfoo needs to make them."""
    for provider in providers_of(shape):
        vendor, colon, _ = provider.id.partition(":")
        needed = _NEEDED.get(vendor)
        if needed is None or (colon and vendor not in ("ws", "wss")) or "{{" in provider.id:
            continue
        words = f"`{vendor}` needs `{needed}` under `config`"
        if isinstance(provider.node, Scalar):
            yield Finding(provider.node.span, words, severity="error", consequence=STOPS)
        elif provider.shape is not None and isinstance(provider.shape.node, Mapping):
            yield from _missing_setting(provider.shape.node, needed, words)


def _missing_setting(provider: Mapping, needed: str, words: str) -> Iterator[Finding]:
    settings, identity = provider.entry("config"), provider.entry("id")
    inner = settings.value if settings is not None else None
    entries = [*provider.entries, *(inner.entries if isinstance(inner, Mapping) else ())]
    if any(entry.name in (None, "<<", "$ref") or is_typo(entry.name, needed) for entry in entries):
        return
    if inner is None and identity is not None:
        yield Finding(identity.value.span, words, severity="error", consequence=STOPS)
    elif settings is not None and isinstance(inner, Mapping) and inner.get(needed) is None:
        yield Finding(settings.key.span, words, severity="error", consequence=STOPS)


@checks("promptfoo/provider-environment", "invalid-value", "warning", borrowed=False)
def environments(shape: ConfiguredProvider) -> Iterator[Finding]:
    """The `env` of a provider that is not a mapping."""
    place = shape.places.get("env")
    node: Node | None = place.node if place is not None and not place.borrowed else None
    is_text = isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip() and "{{" not in node.text
    if node is not None and (isinstance(node, Sequence) or is_text):
        words = "`env` is a mapping, as in `{NAME: value}`"
        yield Finding(node.span, words, severity="warning", consequence=_NOT_READ)
