"""Entries of the list of providers that promptfoo confuses, or takes for others."""

from collections import defaultdict
from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, ProviderEntry, providers_of
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import VENDORS
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix, checks

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
