"""The shell steps of `action.yml`, run as a runner runs them."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from strangers import REPOSITORY

ACTION: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["id"]: step for step in ACTION["runs"]["steps"] if "id" in step}
_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


@dataclass(frozen=True)
class Step:
    """A step that has ended."""

    code: int
    said: str
    #: What it wrote for later steps and for the page of the job, and the folders that it put on their PATH.
    outputs: dict[str, str]
    summary: str
    path: list[str]


def step(name: str, folder: Path, path: Path, **inputs: str) -> Step:
    """Run a step of the action in a folder, with a PATH that begins with `path`.

    `inputs` are those of `with`, where `_` stands for `-`, and in capitals variables of the job.
    """
    about, runner = STEPS[name], folder.with_name(f"{folder.name}-runner")
    runner.mkdir(exist_ok=True)  # the directory of a job, for all of its steps
    values = {key: each.get("default", "") for key, each in ACTION["inputs"].items()}
    values |= {key.replace("_", "-"): value for key, value in inputs.items() if not key.isupper()}
    environment = {key: _rendered(value, values) for key, value in about.get("env", {}).items()}
    files = {key: runner / key for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    for file in files.values():
        file.write_text("", encoding="utf-8")
    script = runner / "script.sh"
    script.write_text(about["run"], encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],  # what `shell: bash` means
        cwd=folder / values["working-directory"],
        env={
            **os.environ,
            **environment,
            **{key: str(file) for key, file in files.items()},
            "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(runner),
            **{key: value for key, value in inputs.items() if key.isupper()},
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    written = {key: file.read_text(encoding="utf-8") for key, file in files.items()}
    outputs = dict(line.split("=", 1) for line in written["GITHUB_OUTPUT"].splitlines())
    return Step(
        done.returncode,
        done.stdout + done.stderr,
        outputs,
        written["GITHUB_STEP_SUMMARY"],
        written["GITHUB_PATH"].splitlines(),
    )


def _rendered(text: str, inputs: dict[str, str]) -> str:
    """The value of a variable, whose expressions are an input or one of several things, the first that is not empty."""

    def value(expression: str) -> str:
        kind, name = expression.split(".", 1)
        return inputs[name] if kind == "inputs" else {"github.action_path": str(REPOSITORY)}[expression]

    return _EXPRESSION.sub(lambda found: next(filter(None, map(value, found[1].split(" || "))), ""), text)
