"""Patterns and JSON Schemas in a sandbox process. `worker` loads this module by its path, without the packages around it.

Patterns may never end, also those in a schema, and the references of a schema may multiply. None is followed out of a
schema: jsonschema itself would send a request to `http://…`, and read `file:///…`.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

__all__ = ["InvalidSchemaError", "checked", "schemas_in"]

#: Annotations of a schema, which check nothing.
_ANNOTATIONS = frozenset({
    "$schema", "$id", "$comment", "title", "description", "default", "examples", "definitions", "$defs", "readOnly", "writeOnly",
    "deprecated", "contentMediaType", "contentEncoding", "contentSchema", "nullable", "then", "else",
})  # fmt: skip
_NAMED = ("properties", "patternProperties", "definitions", "$defs")
_INNER = ("items", "additionalItems", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not")
_LISTED = ("allOf", "anyOf", "oneOf", "items")
#: Characters of a message, which repeats the value.
_LONGEST = 1_000


class InvalidSchemaError(Exception):
    """A schema that promptfoo rejects; the message says why, as a verb ("has a schema …")."""


def checked(request: dict[str, Any]) -> Any:
    """The result of a request: whether a pattern matches, or the errors of values. Raises InvalidSchemaError."""
    if request["do"] == "match":
        return _matches(request)
    return _first_errors(request["schema"], request["patterns"], request["values"])


def _matches(request: dict[str, Any]) -> bool:
    """Whether a pattern matches anywhere in a text, or at its start if it is sticky."""
    import re  # noqa: PLC0415

    engine: Any = re
    if request["engine"] == "regex":
        import regex  # noqa: PLC0415  # takes long to load, and few patterns need it

        engine = regex
    pattern = engine.compile(request["pattern"])
    return bool((pattern.match if request["sticky"] else pattern.search)(request["text"]))


def _first_errors(schema: dict[str, Any], patterns: dict[str, list[str]], values: list[Any]) -> list[str | None]:
    """For each value, where and why it does not fit a schema; None if it does. Raises InvalidSchemaError."""
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  # with the first schema

    validator = _validator(json.dumps(schema), json.dumps(patterns))
    try:
        return [_first_error(validator, value) for value in values]
    except Unresolvable as error:
        raise InvalidSchemaError(
            f"has a schema whose `$ref` leads nowhere in it: {str(getattr(error, 'ref', ''))[:_LONGEST]}"
        ) from None


@lru_cache(maxsize=64)
def _validator(text: str, patterns: str) -> Any:
    from jsonschema import Draft7Validator, FormatChecker  # noqa: PLC0415
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415
    from jsonschema.validators import extend  # noqa: PLC0415
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415  # it comes with jsonschema, without types

    schema = json.loads(text)
    unknown = next(_unknown_keys(schema, frozenset(Draft7Validator.VALIDATORS)), None)
    if unknown is not None:
        raise InvalidSchemaError(f"has a schema that promptfoo refuses: unknown keyword {unknown}")
    try:
        # Without the formats of that schema, which are those of Python's patterns.
        Draft7Validator.check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError as error:
        raise InvalidSchemaError(f"has a schema that is none: {error.message[:_LONGEST]}") from None
    own = _keywords(Draft7Validator.VALIDATORS["type"], json.loads(patterns))
    return extend(Draft7Validator, own)(schema, registry=REGISTRY)  # type: ignore[no-untyped-call]  # its stub has no types


def _keywords(of_type: Any, patterns: dict[str, list[str]]) -> dict[str, Any]:
    """The keywords that mean something else in promptfoo: its formats, JavaScript's patterns, and `nullable`."""
    from runpy import run_path  # noqa: PLC0415  # with the first schema

    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    fits_format = run_path(f"{__file__.removesuffix('checks.py')}formats.py")["fits_format"]

    def matches(pattern: str, text: str) -> bool:
        written, engine = patterns[pattern]
        return _matches({"pattern": written, "engine": engine, "sticky": False, "text": text})

    def types(validator: Any, named: Any, value: Any, schema: dict[str, Any]) -> Iterator[Any]:
        if value is not None or schema.get("nullable") is not True:
            yield from of_type(validator, named, value, schema)

    def pattern(_: Any, written: str, value: Any, __: Any) -> Iterator[Any]:
        if isinstance(value, str) and not matches(written, value):
            yield ValidationError(f"{value!r} does not match {written!r}")

    def pattern_properties(validator: Any, named: dict[str, Any], value: Any, _: Any) -> Iterator[Any]:
        for written, schema in named.items():
            for name, inner in value.items() if isinstance(value, dict) and schema not in ({}, True) else ():
                if matches(written, name):
                    yield from validator.descend(inner, schema, path=name, schema_path=written)

    def additional_properties(validator: Any, further: Any, value: Any, schema: dict[str, Any]) -> Iterator[Any]:
        known, named = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, inner in value.items() if isinstance(value, dict) and further is not True else ():
            if name in known or any(matches(each, name) for each in named):
                continue
            if further is False:
                yield ValidationError(f"there may be no {name!r}")
            else:
                yield from validator.descend(inner, further, path=name)

    def has_format(_: Any, name: str, value: Any, __: Any) -> Iterator[Any]:
        if not fits_format(name, value):
            yield ValidationError(f"{value!r} has not the format {name}")

    return {
        "type": types, "pattern": pattern, "patternProperties": pattern_properties, "additionalProperties": additional_properties,
        "format": has_format,
    }  # fmt: skip


def schemas_in(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A schema and all schemas in it."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    for name, value in schema.items():
        if name in _NAMED and isinstance(value, Mapping):
            for each in value.values():
                yield from schemas_in(each)
        elif name in _INNER and isinstance(value, Mapping):
            yield from schemas_in(value)
        elif name in _LISTED and isinstance(value, list):
            for each in value:
                yield from schemas_in(each)


def _unknown_keys(schema: Any, known: frozenset[str]) -> Iterator[str]:
    """The unknown keywords of a schema, which promptfoo refuses."""
    return (name for part in schemas_in(schema) for name in part if name not in known and name not in _ANNOTATIONS)


def _first_error(validator: Any, value: Any) -> str | None:
    error = next(iter(validator.iter_errors(value)), None)
    if error is None:
        return None
    where = "".join(f"/{part}" for part in error.absolute_path)
    message = str(error.message)[:_LONGEST]
    return f"{where}: {message}" if where else message
