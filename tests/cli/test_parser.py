"""Misspelt commands and options, and colour."""

import os

import pytest
from command import BROKEN, Run, write

from rubric_core.cli import main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], "rubric: error: there is no command 'chek'; did you mean check?\n"),
        (["zzz"], "rubric: error: there is no command 'zzz'; there are init, check, format, run,"),
        (["run", "a", "--faild"], "rubric run: error: unrecognized arguments: --faild; did you mean --failed?\n"),
        (["run", "a", "--limt=3"], "unrecognized arguments: --limt=3; did you mean --limit?\n"),
        (["check", "--statistic-s"], "rubric check: error: unrecognized arguments: --statistic-s; did you mean --statistics?"),
        (["check", "--xyzzy"], "rubric check: error: unrecognized arguments: --xyzzy\n"),
        (["check", "--debg"], "unrecognized arguments: --debg\n"),
        (["run", "a", "-Z"], "unrecognized arguments: -Z\n"),
    ],
)  # fmt: skip
def test_what_was_meant(rubric: Run, arguments: list[str], words: str) -> None:
    ran = rubric(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize(
    ("variables", "option", "colours"),
    [
        ({}, [], False),
        ({}, ["--color", "always"], True),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, ["--color", "auto"], False),
    ],
)
def test_colour(
    rubric: Run, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], option: list[str], colours: bool
) -> None:
    write("a.eval.yaml", BROKEN)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    for command in (["check", "a.eval.yaml"], ["run", "a.eval.yaml"]):
        assert ("\x1b[" in rubric(*command, *option).out) is colours
    assert dict(os.environ) == before


@pytest.mark.parametrize("moment", ["rubric_core.cli.make_parser", "rubric_core.cli.check.main"])
def test_ctrl_c_while_a_class_is_made_is_seen_in_the_exit_code(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Before Python 3.12 it arrives as the cause of a RuntimeError."""

    def interrupted(*_: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(moment, interrupted)
    assert main(["check"]) == 130
