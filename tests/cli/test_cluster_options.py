"""What `rubric run` says before anything runs where options about a cluster do not go together."""

import argparse
from pathlib import Path

import pytest

from rubric_core.cli import main
from rubric_core.cli.run_cluster import check_cluster_options
from rubric_core.cli.run_options import add_arguments
from rubric_core.cli.selection import WrongUseError


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(["suite.eval.yaml", *words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--send-env", "KEY"], "--send-env is about the workers of --on"),
        (["--shared-files"], "--shared-files is about the workers of --on"),
        (["--on", "local:2", "--cache"], "--cache and --on exclude each other: answers of targets are not cached on a cluster"),
        (["--on", "local:2", "--record"], "--record and --on exclude each other: judges are not recorded on a cluster"),
        (["--on", "local:2", "--watch"], "--watch and --on exclude each other: a cluster is set up for one run"),
        (["--on", "local:2", "--send-env", "RUBRIC_NO_SUCH"], "--send-env RUBRIC_NO_SUCH: there is no such variable here"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_one_sentence(words: list[str], said: str):
    with pytest.raises(WrongUseError, match=f"^{said}$"):
        check_cluster_options(options(*words))


def test_what_goes_together_is_nothing_to_talk_about(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUBRIC_KEY", "x")
    check_cluster_options(options())
    check_cluster_options(options("--on", "local:2", "--send-env", "RUBRIC_KEY", "--shared-files", "-x"))


@pytest.mark.parametrize(
    "error", [RuntimeError("Nanny failed to start."), TimeoutError(), ConnectionResetError(104, "reset")]
)
def test_workers_that_are_killed_while_they_start_are_one_sentence(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

    def start(**_: object) -> None:
        raise error

    monkeypatch.setattr(distributed, "LocalCluster", start)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.eval.yaml").write_text(
        "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]\n"
    )
    assert main(["run", "s.eval.yaml", "--on", "local:2"]) == 4
    said = "rubric: stopped, the worker processes of local:2 ended while they were starting; 1 of 1 case not run: a; "
    out, err = capsys.readouterr()
    assert out.strip() == "no case ended"
    assert [line[: len(said)] for line in err.splitlines()] == [said]
