"""The JSON Schemas are sound, and refuse and accept what the dialects do."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from rubric_core.cli import main
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.language.schema import KINDS, json_schema, kinds_of
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

BY_NAME = {dialect.name: dialect for dialect in DIALECTS}
EVERY = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)


def complaints(dialect: str, text: str) -> list[str]:
    tree = parse(text)
    assert not tree.problems
    errors = Draft7Validator(json_schema(BY_NAME[dialect])).iter_errors(plain(tree.root, tree.anchors))
    return sorted("/".join(map(str, e.absolute_path)) for e in errors)


@EVERY
@pytest.mark.parametrize("kind", KINDS)
def test_is_valid_draft_07(dialect: Dialect, kind: str) -> None:
    schema = json_schema(dialect, kind)
    Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    for reference in _every(schema, "$ref"):
        assert reference.removeprefix("#/definitions/") in schema["definitions"]


def test_is_also_valid_for_ajv_which_is_stricter() -> None:
    for dialect in DIALECTS:
        for enum in _every(json_schema(dialect), "enum"):
            if isinstance(enum, list):
                assert enum
                assert len(enum) == len(set(enum))


@EVERY
@pytest.mark.parametrize("kind", KINDS)
def test_patterns_have_no_escape_without_need(dialect: Dialect, kind: str) -> None:
    """JavaScript refuses `\\-` with its flag `u`, which the metaschema and most validators ask for."""
    patterns = [p for p in _every(json_schema(dialect, kind), "pattern") if isinstance(p, str)]
    assert [p for p in patterns if re.search(r"\\[^\\^$.*+?()\[\]{}|/dDwWsSbBnrtfv0]", p)] == []


def _every(schema: Any, name: str) -> Iterator[Any]:
    if isinstance(schema, dict):
        if name in schema:
            yield schema[name]
        for value in schema.values():
            yield from _every(value, name)
    elif isinstance(schema, list):
        for value in schema:
            yield from _every(value, name)


@EVERY
def test_has_every_key_with_its_words(dialect: Dialect) -> None:
    definitions = json_schema(dialect)["definitions"]
    for shape in (Suite, Case):
        properties = definitions[shape.__name__]["properties"]
        assert set(properties) == set(dialect.table(shape))
        for spelling, declared in dialect.fields(shape):
            assert properties[spelling.name]["description"] == declared.doc
            assert "deprecationMessage" not in properties[spelling.name]


@EVERY
def test_what_is_given_up_is_said_to_be_and_not_suggested(dialect: Dialect) -> None:
    properties = json_schema(dialect)["definitions"]["Suite"]["properties"]
    for spelling in dialect.table(Suite).values():
        schema = properties[spelling.name]
        assert schema.get("doNotSuggest", False) is (spelling.fate is not SpellingStatus.CURRENT)
        assert ("errorMessage" in schema and schema["type"] == "null") is (spelling.fate is SpellingStatus.REJECTED)
        told = spelling.fate not in (SpellingStatus.CURRENT, SpellingStatus.ALIAS, SpellingStatus.REJECTED)
        assert schema.get("deprecated", False) is told
        assert ("deprecationMessage" in schema) is told


@EVERY
def test_every_type_leads_to_its_shape(dialect: Dialect) -> None:
    definitions = json_schema(dialect)["definitions"]
    if not dialect.types:
        assert "Evaluator" not in definitions
        return
    dispatch = [case for case in definitions["Evaluator"]["allOf"] if "then" in case]
    leads = {
        name: case["then"]["$ref"].removeprefix("#/definitions/")
        for case in dispatch
        for name in case["if"].get("properties", {}).get("type", {}).get("enum", [])
    }
    for known in dialect.types.values():
        assert leads[known.name] == known.shape.__name__
    assert issubclass(next(iter(dialect.types.values())).shape, Evaluator)


CASE = "tests:\n  - id: a\n    input: x\n    criteria: y\n"

ACCEPTED = {
    "a string that stands for a number": (
        "agentv-3",
        CASE + "execution: {workers: '${{ WORKERS }}', threshold: '{{ limit }}'}",
    ),
    "a string that stands for a word": ("agentv-3", CASE + "    on_dependency_failure: '${{ POLICY }}'"),
    "a string that stands for a list": ("agentv-3", CASE + "    depends_on: ${{ FIRST }}"),
    "score ranges as a map": ("agentv-3", CASE + "    rubrics: [{id: a, score_ranges: {0: bad, 5: good}}]"),
    "score ranges as a list": (
        "agentv-3",
        CASE + "    rubrics: [{score_ranges: [{score_range: [0, 10], outcome: any}]}]",
    ),
    "plain strings among assertions": ("agentv-3", CASE + "    assertions: [Is polite, {type: contains, value: x}]"),
    "a type of one's own": ("agentv-3", CASE + "    assertions: [{type: word-count, at_most: 10}]"),
    "an underscored type": ("agentv-3", CASE + "    assertions: [{type: is_json}]"),
    "an alias": ("agentv-3", CASE + "    assert: [{type: is-json}]"),
    "an include": ("agentv-3", CASE + "    assertions: [{include: safety}]"),
    "any key on a program": ("agentv-3", CASE + "    assertions: [{type: code-grader, command: x, strictness: high}]"),
    "a key that is ignored": ("agentv-3", CASE + "    colour: green"),
    "metadata": ("agentv-3", CASE + "    metadata: {a: {b: [1, 2]}}"),
    "a list as an answer": ("agentv-3", CASE + "    expected_output: [1, 2]"),
    "messages": (
        "agentv-1",
        "evalcases: [{id: a, outcome: b, input_messages: [{role: user, content: [{type: text, value: x}]}]}]",
    ),
    "prompts": ("agentv-5", "prompts: ['{{ q }}']\ntests: [{vars: {q: a}, assert: [polite]}]"),
}
REFUSED = {
    "a number where a string belongs": ("agentv-3", CASE + "    conversation_id: [1]", "tests/0/conversation_id"),
    "a string that stands for nothing": ("agentv-3", CASE + "execution: {workers: many}", "execution/workers"),
    "too many workers": ("agentv-3", CASE + "execution: {workers: 60}", "execution/workers"),
    "a word that is no option": ("agentv-3", CASE + "    on_dependency_failure: wait", "tests/0/on_dependency_failure"),
    "a blank id": ("agentv-3", "tests: [{id: ' ', input: x, criteria: y}]", "tests/0/id"),
    "no input": ("agentv-3", "tests: [{id: a, criteria: y}]", "tests/0"),
    "no cases": ("agentv-3", "name: a", ""),
    "a type without its value": ("agentv-3", CASE + "    assertions: [{type: contains}]", "tests/0/assertions/0"),
    "a number to look for": ("agentv-3", CASE + "    assertions: [{type: contains, value: 4}]", "tests/0/assertions/0/value"),
    "no type": ("agentv-3", CASE + "    assertions: [{value: 4}]", "tests/0/assertions/0"),
    "a blank criterion": ("agentv-3", CASE + "    assertions: ['']", "tests/0/assertions/0"),
    "strings before there were any": ("agentv-2.7", CASE + "    assert: [Is polite]", "tests/0/assert/0"),
    "a map of ranges that starts late": ("agentv-3", CASE + "    rubrics: [{score_ranges: {3: bad}}]", "tests/0/rubrics/0/score_ranges"),
    "a score above 10": ("agentv-3", CASE + "    rubrics: [{score_ranges: {0: bad, 11: good}}]", "tests/0/rubrics/0/score_ranges"),
    "a limit without a number": ("agentv-3", CASE + "    assertions: [{type: token-usage}]", "tests/0/assertions/0"),
    "a role": ("agentv-3", "tests: [{id: a, criteria: b, input: [{role: bot, content: x}]}]", "tests/0/input/0/role"),
    "an unknown key where that is refused": ("agentv-5", "prompts: [x]\ntest: []", ""),
    "a key that is refused": ("agentv-5", "prompts: [x]\ntests: [{input: hello}]", "tests/0/input"),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepts(name: str) -> None:
    dialect, text = ACCEPTED[name]
    assert complaints(dialect, text) == []


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_once_and_where_it_stands(name: str) -> None:
    dialect, text, place = REFUSED[name]
    assert complaints(dialect, text) == [place]


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS])
def test_is_printed(dialect: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--dialect", dialect]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema(BY_NAME[dialect])


def test_settings_stand_beside_the_name_or_below() -> None:
    kinds = {
        "agentv-0.5": "targets: [{name: a, provider: cli, settings: {command_template: x}}, {name: b, provider: cli, command_template: x}]",
        "agentv-5": "providers: [{id: cli, config: {command: x}}, {id: cli, command: x}, 'openai:a': {label: b}]",
    }
    for dialect, text in kinds.items():
        schema = Draft7Validator(json_schema(BY_NAME[dialect], "targets"))
        for each, valid in ((text, True), (text.replace("command", "cwd"), False)):
            tree = parse(each)
            assert schema.is_valid(plain(tree.root, tree.anchors)) is valid


def test_a_key_that_may_be_left_empty_may_be_null() -> None:
    case = "[{id: a, input: x, criteria: y, metadata: , on_dependency_failure: , workspace: }]"
    assert complaints("agentv-3", f"description:\nexecution:\ntests: {case}") == []
    assert complaints("agentv-3", "name: a\ntests: [{id: , input: , criteria: }]") == [
        "tests/0/criteria", "tests/0/id", "tests/0/input",
    ]  # fmt: skip


CONFIGURATION = "providers: [echo]\ntests: [{assert: [CHECK]}]\n"


@pytest.mark.parametrize("kind", kinds_of(PROMPTFOO))
def test_that_of_promptfoo_is_valid(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--dialect", "promptfoo", "--kind", kind]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft7Validator.check_schema(schema)
    assert "agentv" not in json.dumps(schema)


def test_promptfoo_has_no_targets_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--dialect", "promptfoo", "--kind", "targets"]) == 2
    assert "choose suite, cases, defaults, scenarios" in capsys.readouterr().err


def test_what_is_legal_in_promptfoo_is_accepted() -> None:
    pages = (Path(__file__).parents[1] / "core" / "legal" / "promptfoo.txt").read_text(encoding="utf-8")
    named = re.split(r"(?m)^--- (\S+)\n", pages)
    validator = Draft7Validator(json_schema(PROMPTFOO))
    looked_at = 0
    for name, text in zip(named[1::2], named[2::2], strict=True):
        if name.startswith("promptfooconfig") and name.endswith(".yaml"):
            tree = parse(re.split(r"(?m)^####", text)[0])
            looked_at += 1
            assert [e.message for e in validator.iter_errors(plain(tree.root, tree.anchors))] == []
    assert looked_at > 3


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        ("{type: contains, value: hi}", []),
        ("{$ref: '#/x'}", []),
        ("{type: not-latency, threshold: 3}", []),
        ("{type: contains}", ["'value' is a required property"]),
        ("{type: latency}", ["'threshold' is a required property"]),
        ("{type: regex, value: 5}", ["5 is not of type 'string'"]),
        ("{value: 5}", ["'type' is a required property"]),
    ],
)
def test_an_assertion_of_promptfoo_needs_what_its_type_needs(check: str, wrong: list[str]) -> None:
    tree = parse(CONFIGURATION.replace("CHECK", check))
    errors = Draft7Validator(json_schema(PROMPTFOO)).iter_errors(plain(tree.root, tree.anchors))
    assert [error.message for error in errors] == wrong
