"""The repository as others get it: a clone with one commit."""

import shutil
from pathlib import Path

import pytest
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
