"""The providers of promptfoo that are models behind an API, as rubric's kinds of targets; and the models that grade by default."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from rubric_core.evaluation.model.variables import peek
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.targets.models.model import ModelSettings
from rubric_core.families.promptfoo.targets.models.model_call import FROM_FILE
from rubric_core.families.promptfoo.targets.models.openai_chat import thinks
from rubric_core.language.variables import ENVIRONMENT_TEMPLATE
from rubric_core.loading.directory_search import URL

__all__ = [
    "CHOSEN_BY_KEYS",
    "DEFAULT_GRADERS",
    "IDLE",
    "DefaultGrader",
    "UnsentError",
    "VendorTarget",
    "default_grader",
    "has_template",
    "unsent_settings",
    "vendor_target",
    "with_files",
]

#: Settings that may contain templates but not name files.
_NO_FILES = frozenset({"reasoning_effort", "reasoning"})
_DATA = (".json", ".yaml", ".yml")


class UnsentError(Exception):
    """A setting cannot be sent as it is written; the message names it."""


def with_files(config: Mapping[str, Any], names: Collection[str], load: Callable[[str], Any] | None) -> dict[str, Any]:
    """Settings with the files that some of them name replaced by their contents.

    A setting with a template is left as it is: the file is known only when the row is.
    """
    made = dict(config)
    for name in names:
        if name in config and name not in _NO_FILES and not has_template(config[name]):
            made[name] = _from_files(name, config[name], load)
    written = config.get("response_format")
    if "response_format" in names and isinstance(written, str) and written.startswith(URL):
        made[FROM_FILE] = True
    return made


def _from_files(name: str, written: Any, load: Callable[[str], Any] | None) -> Any:
    """Tools, functions or a format, where files hold them or a part of them."""

    def read(value: Any) -> Any:
        if not isinstance(value, str) or not value.startswith(URL):
            return value
        if load is None or not value.endswith(_DATA):
            raise UnsentError(f"`config.{name}` from {value.removeprefix(URL)}")
        return load(value)

    if isinstance(written, list):
        items = [read(item) for item in written]
        return [each for item in items for each in item] if items and all(isinstance(i, list) for i in items) else items
    value = read(written)
    if not isinstance(value, dict) or value.get("type") != "json_schema":
        return value
    if value.get("schema"):
        return {**value, "schema": read(value["schema"])}
    inner = value.get("json_schema")
    if not isinstance(inner, dict) or not inner.get("schema"):
        return value
    return {**value, "json_schema": {**inner, "schema": read(inner["schema"])}}


def has_template(value: Any) -> bool:
    """Whether a setting has a template in it, at any depth."""
    if isinstance(value, str):
        return "{{" in value or "{%" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(has_template, inner))


#: What `--grader-target` says to have one chosen, which rubric does not do by itself.
CHOSEN_BY_KEYS = "promptfoo"
_AZURE_NAMES = ("AZURE_DEPLOYMENT_NAME", "AZURE_OPENAI_DEPLOYMENT_NAME")


class DefaultGrader(NamedTuple):
    """A model that grades without being named."""

    #: The name of its target.
    name: str
    id: str
    config: Mapping[str, Any]
    #: The variables of which one has to be set, and further ones that all have to be.
    keys: tuple[str, ...]
    further: tuple[str, ...] = ()


def _grader(identity: str, keys: tuple[str, ...], further: tuple[str, ...] = (), **config: Any) -> DefaultGrader:
    suffix = " for rubrics" if config else ""
    return DefaultGrader(f"default grader{suffix} {identity}", identity, config, keys, further)


_OPENAI, _GITHUB, _MISTRAL = "openai:chat:gpt-5.5-2026-04-23", "github:openai/gpt-5", "mistral:mistral-large-latest"
_CLAUDE = "anthropic:messages:claude-sonnet-4-6"
_GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "PALM_API_KEY")
_JSON = {"type": "json_object"}
#: The tool by which Claude grades.
_GRADES: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "pass": {"type": "boolean", "description": "Whether the output passes the criteria"},
        "score": {"type": "number", "description": "The score assigned to the output"},
        "reason": {"type": "string", "description": "The reason for the given grade"},
    },
    "required": ["pass", "score", "reason"],
}
_HANDS_IN: Mapping[str, Any] = {
    "tool_choice": {"type": "tool", "name": "grade_output"},
    "tools": [
        {
            "name": "grade_output",
            "description": "Grade the given output based on specific criteria",
            "input_schema": _GRADES,
        }
    ],
}
#: In the order in which promptfoo 0.121 looks for their keys, each with the one that grades `llm-rubric`.
_ORDER: tuple[tuple[DefaultGrader, DefaultGrader], ...] = (
    (_grader(_OPENAI, ("OPENAI_API_KEY",)), _grader(_OPENAI, ("OPENAI_API_KEY",), response_format=_JSON)),
    (_grader("azure:chat:{{env.AZURE_OPENAI_DEPLOYMENT_NAME}}", ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"), _AZURE_NAMES),) * 2,
    (_grader(_CLAUDE, ("ANTHROPIC_API_KEY",)), _grader(_CLAUDE, ("ANTHROPIC_API_KEY",), **_HANDS_IN)),
    (_grader("google:gemini-2.5-pro", _GOOGLE),) * 2,
    (_grader(_MISTRAL, ("MISTRAL_API_KEY",)), _grader(_MISTRAL, ("MISTRAL_API_KEY",), response_format=_JSON)),
    (_grader(_GITHUB, ("GITHUB_TOKEN",)), _grader(_GITHUB, ("GITHUB_TOKEN",), response_format=_JSON)),
)  # fmt: skip
#: All of them, each once.
DEFAULT_GRADERS: tuple[DefaultGrader, ...] = tuple({each.name: each for pair in _ORDER for each in pair}.values())


def default_grader(kind: str, environment: Mapping[str, str]) -> str | None:
    """The name of the target that grades assertions of a type without a grader; None without a key."""
    for usual, rubric in _ORDER:
        if any(peek(environment, key) for key in usual.keys) and all(peek(environment, key) for key in usual.further):
            return rubric.name if kind == "llm-rubric" else usual.name
    return None


class _Vendor(NamedTuple):
    """A vendor whose models are called by one of rubric's kinds."""

    #: The kind of the target.
    kind: str
    #: The environment variable with its key; empty if it needs none.
    key: str
    #: Its address, if the kind has no default address.
    base: str = ""
    #: The words allowed between the vendor and the model in an id.
    forms: tuple[str, ...] = ("chat",)
    #: The variables that name another address, the first one first.
    addresses: tuple[str, ...] = ()
    #: Whether promptfoo ignores `apiBaseUrl` and uses the vendor's own address.
    is_fixed: bool = False


_OPENAI_ADDRESSES = ("OPENAI_API_HOST", "OPENAI_API_BASE_URL", "OPENAI_BASE_URL")
_VENDORS: Mapping[str, _Vendor] = {
    "openai": _Vendor("openai", "OPENAI_API_KEY", forms=("chat", "responses"), addresses=_OPENAI_ADDRESSES),
    "openrouter": _Vendor("openrouter", "OPENROUTER_API_KEY", forms=()),
    "anthropic": _Vendor("anthropic", "ANTHROPIC_API_KEY", forms=("messages",)),
    "google": _Vendor("gemini", "GOOGLE_API_KEY", forms=()),
    "azure": _Vendor("azure", "AZURE_API_KEY", forms=("chat", "responses")),
    "azureopenai": _Vendor("azure", "AZURE_API_KEY", forms=("chat", "responses")),
    "ollama": _Vendor("openai", "", "http://localhost:11434/v1", forms=("chat", "completion")),
    "groq": _Vendor("openai", "GROQ_API_KEY", "https://api.groq.com/openai/v1", (), is_fixed=True),
    "mistral": _Vendor("openai", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", (), ("MISTRAL_API_HOST", "MISTRAL_API_BASE_URL")),
    "deepseek": _Vendor("openai", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", (), is_fixed=True),
    "xai": _Vendor("openai", "XAI_API_KEY", "https://api.x.ai/v1", (), is_fixed=True),
    "togetherai": _Vendor("openai", "TOGETHER_API_KEY", "https://api.together.xyz/v1", is_fixed=True),
    "perplexity": _Vendor("openai", "PERPLEXITY_API_KEY", "https://api.perplexity.ai", (), is_fixed=True),
    "cerebras": _Vendor("openai", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1", (), is_fixed=True),
    "fireworks": _Vendor("openai", "FIREWORKS_API_KEY", "https://api.fireworks.ai/inference/v1", (), ("FIREWORKS_API_BASE_URL",)),
    "nvidia": _Vendor("openai", "NVIDIA_API_KEY", "https://integrate.api.nvidia.com/v1", (), ("NVIDIA_API_BASE_URL",)),
    "github": _Vendor("openai", "GITHUB_TOKEN", "https://models.github.ai/inference", (), is_fixed=True),
}  # fmt: skip
#: Request types that are not chat, such as embeddings.
_OTHERS = re.compile(
    r"(?:completion|embeddings?|moderation|image|realtime|assistant|audio|speech|tts|transcription|agents|chatkit|codex\S*|claude-agent-sdk|claude-code|live|video)(?:\Z)"
)
#: The settings that a target gets besides its address; requests take the other settings from the configuration.
_SETTINGS = {
    "temperature": "temperature",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
}
#: Settings that do not affect the answer.
IDLE = frozenset(
    {
        "apiKey",
        "apiKeyEnvar",
        "apiBaseUrl",
        "apiHost",
        "apiVersion",
        "cost",
        "inputCost",
        "outputCost",
        "basePath",
        "apiKeyRequired",
        "headers",
    }
)
_SCHEME = re.compile(r"https?://")
_AZURE_VERSIONS = {"chat": "2024-12-01-preview", "responses": "preview"}


_USUAL_LIMIT = 1024


class VendorTarget(NamedTuple):
    """A provider as a target of rubric."""

    kind: str = ""
    settings: Mapping[str, Any] = {}  # a named tuple has no factories
    #: How promptfoo calls it, apart from the settings of rubric's targets; None if it cannot be called.
    model: ModelSettings | None = None
    #: Why it cannot be called.
    trouble: str = ""


def vendor_target(
    identity: str, config: Mapping[str, Any], load: Callable[[str], Any] | None = None
) -> VendorTarget | None:
    """The target for an id such as `openai:chat:gpt-5-mini`; None for the id of a vendor that rubric does not call.

    Args:
        identity: The id.
        config: The settings beside it.
        load: Gives the data in a file that they name. Raises ConfigurationError. None: none of them is read.
    """
    written = {k: ENVIRONMENT_TEMPLATE.sub(r"${{ \1\2 }}", v) if isinstance(v, str) else v for k, v in config.items()}
    name, _, rest = identity.partition(":")
    vendor = _VENDORS.get(name)
    if vendor is None or not rest:
        return None
    form, colon, model = rest.partition(":")
    if not colon or form not in vendor.forms:
        if _OTHERS.match(form) and (colon or name != "ollama"):
            return VendorTarget(
                trouble=f"rubric does not call the provider {identity} of promptfoo, which is no chat model"
            )
        form, model = "completion" if name == "ollama" else "chat", rest
    form = form if form in ("responses", "completion") else "chat"
    made = ModelSettings(name, model, form, config, _addresses(vendor, config))
    try:
        made = made._replace(config=with_files(config, made.family.filled, load))
    except UnsentError as error:
        return VendorTarget(trouble=f"rubric does not send {error} to {identity}")
    except ConfigurationError as error:
        return VendorTarget(trouble=f"promptfoo stops: {error}")
    refused = next((key for key in config if key in made.family.refused), "")
    if refused:
        return VendorTarget(trouble=f"rubric does not support `config.{refused}` of {identity}")
    named = ENVIRONMENT_TEMPLATE.sub(r"${{ \1\2 }}", model)
    settings: dict[str, Any] = {"model": named, **_usual(name, model)}
    settings |= {_SETTINGS[key]: value for key, value in written.items() if key in _SETTINGS and _is_number(value)}
    if form == "responses":
        settings["api_format"] = "responses"
    _add_address(vendor, written, settings, form)
    key = written.get("apiKey") or written.get("apiKeyEnvar") or vendor.key
    if key:
        settings["api_key"] = written["apiKey"] if written.get("apiKey") else f"${{{{ {key} }}}}"
    # OpenRouter at another address is a server that speaks OpenAI's API.
    kind = "openai" if vendor.kind == "openrouter" and "base_url" in settings else vendor.kind
    return VendorTarget(kind, settings, made)


def _usual(name: str, model: str) -> dict[str, Any]:
    """The settings that promptfoo sends by default."""
    if name not in ("openai", "azure", "azureopenai") or thinks(model):
        return {}
    return {"temperature": 0, "max_output_tokens": _USUAL_LIMIT}


def unsent_settings(target: VendorTarget, config: Mapping[str, Any]) -> list[str]:
    """The settings of a provider that the settings of its target do not express."""
    moved = target.kind in ("anthropic", "gemini")
    return [
        key for key in config
        if key == "headers" or (key not in _SETTINGS and key not in IDLE) or (moved and key in ("apiBaseUrl", "apiHost"))
    ]  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _addresses(vendor: _Vendor, config: Mapping[str, Any]) -> tuple[str, ...]:
    return () if config.get("apiBaseUrl") or config.get("apiHost") else vendor.addresses


def _add_address(vendor: _Vendor, config: Mapping[str, Any], settings: dict[str, Any], form: str) -> None:
    """Add the address to the settings."""
    base, host = config.get("apiBaseUrl"), config.get("apiHost")
    if vendor.kind == "azure":
        bare = _SCHEME.sub("", str(host or "")).removesuffix("/")
        settings["endpoint"] = base or (f"https://{bare}" if bare else "${{ AZURE_API_HOST }}")
        settings["version"] = str(config.get("apiVersion") or _AZURE_VERSIONS[form])
        return
    address = (f"https://{host}/v1" if host else "") or (base if not vendor.is_fixed else "") or vendor.base
    if address and vendor.kind in ("openai", "openrouter"):
        settings["base_url"] = address
