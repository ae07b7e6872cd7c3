"""Keys and lists in another place or at another depth than they belong."""

import random
import re

from planted.suite import LOST, Plant, Planted, Site, Suite, entries, replaced
from rubric_core.language.evaluators import Criterion, Evaluator, Rubric
from rubric_core.language.model import Case, Execution, Message
from rubric_core.language.model import Suite as SuiteShape
from rubric_core.language.shape import Shape
from rubric_core.syntax.tree import Scalar, Sequence
from rubric_core.text import Span

__all__ = ["KINDS"]


def _lines(suite: Suite, site: Site) -> Span | None:
    """The lines of a key and its value, where it begins its line."""
    text, start = suite.text, site.entry.key.whole.start + site.offset
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", site.entry.value.whole.end + site.offset - 1)
    if text[line:start].strip() or end < 0:
        return None
    value = site.entry.value
    if isinstance(value, Scalar) and value.is_block:
        end = site.entry.value.whole.end + site.offset - 1
    return Span(line, end + 1)


def _shifted(lines: str, by: int) -> str:
    """Lines further in or further out; None where they cannot be moved so far."""
    if by >= 0:
        return "".join(f"{' ' * by}{each}" if each.strip() else each for each in lines.splitlines(keepends=True))
    return "".join(each.removeprefix(" " * -by) for each in lines.splitlines(keepends=True))


def indented(shape_type: type[Shape], by: int, *, only: str = "", last: bool | None = None) -> Plant:
    """Move the lines of a key by some columns; `last`: of the last key of its mapping only, or of none such."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = []
        for site in suite.sites(shape_type, *only.split(), flow=False):
            lines, own = _lines(suite, site), entries(site.shape)
            is_last = own[-1] is site.entry
            if lines is not None and (last is None or last == is_last) and own[0] is not site.entry:
                found.append((lines, own))
        if not found:
            return None
        lines, _ = rng.choice(found)
        new = _shifted(suite.text[slice(*lines)], by)
        return replaced(suite, *lines, new) if new != suite.text[slice(*lines)] else None

    return plant


def below(key: str, shape_type: type[Shape]) -> Plant:
    """Put the items of a list below a key in the column of the key's own list: one dash too far to the left or right."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = []
        for site in suite.sites(shape_type, key, flow=False):
            value, lines = site.entry.value, _lines(suite, site)
            if isinstance(value, Sequence) and not value.flow and len(value.items) > 1 and lines is not None:
                last = value.items[-1]
                start = suite.text.rfind("\n", 0, last.whole.start + site.offset) + 1
                if "-" in suite.text[start : last.whole.start + site.offset]:
                    found.append(Span(start, lines.end))
        if not found:
            return None
        lines = rng.choice(found)
        new = _shifted(suite.text[slice(*lines)], 2)
        return replaced(suite, *lines, new)

    return plant


def moved(inner: type[Shape], field: str, outer: type[Shape]) -> Plant:
    """Move a key out of the mapping it belongs to into the one around it, below everything there."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = []
        for site in suite.sites(inner, field, flow=False):
            lines, own = _lines(suite, site), entries(site.shape)
            around = [s for s, o in suite.of(outer) if o == site.offset and _holds(s, site)]
            if lines is not None and len(own) > 1 and own[-1] is site.entry and around:
                found.append((lines, around[-1], site))
        if not found:
            return None
        lines, holder, site = rng.choice(found)
        key = site.entry.key.span.start + site.offset
        column = key - suite.text.rfind("\n", 0, key) - 1
        first = entries(holder)[0].key.span.start + site.offset
        by = first - suite.text.rfind("\n", 0, first) - 1 - column
        if by >= 0 or any(e.name == site.entry.name for e in entries(holder)):
            return None
        return replaced(suite, *lines, _shifted(suite.text[slice(*lines)], by))

    return plant


def _holds(shape: Shape, site: Site) -> bool:
    node, at = shape.node, site.entry.key.span.start
    return node is not None and node.span.start < at <= node.span.end and shape is not site.shape


def _settings_at_root(suite: Suite, rng: random.Random) -> Planted | None:
    """A key of `execution` beside it."""
    found = []
    for site in suite.sites(Execution, flow=False):
        lines, own = _lines(suite, site), entries(site.shape)
        taken = suite.analysis.suite is not None and suite.analysis.suite.node is not None
        if lines is not None and len(own) > 1 and own[-1] is site.entry and taken and site.offset == 0:
            found.append((lines, site))
    if not found:
        return None
    lines, site = rng.choice(found)
    if suite.analysis.dialect.table(SuiteShape).get(site.entry.name or ""):
        return None
    text = suite.text[slice(*lines)]
    return replaced(suite, *lines, _shifted(text, -(len(text) - len(text.lstrip(" ")))))


def _spelled_out_away(suite: Suite, rng: random.Random) -> Planted | None:
    """`contains: refund` for a type and a value."""
    pattern = r"^( +)- type: ([a-z_-]+)\n\1  value: ([^\n]+)$"
    found = list(re.finditer(pattern, suite.text, re.MULTILINE))
    if not found:
        return None
    m = rng.choice(found)
    return replaced(suite, m.start(), m.end(), f"{m[1]}- {m[2]}: {m[3]}")


def _nested_type(suite: Suite, rng: random.Random) -> Planted | None:
    """`contains: {value: refund}` in two lines."""
    pattern = r"^( +)- type: ([a-z_-]+)\n\1  value: ([^\n]+)$"
    found = list(re.finditer(pattern, suite.text, re.MULTILINE))
    if not found:
        return None
    m = rng.choice(found)
    return replaced(suite, m.start(), m.end(), f"{m[1]}- {m[2]}:\n{m[1]}    value: {m[3]}")


def _speaker_as_key(suite: Suite, rng: random.Random) -> Planted | None:
    """`user: Hello` for a message."""
    pattern = r"^( +)- role: (user|assistant|system)\n\1  content: ([^\n|>\"'&*!{\[][^\n]*)$"
    found = list(re.finditer(pattern, suite.text, re.MULTILINE))
    if not found:
        return None
    m = rng.choice(found)
    return replaced(suite, m.start(), m.end(), f"{m[1]}- {m[2]}: {m[3]}")


def _cases_by_name(suite: Suite, _: random.Random) -> Planted | None:
    """The cases as a mapping from their ids."""
    match = re.search(r"^(tests|evalcases):\n", suite.text, re.MULTILINE)
    if match is None or not suite.analysis.cases or suite.analysis.frame.block.text[len(suite.analysis.frame.head) :]:
        return None
    rest = suite.text[match.end() :]
    items = re.findall(r"^  - ", rest, re.MULTILINE)
    new, count = re.subn(r"^  - id: ([\w-]+)\n((?:    \S|\n|      )[^\n]*)", r"  \1:\n\2", rest, flags=re.MULTILINE)
    if not count or count != len(items):
        return None
    return Planted(suite.text[: match.end()] + new, suite.text.count("\n", 0, match.end()))


def _text_in_place_of_criteria(suite: Suite, rng: random.Random) -> Planted | None:
    """A judge's criteria as one text with lines and dashes."""
    found = []
    for site in suite.sites(Rubric, "criteria", flow=False):
        value = site.entry.value
        if (
            isinstance(value, Sequence)
            and not value.flow
            and value.items
            and all(isinstance(i, Scalar) for i in value.items)
        ):
            found.append((site, value))
    if not found:
        return None
    site, value = rng.choice(found)
    colon = suite.text.index(":", site.entry.key.span.end + site.offset)
    end = value.items[-1].whole.end + site.offset
    return replaced(suite, colon, end, ": |" + suite.text[colon + 1 : end])


def _case_in_case(suite: Suite, rng: random.Random) -> Planted | None:
    """A case with the depth of the keys of the one above."""
    items = list(re.finditer(r"^( +)- id: [^\n]+\n(?:\1  [^\n]*\n|\n)+", suite.text, re.MULTILINE))
    if len(items) < 2:
        return None
    m = items[-1]
    return replaced(suite, m.start(), m.end(), _shifted(m[0], 2))


def _lost(plant: Plant) -> Plant:
    def planted(suite: Suite, rng: random.Random) -> Planted | None:
        made = plant(suite, rng)
        return made and Planted(made.text, made.line, LOST)

    return planted


_DEPTHS: dict[str, type[Shape]] = {
    "case": Case, "evaluator": Evaluator, "criterion": Criterion, "message": Message, "execution": Execution,
}  # fmt: skip

KINDS: dict[str, Plant] = {
    **{f"key of {label} one column too deep": indented(s, 1) for label, s in _DEPTHS.items()},
    **{f"key of {label} two columns too deep": indented(s, 2) for label, s in _DEPTHS.items()},
    **{f"key of {label} four columns too deep": indented(s, 4) for label, s in _DEPTHS.items()},
    **{f"key of {label} one column too far out": indented(s, -1) for label, s in _DEPTHS.items()},
    **{f"last key of {label} one column too far out": indented(s, -1, last=True) for label, s in _DEPTHS.items()},
    "value of an evaluator beside it": moved(Evaluator, "value", Case),
    "weight of a criterion beside its evaluator": moved(Criterion, "weight", Evaluator),
    "score_ranges of a criterion beside its evaluator": moved(Criterion, "score_ranges", Evaluator),
    "criteria of a rubric in the case": moved(Rubric, "criteria", Case),
    "prompt of a judge in the case": moved(Evaluator, "prompt", Case),
    "settings of execution at the root": _settings_at_root,
    "last criterion too deep": below("criteria", Rubric),
    "last rubric too deep": below("rubrics", Case),
    "last message too deep": below("input", Case),
    "last assertion too deep": below("assertions", Case),
    "type as a key": _spelled_out_away,
    "type as a key of a mapping": _nested_type,
    "speaker as a key": _speaker_as_key,
    "cases by name": _cases_by_name,
    "criteria as one text with dashes": _text_in_place_of_criteria,
    "last case inside the one above": _case_in_case,
}
