"""Settings of providers in the words of other vendors and libraries, which promptfoo ignores (asked of 0.121.20)."""

from collections.abc import Mapping
from types import MappingProxyType

from rubric_core.lazy_compilation import pattern

__all__ = ["OF_HTTP", "own_names"]

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
