"""Misspelt settings of tracing and sharing, and texts in place of true and false, at the top of a promptfoo configuration."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.language.closest_name import is_typo
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, checks
from rubric_core.validation.type_fixes import flag_fixes

#: The settings of each mapping by its path.
_SETTINGS = MappingProxyType({
    "tracing": (
        "enabled", "failOnReceiverStartFailure", "commandToolNames", "otlp", "storage", "forwarding", "provider", "queryDelay",
    ),
    "tracing.otlp": ("http", "grpc"),
    "tracing.otlp.http": ("enabled", "port", "host", "acceptFormats", "redactAttributes"),
    "tracing.otlp.grpc": ("enabled", "port"),
    "tracing.storage": ("type", "retentionDays"),
    "tracing.forwarding": ("enabled", "endpoint", "headers"),
    "sharing": ("apiBaseUrl", "appBaseUrl"),
})  # fmt: skip
#: Other names of settings, in lower case.
_CALLED = MappingProxyType({
    "appurl": "appBaseUrl", "baseurl": "appBaseUrl", "apiurl": "apiBaseUrl", "on": "enabled", "active": "enabled",
})  # fmt: skip
_FLAGS = ("enabled", "failOnReceiverStartFailure")
_IGNORED = "promptfoo ignores it"
_REJECTED = "`promptfoo validate` rejects the configuration"


@checks("promptfoo/tracing-setting", "invalid-value", "warning")
def traces_and_sharing(shape: Configuration) -> Iterator[Finding]:
    """A misspelt or missing setting of `tracing` or `sharing`, or a string in place of true or false."""
    for path, known in _SETTINGS.items():
        node: Node | None = shape.node
        for name in path.split("."):
            node = node.get(name) if isinstance(node, Mapping) else None
        if isinstance(node, Mapping):
            yield from _misspelt(node, path, known)
            yield from (found for name in _FLAGS for found in _flag(node, name, _REJECTED))
    tracing = shape.node.entry("tracing") if isinstance(shape.node, Mapping) else None
    inner = tracing.value if tracing is not None else None
    if tracing is None or not isinstance(inner, Mapping):
        return
    names = [entry.name or "" for entry in inner.entries]
    if not {"enabled", "<<", "$ref"}.intersection(names) and not any(
        is_typo(n, "enabled") or _CALLED.get(n.lower()) == "enabled" for n in names
    ):
        yield Finding(
            tracing.key.span, "`tracing` has no `enabled`", severity="warning",
            consequence=f"{_REJECTED}; a run traces only cases whose metadata has `tracingEnabled`",
        )  # fmt: skip


def _misspelt(node: Mapping, path: str, known: tuple[str, ...]) -> Iterator[Finding]:
    present = {entry.name for entry in node.entries}
    for entry in node.entries:
        name = entry.name or ""
        called = _CALLED.get(name.lower(), "")
        meant = next((n for n in known if n not in present and (n == called or is_typo(name, n))), None)
        if name not in known and meant is not None:
            fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
            words = f"`{path}` has no setting `{name}`; did you mean `{meant}`?"
            yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_IGNORED)


def _flag(node: Mapping, name: str, consequence: str) -> Iterator[Finding]:
    value = node.get(name)
    if not isinstance(value, Scalar) or not isinstance(value.value, str) or "{{" in value.text or not value.text:
        return
    yield Finding(
        value.span,
        f"`{name}` is true or false",
        fixes=tuple(flag_fixes(value)),
        severity="warning",
        consequence=consequence,
    )


@checks("promptfoo/stored-results", "invalid-value", "warning")
def stored_results(shape: Configuration) -> Iterator[Finding]:
    """`writeLatestResults` is a string, or false, which `promptfoo eval` does not read."""
    node = shape.node if isinstance(shape.node, Mapping) else None
    entry = node.entry("writeLatestResults") if node is not None else None
    if node is None or entry is None or not isinstance(entry.value, Scalar):
        return
    yield from _flag(node, "writeLatestResults", "promptfoo warns about it")
    options = node.get("commandLineOptions")
    if entry.value.value is not False or (isinstance(options, Mapping) and options.get("write") is not None):
        return
    fixes: tuple[Fix, ...] = ()
    if options is None and isinstance(entry.key, Scalar):
        at = Span(entry.key.span.start, entry.value.span.end)
        fixes = (Fix("write `commandLineOptions`", (Edit(at, "commandLineOptions: {write: false}"),), safe=False),)
    yield Finding(
        entry.key.span, "`promptfoo eval` does not read this: `write` under `commandLineOptions` keeps no results",
        fixes=fixes, severity="hint", consequence="the results are kept",
    )  # fmt: skip
