"""Keys that are misspelt."""

import random
import re
from collections.abc import Callable

from planted.suite import Plant, Planted, Suite, entries, in_conversation, replaced
from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Case, Execution, Message
from rubric_core.language.shape import Shape

__all__ = ["KINDS", "drop"]


def drop(name: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(name) - 1)
    return name[:at] + name[at + 1 :]


def _swap(name: str, rng: random.Random) -> str:
    spots = [i for i in range(1, len(name) - 1) if name[i] != name[i + 1]]
    if not spots:
        return name
    at = rng.choice(spots)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def _double(name: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(name))
    return name[:at] + name[at - 1] + name[at:]


def _capital(name: str, _: random.Random) -> str:
    return name[0].upper() + name[1:]


def _plural(name: str, _: random.Random) -> str:
    return name[:-1] if name.endswith("s") else name + "s"


def misspell(shape_type: type[Shape], change: Callable[[str, random.Random], str], *, open_too: bool = False) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        table = suite.analysis.dialect.table
        found = [
            (e, o, s)
            for s, o in suite.of(shape_type)
            if shape_type is not Message or in_conversation(s, suite)
            for e in entries(s)
            if (open_too or not type(s).open)
            and e.name in table(type(s))
            and len(e.name) > 3
            and not e.name.startswith("$")
        ]
        if not found:
            return None
        entry, offset, shape = rng.choice(found)
        new = change(entry.name or "", rng)
        if new == entry.name or new in table(type(shape)):
            return None
        start, end = entry.key.span
        return replaced(suite, start + offset, end + offset, new)

    return plant


def _suite_key(suite: Suite, rng: random.Random) -> Planted | None:
    found = list(re.finditer(r"^(description|tests|evalcases|execution|assertions)(?=:)", suite.text, re.MULTILINE))
    if not found:
        return None
    match = rng.choice(found)
    return replaced(suite, match.start(), match.end(), _swap(match[0], rng))


_SHAPES: dict[str, type[Shape]] = {
    "case": Case,
    "criterion": Criterion,
    "evaluator": Evaluator,
    "message": Message,
    "execution": Execution,
}
_CHANGES = {
    "letter dropped": drop,
    "letters swapped": _swap,
    "letter doubled": _double,
    "capital": _capital,
    "plural or singular": _plural,
}


KINDS: dict[str, Plant] = {
    **{
        f"key of {label}: {how}": misspell(shape, change, open_too=shape is Message)
        for label, shape in _SHAPES.items()
        for how, change in _CHANGES.items()
        if shape is not Message or how in ("letter dropped", "letters swapped")
    },
    "key of suite: letters swapped": _suite_key,
}
