"""The request that debugs a grader: what is launched, and the launchers of VS Code with it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, until
from running import written

TREE = {**VSCODE, "experimental": {"rubricTests": True}}
LAUNCHERS = Path(__file__).parents[2] / "editors/vscode/debug"
ANSWER = "You can return it within 30 days."
TARGETS = f"targets:\n  - {{name: canned, provider: mock, response: {ANSWER}}}\n"
#: Prints all that a run gives it as the reason of its score.
PYTHON = """\
import json, os, sys
import beside
told = json.load(sys.stdin)
seen = {"argv": sys.argv[1:], "cwd": os.getcwd(), "variables": sorted(os.environ), "stdin": told, "main": __name__}
json.dump({"score": 1.0, "assertions": [{"text": json.dumps(seen), "passed": True}]}, sys.stdout)
"""
NODE = """\
const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
  const seen = {argv: process.argv.slice(2), cwd: process.cwd(), variables: Object.keys(process.env).sort(), stdin: JSON.parse(Buffer.concat(chunks).toString())};
  console.log(JSON.stringify({score: 1.0, assertions: [{text: JSON.stringify(seen), passed: true}]}));
});
"""
FILES = {
    ".agentv/targets.yaml": TARGETS,
    "graders/check.py": PYTHON,
    "graders/beside.py": "",
    "graders/check.mjs": NODE.replace("const chunks", "import 'node:fs';\nconst chunks"),
    "graders/check.cjs": NODE,
    "graders/value.py": f"def get_assert(output, context):\n    return output == {ANSWER!r}\n",
    "graders/value.mjs": f"export default (output) => output === {json.dumps(ANSWER)};\n",
    ".agentv/assertions/own.py": PYTHON.replace("import beside\n", ""),
}
#: By the name of the evaluator: how it is written, and the kind and the arguments that are launched.
KINDS = {
    "list": ("type: code-grader, command: [python3, -u, graders/check.py, --strict]", "python"),
    "text": ("type: code-grader, command: python3 graders/check.py 'a b'", "python"),
    "folder": ("type: code-grader, command: [python3, check.py], cwd: graders", "python"),
    "module": ("type: code-grader, command: [python3, -m, check], cwd: graders", "python"),
    "module-js": ("type: code-grader, command: [node, graders/check.mjs, x]", "node"),
    "common-js": ("type: code-grader, command: [node, --no-warnings, graders/check.cjs]", "node"),
    "own-kind": ("type: own", "python"),
}
#: Files with functions, which a program of rubric's calls.
FUNCTIONS = {
    "python-file": ('type: python, value: "file://graders/value.py"', "python"),
    "node-file": ('type: javascript, value: "file://graders/value.mjs"', "node"),
}
#: What cannot be debugged, and why.
OTHERS = {
    "shell": ("type: code-grader, command: python3 graders/check.py | cat", "neither Python nor node"),
    "other": ("type: code-grader, command: [sh, -c, 'echo {}']", "neither Python nor node"),
    "contains": ("type: contains, value: days", "sent nothing to a program"),
}


def suite(evaluators: dict[str, tuple[str, str]]) -> str:
    lines = [f"      - {{name: {name}, {text}}}" for name, (text, _) in evaluators.items()]
    return "\n".join([
        "# rubric: dialect=agentv-3", "name: s", "execution: {target: canned}", "tests:", "  - id: refund", "    criteria: Names the days",
        "    input: Can I return this?", "    assertions:", *lines, "",
    ])  # fmt: skip


def connected(connect: Connect, folder: Path, *, trusted: bool = True) -> Client:
    client = connect()
    client.initialize(TREE, folder, initializationOptions={"trusted": trusted})
    return client


def run(client: Client, uri: str) -> dict[str, Any]:
    """Run a suite: the report of its case."""
    client.request("rubric/runTests", {"include": [uri]})
    until("the end of the run", lambda: client.heard("rubric/runEnded"))
    report: dict[str, Any] = client.request("rubric/report", {"testId": f"{uri}::refund"})
    return report


def asked(client: Client, uri: str, evaluator: str) -> dict[str, Any]:
    answer: dict[str, Any] = client.request("rubric/debugGrader", {"testId": f"{uri}::refund::{evaluator}"})
    return answer


def launched(launch: dict[str, Any], folder: Path) -> str:
    """What the launcher of VS Code prints, started as its debugger starts it: with further variables, in a folder."""
    folder.mkdir()
    around = {**os.environ, "DEBUGGER_ONLY": "1"}
    told = {"unset": list(around.keys() - launch["environment"].keys()), "arguments": launch["arguments"]}
    (folder / "launch.json").write_text(json.dumps(told), encoding="utf-8")
    (folder / "stdin").write_text(launch["stdin"], encoding="utf-8")
    wrapper = LAUNCHERS / ("grader.py" if launch["kind"] == "python" else "grader.cjs")
    argv = [launch["runtime"], *launch["options"], str(wrapper), str(folder)]
    done = subprocess.run(
        argv, cwd=launch["cwd"], env={**around, **launch["environment"]}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_grader_is_launched_as_a_run_starts_it(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "suites", {**FILES, "a.eval.yaml": suite({**KINDS, **OTHERS})})
    uri = (folder / "a.eval.yaml").as_uri()
    client = connected(connect, folder)
    tests = client.request("rubric/discoverTests", {"testId": uri})["tests"]
    assert {t["label"] for t in tests if t.get("debuggable")} == {"refund", *KINDS}
    evaluators = {each["name"]: each for each in run(client, uri)["evaluators"]}
    for name, (_, kind) in KINDS.items():
        answer = asked(client, uri, name)
        assert "trouble" not in answer, (name, answer)
        assert answer["launch"]["kind"] == kind, name
        printed = launched(answer["launch"], tmp_path / name)
        texts = json.loads(printed)["assertions"][0]["text"], evaluators[name]["hits"][0]
        debugged, ran = map(json.loads, texts)
        for seen in (debugged, ran):  # without what marks programs of a run, and what shells and Python set themselves
            seen["variables"] = [n for n in seen["variables"] if "RUBRIC" not in n and n not in ("SHLVL", "LC_CTYPE")]
        assert debugged == ran, name
    for name, (_, why) in OTHERS.items():
        assert why in asked(client, uri, name)["trouble"], name


def test_a_function_is_called_as_in_a_run(connect: Connect, tmp_path: Path) -> None:
    assertions = ", ".join(f"{{metric: {name}, {text}}}" for name, (text, _) in FUNCTIONS.items())
    text = f"# rubric: dialect=agentv-5\nprompts: [Hi]\nproviders: [canned]\ntests:\n  - id: refund\n    assert: [{assertions}]\n"
    folder = written(tmp_path / "suites", {**FILES, "a.eval.yaml": text})
    uri = (folder / "a.eval.yaml").as_uri()
    client = connected(connect, folder)
    report = run(client, uri)
    assert report["verdict"] == "passed", report["reason"]
    tests = client.request("rubric/discoverTests", {"testId": uri})["tests"]
    assert {t["label"] for t in tests if t.get("debuggable")} == {"refund", *FUNCTIONS}
    for name, (_, kind) in FUNCTIONS.items():
        launch = asked(client, uri, name)["launch"]
        assert launch["kind"] == kind, name
        assert json.loads(launched(launch, tmp_path / name).removeprefix("\x1e"))["result"] is True


def test_a_case_without_an_answer_is_to_be_run_first(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path, {**FILES, "a.eval.yaml": suite(KINDS)})
    uri = (folder / "a.eval.yaml").as_uri()
    client = connected(connect, folder)
    client.request("rubric/discoverTests", {"testId": uri})
    assert asked(client, uri, "list") == {"trouble": "refund has no answer yet that list could grade: run it first"}
    for test in (f"{uri}::refund", uri, None):
        with pytest.raises(ServerError):
            client.request("rubric/debugGrader", {"testId": test})


def test_nothing_is_launched_that_was_not_allowed(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path, {**FILES, "a.eval.yaml": suite({"list": KINDS["list"]})})
    uri = (folder / "a.eval.yaml").as_uri()
    client = connected(connect, folder)
    run(client, uri)
    assert "launch" in asked(client, uri, "list")
    (folder / "a.eval.yaml").write_text(suite({"list": ("type: code-grader, command: [python3, other.py]", "")}))
    (folder / "other.py").write_text(PYTHON)
    other = connected(connect, folder)
    other.replies["window/showMessageRequest"] = lambda _: {"title": "Not now"}
    assert asked(other, uri, "list") == {}
    stranger = connected(connect, folder, trusted=False)
    stranger.replies["window/showMessageRequest"] = lambda _: None
    assert asked(stranger, uri, "list") == {}


def test_graders_of_promptfoo(connect: Connect, tmp_path: Path) -> None:
    config = """\
prompts: ["Can I return {{item}}?"]
providers: [{id: "file://provider.py"}]
tests:
  - description: refund
    vars: {item: this}
    assert:
      - {type: python, value: "file://graders/value.py"}
      - {type: javascript, value: "file://graders/value.mjs"}
      - {type: javascript, value: "output.length > 3"}
"""
    provider = f"def call_api(prompt, options, context):\n    return {{'output': {ANSWER!r}}}\n"
    folder = written(tmp_path / "suites", {**FILES, "provider.py": provider, "promptfooconfig.yaml": config})
    uri = (folder / "promptfooconfig.yaml").as_uri()
    client = connected(connect, folder)
    client.request("rubric/runTests", {"include": [uri]})
    until("the end of the run", lambda: client.heard("rubric/runEnded"))
    tests = client.request("rubric/discoverTests", {"testId": uri})["tests"]
    evaluators = [t for t in tests if t["kind"] == "evaluator"]
    assert [t.get("debuggable", False) for t in evaluators] == [True, True, False]
    for number, test in enumerate(evaluators[:2]):
        answer = client.request("rubric/debugGrader", {"testId": test["id"]})
        assert "trouble" not in answer, answer
        assert json.loads(launched(answer["launch"], tmp_path / f"{number}").removeprefix("\x1e"))["result"] is True
