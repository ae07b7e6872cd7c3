"""`rubric run --watch`: what changes runs again, and nothing else."""

import os
from argparse import Namespace
from io import StringIO
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.cli import main
from rubric_core.cli.parser import make_parser
from rubric_core.cli.run_watch import RunWatch

SUITE = """
tests:
  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
  - {id: b, criteria: c, input: [{role: user, content: [{type: file, value: question.md}]}], assertions: [{type: contains, value: hello}]}
"""


@pytest.fixture
def project(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.mock("hello")
    folder.write("question.md", "Hi?")
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


class Watched:
    """A run that is watched, and the ids that ran in each round."""

    def __init__(self, *arguments: str) -> None:
        self.out = StringIO()
        self.watch = RunWatch(options(*arguments), self.out)

    def begin(self) -> list[str]:
        return self._ran(self.watch.begin)

    def look(self) -> list[str]:
        return self._ran(self.watch.look)

    def _ran(self, step) -> list[str]:
        before = len(self.out.getvalue())
        self.code = step()
        rows = self.out.getvalue()[before:].splitlines()
        return sorted(row.partition('"id": "')[2].partition('"')[0] or row for row in rows)


def options(*arguments: str) -> Namespace:
    found = make_parser("run").parse_args(["run", *arguments, "--watch", "--format", "jsonl"])
    assert isinstance(found, Namespace)
    return found


def changed(file: Path, text: str) -> None:
    """Write, with a time that is another one for certain."""
    before = file.stat().st_mtime_ns
    file.write_text(text)
    os.utime(file, ns=(before + 1_000_000_000, before + 1_000_000_000))


def test_what_is_as_it_was_does_not_run_again(project: Folder) -> None:
    watched = Watched("suite.eval.yaml")
    assert watched.begin() == ["a", "b"]
    assert [watched.look(), watched.look()] == [[], []]


def test_the_cases_that_change(project: Folder) -> None:
    watched = Watched("suite.eval.yaml")
    watched.begin()
    changed(
        project.path / "suite.eval.yaml",
        SUITE.replace("id: a, criteria: c, input: hi", "id: a, criteria: c, input: hey"),
    )
    assert watched.look() == ["a"]
    assert watched.look() == []
    changed(project.path / "question.md", "Really?")
    assert watched.look() == ["b"]
    changed(
        project.path / ".agentv/targets.yaml", 'targets: [{name: default, provider: mock, response: "hello again"}]'
    )
    assert watched.look() == ["a", "b"]
    assert watched.look() == []


def test_a_comment_runs_nothing(project: Folder) -> None:
    watched = Watched("suite.eval.yaml")
    watched.begin()
    changed(project.path / "suite.eval.yaml", f"# Two cases\n{SUITE}")
    assert watched.look() == []


def test_a_new_case_and_a_new_suite(project: Folder) -> None:
    watched = Watched(".")
    watched.begin()
    new = "  - {id: c, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n"
    changed(project.path / "suite.eval.yaml", SUITE + new)
    assert watched.look() == ["c"]
    project.suite("tests:\n" + new.replace("id: c", "id: d"), "more.eval.yaml")
    os.utime(project.path, ns=(1, 2_000_000_000_000_000_000))
    assert watched.look() == ["d"]


def test_a_suite_that_is_broken_meanwhile(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    watched = Watched("suite.eval.yaml")
    watched.begin()
    changed(project.path / "suite.eval.yaml", "just words")
    assert watched.look() == []
    assert "suite.eval.yaml" in capsys.readouterr().err
    changed(project.path / "suite.eval.yaml", SUITE.replace("input: hi", "input: hey"))
    assert watched.look() == ["a"]


def test_only_what_is_chosen(project: Folder) -> None:
    watched = Watched("suite.eval.yaml", "-k", "a and not b")
    assert watched.begin() == ["a"]
    changed(project.path / "question.md", "Really?")
    assert watched.look() == []


def test_the_first_round_may_be_what_failed_and_later_ones_are_what_changed(project: Folder) -> None:
    project.suite(SUITE.replace("value: hello", "value: bye", 1))
    main(["run", "suite.eval.yaml", "-q"])
    watched = Watched("suite.eval.yaml", "--failed")
    assert watched.begin() == ["a"]
    assert watched.look() == []
    changed(project.path / "question.md", "Really?")
    assert watched.look() == ["b"]


def test_what_was_not_run_for_a_failure_runs_with_the_next_change(project: Folder) -> None:
    project.suite(SUITE.replace("value: hello", "value: bye", 1))
    watched = Watched("suite.eval.yaml", "-x", "--workers", "1")
    assert watched.begin() == ["a"]
    changed(project.path / "suite.eval.yaml", SUITE)
    assert watched.look() == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["suite.eval.yaml", "--format", "json"], "--watch has no end, and --format json is one document; use jsonl"),
        (["gone.eval.yaml"], "gone.eval.yaml"),
        (["suite.eval.yaml", "-k", "zzz"], "no case is selected"),
    ],
)
def test_what_cannot_be_watched_exits_2(
    project: Folder, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["run", *arguments, "--watch"]) == 2
    assert words in capsys.readouterr().err
