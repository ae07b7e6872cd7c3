"""Settings of models that are in data files or contain templates."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from rubric_core.families.promptfoo.targets.models.model_call import FROM_FILE
from rubric_core.loading.directory_search import URL

__all__ = ["UnsentError", "has_template", "with_files"]

#: Settings that may contain templates but not name files.
_NO_FILES = frozenset({"reasoning_effort", "reasoning"})
_DATA = (".json", ".yaml", ".yml")


class UnsentError(Exception):
    """A setting cannot be sent as it is written; the message names it."""


def with_files(config: Mapping[str, Any], names: Collection[str], load: Callable[[str], Any] | None) -> dict[str, Any]:
    """Settings with the files that some of them name replaced by their contents.

    A setting with a template is left as it is: the file is known only when the row is.
    """
    made = dict(config)
    for name in names:
        if name in config and name not in _NO_FILES and not has_template(config[name]):
            made[name] = _from_files(name, config[name], load)
    written = config.get("response_format")
    if "response_format" in names and isinstance(written, str) and written.startswith(URL):
        made[FROM_FILE] = True
    return made


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
        return [each for item in items for each in item] if items and all(isinstance(i, list) for i in items) else items
    value = read(written)
    if not isinstance(value, dict) or value.get("type") != "json_schema":
        return value
    if value.get("schema"):
        return {**value, "schema": read(value["schema"])}
    inner = value.get("json_schema")
    if not isinstance(inner, dict) or not inner.get("schema"):
        return value
    return {**value, "json_schema": {**inner, "schema": read(inner["schema"])}}


def has_template(value: Any) -> bool:
    """Whether a setting has a template in it, at any depth."""
    if isinstance(value, str):
        return "{{" in value or "{%" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(has_template, inner))
