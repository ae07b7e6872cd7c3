"""The environment variables that targets name where a secret belongs: their values are secret, whatever their names say."""

from collections.abc import Iterator, Mapping

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.language.secret_names import looks_secret
from rubric_core.language.variables import environment_variables_in
from rubric_core.syntax.template_syntax import environment_read

__all__ = ["secret_variables"]

#: The setting with the name of the variable that has the key.
_NAMES_KEY = "apiKeyEnvar"


def secret_variables(case: Runnable, targets: Targets) -> Iterator[str]:
    """The names of variables in keys, tokens and headers of targets, and of those that only the case knows of."""
    for entry in targets.file.entries if targets.file is not None else ():
        yield from _names(entry.settings, is_secret=False)
    yield from _names(case.further_settings, is_secret=False)


def _names(value: object, *, is_secret: bool) -> Iterator[str]:
    if isinstance(value, str) and is_secret:
        yield from environment_variables_in(value)
        yield from (name for name, _ in environment_read(value))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key == _NAMES_KEY and isinstance(inner, str):
                yield inner
            yield from _names(inner, is_secret=is_secret or key == "headers" or looks_secret(_snake(str(key))))
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner, is_secret=is_secret)


def _snake(key: str) -> str:
    """A key such as `apiKey` as `api_Key`."""
    return "".join(f"_{each}" if each.isupper() else each for each in key)
