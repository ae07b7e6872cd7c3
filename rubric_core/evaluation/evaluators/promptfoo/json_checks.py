"""Assertions about JSON in an output, with a JSON Schema where one is given."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.evaluation.evaluators.promptfoo.check import Check, Finding, Handler, found, row_error
from rubric_core.evaluation.evaluators.promptfoo.json_objects import objects_in
from rubric_core.evaluation.model.promptfoo_assertion import NO_VALUE
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

__all__ = ["JSON_CHECKS", "first_error", "schema_validator"]


def _is_json(check: Check) -> Finding:
    try:
        value = _parsed(check.text)
    except (ValueError, RecursionError) as error:
        return found(check, False, f"is not JSON: {error}")
    validator = _validator(check)
    if validator is None:
        return found(check, True, "", "is JSON")
    misfit = first_error(validator, value)
    return found(check, misfit is None, f"does not fit the schema: {misfit}", "fits the schema")


def _contains_json(check: Check) -> Finding:
    try:
        objects = list(objects_in(check.text))
    except ValueError as error:
        raise row_error(check, str(error)) from None
    if not objects:
        return found(check, False, "contains no JSON object")
    validator = _validator(check)
    if validator is None:
        return found(check, True, "", "contains a JSON object")
    errors = [first_error(validator, each) for each in objects]
    fits = None in errors
    # promptfoo looks no further than the first that fits; turned round, it is the last one looked at that decides
    return found(
        check, fits, f"contains no JSON object that fits the schema: {errors[-1]}", "contains one that fits the schema"
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _parsed(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _validator(check: Check) -> Any:
    """The validator for the schema in `value`; None without one. Raises GraderError for a schema that promptfoo refuses."""
    schema = check.value
    if isinstance(schema, str):
        tree = parse(schema)
        schema = plain(tree.root, tree.anchors) if schema.strip() else NO_VALUE
    if schema is NO_VALUE or schema is None or schema in (False, 0):
        return None
    if not isinstance(schema, dict):
        raise row_error(check, "needs a JSON Schema as `value`")
    return schema_validator(schema, check)


def schema_validator(schema: dict[str, Any], check: Check) -> Any:
    """The validator for a schema. Raises GraderError for one that promptfoo refuses."""
    try:
        from jsonschema import Draft7Validator, FormatChecker  # noqa: PLC0415  # an extra, for schemas alone
        from jsonschema.exceptions import SchemaError  # noqa: PLC0415
    except ImportError:
        raise GraderError(
            "JSON Schemas need the package jsonschema, which rubric has with its extra `promptfoo`", at=check.config
        ) from None
    unknown = next(_unknown_keys(schema, frozenset(Draft7Validator.VALIDATORS)), None)
    if unknown is not None:
        raise row_error(check, f"has a schema that promptfoo refuses: unknown keyword {unknown}")
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as error:
        raise row_error(check, f"has a schema that is none: {error.message}") from None
    return Draft7Validator(schema, format_checker=FormatChecker())


_ANNOTATIONS = frozenset({
    "$schema", "$id", "$comment", "title", "description", "default", "examples", "definitions", "$defs", "readOnly", "writeOnly",
    "deprecated", "contentMediaType", "contentEncoding", "nullable", "then", "else", "id",
})  # fmt: skip
_NAMED = ("properties", "patternProperties", "definitions", "$defs")
_INNER = ("items", "additionalItems", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not")
_LISTED = ("allOf", "anyOf", "oneOf", "items")


def _unknown_keys(schema: Any, known: frozenset[str]) -> Iterator[str]:
    """The unknown keywords of a schema, which promptfoo refuses."""
    if not isinstance(schema, dict):
        return
    for name, value in schema.items():
        if name not in known and name not in _ANNOTATIONS:
            yield name
        if name in _NAMED and isinstance(value, dict):
            for each in value.values():
                yield from _unknown_keys(each, known)
        elif name in _INNER and isinstance(value, dict):
            yield from _unknown_keys(value, known)
        elif name in _LISTED and isinstance(value, list):
            for each in value:
                yield from _unknown_keys(each, known)


def first_error(validator: Any, value: Any) -> str | None:
    """Where and why a value does not fit; None if it does."""
    error = next(iter(validator.iter_errors(value)), None)
    if error is None:
        return None
    where = "".join(f"/{part}" for part in error.absolute_path)
    return f"{where}: {error.message}" if where else str(error.message)


JSON_CHECKS: Mapping[str, Handler] = {"is-json": _is_json, "contains-json": _contains_json}
