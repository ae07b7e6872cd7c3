"""Every regular expression of the two packages, and texts that make a regular expression slow.

`python hostile_patterns.py NUMBER…` tries the expressions with these numbers, and prints a line before and behind each: one that
takes for ever is ended by the system, and its last line says which it was.
"""

import ast
import importlib
import itertools
import re
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import rubric_core

__all__ = ["BOUNDED", "LONGEST", "SECONDS", "Pattern", "attacks", "costs", "patterns"]

#: The standard library's own reader of regular expressions.
_NEW = sys.version_info >= (3, 11)
constants: Any = importlib.import_module("re._constants" if _NEW else "sre_constants")
parser: Any = importlib.import_module("re._parser" if _NEW else "sre_parse")

ROOT = Path(rubric_core.__file__).parents[1]
#: Letters of a hostile text. A pattern that looks at each of them some ten times takes milliseconds; one that looks at each for
#: each other, many seconds.
LONGEST = 120_000
#: Seconds of CPU for one hostile text, some hundred times as long as most take.
SECONDS = 1.0
#: A first look with texts of this length, and the seconds of CPU that make a longer one worthwhile: 20 looks at each letter
#: take a tenth of it, and one at each for each other takes several times as long.
_FIRST, _SLOW = 2_000, 0.001
#: Letters of the longest text that the patterns of a file, or one of them, are ever tried on, where other code sees to it.
BOUNDED = {
    "rubric_core/cli/hide_secrets.py:_ENDS_WITH_KEY": 700,
    "rubric_core/validation/rules/double_criterion.py": 300,
    "rubric_lsp/features/completion/directives.py": 1_000,
}
_METHODS = ("match", "search", "fullmatch", "sub", "subn", "split", "finditer", "findall")
_PALETTE = "aA0 \t\n\r.-_:\"'\\[{(#/*|,`$@x\xe9\u2028"
_ENDS = ("", "\x00", "\n", " x")
_ENDLESS = 50


class Pattern(NamedTuple):
    """One of our regular expressions."""

    #: `rubric_core/text.py:16`.
    place: str
    source: str
    flags: int
    #: How it is used: `match`, `finditer` …
    methods: tuple[str, ...]
    #: The name that it is assigned to, if any.
    name: str = ""

    @property
    def longest(self) -> int:
        """Letters of the longest text that it is tried on."""
        file = self.place.partition(":")[0]
        return BOUNDED.get(f"{file}:{self.name}", BOUNDED.get(file, LONGEST))

    @property
    def digest(self) -> str:
        """What its cost depends on, and the texts that it is tried on."""
        return sha256(repr((*self[1:4], self.longest)).encode()).hexdigest()[:16]


def patterns() -> Iterator[Pattern]:
    """All of them, in the order of the files."""
    modules = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for package in ("rubric_core", "rubric_lsp")
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    everywhere: dict[tuple[str, str], set[str]] = defaultdict(set)
    for tree in modules.values():
        used_here = _used(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    everywhere[node.module, each.name] |= used_here.get(each.asname or each.name, set())
    for path, tree in modules.items():
        calls = list(_calls(tree))
        if not calls:
            continue
        here, names = _used(tree), _names(tree)
        chained = {n.value: n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr in _METHODS}
        module = importlib.import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        for call in calls:
            source, flags = _values(call, vars(module))
            if source is None:
                continue
            own = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            direct = own if own in _METHODS else chained.get(call)
            name = names.get(call, "")
            known = here.get(name, set()) | everywhere.get((module.__name__, name), set()) if name else set()
            used = {direct} if direct else known or {"search"}
            yield Pattern(
                f"{path.relative_to(ROOT).as_posix()}:{call.lineno}", source, flags, tuple(sorted(used)), name
            )


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = node.func
            if isinstance(called, ast.Name) and called.id == "pattern":
                yield node
            if isinstance(called, ast.Attribute) and ast.unparse(called) in [f"re.{m}" for m in ("compile", *_METHODS)]:
                yield node


def _values(call: ast.Call, namespace: Mapping[str, Any]) -> tuple[str | None, int]:
    """The expression and its flags; None where a function computes them."""
    given = [
        call.args[0],
        *(call.args[1:2] if "compile" in ast.dump(call.func) or isinstance(call.func, ast.Name) else ()),
    ]
    given += [k.value for k in call.keywords if k.arg == "flags"]
    if any(isinstance(each, ast.Starred) for each in given):
        return None, 0
    try:
        source, *flags = (
            eval(compile(ast.Expression(each), "<pattern>", "eval"), dict(namespace)) for each in given
        )  # our own source
    except NameError:
        return None, 0
    return (source, int(flags[0]) if flags else 0) if isinstance(source, str) else (None, 0)


def _names(tree: ast.Module) -> dict[ast.Call, str]:
    """The name that a compiled expression is given."""
    assigned = (
        n for n in ast.walk(tree) if isinstance(n, ast.Assign | ast.AnnAssign) and isinstance(n.value, ast.Call)
    )
    found = {}
    for each in assigned:
        target = each.targets[0] if isinstance(each, ast.Assign) else each.target
        if isinstance(target, ast.Name) and isinstance(each.value, ast.Call):
            found[each.value] = target.id
    return found


def _used(tree: ast.Module) -> dict[str, set[str]]:
    """The methods that are looked up in each name, or that a function is named after which takes it."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr[1:] in _METHODS:
            for given in node.args:  # `self._match(_PART)`
                if isinstance(given, ast.Name):
                    found[given.id].add(node.func.attr[1:])
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            owner = node.value
            name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
            found[name].add(node.attr)
    return found


def attacks(pattern: Pattern) -> list[tuple[str, str, str]]:
    """What a hostile text begins with, repeats, and ends with."""
    tree = parser.parse(pattern.source, pattern.flags)
    signs = list(dict.fromkeys([*_literals(tree), *_PALETTE]))
    found: dict[tuple[str, str], None] = {}
    for before, repeated in _repeats(tree, [""], signs):
        for start in ("", before[:200]):
            found[start, repeated] = None
            found["", before[:200] + repeated] = None
    for one, other in itertools.product(signs[:10], ("", *signs[:5])):
        found["", one + other] = None
    return [(start, repeated, end) for start, repeated in found if repeated for end in _ENDS]


def _repeats(items: Any, before: Sequence[str], signs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each repetition, with what stands before it: its letters one by one, and a few of what it repeats as a whole."""
    heads = list(before)
    for operator, value in items:
        if operator in (constants.MAX_REPEAT, constants.MIN_REPEAT, getattr(constants, "POSSESSIVE_REPEAT", None)):
            _, most, body = value
            if most > _ENDLESS:
                wholes = list(itertools.islice(_samples(body, signs), 14))
                yield from itertools.product(heads, wholes)
                yield from ((head, a + b) for head in heads[:1] for a, b in itertools.product(wholes[:3], wholes[:3]))
            yield from _repeats(body, heads, signs)
        elif operator is constants.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, heads, signs)
        elif operator is constants.SUBPATTERN:
            yield from _repeats(value[-1], heads, signs)
        elif operator in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _repeats(value[1], heads, signs)
        elif operator is getattr(constants, "ATOMIC_GROUP", None):
            yield from _repeats(value, heads, signs)
        tails = list(itertools.islice(_samples([(operator, value)], signs), 3)) or [""]
        heads = [head + tail for head in heads[:2] for tail in tails][:4]


def _samples(items: Any, signs: Sequence[str]) -> Iterator[str]:
    """Texts that match, as far as lookaheads and references to groups leave it."""
    parts = [list(itertools.islice(_sample(operator, value, signs), 14)) or [""] for operator, value in items]
    if not parts:
        yield ""
        return
    most = max(len(part) for part in parts)
    for n in range(most):
        yield "".join(part[n % len(part)] for part in parts)


def _sample(operator: Any, value: Any, signs: Sequence[str]) -> Iterator[str]:
    if operator is constants.LITERAL:
        yield chr(value)
    elif operator is constants.NOT_LITERAL:
        yield from (sign for sign in signs if sign != chr(value))
    elif operator is constants.ANY:
        yield from signs
    elif operator is constants.IN:
        negated = value[0][0] is constants.NEGATE
        own = [] if negated else [text for part in value for text in _members(part)]
        yield from dict.fromkeys([*(sign for sign in signs if _is_in(sign, value) != negated), *own])
    elif operator in (constants.MAX_REPEAT, constants.MIN_REPEAT, getattr(constants, "POSSESSIVE_REPEAT", None)):
        least, _, body = value
        for sample in _samples(body, signs):
            yield sample * max(1, least)
        if least == 0:
            yield ""
    elif operator is constants.BRANCH:
        for branch in value[1]:
            yield from itertools.islice(_samples(branch, signs), 4)
    elif operator is constants.SUBPATTERN:
        yield from _samples(value[-1], signs)
    elif operator is getattr(constants, "ATOMIC_GROUP", None):
        yield from _samples(value, signs)


def _members(part: Any) -> Iterator[str]:
    operator, value = part
    if operator is constants.LITERAL:
        yield chr(value)
    elif operator is constants.RANGE:
        yield chr(value[0])


def _is_in(sign: str, parts: Any) -> bool:
    for operator, value in parts:
        if operator is constants.LITERAL and ord(sign) == value:
            return True
        if operator is constants.RANGE and value[0] <= ord(sign) <= value[1]:
            return True
        if operator is constants.CATEGORY and re.match(_CATEGORIES[value], sign):
            return True
    return False


_CATEGORIES = {
    constants.CATEGORY_DIGIT: r"\d",
    constants.CATEGORY_NOT_DIGIT: r"\D",
    constants.CATEGORY_SPACE: r"\s",
    constants.CATEGORY_NOT_SPACE: r"\S",
    constants.CATEGORY_WORD: r"\w",
    constants.CATEGORY_NOT_WORD: r"\W",
}


def _literals(items: Any) -> Iterator[str]:
    for operator, value in items:
        if operator in (constants.LITERAL, constants.NOT_LITERAL):
            yield chr(value)
        elif operator is constants.IN:
            yield from (text for part in value for text in _members(part))
        elif operator in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            yield from _literals(value[2])
        elif operator is constants.BRANCH:
            for branch in value[1]:
                yield from _literals(branch)
        elif operator is constants.SUBPATTERN:
            yield from _literals(value[-1])
        elif operator in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _literals(value[1])


def costs(pattern: Pattern, longest: int = LONGEST, *, ends: bool = False) -> tuple[float, str]:
    """The most CPU that a hostile text took, in seconds, and the text. With `ends`, the process ends with a much longer one."""
    compiled = re.compile(pattern.source, pattern.flags)
    worst = (0.0, "")
    for start, repeated, end in attacks(pattern):
        for method in pattern.methods:
            seconds = 0.0
            for size in (min(_FIRST, longest), longest):
                text = start + repeated * (size // len(repeated)) + end
                seconds = _timed(compiled, method, text, ends)
                if seconds < _SLOW:
                    break
            worst = max(worst, (seconds, f"{method} {start!r} + {repeated!r} * {longest // len(repeated)} + {end!r}"))
            if worst[0] > SECONDS:
                return worst
    return worst


def _timed(compiled: re.Pattern[str], method: str, text: str, ends: bool) -> float:
    begun = time.process_time()
    if ends:
        resource.setrlimit(resource.RLIMIT_CPU, (int(begun + 1.5 * SECONDS) + 1, resource.RLIM_INFINITY))
    if method in ("sub", "subn"):
        getattr(compiled, method)("", text)
    elif method == "finditer":
        for _ in compiled.finditer(text):
            pass
    else:
        getattr(compiled, method)(text)
    took = time.process_time() - begun
    if ends:
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return took


def _main(numbers: Sequence[int]) -> None:
    every = list(patterns())
    for number in numbers:
        pattern = every[number]
        sys.stdout.write(f"{number} {pattern.place} {pattern.source!r}: ")
        sys.stdout.flush()
        seconds, text = costs(pattern, pattern.longest, ends=True)
        sys.stdout.write(f"slow: {text}\n" if seconds > SECONDS else "ok\n")


if __name__ == "__main__":
    _main([int(number) for number in sys.argv[1:]])
