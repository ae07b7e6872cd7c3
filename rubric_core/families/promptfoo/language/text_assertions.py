"""The assertions of promptfoo about the text of an output."""

from typing import ClassVar

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.language.shape import key
from rubric_core.language.value_kinds import Anything, ListOf, NodeUnion, Number, Text

__all__ = [
    "Contains",
    "ContainsAll",
    "ContainsAny",
    "ContainsHtml",
    "ContainsJson",
    "ContainsSql",
    "ContainsXml",
    "Equals",
    "IContains",
    "IContainsAll",
    "IContainsAny",
    "IsHtml",
    "IsJson",
    "IsSql",
    "IsXml",
    "Regex",
    "StartsWith",
]


class Equals(Assertion):
    """An equals assertion: the output equals `value`, deeply for a mapping or list; score 1 or 0."""

    lack_effect: ClassVar[str] = "promptfoo compares the output with the word `undefined`"
    lack_is_survived: ClassVar[bool] = True
    value = key(Anything(), "What the output should be.", required=True, example="Paris")


class Contains(Assertion):
    """A contains assertion: the output contains `value`; score 1 or 0."""

    value = key(
        NodeUnion(text=Text(spaces=True), number=Number()),
        "The text to find: a non-empty string or a number.",
        required=True,
        example="Paris",
    )


class IContains(Assertion):
    """An icontains assertion: the output contains `value`, in any case of letters; score 1 or 0."""

    value = key(
        NodeUnion(text=Text(spaces=True), number=Number()),
        "The text to find: a non-empty string or a number.",
        required=True,
        example="paris",
    )


class ContainsAny(Assertion):
    """A contains-any assertion: the output contains one of the texts; score 1 or 0."""

    value = key(
        NodeUnion(text=Text(spaces=True), sequence=ListOf(Anything())),
        "The texts: a list, or text with commas.",
        required=True,
        example="[Paris, London]",
    )


class ContainsAll(Assertion):
    """A contains-all assertion: the output contains every text; score 1 or 0. `not-contains-all` passes as soon as one is missing."""

    value = key(
        NodeUnion(text=Text(spaces=True), sequence=ListOf(Anything())),
        "The texts: a list, or text with commas.",
        required=True,
        example="[Paris, France]",
    )


class IContainsAny(Assertion):
    """An icontains-any assertion: the output contains one of the texts, in any case of letters; score 1 or 0."""

    value = key(
        NodeUnion(text=Text(spaces=True), sequence=ListOf(Anything())),
        "The texts: a list, or text with commas.",
        required=True,
        example="[paris, london]",
    )


class IContainsAll(Assertion):
    """An icontains-all assertion: the output contains every text, in any case of letters; score 1 or 0."""

    value = key(
        NodeUnion(text=Text(spaces=True), sequence=ListOf(Anything())),
        "The texts: a list, or text with commas.",
        required=True,
        example="[paris, france]",
    )


class StartsWith(Assertion):
    """A starts-with assertion: the output starts with `value`; score 1 or 0."""

    value = key(Text(spaces=True), "The beginning: a non-empty string.", required=True, example="Yes")


class Regex(Assertion):
    """A regex assertion: a match of the JavaScript pattern is in the output; no flags; score 1 or 0."""

    value = key(Text(spaces=True), "The pattern, in the syntax of JavaScript.", required=True, example="'\\d{4}'")


class IsJson(Assertion):
    """An is-json assertion: the whole output is JSON and fits the schema, if any; score 1 or 0."""

    value = key(
        Anything(),
        "A JSON Schema, as a mapping, as text, or in a file.",
        example="{type: object, required: [city]}",
    )


class ContainsJson(Assertion):
    """A contains-json assertion: a JSON object is in the output and fits the schema, if any; bare lists do not count; score 1 or 0."""

    value = key(
        Anything(),
        "A JSON Schema, as a mapping, as text, or in a file.",
        example="{type: object, required: [city]}",
    )


class IsXml(Assertion):
    """An is-xml assertion: the whole output is well-formed XML with these elements; score 1 or 0."""

    value = key(Anything(), "The elements that are needed, as dotted paths.", example="a.b,c")


class ContainsXml(Assertion):
    """A contains-xml assertion: well-formed XML with these elements is in the output; score 1 or 0."""

    value = key(Anything(), "The elements that are needed, as dotted paths.", example="a.b,c")


class IsHtml(Assertion):
    """An is-html assertion: the output is HTML; score 1 or 0."""


class ContainsHtml(Assertion):
    """A contains-html assertion: HTML is in the output; score 1 or 0."""


class IsSql(Assertion):
    """An is-sql assertion: the output is SQL, as far as the package `node-sql-parser` tells; score 1 or 0."""

    value = key(
        Anything(),
        "The kind of database, and the tables and columns that are allowed.",
        example="{databaseType: MySQL}",
    )


class ContainsSql(Assertion):
    """A contains-sql assertion: SQL is in the output, as far as the package `node-sql-parser` tells; score 1 or 0."""

    value = key(
        Anything(),
        "The kind of database, and the tables and columns that are allowed.",
        example="{databaseType: MySQL}",
    )
