"""Damage to a file of results: what disks, other versions and strangers make of one."""

import json
import random
import sys
from collections.abc import Callable
from copy import deepcopy
from typing import Any

__all__ = ["damaged"]

#: What may stand in the place of any value.
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, -1e308, 1e308, 10**400, 2**63, "", "x", "passed", "\ud800", "\x1b[2J\u202e\n", "9" * 400, [], [[]], [None],
    ["x"], [5, "x", {}], {}, {"": None}, {"rubric:sent-text": 0}, {"rubric:sent-text": -7}, {"rubric:sent-text": "x"}, {"rubric:sent-before": 1, "then": []}, {"rubric:sent-before": 10**9, "then": []}, {"rubric:sent-before": -1},
    {"verdict": "passed"},
    float("nan"), float("inf"), "2026-11-21", "9999-99-99T99:99:99", "../../../../etc/passwd", "x" * 100_000,
)  # fmt: skip


def damaged(good: str, rng: random.Random) -> bytes:
    """A file of results with one or several things in it that are not as they were."""
    return rng.choice(_WAYS)(good, rng)


def _cut(good: str, rng: random.Random) -> bytes:
    return good.encode()[: rng.randrange(len(good))]


def _hole(good: str, rng: random.Random) -> bytes:
    data = bytearray(good.encode())
    at = rng.randrange(len(data))
    data[at : at + rng.randrange(1, 200)] = rng.choice((b"", b"\0" * 50, b"\xff\xfe", b"\n", b'"', b"}}", b"[" * 5_000))
    return bytes(data)


def _value(good: str, rng: random.Random) -> bytes:
    data = json.loads(good)
    for _ in range(rng.choice((1, 1, 1, 3, 20))):
        holder, key = rng.choice(list(_places(data)))
        holder[key] = deepcopy(rng.choice(_VALUES))
    return _laid_out(data, rng)


def _every(good: str, rng: random.Random) -> bytes:
    """The same value for one key wherever it stands, or a key that is gone."""
    data = json.loads(good)
    places = list(_places(data))
    name = rng.choice([key for _, key in places if isinstance(key, str)])
    value, gone = rng.choice(_VALUES), rng.random() < 0.2
    for holder, key in places:
        if key == name:
            if gone:
                del holder[key]
            else:
                holder[key] = deepcopy(value)
    return _laid_out(data, rng)


def _all_of_a_case(good: str, rng: random.Random) -> bytes:
    data = json.loads(good)
    row = rng.choice([case["latest"] for case in data["cases"].values()])
    value = rng.choice(_VALUES)
    row.update(
        {
            key: deepcopy(value)
            for key in row
            if key not in rng.choice(((), ("verdict", "id"), ("verdict", "id", "score")))
        }
    )
    return _laid_out(data, rng)


def _deep(good: str, rng: random.Random) -> bytes:
    data = json.loads(good)
    depth = rng.choice((30, 70, 300, 900))
    holder, key = rng.choice(list(_places(data)))
    inner: Any = holder[key]
    for _ in range(depth):
        inner = rng.choice(([inner], {"members": [inner]}, {str(key): inner}))
    holder[key] = inner
    if rng.random() < 0.5:
        cases = (holder for holder, key in _places(data) if key == "evaluators" and _holds_mappings(holder[key]))
        case = next(cases, {})
        for _ in range(depth if case else 0):
            case["evaluators"] = [{**case["evaluators"][0], "members": case["evaluators"]}]
    return _laid_out(data, rng)


def _holds_mappings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _another_version(good: str, rng: random.Random) -> bytes:
    data = json.loads(good)
    data["version"] = rng.choice((0, 2, "1", None, [1], True))
    return _laid_out(data, rng)


def _laid_out(data: Any, rng: random.Random) -> bytes:
    """As rubric writes it, a line for each case, or as another program would."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)  # of this alone: what is nested deeply has to be written first
    try:
        return _written(data, rng)
    finally:
        sys.setrecursionlimit(before)


def _written(data: Any, rng: random.Random) -> bytes:
    cases = data.get("cases")
    if not isinstance(cases, dict) or rng.random() < 0.3:
        return json.dumps(data, indent=rng.choice((None, 2))).encode()
    head = json.dumps({key: value for key, value in data.items() if key != "cases"})[:-1]
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in cases.items())
    return f'{head}, "cases": {{\n{rows}\n}}}}\n'.encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Everything that a value holds, by what holds it and its key."""
    found: list[tuple[Any, Any]] = []
    left = [value]
    while left:
        each = left.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each)) if isinstance(each, list) else ()
        found += [(each, key) for key in keys]
        left += [each[key] for key in keys]
    return found


_WAYS: tuple[Callable[[str, random.Random], bytes], ...] = (
    _cut, _hole, _value, _value, _value, _every, _every, _all_of_a_case, _deep, _another_version,
)  # fmt: skip
