"""What makes results stale: what decides them, and nothing else; the same in the editor and on the command line."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from parity.promptfoo.comparison import suites as configurations
from running import written
from thorough import sample

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import targets_for
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_lsp.routes import make_server
from rubric_lsp.running.case_fingerprints import CaseFingerprints
from rubric_lsp.running.selection import distinct

FILES = DiskFiles()


def cases_of(suite: Path) -> list[Runnable]:
    return distinct(load_suite(suite).cases)


def of_command_line(suite: Path) -> dict[str, str]:
    return {case.id: fingerprint(case, FILES, targets_for(case, FILES)) for case in cases_of(suite)}


def of_editor(suite: Path) -> dict[str, str]:
    """The fingerprints of the entries of an open suite, each computed from its own text."""
    server = make_server()
    snapshot = server.documents.open(suite.as_uri(), "eval-yaml", 1, suite.read_text(encoding="utf-8"))
    return dict(CaseFingerprints(server.documents).of_cases(snapshot, suite, snapshot.analysis.cases))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configurations that are compared with promptfoo, to be edited."""
    return Path(shutil.copytree(configurations()[0].parent, tmp_path_factory.mktemp("parity") / "suites"))


@pytest.mark.parametrize("name", [each.name for each in sample(configurations(), 12)])
def test_the_editor_and_the_command_line_agree(folder: Path, name: str) -> None:
    expected = of_command_line(folder / name)
    found = of_editor(folder / name)
    assert found == {case: expected[case] for case in found}


@pytest.mark.parametrize("name", [each.name for each in sample(configurations(), 12)])
def test_a_test_decides_its_own_result(folder: Path, name: str) -> None:
    """Another value in one test: its result is stale, and of the others only those that read what it leaves behind."""
    suite, edited = folder / name, folder / f"edited.{name}"
    text, every = suite.read_text(encoding="utf-8"), cases_of(suite)
    if "extensions:" in text or any(each.is_serial for each in every):
        return  # tests are given to extensions, and answers to later tests
    before = {case.id: fingerprint(case, FILES, targets_for(case, FILES)) for case in every}
    for case in every:
        node = case.case.node
        if not isinstance(node, MappingNode) or case.file is not None or node is case.suite.node or node.get("path"):
            continue
        start = node.span.start
        column = start - text.rfind("\n", 0, start) - 1
        more = "{threshold: 0.123, " if node.flow else f"threshold: 0.123\n{' ' * column}"
        edited.write_text(f"{text[:start]}{more}{text[start + node.flow :]}", encoding="utf-8")
        after = of_command_line(edited)
        assert {each for each in before if after[each] != before[each]} == {c.id for c in every if c.case.node is node}


CONFIGURATION = """\
description: greets
prompts: ['Hi {{name}} {{word}}']
providers: [echo]
defaultTest: {assert: [{type: contains, value: Hi}]}
tests:
  - vars: {name: Ann, word: x}
  - file://rows.csv
  - file://some.yaml
scenarios:
  - config: [{vars: {word: one}}, {vars: {word: two}}]
    tests:
      - vars: {name: Kim}
      - vars: {name: Max}
  - file://scenario.yaml
"""
TABLES = {
    "rows.csv": "name,word\nZoe,a\nEve,b\n",
    "some.yaml": "- vars: {name: Bob, word: c}\n- vars: {name: Tim, word: d}\n",
    "scenario.yaml": "- config: [{vars: {word: three}}]\n  tests: [{vars: {name: Leo}}, {vars: {name: Mia}}]\n",
}
EVERY = {
    "name=Ann,word=x", "Row #1", "Row #2", "name=Bob,word=c", "name=Tim,word=d", "word=one,name=Kim", "word=two,name=Kim",
    "word=one,name=Max", "word=two,name=Max", "word=three,name=Leo", "word=three,name=Mia",
}  # fmt: skip
NAME = "promptfooconfig.yaml"


@pytest.mark.parametrize(
    ("file", "old", "new", "stale"),
    [
        (NAME, "description: greets", "description: welcomes", set()),
        (NAME, "description: greets", "outputPath: [out.json]\ntags: {env: ci}\nsharing: false\nwriteLatestResults: false", set()),
        (NAME, "description: greets", "x-note: {anything: [1, 2]}", set()),
        (NAME, "description: greets", "redteam: {purpose: greets}", set()),
        (NAME, "description: greets", "evaluateOptions: {maxConcurrency: 2, delay: 10}", set()),
        (NAME, "description: greets", "commandLineOptions: {verbose: true, table: false}", set()),
        (NAME, "description: greets", "evaluateOptions: {repeat: 2}", EVERY),
        (NAME, "description: greets", "env: {TONE: warm}", EVERY),
        (NAME, "Hi {{name}}", "Hello {{name}}", EVERY),
        (NAME, "[echo]", "[{id: echo, config: {a: 1}}]", EVERY),
        (NAME, "value: Hi", "value: Bye", EVERY),
        (NAME, "- vars: {name: Kim}", "- {vars: {name: Kim}, threshold: 1}", {"word=one,name=Kim", "word=two,name=Kim"}),
        (NAME, "{vars: {word: one}}", "{vars: {word: one}, threshold: 1}", {"word=one,name=Kim", "word=one,name=Max"}),
        ("rows.csv", "name,word\nZoe,a\nEve,b", "word,name\na,Zoe\nb,Eve", set()),
        ("rows.csv", "name,word\nZoe,a\nEve,b", "name,word,__expected\nZoe,a,\nEve,b,Hi", {"Row #2"}),
        ("some.yaml", "Tim, word: d}", "Tim, word: d}\n  threshold: 1", {"name=Tim,word=d"}),
        ("scenario.yaml", "{name: Mia}}", "{name: Mia}, threshold: 1}", {"word=three,name=Mia"}),
    ],
)  # fmt: skip
def test_what_makes_a_result_of_promptfoo_stale(tmp_path: Path, file: str, old: str, new: str, stale: set[str]) -> None:
    files = {NAME: CONFIGURATION, **TABLES}
    assert stale_after(tmp_path, NAME, files, file, old, new) == (EVERY, stale)


def stale_after(
    folder: Path, suite: str, files: Mapping[str, str], file: str, old: str, new: str
) -> tuple[set[str], set[str]]:
    """The cases of a suite, and those whose fingerprints change with an edit of one of its files."""
    assert files[file].count(old) == 1
    before = of_command_line(written(folder, files) / suite)
    after = of_command_line(written(folder, {file: files[file].replace(old, new)}) and folder / suite)
    return set(before), {name for name in before if after[name] != before[name]}


SCENARIOS = """\
# rubric: dialect=agentv-5
name: support
providers: [canned]
prompts: ["Can I {{word}} this?"]
scenarios:
  - config:
      - {vars: {word: return}, assert: [{type: contains, value: no}]}
      - vars: {word: keep}
    tests:
      - {id: first, assert: [{type: contains, value: weeks}]}
      - {id: second, assert: [{type: contains, value: days}]}
  - config: [{vars: {word: sell}}]
    tests: [{id: third, assert: [{type: contains, value: days}]}]
"""


@pytest.mark.parametrize(
    ("old", "new", "stale"),
    [
        ("name: support", "name: help", set()),
        ("value: weeks", "value: months", {"first"}),
        ("word: keep", "word: hold", {"first", "second"}),
        ("value: no", "value: nope", {"first", "second"}),
        ("word: sell", "word: buy", {"third"}),
    ],
)
def test_what_makes_a_result_of_a_scenario_stale(tmp_path: Path, old: str, new: str, stale: set[str]) -> None:
    targets = "targets: [{name: canned, provider: mock, response: within 30 days}]\n"
    files = {"a.eval.yaml": SCENARIOS, ".agentv/targets.yaml": targets}
    found = stale_after(tmp_path, "a.eval.yaml", files, "a.eval.yaml", old, new)
    assert found == ({"first", "second", "third"}, stale)
