"""Text that is no YAML, or no suite."""

import random
import re
from collections.abc import Callable

from planted.suite import LOST, Plant, Planted, Suite, entries, replaced
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, ContentBlock
from rubric_core.language.shape import Shape
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Span

__all__ = ["KINDS"]


def in_line(pattern: str, change: Callable[["re.Match[str]"], str], *right: Callable[["re.Match[str]"], str]) -> Plant:
    """Change a line that matches; `right`: what else can have been meant than what stood there."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        block_scalars, known = _block_scalar_spans(suite), _known(suite)
        found = [
            m
            for m in re.finditer(pattern, suite.text, re.MULTILINE)
            if not any(a < m.start() < b for a, b in block_scalars)
            and ("key" not in m.re.groupindex or m.start("key") in known)
        ]
        if not found:
            return None
        match = rng.choice(found)
        rights = [make(match) for make in right] or None
        return replaced(suite, match.start(), match.end(), change(match), right=rights)

    return plant


def _known(suite: Suite) -> set[int]:
    """Where the keys stand that mean something: elsewhere there is nothing to be found."""
    return {site.entry.key.span.start + site.offset for site in suite.sites(Shape)}


def _block_scalar_spans(suite: Suite) -> list[Span]:
    return [
        n.span
        for n in walk(parse(suite.text).root)
        if isinstance(n, Scalar) and "\n" in suite.text[n.span.start : n.span.end]
    ]


def _split(suite: Suite, rng: random.Random) -> Planted | None:
    """Only where the keys mean something: the values of a case may be any list."""
    known = {
        s.node.whole.start + o for s, o in [*suite.of(Evaluator, "type"), *suite.of(ContentBlock, "type")] if s.node
    }
    pattern = r"^( +)- (type: [\w-]+)\n\1  (value|criteria|command|threshold|script)\b"
    found = [m for m in re.finditer(pattern, suite.text, re.MULTILINE) if m.start(2) in known]
    if not found:
        return None
    match = rng.choice(found)
    new = f"{match[1]}- {match[2]}\n{match[1]}- {match[3]}"
    return replaced(suite, match.start(), match.end(), new, match.end() - 1)


def _cases_mapping(suite: Suite, _: random.Random) -> Planted | None:
    match = re.search(r"^(tests|evalcases):$", suite.text, re.MULTILINE)
    return replaced(suite, match.start(), match.end(), f"{match[1]}: {{}}\nother:", right=LOST) if match else None


def _second(suite: Suite, _: random.Random) -> Planted | None:
    text = suite.text.rstrip("\n") + "\n---\na: b\n"
    return Planted(text, text.count("\n") - 2, LOST)


def _alias(suite: Suite, rng: random.Random) -> Planted | None:
    found = suite.of(Case, "id")
    if not found:
        return None
    shape, offset = rng.choice(found)
    entry = next(e for e in entries(shape) if e.name == "id")
    end = entry.value.span.end + offset
    column = " " * (entry.key.span.start - suite.text.rfind("\n", 0, entry.key.span.start + offset) - 1 + offset)
    head = "metadata: &planted {a: 1}\n" if not re.search(r"^metadata:", suite.text, re.MULTILINE) else ""
    if not head or any(e.name == "metadata" for e in entries(shape)):
        return None
    text = head + suite.text[:end] + f"\n{column}metadata: *plantde" + suite.text[end:]
    return Planted(text, text.count("\n", 0, len(head) + end) + 1, (text.replace("*plantde", "*planted"),))


KINDS: dict[str, Plant] = {
    "quote not closed": in_line(
        r"^( +(?:- )?(?:id|type|role): )([\w-]+)$",
        lambda m: f'{m[1]}"{m[2]}',
        lambda m: m[0],
        lambda m: f'{m[1]}"{m[2]}"',
    ),
    "bracket not closed": in_line(r"^( +(?:- )?(?:id|type): )([\w-]+)$", lambda m: f"{m[1]}[{m[2]}"),
    "colon missing": in_line(r"^( +)(assertions|criteria|execution|input|evaluators|assert):$", lambda m: m[1] + m[2]),
    "second colon in a value": in_line(
        r"^( +(?:- )?(?:id|name): )([\w-]+)$", lambda m: f"{m[1]}{m[2]}: more", lambda m: f'{m[1]}"{m[2]}: more"'
    ),
    "tab as indentation": in_line(r"^    (\w+: \w+)$", lambda m: f"\t{m[1]}"),
    "indented too deep": in_line(r"^( +)((?:type|role|weight): [\w.-]+)$", lambda m: f"{m[1]} {m[2]}"),
    "unknown alias": in_line(
        r"^( +(?:- )?id: )([\w-]+)$", lambda m: f"{m[1]}*{m[2]}", lambda m: m[0], lambda m: f'{m[1]}"*{m[2]}"'
    ),
    "value begins with @": in_line(
        r"^( +(?:- )?(?:id|name): )([\w-]+)$", lambda m: f"{m[1]}@{m[2]}", lambda m: m[0], lambda m: f'{m[1]}"@{m[2]}"'
    ),
    "unknown escape": in_line(
        r"^( +(?:- )?(?:id|name): )([\w-]+)$",
        lambda m: f'{m[1]}"\\q{m[2]}"',
        lambda m: f'{m[1]}"\\\\q{m[2]}"',
        lambda m: f"{m[1]}'\\q{m[2]}'",
    ),
    "a control character": in_line(r"^( +(?:- )?(?:id|name): [\w-]+)$", lambda m: f"{m[1]}\x01"),
    "dash in front of the second key": _split,
    "cases are a mapping": _cases_mapping,
    "a second document": _second,
    "an alias misspelt": _alias,
}
