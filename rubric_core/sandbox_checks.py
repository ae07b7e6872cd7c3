"""Patterns and JSON Schemas in a sandbox, see `sandbox_worker`, which loads this by its path: without the packages around it.

Patterns may never end, those in a schema as well, and the references of a schema may multiply. None is followed out of a schema:
jsonschema itself would send a request to `http://…`, and read `file:///…`.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

__all__ = ["InvalidSchemaError", "checked"]

#: Keywords that say something about a schema and check nothing.
_ANNOTATIONS = frozenset({
    "$schema", "$id", "$comment", "title", "description", "default", "examples", "definitions", "$defs", "readOnly", "writeOnly",
    "deprecated", "contentMediaType", "contentEncoding", "nullable", "then", "else", "id",
})  # fmt: skip
_NAMED = ("properties", "patternProperties", "definitions", "$defs")
_INNER = ("items", "additionalItems", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not")
_LISTED = ("allOf", "anyOf", "oneOf", "items")
#: Characters of a message, which repeats the value.
_LONGEST = 1_000


class InvalidSchemaError(Exception):
    """A schema that promptfoo refuses; the message says why, as a verb ("has a schema …")."""


def checked(request: dict[str, Any]) -> Any:
    """What a request asks: whether a pattern matches, or what is wrong with values. Raises InvalidSchemaError."""
    return _matches(request) if request["do"] == "match" else _first_errors(request["schema"], request["values"])


def _matches(request: dict[str, Any]) -> bool:
    """Whether a pattern matches somewhere in a text, or at its start where it is sticky."""
    import re  # noqa: PLC0415

    engine: Any = re
    if request["engine"] == "regex":
        import regex  # noqa: PLC0415  # takes long to load, and few patterns need it

        engine = regex
    pattern = engine.compile(request["pattern"])
    return bool((pattern.match if request["sticky"] else pattern.search)(request["text"]))


def _first_errors(schema: dict[str, Any], values: list[Any]) -> list[str | None]:
    """For each value, where and why it does not fit a schema; None if it does. Raises InvalidSchemaError."""
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  # with the first schema

    validator = _validator(json.dumps(schema))
    try:
        return [_first_error(validator, value) for value in values]
    except Unresolvable as error:
        raise InvalidSchemaError(
            f"has a schema whose `$ref` leads nowhere in it: {str(getattr(error, 'ref', ''))[:_LONGEST]}"
        ) from None


@lru_cache(maxsize=64)
def _validator(text: str) -> Any:
    from jsonschema import Draft7Validator, FormatChecker  # noqa: PLC0415
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415  # it comes with jsonschema, without types

    schema = json.loads(text)
    unknown = next(_unknown_keys(schema, frozenset(Draft7Validator.VALIDATORS)), None)
    if unknown is not None:
        raise InvalidSchemaError(f"has a schema that promptfoo refuses: unknown keyword {unknown}")
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as error:
        raise InvalidSchemaError(f"has a schema that is none: {error.message[:_LONGEST]}") from None
    return Draft7Validator(schema, format_checker=FormatChecker(), registry=REGISTRY)


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


def _first_error(validator: Any, value: Any) -> str | None:
    error = next(iter(validator.iter_errors(value)), None)
    if error is None:
        return None
    where = "".join(f"/{part}" for part in error.absolute_path)
    message = str(error.message)[:_LONGEST]
    return f"{where}: {message}" if where else message
