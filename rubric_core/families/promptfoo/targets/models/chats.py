"""The messages in a prompt for a chat, and replies in the form of OpenAI's chat completions."""

import json
import re
from collections.abc import Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.inputs import conversation_text
from rubric_core.evaluation.targets.providers.api import answer_from_reply
from rubric_core.families.promptfoo.language.run_options import is_on
from rubric_core.families.promptfoo.targets.models.model_call import FROM_FILE, is_true, mapping_or_empty
from rubric_core.language.javascript_values import read_json
from rubric_core.ports import Answer, ProviderError, Request
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import TooManyValuesError, plain_whole

__all__ = [
    "NO_JSON",
    "about_chat",
    "about_completion",
    "about_ended",
    "about_filtered",
    "chat_messages",
    "json_value",
    "message_of",
    "parsed",
    "prompt_of",
    "refuse_error",
    "shows_thinking",
    "wants_data",
]

#: Stands for text that is not JSON; `null` is JSON.
NO_JSON: Any = object()
_YAML = "- role:"
_REQUIRE = "PROMPTFOO_REQUIRE_JSON_PROMPTS"
#: The start of a text that must be JSON, according to promptfoo.
_LIST = re.compile(r"\[\s*(?:[\"{\[\d-]|true|false|null|\Z)")


def prompt_of(request: Request) -> str:
    """The prompt of a request as one text: verbatim, or its messages as JSON if a grader has several."""
    messages = request.messages
    if request.prompt != conversation_text(messages) or [each.role for each in messages] == ["user"]:
        return request.prompt
    return json.dumps([{"role": each.role, "content": each.content} for each in messages], ensure_ascii=False)


def json_value(text: str) -> Any:
    """The value in a JSON text; NO_JSON for another."""
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return NO_JSON


def chat_messages(prompt: str, default: Any, environment: Mapping[str, str]) -> Any:
    """The messages that a prompt contains in JSON or YAML, else `default`. Raises ProviderError for an invalid list.

    With a variable of promptfoo in the environment every other prompt is invalid.
    """
    text = prompt.strip()
    if text.startswith(_YAML):
        tree = parse(prompt)
        if any(problem.kind == "syntax" for problem in tree.problems):
            raise ProviderError("the prompt looks like messages in YAML and is no YAML, with which promptfoo stops")
        try:
            return plain_whole(tree.root, tree.anchors)
        except TooManyValuesError as error:
            raise ProviderError(f"the prompt: {error}") from None
    value = json_value(prompt)
    if value is not NO_JSON:
        return value
    if (text.startswith("{") and text.endswith("}")) or (text.endswith("]") and _LIST.match(text[:-1])):
        raise ProviderError("the prompt looks like JSON and is none, with which promptfoo stops")
    if is_on(environment, _REQUIRE):
        raise ProviderError(f"the prompt is no JSON, with which promptfoo stops while ${_REQUIRE} is set")
    return default


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
