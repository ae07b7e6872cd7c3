"""`rubric format`: what it writes, what it only shows, and what it leaves untouched."""

from pathlib import Path

import pytest
from command import CLEAN, Run, write

MESSY = CLEAN.replace("input:", "input:  ")
BROKEN = 'tests:\n  - id:  a\n    input: "x\n'


def test_files_are_formatted_in_place(rubric: Run) -> None:
    messy, tidy = write("a.eval.yaml", MESSY), write("evals/b.eval.yaml", CLEAN)
    ran = rubric("format")
    assert (ran.code, ran.out, ran.err) == (0, "1 file formatted, 1 file left unchanged\n", "")
    assert (messy.read_text(), tidy.read_text()) == (CLEAN, CLEAN)
    assert rubric("format").out == "0 files formatted, 2 files left unchanged\n"


def test_check_lists_the_files_and_writes_nothing(rubric: Run) -> None:
    messy = write("a.eval.yaml", MESSY)
    write("b.eval.yaml", CLEAN)
    ran = rubric("format", "--check")
    words = "Would format: a.eval.yaml\n1 file would be formatted, 1 file would be left unchanged\n"
    assert (ran.code, ran.out, ran.err) == (1, words, "")
    assert messy.read_text() == MESSY
    assert rubric("format", "--check", "b.eval.yaml").code == 0


def test_diff_goes_to_standard_output_alone(rubric: Run) -> None:
    messy = write("a.eval.yaml", MESSY)
    ran = rubric("format", "--diff", "a.eval.yaml")
    assert ran.code == 1
    assert ran.out.splitlines()[:2] == ["--- a.eval.yaml", "+++ a.eval.yaml"]
    assert "-    input:   Can I return this?\n+    input: Can I return this?\n" in ran.out
    assert ran.err == "1 file would be formatted\n"
    assert messy.read_text() == MESSY


def test_a_file_with_a_syntax_error_is_left_untouched_and_named(rubric: Run) -> None:
    broken, messy = write("a.eval.yaml", BROKEN), write("b.eval.yaml", MESSY)
    ran = rubric("format")
    assert (ran.code, ran.out) == (2, "1 file formatted\n")
    assert ran.err == "rubric: a.eval.yaml:3: left untouched: this quote is never closed\n"
    assert (broken.read_text(), messy.read_text()) == (BROKEN, CLEAN)
    assert rubric("format", "--check").code == 2


def test_standard_input_goes_to_standard_output(rubric: Run) -> None:
    ran = rubric("format", "-", "--path", "a.eval.yaml", stdin=MESSY.encode())
    assert (ran.code, ran.out, ran.err) == (0, CLEAN, "")
    broken = rubric("format", "-", stdin=BROKEN.encode())
    assert (broken.code, broken.out) == (2, BROKEN), "an editor that filters its text gets it back"
    assert broken.err == "rubric: -:3: left untouched: this quote is never closed\n"
    checked = rubric("format", "--check", "-", stdin=MESSY.encode())
    assert (checked.code, checked.out) == (1, "Would format: -\n")


def test_bytes_that_are_no_blanks_stay(rubric: Run) -> None:
    file = write("a.eval.yaml", "\ufeff" + MESSY.replace("\n", "\r\n").replace("refund", "rückgabe"))
    assert rubric("format").code == 0
    assert file.read_bytes().decode() == "\ufeff" + CLEAN.replace("\n", "\r\n").replace("refund", "rückgabe")


def test_what_is_not_formatted(rubric: Run) -> None:
    settings, rows = write(".rubric.toml", "ignore  = []\n"), write("evals/cases.jsonl", '{"id":  "a"}\n')
    write("a.eval.yaml", CLEAN)
    assert rubric("format", ".", ".rubric.toml", "evals/cases.jsonl").code == 0
    assert (settings.read_text(), rows.read_text()) == ("ignore  = []\n", '{"id":  "a"}\n')


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gone.eval.yaml"], "rubric: gone.eval.yaml: there is no such file\n"),
        (["--path", "x"], "rubric: --path needs standard input: pass - as well\n"),
    ],
)
def test_usage_errors(rubric: Run, arguments: list[str], words: str) -> None:
    ran = rubric("format", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_file_that_cannot_be_written_is_reported(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.eval.yaml", MESSY)

    def refuse(_: Path, __: bytes) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rubric_core.cli.source_writer.write_file", refuse)
    ran = rubric("format")
    assert (ran.code, ran.out) == (2, "0 files formatted\n")
    assert ran.err == "rubric: a.eval.yaml: cannot be written: Permission denied\n"
