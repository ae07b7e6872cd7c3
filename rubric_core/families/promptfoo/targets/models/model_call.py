"""A single call of a model as promptfoo makes it, and JavaScript's rules for choosing what is sent."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from rubric_core.ports import Answer

__all__ = [
    "FROM_FILE",
    "ModelCall",
    "ModelFamily",
    "default_number",
    "first_given",
    "is_true",
    "kept",
    "mapping_or_empty",
    "number_in",
    "true_ones",
]

#: Marks a `response_format` from a file: promptfoo does not parse the output of a chat then.
FROM_FILE = "response_format in a file"
_INTEGER = re.compile(r"[+-]?\d{1,40}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,9})?")


class ModelCall(NamedTuple):
    """The input of a call."""

    #: The vendor, as at the start of an id.
    vendor: str
    model: str
    #: The prompt: text, or messages in JSON or YAML.
    prompt: str
    #: The settings of the provider, with those of the prompt and the test over them.
    config: Mapping[str, Any]
    #: The settings of the provider alone.
    own: Mapping[str, Any]
    environment: Mapping[str, str]


class ModelFamily(NamedTuple):
    """Vendors whose requests and replies have the same form."""

    #: The body of a request. Raises ProviderError.
    body: Callable[[ModelCall], dict[str, Any]]
    #: The output in a reply; None if it has none. Raises ProviderError.
    output: Callable[[Mapping[str, Any], ModelCall], Any]
    #: Everything else about the reply.
    about: Callable[[Mapping[str, Any], float, str], Answer]
    #: The address of a call, if it differs from rubric's own kind of target.
    url: Callable[[ModelCall], str] | None = None
    #: Headers other than the key and those in the settings.
    headers: Callable[[ModelCall], Mapping[str, str]] = lambda _: {}
    #: Settings whose templates are filled in with the variables of a row, and that may name files.
    filled: tuple[str, ...] = ("tools",)
    #: Settings that rubric does not support and that would change outputs.
    refused: frozenset[str] = frozenset()
    #: Whether the settings of prompts and tests reach the model.
    takes_row_settings: bool = True


def is_true(value: Any) -> bool:
    """Whether a value is true in JavaScript: lists and mappings always are."""
    return isinstance(value, list | dict) or bool(value)


def first_given(*values: Any) -> Any:
    """The first value that is not None, as with `??`."""
    return next((each for each in values if each is not None), None)


def kept(config: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The settings that are present."""
    return {name: config[name] for name in names if name in config}


def true_ones(config: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The settings that JavaScript takes for true."""
    return {name: config[name] for name in names if is_true(config.get(name))}


def number_in(environment: Mapping[str, str], name: str, default: float | None = None) -> float | None:
    """A number that an environment variable sets; a count for those that end so."""
    pattern = _INTEGER if name.endswith("TOKENS") else _NUMBER
    found = pattern.match(environment.get(name, "").lstrip())
    if found is None:
        return default
    value = float(found[0])
    return int(value) if value.is_integer() else value


def mapping_or_empty(value: Any) -> Mapping[str, Any]:
    """A value if it is a mapping; else an empty one."""
    return value if isinstance(value, dict) else {}


def default_number(call: ModelCall, config: Mapping[str, Any], name: str, usual: float) -> float | None:
    """A setting from the environment, or promptfoo's default."""
    return number_in(call.environment, name, None if is_true(config.get("omitDefaults")) else usual)
