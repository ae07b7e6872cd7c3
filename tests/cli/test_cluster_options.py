"""What `rubric run` says before anything runs where options about a cluster do not go together."""

import argparse

import pytest

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
