"""Slips of the hand and of the memory in one word: what becomes of a key or of a value out of a list."""

import random
import re
from collections.abc import Callable

__all__ = ["SLIPS", "WORD_SLIPS", "Slip", "drop", "swap"]

Slip = Callable[[str, random.Random], str]
_NEAR = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuioplsdfghjkdxcvbnmnn", strict=True))


def drop(name: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(name) - 1)
    return name[:at] + name[at + 1 :]


def swap(name: str, rng: random.Random) -> str:
    spots = [i for i in range(1, len(name) - 1) if name[i] != name[i + 1]]
    if not spots:
        return name
    at = rng.choice(spots)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def _double(name: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(name))
    return name[:at] + name[at - 1] + name[at:]


def _near(name: str, rng: random.Random) -> str:
    spots = [i for i, c in enumerate(name) if c in _NEAR]
    at = rng.choice(spots) if spots else 0
    return name[:at] + _NEAR.get(name[at], name[at]) + name[at + 1 :]


def _more(name: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(name) + 1)
    return name[:at] + rng.choice("aeinrst") + name[at:]


def _vowel(name: str, rng: random.Random) -> str:
    spots = [i for i, c in enumerate(name) if c in "aeiou"]
    if not spots:
        return name
    at = rng.choice(spots)
    return name[:at] + rng.choice("aeiou".replace(name[at], "")) + name[at + 1 :]


def _camel(name: str, _: random.Random) -> str:
    return re.sub(r"[_-](\w)", lambda m: m[1].upper(), name)


def _plural(name: str, _: random.Random) -> str:
    return name[:-1] if name.endswith("s") else name + "s"


#: What becomes of a key.
SLIPS: dict[str, Slip] = {
    "letter dropped": drop,
    "first letter dropped": lambda n, _: n[1:],
    "last letter dropped": lambda n, _: n[:-1],
    "letters swapped": swap,
    "first letters swapped": lambda n, _: n[1] + n[0] + n[2:],
    "letter doubled": _double,
    "letter beside it": _near,
    "letter too many": _more,
    "another vowel": _vowel,
    "capital": lambda n, _: n[0].upper() + n[1:],
    "capitals": lambda n, _: n.upper(),
    "camel case": _camel,
    "dashes": lambda n, _: n.replace("_", "-"),
    "words joined": lambda n, _: n.replace("_", ""),
    "space between words": lambda n, _: n.replace("_", " "),
    "plural or singular": _plural,
}
#: What becomes of a value that is one of a few words.
WORD_SLIPS: dict[str, Slip] = {
    **{name: SLIPS[name] for name in ("letter dropped", "letters swapped", "letter doubled", "letter beside it", "letter too many", "capital", "capitals", "plural or singular")},
    "camel case": _camel,
    "underscores for dashes": lambda n, _: n.replace("-", "_") if "-" in n else n.replace("_", "-"),
    "words joined": lambda n, _: n.replace("-", "").replace("_", ""),
    "space between words": lambda n, _: n.replace("-", " ").replace("_", " "),
}  # fmt: skip
