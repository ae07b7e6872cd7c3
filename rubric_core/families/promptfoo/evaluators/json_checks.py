"""Assertions about JSON in an output, with or without a JSON Schema: how promptfoo finds objects, and which schemas it rejects."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.evaluators.handler import (
    AssertionParams,
    GradingResult,
    Handler,
    pass_or_fail,
    row_error,
)
from rubric_core.families.promptfoo.model.assertion import NO_VALUE
from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.js_regex.translate import translate
from rubric_core.sandbox.checks import schemas_in
from rubric_core.sandbox.formats import is_format
from rubric_core.sandbox.process import Sandbox, SandboxError
from rubric_core.syntax.events import build
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping as MappingNode

__all__ = ["JSON_CHECKS", "LIMITS", "misfits", "objects_in", "patterns_of", "refusal_of"]

#: How many characters are searched for the end of an object.
_LONGEST = 100_000
#: The maximum number of characters read repeatedly: nested or unclosed braces make the search start again and again.
_MOST_IN_VAIN = 200_000
#: Quotes, and the starts of comments in JavaScript.
_SIGNS, _QUOTES, _LETTER = re.compile(r"['\"]|/{2,}"), ("'", '"'), re.compile("[a-zA-Z]")
#: To take a part of the text costs little, but something: a hundredth of reading it.
_TAKING = 100


def objects_in(text: str) -> Iterator[dict[Any, Any]]:
    """The objects in a text: from a brace to its closing brace, read as YAML flow mappings.

    Raises ValueError for a text with more braces than can be tried.
    """
    ends = _ends(text)
    at, left = 0, _MOST_IN_VAIN
    while (at := text.find("{", at)) >= 0:
        end = min(ends.get(at, len(text)), at + _LONGEST)
        if end == at + 1:  # a brace at the end of the text
            return
        written = text[at:end]
        value, read = _read(written + "}" * max(0, written.count("{") - written.count("}")))
        if value is not None:
            yield value
            at = end
            continue
        at += 1
        left -= read + len(written) // _TAKING
        if left < 0:
            raise ValueError("the text has too many braces to look for objects in it")


def _ends(text: str) -> dict[int, int]:
    """For each closed brace, by its offset: the offset after the brace that closes it."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for at, sign in enumerate(text):
        if sign == "{":
            opened.append(at)
        elif sign == "}" and opened:
            ends[opened.pop()] = at + 1
    return ends


def _read(text: str) -> tuple[dict[Any, Any] | None, int]:
    """The object that a text holds, if any, and the number of characters read to find out."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Not `parse`, which is slow because it repairs text that is not an object to promptfoo either.
        tree, failure = build("\n".join(map(_with_comment, text.split("\n"))) if "//" in text else text)
        if failure is not None:
            return None, failure.offset
        value = None if tree.problems or not isinstance(tree.root, MappingNode) else plain(tree.root, tree.anchors)
    return value if isinstance(value, dict) else None, len(text)


def _with_comment(line: str) -> str:
    """A line in which a comment after `//`, outside of quotes and addresses, is one of YAML."""
    quote = ""
    for found in _SIGNS.finditer(line):
        at, sign = found.start(), found.group()
        letters = line[max(0, at - 1) : at], line[at + 1 : at + 2]
        if quote:
            is_escaped = (at - len(line[:at].rstrip("\\"))) % 2 == 1
            if sign == quote and not is_escaped and not (sign == "'" and _LETTER.match(letters[1])):
                quote = ""
        elif sign == '"' or (sign == "'" and not _LETTER.match(letters[0])):
            quote = sign
        elif sign not in _QUOTES and "://" not in line[line.rfind(" ", 0, at) + 1 : at + 2]:
            return f"{line[:at]}{'#' * (len(sign) // 2)}{line[found.end() :]}"
    return line


#: The drafts that `$schema` may name.
_DRAFTS = frozenset(
    f"http://json-schema.org/{name}{end}" for name in ("draft-07/schema", "schema") for end in ("", "#")
)
#: Keywords that compare values with a format.
LIMITS = ("formatMinimum", "formatMaximum", "formatExclusiveMinimum", "formatExclusiveMaximum")


def refusal_of(schema: Mapping[str, Any]) -> str:
    """Why promptfoo refuses a schema whose keywords it knows; empty if it does not."""
    draft = schema.get("$schema", "http://json-schema.org/schema")
    if not isinstance(draft, str) or draft not in _DRAFTS:
        return f"it knows draft 7 only, not {draft}"
    return next(filter(None, map(_refusal_of_one, schemas_in(schema))), "")


def _refusal_of_one(part: Mapping[str, Any]) -> str:
    if "if" in part and "then" not in part and "else" not in part:
        return "`if` without `then` and `else`"
    if "if" not in part and ("then" in part or "else" in part):
        return "`then` and `else` without `if`"
    if "additionalItems" in part and not isinstance(part.get("items"), list):
        return "`additionalItems` where `items` is no list"
    if "nullable" in part and ("type" not in part or not isinstance(part["nullable"], bool)):
        return "`nullable` is true or false, and stands beside `type`"
    if "format" in part and not is_format(part["format"]):
        return f"unknown format {part['format']}"
    enum = part.get("enum", ["any"])
    listed = [json.dumps(each, sort_keys=True, default=str) for each in enum] if isinstance(enum, list) else ["any"]
    if not listed or len(set(listed)) < len(listed):
        return "`enum` is empty, or names a value twice"
    return next(filter(None, map(_broken, _patterns_of_one(part))), "")


def _broken(pattern: str) -> str:
    try:
        translate(pattern, "u")
    except InvalidPatternError as error:
        return f"the pattern {pattern}: {error}"
    except ValueError:
        return ""  # `patterns_of` reports it
    return ""


def _patterns_of_one(part: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(part.get("pattern"), str):
        yield part["pattern"]
    named = part.get("patternProperties")
    # promptfoo reads no pattern that allows anything, unless others are counted by it.
    for each, schema in named.items() if isinstance(named, Mapping) else ():
        if schema not in ({}, True) or part.get("additionalProperties") not in (None, True):
            yield str(each)


def patterns_of(schema: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Each pattern of JavaScript in a schema for Python, and by which engine. Raises UnsupportedPatternError."""
    found = {each for part in schemas_in(schema) for each in _patterns_of_one(part)}
    made = {each: translate(each, "u") for each in sorted(found)}
    return {each: (translation.pattern, translation.engine) for each, translation in made.items()}


#: Seconds of processor time for a schema: its patterns may never end.
_TIME_LIMIT = 5.0
#: Digits of a whole number; a longer one is read as JavaScript reads it, and Python would refuse it.
_MOST_DIGITS = 300


async def _is_json(params: AssertionParams) -> GradingResult:
    try:
        value = _parsed(params.text)
    except RecursionError:
        raise Unscored("the output is nested too deeply to parse as JSON", at=params.config) from None
    except ValueError as error:
        return pass_or_fail(params, False, f"is not JSON: {error}")
    schema = _schema(params)
    if schema is None:
        return pass_or_fail(params, True, "", "is JSON")
    (misfit,) = await misfits(params, schema, [value])
    return pass_or_fail(params, misfit is None, f"does not fit the schema: {misfit}", "fits the schema")


async def _contains_json(params: AssertionParams) -> GradingResult:
    try:
        objects = list(objects_in(params.text))
    except ValueError as error:
        raise row_error(params, str(error)) from None
    if not objects:
        return pass_or_fail(params, False, "contains no JSON object")
    schema = _schema(params)
    if schema is None:
        return pass_or_fail(params, True, "", "contains a JSON object")
    errors = await misfits(params, schema, objects)
    fits = None in errors
    # promptfoo looks no further than the first that fits; turned round, it is the last one looked at that decides
    return pass_or_fail(
        params, fits, f"contains no JSON object that fits the schema: {errors[-1]}", "contains one that fits the schema"
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _parsed(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant, parse_int=_whole)


def _schema(params: AssertionParams) -> dict[str, Any] | None:
    """The schema in `value`; None if there is none. Raises GraderError for a schema that promptfoo rejects."""
    schema = params.value
    if isinstance(schema, str):
        tree = parse(schema)
        schema = plain(tree.root, tree.anchors) if schema.strip() else NO_VALUE
    if schema is NO_VALUE or schema is None or schema in (False, 0):
        return None
    if not isinstance(schema, dict):
        raise row_error(params, "needs a JSON Schema as `value`")
    return schema


async def misfits(params: AssertionParams, schema: Mapping[str, Any], values: Sequence[Any]) -> list[str | None]:
    """For each value, where and why it violates a schema; None if it does not.

    Raises GraderError for a schema that promptfoo refuses, Unscored for one that takes too long.
    """
    if find_spec("jsonschema") is None:
        raise GraderError(
            "JSON Schemas need the package jsonschema, which rubric has with its extra `promptfoo`", at=params.config
        )
    refusal, limit = refusal_of(schema), next((n for each in schemas_in(schema) for n in LIMITS if n in each), None)
    if refusal:
        raise row_error(params, f"has a schema that promptfoo refuses: {refusal}")
    if limit:
        raise Unscored(f"rubric does not check `{limit}` of schemas; write `javascript`", at=params.config)
    try:
        patterns = patterns_of(schema)
    except UnsupportedPatternError as error:
        raise Unscored(str(error), at=params.config) from None
    request = {"do": "fit", "schema": schema, "patterns": patterns, "values": list(values)}
    try:
        if params.context.ports is not None:
            return list(await params.context.ports.sandbox.compute(request, _TIME_LIMIT))
        with Sandbox() as sandbox:
            return list(await sandbox.compute(request, _TIME_LIMIT))
    except SandboxError as error:
        if error.told:
            raise row_error(params, str(error)) from None
        raise Unscored(f"the schema {error} with this output", at=params.config) from None


JSON_CHECKS: Mapping[str, Handler] = {"is-json": _is_json, "contains-json": _contains_json}
