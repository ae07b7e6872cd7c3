"""What a configuration of promptfoo says of a chat with a model of OpenAI, as the fields of a request (issue 18, section 3)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rubric_core.evaluation.targets.promptfoo_chat import ChatSettings
from rubric_core.loading.directory_search import URL

__all__ = ["CHAT_FIELDS", "UnsentError", "chat_settings", "thinks"]

#: Settings that promptfoo writes into each request to a model of OpenAI as they are: always, or unless JavaScript takes them for false.
_SENT_ALWAYS = ("seed", "top_p", "presence_penalty", "frequency_penalty", "store")
_SENT = (
    "functions",
    "function_call",
    "tools",
    "tool_choice",
    "response_format",
    "stop",
    "service_tier",
    "user",
    "metadata",
)
#: What only models get that think, as promptfoo knows them.
_THOUGHT = ("reasoning_effort",)
_THINKS_TOO = "gpt-oss"
#: Fields of requests that are written as such, and settings that may stand in files of data.
_MERGED = ("passthrough",)
_FROM_FILES = frozenset({"tools", "functions", "response_format"})
_DATA = (".json", ".yaml", ".yml")
#: Settings of a chat that are sent besides those that every model gets.
CHAT_FIELDS = (*_SENT_ALWAYS, *_SENT, *_THOUGHT, *_MERGED)
#: Models that think before they answer, to which promptfoo sends neither a temperature nor its usual limit.
_THINKS = re.compile(r"(?:o\d|gpt-5)")


class UnsentError(Exception):
    """A setting cannot be sent as it is written; the message names it."""


def thinks(model: str) -> bool:
    """Whether promptfoo takes a model of OpenAI for one that thinks before it answers."""
    return _THINKS.match(model) is not None


def chat_settings(model: str, config: Mapping[str, Any], load: Callable[[str], Any] | None) -> ChatSettings:
    """The settings of a chat. Raises UnsentError, and ConfigurationError for a file that cannot be read.

    Args:
        model: Its name.
        config: The settings of the provider.
        load: See `vendor_target`.
    """
    effort = thinks(model) or _THINKS_TOO in model
    sent = {key: config[key] for key in CHAT_FIELDS if key in config and (effort or key not in _THOUGHT)}
    return ChatSettings(_sent_fields(sent, load), config.get("showThinking") is not False)


def _sent_fields(config: Mapping[str, Any], load: Callable[[str], Any] | None) -> dict[str, Any]:
    """The fields that some settings add to a request. Raises UnsentError and ConfigurationError."""
    made: dict[str, Any] = {}
    for name, written in config.items():
        value = _from_files(name, written, load) if name in _FROM_FILES else written
        if _has_template(value):
            raise UnsentError(f"`config.{name}` with a template in it")
        if name in _MERGED:
            if not isinstance(value, dict) or "model" in value:
                raise UnsentError(f"`config.{name}` as it is written")
            made |= value
        elif name in _SENT_ALWAYS or value or isinstance(value, list | dict):
            made[name] = value
    return {name: value for name, value in made.items() if not (name == "tools" and value == [])}


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
        return [each for item in items for each in item] if all(isinstance(i, list) for i in items) else items
    value = read(written)
    if not isinstance(value, dict) or value.get("type") != "json_schema":
        return value
    inner = value.get("json_schema")
    if value.get("schema"):
        return {**value, "schema": read(value["schema"])}
    return (
        {**value, "json_schema": {**inner, "schema": read(inner.get("schema"))}} if isinstance(inner, dict) else value
    )


def _has_template(value: Any) -> bool:
    if isinstance(value, str):
        return "{{" in value or "{%" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_has_template, inner))
