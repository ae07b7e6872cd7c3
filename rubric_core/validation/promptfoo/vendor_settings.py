"""Settings of models that their vendor does not have, or has elsewhere: instructions, addresses, and settings within settings."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.language.promptfoo.foreign_settings import SYSTEM_NAMES, has_system_prompt
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["vendor_settings"]

_IGNORED = "promptfoo silently ignores it"
#: Programs of vendors, which may have a setting `config`.
_IS_AGENT = pattern(r"anthropic:claude-(?:agent|code)|openai:(?:agents|assistant|chatkit|codex|realtime)|bedrock-agent")
#: Vendors of models that take any address, and the path that promptfoo adds to it.
_PATHS = (
    (pattern(r"openai:responses:"), "/responses"),
    (pattern(r"openai:embeddings?:"), "/embeddings"),
    (pattern(r"openai:completion:"), "/completions"),
    (pattern(r"openai:(?:chat:|gpt-[34][\w.]{0,9}(?:-turbo|-mini|-nano)?(?:-\d[\d-]{0,12})?\Z)|openrouter:|litellm:(?!embedding)|mistral:(?!embedding)"), "/chat/completions"),
    (pattern(r"anthropic:(?:messages:|claude-(?!agent|code|2))"), "/v1/messages"),
)  # fmt: skip
#: An address without its scheme: a host of this machine, or one with a path.
_LOCAL = pattern(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):\d{1,5}(?:/[^\s{}]{0,300})?\Z")
_HOST = pattern(r"[A-Za-z0-9-]{1,60}(?:\.[A-Za-z0-9-]{1,60}){1,6}(?::\d{1,5})?(?:/[^\s{}]{0,300})?\Z")
#: Fields of the requests to Ollama that are no settings of promptfoo.
_PASSED_TO_OLLAMA = ("format", "keep_alive", "options")


def vendor_settings(identity: str, settings: Mapping) -> Iterator[Finding]:
    """Findings about the settings of a provider with an id."""
    if not _IS_AGENT.match(identity):
        yield from _nested(settings)
    yield from _instructions(identity, settings)
    yield from _address(identity, settings.get("apiBaseUrl"))
    if identity.startswith("ollama:"):
        yield from _of_ollama(settings)


def _nested(settings: Mapping) -> Iterator[Finding]:
    """`config` within `config`."""
    entry = settings.entry("config")
    if entry is not None and isinstance(entry.value, Mapping):
        words = "`config` stands in `config` itself: write its settings one level further out"
        yield Finding(entry.key.span, words, severity="warning", consequence="promptfoo reads no setting of it")


def _instructions(identity: str, settings: Mapping) -> Iterator[Finding]:
    """Instructions to a model whose settings have none."""
    if has_system_prompt(identity):
        return
    vendor = identity.partition(":")[0]
    for entry in settings.entries:
        if entry.name in SYSTEM_NAMES and isinstance(entry.value, Scalar):
            words = f"`{vendor}` has no setting `{entry.name}`: instructions are a message of the prompt, with the role `system`"
            yield Finding(entry.key.span, words, severity="warning", consequence=_IGNORED)


def _address(identity: str, node: Node | None) -> Iterator[Finding]:
    """An address that has the path of its requests already, or has no scheme."""
    added = next((path for begin, path in _PATHS if begin.match(identity)), None)
    if added is None or not isinstance(node, Scalar) or not isinstance(node.value, str) or node.is_block:
        return
    plain = node.text.removesuffix("/")
    if plain.endswith(added) and "{%" not in plain:
        meant = plain.removesuffix(added)
        fixes = (Fix(f"write `{meant}`", (Edit(node.span, quoted(meant) if node.is_quoted else meant),)),)
        words = f"promptfoo adds `{added}` to this address itself; did you mean `{meant}`?"
        yield Finding(node.span, words, fixes=fixes, severity="warning", consequence=f"it asks `{plain}{added}`")
    is_local = _LOCAL.match(node.text) is not None
    if is_local or _HOST.match(node.text):
        scheme = "http://" if is_local else "https://"
        at = node.span.start + node.is_quoted
        fixes = (Fix(f"write {scheme} in front", (Edit(Span(at, at), scheme),), safe=is_local),)
        words = f"an address begins with http:// or https://; did you mean `{scheme}{node.text}`?"
        yield Finding(node.span, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)


def _of_ollama(settings: Mapping) -> Iterator[Finding]:
    """Addresses among the settings of Ollama, whose only one is in the environment, and further fields of its requests."""
    for entry in settings.entries:
        if entry.name in ("apiBaseUrl", "apiHost", "baseUrl", "base_url", "baseURL", "host", "url"):
            words = f"`ollama` has no setting `{entry.name}`; its address is `OLLAMA_BASE_URL` of the environment"
            yield Finding(entry.key.span, words, severity="warning", consequence=_IGNORED)
        elif entry.name in _PASSED_TO_OLLAMA:
            advice = (
                "write its settings under `config` itself"
                if entry.name == "options"
                else "write it under `passthrough`"
            )
            words = f"`ollama` has no setting `{entry.name}`: {advice}"
            yield Finding(entry.key.span, words, severity="warning", consequence=_IGNORED)
