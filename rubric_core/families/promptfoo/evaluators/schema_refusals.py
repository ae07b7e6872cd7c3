"""JSON Schemas that promptfoo rejects: drafts other than 7, and errors in the strict mode of its validator."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.js_regex.nodes import InvalidPatternError
from rubric_core.js_regex.translate import translate
from rubric_core.sandbox.checks import schemas_in
from rubric_core.sandbox.formats import is_format

__all__ = ["LIMITS", "patterns_of", "refusal_of"]

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
