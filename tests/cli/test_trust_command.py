"""`rubric trust`: which folders may run."""

import os
from pathlib import Path

import pytest
from command import Run, write


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
        f"rubric: {here}/inner is trusted because it is inside {here}; rubric trust --remove {here}\n",
    )
    assert rubric("trust", "--remove").out == f"{here} is not trusted any more\n"
    assert rubric("trust", "--remove").out == f"{here} was not trusted\n"
    assert rubric("trust", "--list").out == ""


def test_what_the_suites_do_is_printed_and_nothing_is_done(rubric: Run, here: Path) -> None:
    write("a/.agentv/targets.yaml", 'targets:\n  - {name: default, provider: cli, command: "touch PWNED"}\n')
    write("a/a.eval.yaml", "tests:\n  - {id: x, criteria: Kind, input: hi, assertions: [{type: contains, value: h}]}\n")
    write("b.eval.yaml", "tests:\n  - {id: x, criteria: Kind, input: {\n")
    lines = rubric("trust").out.splitlines()
    assert lines[0].startswith(f"{here} is trusted: ")
    assert "  execute: touch PWNED" in lines
    assert any("Anything else asks" in line for line in lines)
    assert lines[-1] == f"Undo it: rubric trust --remove {here}"
    planned = rubric("run", "--plan", "a")
    assert (planned.code, planned.out) == (0, "execute: touch PWNED\n")
    (start,) = rubric("run", "--plan", "--format", "json", "a").json["execute"]
    assert (start["command"], start["directory"]) == (["sh", "-c", "touch PWNED"], str(here / "a"))
    assert not list(here.rglob("PWNED"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--list", "--remove"], "argument --remove: not allowed with argument --list"),
        (["gone"], "rubric: gone is not a folder"),
        ([""], "rubric: an empty name is not a folder; write . for the current one"),
    ],
)
def test_wrong_use_is_explained(rubric: Run, arguments: list[str], words: str) -> None:
    ran = rubric("trust", *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert rubric("trust", "--list").out == ""


def test_a_folder_in_the_place_of_a_trusted_one_is_not_trusted(rubric: Run, here: Path) -> None:
    inner = here / "inner"
    inner.mkdir()
    rubric("trust", "inner")
    assert rubric("trust", "--list").out == f"{inner}\n"
    inner.rename(here / "moved")
    assert rubric("trust", "--list").out == ""
    # Disks use the numbers of folders again, as for this one.
    (here / "moved").rmdir()
    inner.mkdir()
    assert rubric("trust", "--list").out == ""


@pytest.mark.parametrize("wide", ["/", "{home}", "{home}/.."])
def test_what_holds_more_than_suites_has_to_be_meant(
    rubric: Run, here: Path, monkeypatch: pytest.MonkeyPatch, wide: str
) -> None:
    home = here / "homes" / "me"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    ran = rubric("trust", wide.format(home=home))
    assert ran.code == 2
    assert "name the folder of the suites, or pass --yes" in ran.err
    assert rubric("trust", "--list").out == ""
    if wide == "/":
        return  # every suite on this disk would be looked for, and its programs with it
    assert rubric("trust", "--yes", wide.format(home=home)).code == 0
    assert rubric("trust", "--list").out != ""


@pytest.mark.parametrize(
    "listed", ['["/"]', '[{"path": "/", "identity": [0, 0, 0]}]', '[{"path": ".", "identity": null}]', "[null]", "7"]
)
def test_a_damaged_or_forged_list_trusts_nothing(rubric: Run, state: Path, listed: str) -> None:
    file = state / "rubric" / "trust.json"
    file.parent.mkdir(parents=True)
    file.write_text(f'{{"folders": {listed}}}')
    assert rubric("trust", "--list").out == ""


def test_nobody_else_reads_what_is_trusted(rubric: Run, state: Path) -> None:
    before = os.umask(0)
    try:
        rubric("trust")
    finally:
        os.umask(before)
    assert (state / "rubric" / "trust.json").stat().st_mode & 0o777 == 0o600
    assert (state / "rubric").stat().st_mode & 0o777 == 0o700


def test_a_state_that_cannot_be_written_is_no_success(rubric: Run, state: Path) -> None:
    state.write_text("in the way")
    ran = rubric("trust")
    assert ran.code == 2
    assert str(state) in ran.err


@pytest.mark.parametrize("text", ["garbage", "null", "[1]", '{"version": 2, "folders": {"a": 1}}', "[" * 100_000])
def test_a_list_that_is_none_is_named_and_left_alone(rubric: Run, here: Path, state: Path, text: str) -> None:
    """A later version may have written it, or a person, by hand."""
    file = state / "rubric" / "trust.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    for arguments in (("trust",), ("trust", "--remove")):
        told = rubric(*arguments)
        assert (told.code, told.out) == (2, "")
        assert told.err.startswith(f"rubric: {file}: this is not a list of trusted folders; move it away")
    assert rubric("trust", "--list").out == ""
    assert file.read_text() == text


def test_an_empty_list_is_begun_anew(rubric: Run, here: Path, state: Path) -> None:
    file = state / "rubric" / "trust.json"
    file.parent.mkdir(parents=True)
    file.touch()
    assert rubric("trust").code == 0
    assert rubric("trust", "--list").out == f"{here}\n"
