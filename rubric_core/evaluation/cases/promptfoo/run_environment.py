"""The environment in which promptfoo reads and runs a configuration: that of the user, and that of the configuration itself."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from rubric_core.language.promptfoo.javascript import value_text

__all__ = ["RunEnvironment", "run_environment"]

#: No variables.
_EMPTY: Mapping[str, str] = MappingProxyType({})
#: The variables that promptfoo has read before it looks at the `env` of a configuration.
_READ_BEFORE = frozenset({
    "PROMPTFOO_CSV_DELIMITER", "PROMPTFOO_CSV_STRICT", "PROMPTFOO_DISABLE_AJV_STRICT_MODE", "PROMPTFOO_DISABLE_REF_PARSER",
    "PROMPTFOO_PROMPT_SEPARATOR", "PROMPTFOO_STRICT_FILES",
})  # fmt: skip


class RunEnvironment(NamedTuple):
    """The variables of promptfoo, by when it reads them."""

    #: While it reads the configuration.
    loading: Mapping[str, str] = _EMPTY
    #: While it runs it: with those of `env`, whose templates are not filled in.
    running: Mapping[str, str] = _EMPTY
    #: Those of `env`.
    own: Mapping[str, str] = _EMPTY


def run_environment(shell: Mapping[str, str], data: Mapping[str, Any]) -> RunEnvironment:
    """The environment of a configuration; `shell` is that of the user. Files with variables are not read."""
    written = data.get("env")
    own = {
        str(name): value_text(value)
        for name, value in (written.items() if isinstance(written, Mapping) else ())
        if value is not None and name not in _READ_BEFORE
    }
    return RunEnvironment(shell, {**shell, **own} if own else shell, own)
