"""The models of promptfoo: those that authors name most, what they are able to do, and what the assertions that use one need."""

from collections.abc import Mapping
from types import MappingProxyType

from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.provider_ids import Role
from rubric_core.lazy_compilation import pattern

__all__ = ["ANTHROPIC_MODEL", "MEANT_FOR", "MODELS", "MODEL_NAME", "embedding_model", "role_of_model", "roles_needed"]

#: The name of a model without its vendor.
MODEL_NAME = pattern(r"(?:gpt|claude|gemini|mistral|deepseek|grok|llama)-\d?\w{1,20}[\w.:-]{0,60}\Z")
#: The names of Anthropic's models that need no `messages:` (0.121.20), and what later releases may call theirs.
ANTHROPIC_MODEL = pattern(
    r"claude-(?:2\.[01]|3-(?:haiku-20240307|opus-20240229)|3-(?:haiku|opus)-latest|3-5-haiku-(?:20241022|latest)"
    r"|3-5-sonnet-(?:20240620|20241022|latest)|3-7-sonnet-(?:20250219|latest)"
    r"|(?:opus|sonnet|haiku|fable|mythos)-(?:[5-9](?:-\w{1,20}){0,2}|4-[\w-]{1,20}|preview)|mythos-preview)\Z"
)

_GPT = (
    "gpt-5-mini", "gpt-5", "gpt-5-nano", "gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.2", "gpt-5.1", "gpt-4.1-mini", "gpt-4.1", "gpt-4.1-nano",
    "gpt-4o-mini", "gpt-4o", "o4-mini", "o3", "o3-mini", "o1", "gpt-4-turbo", "gpt-4", "gpt-3.5-turbo",
)  # fmt: skip
_CLAUDE = (
    "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-opus-4-5", "claude-opus-4-6", "claude-opus-4-8", "claude-sonnet-5",
    "claude-opus-5", "claude-3-5-sonnet-20241022",
)  # fmt: skip
_GEMINI = (
    "gemini-2.5-flash",
    "gemini-2.5-pro",
    "gemini-2.5-flash-lite",
    "gemini-3.5-flash",
    "gemini-3.1-pro-preview",
    "gemini-flash-latest",
)
_LLAMA = ("llama3.2", "llama3.3", "llama3", "qwen3", "gemma3", "mistral", "phi4-mini", "deepseek-r1")

#: The likeliest first.
MODELS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "openai:chat:": _GPT, "openai:responses:": _GPT, "openai:": _GPT,
    "openai:embedding:": ("text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"),
    "openai:moderation:": ("omni-moderation-latest",),
    "anthropic:messages:": _CLAUDE, "anthropic:": _CLAUDE,
    "google:": _GEMINI, "vertex:": _GEMINI,
    "ollama:chat:": _LLAMA, "ollama:": _LLAMA,
    "mistral:": ("mistral-small-latest", "mistral-medium-latest", "mistral-large-latest"),
    "deepseek:": ("deepseek-chat", "deepseek-reasoner"),
    "xai:": ("grok-4", "grok-4-fast", "grok-3-mini", "grok-code-fast-1"),
    "groq:": ("llama-3.3-70b-versatile", "llama-3.1-8b-instant", "openai/gpt-oss-120b", "openai/gpt-oss-20b"),
    "openrouter:": (
        "openai/gpt-5-mini", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash", "meta-llama/llama-3.3-70b-instruct", "deepseek/deepseek-chat",
    ),
    "bedrock:": ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.amazon.nova-pro-v1:0", "us.amazon.nova-lite-v1:0", "us.meta.llama3-3-70b-instruct-v1:0"),
})  # fmt: skip


#: How messages call a model of each kind.
MEANT_FOR: Mapping[Role, str] = MappingProxyType({
    "text": "answers with text",
    "embedding": "makes embeddings",
    "classification": "classifies",
    "moderation": "moderates",
})  # fmt: skip
_EMBEDDING = pattern(
    r"(?:openai|azure|azureopenai|google|vertex|mistral|togetherai|cohere|bedrock|localai):embeddings?:"
    r"|(?:huggingface|hf):(?:feature-extraction|sentence-similarity):|voyage:"
)
_CLASSIFICATION = pattern(r"(?:huggingface|hf):(?:text|token)-classification:")
_MODERATION = pattern(r"(?:openai|azure|azureopenai):moderation(?::|\Z)")
#: Models that only answer. Other vendors may have further kinds, and programs do what they like.
_TEXT = pattern(
    r"openai:(?:chat|responses|completion):|openai:(?:gpt-|chatgpt-|o\d)|anthropic:|azure(?:openai)?:(?:chat|responses|completion):"
    r"|(?:google|vertex):gemini-|ollama:(?:chat|completion):|(?:openrouter|groq|deepseek|xai|perplexity|cerebras):"
    r"|(?:huggingface|hf):(?:chat|text-generation):|echo\Z"
)
#: Models of OpenAI that promptfoo takes for chat models, as their ids have no kind.
_WITHOUT_KIND = pattern(r"openai:(?:chat:|completion:|responses:)?(?P<model>text-embedding-[\w.-]{1,60})\Z")
#: The types that need a model of a certain kind; `answer-relevance` uses one model for both.
_NEEDED: tuple[tuple[type[Assertion], tuple[Role, ...]], ...] = (
    (graded.SimilarText, ("embedding",)),
    (graded.AnswerRelevance, ("embedding", "text")),
    (graded.Classifier, ("classification",)),
    (graded.Moderation, ("moderation",)),
    (graded.SelectBest, ("text",)),
    (graded.TraceGoalSuccess, ("text",)),
    *((each, ("text",)) for each in graded.JUDGED),
)


def role_of_model(identity: str) -> Role | None:
    """The only thing that the model with an id is able to do; None if that is unknown."""
    if _EMBEDDING.match(identity):
        return "embedding"
    if _MODERATION.match(identity):
        return "moderation"
    if _CLASSIFICATION.match(identity):
        return "classification"
    return "text" if _TEXT.match(identity) and "{{" not in identity else None


def embedding_model(identity: str) -> str | None:
    """The name of an embedding model in an id by which promptfoo makes a chat model of it."""
    found = _WITHOUT_KIND.match(identity)
    return found["model"] if found is not None else None


def roles_needed(check: Assertion) -> tuple[Role, ...]:
    """What the model that grades an assertion has to be able to do; nothing for an assertion without a model."""
    return next((roles for type_, roles in _NEEDED if isinstance(check, type_)), ())
