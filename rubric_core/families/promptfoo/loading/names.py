"""Names for promptfoo cases, which have no ids: their description, else their variables, else their number."""

from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.language.secret_names import looks_secret

__all__ = ["case_name", "numbered_name"]

#: The maximum characters of one value, and of all values together.
_LONGEST_VALUE, _LONGEST = 40, 80
#: In a name, brackets enclose variations.
_BRACKETS = str.maketrans("[]", "()")


def case_name(description: Any, variables: Any) -> str:
    """The name of a case; empty without a description or a variable with a single value."""
    if isinstance(description, str | int | float) and not isinstance(description, bool):
        words = " ".join(str(description).translate(_BRACKETS).split())
        if words:
            return words
    return _cut(",".join(_values(variables)), _LONGEST) if isinstance(variables, Mapping) else ""


def _values(variables: Mapping[Any, Any]) -> Iterator[str]:
    for name, value in variables.items():
        if isinstance(value, bool):
            value = "true" if value else "false"  # noqa: PLW2901  # as it is written
        if isinstance(value, str | int | float) and not looks_secret(str(name)):
            yield f"{name}={_cut(' '.join(str(value).translate(_BRACKETS).split()), _LONGEST_VALUE)}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def numbered_name(number: int) -> str:
    """The name of a case without another name; its number in the list counts from 1."""
    return f"test-{number}"
