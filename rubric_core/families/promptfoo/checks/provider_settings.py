"""Misspelt keys and settings of providers, which promptfoo ignores."""

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Ranges
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.http_settings import address_fault, unread_by_http
from rubric_core.families.promptfoo.language.case import CaseOptions
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider, ProviderSettings
from rubric_core.families.promptfoo.language.provider_ids import VENDORS, known_provider, own_names
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, Severity, checks

__all__ = ["grader_keys", "misspelt_settings", "settings_of", "slips_of_settings"]

#: Settings of other vendors that look like misspellings, but exist there.
_OF_OTHERS = frozenset({
    "headless", "maxNewTokens", "maxTokens", "n_predict", "responseFormat", "sessionId", "speed", "timeout", "timeoutMs", "toolChoice", "top_k",
    "ts", "version",
})  # fmt: skip
#: Of these, the ones that Anthropic and vendors with the settings of OpenAI do not read.
_OF_NO_CHAT = frozenset({"maxTokens", "responseFormat", "toolChoice"})
#: Vendors of programs, which take any setting.
_PROGRAMS = frozenset({"exec", "file", "golang", "package", "python", "ruby", "promptfoo", "sequence"})


#: Ids that tell no address.
_WITH_ADDRESS = ("http", "https")
#: Settings that are numbers, which may be written as text or filled in.
_NUMBERS = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_p",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "max_output_tokens",
    "maxOutputTokens",
    "topP",
    "top_k",
    "topK",
    "num_predict",
)
#: Settings that nearly every vendor of models has.
_COMMON = ("temperature", "max_tokens", "top_p", "apiKey")
#: Vendors of models whose further settings are not listed.
_OF_MODELS = frozenset({
    "ai21", "aimlapi", "alibaba", "cloudflare-ai", "cohere", "databricks", "fireworks", "github", "hf", "huggingface", "hyperbolic", "lambdalabs",
    "llamaapi", "localai", "minimax", "moonshot", "novita", "nscale", "nvidia", "replicate", "sagemaker", "vercel", "vertex", "watsonx",
})  # fmt: skip
_NUMBER = pattern(r"\s{0,9}-?[\d.,_eE+-]{1,30}\s{0,9}\Z|.{0,200}\{\{|.{0,200}\$\{")
_PLAIN_NUMBER = pattern(r"-?\d{1,9}(?:\.\d{1,9})?\Z")
#: Vendors whose own services refuse a text for a number.
_STRICT = ("anthropic", "openai")
#: A file, or what is filled in.
_OTHER_TEXT = pattern(r"file://|.{0,200}(?:\{\{|\$\{)")
#: Programs of vendors, whose settings and tools have other forms.
_IS_AGENT = pattern(r"anthropic:claude-(?:agent|code)|openai:(?:agents|assistant|chatkit|codex|realtime)|bedrock-agent")
#: A file with tools, and a program that makes them.
_TOOLS_FILE = pattern(r"[\w./-]{1,200}\.(?:json|ya?ml|py|[cm]?[jt]s)(?::\w{1,60})?\Z")
_TOOLS_PROGRAM = pattern(r"file://[^:]{1,300}\.(?:py|[cm]?[jt]s)\Z")
_REFUSED = "the model refuses the request, and promptfoo makes each row an error"
_MAY_REFUSE = "promptfoo sends it as a string, which not every service takes for a number"
_USUAL = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_p",
    "response_format",
    "tool_choice",
    "reasoning_effort",
)
#: The settings that stand under `config`, as they are written.
_SETTINGS = frozenset(each.name for each in ProviderSettings.keys.values())
#: Names of settings in other tools, without `_` and in lower case.
_CALLED = MappingProxyType({
    "baseurl": "apiBaseUrl", "apibase": "apiBaseUrl", "apikey": "apiKey", "responsetransform": "transformResponse",
    "transformresponse": "transformResponse", "responseformatter": "transformResponse", "temp": "temperature", "awsregion": "region",
    "stopsequence": "stop", "stopsequences": "stop",
})  # fmt: skip


def grader_keys(provider: Mapping) -> Iterator[Finding]:
    """The keys of a model that grades, or that a case calls, and its settings."""
    known = tuple(key.name for key in ConfiguredProvider.keys.values())
    present = {entry.name for entry in provider.entries}
    for entry in provider.entries:
        if "id" not in present:
            meant = closest(entry.name or "", ("id",)) if isinstance(entry.value, Scalar) else None
        else:
            meant = _intended_key(entry.name, known, present)
        if meant is not None:
            yield from _renamed(entry, meant, "a provider has no key", "promptfoo does not read it")
    beside = [entry for entry in provider.entries if "id" in present and entry.name in _SETTINGS]
    for entry in beside:
        fixes: tuple[Fix, ...] = ()
        if len(beside) == 1 and "config" not in present and isinstance(entry.value, Scalar) and _is_plain(entry.value):
            start, end = entry.key.span.start, entry.value.span.end
            edits = (Edit(Span(start, start), "config: {"), Edit(Span(end, end), "}"))
            fixes = (Fix("move it under `config`", edits),)
        yield Finding(
            entry.key.span, f"a provider has no key `{entry.name}`; it stands under `config`",
            fixes=fixes, severity="warning", consequence="promptfoo does not read it",
        )  # fmt: skip
    yield from misspelt_settings(provider)


def _is_plain(value: Scalar) -> bool:
    """Whether a value may stand in a mapping in flow style as it is."""
    return value.is_quoted or (
        value.style == "plain" and value.value is not None and value.text.replace(".", "").isalnum()
    )


def slips_of_settings(node: Node | None) -> Iterator[Finding]:
    """Slips of the usual settings of models in a mapping that goes to whatever provider there is."""
    if not isinstance(node, Mapping):
        return
    present = {entry.name for entry in node.entries}
    for entry in node.entries:
        meant = _intended_key(entry.name, _USUAL, present) if entry.name not in _OF_OTHERS else None
        if meant is not None:
            yield from _renamed(
                entry, meant, "models have no setting", "promptfoo gives it to the provider, which does not know it"
            )


@checks("promptfoo/provider-setting", "invalid-value", borrowed=False)
def settings_of_provider(shape: ConfiguredProvider) -> Iterator[Finding]:
    """A setting of a provider that is misspelt, or of the wrong type."""
    yield from misspelt_settings(shape.node) if isinstance(shape.node, Mapping) else ()


@checks("promptfoo/provider-setting", "invalid-value", borrowed=False)
def settings_of_grader(shape: CaseOptions) -> Iterator[Finding]:
    """The settings of models among the options of a case, which go to whatever provider there is."""
    yield from slips_of_settings(shape.node)


def misspelt_settings(provider: Mapping) -> Iterator[Finding]:
    """The settings of a provider that resemble a known one, unless the provider is a program."""
    identity = provider.get("id")
    if isinstance(identity, Scalar):
        yield from settings_of(identity.text, provider.get("config"))


def settings_of(identity: str, settings: Node | None) -> Iterator[Finding]:
    """The same for the settings of a provider with an id."""
    vendor, _, _ = identity.partition(":")
    is_known = vendor in VENDORS and vendor not in _PROGRAMS
    if (
        isinstance(settings, Scalar)
        and isinstance(settings.value, str)
        and not _OTHER_TEXT.match(settings.text)
        and is_known
    ):
        words = "`config` is a mapping, as in `{temperature: 0}`"
        yield Finding(settings.span, words, severity="warning", consequence="promptfoo reads no setting of it")
    if not isinstance(settings, Mapping):
        return
    if identity.lstrip().startswith("{{"):
        yield from slips_of_settings(settings)
    if identity in _WITH_ADDRESS:
        names = {entry.name for entry in settings.entries}
        if names.isdisjoint({"url", "request", "<<", "$ref"}) and settings.entries:
            words = f"`{identity}` needs `url` under `config`, or an address as the id"
            at = settings.entries[0].key.span
            yield Finding(at, words, severity="error", consequence=ROW_ERRORS)
    # Models of others there have the settings of their vendors.
    family = None if vendor == "vertex" and "gemini" not in identity else known_provider(identity)
    if family is None and vendor in _OF_MODELS:
        yield from _common_settings(vendor, settings)
    if family is None or not is_known:
        return
    is_chat = "response_format" in family.config
    also = _OF_OTHERS - _OF_NO_CHAT if is_chat or vendor == "anthropic" else _OF_OTHERS
    misspelt = list(_misspelt(vendor, settings, family.config, also, own_names(identity)))
    yield from misspelt
    if vendor in _WITH_ADDRESS:
        spans = {found.span for found in misspelt}
        reported = frozenset(entry.name or "" for entry in settings.entries if entry.key.span in spans)
        yield from unread_by_http(settings, family.config, reported)
    yield from address_fault(settings.get("apiBaseUrl"))
    yield from _texts_for_numbers(settings, family.config, is_strict=vendor in _STRICT and not _has_address(settings))
    if not _IS_AGENT.match(identity):
        yield from _nested(settings)
        yield from _tools_file(settings.get("tools")) if is_chat or vendor == "anthropic" else ()


def _common_settings(vendor: str, settings: Mapping) -> Iterator[Finding]:
    """The settings of a vendor in the catalogue that does not list them."""
    yield from _misspelt(vendor, settings, _COMMON, _OF_OTHERS)
    yield from _texts_for_numbers(settings, _COMMON, is_strict=False)


def _misspelt(
    vendor: str,
    settings: Mapping,
    known: tuple[str, ...],
    others: frozenset[str],
    renamed: Ranges[str, str] = MappingProxyType({}),
) -> Iterator[Finding]:
    """Slips of the settings that a vendor has, and their names elsewhere; what other vendors have is none."""
    present = {entry.name for entry in settings.entries}
    for entry in settings.entries:
        meant = renamed.get(entry.name or "")
        if meant is not None and meant in present:
            words = f"`{vendor}` has no setting `{entry.name}`; `{meant}` is here already"
            yield Finding(entry.key.span, words, severity="warning", consequence="promptfoo silently ignores it")
            continue
        if meant is None and entry.name not in others:
            meant = _intended_key(entry.name, known, present)
        if meant is not None:
            yield from _renamed(entry, meant, f"`{vendor}` has no setting", "promptfoo silently ignores it")
            continue
        name = entry.name or ""
        twin = next((each for each in known if each in present and is_typo(name, each)), None)
        if twin is not None and name not in known and name not in others:
            words = f"`{vendor}` has no setting `{name}`; `{twin}` is here already"
            yield Finding(entry.key.span, words, severity="warning", consequence="promptfoo silently ignores it")


def _has_address(settings: Mapping) -> bool:
    """Whether the requests go to another service than the vendor's own."""
    return any(settings.get(name) is not None for name in ("apiBaseUrl", "apiHost", "passthrough"))


def _texts_for_numbers(settings: Mapping, known: tuple[str, ...], *, is_strict: bool) -> Iterator[Finding]:
    """Settings of models that have to be numbers and are something else."""
    for name in (each for each in _NUMBERS if each in known):
        node = settings.get(name)
        if isinstance(node, Sequence) or (isinstance(node, Mapping) and node.get("$ref") is None):
            yield Finding(node.span, f"`{name}` is a number", severity="warning", consequence=_REFUSED)
        if not isinstance(node, Scalar) or not isinstance(node.value, str | bool):
            continue
        if not _NUMBER.match(node.text):
            yield Finding(node.span, f"`{name}` is a number", severity="warning", consequence=_REFUSED)
        elif _PLAIN_NUMBER.match(node.text) and node.is_quoted and not node.is_block:
            fixes = (Fix(f"write `{node.text}`", (Edit(node.span, node.text),)),)
            words = f"`{name}` is a number: write it without quotes"
            severity: Severity = "warning" if is_strict else "information"
            yield Finding(
                node.span, words, fixes=fixes, severity=severity, consequence=_REFUSED if is_strict else _MAY_REFUSE
            )


def _nested(settings: Mapping) -> Iterator[Finding]:
    """`config` within `config`."""
    entry = settings.entry("config")
    if entry is not None and isinstance(entry.value, Mapping):
        words = "`config` stands in `config` itself: write its settings one level further out"
        yield Finding(entry.key.span, words, severity="warning", consequence="promptfoo reads no setting of it")


def _tools_file(node: Node | None) -> Iterator[Finding]:
    """A path without `file://`, and a program without the name of its function."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    at = node.span.start + node.is_quoted
    if _TOOLS_FILE.match(node.text):
        fixes = () if node.is_block else (Fix("write file:// in front", (Edit(Span(at, at), "file://"),)),)
        words = "the path of a file with tools begins with file://"
        yield Finding(node.span, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)
    elif _TOOLS_PROGRAM.match(node.text):
        words = "a program with tools needs the name of its function, as in `file://tools.py:get_tools`"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)


def _intended_key(name: str | None, known: Iterable[str], present: set[str | None]) -> str | None:
    """The known key that a name is a slip of, if it is not there itself."""
    if name is None or name in known:
        return None
    called = _CALLED.get(name.replace("_", "").replace("-", "").lower())
    if called is not None and called in known and called not in present:
        return called
    return next((each for each in known if each not in present and is_typo(name, each)), None)


def _renamed(entry: Entry, meant: str, words: str, consequence: str) -> Iterator[Finding]:
    fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
    yield Finding(
        entry.key.span, f"{words} `{entry.name}`; did you mean `{meant}`?", fixes=fixes, severity="warning", consequence=consequence,
    )  # fmt: skip
