"""The secrets of the environment that the templates in a file read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubric_core.language.secret_names import NOT_SENT, looks_secret
from rubric_core.loading.plain_cases import plain_cases
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.workbook_text import workbook_text
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read

__all__ = ["is_secret", "secrets_read"]

#: Data files, in which settings of providers are not sent.
_OF_DATA = (".yaml", ".yml", ".json", ".jsonl")


def secrets_read(path: Path, look: TrackedLookup, *, cases: bool, references: bool = False) -> frozenset[str]:
    """The secrets by the names of their variables; `ANY_VARIABLE` for a name that is computed.

    Args:
        path: The file.
        look: The files.
        cases: Whether it has cases, defaults or scenarios: then settings of providers are left out.
        references: Whether `${{ NAME }}` is a variable of the environment, as for AgentV. Elsewhere it is a dollar
            sign
            and a variable.
    """

    def find(files: TrackedLookup) -> frozenset[str]:
        text = files.text(path)
        if text is None:
            content = files.data(path) or b""
            is_workbook = path.suffix.lower() == ".xlsx"
            text = workbook_text(content) if is_workbook else content.decode("utf-8", "replace")
        if ("env" not in text and not references) or ("{{" not in text and "{%" not in text):
            return frozenset()
        data = plain_cases(path, text) if cases and path.suffix.lower() in _OF_DATA else None
        return frozenset(
            name
            for each in ([text] if data is None else _texts(data))
            for name, _ in environment_read(each if references else each.replace("${{", " {{"))
            if is_secret(name)
        )

    return look.answer(("secrets", path, cases, references), find)


def is_secret(name: str) -> bool:
    """Whether the value of a variable does not belong in a prompt."""
    return name == ANY_VARIABLE or looks_secret(name)


def _texts(data: Any) -> Iterator[str]:
    """The texts in plain data, except settings of providers. Variables may have any name."""
    left, seen = [(data, False)], set[tuple[int, bool]]()
    while left:
        value, below_vars = left.pop()
        if isinstance(value, str):
            yield value
        elif (
            isinstance(value, list | dict) and (id(value), below_vars) not in seen
        ):  # an anchor may be referenced in many places
            seen.add((id(value), below_vars))
            if isinstance(value, list):
                left += [(item, below_vars) for item in value]
            else:
                left += [(v, below_vars or k == "vars") for k, v in value.items() if below_vars or _is_sent(k, v)]


def _is_sent(key: Any, value: Any) -> bool:
    """Whether the value of a key may be sent to a model; the `config` of a scenario is a list of variables."""
    return key not in NOT_SENT or (key == "config" and isinstance(value, list))
