"""Validates replies of judges against a schema. Invalid replies are rejected with a reason, never guessed.

pydantic is imported with this module; import it when a judge has replied.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.scoring.rubric import RubricSheet
from rubric_core.language.evaluators import HIGHEST

__all__ = [
    "InvalidReplyError", "json_object", "read_checks", "read_free_form", "schema_for_checks", "schema_for_free_form",
]  # fmt: skip

_LONGEST = 1_000_000
_MOST_HITS = 4
#: Of a whole number: fewer than those of the largest float.
_MOST_DIGITS = 300
#: Characters of a key in a message.
_LONGEST_KEY = 60
_MOST_ASSERTIONS = 8


class InvalidReplyError(ValueError):
    """A reply violates the contract; the message tells the judge what is wrong."""


def _whole(value: object) -> object:
    """JSON has one kind of number: 8.0 is the integer 8, 7.5 is not an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _Reply(BaseModel):
    # A judge replies in one of these forms: the other models are never built.
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


_Text = Annotated[StrictStr, BeforeValidator(lambda v: "" if v is None else v)]


class _Satisfied(_Reply):
    id: StrictStr
    satisfied: StrictBool
    reasoning: _Text = ""


class _Scored(_Reply):
    id: StrictStr
    score: Annotated[StrictInt, BeforeValidator(_whole), Field(ge=0, le=HIGHEST)]
    reasoning: _Text = ""


E = TypeVar("E", _Satisfied, _Scored)


class _Checks(_Reply, Generic[E]):
    checks: list[E]
    overall_reasoning: _Text = ""


# Kept here: pydantic forgets such a form as soon as no reply is read, and making it takes as long as reading fifty of them.
_PlainChecks = _Checks[_Satisfied]
_RangedChecks = _Checks[_Scored]

_Share = Annotated[StrictFloat | StrictInt, Field(ge=0, le=1)]


class _HitsAndMisses(_Reply):
    score: _Share
    hits: list[StrictStr] = []
    misses: list[StrictStr] = []
    reasoning: _Text = ""


class _Assertion(_Reply):
    text: StrictStr
    passed: StrictBool
    evidence: _Text = ""


class _Assertions(_Reply):
    score: _Share
    assertions: list[_Assertion] = []
    reasoning: _Text = ""


class _Check(_Reply):
    text: StrictStr
    passed: Annotated[StrictBool, Field(alias="pass")]
    reason: _Text = ""


class _PassAndReason(_Reply):
    score: _Share
    passed: Annotated[StrictBool | None, Field(alias="pass")] = None
    reason: _Text = ""
    checks: list[_Check] = []


def json_object(text: str) -> Mapping[str, Any]:
    """The JSON object in a reply: from the first `{` to the last `}`, ignoring the text around it. Raises InvalidReplyError."""
    if len(text) > _LONGEST:
        raise InvalidReplyError(f"the reply has more than {_LONGEST:,} characters")
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise InvalidReplyError("the reply contains no JSON object")
    try:
        value: dict[str, Any] = json.loads(text[start : end + 1], object_pairs_hook=_unambiguous, parse_int=_integer)
    except InvalidReplyError:
        raise
    except RecursionError:
        raise InvalidReplyError("the reply is nested too deeply") from None
    except ValueError as error:
        raise InvalidReplyError(f"the reply is not valid JSON: {error}") from None
    return value


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys mean one thing each. Raises InvalidReplyError for a key with two values."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made and made[name] != value:
            raise InvalidReplyError(f"the reply gives two values for {json.dumps(name[:_LONGEST_KEY])}")
        made[name] = value
    return made


def _integer(digits: str) -> int:
    """Raises InvalidReplyError for more digits than any score has; Python's own error suggests changing a setting."""
    if len(digits) > _MOST_DIGITS:
        raise InvalidReplyError(f"the reply has a number of {len(digits):,} digits")
    return int(digits)


def read_checks(text: str, sheet: RubricSheet) -> tuple[dict[str, CriterionCheck], str]:
    """A check for every criterion of `sheet` by id, and the overall reasoning.

    Raises InvalidReplyError for a reply that violates the schema, a missing criterion, and a criterion with two results.
    """
    found: dict[str, CriterionCheck] = {}
    checks: Sequence[_Satisfied | _Scored]
    if sheet.ranges:
        ranged = _valid(_RangedChecks, json_object(text))
        checks, overall = ranged.checks, ranged.overall_reasoning
    else:
        listed = _valid(_PlainChecks, json_object(text))
        checks, overall = listed.checks, listed.overall_reasoning
    for each in checks:
        check = (
            CriterionCheck(score=each.score, reasoning=each.reasoning)
            if isinstance(each, _Scored)
            else CriterionCheck(satisfied=each.satisfied, reasoning=each.reasoning)
        )
        if each.id in found and found[each.id][:2] != check[:2]:
            name = next((_name(item) for item in sheet.items if item.id == each.id), each.id)
            raise InvalidReplyError(f"criterion {name} appears twice with different results")
        found[each.id] = check
    left_out = [_name(item) for item in sheet.items if item.id not in found]
    if left_out:
        raise InvalidReplyError(f"no result for {', '.join(left_out)}: every criterion needs one")
    return found, overall


def _name(item: CriterionItem) -> str:
    """The name of a criterion for people, and its id for the judge."""
    return item.label if item.named or not item.text else f"{item.label} ({item.id})"


R = TypeVar("R", bound=BaseModel)


def _valid(model: type[R], value: Mapping[str, Any]) -> R:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise InvalidReplyError(_first_problem(error)) from None


def _first_problem(error: ValidationError) -> str:
    """The location of the first error, and the expected value."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("int", "float"))
    found = first.get("input")
    shown = "" if first["type"] == "missing" else f", found {json.dumps(found, default=str)[:60]}"
    return f"{place or 'the reply'}: {first['msg'].lower()}{shown}"


Style = Literal["hits", "assertions", "checks"]


def read_free_form(text: str, style: Style) -> EvaluationScore:
    """The score of a judge that grades the answer as a whole. Raises InvalidReplyError.

    A custom prompt may still ask for the format of an older release: hits and misses, or assertions. Such a reply is
    read in that format, so that they are not lost.
    """
    value = json_object(text)
    style = _style_of(value, style)
    if style == "hits":
        plain = _valid(_HitsAndMisses, value)
        return _scored(plain.score, plain.hits[:_MOST_HITS], plain.misses[:_MOST_HITS], plain.reasoning)
    if style == "assertions":
        listed = _valid(_Assertions, value)
        shown = listed.assertions[:_MOST_ASSERTIONS]
        return _scored(
            listed.score,
            [a.text for a in shown if a.passed],
            [a.text for a in shown if not a.passed],
            listed.reasoning,
        )
    checked = _valid(_PassAndReason, value)
    return _scored(
        checked.score,
        [c.text for c in checked.checks if c.passed],
        [c.text for c in checked.checks if not c.passed],
        checked.reason,
    )


def _style_of(value: Mapping[str, Any], asked: Style) -> Style:
    """The style of a reply: the requested one, or another one whose lists it has instead."""
    said = [style for style, names in _LISTS.items() if any(name in value for name in names)]
    return asked if asked in said or not said else said[0]


_LISTS: Mapping[Style, tuple[str, ...]] = {
    "hits": ("hits", "misses"), "assertions": ("assertions",), "checks": ("checks",),
}  # fmt: skip


def _scored(score: float, hits: Sequence[str], misses: Sequence[str], reasoning: str) -> EvaluationScore:
    aspects = len(hits) + len(misses)
    return EvaluationScore(
        score=float(score),
        hits=tuple(hits),
        misses=tuple(misses),
        expected_aspect_count=aspects or 1,
        reasoning=reasoning or None,
    )


def schema_for_checks(sheet: RubricSheet) -> Mapping[str, Any]:
    """The JSON Schema of a reply about `sheet`, strict enough for providers with structured output."""
    result: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 10} if sheet.ranges else {"type": "boolean"}
    check = _object(
        id={"type": "string", "enum": [item.id for item in sheet.items]},
        reasoning={"type": "string"},
        **{"score" if sheet.ranges else "satisfied": result},
    )
    return _object(checks={"type": "array", "items": check}, overall_reasoning={"type": "string"})


def schema_for_free_form(style: Style) -> Mapping[str, Any]:
    """The JSON Schema of a free-form reply."""
    score = {"type": "number", "minimum": 0, "maximum": 1}
    texts = {"type": "array", "items": {"type": "string"}}
    if style == "hits":
        return _object(score=score, hits=texts, misses=texts, reasoning={"type": "string"})
    if style == "assertions":
        item = _object(text={"type": "string"}, passed={"type": "boolean"}, evidence={"type": "string"})
        return _object(score=score, assertions={"type": "array", "items": item})
    return _object(**{"pass": {"type": "boolean"}}, score=score, reason={"type": "string"})


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
