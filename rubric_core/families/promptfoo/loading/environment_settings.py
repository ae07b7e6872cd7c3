"""promptfoo settings with environment variables filled in."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rubric_core.language.variables import ENVIRONMENT_DEFAULT, ENVIRONMENT_TEMPLATE
from rubric_core.lazy_compilation import pattern

__all__ = ["fill_environment", "render_environment", "unset_variable", "with_defaults"]

#: The first variable of the environment in an expression.
_NAMED = pattern(r"env\.(\w+)|env\[['\"]([^'\"]+)['\"]\]")
#: How promptfoo knows that an expression reads the environment.
_READS = pattern(r"\benv\.|env\[")


def fill_environment(value: Any, environment: Mapping[str, str]) -> Any:
    """Settings with `{{ env.NAME }}` replaced by the variables that are set, in texts at any depth.

    As in promptfoo, everything else stays as it is: variables that are not set, and expressions.
    """
    if isinstance(value, str):
        if "env" not in value:
            return value
        return ENVIRONMENT_TEMPLATE.sub(lambda m: environment.get(m[1] or m[2], m[0]), value)
    if isinstance(value, list | tuple):
        return [fill_environment(item, environment) for item in value]
    if isinstance(value, Mapping):
        return {name: fill_environment(item, environment) for name, item in value.items()}
    return value


def with_defaults(value: Any, environment: Mapping[str, str]) -> Any:
    """Settings with the `default` of variables decided, in texts at any depth: the text, or the variable alone if it is set."""

    def decided(found: re.Match[str]) -> str:
        name = found["name"] or found["key"]
        counts = environment.get(name) if found["even_empty"] else name in environment
        return f"{{{{env.{name}}}}}" if counts else found["text"]

    if isinstance(value, str):
        return ENVIRONMENT_DEFAULT.sub(decided, value) if "default" in value else value
    if isinstance(value, list):
        return [with_defaults(item, environment) for item in value]
    return (
        {name: with_defaults(item, environment) for name, item in value.items()} if isinstance(value, dict) else value
    )


def unset_variable(filled: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first setting that still names a variable after `fill_environment`, and that variable; None if all are set."""
    for name, value in filled.items():
        found = ENVIRONMENT_TEMPLATE.search(value) if isinstance(value, str) else None
        if found is not None:
            return name, found[1] or found[2]
    return None


def render_environment(value: Any, environment: Mapping[str, str], render: Callable[[str], str | None]) -> Any:
    """A part of a configuration as promptfoo reads it: with the expressions rendered that name a variable which is set, or a filter.

    `render` renders an expression; None where it cannot be rendered, and stays as it is.
    """

    def filled(expression: str) -> str:
        named = _NAMED.search(expression)
        is_set = named is not None and (named[1] or named[2]) in environment
        made = render(expression) if (is_set or "|" in expression) and _READS.search(expression) else None
        return expression if made is None else made

    if isinstance(value, str):
        if "env" not in value or "{{" not in value:
            return value
        return "".join(
            filled(part) if part.startswith("{{") and part.endswith("}}") else part for part in _parts(value)
        )
    if isinstance(value, list):
        return [render_environment(item, environment, render) for item in value]
    if isinstance(value, dict):
        return {name: render_environment(item, environment, render) for name, item in value.items()}
    return value


def _parts(text: str) -> Iterator[str]:
    """The expressions of a text, and what is between them."""
    at = 0
    while (begin := text.find("{{", at)) >= 0 and (end := text.find("}}", begin + 2)) >= 0:
        yield text[at:begin]
        yield text[begin : end + 2]
        at = end + 2
    yield text[at:]
