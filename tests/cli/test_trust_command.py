"""`rubric trust`: which folders may run."""

from pathlib import Path

import pytest
from command import Run


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_folder_is_trusted_listed_and_no_longer_trusted(rubric: Run, here: Path) -> None:
    (here / "inner").mkdir()
    assert rubric("trust").out.startswith(f"{here} is trusted: ")
    assert rubric("trust", "--list").out == f"{here}\n"
    inside = rubric("trust", "--remove", "inner")
    assert (inside.code, inside.err) == (
        1,
        f"rubric: {here}/inner is trusted as a part of {here}; rubric trust --remove {here}\n",
    )
    assert rubric("trust", "--remove").out == f"{here} is not trusted any more\n"
    assert rubric("trust", "--remove").out == f"{here} was not trusted\n"
    assert rubric("trust", "--list").out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--list", "--remove"], "argument --remove: not allowed with argument --list"),
        (["gone"], "rubric: gone is no folder"),
        ([""], "rubric: an empty name is no folder; write . for the current one"),
    ],
)
def test_wrong_use_is_explained(rubric: Run, arguments: list[str], words: str) -> None:
    ran = rubric("trust", *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert rubric("trust", "--list").out == ""


def test_a_state_that_cannot_be_written_is_no_success(rubric: Run, state: Path) -> None:
    state.write_text("in the way")
    ran = rubric("trust")
    assert ran.code == 2
    assert str(state) in ran.err
