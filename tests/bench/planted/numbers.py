"""Numbers that are written as no number, with a unit, or on another scale."""

import random
from collections.abc import Callable

from planted.suite import LOST, Plant, Planted, Suite, replaced
from rubric_core.language.evaluators import Cost, Criterion, Evaluator, FieldCheck, Latency, Similar, TokenUsage
from rubric_core.language.model import Case, EvaluateOptions, Execution, Repeat, RunSettings, Trials
from rubric_core.language.model import Suite as SuiteShape
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Hook, Setup
from rubric_core.syntax.tree import Scalar

__all__ = ["KINDS"]

#: Makes of a number what somebody wrote; None where that would be right.
Write = Callable[[float, str], str | None]


def number(fields: dict[type[Shape], str], write: Write, *, known: bool = True) -> Plant:
    """Write a number otherwise; `known`: whether the number can still be told from it."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [
            (site, site.entry.value)
            for shape, names in fields.items()
            for site in suite.sites(shape, *names.split())
            if isinstance(site.entry.value, Scalar) and type(site.entry.value.value) in (int, float)
        ]
        rng.shuffle(found)
        for site, node in found:
            new = write(node.value, node.text)
            if new is not None and new != node.text:
                start, end = node.span
                made = replaced(suite, start + site.offset, end + site.offset, new)
                return made if known else Planted(made.text, made.line, LOST)
        return None

    return plant


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WEIGHTS: dict[type[Shape], str] = {Criterion: "weight", Evaluator: "weight", FieldCheck: "weight"}
_SHARES: dict[type[Shape], str] = {
    Criterion: "min_score", Evaluator: "min_score", Execution: "threshold", SuiteShape: "threshold", RunSettings: "threshold", Similar: "threshold",
}  # fmt: skip
_MILLISECONDS: dict[type[Shape], str] = {
    Latency: "threshold",
    Hook: "timeout_ms",
    Setup: "timeout_ms",
    EvaluateOptions: "timeout_ms",
}
_COUNTS: dict[type[Shape], str] = {
    Execution: "workers", Trials: "count", Repeat: "count", TokenUsage: "max_total max_input max_output", EvaluateOptions: "max_concurrency", Case: "window_size",
}  # fmt: skip
_MONEY: dict[type[Shape], str] = {Cost: "budget", Execution: "budget_usd", RunSettings: "budget_usd"}

_ANY: dict[str, Write] = {
    "in double quotes": lambda _, t: f'"{t}"',
    "in single quotes": lambda _, t: f"'{t}'",
    "in brackets": lambda _, t: f"[{t}]",
    "negative": lambda v, t: f"-{t}" if v > 0 else None,
    "as a word": lambda v, _: _WORDS[int(v)] if float(v).is_integer() and 0 < v <= 10 else None,
    "with a comma": lambda _, t: t.replace(".", ",") if "." in t else None,
    "with a letter behind it": lambda _, t: f"{t}x",
    "with a tilde": lambda _, t: f"~{t}",
}
_OF: dict[str, dict[type[Shape], str]] = {
    "weight": _WEIGHTS, "share": _SHARES, "milliseconds": _MILLISECONDS, "count": _COUNTS, "money": _MONEY,
}  # fmt: skip

KINDS: dict[str, Plant] = {
    **{f"{label} {how}": number(fields, write) for label, fields in _OF.items() for how, write in _ANY.items()},
    "share in percent": number(_SHARES, lambda v, _: f"{v * 100:g}%"),
    "share of a hundred": number(_SHARES, lambda v, _: f"{v * 100:g}"),
    "share of ten": number(_SHARES, lambda v, _: f"{v * 10:g}" if v * 10 > 1 else None),
    "share as a fraction": number(_SHARES, lambda v, _: f"{v * 10:g}/10"),
    "weight in percent": number(_WEIGHTS, lambda v, _: f"{v * 100:g}%"),
    "weight as a word that is no number": number(_WEIGHTS, lambda *_: "high", known=False),
    "share as a word that is no number": number(_SHARES, lambda *_: "high", known=False),
    "milliseconds with their unit": number(_MILLISECONDS, lambda _, t: f"{t}ms"),
    "milliseconds in seconds": number(_MILLISECONDS, lambda v, _: f"{v / 1000:g}s"),
    "milliseconds in minutes": number(_MILLISECONDS, lambda v, _: f"{v / 60000:g}m" if v % 60000 == 0 else None),
    "milliseconds with a separator": number(_MILLISECONDS, lambda v, _: f"{v:,.0f}" if v >= 1000 else None),
    "count with a separator": number(_COUNTS, lambda v, _: f"{v:,.0f}" if v >= 1000 else None),
    "count with a k": number(_COUNTS, lambda v, _: f"{v / 1000:g}k" if v >= 1000 else None),
    "count with a fraction": number(_COUNTS, lambda v, _: f"{v + 0.5:g}" if v < 50 else None, known=False),
    "money with its sign": number(_MONEY, lambda _, t: f"${t}"),
    "money with its name": number(_MONEY, lambda _, t: f"{t} USD"),
    "money of another country": number(_MONEY, lambda _, t: f"{t} EUR", known=False),
}
