"""What git is asked, and that a repository's own configuration starts nothing."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rubric_core.adapters import system_ports
from rubric_core.evaluation.workspaces.plan import RepoPlan
from rubric_core.evaluation.workspaces.programs import clone
from rubric_core.git_state import commit_of, is_dirty

Git = Callable[..., str]


def git_in(folder: Path) -> Git:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return git


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git = git_in(tmp_path)
    git("init", "-q")
    for name in ("a.txt", "b.txt", "folder/deep/c.txt", "a"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"content of {name}\n")
    (tmp_path / "tool.sh").write_text("true\n")
    (tmp_path / "tool.sh").chmod(0o755)
    (tmp_path / "link").symlink_to("a.txt")
    git("add", ".")
    git("commit", "-qm", "one")
    return tmp_path


def replaced(folder: Path) -> None:
    (folder / "a.txt").write_text("CONTENT of a.txt\n")


def touched(folder: Path) -> None:
    os.utime(folder / "a.txt", (1, 1))


def removed(folder: Path) -> None:
    (folder / "folder/deep/c.txt").unlink()


def added(folder: Path) -> None:
    (folder / "new.txt").write_text("new")


def staged(folder: Path) -> None:
    added(folder)
    git_in(folder)("add", "new.txt")


def staged_and_undone(folder: Path) -> None:
    replaced(folder)
    git_in(folder)("add", "a.txt")
    git_in(folder)("reset", "-q", "--hard")


def made_a_link(folder: Path) -> None:
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to("b.txt")


def pointed_elsewhere(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("b.txt")


def no_program_any_more(folder: Path) -> None:
    (folder / "tool.sh").chmod(0o644)


def assumed(folder: Path) -> None:
    git_in(folder)("update-index", "--assume-unchanged", "a.txt")
    replaced(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="links, and modes of files")
@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize(
    "change",
    [
        None, replaced, touched, removed, added, staged, staged_and_undone, made_a_link, pointed_elsewhere, no_program_any_more,
        assumed,
    ],
)  # fmt: skip
def test_files_differ_where_git_says_so(folder: Path, change: Callable[[Path], None] | None, version: str) -> None:
    git = git_in(folder)
    git("update-index", "--index-version", version)
    if change is not None:
        change(folder)
    if version == "3":  # further flags, as an entry without content has them
        (folder / "intended.txt").write_text("x")
        git("add", "-N", "intended.txt")
        git("rm", "-q", "--cached", "intended.txt")
    said = git("status", "--porcelain", "--untracked-files=no")
    assert is_dirty(folder) == bool(said), said


def test_a_worktree_and_names_of_sha256(tmp_path: Path) -> None:
    folder = tmp_path / "main"
    folder.mkdir()
    git = git_in(folder)
    git("init", "-q", "--object-format=sha256")
    (folder / "a.txt").write_text("one")
    git("add", ".")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", "../beside", "-b", "other")
    for place in (folder, tmp_path / "beside"):
        assert commit_of(place) == git("rev-parse", "HEAD")
        os.utime(place / "a.txt", (1, 1))
        assert not is_dirty(place)
        (place / "a.txt").write_text("two")
        assert is_dirty(place)


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"DIRC" + b"\xff" * 80, b"x" * 500])
def test_a_damaged_index_says_nothing(folder: Path, damage: bytes) -> None:
    (folder / ".git" / "index").write_bytes(damage)
    assert not is_dirty(folder)


#: Settings that name programs, of which git starts some for `status`, `diff` or what they need.
PROGRAMS = """
[core]
    fsmonitor = {program} fsmonitor
    hooksPath = {hooks}
    sshCommand = {program} ssh
    pager = {program} pager
    editor = {program} editor
    gitProxy = {program} proxy
    alternateRefsCommand = {program} refs
    askPass = {program} pass
[pager]
    diff-index = {program} pager
[filter "plain"]
    clean = {program} clean
    smudge = {program} smudge
    required = true
[filter "a=b"]
    clean = {program} clean-with-sign
[filter "long"]
    process = {program} process
[diff]
    external = {program} external
[diff "plain"]
    textconv = {program} textconv
    command = {program} command
[credential]
    helper = !{program} credential
[alias]
    diff-index = !{program} alias
[gpg]
    program = {program} gpg
[remote "origin"]
    url = ext::{program} remote
    promisor = true
    uploadpack = {program} uploadpack
[protocol]
    allow = always
[extensions]
    partialClone = origin
"""


@pytest.mark.skipif(sys.platform == "win32", reason="scripts with a first line")
@pytest.mark.parametrize("is_missing", [False, True])
def test_a_repository_starts_nothing(folder: Path, is_missing: bool) -> None:
    """Whatever its configuration, attributes, hooks and submodules name; also where objects are missing that git would fetch."""
    began = folder.parent / f"{folder.name}-began"
    program = folder.parent / f"{folder.name}-program"
    program.write_text(f'#!/bin/sh\necho "$@" >>{began}\ncat\n')
    program.chmod(0o755)
    hooks = folder / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).symlink_to(program)
        (folder / ".git" / "hooks" / name).symlink_to(program)
    inner = folder / "inner"
    inner.mkdir()
    git_in(inner)("init", "-q")
    (inner / "x.txt").write_text("x")
    git_in(inner)("add", ".")
    git_in(inner)("commit", "-qm", "x")
    git_in(folder)("add", "inner")
    git_in(folder)("commit", "-qm", "two")
    for place in (folder, inner):
        with (place / ".git" / "config").open("a") as config:
            config.write(PROGRAMS.format(program=program, hooks=hooks))
        attributes = "*.txt filter=plain diff=plain\nb.txt filter=a=b\na filter=long\n"
        (place / ".git" / "info" / "attributes").write_text(attributes)
        (place / ".gitattributes").write_text(attributes)
    (inner / "x.txt").write_text("y")
    began.unlink(missing_ok=True)
    if is_missing:
        tree = git_in(folder)("-c", "core.fsmonitor=false", "rev-parse", "HEAD^{tree}")
        (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
        began.unlink(missing_ok=True)
    for change in (touched, replaced):
        change(folder)
        is_dirty(folder)
        commit_of(folder)
    time.sleep(0.1)
    assert not began.exists(), began.read_text()


def test_the_repository_that_starts_nothing_would(folder: Path) -> None:
    """Else the test above could not fail: `git status` starts the filter."""
    began = folder.parent / f"{folder.name}-began"
    git_in(folder)("config", "filter.plain.clean", f"touch {began}; cat")
    (folder / ".gitattributes").write_text("*.txt filter=plain\n")
    touched(folder)
    git_in(folder)("status")
    assert began.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="scripts with a first line")
@pytest.mark.parametrize("sparse", [(), ("folder",)])
async def test_a_clone_starts_nothing_either(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, sparse: tuple[str, ...]
) -> None:
    """Neither what the repository names that is cloned, nor what one names that was copied as the workspace."""
    workspace, home = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("home")
    began, program = home / "began", home / "program"
    program.write_text(f'#!/bin/sh\necho "$@" >>{began}\ncat\n')
    program.chmod(0o755)
    (folder / ".gitattributes").write_text("* filter=plain diff=plain\n")
    git_in(folder)("add", ".")
    git_in(folder)("commit", "-qm", "attributes")
    git_in(workspace)("init", "-q")
    for place in (folder, workspace):
        config = PROGRAMS.format(program=program, hooks=place / ".git" / "hooks")
        with (place / ".git" / "config").open("a") as file:
            file.write(f"{config}[uploadpack]\n    packObjectsHook = {program}\n[submodule]\n    recurse = true\n")
        for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-receive", "update"):
            (place / ".git" / "hooks" / name).symlink_to(program)
    for source in (str(folder), folder.as_uri()):
        repo = RepoPlan(source, Path(source).name + ("-url" if ":" in source else ""), "HEAD", 1, sparse, "line 1")
        async with system_ports({"PATH": os.environ["PATH"], "HOME": str(home)}) as ports:
            await clone(repo, workspace, ports)
        assert (workspace / repo.path / "folder" / "deep" / "c.txt").is_file()
    assert not began.exists(), began.read_text()
