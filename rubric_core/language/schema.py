"""The catalogue as JSON Schema (draft-07), one schema for each dialect and kind of file.

Written for editors that complete and check by schema, so that every error has one reason: evaluators are distinguished
by `if`/`then` on their `type`, unions by the JSON types of their parts; there is no trial of branches. Keys that an
engine silently ignores have a `deprecationMessage`; values that it rejects are invalid.
"""

import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus
from rubric_core.language.empty_values import may_be_left_empty
from rubric_core.language.evaluators import Band, Evaluator, Include
from rubric_core.language.file_kinds import LANGUAGE, PROVIDER_ITEM, FileKind, language_of
from rubric_core.language.providers import Settings
from rubric_core.language.schema_values import (
    NOT_BLANK,
    REFERENCE,
    Json,
    annotations,
    choice,
    has,
    number,
    or_nothing,
    or_reference,
    required,
    text,
    types,
)  # fmt: skip
from rubric_core.language.shape import Key, Shape
from rubric_core.language.shape_kinds import Messages, OneMessage, Shaped, Shorthand, Tagged
from rubric_core.language.targets import Entry, Provider, Target
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    NodeUnion,
    Number,
    Ranges,
    Text,
)

__all__ = ["KINDS", "Json", "json_schema", "kinds_of"]

#: What a schema of AgentV can be made for, by the word on the command line.
KINDS: Mapping[str, FileKind] = LANGUAGE.schemas


def kinds_of(dialect: Dialect) -> Mapping[str, FileKind]:
    """The kinds of files with a schema in a dialect, by their names on the command line."""
    return language_of(dialect.properties.engine).schemas


#: An id of a provider in the place of a key, with its settings below.
_IDENTITY = r"^(?:[^:]+:.+|echo|https?)$"
#: A lower bound in a map of score ranges.
_SCORE = r"^(?:10|[0-9])$"
_SYNTAX = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_FATES = {
    SpellingStatus.DEPRECATED: "`{}` is deprecated in {}",
    SpellingStatus.LEAVING: "`{}` will not be read by the release after {}",
    SpellingStatus.REFUSED: "`{}` is refused by later releases of {}",
    SpellingStatus.TOLERATED: "`{}` is not read by {}",
    SpellingStatus.IGNORED: "`{}` is not read by {}",
    SpellingStatus.REJECTED: "`{}` is refused by {}",
}


def json_schema(dialect: Dialect, kind: str = "suite") -> Json:
    """The JSON Schema of one kind of file (a key of `kinds_of`) in one dialect."""
    schema = _Schema(dialect)
    root = schema.root(kinds_of(dialect)[kind])
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"{dialect.name} {kind}",
        "description": f"What {dialect.properties.engine} {dialect.releases} reads.",
        **root,
        "definitions": dict(sorted(schema.definitions.items())),
    }


class _Schema:
    """Builds one schema; every shape that is met becomes a definition."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.definitions: dict[str, Json] = {}
        self._interpolation = "|".join(dialect.properties.interpolation)
        self._by_kind: dict[type, Callable[[Any], Json]] = {
            Text: text, Number: number, Integer: number, Boolean: lambda _: {"type": "boolean"}, Choice: choice,
            Anything: lambda _: {}, ListOf: self._list, MapOf: self._map, Shaped: self._shaped, Tagged: self._tagged,
            Shorthand: lambda _: NOT_BLANK, Messages: self._messages, OneMessage: lambda _: {"type": "object"}, Ranges: self._ranges, NodeUnion: self._by_node,
        }  # fmt: skip

    def root(self, kind: FileKind) -> Json:
        """The schema of a whole file."""
        made = self._bare(language_of(kind.family).roots[kind])
        if kind is FileKind.TARGETS and self.dialect.spelled(Provider, "provider") != self.dialect.spelled(
            Target, "provider"
        ):
            # A list without a key above it holds entries of either form.
            made["items"] = {"if": has(Target.tag), "then": made["items"], "else": self.value(PROVIDER_ITEM)}
        return made

    def value(self, kind: Kind[Any]) -> Json:
        """The schema of the values of a kind, or of a string for a value that is only known at run time."""
        bare = self._bare(kind)
        found = types(bare)
        takes = isinstance(kind, Number | Integer | Boolean | Choice | ListOf | NodeUnion)
        if not self._interpolation or not takes or ("string" in found and "enum" not in bare):
            return bare
        if "enum" in bare or "anyOf" in bare:
            return {"anyOf": [*bare.get("anyOf", [bare]), {"type": "string", "pattern": self._interpolation}]}
        message = f"This should be {kind.words()}."
        return {**bare, "type": [*found, "string"], "pattern": self._interpolation, "patternErrorMessage": message}

    def _bare(self, kind: Kind[Any]) -> Json:
        return self._by_kind[type(kind)](kind)

    def _list(self, kind: ListOf) -> Json:
        return {"type": "array", "items": self.value(kind.item), **({} if kind.empty else {"minItems": 1})}

    def _map(self, kind: MapOf) -> Json:
        inner = self.value(kind.value)
        return {"type": "object", **({"additionalProperties": inner} if inner else {})}

    def _messages(self, kind: Messages) -> Json:
        message = self.value(Shaped(kind.message))
        if not kind.lenient:
            return {"type": "array", "items": message}
        first = {"type": "array", "items": [{"type": "object", "required": ["role"]}], "minItems": 1}
        return {"type": "array", "if": first, "then": {"items": message}}

    def _ranges(self, _: Ranges) -> Json:
        return {
            "type": ["array", "object"],
            "items": self.value(Shaped(Band)),
            "minItems": 1,
            "patternProperties": {_SCORE: NOT_BLANK},
            "additionalProperties": False,
            "required": ["0"],
        }

    def _by_node(self, kind: NodeUnion) -> Json:
        """Keywords of JSON Schema only speak of values of their own type, so most branches can share one schema."""
        strings = self.dialect.properties.string_assertions or not isinstance(kind.mapping, Tagged)
        parts = [self._bare(b) for b in kind.branches if strings or not isinstance(b, Shorthand)]
        if any("enum" in part for part in parts):
            return {"anyOf": parts}
        merged = {name: value for part in parts for name, value in part.items()}
        return {**merged, "type": list(dict.fromkeys(name for part in parts for name in types(part)))}

    # Shapes

    def _shaped(self, kind: Shaped) -> Json:
        return {"type": "object", "allOf": [self._ref(kind.shape, self._mapping)]}

    def _tagged(self, kind: Tagged) -> Json:
        return {"type": "object", "allOf": [self._ref(kind.base, self._dispatch)]}

    def _ref(self, shape: type[Shape], make: Callable[[type[Shape]], Json]) -> Json:
        name = shape.__name__
        if name not in self.definitions:
            self.definitions[name] = {}  # a shape may be inside itself
            self.definitions[name] = make(shape)
        return {"$ref": f"#/definitions/{name}"}

    def _dispatch(self, base: type[Shape]) -> Json:
        """`if` the tag has this value, `then` the shape is that one. With an unknown tag any key is allowed."""
        shared = self._mapping(base)
        shared.pop("additionalProperties", None)
        needed: Json = {name: shared.pop(name) for name in ("required", "allOf") if name in shared}
        tag = self.dialect.spelled(base, base.tag) or base.tag
        cases = [
            {"if": has(tag, self._any_of(base, names)), "then": self._ref(shape, self._mapping)}
            for shape, names in self._names(base).items()
        ]
        if base is Evaluator and self.dialect.spelled(Include, "include") is not None:
            included = {"if": has("include"), "then": self._ref(Include, self._mapping), "else": {"required": [tag]}}
            return {**shared, "allOf": [*cases, included]}
        if base is Provider and needed:
            # `openai:gpt-5: {config: …}` is short for an entry with that id.
            short = {"maxProperties": 1, "additionalProperties": {"type": "object"}, "not": {"required": ["config"]}}
            needed = {"allOf": [{"anyOf": [needed, short]}]}
        if self.dialect.properties.refs:
            needed = or_reference(needed)
        every = [*needed.get("allOf", ()), *cases]
        return {**shared, **needed, **({"allOf": every} if every else {})}

    def _names(self, base: type[Shape]) -> Mapping[type[Shape], list[str]]:
        """Each shape below `base` with every way to write its tag."""
        names: dict[type[Shape], dict[str, None]] = {}
        folds = self.dialect.properties.folds_type_names
        for known in self.dialect.types_of(base).values():
            written = names.setdefault(known.shape, {})
            written |= dict.fromkeys((known.name, known.name.replace("-", "_") if folds else known.name))
        return {shape: list(written) for shape, written in names.items()}

    def _any_of(self, base: type[Shape], names: list[str]) -> Json:
        if base not in self.dialect.families:
            return {"enum": names}
        # What follows the colon is the model.
        return {"pattern": f"^(?:{'|'.join(map(_escaped, names))})(?::|$)"}

    def _mapping(self, shape: type[Shape]) -> Json:
        """The keys of a shape; without a `type`, so that it can be one branch of a union."""
        table = self.dialect.table(shape)
        places = {field: number for number, field in enumerate(shape.keys)}
        spellings = sorted(table.values(), key=lambda s: places.get(s.field, len(places)))
        # The id of a provider may be the key before its settings.
        needed = {} if shape.keyed else self._needed(shape)
        schema: Json = {
            "description": f"{shape.title()[:1].upper()}{shape.title()[1:]}.",
            "properties": {s.name: self._shared(shape, s) for s in spellings},
            **(or_reference(needed) if self.dialect.properties.refs else needed),
        }
        if self.dialect.properties.refs:
            # A pattern: some programs follow a property that is called `$ref` in a schema.
            schema["patternProperties"] = {r"^\$ref$": REFERENCE, **({_IDENTITY: {}} if shape.keyed else {})}
        if shape.strict and not shape.open and self.dialect.properties.strict_keys:
            schema["additionalProperties"] = False
        elif not shape.open:
            schema["additionalProperties"] = {"deprecationMessage": f"{self.dialect.name} does not read this key."}
        return schema

    def _needed(self, shape: type[Shape]) -> Json:
        """The required keys. Settings may be beside the name of an entry or one level deeper; the entry requires them."""
        if issubclass(shape, Settings) and not issubclass(shape, Entry):
            return {}
        table = self.dialect.table(shape).values()
        deeper = [s.name for s in table if s.field in shape.nested and s.fate.read]
        inner = {name for base in shape.__mro__ if not issubclass(base, Entry) for name in getattr(base, "keys", ())}
        return required(self.dialect, shape, inner, deeper)

    def _shared(self, shape: type[Shape], spelling: Spelling) -> Json:
        """The schema of a key.

        If the shape inherits the key, the schema is written once, for all shapes derived from the base.
        """
        made = self._property(shape, spelling)
        if spelling.fate is not SpellingStatus.REJECTED and (
            (shape.nullable and self.dialect.properties.refs)
            or may_be_left_empty(self.dialect, shape, spelling.field, in_words=True)
        ):
            made = or_nothing(made)
        owner = next((base for base in shape.__mro__ if spelling.field in vars(base)), shape)
        name = f"{owner.__name__}.{spelling.name}"
        if owner is shape or self.definitions.setdefault(name, made) != made:
            return made
        return {"$ref": f"#/definitions/{name}"}

    def _property(self, shape: type[Shape], spelling: Spelling) -> Json:
        declared = self.dialect.declared(shape, spelling) if spelling.field else None
        if spelling.fate is SpellingStatus.CURRENT and declared is not None:
            return {**annotations(spelling.name, declared), **self._content(shape, declared)}
        if spelling.fate is SpellingStatus.ALIAS and declared is not None:
            return {**annotations(spelling.name, declared), **self._content(shape, declared), "doNotSuggest": True}
        message = self._complaint(shape, spelling)
        if spelling.fate is SpellingStatus.REJECTED:
            return {"doNotSuggest": True, "type": "null", "errorMessage": message}
        content = self._content(shape, declared) if declared is not None and spelling.fate.read else {}
        return {**content, "deprecated": True, "deprecationMessage": message, "doNotSuggest": True}

    def _complaint(self, shape: type[Shape], spelling: Spelling) -> str:
        current = self.dialect.spelled(shape, spelling.field)
        said = _FATES.get(spelling.fate, "`{}` is known to {}").format(spelling.name, self.dialect.name)
        instead = f"; use `{current}`" if current and current != spelling.name else ""
        return f"{said}{instead} ({spelling.note})." if spelling.note else f"{said}{instead}."

    def _content(self, shape: type[Shape], declared: Key[Any]) -> Json:
        checks = (b for b in reversed(shape.__mro__) if issubclass(b, Shape) and b.stands_for == "check")
        base = next(chain(checks, (b for b in self.dialect.families if issubclass(shape, b))), None)
        if base is not None and declared.field == base.tag:
            return self._tags(base) if shape is base else {"type": "string"}
        return self.value(declared.kind)

    def _tags(self, base: type[Shape]) -> Json:
        """The known tags, with their shapes. Any other string may be a program, or is ignored."""
        known = [t for t in self.dialect.types_of(base).values() if t.fate is SpellingStatus.CURRENT]
        words = [t.shape.title() for t in known]
        names: Json = {"type": "string", "enum": [t.name for t in known], "markdownEnumDescriptions": words}
        return {"anyOf": [names, NOT_BLANK]} if known else NOT_BLANK


def _escaped(name: str) -> str:
    """A name as a part of a pattern. With the flag `u`, which validators set, JavaScript refuses escapes without need."""
    return _SYNTAX.sub(r"\\\g<0>", name)
