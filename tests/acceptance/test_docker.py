"""The image for CI: linted, and its instructions followed by hand, since there is no builder."""

import json
import os
import re
import shutil
import sys
import sysconfig
from fnmatch import fnmatch
from pathlib import Path

import pytest
from strangers import REPOSITORY, run
from thorough import only_thorough

DOCKERFILE = REPOSITORY / "Dockerfile"
LINES = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text(encoding="utf-8")).splitlines()


def instructions(name: str) -> list[str]:
    """What stands after a word such as RUN, in the order of the file."""
    return [line.split(" ", 1)[1] for line in LINES if line.startswith(f"{name} ")]


def test_hadolint_has_nothing_against_it(tmp_path: Path) -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not here")
    done = run([hadolint, str(DOCKERFILE)], tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    worse = tmp_path / "Dockerfile"
    worse.write_text(DOCKERFILE.read_text(encoding="utf-8").partition(":3.13-slim")[0], encoding="utf-8")
    assert run([hadolint, str(worse)], tmp_path).returncode == 1


def test_it_runs_as_a_user_without_rights() -> None:
    assert instructions("USER") == ["1000"]
    last = max(number for number, line in enumerate(LINES) if line.startswith("FROM "))
    assert any(line.startswith("USER ") for line in LINES[last:])


def test_everything_that_it_copies_is_sent_to_the_builder() -> None:
    ignored = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    copied = {name for line in instructions("COPY") if not line.startswith("--from") for name in line.split()[:-1]}
    assert kept == copied
    assert "*" in ignored
    assert not any(fnmatch(name, line) for name in kept for line in ignored if line[0] not in "#!*")
    assert all((REPOSITORY / name).exists() for name in kept)


@only_thorough
def test_its_installation_followed_by_hand_checks_a_suite(tmp_path: Path, clone: Path) -> None:
    """What rubric requires is found in the environment of the tests: this is offline."""
    source, installed, project = tmp_path / "src", tmp_path / "opt/rubric", tmp_path / "work"
    for line in instructions("COPY"):
        *names, to = line.split()
        for name in names if not line.startswith("--from") else ():
            target = tmp_path / to.lstrip("/") / (name if to.endswith("/") else "")
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (clone / name).is_dir() else shutil.copy)(clone / name, target)
    script = instructions("RUN")[0].replace("/opt/rubric", str(installed)).replace("/src", str(source))
    script = script.replace(" -I ", " ")  # -I leaves out PYTHONPATH, with which this is offline
    offline = {
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # 0 turns it off
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "EXTRAS": "",
    }
    done = run(["sh", "-ec", script], tmp_path, **offline)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(installed.glob("lib/python3*/site-packages/pip")), "the image needs no pip"
    project.mkdir()
    entry, first = json.loads(instructions("ENTRYPOINT")[0]), json.loads(instructions("CMD")[0])
    there = {**offline, "PATH": f"{installed / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    program = str(installed / "bin" / entry[0])
    assert run([program, "init", "--yes"], project, **there).returncode == 0
    done = run([program, *first], project, **there)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no findings in 2 files" in done.stdout + done.stderr
