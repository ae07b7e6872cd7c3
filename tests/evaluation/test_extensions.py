"""Functions of a suite around its cases and in its templates, run in processes of their own; and the files it asks for."""

import json
import os
import shutil
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.cli import main
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.engine.events import Noted
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.targets.resolve import load_targets

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="JavaScript needs node")
CASES = """\
prompts: ["hello {{ who }}"]
tests:
  - {id: a, vars: {who: x}, assert: [{type: contains, value: "Ann"}]}
  - {id: b, vars: {who: y}, assert: [{type: contains, value: "Bob"}]}
"""
ONE = CASES[: CASES.index("  - {id: b")]
HOOKS = """\
import json
def note(*words):
    with open("log.txt", "a") as file:
        file.write(" ".join(map(str, words)) + "\\n")
def beforeAll(context, meta):
    note(meta["hookName"], [test["id"] for test in context["suite"]["tests"]], context["suite"]["name"])
def beforeEach(context):
    test = context["test"]
    return {"test": {**test, "vars": {"who": {"a": "Ann", "b": "Cy"}[test["id"]]}, "metadata": {"seen": 1}}}
async def afterEach(context, meta):
    note(context["test"]["id"], context["test"]["vars"]["who"], context["result"]["success"], context["result"]["score"])
def afterAll(context):
    note([(row["test"]["id"], row["response"]["output"]) for row in context["results"]])
def fails(context):
    raise SystemExit("no database")
"""


def extended(*hooks: str, rest: str = CASES) -> str:
    listed = "".join(f"  - file://hooks.py:{hook}\n" for hook in hooks)
    return f"name: talk\nextensions:\n{listed}{rest}"


def echo(folder: Folder) -> None:
    folder.targets({"id": "default", "provider": "cli", "command": "cat {PROMPT_FILE}"})


def told(folder: Folder) -> list[str]:
    return [event.message for event in folder.events if isinstance(event, Noted)]


async def test_hooks_see_each_case_and_may_change_its_values(folder: Folder) -> None:
    echo(folder)
    folder.write("hooks.py", HOOKS)
    text = extended("beforeAll", "beforeEach", "afterEach", "afterAll")
    results = await folder.run(text, "agentv-5", workers=1)
    assert {name: (r.verdict, r.answer) for name, r in results.items()} == {
        "a": (Verdict.PASSED, "hello Ann"),
        "b": (Verdict.FAILED, "hello Cy"),
    }
    assert (folder.path / "log.txt").read_text().splitlines() == [
        "beforeAll ['a', 'b'] talk",
        "a Ann True 1.0",
        "b Cy False 0.0",
        "[('a', 'hello Ann'), ('b', 'hello Cy')]",
    ]
    assert told(folder) == []


@pytest.mark.parametrize(
    ("hook", "body", "words"),
    [
        ("beforeAll", "raise ValueError('no database')", "the extension file://hooks.py:beforeAll: the python code failed: ValueError: no database (line 2)"),
        ("beforeEach", "return {'test': {**context['test'], 'assert': []}}", "changes `assert` of the case; rubric supports changes to `vars` only (line 2)"),
        ("beforeAll", "return {'suite': {**context['suite'], 'tests': []}}", "changes `tests` of the suite, which rubric does not support (line 2)"),
    ],
)  # fmt: skip
async def test_a_hook_before_cases_that_fails_leaves_them_without_a_score(
    folder: Folder, hook: str, body: str, words: str
) -> None:
    echo(folder)
    folder.write("hooks.py", f"def {hook}(context):\n    {body}\n")
    result = await folder.one(extended(hook, rest=ONE), "agentv-5")
    assert (result.verdict, result.score) == (Verdict.UNSCORED, None)
    assert words in result.reason


async def test_a_hook_behind_each_run_of_a_case_changes_no_result(folder: Folder) -> None:
    folder.mock("Ann and Bob")
    folder.write(
        "hooks.py",
        "def afterEach(context):\n    return {'result': {'score': 0}}\ndef afterAll(context):\n    raise ValueError('disk full')\n",
    )
    result = await folder.one(extended("afterEach", "afterAll", rest=ONE), "agentv-5", repeat=2)
    assert result.verdict is Verdict.PASSED
    changes = "the extension file://hooks.py:afterEach changes results, which rubric does not support (line 2)"
    assert told(folder) == [
        changes, changes, "the extension file://hooks.py:afterAll: the python code failed: ValueError: disk full (line 2)",
    ]  # fmt: skip


async def test_rules_for_agents_are_refused(folder: Folder) -> None:
    folder.mock("hello")
    for result in (await folder.run(f"extensions: ['agentv:agent-rules']\n{CASES}", "agentv-5")).values():
        assert result.verdict is Verdict.UNSCORED
        assert "rubric does not install rules for agents (`agentv:agent-rules`)" in result.reason


@NODE
async def test_filters_of_the_suite(folder: Folder) -> None:
    echo(folder)
    folder.write("shout.js", "module.exports = (text, end = '!') => text.toUpperCase() + end;")
    text = """\
        nunjucks_filters: {shout: ./shout.js}
        prompts: ["{{ who | shout }} {{ who | shout('?') | lower }} {% for n in ['b'] %}{{ n | shout }}{% endfor %}"]
        tests:
          - {id: a, vars: {who: x}, assert: [{type: equals, value: "{{ who | shout }} x? B!"}]}
        """
    result = await folder.one(text, "agentv-5")
    assert (result.verdict, result.answer) == (Verdict.PASSED, "X! x? B!")
    folder.write("shout.js", "module.exports = text => text.nothing.here;")
    result = await folder.one(text, "agentv-5")
    assert "the filter shout: the javascript code failed: TypeError" in result.reason
    assert result.reason.endswith("(line 1)")


def test_results_depend_on_the_files_of_extensions_and_filters(folder: Folder) -> None:
    folder.mock("x")
    text = "nunjucks_filters: {shout: shout.js}\n" + extended("beforeEach")

    def now() -> str:
        case = folder.cases(text, "agentv-5")[0]
        return fingerprint(case, DiskFiles(), load_targets(folder.path, DiskFiles()))

    seen = []
    for name in ("hooks.py", "shout.js", "neighbour.js"):
        seen.append(now())
        folder.write(name, "1")
    assert now() == seen[-1]
    assert len(set(seen)) == 3
    text += "x-notes: 1\n"
    assert now() not in seen, "extensions get every key"


def test_the_files_that_a_suite_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Folder(tmp_path)
    folder.mock("Ann")
    folder.suite("# rubric: dialect=agentv-5\noutput_path: [out/a.json, b.jsonl, c.html, d.json/e.json]\n" + CASES)
    (tmp_path / "d.json").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["run", "suite.eval.yaml"]) == 2
    whole = json.loads((tmp_path / "out" / "a.json").read_text())
    assert whole["summary"] == {"passed": 1, "borderline": 0, "failed": 1, "unscored": 0}
    assert {row["id"]: row["verdict"] for row in whole["cases"]} == {"a": "passed", "b": "failed"}
    rows = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert {(row["id"], row["suite"], row["score"]) for row in rows} == {
        ("a", "suite.eval.yaml", 1.0),
        ("b", "suite.eval.yaml", 0.0),
    }
    said = capsys.readouterr().err
    assert "suite.eval.yaml: `output_path`: c.html is not written; rubric writes .json and .jsonl" in said
    assert f"`output_path`: d.json{os.sep}e.json cannot be written: " in said
    assert not (tmp_path / "c.html").exists()
