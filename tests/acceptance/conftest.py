"""The repository as others get it: a clone with one commit."""

import os
import shutil
import sysconfig
import venv
from pathlib import Path

import pytest
from composite_action import step
from strangers import REPOSITORY, git, run


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of this checkout as they are, committed or not."""
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], REPOSITORY)
    if listed.returncode:
        pytest.skip("not a checkout")
    folder = tmp_path_factory.mktemp("clone")
    for name in listed.stdout.splitlines():
        if (REPOSITORY / name).is_file() and not name.startswith(("tests/", "editors/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "As it is")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty repository of somebody."""
    git(tmp_path, "init", "-q")
    return tmp_path


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory, clone: Path) -> Path:
    """The programs of an environment into which rubric was installed as the action installs it, offline.

    What rubric requires is taken from the environment of the tests; `make release-check` and pre-commit install it from an index.
    """
    folder = tmp_path_factory.mktemp("machine")
    machine, temporary = folder / "machine", folder / "temporary"
    temporary.mkdir()
    venv.create(machine)
    bin_name = "Scripts" if os.name == "nt" else "bin"
    found = machine / bin_name
    packages = run([str(found / "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
    (Path(packages.stdout.strip()) / "tests.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    done = step(
        "install", clone, found, package=f"{clone}[mcp,pytest]", PIP_NO_INDEX="1", PIP_NO_BUILD_ISOLATION="0",  # 0 turns it off
        RUNNER_TEMP=str(temporary),
    )  # fmt: skip
    assert done.code == 0, done.said
    (programs,) = done.path
    assert run([str(Path(programs) / "rubric"), "--version"], folder).returncode == 0
    assert not (Path(programs) / "python").exists(), "the Python of targets stays that of the job"
    return temporary / "rubric" / bin_name
