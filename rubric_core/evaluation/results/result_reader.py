"""Reads results from JSON rows of any origin: a row with a value of the wrong type is refused.

Code that shows results relies on that. `.rubric/results.db` may be damaged, of another version, or come with a
repository.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rubric_core.evaluation.model.result import CaseResult, Verdict

__all__ = ["case_result_of", "history_of", "number", "record_of", "text"]

#: The maximum nesting of evaluators and their details.
_DEEPEST = 60
#: No score, time or count is as large, and larger ones overflow.
_LARGEST = 1e15
T = TypeVar("T")
#: Reads a value at a nesting depth. Raises TypeError or ValueError.
_Reader = Callable[[Any, int], Any]


def case_result_of(row: Mapping[str, Any]) -> CaseResult:
    """The result from which `jsonable` made `row`. Raises ValueError or TypeError for any other row."""
    return _read(CaseResult, {name: value for name, value in row.items() if name not in ("runs", "variations")}, 0)


def record_of(kind: type[T], row: object) -> T:
    """The part of a result, of that dataclass, from which `jsonable` made `row`. Raises ValueError or TypeError."""
    return _read(kind, row, 0)


def history_of(rows: object) -> tuple[dict[str, Any], ...]:
    """The rows of a history; invalid rows and unknown fields are left out."""
    found = rows if isinstance(rows, list) else []
    known = _readers(CaseResult)
    history: list[dict[str, Any]] = []
    for row in found:
        try:
            kept = {
                name: known[name](row[name], 0) for name in ("at", "score", "duration_ms", "fingerprint") if name in row
            }
            history.append({**kept, "verdict": Verdict(row["verdict"]).value} if "verdict" in row else kept)
        except (TypeError, ValueError):
            continue
    return tuple(history)


def _read(cls: type[T], row: Any, depth: int) -> T:
    if not isinstance(row, Mapping):
        raise TypeError(f"{cls.__name__} is a mapping")
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    # Empty values were left out, such as the text of a criterion that has only score ranges.
    kind: Any = cls
    made: dict[str, Any] = dict(_texts(kind))
    readers = _readers(kind)
    for name, value in row.items():
        if value is not None and name in readers:
            made[name] = readers[name](value, depth + 1)
    return cls(**made)


@lru_cache(maxsize=32)
def _texts(cls: Any) -> tuple[tuple[str, str], ...]:
    hints = get_type_hints(cls)
    return tuple((f.name, "") for f in fields(cls) if hints[f.name] is str and f.default is MISSING)


@lru_cache(maxsize=32)
def _readers(cls: Any) -> dict[str, _Reader]:
    hints = get_type_hints(cls)
    return {each.name: _reader(hints[each.name]) for each in fields(cls)}


def _reader(kind: Any) -> _Reader:
    """The reader for values of a type, as the fields of results have them."""
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (only,) = (each for each in inner if each is not NoneType)
        return _reader(only)
    if origin is Literal:
        return lambda value, _: _one_of(inner, value)
    if origin is tuple:
        if inner[-1] is ...:
            each = _reader(inner[0])
            return lambda value, depth: tuple([each(item, depth) for item in _items(value)])
        readers = [_reader(item) for item in inner]
        return lambda value, depth: tuple(r(item, depth) for r, item in zip(readers, _items(value), strict=True))
    if is_dataclass(kind) and isinstance(kind, type):
        return lambda value, depth: _read(kind, value, depth)
    return _mapping  # the only remaining type


def text(value: Any, _: int = 0) -> str:
    """A text. Raises TypeError."""
    if type(value) is str:
        return value
    if isinstance(value, bool | int | float):  # an id that YAML read as a number
        return str(value)
    raise TypeError("no text")


def number(value: Any, _: int = 0) -> float:
    """A finite number of bounded size. Raises ValueError."""
    if type(value) not in (int, float) or not -_LARGEST <= value <= _LARGEST:  # NaN is outside, too
        raise ValueError("no number to count with")
    return value  # type: ignore[no-any-return]  # one of these two


def _whole(value: Any, depth: int) -> int:
    count = number(value, depth)
    if count != int(count) or count < 0:
        raise ValueError("no count")
    return int(count)


def _flag(value: Any, _: int) -> bool:
    if type(value) is not bool:
        raise TypeError("neither true nor false")
    return value


def _verdict(value: Any, depth: int) -> Verdict:
    return Verdict(text(value, depth))


def _one_of(words: tuple[Any, ...], value: Any) -> Any:
    if value not in words:
        raise ValueError("another word")
    return value


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError("no list")
    return list(value)


def _mapping(value: Any, depth: int) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError("no mapping")
    return _anything(value, depth)  # type: ignore[no-any-return]  # itself


def _anything(value: Any, depth: int) -> Any:
    """A JSON value, with only the numbers that JSON has. Raises ValueError for one that is nested too deeply."""
    level, below = [value], depth
    while level:
        if below > _DEEPEST:
            raise ValueError("nested too deeply")
        if any(type(each) is float and not math.isfinite(each) for each in level):
            raise ValueError("no number")
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [item for each in inner for item in (each.values() if isinstance(each, dict) else each)]
        below += 1
    return value


_SIMPLE: dict[Any, _Reader] = {
    str: text, float: number, int: _whole, bool: _flag, Verdict: _verdict, Any: _anything,
}  # fmt: skip
