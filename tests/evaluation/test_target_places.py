"""What the entry of a target says about where it works, and which programs run around the cases that it answers."""

import json
import sys
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.targets.resolve import load_targets

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the targets here are shell commands")

CASE = "  - {id: ID, criteria: c, input: hi, assertions: [{type: contains, value: seen}]}\n"
CASES = f"tests:\n{CASE.replace('ID', 'a')}{CASE.replace('ID', 'b')}"
MOMENTS = ("before_all", "before_each", "after_each", "after_all")


def hooks(mark: str) -> dict[str, object]:
    return {name: {"command": f"echo {mark}-{name} >> log.txt; cat > told-{name}.json"} for name in MOMENTS}


def log(place: Path) -> list[str]:
    return [line.replace("before", "<").replace("after", ">") for line in (place / "log.txt").read_text().split()]


async def test_hooks_of_a_target_run_inside_of_those_of_its_suite(folder: Folder) -> None:
    folder.targets({"id": "default", "provider": "cli", "command": "pwd; echo seen", "hooks": hooks("target")})
    results = await folder.run(f"workspace: {json.dumps({'hooks': hooks('suite')})}\n" + CASES, "agentv-3", workers=1)
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}
    each = ["suite-<_each", "target-<_each", "target->_each", "suite->_each"]
    assert log(folder.path) == ["suite-<_all", "target-<_all", *each, *each, "target->_all", "suite->_all"]
    told = json.loads((folder.path / "told-after_each.json").read_text())
    assert (told["test_id"], told["case_input"]) == ("b", "hi")
    assert told["workspace_path"]


async def test_hooks_alone_make_no_workspace(folder: Folder) -> None:
    folder.targets({"id": "default", "provider": "cli", "command": "pwd; echo seen", "hooks": hooks("target")})
    results = await folder.run(CASES, "agentv-3", workers=1)
    assert results["a"].answer.split() == [str(folder.path), "seen"]
    each = ["target-<_each", "target->_each"]
    assert log(folder.path) == ["target-<_all", *each, *each, "target->_all"]
    assert json.loads((folder.path / "told-before_each.json").read_text())["workspace_path"] is None


async def test_one_target_under_two_names_of_a_matrix(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "cat skills 2>&1; echo seen"})
    text = (
        "workspace: {isolation: per_test}\nexecution:\n  targets:\n    - {name: plain, use_target: default}\n    - name: skilled\n      use_target: default\n"
        "      hooks: {before_each: {command: 'echo good > $AGENTV_WORKSPACE_PATH/skills'}}\n"
    )
    results = await folder.run(text + CASES.replace("value: seen", "value: good"))
    for result in results.values():
        rows = (result.details or {})["variations"]
        assert [(row["target"], row["verdict"]) for row in rows] == [("plain", "failed"), ("skilled", "passed")]


async def test_an_environment_of_a_target_takes_the_place_of_the_suites(folder: Folder) -> None:
    folder.write("inner/seed.txt", "inner seen\n")
    folder.write("own/seed.txt", "own seen\n")
    folder.write(
        ".agentv/providers.yaml",
        """\
        providers:
          - id: cli
            label: default
            config: {command: "cat seed.txt made.txt && echo $WHO"}
            environment:
              type: host
              workdir: ./inner
              setup: {command: [sh, -c, 'echo made > made.txt']}
              env: {WHO: "{{ env.USER_OF_IT }}"}
        """,
    )
    folder.environment["USER_OF_IT"] = "ann"
    row = "  - {id: ID, vars: {q: hi}, assert: [{type: contains, value: seen}] MORE}\n"
    text = "environment: {type: host, workdir: ./nowhere-at-all}\nprompts: ['{{ q }}']\ntests:\n" + row.replace(
        "ID", "a"
    )
    text += row.replace("ID", "b").replace("MORE", ", environment: {type: host, workdir: ./own}")
    results = await folder.run(text.replace(" MORE", ""), "agentv-5")
    assert results["a"].answer.split() == ["inner", "seen", "made", "ann"]
    assert "cat: made.txt" in results["b"].reason  # what the case says counts most: nothing prepared that one
    assert not (folder.path / "inner/made.txt").exists()  # a copy was prepared


async def test_a_template_of_a_target_is_copied_for_every_case(folder: Folder) -> None:
    folder.write("template/seed.txt", "seen\n")
    folder.write("suites/seed.txt", "other seen\n")
    folder.write(
        ".agentv/targets.yaml",
        "targets: [{name: default, provider: cli, workspace_template: ./template, command_template: 'cat seed.txt log; echo x >> log; rm seed.txt; true'}]",
    )
    text = CASES.replace("assertions", "assert")
    results = await folder.run(text, "agentv-2.7")
    assert {r.answer for r in results.values()} == {"seen"}
    results = await folder.run("workspace: {template: ./suites}\n" + text, "agentv-2.7", workers=1)
    assert results["a"].answer == "other seen"
    assert (folder.path / "template/seed.txt").exists()


async def test_what_a_judge_says_of_its_place_is_told_and_not_acted_on(folder: Folder) -> None:
    judged = {"score": 1, "assertions": []}
    judge = {
        "id": "judge",
        "provider": "mock",
        "response": json.dumps(judged),
        "hooks": {"before_all": {"command": "touch ran"}},
    }
    folder.targets(
        {
            "id": "default",
            "provider": "mock",
            "response": "seen",
            "grader_target": "judge",
            "inputs": {"q": "a question"},
        },
        judge,
    )
    cases = folder.cases("tests:\n  - {id: a, criteria: is good, input: hi}\n", "agentv-3")
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.attempt import targets_of
    from rubric_core.evaluation.engine.schedule import run_cases

    async with system_ports({}) as ports:
        (result,) = await run_cases(cases, ports)
        notes = targets_of(cases[0], ports).notes
    assert result.verdict is Verdict.PASSED, result.reason
    assert notes == (
        "targets.yaml:1, inputs: ignored; they are for programs that generate attacks; a case sets its values under `vars`",
        "targets.yaml:1, hooks: ignored; judge answers no case itself",
    )
    assert not (folder.path / "ran").exists()


def test_a_result_depends_on_the_place_of_its_target(folder: Folder) -> None:
    folder.write("inner/seed.txt", "inner")
    folder.write("hook.py", "1")
    folder.write("setup.sh", "1")
    environment = {"type": "host", "workdir": "./inner", "setup": {"command": ["sh", "setup.sh"], "cwd": "."}}
    folder.targets({"id": "default", "provider": "mock", "environment": environment, "hooks": {"after_all": {"command": ["python3", "hook.py"]}}})  # fmt: skip

    def now() -> str:
        (case,) = folder.cases(f"tests:\n{CASE}", "agentv-3")
        return fingerprint(case, DiskFiles(), load_targets(folder.path, DiskFiles()))

    seen = [now()]
    for name in ("inner/seed.txt", "inner/new.txt", "hook.py", "setup.sh"):
        folder.write(name, "changed")
        seen.append(now())
    folder.write("neighbour.py", "x")
    assert len(set(seen)) == 5
    assert now() == seen[-1]


@pytest.mark.parametrize("name", ["", "name: mine, "])
async def test_a_suite_describes_its_target_in_place_of_naming_it(folder: Folder, name: str) -> None:
    folder.targets({"id": "base", "provider": "cli", "command": "echo seen"}, {"id": "default", "provider": "mock"})
    suite = 'prompts: ["{{ q }}"]\ntests: [{id: a, vars: {q: hi}, assert: [{type: contains, value: seen}]}]\n'
    results = await folder.run(f"target: {{{name}extends: base}}\n{suite}", "agentv-5")
    assert (results["a"].verdict, results["a"].target) == (Verdict.PASSED, "mine" if name else "target")
