"""What the models of promptfoo are able to do, as their ids tell, and what the assertions that use one need."""

from collections.abc import Mapping
from types import MappingProxyType

from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.provider_ids import Role
from rubric_core.lazy_compilation import pattern

__all__ = ["MEANT_FOR", "embedding_model", "role_of_model", "roles_needed"]

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
