"""Plant mistakes of many kinds into real suites and count how many are found, on their line, with a fix.

    python tests/bench/bench_planted.py [--corpus DIR] [--seed N] [--per-kind N] [--misses]

Every kind is a function from a sound suite to the same suite with one mistake and the line where it stands. A mistake is
found when the check of the changed text has a finding that the check of the sound one has not. Prints a table.
"""

import argparse
import csv
import random
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.language.around import FileKind
from rubric_core.language.evaluators import CodeEvaluator, Comparison, Criterion, Evaluator, Rubric
from rubric_core.language.model import Case, ContentBlock, Execution, Message
from rubric_core.language.shape import Shape, children
from rubric_core.loading.grading import suite_list
from rubric_core.loading.mentions import Mention, is_script, mentions
from rubric_core.loading.project import Project
from rubric_core.loading.search import URL
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Sequence
from rubric_core.text import Span


@dataclass
class Suite:
    """A sound suite, and its shapes with the way to offsets of the whole text."""

    path: str
    text: str
    analysis: Analysis
    #: Where it is, for what it refers to.
    file: Path
    project: Project
    shapes: list[tuple[Shape, int]] = field(default_factory=list)

    def of(self, kind: type[Shape], *fields: str) -> list[tuple[Shape, int]]:
        """Shapes in block style with all of `fields` written in place."""
        return [
            (s, o)
            for s, o in self.shapes
            if isinstance(s, kind)
            and not s.borrowed
            and isinstance(s.node, Mapping)
            and not s.node.flow
            and all(s.has(f) and not s.places[f].borrowed for f in fields)
        ]


@dataclass
class Planted:
    """A text with a mistake on `line` (0-based)."""

    text: str
    line: int


Plant = Callable[[Suite, random.Random], Planted | None]
KINDS: dict[str, Plant] = {}


def kind(name: str) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        KINDS[name] = plant
        return plant

    return register


def replaced(suite: Suite, start: int, end: int, new: str, at: int | None = None) -> Planted:
    text = suite.text[:start] + new + suite.text[end:]
    return Planted(text, text.count("\n", 0, start if at is None else at))


def entries(shape: Shape) -> list[Entry]:
    return [e for e in shape.node.entries if isinstance(e.key, Scalar)] if isinstance(shape.node, Mapping) else []


# Misspelt keys


def _drop(name: str, rng: random.Random) -> str:
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


for _label, _shape in (
    ("case", Case),
    ("criterion", Criterion),
    ("evaluator", Evaluator),
    ("message", Message),
    ("execution", Execution),
):
    for _how, _change in (
        ("letter dropped", _drop),
        ("letters swapped", _swap),
        ("letter doubled", _double),
        ("capital", _capital),
        ("plural or singular", _plural),
    ):
        if _shape is not Message or _how in ("letter dropped", "letters swapped"):
            KINDS[f"key of {_label}: {_how}"] = misspell(_shape, _change)


@kind("key of suite: letters swapped")
def _suite_key(suite: Suite, rng: random.Random) -> Planted | None:
    found = list(re.finditer(r"^(description|tests|evalcases|execution|assertions)(?=:)", suite.text, re.MULTILINE))
    if not found:
        return None
    match = rng.choice(found)
    return replaced(suite, match.start(), match.end(), _swap(match[0], rng))


# Values of another type


def value(
    shape_type: type[Shape], attribute: str, new: str, *, only: Callable[[Shape], bool] = lambda _: True
) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [(s, o) for s, o in suite.of(shape_type, attribute) if only(s)]
        if not found:
            return None
        shape, offset = rng.choice(found)
        place = shape.places[attribute]
        if not isinstance(place.node, Scalar) or place.node.style in ("literal", "folded") or place.node.span == (0, 0):
            return None
        start, end = place.node.span
        return replaced(suite, start + offset, end + offset, new)

    return plant


KINDS |= {
    "case id is a number": value(Case, "id", "42"),
    "case id is empty": value(Case, "id", '""'),
    "case id is a list": value(Case, "id", "[a, b]"),
    "criteria is a list": value(Case, "criteria", "[one, two]"),
    "criteria is blank": value(Case, "criteria", '"  "'),
    "input is a mapping": value(Case, "input", "{role: user}"),
    "input is a number": value(Case, "input", "7"),
    "criterion weight is a word": value(Criterion, "weight", "heavy"),
    "criterion weight is a quoted number": value(Criterion, "weight", '"2.0"'),
    "criterion weight is negative": value(Criterion, "weight", "-1"),
    "criterion weight is zero": value(
        Criterion,
        "weight",
        "0",
        only=lambda s: not any(s.has(f) for f in ("required", "min_score", "required_min_score")),
    ),
    "criterion required is yes": value(Criterion, "required", "yes"),
    "criterion required is a word": value(Criterion, "required", "always"),
    "criterion id is a number": value(Criterion, "id", "3"),
    "criterion text is empty": value(
        Criterion, "outcome", '""', only=lambda s: not s.has("score_ranges") and not getattr(s, "shorthand", False)
    ),
    "min_score on the wrong scale": value(Criterion, "min_score", "8"),
    "min_score is zero": value(Criterion, "min_score", "0"),
    "required_min_score is a share": value(Criterion, "required_min_score", "0.6"),
    "required_min_score too high": value(Criterion, "required_min_score", "11"),
    "evaluator type misspelt": value(
        Evaluator, "type", "contians", only=lambda s: getattr(s, "type_name", "") == "contains"
    ),
    "evaluator type is a list": value(Evaluator, "type", "[contains]"),
    "evaluator weight is negative": value(Evaluator, "weight", "-2"),
    "evaluator weight is a word": value(Evaluator, "weight", "high"),
    "assertion value is a number": value(Comparison, "value", "4"),
    "assertion value is empty": value(Comparison, "value", '""'),
    "role misspelt": value(Message, "role", "usr"),
    "role is an unknown word": value(Message, "role", "human"),
    "content type misspelt": value(ContentBlock, "type", "txt"),
    "threshold above one": value(Execution, "threshold", "1.5"),
    "threshold on a scale of 100": value(Execution, "threshold", "80"),
    "target is a list": value(Execution, "target", "[a, b]"),
}


# Keys that are missing


def remove(
    shape_type: type[Shape], attribute: str, *, only: Callable[[Shape, Suite], bool] = lambda _, __: True
) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = []
        for shape, offset in suite.of(shape_type, attribute):
            own = entries(shape)
            at = next((i for i, e in enumerate(own) if e.key.span == shape.places[attribute].key), None)
            if at is not None and len(own) > 1 and only(shape, suite):
                found.append((own, at, offset))
        if not found:
            return None
        own, at, offset = rng.choice(found)
        first = own[0].key.whole.start + offset
        if at + 1 < len(own):
            return replaced(suite, own[at].span.start + offset, own[at + 1].key.whole.start + offset, "", first)
        end = own[at].span.end + offset
        return replaced(suite, own[at - 1].span.end + offset, end, "", first)

    return plant


def _needed(attribute: str) -> Callable[[Shape, Suite], bool]:
    return lambda shape, suite: suite.analysis.dialect.demanded(type(shape), attribute)


KINDS |= {
    "case without id": remove(Case, "id", only=_needed("id")),
    "case without input": remove(Case, "input", only=_needed("input")),
    "evaluator without type": remove(Evaluator, "type"),
    "assertion without value": remove(Comparison, "value"),
    "rubric without criteria": remove(Rubric, "criteria", only=_needed("criteria")),
    "program without command": remove(CodeEvaluator, "command", only=_needed("command")),
    # A list of which nothing has a role is no conversation: expected output may be any list.
    "message without role": remove(
        Message, "role", only=lambda _, suite: suite.text.count("role:") > 2 * len(suite.analysis.cases) + 1
    ),
    "content block without value": remove(ContentBlock, "value"),
    "criterion without text": remove(
        Criterion, "outcome", only=lambda s, _: not s.has("score_ranges") and not getattr(s, "shorthand", False)
    ),
}


# Things twice


def twice(shape_type: type[Shape], attribute: str) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [
            (s, o)
            for s, o in suite.of(shape_type, attribute)
            if isinstance(s.places[attribute].node, Scalar) and s.places[attribute].node.style == "plain"
        ]
        if not found:
            return None
        shape, offset = rng.choice(found)
        place = shape.places[attribute]
        start = place.key.start + offset
        column = start - suite.text.rfind("\n", 0, start) - 1
        end = suite.text.find("\n", place.node.span.end + offset)
        if end < 0:
            return None
        return replaced(suite, end, end, f"\n{' ' * column}{place.name}: {place.node.text or 'x'}", end + 1)

    return plant


def same(shape_type: type[Shape], attribute: str) -> Plant:
    """Give a shape the value that the one before it in the same list has."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        pairs = []
        for holder, offset in suite.shapes:
            for items in vars(holder).values():
                if isinstance(items, list):
                    good = [
                        i
                        for i in items
                        if isinstance(i, shape_type)
                        and i.has(attribute)
                        and isinstance(i.places[attribute].node, Scalar)
                        and not i.places[attribute].borrowed
                        and not getattr(i, "shorthand", False)
                    ]
                    pairs += [(a, b, offset) for a, b in pairwise(good)]
        if shape_type is Case:
            good = suite.of(Case, attribute)
            pairs = [(a, b, o) for (a, _), (b, o) in pairwise(good)]
        if not pairs:
            return None
        first, second, offset = rng.choice(pairs)
        node = second.places[attribute].node
        return replaced(suite, node.span.start + offset, node.span.end + offset, str(getattr(first, attribute)))

    return plant


KINDS |= {
    "case key twice": twice(Case, "id"),
    "criterion key twice": twice(Criterion, "id"),
    "evaluator key twice": twice(Evaluator, "type"),
    "case id twice": same(Case, "id"),
    "criterion id twice": same(Criterion, "id"),
    "evaluator name twice": same(Evaluator, "name"),
}


# YAML that is none


def in_line(pattern: str, change: Callable[["re.Match[str]"], str]) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        block_scalars = _block_scalar_spans(suite)
        found = [
            m
            for m in re.finditer(pattern, suite.text, re.MULTILINE)
            if not any(a < m.start() < b for a, b in block_scalars)
        ]
        if not found:
            return None
        match = rng.choice(found)
        return replaced(suite, match.start(), match.end(), change(match))

    return plant


def _block_scalar_spans(suite: Suite) -> list[Span]:
    from rubric_core.syntax.parse import parse
    from rubric_core.syntax.tree import walk

    return [
        n.span
        for n in walk(parse(suite.text).root)
        if isinstance(n, Scalar) and "\n" in suite.text[n.span.start : n.span.end]
    ]


KINDS |= {
    "quote not closed": in_line(r"^( +(?:- )?(?:id|type|role): )([\w-]+)$", lambda m: f'{m[1]}"{m[2]}'),
    "bracket not closed": in_line(r"^( +(?:- )?(?:id|type): )([\w-]+)$", lambda m: f"{m[1]}[{m[2]}"),
    "colon missing": in_line(r"^( +)(assertions|criteria|execution|input|evaluators|assert):$", lambda m: m[1] + m[2]),
    "second colon in a value": in_line(r"^( +(?:- )?(?:id|name): )([\w-]+)$", lambda m: f"{m[1]}{m[2]}: more"),
    "tab as indentation": in_line(r"^    (\w+: \w+)$", lambda m: f"\t{m[1]}"),
    "indented too deep": in_line(r"^( +)((?:type|role|weight): [\w.-]+)$", lambda m: f"{m[1]} {m[2]}"),
    "unknown alias": in_line(r"^( +(?:- )?id: )([\w-]+)$", lambda m: f"{m[1]}*{m[2]}"),
    "value begins with @": in_line(r"^( +(?:- )?(?:id|name): )([\w-]+)$", lambda m: f"{m[1]}@{m[2]}"),
    "unknown escape": in_line(r"^( +(?:- )?(?:id|name): )([\w-]+)$", lambda m: f'{m[1]}"\\q{m[2]}"'),
    "a control character": in_line(r"^( +(?:- )?(?:id|name): [\w-]+)$", lambda m: f"{m[1]}\x01"),
    "dash in front of the second key": in_line(
        r"^( +)- (type: (?:contains|equals|regex|rubrics|llm-rubric|is-json|text|latency|code-grader))\n\1  (value|criteria|command|threshold)",
        lambda m: f"{m[1]}- {m[2]}\n{m[1]}- {m[3]}",
    ),
}


@kind("dash in front of the second key")
def _split(suite: Suite, rng: random.Random) -> Planted | None:
    pattern = r"^( +)- (type: [\w-]+)\n\1  (value|criteria|command|threshold|script)\b"
    found = list(re.finditer(pattern, suite.text, re.MULTILINE))
    if not found:
        return None
    match = rng.choice(found)
    new = f"{match[1]}- {match[2]}\n{match[1]}- {match[3]}"
    return replaced(suite, match.start(), match.end(), new, match.end() - 1)


# Score ranges


def ranged(bands: str, line: int) -> Plant:
    """Give a criterion score ranges; `line` counts from the key."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [
            (s, o)
            for s, o in suite.of(Criterion, "outcome")
            if not s.has("score_ranges") and not getattr(s, "shorthand", False)
        ]
        if not found:
            return None
        shape, offset = rng.choice(found)
        last = entries(shape)[-1].span.end + offset
        start = shape.node.entries[0].key.span.start + offset
        column = start - suite.text.rfind("\n", 0, start) - 1
        text_key = "expected_outcome" if suite.analysis.dialect.name == "agentv-1" else "outcome"
        lines = bands.replace("TEXT", text_key).split("\n")
        added = "".join(f"\n{' ' * column}{each}" for each in ["score_ranges:", *lines])
        while suite.text[last - 1] in " \n":
            last -= 1
        text = suite.text[:last] + added + suite.text[last:]
        return Planted(text, text.count("\n", 0, last) + 1 + line)

    return plant


_B = "  - {score_range: [%s], TEXT: %s}"
KINDS |= {
    "bands overlap": ranged("\n".join([_B % ("0, 5", "poor"), _B % ("5, 10", "good")]), 2),
    "bands leave a gap": ranged("\n".join([_B % ("0, 3", "poor"), _B % ("5, 10", "good")]), 1),
    "bands end below 10": ranged("\n".join([_B % ("0, 3", "poor"), _B % ("4, 9", "good")]), 2),
    "band bound above 10": ranged("\n".join([_B % ("0, 3", "poor"), _B % ("4, 12", "good")]), 2),
    "band bound not whole": ranged("\n".join([_B % ("0, 3.5", "poor"), _B % ("4, 10", "good")]), 1),
    "band bound is a word": ranged("\n".join([_B % ("0, three", "poor"), _B % ("4, 10", "good")]), 1),
    "band reversed": ranged("\n".join([_B % ("3, 0", "poor"), _B % ("4, 10", "good")]), 1),
    "band with three numbers": ranged("\n".join([_B % ("0, 1, 3", "poor"), _B % ("4, 10", "good")]), 1),
    "band without text": ranged("\n".join(["  - {score_range: [0, 3]}", _B % ("4, 10", "good")]), 1),
    "band without score_range": ranged("\n".join(["  - {TEXT: poor}", _B % ("4, 10", "good")]), 1),
    "band is a string": ranged("\n".join(["  - poor", _B % ("0, 10", "good")]), 1),
    "map of bands not from 0": ranged("  2: poor\n  6: good", 1),
    "map of bands with a bad key": ranged("  0: poor\n  high: good", 2),
    "map of bands with an empty text": ranged("  0: poor\n  6:", 2),
    "map of bands beyond 10": ranged("  0: poor\n  11: good", 2),
}


@kind("score ranges are a string")
def _string_ranges(suite: Suite, rng: random.Random) -> Planted | None:
    planted = ranged("  X", 0)(suite, rng)
    return planted and Planted(
        planted.text.replace("score_ranges:\n", "score_ranges: good to bad #\n", 1).replace("  X", "", 1), planted.line
    )


# Keys and types of other dialects


def add_to_case(line_text: str, *, dialects: tuple[str, ...] = ()) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        if dialects and suite.analysis.dialect.name not in dialects:
            return None
        found = suite.of(Case, "id")
        if not found:
            return None
        shape, offset = rng.choice(found)
        name = line_text.partition(":")[0]
        if any(e.name == name for e in entries(shape)):
            return None
        place = shape.places["id"]
        start = place.key.start + offset
        column = start - suite.text.rfind("\n", 0, start) - 1
        end = suite.text.find("\n", place.value.end + offset)
        if end < 0:
            return None
        return replaced(suite, end, end, f"\n{' ' * column}{line_text}", end + 1)

    return plant


KINDS |= {
    "grader on a case": add_to_case("grader: llm_judge"),
    "a key that nobody has": add_to_case("priority: high"),
    "turns without their mode": add_to_case("turns: [{input: hi}]", dialects=("agentv-3", "agentv-5")),
    "depends_on an unknown case": add_to_case("depends_on: [no-such-case]", dialects=("agentv-3", "agentv-5")),
    "on_dependency_failure misspelt": add_to_case("on_dependency_failure: skipp", dialects=("agentv-3", "agentv-5")),
    "assertions in a dialect without": add_to_case("assertions: [x]", dialects=("agentv-1", "agentv-2.7", "agentv-5")),
    "assert is old": add_to_case("assert: [{type: is-json}]", dialects=("agentv-3",)),
    "input_messages is gone": add_to_case(
        "input_messages: [{role: user, content: hi}]", dialects=("agentv-2.7", "agentv-3")
    ),
    "expected_messages is gone": add_to_case(
        "expected_messages: [{role: assistant, content: hi}]", dialects=("agentv-2.7", "agentv-3")
    ),
    "outcome is gone": add_to_case("outcome: says hi", dialects=("agentv-2.7", "agentv-3")),
    "input is gone": add_to_case("input: hi", dialects=("agentv-5",)),
    "rubrics are gone": add_to_case("rubrics: [says hi]", dialects=("agentv-5",)),
}


def insert_evaluator(item: str, line: int, *, dialects: tuple[str, ...]) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        if suite.analysis.dialect.name not in dialects:
            return None
        found = []
        for shape, offset in suite.shapes:
            for attribute in ("assertions", "evaluators"):
                place = shape.places.get(attribute)
                if (
                    isinstance(shape, Case)
                    and place
                    and not place.borrowed
                    and isinstance(place.node, Sequence)
                    and not place.node.flow
                    and place.node.items
                ):
                    found.append((place.node.items[0], offset))
        if not found:
            return None
        first, offset = rng.choice(found)
        dash = suite.text.rfind("-", 0, first.whole.start + offset)
        start = suite.text.rfind("\n", 0, dash) + 1
        column = dash - start
        added = "".join(f"{' ' * column}{each}\n" for each in item.split("\n"))
        text = suite.text[:start] + added + suite.text[start:]
        return Planted(text, text.count("\n", 0, start) + line)

    return plant


_NEW = ("agentv-2.7", "agentv-3")
KINDS |= {
    "trajectory without mode": insert_evaluator(
        "- name: t1\n  type: tool_trajectory\n  minimums: {a: 1}", 0, dialects=("agentv-1", *_NEW)
    ),
    "trajectory mode misspelt": insert_evaluator(
        "- name: t1\n  type: tool_trajectory\n  mode: anyorder\n  minimums: {a: 1}", 2, dialects=("agentv-1", *_NEW)
    ),
    "trajectory without expected": insert_evaluator(
        "- name: t1\n  type: tool_trajectory\n  mode: in_order", 2, dialects=("agentv-1", *_NEW)
    ),
    "latency without threshold": insert_evaluator("- name: l1\n  type: latency", 0, dialects=("agentv-1", *_NEW)),
    "cost budget is negative": insert_evaluator(
        "- name: c1\n  type: cost\n  budget: -1", 2, dialects=("agentv-1", *_NEW)
    ),
    "field match misspelt": insert_evaluator(
        "- name: f1\n  type: field_accuracy\n  fields:\n    - {path: a, match: exactly}",
        3,
        dialects=("agentv-1", *_NEW),
    ),
    "fields are empty": insert_evaluator(
        "- name: f1\n  type: field_accuracy\n  fields: []", 2, dialects=("agentv-1", *_NEW)
    ),
    "token limit missing": insert_evaluator("- name: k1\n  type: token_usage", 0, dialects=("agentv-1", *_NEW)),
    "aggregator type misspelt": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_avg}\n  evaluators:\n    - {name: a, type: latency, threshold: 5}",
        2,
        dialects=("agentv-1",),
    ),
    "aggregator weight for nobody": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_average, weights: {b: 2}}\n  assertions:\n    - {name: a, type: is-json}",
        2,
        dialects=("agentv-3",),
    ),
    "threshold aggregator without threshold": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: threshold}\n  assertions:\n    - {name: a, type: is-json}",
        2,
        dialects=("agentv-3",),
    ),
    "composite member without name": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_average}\n  assertions:\n    - {type: is-json}",
        4,
        dialects=("agentv-3",),
    ),
    "regex not closed": insert_evaluator("- type: regex\n  value: '(a'", 1, dialects=("agentv-3", "agentv-5")),
    "regex flag unknown": insert_evaluator(
        "- type: regex\n  value: a\n  flags: iq", 2, dialects=("agentv-3", "agentv-5")
    ),
    "regex matches everything": insert_evaluator("- type: regex\n  value: .*", 1, dialects=("agentv-3", "agentv-5")),
    "contains-any is a string": insert_evaluator(
        "- type: contains-any\n  value: refund", 1, dialects=("agentv-3", "agentv-5")
    ),
    "contains-all is empty": insert_evaluator(
        "- type: contains-all\n  value: []", 1, dialects=("agentv-3", "agentv-5")
    ),
    "numeric required": insert_evaluator("- type: is-json\n  required: 0.7", 1, dialects=("agentv-3", "agentv-5")),
    "grader min_score on the wrong scale": insert_evaluator(
        "- type: is-json\n  min_score: 7", 1, dialects=("agentv-3", "agentv-5")
    ),
    "negate is a word": insert_evaluator("- type: is-json\n  negate: 'no'", 1, dialects=("agentv-3", "agentv-5")),
    "old judge type": insert_evaluator("- type: code-judge\n  command: [a]", 0, dialects=("agentv-3", "agentv-5")),
    "type of an older dialect": insert_evaluator(
        "- name: x1\n  type: code\n  script: a", 1, dialects=("agentv-1", "agentv-2.7", "agentv-3")
    ),
    "type of a newer dialect": insert_evaluator("- type: llm-rubric\n  value: [says hi]", 0, dialects=("agentv-3",)),
    "composite is gone": insert_evaluator(
        "- metric: m1\n  type: composite\n  aggregator: {type: weighted_average}", 1, dialects=("agentv-5",)
    ),
    "rubrics type is gone": insert_evaluator("- type: rubrics\n  criteria: [says hi]", 0, dialects=("agentv-5",)),
    "script is old": insert_evaluator("- type: code-grader\n  script: [python, a.py]", 1, dialects=("agentv-3",)),
    "skill without a name": insert_evaluator("- type: skill-trigger", 0, dialects=("agentv-3",)),
    "unknown template variable": insert_evaluator(
        '- type: llm-grader\n  prompt: "Is {{ outptu }} right?"', 1, dialects=("agentv-3",)
    ),
    "prompt without the answer": insert_evaluator(
        '- type: llm-grader\n  prompt: "Is {{ input }} right?"', 1, dialects=("agentv-3",)
    ),
    "empty rubric": insert_evaluator("- type: rubrics\n  criteria: []", 1, dialects=("agentv-3",)),
    "criterion twice": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - Says hello\n    - Says hello.", 3, dialects=("agentv-3",)
    ),
    "two bands with one text": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, score_ranges: {0: poor, 5: poor}}",
        2,
        dialects=("agentv-3",),
    ),
    "all weights zero": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, weight: 0}", 1, dialects=("agentv-3",)
    ),
    "unknown key of a criterion": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, wieght: 2}", 2, dialects=("agentv-3",)
    ),
    "score_rubric for score_ranges": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, score_rubric: {0: x}}", 2, dialects=("agentv-3",)
    ),
    "operator misspelt": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, operator: contradicts}", 2, dialects=("agentv-3",)
    ),
    "required_min_score is old": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, required_min_score: 6}", 2, dialects=("agentv-3",)
    ),
    "description for outcome": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, description: b}", 2, dialects=("agentv-3",)
    ),
}


@kind("cases are a mapping")
def _cases_mapping(suite: Suite, _: random.Random) -> Planted | None:
    match = re.search(r"^(tests|evalcases):$", suite.text, re.MULTILINE)
    return replaced(suite, match.start(), match.end(), f"{match[1]}: {{}}\nother:") if match else None


@kind("a second document")
def _second(suite: Suite, _: random.Random) -> Planted | None:
    text = suite.text.rstrip("\n") + "\n---\na: b\n"
    return Planted(text, text.count("\n") - 2)


@kind("a case that asserts nothing")
def _nothing(suite: Suite, _: random.Random) -> Planted | None:
    if suite.analysis.dialect.name != "agentv-3" or suite.analysis.suite is None or suite_list(suite.analysis.suite):
        return None
    found = suite.of(Case, "id")
    if not found:
        return None
    shape, offset = found[-1]
    start = suite.text.rfind("\n", 0, shape.node.whole.start + offset) + 1
    column = suite.text[start:].index("-")
    text = suite.text[:start] + f"{' ' * column}- id: planted-case\n{' ' * column}  input: hi\n" + suite.text[start:]
    return Planted(text, text.count("\n", 0, start))


# References to other files


def _mentions(suite: Suite, refers_to: str) -> Iterator[tuple[Mention, int]]:
    """The words that refer to something which is there, in the cases and in front of them."""
    head = suite.analysis.frame.head
    around = [(s, 0) for s in children(suite.analysis.suite)] if suite.analysis.suite is not None else []
    said = " ".join(d.message for d in suite.analysis.diagnostics)
    for shape, offset in (*suite.shapes, *around):
        for mention in mentions(shape):
            inside = offset or mention.node.span.end <= len(head)
            if mention.refers_to == refers_to and not mention.borrowed and inside and mention.text not in said:
                yield mention, offset


def refer(refers_to: str, to_kind: FileKind | None = None) -> Plant:
    """Misspell the name of something in another file."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        if to_kind is not None and to_kind not in suite.analysis.refers_to.values():
            return None
        found = [
            (m, o)
            for m, o in _mentions(suite, refers_to)
            if m.node.style in ("plain", "single", "double") and len(_stem(m.text)) > 3 and _is_certain(m, suite)
        ]
        if not found:
            return None
        mention, offset = rng.choice(found)
        stem = _stem(mention.text)
        start = suite.text.index(stem, mention.node.span.start + offset)
        return replaced(suite, start, start + len(stem), _drop(stem, rng))

    return plant


def _stem(text: str) -> str:
    """The part of a path that names its file."""
    return text.removeprefix(URL).rpartition("/")[2].partition(".")[0]


def _is_certain(mention: Mention, suite: Suite) -> bool:
    """Whether the word, as it stands there, is one that is looked up and found."""
    if mention.refers_to == "program":
        return is_script(mention.text)
    if mention.refers_to == "file":
        name = mention.text.removeprefix(URL)
        return any((place / name).is_file() for place in (suite.file.parent, *suite.file.parents))
    return True


KINDS |= {
    "target misspelt": refer("target", FileKind.TARGETS),
    "path of a file misspelt": refer("file"),
    "path of a program misspelt": refer("program"),
    "path of a directory misspelt": refer("directory"),
    "template misspelt": refer("template"),
    "path behind file:// misspelt": refer("url"),
}


@kind("cases in a file that is not there")
def _no_cases(suite: Suite, _: random.Random) -> Planted | None:
    match = re.search(r"^(tests):\n", suite.text, re.MULTILINE)
    if match is None or suite.analysis.dialect.name == "agentv-1":
        return None
    at = match.end()
    column = re.match(r" *", suite.text[at:])
    blanks = column[0] if column else ""
    if not suite.text[at:].lstrip().startswith("-") or not suite.text[at + len(blanks) :].startswith("-"):
        return None
    return replaced(suite, at, at, f"{blanks}- file://cases/planted.yaml\n", at)


@kind("an alias misspelt")
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
    return Planted(text, text.count("\n", 0, len(head) + end) + 1)


# The count


@dataclass
class Count:
    """What became of the mistakes of one kind."""

    planted: int = 0
    found: int = 0
    on_line: int = 0
    with_fix: int = 0
    missed: list[str] = field(default_factory=list)


def suites(corpus: Path, language: Language) -> Iterator[Suite]:
    """Every suite of the corpus from agentv-1 on, once, that is sound."""
    project = Project(DiskFiles())
    with (corpus / "INDEX.tsv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            if (
                row["kind"] != "suite"
                or row["copy"] != "first"
                or row["dialect"] in ("agentv-0.1", "agentv-0.2", "agentv-0.5")
            ):
                continue
            path = corpus / row["tag"] / row["path"]
            text = path.read_bytes().decode()
            document = language.document(text, path)
            analysis = analyze(document, language, dialect=row["dialect"], path=path, project=project)
            if any(d.severity == "error" for d in analysis.diagnostics) or not analysis.cases:
                continue
            shapes = [(s, e.offset) for e in analysis.cases if e.block >= 0 for s in children(e.case)]
            yield Suite(str(path.relative_to(corpus)), text, analysis, path, project, shapes)


def findings(analysis: Analysis) -> set[tuple[str, str, str]]:
    """What is said, without its place: a planted line moves everything below it."""
    return {(d.code, d.message, analysis.document.text[d.span.start : d.span.end]) for d in analysis.diagnostics}


def count_kind(plant: Plant, every: list[Suite], language: Language, rng: random.Random, wanted: int) -> Count:
    count = Count()
    order = list(every)
    rng.shuffle(order)
    for suite in order * 3:
        if count.planted >= wanted:
            break
        planted = plant(suite, rng)
        if planted is None or planted.text == suite.text:
            continue
        count.planted += 1
        after = analyze(
            language.document(planted.text, suite.file),
            language,
            dialect=suite.analysis.dialect.name,
            path=suite.file,
            project=suite.project,
        )
        before = findings(suite.analysis)
        amounts = len(suite.analysis.diagnostics)
        new = [
            d for d in after.diagnostics if (d.code, d.message, planted.text[d.span.start : d.span.end]) not in before
        ]
        if not new and len(after.diagnostics) > amounts:
            new = list(after.diagnostics)
        here = [
            d
            for d in new
            if after.document.position(d.span.start).line <= planted.line <= after.document.position(d.span.end).line
        ]
        count.found += bool(new)
        count.on_line += bool(here)
        count.with_fix += any(d.fixes for d in here)
        if not here:
            lines = sorted({after.document.position(d.span.start).line + 1 for d in new})
            count.missed.append(
                f"{suite.path}:{planted.line + 1} ({suite.analysis.dialect.name}) found on {lines} {[d.code for d in new][:3]}: {planted.text.splitlines()[planted.line][:80] if planted.line < len(planted.text.splitlines()) else ''}"
            )
    return count


def main() -> int:
    """Plant, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-kind", type=int, default=20)
    parser.add_argument("--misses", action="store_true", help="print every mistake that was not found on its line")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"no corpus at {options.corpus}: nothing to plant into")
        return 0
    language = Language()
    every = list(suites(options.corpus, language))
    rng = random.Random(options.seed)
    total = Count()
    print(f"{len(KINDS)} kinds, {len(every)} suites\n\n{'kind':44} planted  found  on line  with fix")
    for name, plant in KINDS.items():
        count = count_kind(plant, every, language, rng, options.per_kind)
        if not count.planted:
            print(f"{name:44} {0:7}  (no place for it)")
            continue
        share = [f"{100 * n / count.planted:5.0f} %" for n in (count.found, count.on_line, count.with_fix)]
        print(f"{name:44} {count.planted:7}  {share[0]}  {share[1]}  {share[2]}")
        if options.misses:
            for missed in count.missed[:4]:
                print(f"    missed {missed}")
        total.planted += count.planted
        total.found += count.found
        total.on_line += count.on_line
        total.with_fix += count.with_fix
    print(
        f"\n{'all':44} {total.planted:7}  {100 * total.found / total.planted:5.1f} %  {100 * total.on_line / total.planted:5.1f} %  {100 * total.with_fix / total.planted:5.1f} %"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
