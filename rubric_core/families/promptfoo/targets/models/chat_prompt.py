"""The messages in a prompt, as promptfoo reads them for chats."""

import json
import re
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.model.inputs import conversation_text
from rubric_core.families.promptfoo.language.run_options import is_on
from rubric_core.language.javascript_values import read_json
from rubric_core.ports import ProviderError, Request
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import TooManyValuesError, plain_whole

__all__ = ["NO_JSON", "chat_messages", "json_value", "prompt_of"]

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
