"""A command on a folder reads and writes nothing outside of it, or of its repository; what a user names is the user's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rubric_core.containment import bounds_of, is_inside

SUITE = "tests:\n   - id: a\n     criteria: c\n     input: hi\n     assertions:\n         - {type: contains, value: hi, wieght: 2}\n"
SECRETS = {
    "netrc": "machine example.org login me password hunter2secret\n",
    "npmrc": "//registry.example.org/:_authToken=hunter2secret\n",
    "config.json": '{"auths": {"example.org": {"auth": "hunter2secret"}}}\n',
    "key": "-----BEGIN PRIVATE KEY-----\nhunter2secret\n-----END PRIVATE KEY-----\n",
    "dotenv": "API_KEY=hunter2secret\n",
}
COMMANDS = (
    ("format", "."), ("check", "--fix", "."), ("check", "--fix", "*.eval.yaml"), ("migrate", "--to", "agentv-5", "."),
    ("migrate", "--to", "agentv-5", "--around", "--targets", "."), ("format", "evals"),
)  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with links of each kind, beside a folder that is not part of it."""
    outside, inside = tmp_path / "outside", tmp_path / "repository"
    for folder in (outside / "deep", inside / "evals/.agentv", inside / ".git"):
        folder.mkdir(parents=True)
    for name, text in SECRETS.items():
        (outside / name).write_text(text, encoding="utf-8")
    for name in ("linked.eval.yaml", "deep/far.eval.yaml"):
        (outside / name).write_text(SUITE, encoding="utf-8")
    (outside / "targets.yaml").write_text(
        "targets:\n    -   {name: default, provider: cli, command_template: x}\n", encoding="utf-8"
    )
    (outside / "cases.jsonl").write_text('{"id":"a","expected_outcome":"c","input":"hi"}\n', encoding="utf-8")
    (inside / "own.eval.yaml").write_text(SUITE, encoding="utf-8")
    (inside / "including.eval.yaml").write_text("tests: evals/cases.jsonl\n", encoding="utf-8")
    for link, target in {
        "evals/file.eval.yaml": "../../outside/linked.eval.yaml",
        "evals/chain.eval.yaml": "file.eval.yaml",
        "top.eval.yaml": "evals/folder/far.eval.yaml",
        "evals/folder": "../../outside/deep",
        "evals/above.eval.yaml": "folder/../linked.eval.yaml",
        "evals/absolute.eval.yaml": str(outside / "linked.eval.yaml"),
        "evals/.agentv/targets.yaml": "../../../outside/targets.yaml",
        "evals/cases.jsonl": "../../outside/cases.jsonl",
        "evals/.rubric.toml": "../../outside/netrc",
        "evals/within.eval.yaml": "../own.eval.yaml",
        **{f"evals/{name}.eval.yaml": f"../../outside/{name}" for name in SECRETS},
    }.items():
        (inside / link).symlink_to(target)
    return inside


def rubric(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-m", "rubric_core.cli", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(folder.parent)}
    )


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_outside_is_written(repository: Path, arguments: tuple[str, ...]) -> None:
    outside = repository.parent / "outside"
    before, own = content(outside), (repository / "own.eval.yaml").read_text(encoding="utf-8")
    rubric(repository, *arguments)
    assert content(outside) == before
    if "evals" not in arguments:
        assert (repository / "own.eval.yaml").read_text(encoding="utf-8") != own


@pytest.mark.parametrize("output", ["text", "json", "github", "sarif", "agent", "diff"])
def test_no_line_of_a_file_outside_is_printed(repository: Path, output: str) -> None:
    done = rubric(repository, "check", *(["--diff"] if output == "diff" else ["--format", output]), "--no-cache", ".")
    assert "hunter2secret" not in done.stdout + done.stderr
    for name in ("file", "chain", "above", "absolute", "netrc"):
        assert f"evals/{name}.eval.yaml: left alone: it is a link to a file outside" in done.stderr
    assert "top.eval.yaml: left alone" in done.stderr
    assert "within" not in done.stderr


def test_a_link_within_the_repository_is_followed_from_each_folder_in_it(repository: Path) -> None:
    assert "within.eval.yaml" in rubric(repository / "evals", "check", ".").stdout


def test_a_file_that_is_named_is_the_users(repository: Path) -> None:
    done = rubric(repository, "check", "--fix", "evals/file.eval.yaml")
    assert "left alone" not in done.stderr
    assert "weight: 2" in (repository.parent / "outside/linked.eval.yaml").read_text(encoding="utf-8")
    assert (repository / "evals/file.eval.yaml").is_symlink()


@pytest.mark.parametrize("name", SECRETS)
def test_lines_of_a_named_file_hide_what_other_programs_keep_secret(repository: Path, name: str) -> None:
    done = rubric(repository, "check", f"evals/{name}.eval.yaml")
    assert "hunter2secret" not in done.stdout + done.stderr


def test_a_folder_without_a_repository_is_its_own_bound(repository: Path) -> None:
    (repository / ".git").rmdir()
    assert bounds_of(repository / "evals") == str((repository / "evals").resolve())
    assert not is_inside(repository / "evals/within.eval.yaml", bounds_of(repository / "evals"))
    assert is_inside(repository / "evals/within.eval.yaml", bounds_of(repository))
    assert not is_inside(repository, bounds_of(repository)), "a folder is not a file in it"
    assert not is_inside(repository.parent / "repository-2" / "a", bounds_of(repository))


def test_a_folder_that_is_reached_through_a_link_is_the_folder(repository: Path) -> None:
    """Its own files are in it, whatever it is called by."""
    link = repository.parent / "link"
    link.symlink_to(repository)
    assert "own.eval.yaml" in rubric(repository.parent, "check", "link").stdout
