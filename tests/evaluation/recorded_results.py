"""Whole results as a few lines of text that a person can compare.

A value that is the default of its field is left out. Of a long text, the beginning is shown, and a checksum of all of it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from record import checksum, shortened

from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult

__all__ = ["RECORDS", "brief", "case_lines", "timeless"]

RECORDS = Path(__file__).with_name("records")
_WIDTH = 480
_DETAILS = 200

Normal = Callable[[str], str]


def brief(value: Any, normal: Normal) -> Any:
    """A value as JSON has it, without what is empty or usual."""
    if isinstance(value, Enum):
        return brief(value.value, normal)
    if isinstance(value, Path):
        return brief(str(value), normal)
    if isinstance(value, str):
        return shortened(normal(value))
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 6)
    if is_dataclass(value):
        return {name: brief(each, normal) for name, each in _unusual(value)}
    if isinstance(value, Mapping):
        return {str(name): brief(each, normal) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return brief(value._asdict(), normal)
    if isinstance(value, list | tuple | set | frozenset):
        listed = sorted(value) if isinstance(value, set | frozenset) else value
        return [brief(each, normal) for each in listed]
    return value if value is None or isinstance(value, bool | int) else shortened(normal(repr(value)))


def timeless(result: CaseResult, normal: Normal) -> CaseResult:
    """A result without what differs from run to run, before anything is cut out of it.

    Every evaluator that was timed took a millisecond: they are timed by the loop, which nobody can set.
    """
    runs = tuple(timeless(each, normal) for each in result.runs)
    found = _normalized(replace(result, evaluators=tuple(map(_timeless, result.evaluators)), runs=()), normal)
    assert isinstance(found, CaseResult)
    return replace(found, runs=runs)


def _normalized(value: Any, normal: Normal) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return normal(value)
    if is_dataclass(value):
        return replace(value, **{each.name: _normalized(getattr(value, each.name), normal) for each in fields(value)})
    if isinstance(value, Mapping):
        return {name: _normalized(each, normal) for name, each in value.items()}
    if isinstance(value, list | tuple):
        made = [_normalized(each, normal) for each in value]
        return value._make(made) if hasattr(value, "_make") else type(value)(made)
    return value


def _timeless(result: EvaluatorResult) -> EvaluatorResult:
    took = None if result.duration_ms is None else 1.0
    return replace(result, duration_ms=took, members=tuple(map(_timeless, result.members)))


def _sent(exchange: Exchange, normal: Normal) -> str:
    """What was sent on a few words: the texts of messages by their checksums."""
    told = brief(replace(exchange, messages=(), payload=None), normal)
    if exchange.payload is not None:
        told["payload"] = shortened(normal(json.dumps(exchange.payload, ensure_ascii=False)))
    messages = " ".join(f"{each.role}:{checksum(normal(each.content))}" for each in exchange.messages)
    return f"{_words(told)} {messages}".strip()


def _unusual(value: Any) -> Iterator[tuple[str, Any]]:
    for each in fields(value):
        found = getattr(value, each.name)
        usual = each.default if each.default_factory is MISSING else each.default_factory()
        if found != usual:
            yield each.name, found


#: Known from the place of a line, or the same for all cases of a suite.
_APART = ("id", "verdict", "score", "evaluators", "dialect", "runs", "name", "type", "members", "at", "exchanges")


def case_lines(result: CaseResult, normal: Normal) -> Iterator[str]:
    """A case on one line, and each of its evaluators on one if they do not fit."""
    yield from _folded(
        f"{result.id}: {_about(result, normal)}", [_evaluator_lines(each, normal) for each in result.evaluators]
    )
    for each in result.runs:
        yield from (f"    run {line}" for line in case_lines(each, normal))


def _evaluator_lines(result: EvaluatorResult, normal: Normal) -> list[str]:
    name = result.name if result.name == result.type else f"{result.name} {result.type}"
    return list(
        _folded(f"{name} {_about(result, normal)}", [_evaluator_lines(each, normal) for each in result.members])
    )


def _about(result: CaseResult | EvaluatorResult, normal: Normal) -> str:
    score = "-" if result.score is None else f"{result.score:.6g}"
    rest = {name: each for name, each in brief(result, normal).items() if name not in _APART}
    for name in ("fingerprint", "test_fingerprint"):
        if name in rest:
            rest[name] = rest[name][:8]
    if isinstance(result, EvaluatorResult) and rest.get("duration_ms") == 1:
        del rest["duration_ms"]
    if len(told := json.dumps(rest.get("details"), ensure_ascii=False)) > _DETAILS:
        rest["details"] = f"… {len(told)} {checksum(told)}"
    sent = "".join(f" -> [{_sent(each, normal)}]" for each in result.exchanges)
    return f"{result.verdict.value} {score} {_words(rest)}".rstrip() + sent


def _words(rest: Mapping[str, Any]) -> str:
    return " ".join(
        f"{name}={json.dumps(each, ensure_ascii=False, separators=(',', ':'))}" for name, each in rest.items()
    )


def _folded(head: str, parts: list[list[str]]) -> Iterator[str]:
    """A line with what belongs to it: on the same one as far as it fits, and what has several lines on lines of its own."""
    line = head
    for part in parts:
        if len(part) == 1 and len(line) + len(part[0]) < _WIDTH:
            line = f"{line} | {part[0]}"
            continue
        yield line
        yield from (f"  {each}" for each in part[:-1])
        line = f"  {part[-1]}"
    yield line
