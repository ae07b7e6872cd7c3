"""Tags, directives and aliases mean what they mean to the `yaml` package, with which agentv reads its files."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import LANGUAGE

from rubric_core.analysis import analyze
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.scalars import resolve_1_1

OLD = "%YAML 1.1\n---\n"
#: Values under `a`, and what they are.
VALUES: dict[str, Any] = {
    '!!bool "true"': True, "!!bool 'False'": False, "!!bool true": True, '!!bool "TRUE"': True, "!!bool yes": "yes", '!!bool "no"': "no",
    "!!bool 1": "1", "!!bool": "", '!!float ".5"': 0.5, "!!float 2": "2", '!!float "2"': "2", "!!float 1e3": 1000, "!!float x": "x",
    "!!float 0x10": "0x10", "!!float": "", '!!int "12"': 12, "!!int 12": 12, "!!int '1.5'": "1.5", "!!int 0x1F": 31, '!!int "0o17"': 15,
    "!!int 1e3": "1e3", "!!int": "", "!!int >-\n  12\n": 12, '!!null ""': None, "!!null ''": None, "!!null ~": None, "!!null": None,
    "!!null x": "x", "!!str 12": "12", "!!str true": "true", "!!str": "", "!!str null": "null", "!!str &x 1": "1", "! 12": "12", "! true": "true",
    '! "x"': "x", "! ": "", "!foo 12": "12", "!foo x": "x", "!foo [1, 2]": [1, 2], "!foo {b: 1}": {"b": 1}, "!!seq [1]": [1],
    "!!map {b: 1}": {"b": 1}, '!<tag:yaml.org,2002:int> "3"': 3, "!<tag:yaml.org,2002:str> 3": "3", "[! 2, !!bool 'false', !!str 1]": ["2", False, "1"],
}  # fmt: skip
#: The same below `%YAML 1.1`.
OLD_VALUES: dict[str, Any] = {
    "yes": True, "No": False, "on": True, "OFF": False, "y": True, "N": False, "yEs": "yEs", "'yes'": "yes", "!!str yes": "yes", "!!bool yes": True,
    "010": 8, "08": 8, "0o10": "0o10", "1_000": 1000, "0b11": 3, "-0b1": -1, "0x_1F": 31, "1:30": 90, "190:20:30.15": 685230.15, "1:60": "1:60",
    "1_0.5": 10.5, "1.": 1, ".5": 0.5, "1e3": 1000, "+12": 12, "~": None, "+.inf": "∞", "!!int 1_000": 1000, '!!int "0b11"': 3, "! 010": "010", "_1": "_1",
}  # fmt: skip
#: Whole texts.
TEXTS: dict[str, Any] = {
    **{f"a: {written}": {"a": value} for written, value in VALUES.items()},
    **{f"{OLD}a: {written}": {"a": value} for written, value in OLD_VALUES.items() if value != "∞"},
    "%YAML 1.2\n---\na: yes\nb: 010\n": {"a": "yes", "b": 10},
    '%TAG ! tag:yaml.org,2002:\n---\na: !int "3"': {"a": 3},
    "b: &a x\n*a : 2": {"b": "x", "x": 2},
    "b: &a x\nc: {*a : 2}": {"b": "x", "c": {"x": 2}},
    "b: &a 12\n*a : 2": {"b": 12, "12": 2},
    "a: &x !!str 1\nb: *x": {"a": "1", "b": "1"},
}  # fmt: skip
PACKAGE = Path(__file__).parents[2] / ".tools" / "agentv" / "node_modules" / "yaml"
PROGRAM = """
const { parse } = require(process.argv[1]);
const texts = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => parse(text, { logLevel: "silent" }))));
"""


@pytest.mark.parametrize(("text", "value"), TEXTS.items())
def test_the_value_is_that_of_the_package(text: str, value: Any) -> None:
    tree = parse(text)
    assert not tree.problems
    assert json.dumps(plain(tree.root, tree.anchors), sort_keys=True) == json.dumps(value, sort_keys=True)


@pytest.mark.skipif(not PACKAGE.is_dir() or not shutil.which("node"), reason="the package comes with `make parity`")
def test_the_package_agrees() -> None:
    done = subprocess.run(
        ["node", "-e", PROGRAM, str(PACKAGE)], input=json.dumps(list(TEXTS)), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == list(TEXTS.values())


def test_infinity_in_older_texts() -> None:
    assert resolve_1_1("+.inf") == float("inf")


@pytest.mark.parametrize("before", ["", "# a comment\n\n"])
def test_cases_of_an_older_text_are_read_with_its_directive(before: str) -> None:
    keys = frozenset({"tests"})
    text = f"{before}{OLD}tests:\n  - id: a\n  - id: b\n"
    assert len(Document.of(text, keys).blocks) == 1
    assert len(Document.of(text.replace("1.1", "1.2"), keys).blocks) == 3


@pytest.mark.parametrize("at", range(5))
def test_a_repeated_id_invents_no_finding_and_hides_none(at: int) -> None:
    keys = ["input: hi", "criteria: Greets", "assertions: [{type: contans}]", "weigth: 2"]
    without = codes(["id: a", *keys])
    assert without == {"unknown-type", "unknown-key"}
    assert codes(["id: a", *keys[:at], "id: b", *keys[at:]]) == {*without, "duplicate-key"}


def codes(keys: list[str]) -> set[str]:
    text = f"tests:\n  - {keys[0]}\n" + "".join(f"    {each}\n" for each in keys[1:])
    found = analyze(LANGUAGE.document(text), LANGUAGE, dialect="agentv-3").diagnostics
    assert len(found) == len({each.code for each in found})
    return {each.code for each in found}


def test_a_key_behind_an_alias_is_read() -> None:
    text = "tests:\n  - id: &name input\n    *name : hi\n    criteria: Greets\n"
    assert not analyze(LANGUAGE.document(text), LANGUAGE, dialect="agentv-3").diagnostics
