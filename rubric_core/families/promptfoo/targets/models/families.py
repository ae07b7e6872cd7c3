"""Which form the requests and replies of a vendor have."""

from collections.abc import Mapping

from rubric_core.families.promptfoo.targets.models.anthropic import ANTHROPIC_MESSAGES, ANTHROPIC_RUBRIC
from rubric_core.families.promptfoo.targets.models.azure_chat import AZURE_CHAT
from rubric_core.families.promptfoo.targets.models.gemini import GEMINI
from rubric_core.families.promptfoo.targets.models.mistral import MISTRAL
from rubric_core.families.promptfoo.targets.models.model_call import ModelFamily
from rubric_core.families.promptfoo.targets.models.ollama import OLLAMA_CHAT, OLLAMA_COMPLETION
from rubric_core.families.promptfoo.targets.models.openai_chat import CHAT, OPENROUTER_CHAT
from rubric_core.families.promptfoo.targets.models.responses import RESPONSES

__all__ = ["family_of"]

_OTHERS: Mapping[tuple[str, str], ModelFamily] = {
    ("openrouter", "chat"): OPENROUTER_CHAT,
    ("anthropic", "chat"): ANTHROPIC_MESSAGES,
    ("anthropic", "rubric"): ANTHROPIC_RUBRIC,
    ("google", "chat"): GEMINI,
    ("azure", "chat"): AZURE_CHAT,
    ("azure", "responses"): RESPONSES,
    ("azureopenai", "chat"): AZURE_CHAT,
    ("azureopenai", "responses"): RESPONSES,
    ("mistral", "chat"): MISTRAL,
    ("ollama", "chat"): OLLAMA_CHAT,
    ("ollama", "completion"): OLLAMA_COMPLETION,
    ("openai", "responses"): RESPONSES,
}


def family_of(vendor: str, form: str) -> ModelFamily:
    """The form of a vendor; that of OpenAI's chats for vendors that speak its API."""
    return _OTHERS.get((vendor, form), CHAT)
