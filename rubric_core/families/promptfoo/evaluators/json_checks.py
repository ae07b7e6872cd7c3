"""Assertions about JSON in an output, with or without a JSON Schema."""

import json
from collections.abc import Mapping, Sequence
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
from rubric_core.families.promptfoo.evaluators.json_objects import objects_in
from rubric_core.families.promptfoo.evaluators.schema_refusals import LIMITS, patterns_of, refusal_of
from rubric_core.families.promptfoo.model.assertion import NO_VALUE
from rubric_core.js_regex.nodes import UnsupportedPatternError
from rubric_core.sandbox.checks import schemas_in
from rubric_core.sandbox.process import Sandbox, SandboxError
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

__all__ = ["JSON_CHECKS", "misfits"]

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
