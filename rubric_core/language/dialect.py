"""What a dialect is: how it spells every key and type, what became of older spellings, and how it scores.

Each dialect is written as the changes since the one before it (`rubric_core.language.changes`), so that its history can
be read from its file.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, cast

from rubric_core.language.shape import Key, Shape
from rubric_core.lazy_compilation import dataclass

__all__ = ["Change", "Dialect", "Properties", "ReplyStyle", "Spelling", "SpellingStatus", "Tables", "TypeName"]

#: What a judge or a program that grades puts into its reply.
ReplyStyle = Literal["hits", "assertions", "checks"]


class SpellingStatus(Enum):
    """What a dialect does with a spelling."""

    CURRENT = "current"
    #: Read, and nothing is wrong with it.
    ALIAS = "alias"
    #: Read, with a warning: a later release will not.
    DEPRECATED = "deprecated"
    #: Read by the releases there are, and refused by the one that comes next.
    LEAVING = "leaving"
    #: Not read by the engine, without a message; rubric reads it and says so.
    TOLERATED = "tolerated"
    #: Not read, without a message.
    IGNORED = "ignored"
    #: The file or the case is refused.
    REJECTED = "rejected"

    @property
    def read(self) -> bool:
        """Whether rubric takes the value."""
        return self not in (SpellingStatus.IGNORED, SpellingStatus.REJECTED)


#: What is read, and nothing is wrong with it.
_FINE = (SpellingStatus.CURRENT, SpellingStatus.ALIAS)


class Spelling(NamedTuple):
    """A key as it may be written in one dialect."""

    name: str
    #: The attribute of the shape; empty for a key that is known and means nothing.
    field: str
    fate: SpellingStatus
    #: What the engine does with it, for the reader of a message.
    note: str = ""
    #: Whether the engine takes it when the current spelling is there as well.
    preferred: bool = False
    #: What it takes here, where that differs from the catalogue.
    key: Key[Any] | None = None

    @property
    def rank(self) -> int:
        """Of two spellings of one field the higher one counts."""
        return 2 if self.preferred else 1 if self.fate is SpellingStatus.CURRENT else 0


class Reading(NamedTuple):
    """What to do with a key: found out once for each shape, as every key of every text is looked up."""

    spelling: Spelling
    #: What it takes; None for a key that means nothing.
    declared: Key[Any] | None
    #: Whether nothing is wrong with it.
    fine: bool


class TypeName(NamedTuple):
    """An evaluator type, or a kind of provider, as it may be written in one dialect."""

    name: str
    shape: type[Shape]
    fate: SpellingStatus
    note: str = ""


@dataclass(frozen=True, slots=True)
class Properties:
    """How a dialect scores. Every number is a share of 1."""

    #: The program that reads it, as messages name it.
    engine: str = "agentv"
    #: Whether a mapping with `$ref` stands for another one, and keys that begin with `x-` or `$` are the author's.
    refs: bool = False
    #: How types begin that another part of the engine has, and that are not looked into.
    free_types: tuple[str, ...] = ()
    #: Which verdicts a score gets: three bands (0.8, 0.6), two (the threshold), or none.
    verdicts: Literal["none", "three", "two"] = "none"
    threshold: float = 0.8
    borderline: float = 0.6
    #: Whether a criterion written as a mapping gates when it does not say.
    object_required_default: bool = False
    #: Which score of 0..10 a `required` range criterion without a minimum needs: more than 0, 10, or none at all.
    required_without_min: Literal["nonzero", "ten", "never"] = "nonzero"
    #: Whether its document asks for an id of every criterion that is a mapping; agentv makes one where there is none.
    criteria_need_ids: bool = False
    #: Whether plain strings may stand among the evaluators.
    string_assertions: bool = False
    #: Whether the rubric made of plain strings weighs as much as there are strings.
    strings_weigh_their_count: bool = False
    #: Whether the suite's evaluators are added to those of a case, or only stand in for missing ones.
    appends_suite_evaluators: bool = False
    #: The name of the evaluator made of a case's inline `rubrics`.
    inline_rubric_name: str = "rubric"
    #: Whether evaluators may have any type, looked up as a program.
    custom_types: bool = False
    #: What the engine makes of a judge that never gives a valid reply; rubric leaves the case unscored, and says this.
    judge_failure: Literal["zero", "skip"] = "zero"
    #: Whether a required evaluator below its minimum makes the score of the case 0.
    required_zeroes_case: bool = False
    #: Whether `_` in a type counts as `-`.
    folds_type_names: bool = False
    #: Whether what is filled in may be more than a name: expressions with filters, conditions, loops.
    nunjucks: bool = False
    #: Strings that stand for a value which is only known at run time, as regular expressions.
    interpolation: tuple[str, ...] = ()
    #: The keys of cases and suites in which the `vars` of a case are filled in, of turns their input and what is expected; None for all.
    #: Only where it is all, `vars.` may stand in front of a name.
    variable_keys: frozenset[str] | None = None
    #: Whether a setting of a target in capitals may be the name of an environment variable, be it in early releases only.
    bare_variables: bool = True
    #: Whether a program may make the cases of a suite.
    case_programs: bool = False
    #: Where it looks for targets first, below the folder that its suites share.
    targets_file: str = "targets.yaml"
    #: What `$schema` of a suite has to say, where releases asked for it.
    suite_marker: str = ""
    #: Whether merge keys are merged; otherwise the engine passes over them.
    merges: bool = False
    #: Whether `agentv validate` rejects messages of the role tool.
    refuses_tool_role: bool = False
    #: Template variables that are on their way out, each with the one to write instead.
    replaced_variables: tuple[tuple[str, str], ...] = ()
    #: Where environment variables are put in: as the whole value of a setting of a target, or anywhere in any file.
    interpolates: Literal["targets", "everything"] = "targets"
    #: How bad a case without a required key is: agentv skips it with a log line, and from 2.7 on `validate` says so.
    incomplete_case: Literal["warning", "error"] = "warning"
    #: Whether a case is skipped that has neither criteria nor expected output, assertions or turns of its own.
    skips_bare_cases: bool = False
    #: Whether a file of targets may be their list, without a key around it.
    bare_targets: bool = True
    #: Whether members of a composite are dropped that have no name or an underscored type.
    literal_members: bool = False
    #: Whether a key that it does not know makes the engine reject the file.
    strict_keys: bool = False
    #: Whether a kind of provider that is not known is looked up as a program.
    custom_providers: bool = False
    #: Whether an evaluator has to have a name.
    names_required: bool = False
    #: Whether the criteria of a case that lists no evaluators are met or not met, rather than given a score as a whole.
    criteria_are_a_checklist: bool = False
    #: Keys of a judge's free-form reply and of a code evaluator's: hits and misses, or assertions.
    reply_style: ReplyStyle = "hits"
    #: The names that are filled in in a judge's prompt of one's own, and those of which such a prompt needs one.
    template_variables: tuple[str, ...] = ()
    answer_variables: tuple[str, ...] = ()
    #: Those that stand for whole messages, as JSON, where the others stand for their text.
    message_variables: tuple[str, ...] = ()
    #: Whether a bare path in place of a judge's prompt is that file; otherwise the path itself is the prompt, unless `file://` is in front.
    bare_prompt_paths: bool = True
    #: What the engine calls the answer in judge prompts, templates and the input of code evaluators.
    wording: Literal["generated", "candidate", "answer", "output"] = "generated"
    #: Where the reference answer is: the first assistant message of the input, or the first or last expected message.
    reference: Literal["in-input", "first", "last"] = "in-input"
    #: How the arguments of expected tool calls are compared where a suite does not say.
    trajectory_args: Literal["superset", "exact"] = "superset"
    #: Whether the exit code of a code evaluator that prints no JSON is its verdict.
    exit_code_decides: bool = False
    #: Whether a program that grades finds a long answer in a file, by a key that is only there then.
    output_files: bool = False
    #: Whether files of the input are guidelines when they stand in a folder of instructions or prompts, and are handed over apart.
    guidelines: bool = True
    #: Whether files in messages reach programs with their absolute path and their content, or as the suite writes them.
    resolved_files: bool = False
    #: Whether `config` and the keys that a type does not know reach a program side by side, or `config` inside of `config`.
    flat_settings: bool = False
    #: What the command of a target may have in braces.
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dialect:
    """A version's spelling of the language."""

    name: str
    #: The releases that read it, for people.
    releases: str
    properties: Properties = field(repr=False)
    #: By shape, then by the spelling in the text.
    spellings: Mapping[type[Shape], Mapping[str, Spelling]] = field(repr=False)
    types: Mapping[str, TypeName] = field(repr=False)
    #: Fields that must (True) or need not (False) be there, where the dialect differs from the catalogue.
    demands: Mapping[tuple[type[Shape], str], bool] = field(repr=False)
    #: What tells other shapes apart, by their base: the kinds of providers.
    families: Mapping[type[Shape], Mapping[str, TypeName]] = field(default_factory=dict, repr=False)
    _tables: dict[type[Shape], dict[str, Spelling]] = field(default_factory=dict, repr=False, compare=False)
    _spelled: dict[type[Shape], dict[str, str]] = field(default_factory=dict, repr=False, compare=False)
    _fields: "dict[type[Shape], list[tuple[Spelling, Key[object]]]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _needed: "dict[type[Shape], list[tuple[Spelling, Key[object]]]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _readings: "dict[type[Shape], dict[str, Reading]]" = field(default_factory=dict, repr=False, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and pickled by name: a dialect is large and holds generated classes.
        from rubric_core.language.dialects import (  # noqa: PLC0415  # they are made of this class
            DIALECTS,
            PROMPTFOO,
            dialect_named,
        )

        return (
            (dialect_named, (self.name,))
            if self in (*DIALECTS, PROMPTFOO)
            else cast("tuple[Any, ...]", super().__reduce__())
        )

    def table(self, shape: type[Shape]) -> Mapping[str, Spelling]:
        """Every spelling that `shape` may have in this dialect, inherited ones included."""
        table = self._tables.get(shape)
        if table is None:
            table = {}
            for base in reversed(shape.__mro__):
                table.update(self.spellings.get(base, {}))
            self._tables[shape] = table
        return table

    def spelled(self, shape: type[Shape], attribute: str) -> str | None:
        """How this dialect writes a field today, or None when it has no such field."""
        spelled = self._spelled.get(shape)
        if spelled is None:
            current = [s for s in self.table(shape).values() if s.fate is SpellingStatus.CURRENT]
            spelled = self._spelled[shape] = {s.field: s.name for s in reversed(current)}
        return spelled.get(attribute)

    def declared(self, shape: type[Shape], spelling: Spelling) -> Key[Any]:
        """What a key takes in this dialect. Raises KeyError for a spelling that means nothing."""
        return spelling.key or shape.keys[spelling.field]

    def readings(self, shape: type[Shape]) -> "Mapping[str, Reading]":
        """What to do with each key that `shape` may have in this dialect."""
        found = self._readings.get(shape)
        if found is None:
            found = self._readings[shape] = {
                name: Reading(s, self.declared(shape, s) if s.field else None, s.fate in _FINE)
                for name, s in self.table(shape).items()
            }
        return found

    def fields(self, shape: type[Shape]) -> list[tuple[Spelling, Key[object]]]:
        """The keys that an author should use, with their declarations, in the order of the catalogue."""
        found = self._fields.get(shape)
        if found is None:
            current = {s.field: s for s in self.table(shape).values() if s.fate is SpellingStatus.CURRENT}
            found = [(current[name], self.declared(shape, current[name])) for name in shape.keys if name in current]
            self._fields[shape] = found
        return found

    def needed(self, shape: type[Shape]) -> list[tuple[Spelling, Key[object]]]:
        """Those of its fields that `shape` needs, or needs one of a group of."""
        found = self._needed.get(shape)
        if found is None:
            found = self._needed[shape] = [each for each in self.fields(shape) if self.demanded(shape, each[1].field)]
        return found

    def demanded(self, shape: type[Shape], attribute: str) -> bool:
        """Whether `shape` needs the field here."""
        for base in shape.__mro__:
            if (base, attribute) in self.demands:
                return self.demands[base, attribute]
        return shape.keys[attribute].required

    def types_of(self, base: type[Shape]) -> Mapping[str, TypeName]:
        """Everything that the tag of a shape below `base` may say."""
        return self.families.get(base, self.types)

    def type_of(self, name: str, base: type[Shape] | None = None) -> TypeName | None:
        """The evaluator type that is written `name`, or what it says of another shape below `base`."""
        family = self.families.get(base) if base is not None else None
        if family is not None:
            # What follows the colon is the model: `openai:gpt-5-mini`.
            return family.get(name) or family.get(name.partition(":")[0])
        found = self.types.get(name)
        if found is None and self.properties.folds_type_names and "_" in name:
            found = self.types.get(name.replace("_", "-"))
            if found is not None and found.fate is SpellingStatus.CURRENT:
                found = found._replace(fate=SpellingStatus.ALIAS)
        return found

    def type_name(self, shape: type[Shape]) -> str | None:
        """How this dialect writes the evaluator type, or kind of provider, `shape` today."""
        family = next((f for base, f in self.families.items() if issubclass(shape, base)), self.types)
        for known in family.values():
            if known.shape is shape and known.fate is SpellingStatus.CURRENT:
                return known.name
        return None

    def successor(self, name: str, releases: str, changes: "Iterable[Change]", **properties: object) -> "Dialect":
        """The dialect that `changes` make of this one."""
        families = {base: dict(names) for base, names in self.families.items()}
        tables = Tables({s: dict(t) for s, t in self.spellings.items()}, dict(self.types), dict(self.demands), families)
        for change in changes:
            change(tables)
        return Dialect(name, releases, replace(self.properties, **properties), *tables)  # type: ignore[arg-type]  # `replace` refuses what is no property

    @classmethod
    def first(cls, name: str, releases: str, changes: "Iterable[Change]", **properties: object) -> "Dialect":
        """A dialect with no predecessor."""
        return cls("", "", Properties(), {}, {}, {}).successor(name, releases, changes, **properties)


class Tables(NamedTuple):
    """The tables of a dialect in the making."""

    spellings: dict[type[Shape], dict[str, Spelling]]
    types: dict[str, TypeName]
    demands: dict[tuple[type[Shape], str], bool]
    families: dict[type[Shape], dict[str, TypeName]]


#: One difference to the dialect before.
Change = Callable[[Tables], None]
