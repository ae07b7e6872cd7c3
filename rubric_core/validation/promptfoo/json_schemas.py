"""JSON Schemas in assertions that promptfoo's validator refuses, so that the row is an error."""

from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from rubric_core.language.closest_name import closest, is_typo
from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.language.promptfoo.files import JsonSchema
from rubric_core.language.promptfoo.text_assertions import ContainsJson, IsJson
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.parse import parse as read
from rubric_core.syntax.pointers import part_name
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, mappings_in
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.script_names import place_in_code
from rubric_core.validation.rule import Context, Finding, Fix, checks

#: The path of a file with a schema.
_PATH = pattern(r"[\w./-]{1,200}\.(?:json|ya?ml)\Z")
#: A text that is a schema: with several lines, or in braces.
_SCHEMA_TEXT = pattern(r"\s{0,99}\{|[^\n]{0,9999}\n")
_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
#: Keywords of draft 7 by their values: a schema, a list of schemas, schemas by name, or something else.
_SCHEMA = frozenset({
    "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems",
})  # fmt: skip
_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf"})
_NAMED = frozenset({"properties", "patternProperties", "definitions", "$defs"})
_OTHERS = frozenset({
    "$id", "$schema", "$ref", "$comment", "$vocabulary", "id", "title", "description", "default", "deprecated", "readOnly", "writeOnly",
    "examples", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "items",
    "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required", "dependencies", "const", "enum", "type",
    "format", "contentMediaType", "contentEncoding", "nullable",
})  # fmt: skip
_KNOWN = _SCHEMA | _SCHEMAS | _NAMED | _OTHERS
_NUMBERS = frozenset({
    "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "maxItems", "minItems",
    "maxProperties", "minProperties",
})  # fmt: skip
#: The formats of ajv-formats, which promptfoo loads; any other is refused.
_FORMATS = (
    "date", "time", "date-time", "iso-time", "iso-date-time", "duration", "uri", "uri-reference", "uri-template", "url", "email", "hostname",
    "ipv4", "ipv6", "regex", "uuid", "json-pointer", "json-pointer-uri-fragment", "relative-json-pointer", "byte", "int32", "int64", "float",
    "double", "password", "binary",
)  # fmt: skip
#: Keywords of later drafts, which the validator refuses as it refuses unknown ones.
_LATER = frozenset({
    "prefixItems", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems", "dependentRequired", "dependentSchemas",
    "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "discriminator",
})  # fmt: skip
#: Keywords of extensions, which are not reported.
_UNSURE = frozenset({
    "contentSchema", "formatMinimum", "formatMaximum", "formatExclusiveMinimum", "formatExclusiveMaximum", "<<",
})  # fmt: skip
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@checks("promptfoo/json-schema", "invalid-value")
def schema_faults(shape: IsJson | ContainsJson, context: Context) -> Iterator[Finding]:
    """A JSON Schema that promptfoo's validator rejects.

    Here one that stands inline under `value`.
    """
    place = shape.places.get("value")
    node = place.node if place is not None and not place.borrowed else None
    if node is not None:
        yield from _schema(node)
    if (
        isinstance(node, Scalar)
        and isinstance(node.value, str)
        and _SCHEMA_TEXT.match(node.text)
        and "{{" not in node.text
    ):
        yield from _in_text(node, context.text)
    if isinstance(node, Scalar) and _PATH.match(node.text):
        at = node.span.start + node.is_quoted
        fixes = () if node.is_block else (Fix("write file:// in front", (Edit(Span(at, at), "file://"),), safe=False),)
        words = "the path of a schema begins with file://; this text is no schema"
        yield Finding(node.span, words, fixes=fixes, consequence=ROW_ERRORS)


@checks("promptfoo/json-schema", "invalid-value")
def schema_file_faults(shape: JsonSchema) -> Iterator[Finding]:
    """The errors of a schema in a file of its own, in which references are local."""
    if shape.node is None:
        return
    yield from _schema(shape.node)
    for each in mappings_in(shape.node):
        target = each.get("$ref")
        if isinstance(target, Scalar) and target.text.startswith("#/") and not _leads_anywhere(shape.node, target.text):
            words = f"there is nothing at `{target.text}` in this schema"
            yield Finding(target.span, words, consequence=ROW_ERRORS)


def _leads_anywhere(root: Node, pointer: str) -> bool:
    """Whether a pointer refers to a part of a schema; aliases are not followed."""
    node: Node | None = root
    for step in pointer.removeprefix("#/").split("/"):
        name = part_name(unquote(step))
        if isinstance(node, Sequence):
            node = node.items[int(name)] if name.isdigit() and int(name) < len(node.items) else None
        elif isinstance(node, Mapping) and node.get("<<") is None:
            node = node.get(name)
        else:
            return node is not None
        if node is None:
            return False
    return True


def _in_text(node: Scalar, text: str) -> Iterator[Finding]:
    """The first error of a schema in the text of a block."""
    tree = read(node.text)
    broken = next((each for each in tree.problems if each.kind == "syntax"), None)
    if broken is not None:
        at = place_in_code(node, text, broken.span.start, 1) or node.span
        yield Finding(at, f"this schema is no YAML: {broken.message}", consequence=ROW_ERRORS)
    elif tree.root is not None:
        for each in islice(_schema(tree.root), 1):
            place = place_in_code(node, text, each.span.start, each.span.end - each.span.start)
            yield replace(each, span=place or node.span, fixes=())


def _schema(node: Node) -> Iterator[Finding]:
    if isinstance(node, Sequence):
        yield Finding(node.span, "a schema is a mapping", consequence=ROW_ERRORS)
    if not isinstance(node, Mapping):
        return
    yield from _required(node)
    for entry in node.entries:
        name, value = entry.name, entry.value
        if name is None or name in _UNSURE:
            continue
        if name in _LATER:
            words = f"`{name}` is a keyword of later drafts; promptfoo's validator reads draft 7"
            yield Finding(entry.key.span, words, consequence=ROW_ERRORS)
        elif name == "$schema" and isinstance(value, Scalar):
            yield from _draft(value)
        elif name not in _KNOWN:
            yield _unknown(entry, name)
        elif name == "type":
            yield from _types(value)
        elif name == "pattern" and isinstance(value, Scalar):
            yield from _pattern(value)
        elif name == "format" and isinstance(value, Scalar):
            yield from _format(value)
        elif (kind := _other_kind(name, value)) is not None:
            yield Finding(
                entry.key.span if isinstance(value, Scalar) and value.value is None else value.span,
                f"`{name}` of a schema is {kind}", consequence=ROW_ERRORS,
            )  # fmt: skip
        elif name in _SCHEMA or name == "items":
            for each in value.items if name == "items" and isinstance(value, Sequence) else [value]:
                yield from _schema(each)
        elif name in _SCHEMAS:
            for each in value.items if isinstance(value, Sequence) else ():
                yield from _schema(each)
        elif name in _NAMED and isinstance(value, Mapping):
            for inner in value.entries:
                if inner.name not in ("<<", "$ref"):
                    yield from _named_schema(inner)


def _required(schema: Mapping) -> Iterator[Finding]:
    """Required properties that are a slip of one that the schema describes and does not require."""
    described, required = schema.get("properties"), schema.get("required")
    if not isinstance(described, Mapping) or not isinstance(required, Sequence) or described.get("<<") is not None:
        return
    names = {entry.name for entry in described.entries if entry.name is not None}
    wanted = {item.text for item in required.items if isinstance(item, Scalar)}
    for item in required.items:
        if not isinstance(item, Scalar) or item.text in names or "{{" in item.text:
            continue
        meant = next((each for each in sorted(names - wanted) if is_typo(item.text, each)), None)
        if meant is not None:
            fixes = (Fix(f"change it to `{meant}`", (Edit(item.span, _as_written(item, meant)),)),)
            words = f"this schema describes no property `{item.text}`; did you mean `{meant}`?"
            yield Finding(
                item.span,
                words,
                fixes=fixes,
                severity="warning",
                consequence="the assertion fails on every output without it",
            )


def _pattern(node: Scalar) -> Iterator[Finding]:
    """A pattern that JavaScript refuses. Flags and classes of later releases are not judged."""
    # Few schemas have patterns.
    from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError  # noqa: PLC0415
    from rubric_core.js_regex.parse import parse  # noqa: PLC0415

    if not isinstance(node.value, str) or "{{" in node.text:
        return
    try:
        parse(node.text, "")
    except InvalidPatternError as error:
        yield Finding(node.span, f"this pattern is invalid: {error}", consequence=ROW_ERRORS)
    except (UnsupportedPatternError, RecursionError):
        return


def _draft(node: Scalar) -> Iterator[Finding]:
    """The address of a draft, which has to be that of draft 7 to the letter."""
    if isinstance(node.value, str) and node.text.rstrip("#") != _DRAFT_7.rstrip("#") and "{{" not in node.text:
        fixes = (Fix(f"change it to {_DRAFT_7}", (Edit(node.span, quoted(_DRAFT_7)),)),)
        words = f"promptfoo's validator knows draft 7 only, by the address {_DRAFT_7}"
        yield Finding(node.span, words, fixes=fixes, consequence=ROW_ERRORS)


def _format(node: Scalar) -> Iterator[Finding]:
    if isinstance(node.value, str) and node.text not in _FORMATS and "{{" not in node.text:
        meant = closest(node.text, _FORMATS)
        advice = f"; did you mean `{meant}`?" if meant else ""
        fixes = (Fix(f"change it to `{meant}`", (Edit(node.span, _as_written(node, meant)),)),) if meant else ()
        words = f"promptfoo's validator knows no format `{node.text}`{advice}"
        yield Finding(node.span, words, fixes=fixes, consequence=ROW_ERRORS)


def _as_written(node: Scalar, meant: str) -> str:
    """A word in the place of a scalar, in quotes as that is."""
    return quoted(meant) if node.is_quoted else meant


def _named_schema(entry: Entry) -> Iterator[Finding]:
    """A schema with a name, as properties have."""
    if isinstance(entry.value, Scalar) and not isinstance(entry.value.value, bool):
        at = entry.key.span if entry.value.value is None else entry.value.span
        yield Finding(
            at, f"`{entry.name}` needs a schema, which is a mapping, as in `{{type: string}}`", consequence=ROW_ERRORS
        )
    else:
        yield from _schema(entry.value)


def _other_kind(name: str, value: Node) -> str | None:
    """The expected type of a keyword's value, if it has another one. References are not followed."""
    if isinstance(value, Alias) or (isinstance(value, Mapping) and value.get("$ref") is not None):
        return None
    scalar = value.value if isinstance(value, Scalar) else None
    if name in _NAMED:
        return None if isinstance(value, Mapping) else "a mapping"
    if name in ("required", "enum"):
        return None if isinstance(value, Sequence) else "a list"
    if name in _NUMBERS:
        is_number = isinstance(scalar, int | float) and not isinstance(scalar, bool)
        return None if is_number else "a number"
    if name in _SCHEMA and isinstance(value, Scalar):
        return None if isinstance(scalar, bool) else "a mapping, or true or false"
    return None


def _intended(name: str) -> str | None:
    return closest(name, sorted(_KNOWN)) if name not in _LATER else None


def _unknown(entry: Entry, name: str) -> Finding:
    meant = _intended(name)
    advice = f"; did you mean `{meant}`?" if meant else ""
    fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),) if meant else ()
    return Finding(entry.key.span, f"JSON Schema has no keyword `{name}`{advice}", fixes=fixes, consequence=ROW_ERRORS)


def _types(node: Node) -> Iterator[Finding]:
    if isinstance(node, Mapping) and node.get("$ref") is None:
        yield Finding(node.span, "`type` of a schema is a word or a list of words", consequence=ROW_ERRORS)
    for each in node.items if isinstance(node, Sequence) else [node]:
        if isinstance(each, Scalar) and each.text not in _TYPES and "{{" not in each.text:
            meant = closest(each.text, _TYPES)
            advice = f"; did you mean `{meant}`?" if meant else f"; it can be {', '.join(_TYPES)}"
            fixes = (Fix(f"change it to `{meant}`", (Edit(each.span, _as_written(each, meant)),)),) if meant else ()
            words = f"JSON Schema has no type `{each.text}`{advice}"
            yield Finding(each.span, words, fixes=fixes, consequence=ROW_ERRORS)
