"""promptfoo settings with environment variables filled in."""

from collections.abc import Mapping
from typing import Any

from rubric_core.language.variables import PROMPTFOO_ENVIRONMENT

__all__ = ["fill_environment", "unset_variable"]


def fill_environment(value: Any, environment: Mapping[str, str]) -> Any:
    """Settings with `{{ env.NAME }}` replaced by the variables that are set, in texts at any depth.

    As in promptfoo, everything else stays as it is: variables that are not set, and expressions.
    """
    if isinstance(value, str):
        if "env" not in value:
            return value
        return PROMPTFOO_ENVIRONMENT.sub(lambda m: environment.get(m[1] or m[2], m[0]), value)
    if isinstance(value, list | tuple):
        return [fill_environment(item, environment) for item in value]
    if isinstance(value, Mapping):
        return {name: fill_environment(item, environment) for name, item in value.items()}
    return value


def unset_variable(filled: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first setting that still names a variable after `fill_environment`, and that variable; None if all are set."""
    for name, value in filled.items():
        found = PROMPTFOO_ENVIRONMENT.search(value) if isinstance(value, str) else None
        if found is not None:
            return name, found[1] or found[2]
    return None
