"""Replies in the form of OpenAI's chat completions: their message, and what is learnt beside it."""

from collections.abc import Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.targets.providers.api import answer_from_reply
from rubric_core.families.promptfoo.targets.models.chat_prompt import NO_JSON, json_value
from rubric_core.families.promptfoo.targets.models.model_call import FROM_FILE, is_true, mapping_or_empty
from rubric_core.ports import Answer, ProviderError

__all__ = [
    "about_chat", "about_completion", "about_ended", "about_filtered", "message_of", "parsed", "refuse_error", "shows_thinking", "wants_data",
]  # fmt: skip


def message_of(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of a reply. Raises ProviderError for one of another kind."""
    try:
        message = reply["choices"][0]["message"]
    except (KeyError, IndexError, TypeError):
        message = None
    if not isinstance(message, dict):
        raise ProviderError(f"the server's reply is not a chat completion: {str(dict(reply))[:200]}")
    return message


def refuse_error(reply: Mapping[str, Any]) -> None:
    """Raises ProviderError for a reply with an error, which OpenRouter and Azure may send beside a choice."""
    error = reply.get("error")
    if error:
        said = mapping_or_empty(error).get("message") or error
        raise ProviderError(f"the server replied with an error: {str(said)[:200]}")


def about_completion(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    """Tokens and the like of a chat completion, of which promptfoo learns neither why it ended nor what was flagged."""
    message_of(reply)
    made = answer_from_reply("", reply, took, model, "prompt_tokens", "completion_tokens")
    return replace_fields(made, reported={"guardrails": {}})


def about_ended(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    """The same, with why it ended."""
    made = about_completion(reply, took, model)
    return replace_fields(made, finish_reason=str(reply["choices"][0].get("finish_reason") or ""))


def about_chat(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    """The same, with the log probabilities, and whether it was flagged, as a refusal is."""
    made = about_filtered(reply, took, model)
    refused = {"guardrails": {"flagged": True}} if message_of(reply).get("refusal") else {}
    return replace_fields(made, reported={**(made.reported or {}), **refused})


def about_filtered(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    """The same, without the refusals that Azure does not flag."""
    made = about_ended(reply, took, model)
    reported: dict[str, Any] = {"guardrails": {"flagged": made.finish_reason == "content_filter"}}
    told = reply["choices"][0].get("logprobs")
    content = told.get("content") if isinstance(told, dict) else None
    if isinstance(content, list):
        reported["logProbs"] = [each.get("logprob") for each in content if isinstance(each, dict)]
    return replace_fields(made, reported=reported)


def wants_data(config: Mapping[str, Any], *types: str) -> bool:
    """Whether the format that the settings ask for makes data of an output."""
    wanted = config.get("response_format")
    return isinstance(wanted, dict) and wanted.get("type") in types and not config.get(FROM_FILE)


def parsed(output: Any) -> Any:
    value = json_value(output) if isinstance(output, str) else NO_JSON
    return output if value is NO_JSON else value


def shows_thinking(config: Mapping[str, Any]) -> bool:
    shown = config.get("showThinking")
    return True if shown is None else is_true(shown)
