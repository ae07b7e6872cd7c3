"""The providers of promptfoo that are models behind an API, as the kinds of targets that rubric has."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from rubric_core.evaluation.cases.promptfoo.chat_settings import CHAT_FIELDS, UnsentError, chat_settings, thinks
from rubric_core.evaluation.cases.promptfoo.configuration import ConfigurationError
from rubric_core.evaluation.targets.promptfoo_chat import ChatSettings
from rubric_core.language.promptfoo.provider_ids import PROVIDERS
from rubric_core.language.variables import PROMPTFOO_ENVIRONMENT

__all__ = ["VendorTarget", "sent_settings", "vendor_target"]


class _Vendor(NamedTuple):
    """A vendor whose models are called by one of rubric's kinds."""

    #: The kind of the target.
    kind: str
    #: The environment variable with its key; empty where none is needed.
    key: str
    #: Its address, if the kind has no default address.
    base: str = ""
    #: The words allowed between the vendor and the model in an id.
    forms: tuple[str, ...] = ("chat",)


_VENDORS: Mapping[str, _Vendor] = {
    "openai": _Vendor("openai", "OPENAI_API_KEY", forms=("chat", "responses")),
    "openrouter": _Vendor("openrouter", "OPENROUTER_API_KEY", forms=()),
    "anthropic": _Vendor("anthropic", "ANTHROPIC_API_KEY", forms=("messages",)),
    "google": _Vendor("gemini", "GOOGLE_API_KEY", forms=()),
    "azure": _Vendor("azure", "AZURE_API_KEY", forms=("chat", "responses")),
    "azureopenai": _Vendor("azure", "AZURE_API_KEY", forms=("chat", "responses")),
    "ollama": _Vendor("openai", "", "http://localhost:11434/v1", forms=("chat", "completion")),
    "groq": _Vendor("openai", "GROQ_API_KEY", "https://api.groq.com/openai/v1", forms=()),
    "mistral": _Vendor("openai", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", forms=()),
    "deepseek": _Vendor("openai", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", forms=()),
    "xai": _Vendor("openai", "XAI_API_KEY", "https://api.x.ai/v1", forms=()),
    "togetherai": _Vendor("openai", "TOGETHER_API_KEY", "https://api.together.xyz/v1"),
    "perplexity": _Vendor("openai", "PERPLEXITY_API_KEY", "https://api.perplexity.ai", forms=()),
    "cerebras": _Vendor("openai", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1", forms=()),
}  # fmt: skip
#: Request types that are not chat, such as embeddings.
_OTHERS = re.compile(
    r"(?:completion|embeddings?|moderation|image|realtime|assistant|audio|speech|transcription|agents|chatkit|codex\S*|video)\Z"
)
#: Settings that reach the model, by what promptfoo calls them.
_SETTINGS = {
    "temperature": "temperature",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
}
#: Settings that do not affect the answer.
_IDLE = frozenset({"apiKey", "apiKeyEnvar", "apiBaseUrl", "apiHost", "apiVersion", "cost", "basePath", "showThinking"})
#: Further settings of requests, which promptfoo sends where a prompt or a test sets them.
_OF_REQUESTS = frozenset({
    "frequency_penalty", "presence_penalty", "max_output_tokens", "stop_sequences", "top_k", "n", "logprobs", "top_logprobs", "function_call", "system",
    "parallel_tool_calls", "reasoning", "verbosity", "instructions", "service_tier", "model", "web_search_options", "store", "metadata", "user",
})  # fmt: skip
_USUAL_LIMIT = 1024


class VendorTarget(NamedTuple):
    """A provider as a target of rubric."""

    kind: str = ""
    settings: Mapping[str, Any] = {}  # a named tuple has no factories
    #: What promptfoo's chat adds to this, and to the settings of rubric's targets; None for a model that is called in another way.
    chat: ChatSettings | None = None
    #: Why it cannot be called.
    trouble: str = ""


def vendor_target(
    identity: str, config: Mapping[str, Any], load: Callable[[str], Any] | None = None
) -> VendorTarget | None:
    """The target for an id such as `openai:chat:gpt-5-mini`; None for an id of no vendor that rubric calls.

    Args:
        identity: The id.
        config: The settings beside it.
        load: Gives the data in a file that they name. Raises ConfigurationError. None: none of them is read.
    """
    config = {k: PROMPTFOO_ENVIRONMENT.sub(r"${{ \1\2 }}", v) if isinstance(v, str) else v for k, v in config.items()}
    name, _, rest = identity.partition(":")
    vendor = _VENDORS.get(name)
    if vendor is None or not rest:
        return None
    form, colon, model = rest.partition(":")
    if not colon or form not in vendor.forms:
        if colon and _OTHERS.match(form):
            return VendorTarget(
                trouble=f"rubric does not call the provider {identity} of promptfoo, which is no chat model"
            )
        form, model = "", rest
    speaks_chat = name == "openai" and form != "responses"
    unsent = next(
        (k for k in config if k not in _SETTINGS and k not in _IDLE and not (speaks_chat and k in CHAT_FIELDS)), ""
    )
    if unsent:
        return VendorTarget(trouble=f"rubric does not send `config.{unsent}` to {identity}")
    try:
        chat = chat_settings(model, config, load) if speaks_chat else None
    except UnsentError as error:
        return VendorTarget(trouble=f"rubric does not send {error} to {identity}")
    except ConfigurationError as error:
        return VendorTarget(trouble=f"promptfoo stops: {error}")
    settings: dict[str, Any] = {"model": model, **_usual(name, model)}
    settings |= {_SETTINGS[key]: value for key, value in config.items() if key in _SETTINGS}
    if form == "responses":
        settings["api_format"] = "responses"
    trouble = _address(name, vendor, config, settings)
    key = config.get("apiKey") or config.get("apiKeyEnvar") or vendor.key
    if key:
        settings["api_key"] = config["apiKey"] if config.get("apiKey") else f"${{{{ {key} }}}}"
    # OpenRouter at another address is a server that speaks OpenAI's API.
    kind = "openai" if vendor.kind == "openrouter" and "base_url" in settings else vendor.kind
    return VendorTarget(kind, settings, chat, trouble)


@cache
def _model_settings() -> frozenset[str]:
    """Every setting that promptfoo knows of a model which rubric calls."""
    vendors = (each for each in PROVIDERS if vendor_target(f"{each.begin}model", {}) is not None)
    return _OF_REQUESTS.union(*(each.config for each in vendors))


def sent_settings(config: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The settings of a row as fields of a request, and the first one that rubric does not send; empty for none.

    What is no setting of a model, such as those of functions that make prompts, is left out, as promptfoo does.
    """
    known = _model_settings()
    unsent = next((key for key in config if key in known and key not in _SETTINGS and key != "cost"), "")
    return {_SETTINGS[key]: value for key, value in config.items() if key in _SETTINGS}, unsent


def _usual(name: str, model: str) -> dict[str, Any]:
    """The settings that promptfoo sends by default."""
    if name not in ("openai", "azure", "azureopenai") or thinks(model):
        return {}
    return {"temperature": 0, "max_output_tokens": _USUAL_LIMIT}


def _address(name: str, vendor: _Vendor, config: Mapping[str, Any], settings: dict[str, Any]) -> str:
    """Add the address to the settings. Returns the reason if there is no address, else an empty text."""
    base, host = config.get("apiBaseUrl"), config.get("apiHost")
    if vendor.kind == "azure":
        settings["endpoint"] = base or (f"https://{host}" if host else "${{ AZURE_API_HOST }}")
        if config.get("apiVersion"):
            settings["version"] = str(config["apiVersion"])
        return ""
    address = base or (f"https://{host}/v1" if host else vendor.base)
    if not address:
        return ""
    if vendor.kind not in ("openai", "openrouter"):
        return f"rubric does not call {name} at another address: `config.apiBaseUrl`"
    settings["base_url"] = address
    return ""
