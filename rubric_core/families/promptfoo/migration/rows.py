"""The rows of a test, and the names of the cases that they become."""

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Any

from rubric_core.families.promptfoo.migration.conversion import NotCarriedError
from rubric_core.lazy_compilation import pattern

__all__ = ["CaseIds", "is_multiplied", "mapping_of", "repeat_count", "rows_of"]

#: The most cases that the lists of one test are multiplied to.
_MOST_ROWS = 200
_LONGEST_ID = 60
_NO_WORD = pattern(r"[\W_]+")


def mapping_of(value: Any) -> Mapping[str, Any]:
    """A mapping; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def repeat_count(options: Mapping[str, Any]) -> int | None:
    """How often options repeat a case; None if they do not say."""
    found = options.get("repeat")
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 1 else None


def is_multiplied(value: Any) -> bool:
    """Whether the value of a variable makes a case of each of its items."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def rows_of(values: Mapping[str, Any], options: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Each combination of the items of lists, with a suffix for the id. Raises NotCarriedError."""
    lists = {name: value for name, value in values.items() if is_multiplied(value)}
    if lists and options.get("disableVarExpansion") is True:
        raise NotCarriedError("AgentV makes a case of each text in a list: write the list as one text, or as a mapping")
    count = prod(len(each) for each in lists.values())
    if count > _MOST_ROWS:
        raise NotCarriedError(f"its lists make {count} cases, too many to write out")
    return [
        ("".join(f"-{_words(str(value))}" for value in chosen), {**values, **dict(zip(lists, chosen, strict=True))})
        for chosen in product(*lists.values())
    ]


class CaseIds:
    """Gives each case a unique id."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, description: Any, values: Mapping[str, Any], number: int) -> str:
        """The base of the ids of a test's cases: its description, else its only short value, else its number."""
        if isinstance(description, str) and _NO_WORD.sub("", description):
            return _words(description)
        texts = [v for v in values.values() if isinstance(v, str | int) and not isinstance(v, bool)]
        alone = str(texts[0]) if len(texts) == 1 else ""
        is_name = bool(_NO_WORD.sub("", alone)) and len(alone) <= _LONGEST_ID // 2 and "://" not in alone
        return _words(alone) if is_name else f"test-{number}"

    def unique(self, name: str) -> str:
        """The name, with a number if it was given before."""
        count = self._known[name] = self._known.get(name, 0) + 1
        return name if count == 1 else self.unique(f"{name}-{count}")


def _words(text: str) -> str:
    name = _NO_WORD.sub("-", text.lower()).strip("-")
    if len(name) > _LONGEST_ID:
        name = name[: _LONGEST_ID + 1].rpartition("-")[0] or name[:_LONGEST_ID]
    return name or "x"
