"""Parts of JSON Schema: scalars, conditions, and annotations of a key."""

from collections.abc import Collection, Iterable
from typing import Any

from rubric_core.language.dialect import Dialect
from rubric_core.language.shape import EXTENSION, Key, Shape
from rubric_core.language.value_kinds import Choice, Integer, Number, Text
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

__all__ = [
    "NOT_BLANK", "REFERENCE", "Json", "annotations", "choice", "has", "number", "or_nothing", "or_reference", "required", "text", "types",
]  # fmt: skip

Json = dict[str, Any]

NOT_BLANK: Json = {"type": "string", "pattern": r"\S", "errorMessage": "This should be a non-empty string."}
#: Stands in place of a mapping that is kept elsewhere.
REFERENCE: Json = {"type": "string", "description": "Where the mapping is kept: a pointer into this file or another."}
_EVERY_TYPE = ["string", "number", "boolean", "object", "array", "null"]


def text(kind: Text) -> Json:
    """The schema of a string."""
    if kind.blank:
        return {"type": "string"}
    return {"type": "string", "minLength": 1, "errorMessage": NOT_BLANK["errorMessage"]} if kind.spaces else NOT_BLANK


def number(kind: Number | Integer) -> Json:
    """The schema of a number, with its bounds."""
    above = kind.above if isinstance(kind, Number) else None
    bounds = {"minimum": kind.at_least, "maximum": kind.at_most, "exclusiveMinimum": above}
    name = "integer" if isinstance(kind, Integer) else "number"
    return {"type": name, **{k: bound for k, bound in bounds.items() if bound is not None}}


def choice(kind: Choice) -> Json:
    """The schema of a word of a fixed set, with the documentation of each."""
    words = [text for _, text in kind.options]
    return {"type": "string", "enum": list(kind.names), "markdownEnumDescriptions": words}


def types(schema: Json) -> list[str]:
    """The JSON types that a schema allows; all of them by default."""
    found = schema.get("type", _EVERY_TYPE)
    return [found] if isinstance(found, str) else list(found)


def has(name: str, value: Json | None = None) -> Json:
    """A condition: a mapping has the key, with a value that fits the schema `value`."""
    return {"type": "object", "required": [name], **({"properties": {name: value}} if value else {})}


def annotations(name: str, declared: Key[Any]) -> Json:
    """The annotations of a key for editors: its documentation, default and example."""
    default = f"\n\nDefault: {declared.shown_default}" if declared.shown_default else ""
    example = f"\n\nExample: `{name}: {declared.example}`" if declared.example else ""
    doc = f"{declared.doc} {EXTENSION}" if declared.extension else declared.doc
    made: Json = {"description": doc}
    if default or example:
        made["markdownDescription"] = f"{doc}{default}{example}"
    if isinstance(declared.default, str | int | float | bool):
        made["default"] = declared.default
    if declared.example:
        tree = parse(declared.example)
        made["examples"] = [plain(tree.root, tree.anchors)]
    return made


def or_nothing(schema: Json) -> Json:
    """The same schema, or null for a key without a value."""
    if "enum" in schema:
        said = (
            "description",
            "markdownDescription",
            "default",
            "examples",
            "deprecated",
            "deprecationMessage",
            "doNotSuggest",
        )
        bare = {name: value for name, value in schema.items() if name not in said}
        return {**{name: value for name, value in schema.items() if name in said}, "anyOf": [bare, {"type": "null"}]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {**schema, "type": list(dict.fromkeys([*types(schema), "null"]))} if "type" in schema else schema


def or_reference(needed: Json) -> Json:
    """The requirement, unless a `$ref` takes its place."""
    return {"allOf": [{"if": {"required": ["$ref"]}, "else": needed}]} if needed else {}


def required(dialect: Dialect, shape: type[Shape], inner: Collection[str] = (), deeper: Iterable[str] = ()) -> Json:
    """The keys that a mapping needs: each in any spelling that is read, and one key of each group.

    Args:
        dialect: Decides which keys are needed.
        shape: The shape of the mapping.
        inner: Fields that may also stand one level deeper, under one of the keys in `deeper`.
        deeper: Those keys.
    """
    wanted: dict[str, list[Json]] = {}
    for spelling, declared in dialect.fields(shape):
        if dialect.demanded(shape, declared.field):
            alike = [f for f, k in shape.keys.items() if f == declared.field or (k.group and k.group == declared.group)]
            others = [s.name for s in dialect.table(shape).values() if s.field in alike]
            names = list(dict.fromkeys([spelling.name, *others]))
            ways: list[Json] = [{"required": [name]} for name in names]
            if declared.field in inner:
                ways += [{"required": [d], "properties": {d: {"required": [name]}}} for d in deeper for name in names]
            wanted[declared.group or declared.field] = ways
    single = [name for ways in wanted.values() if len(ways) == 1 for name in ways[0]["required"]]
    several = [{"anyOf": ways} for ways in wanted.values() if len(ways) > 1]
    return {**({"required": single} if single else {}), **({"allOf": several} if several else {})}
