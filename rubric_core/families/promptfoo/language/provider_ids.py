"""The providers of promptfoo by their ids, most used first, with the settings of each; and those of others, which it ignores."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = [
    "GRADER_ROLES",
    "KINDS_OF_VENDORS",
    "OF_HTTP",
    "PROVIDERS",
    "VENDORS",
    "KnownProvider",
    "ModelKinds",
    "Role",
    "are_models",
    "known_provider",
    "own_names",
]

#: What a model does: it answers with text, compares texts, assigns labels, or flags what is harmful.
Role = Literal["text", "embedding", "classification", "moderation"]
#: What a mapping of graders has one for each of; the first one reads text.
GRADER_ROLES: tuple[Role, ...] = ("text", "embedding", "classification", "moderation")


class KnownProvider(NamedTuple):
    """A family of providers."""

    #: How their ids begin; the whole id for those that have no more.
    begin: str
    #: An id as an author would write it, with `MODEL` and the like for the parts to fill in.
    example: str
    doc: str
    #: Keys of `config` that mean something to it, likely ones first.
    config: tuple[str, ...] = ()
    #: Whether such a provider answers prompts; others only embed or moderate.
    answers: bool = True


_KEYS = ("apiKey", "apiKeyEnvar", "apiBaseUrl")
_CHAT = (
    "temperature", "max_tokens", "max_completion_tokens", "top_p", "stop", "seed", "response_format", "tools", "tool_choice", "functions",
    "reasoning_effort", "passthrough", *_KEYS, "apiHost", "organization", "headers", "cost", "reasoning", "verbosity", "frequency_penalty",
    "presence_penalty", "parallel_tool_calls", "mcp", "modalities", "audio", "top_logprobs", "service_tier", "omitDefaults", "showThinking",
)  # fmt: skip
#: What the responses API has no field for, so that promptfoo does not send it.
_ONLY_CHAT = frozenset({
    "max_tokens", "max_completion_tokens", "stop", "seed", "functions", "frequency_penalty", "presence_penalty",
})  # fmt: skip
_RESPONSES = (*(each for each in _CHAT if each not in _ONLY_CHAT), "max_output_tokens", "instructions")
_CLAUDE = (
    "max_tokens",
    "temperature",
    "tools",
    "tool_choice",
    "thinking",
    "top_p",
    "top_k",
    *_KEYS,
    "headers",
    "cost",
    "effort",
    "mcp",
    "showThinking",
    "extra_body",
    "beta",
)
_CLAUDE_AGENT = (
    "model", "working_dir", "max_turns", "permission_mode", "append_allowed_tools", "custom_allowed_tools", "disallowed_tools", "allow_all_tools",
    "allow_dangerously_skip_permissions", "append_system_prompt", "custom_system_prompt", "setting_sources", "mcp", "strict_mcp_config", "apiKey",
    "fallback_model", "max_thinking_tokens", "max_budget_usd", "exclude_dynamic_sections", "output_format", "plugins", "skills", "hooks", "agents",
    "sandbox", "debug", "debug_file", "resume", "fork_session", "session_id", "persist_session", "ask_user_question", "additional_directories",
    "effort", "betas", "env", "extra_args", "executable", "executable_args", "include_partial_messages", "include_hook_events", "cache_mcp",
    "tools", "thinking", "settings", "continue", "title", "stderr", "apiKeyRequired", "path_to_claude_code_executable", "task_budget",
)  # fmt: skip
_GEMINI = (
    "generationConfig",
    "systemInstruction",
    "tools",
    "temperature",
    "maxOutputTokens",
    "topP",
    "topK",
    "safetySettings",
    "apiKey",
    "apiHost",
    "stopSequences",
    "responseSchema",
    "tool_choice",
    "toolConfig",
    "passthrough",
)
_OLLAMA = ("num_predict", "temperature", "top_k", "top_p", "stop", "seed", "num_ctx", "format", "think", "tools")
_AZURE = ("apiHost", "apiVersion", *_CHAT)
_BEDROCK = (
    "region",
    "max_tokens",
    "temperature",
    "tools",
    "tool_choice",
    "accessKeyId",
    "secretAccessKey",
    "profile",
    "guardrailIdentifier",
    "guardrailVersion",
    "showThinking",
    "top_p",
    "thinking",
    "inferenceConfig",
    "inferenceModelType",
    "sessionToken",
)
_HTTP = (
    "url", "method", "headers", "body", "transformResponse", "transformRequest", "queryParams", "request", "validateStatus", "maxRetries",
    "auth", "tls", "session", "sessionParser", "multipart", "signatureAuth", "responseParser", "tools", "tool_choice", "transformToolsFormat",
    "sessionSource", "stateful", "tokenEstimation", "useHttps",
)  # fmt: skip
_PROGRAM = ("pythonExecutable", "timeout", "workers")

#: In the order of their use.
PROVIDERS: tuple[KnownProvider, ...] = (
    KnownProvider("openai:chat:", "openai:chat:gpt-5-mini", "A model of OpenAI by chat completions.", _CHAT),
    KnownProvider("anthropic:messages:", "anthropic:messages:claude-sonnet-4-5", "A model of Anthropic.", _CLAUDE),
    KnownProvider("google:", "google:gemini-2.5-flash", "A model of Google AI Studio.", _GEMINI),
    KnownProvider("echo", "echo", "Gives the prompt back; for trying out checks."),
    KnownProvider("openai:responses:", "openai:responses:gpt-5-mini", "A model of OpenAI by its responses API.", _RESPONSES),
    KnownProvider("azure:chat:", "azure:chat:DEPLOYMENT", "A deployment of Azure OpenAI.", _AZURE),
    KnownProvider("ollama:chat:", "ollama:chat:MODEL", "A local model of Ollama.", _OLLAMA),
    KnownProvider("openrouter:", "openrouter:VENDOR/MODEL", "A model by OpenRouter.", _CHAT),
    KnownProvider("bedrock:", "bedrock:MODEL", "A model by Amazon Bedrock.", _BEDROCK),
    KnownProvider("vertex:", "vertex:MODEL", "A model of Vertex AI.", (*_GEMINI, "region", "projectId")),
    KnownProvider("https", "https", "Any service by HTTP; its address and the request are under `config`.", _HTTP),
    KnownProvider("file://", "file://provider.py", "A program in a file: Python, JavaScript, Go, Ruby, or settings in YAML.", _PROGRAM),
    KnownProvider("python:", "python:provider.py", "A function `call_api` in Python.", _PROGRAM),
    KnownProvider("exec:", "exec: python program.py", "A command; the prompt is its argument, its output the answer."),
    KnownProvider("groq:", "groq:MODEL", "A model of Groq.", _CHAT),
    KnownProvider("mistral:", "mistral:MODEL", "A model of Mistral.", _CHAT),
    KnownProvider("deepseek:", "deepseek:MODEL", "A model of DeepSeek.", _CHAT),
    KnownProvider("xai:", "xai:MODEL", "A model of xAI.", _CHAT),
    KnownProvider("perplexity:", "perplexity:MODEL", "A model of Perplexity.", _CHAT),
    KnownProvider("togetherai:", "togetherai:MODEL", "A model of Together AI.", _CHAT),
    KnownProvider("cerebras:", "cerebras:MODEL", "A model of Cerebras.", _CHAT),
    KnownProvider("litellm:", "litellm:MODEL", "A model by LiteLLM.", _CHAT),
    KnownProvider("huggingface:text-generation:", "huggingface:text-generation:MODEL", "A model of Hugging Face.", ("temperature", "max_new_tokens", "apiEndpoint", "apiKey")),
    KnownProvider("websocket", "wss://HOST", "A service by WebSocket.", ("url", "messageTemplate", "transformResponse", "timeoutMs")),
    KnownProvider("webhook:", "webhook:https://HOST", "A service that replies with `{output}`."),
    KnownProvider("openai:embedding:", "openai:embedding:text-embedding-3-small", "Embeddings of OpenAI, for `similar`.", _KEYS, answers=False),
    KnownProvider("openai:moderation", "openai:moderation", "The moderation of OpenAI.", _KEYS, answers=False),
    KnownProvider("openai:", "openai:MODEL", "A model of OpenAI.", _CHAT),
    KnownProvider("anthropic:", "anthropic:MODEL", "A model of Anthropic.", _CLAUDE),
    KnownProvider("anthropic:claude-agent-sdk", "anthropic:claude-agent-sdk", "Claude Code, by its agent SDK.", _CLAUDE_AGENT),
    KnownProvider("azureopenai:", "azureopenai:chat:DEPLOYMENT", "A deployment of Azure OpenAI.", _AZURE),
    KnownProvider("azure:", "azure:chat:DEPLOYMENT", "A deployment of Azure OpenAI.", _AZURE),
    KnownProvider("ollama:", "ollama:MODEL", "A local model of Ollama.", _OLLAMA),
    KnownProvider("http", "http", "Any service by HTTP.", _HTTP),
)  # fmt: skip

#: What ids may begin with, before the colon: the vendors of 0.121 and of later releases, and programs and addresses.
VENDORS: tuple[str, ...] = (
    "a2a", "abliteration", "acp", "agentic", "ai21", "aimlapi", "alibaba", "alicloud", "aliyun", "anthropic", "atlascloud", "azure",
    "azureopenai", "bam", "bedrock", "bedrock-agent", "bedrock-agentcore", "bfl", "browser", "cerebras", "cheaperinference", "cloudera",
    "cloudflare-ai", "cloudflare-gateway", "cohere", "cometapi", "copilot", "dashscope", "databricks", "deepseek", "docker", "echo", "edenai",
    "elevenlabs", "empiriolabs", "envoy", "evolink", "exec", "f5", "fal", "file", "fireworks", "flexai", "github", "golang", "google", "groq",
    "headless", "helicone", "hf", "http", "https", "huggingface", "hyperbolic", "jfrog", "kelly", "kelly-intelligence", "lambdalabs", "litellm",
    "llama", "llamaapi", "llmman", "localai", "mcp", "meta", "minimax", "mistral", "mlflow-gateway", "modelslab", "moonshot", "muse-code", "n8n",
    "novita", "nscale", "nvidia", "ollama", "openai", "openclaw", "opencode", "openhands", "openinterpreter", "openrouter", "orcarouter",
    "package", "palm", "perplexity", "portkey", "promptfoo", "python", "quiverai", "qwak", "replicate", "ruby", "sagemaker", "sequence", "slack",
    "snowflake", "togetherai", "transformers", "transformers.js", "truefoundry", "vercel", "vertex", "voyage", "watsonx", "webhook", "websocket",
    "ws", "wss", "xai",
)  # fmt: skip


class ModelKinds(NamedTuple):
    """The kinds of models of a vendor: the part of an id between vendor and model."""

    #: The likeliest first.
    names: tuple[str, ...]
    #: Whether an id has to have one; without, `VENDOR:MODEL` is an id as well.
    needed: bool
    #: Whether promptfoo stops at another one; else it takes it for a chat model.
    stops: bool = True
    #: Kinds that only other vendors have.
    foreign: tuple[str, ...] = ()


_OF_AZURE = ModelKinds(
    ("chat", "responses", "embedding", "embeddings", "completion", "assistant", "moderation", "foundry-agent", "image", "realtime", "video"),
    needed=True,
)  # fmt: skip
_OF_HUGGING_FACE = ModelKinds(
    ("chat", "text-generation", "feature-extraction", "sentence-similarity", "text-classification", "token-classification"), needed=True,
)  # fmt: skip
KINDS_OF_VENDORS = MappingProxyType({
    "azure": _OF_AZURE, "azureopenai": _OF_AZURE, "huggingface": _OF_HUGGING_FACE, "hf": _OF_HUGGING_FACE,
    "anthropic": ModelKinds(("messages", "completion", "claude-agent-sdk", "claude-code"), needed=False, foreign=("chat", "responses", "completions")),
    "openai": ModelKinds(
        ("chat", "responses", "embedding", "embeddings", "completion", "moderation", "realtime", "assistant", "agents", "image", "video",
         "transcription", "tts", "speech", "chatkit", "codex", "codex-sdk", "codex-app-server", "codex-desktop"),
        needed=False, stops=False,
    ),
})  # fmt: skip


def known_provider(identity: str) -> KnownProvider | None:
    """The family of an id; None if it is not in the catalogue."""
    if identity.startswith(("ws://", "wss://")):
        identity = "websocket"
    found = [each for each in PROVIDERS if identity == each.begin or (identity.startswith(each.begin))]
    return max(found, key=lambda each: len(each.begin), default=None)


def are_models(identities: Iterable[str]) -> bool:
    """Whether there are providers, each of them a model of a vendor that takes messages."""
    families = [known_provider(each) for each in identities]
    return bool(families) and all(each is not None and "temperature" in each.config for each in families)


#: What HTTP libraries call a setting of the HTTP provider, without `_` and in lower case.
OF_HTTP: Mapping[str, str] = MappingProxyType({
    "retry": "maxRetries", "retries": "maxRetries", "maxretry": "maxRetries", "retrycount": "maxRetries", "numretries": "maxRetries",
    "query": "queryParams", "params": "queryParams", "queryparameters": "queryParams", "searchparams": "queryParams", "querystring": "queryParams",
    "verb": "method", "httpmethod": "method", "requestmethod": "method",
    "json": "body", "payload": "body", "data": "body", "requestbody": "body", "form": "body",
    "header": "headers", "httpheaders": "headers", "requestheaders": "headers",
    "responsepath": "transformResponse", "responsetransform": "transformResponse", "responseparser": "transformResponse",
    "outputpath": "transformResponse", "jsonpath": "transformResponse", "parseresponse": "transformResponse", "outputtransform": "transformResponse",
    "responsetransformer": "transformResponse",
    "requesttransform": "transformRequest", "address": "url", "endpoint": "url", "uri": "url", "baseurl": "url", "apibaseurl": "url",
    "authentication": "auth", "authorization": "auth", "statusvalidator": "validateStatus", "rawrequest": "request", "files": "multipart",
})  # fmt: skip
#: What other libraries call the instructions to a model.
_SYSTEM_NAMES = (
    "systemPrompt", "system_prompt", "systemMessage", "system_message", "system", "systemInstruction", "instructions",
)  # fmt: skip
#: Names of one and the same setting.
_SAME = (
    ("max_tokens", "maxTokens", "max_output_tokens", "maxOutputTokens", "max_new_tokens", "num_predict", "max_completion_tokens"),
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("stop", "stop_sequences", "stopSequences"),
    ("response_format", "responseFormat"),
    _SYSTEM_NAMES,
)  # fmt: skip
_OF_CHAT = frozenset({"max_tokens", "max_completion_tokens", "top_p", "stop", "response_format"})
_OF_RESPONSES = frozenset({"max_output_tokens", "top_p", "response_format", "instructions"})
#: Families of models by their ids, with what each calls these settings. Together AI and Cerebras hand on every setting.
_FAMILIES = (
    (pattern(r"openai:responses:|azure:responses:"), _OF_RESPONSES),
    # `openai:NAME` without `chat:` only for chat models by name: those of speech and images have other settings.
    (pattern(r"openai:(?:chat:|gpt-[34][\w.]{0,9}(?:-turbo|-mini|-nano)?(?:-\d[\d-]{0,12})?\Z)"), _OF_CHAT),
    (pattern(r"(?:openrouter|litellm|groq|deepseek|perplexity|mistral):(?!embedding|responses:)"), _OF_CHAT),
    (pattern(r"(?:azure|azureopenai):chat:"), _OF_CHAT | {"systemPrompt"}),
    (pattern(r"anthropic:(?:messages:|claude-(?!agent|code|2))"), frozenset({"max_tokens", "top_p", "top_k", "stop_sequences"})),
    (pattern(r"ollama:(?!embeddings?:)"), frozenset({"num_predict", "top_p", "top_k", "stop"})),
    (pattern(r"(?:google|vertex):gemini-(?![^\s]{0,80}(?:image|live|tts|audio|embedding))"),
     frozenset({"maxOutputTokens", "topP", "topK", "stopSequences", "systemInstruction"})),
)  # fmt: skip


def own_names(identity: str) -> Mapping[str, str]:
    """What a provider calls the settings that others have by another name; empty for one that may read them."""
    read = next((names for begin, names in _FAMILIES if begin.match(identity)), frozenset[str]())
    renamed = dict[str, str]()
    for names in _SAME:
        own = next((each for each in names if each in read), None)
        renamed.update((each, own) for each in names if own is not None and each not in read)
    return renamed
