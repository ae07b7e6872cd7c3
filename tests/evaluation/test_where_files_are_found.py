"""Files that suites name are found where agentv 4.42.4 finds them, by a check and by a run alike.

What agentv does was measured: each suite below was run with the file beside it, in the folder above, at the root of the
repository, and in another folder.
"""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from suites import LANGUAGE, Folder

from rubric_core.adapters import system_ports
from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import ignore_event
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.project import Project
from rubric_core.text import apply_edits

SUITE = "root/mid/evals/s.eval.yaml"
#: The folders, and whether they are on the way from the suite to the root of the repository.
BESIDE, ABOVE = "root/mid/evals", ("root/mid", "root")
ELSEWHERE = ("root/other", ".", "root/mid/evals/below")
CASES = "- {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hi}]}\n"
CONTAINS = "{type: contains, value: hi}"
GRADER = "print('{\"score\": 1}')\n"
PROMPT = "{type: llm-grader, prompt: %s}"


def case(assertion: str = CONTAINS, more: str = "", input_: str = "hi") -> str:
    return f"tests:\n  - id: a\n    criteria: c\n    input: {input_}\n{more}    assertions: [{assertion}]\n"


@dataclass(frozen=True)
class Kind:
    """A kind of reference, in the shortest suite that has it."""

    suite: str
    name: str
    text: str
    #: Whether agentv looks in the folders above, too.
    upward: bool = False
    dialect: str = "agentv-3"


def hook(command: str, more: str = "") -> str:
    return f"workspace: {{mode: temp, hooks: {{before_all: {{command: {command}{more}}}}}}}\n{case()}"


SCENARIO = "- config: [{vars: {x: hi}}]\n  tests: [{id: a, vars: {q: hi}, assert: [{type: contains, value: hi}]}]\n"
KINDS = {
    "cases": Kind("tests: ./x.yaml\n", "x.yaml", CASES),
    "listed cases": Kind("tests: [file://x.yaml]\n", "x.yaml", CASES),
    "pattern of cases": Kind("tests: ['file://x*.yaml']\n", "x1.yaml", CASES),
    "folder of cases": Kind("tests: xs\n", "xs/a/case.yaml", CASES.removeprefix("- ")),
    "workspace": Kind(f"workspace: x.yaml\n{case()}", "x.yaml", "hooks: {before_all: {command: [cat]}}\n"),
    "workspace of a case": Kind(case(more="    workspace: x.yaml\n"), "x.yaml", "hooks: {before_all: {command: [cat]}}\n"),
    "template of a workspace": Kind(f"workspace: {{template: xs, mode: temp}}\n{case()}", "xs/f.txt", "x"),
    "script of a hook": Kind(hook("[python3, x.py]"), "x.py", "pass\n"),
    "script of a hook in a text": Kind(hook("python3 ./x.py"), "x.py", "pass\n"),
    "directory of a hook": Kind(hook("[python3, x.py]", ", cwd: xs"), "xs/x.py", "pass\n"),
    "script of a grader": Kind(case("{type: code-grader, command: [python3, x.py]}"), "x.py", GRADER),
    "script of a grader in a text": Kind(case("{type: code-grader, command: python3 x.py}"), "x.py", GRADER),
    "directory of a grader": Kind(case("{type: code-grader, command: [python3, x.py], cwd: xs}"), "xs/x.py", GRADER, upward=True),
    "program of an aggregator": Kind(
        case("{type: composite, assertions: [{name: c, type: contains, value: hi}], aggregator: {type: code-grader, path: ./x.py}}"),
        "x.py", f"#!/usr/bin/env python3\n{GRADER}",
    ),
    "block of a message": Kind(case(input_="[{role: user, content: [{type: text, value: hi}, {type: file, value: x.md}]}]"), "x.md", "hi", upward=True),
    "input file": Kind(case(more="    input_files: [x.md]\n"), "x.md", "hi", upward=True),
    "template of evaluators": Kind(case("{include: x}"), ".agentv/templates/x.yaml", f"assertions: [{CONTAINS}]\n", upward=True),
    "path of a template": Kind(case("{include: ./x.yaml}"), "x.yaml", f"assertions: [{CONTAINS}]\n", upward=True),
    "prompt of a judge": Kind(case(PROMPT % "file://x.md"), "x.md", "{{output}}\n", upward=True),
    "program of a prompt": Kind(case(PROMPT % "{command: [python3, x.py]}"), "x.py", "print('hi')\n", upward=True),
    "scenario": Kind('prompts: ["{{ q }}"]\nscenarios: [file://x.yaml]\n', "x.yaml", SCENARIO, dialect="agentv-5"),
}  # fmt: skip
PLACES = {"beside": BESIDE, "above": ABOVE[0], "root": ABOVE[1], **{f"in {each}": each for each in ELSEWHERE}}
REPORTED = ("missing-file", "unknown-template")


def lay_out(folder: Path, kind: Kind, place: str) -> Path:
    """A repository with the suite, its targets, and the file in a place; the path of the suite."""
    made = Folder(folder)
    made.write("root/.git/HEAD", "ref: refs/heads/main\n")
    Folder(folder / "root").targets(
        {"name": "default", "provider": "mock", "response": "hi", "grader_target": "judge"},
        {"name": "judge", "provider": "mock", "response": '{"score": 1, "passed": true, "assertions": []}'},
    )
    made.write(f"{place}/{kind.name}", kind.text).chmod(0o755)
    return made.write(SUITE, kind.suite)


def is_found(kind: Kind, place: str) -> bool:
    """Whether agentv finds the file."""
    return place == "beside" or (kind.upward and place in ("above", "root"))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", KINDS)
def test_a_check_finds_files_where_agentv_does(name: str, place: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    path = lay_out(tmp_path, kind, PLACES[place])
    document = LANGUAGE.document(path.read_text(encoding="utf-8"), path)
    found = analyze(document, LANGUAGE, dialect=kind.dialect, path=path, project=Project(DiskFiles()))
    wrong = [each for each in found.diagnostics if each.severity in ("error", "warning")]
    assert {each.code for each in wrong} <= set(REPORTED)
    assert (not wrong) is is_found(kind, place)
    if place == "above" and wrong and "pattern" not in name:
        assert "is found as `../" in wrong[0].message


@pytest.mark.skipif(sys.platform == "win32", reason="the programs here are found as on Unix")
@pytest.mark.parametrize("place", ["beside", "above", "root", "in root/other"])
@pytest.mark.parametrize("name", KINDS)
async def test_a_run_finds_them_in_the_same_places(name: str, place: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    path = lay_out(tmp_path, kind, PLACES[place])
    suite = load_suite(path, LANGUAGE, Project(DiskFiles()), dialect=kind.dialect)
    # What the check reports keeps a case from being run; here the run has to find out by itself.
    cases = [
        replace(each, problems=tuple(p for p in each.problems if not p[1].startswith(REPORTED))) for each in suite.cases
    ]
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        results = await run_cases([v for each in cases for v in variations(each)], ports, ignore_event)
    passed = [each.verdict is Verdict.PASSED for each in results]
    assert passed == [is_found(kind, place)]


WRAPPED = "workspace:\n  template: ./xs\n  hooks:\n    before_all: {command: [cat]}\n"


@pytest.mark.parametrize(("text", "refused"), [(WRAPPED, True), (f"mode: temp\n{WRAPPED}", False)])
async def test_a_workspace_inside_of_its_own_key_is_refused(text: str, refused: bool, tmp_path: Path) -> None:
    path = lay_out(tmp_path, Kind(f"workspace: ws.yaml\n{case()}", "ws.yaml", text), BESIDE)
    document = LANGUAGE.document(text)
    found = analyze(document, LANGUAGE, dialect="agentv-3", kind=FileKind.WORKSPACE)
    assert [each.severity for each in found.diagnostics] == ["error" if refused else "warning"]
    (fix,) = found.diagnostics[0].fixes
    if refused:
        assert apply_edits(text, fix.edits) == "template: ./xs\nhooks:\n  before_all: {command: [cat]}\n"
    suite = load_suite(path, LANGUAGE, Project(DiskFiles()))
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        (result,) = await run_cases(suite.cases, ports, ignore_event)
    assert (result.verdict is Verdict.UNSCORED) is refused
