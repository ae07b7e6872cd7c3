"""The page about dialects: what each one changes, keeps, ignores and rejects, and how it scores."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus, TypeName
from rubric_core.language.markdown import cell, code_cell, heading, table
from rubric_core.language.model import Case, Suite
from rubric_core.language.properties import Properties
from rubric_core.language.shape import Shape

__all__ = ["dialects_page", "property_words"]

_FATES = {
    SpellingStatus.ALIAS: "read as well", SpellingStatus.DEPRECATED: "read, with a warning", SpellingStatus.LEAVING: "read, but refused by later releases",
    SpellingStatus.REFUSED: "refused by later releases of the dialect",
    SpellingStatus.TOLERATED: "not read by agentv, read by rubric", SpellingStatus.IGNORED: "silently ignored", SpellingStatus.REJECTED: "refused",
}  # fmt: skip

_INTRODUCTION = (
    "A dialect is named by the first release of agentv that reads it. A suite is read in the one that its modeline names "
    "(`# rubric: dialect=agentv-3`), else in the one of the project's settings, else in the one that its keys point to. "
    "`rubric migrate --to DIALECT` carries it to a newer one."
)


def dialects_page(dialects: Sequence[Dialect], ways: Mapping[str, Sequence[str]]) -> str:
    """The differences between dialects, oldest first."""
    parts = [
        "# Dialects", "",
        _INTRODUCTION, "",
        table(("Dialect", "Releases", "Cases", "Input of a case", "Evaluators of a case", "Evaluators of a suite"), map(_overview, dialects)),
    ]  # fmt: skip
    parts += _section(dialects[0], None)
    for older, newer in pairwise(dialects):
        parts += _section(newer, older)
        lines = [f"- {title}" for title in ways.get(newer.name, ())]
        parts += ["", f"### From {older.name}, `rubric migrate` makes these steps", "", *lines]
    return "\n".join(parts)


def _overview(dialect: Dialect) -> tuple[str, ...]:
    def spelled(shape: type[Shape], *names: str) -> str:
        written = (dialect.spelled(shape, name) for name in names)
        return next((code_cell(name) for name in written if name), "")

    return (
        f"[{dialect.name}](#{dialect.name.replace('.', '')})", dialect.releases, spelled(Suite, "cases"), spelled(Case, "input", "vars"),
        spelled(Case, "assertions", "evaluators", "evaluator"), spelled(Suite, "assertions", "execution", "evaluator"),
    )  # fmt: skip


def _section(dialect: Dialect, older: Dialect | None) -> list[str]:
    parts = ["", f"## {dialect.name}", "", f"Read by agentv {dialect.releases}."]
    if older is not None:
        renamed = list(_renamed(dialect, older))
        given_up = list(_dropped_keys(dialect, older))
        foreign = list(_foreign(dialect, older))
        if renamed:
            parts += ["", "### Renamed", "", table(("Where", "Before", "Now", "What becomes of the old name"), renamed)]
        if given_up:
            parts += ["", "### Given up", "", table(("Where", "Key or type", "What becomes of it"), given_up)]
        if foreign:
            parts += ["", "### Names of other releases", "", table(("Where", "Key", "What becomes of it"), foreign)]
    added = list(_added(dialect, older))
    parts += ["", "### New", "", table(("Where", "Keys and types"), added)] if added else []
    return [*parts, "", "### How it reads and scores", "", *_properties(dialect, older)]


def _shapes(dialect: Dialect) -> list[type[Shape]]:
    """The shapes that have spellings of their own, in the order of their names."""
    return sorted(dialect.spellings, key=lambda s: (s not in (Suite, Case), s.__name__))


def _own(dialect: Dialect, shape: type[Shape]) -> Mapping[str, Spelling]:
    return dialect.spellings.get(shape, {})


def _renamed(dialect: Dialect, older: Dialect) -> Iterator[tuple[str, ...]]:
    for shape in _shapes(dialect):
        for old in _own(older, shape).values():
            now = dialect.spelled(shape, old.field) if old.fate is SpellingStatus.CURRENT and old.field else None
            if now is not None and now != old.name:
                yield heading(shape), code_cell(old.name), code_cell(now), _fate(dialect.table(shape).get(old.name))
    for known in older.types.values():
        now = dialect.type_name(known.shape) if known.fate is SpellingStatus.CURRENT else None
        if now is not None and now != known.name and dialect.types[known.name].fate is not SpellingStatus.CURRENT:
            yield "Type of evaluators", code_cell(known.name), code_cell(now), _fate(dialect.types[known.name])


def _dropped_keys(dialect: Dialect, older: Dialect) -> Iterator[tuple[str, ...]]:
    for shape in _shapes(dialect):
        for name, spelling in _own(dialect, shape).items():
            before = _own(older, shape).get(name)
            if (
                before is None
                or before.fate is spelling.fate
                or spelling.fate in (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
            ):
                continue
            if before.fate is not SpellingStatus.CURRENT or dialect.spelled(shape, spelling.field) in (None, name):
                yield heading(shape), code_cell(name), _fate(spelling)
    for name, known in dialect.types.items():
        was = older.types.get(name)
        if (
            was is not None
            and was.fate is not known.fate
            and known.fate is not SpellingStatus.CURRENT
            and dialect.type_name(known.shape) is None
        ):
            yield "Type of evaluators", code_cell(name), _fate(known)


def _foreign(dialect: Dialect, older: Dialect) -> Iterator[tuple[str, ...]]:
    """Spellings that only other dialects mean something by."""
    for shape in _shapes(dialect):
        for name, spelling in _own(dialect, shape).items():
            if name not in _own(older, shape) and spelling.fate not in (SpellingStatus.CURRENT, SpellingStatus.ALIAS):
                yield heading(shape), code_cell(name), _fate(spelling)


def _fate(known: Spelling | TypeName | None) -> str:
    if known is None:
        return "unknown"
    words = _FATES.get(known.fate, "")
    return cell(f"{words}: {known.note}" if known.note else words)


def _added(dialect: Dialect, older: Dialect | None) -> Iterator[tuple[str, ...]]:
    for shape in _shapes(dialect):
        known = (
            {s.field for s in _own(older, shape).values() if s.fate is SpellingStatus.CURRENT}
            if older is not None
            else set[str]()
        )
        new = [
            s.name
            for s in _own(dialect, shape).values()
            if s.fate is SpellingStatus.CURRENT and s.field not in known and not shape.keys[s.field].extension
        ]
        if new:
            yield heading(shape), ", ".join(map(code_cell, new))
    before = {t.shape for t in older.types.values()} if older is not None else set[type[Shape]]()
    types = [t.name for t in dialect.types.values() if t.fate is SpellingStatus.CURRENT and t.shape not in before]
    if types:
        yield "Types of evaluators", ", ".join(map(code_cell, types))


def _properties(dialect: Dialect, older: Dialect | None) -> list[str]:
    """The differences from the dialect before; everything for the first one."""
    lines = []
    for each in fields(Properties):
        value = getattr(dialect.properties, each.name)
        words = property_words(each.name, value)
        if words and (older is None or getattr(older.properties, each.name) != value):
            lines.append(f"- {words}")
    return lines or ["As before."]


def property_words(name: str, value: Any) -> str:
    """A property of a dialect in a sentence; empty if this value has none."""
    words = _PROPERTIES[name]
    return words(value) if callable(words) else words.get(value, "")


def _samples(patterns: Sequence[str]) -> str:
    """The forms of references."""
    return ", ".join(code_cell(sample) for sample in _SAMPLES if any(re.fullmatch(p, sample) for p in patterns))


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f"`{{{{ {value} }}}}`" for value in values)


_ANSWERS = {"generated": "generated_answer", "candidate": "candidate_answer", "answer": "answer", "output": "output"}
_SAMPLES = ("${{ NAME }}", "{{ name }}")
_Words = Mapping[Any, str] | Callable[[Any], str]
_PROPERTIES: Mapping[str, _Words] = {
    # Those of a family that is not on these pages.
    "engine": {}, "refs": {}, "free_types": {}, "searches_upward": {},
    "verdicts": {
        "none": "A case has a score and no verdict.",
        "three": "A case passes from 0.8, is borderline from 0.6, and fails below.",
        "two": "A case passes from the threshold on, and fails below.",
    },
    "threshold": lambda value: f"The threshold is {value:g} where none is given.",
    "borderline": lambda _: "",
    "object_required_default": {
        True: "A criterion written as a mapping gates unless it says `required: false`; a plain string always does.",
        False: "A criterion written as a mapping gates when it says `required: true`; a plain string always does.",
    },
    "criteria_need_ids": {True: "A criterion written as a mapping has an `id` in the documented format.", False: ""},
    "required_without_min": {
        "nonzero": "`required: true` with score ranges and without a minimum: any score but 0 is enough.",
        "ten": "`required: true` with score ranges and without a minimum: it takes a score of 10.",
        "never": "`required: true` with score ranges gates by its minimum only.",
    },
    "string_assertions": {
        True: "Plain strings among the evaluators are the criteria of one rubric, at the place of the first.",
        False: "Plain strings among the evaluators are not read.",
    },
    "strings_weigh_their_count": {True: "The rubric made of plain strings weighs as much as there are strings.", False: ""},
    "appends_suite_evaluators": {
        True: "The evaluators of the suite are added to those of every case, unless it says `skip_defaults: true`.",
        False: "The evaluators of the suite grade the cases that have none of their own.",
    },
    "inline_rubric_name": lambda value: f"The evaluator made of the `rubrics` of a case is called `{value}`.",
    "custom_types": {
        True: "A type that nobody knows is looked for as a program in `.agentv/assertions`.",
        False: "An evaluator with a type that nobody knows is skipped.",
    },
    "judge_failure": {
        "zero": "Where a judge gives no valid reply, agentv scores 0; rubric leaves the case unscored.",
        "skip": "Where a judge gives no valid reply, agentv leaves its evaluator out of the mean; rubric leaves the case unscored.",
    },
    "required_zeroes_case": {True: "A required evaluator below its minimum makes the score of the case 0.", False: ""},
    "suite_threshold_gates": {
        True: "",
        False: "The threshold of a suite is not the minimum of its required evaluators: without a minimum of their own they need the threshold of the case, else 0.8.",
    },
    "folds_type_names": {True: "`_` in a type counts as `-`.", False: "Types are taken as they are written."},
    "nunjucks": {True: "What is filled in may have filters, conditions and loops, as in Nunjucks.", False: ""},
    "interpolation": lambda value: f"Filled in when the suite runs: {_samples(value)}." if value else "",
    "variable_keys": lambda value: (
        f"The `vars` of a case are filled in in {', '.join(f'`{key}`' for key in sorted(value))} only, and not in its evaluators."
        if value
        else ""
    ),
    "emptied_keys": lambda value: (
        "In a prompt and in the texts of a case that has `vars`, a name without a value is replaced by nothing." if value else ""
    ),
    "bare_variables": {True: "A setting of a target in capitals may be the name of an environment variable.", False: ""},
    "case_files": lambda value: f"Files of cases are {', '.join(f'`{each}`' for each in value)}." if value else "",
    "targets_file": lambda value: f"Targets are looked for in `.agentv/{value}` first." if value else "",
    "interpolates": {
        "targets": "Environment variables are put in where they are the whole value of a setting of a target.",
        "everything": "Environment variables are put in anywhere, from release 2.17 on.",
    },
    "suite_marker": lambda value: f"Early releases refuse a suite whose `$schema` is not `{value}`." if value else "",
    "merges": {True: "Merge keys (`<<`) are merged, from release 4.23 on.", False: "Merge keys (`<<`) are not merged."},
    "refuses_tool_role": {True: "`agentv validate` rejects messages of the role `tool`.", False: ""},
    "replaced_variables": lambda value: (
        f"Variables that the newest of its releases do not fill in: {', '.join(f'`{old}` (now `{new}`)' for old, new in value)}." if value else ""
    ),
    "incomplete_case": {
        "warning": "A case without a required key is skipped with a line in the log.",
        "error": "A case without a required key is skipped, and `validate` says so.",
    },
    "skips_bare_cases": {
        True: "A case is skipped that has neither `criteria` nor `expected_output`, `assertions` or `turns` of its own.",
        False: "",
    },
    "bare_targets": {
        True: "A file of targets may be their list, without a key around it.",
        False: "A file of targets has their list under a key.",
    },
    "literal_members": {True: "Members of a composite without a name, or with `_` in their type, are dropped.", False: ""},
    "strict_keys": {True: "An unknown key makes agentv reject the file.", False: "An unknown key is ignored."},
    "custom_providers": {
        True: "A kind of provider that nobody knows is looked for as a program in `.agentv/providers`.",
        False: "A target of a kind that nobody knows cannot be asked.",
    },
    "names_required": {True: "Every evaluator needs a name.", False: "An evaluator without a name gets one from its type and value."},
    "criteria_are_a_checklist": {
        True: "`criteria` of a case without evaluators are a checklist of one criterion, which is met or not.",
        False: "`criteria` of a case without evaluators are judged as a whole, with a score of 0..1.",
    },
    "reply_style": {
        "hits": "Judges and programs reply with `hits` and `misses`.",
        "assertions": "Judges and programs reply with `assertions`.",
        "checks": "Judges and programs reply with `checks`.",
    },
    "template_variables": lambda value: f"Variables in judge prompts: {_listed(value)}." if value else "",
    "bare_prompt_paths": {
        True: "A path in place of a judge's prompt is that file, with `file://` in front or without.",
        False: "A path in place of a judge's prompt is that file with `file://` in front; without, the path itself is the prompt.",
    },
    "answer_variables": lambda value: f"A judge prompt of one's own has one of {_listed(value)}." if value else "",
    "message_variables": lambda value: f"Variables that stand for whole messages, as JSON: {_listed(value)}." if value else "",
    "wording": lambda value: f"What the target says is called `{_ANSWERS[value]}`.",
    "reference": {
        "in-input": "The first assistant message of the input is the reference answer.",
        "first": "The first expected message is the reference answer.",
        "last": "The last expected message is the reference answer.",
    },
    "trajectory_args": {
        "superset": "An expected call needs at least the arguments that are written.",
        "exact": "An expected call needs exactly the arguments that are written, unless `args_match` says otherwise.",
    },
    "exit_code_decides": {True: "A program that prints no JSON grades by its exit code.", False: "A program has to print JSON."},
    "output_files": {True: "A program that grades finds a long answer in a file, by `output_path`.", False: ""},
    "guidelines": {
        True: "Files of the input below `instructions/` or `prompts/`, and those named `*.instructions.md` or `*.prompt.md`, are guidelines: programs get them apart.",
        False: "",
    },
    "resolved_files": {
        True: "Programs get the files in messages with their absolute path and their content.",
        False: "Programs get the files in messages as the suite writes them.",
    },
    "flat_settings": {
        True: "A program finds its settings side by side under `config`.",
        False: "A program finds its settings under `config`, those written under `config` in a `config` inside of it.",
    },
    "placeholders": lambda value: f"The command of a target may have {', '.join(f'`{{{v}}}`' for v in value)}." if value else "",
}  # fmt: skip
