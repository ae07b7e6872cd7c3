"""What is true of every migration, of single steps, and of the command."""

import csv
from pathlib import Path

import pytest
from harness import analysis_of
from properties import check_all, errors
from thorough import only_thorough

from rubric_core.cli import main
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.migration import MigratedText, NotMigratableError, migrate, steps
from rubric_core.text import apply_edits

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
NAMES = [dialect.name for dialect in DIALECTS]
OLD = "evalcases:\n  - id: a\n    expected_outcome: A greeting # of the day\n    input_messages:\n      - {role: user, content: Hello}\n"


def test_nothing_to_do_changes_nothing() -> None:
    assert migrate(OLD, "agentv-1", "agentv-1") == MigratedText(OLD)


def test_broken_yaml_is_left_alone() -> None:
    with pytest.raises(NotMigratableError) as raised:
        migrate("evalcases:\n  - id: [a\n", "agentv-1", "agentv-3")
    assert raised.value.offset > 0


@pytest.mark.parametrize("name", ["", "agentv-4"])
def test_unknown_dialects_are_refused(name: str) -> None:
    with pytest.raises(KeyError):
        migrate(OLD, name, "agentv-3")


def test_a_modeline_says_the_new_dialect() -> None:
    made = migrate(f"# rubric: dialect=agentv-1\n{OLD}", "agentv-1", "agentv-3")
    assert made.text.startswith("# rubric: dialect=agentv-3\n")


def test_steps_one_by_one_come_to_the_same() -> None:
    text = "execution: {target: bot}\ntests:\n  - id: a\n    criteria: A greeting\n    input: Hello\n    assertions:\n      - type: llm-grader\n"
    expected = migrate(text, "agentv-3", "agentv-5").text
    titles = []
    for _ in range(20):
        offers = steps(analysis_of(text))
        if not offers:
            break
        titles.append(offers[0].title)
        text = apply_edits(text, offers[0].edits)
    assert text == expected
    assert titles[0] == "Write targets as `providers` (agentv-5)"


def test_a_text_of_the_newest_dialect_has_no_steps() -> None:
    assert steps(analysis_of('prompts: ["{{ q }}"]\ntests:\n  - vars: {q: a}\n    assert: [Is polite]\n')) == []


def test_a_default_is_only_made_explicit_in_the_older_dialect() -> None:
    text = "tests:\n  - {id: a, criteria: b, input: c, assert: [{type: is-json}]}\nassert: [{type: is-json}]\n"
    assert all("Keep the suite" not in offer.title for offer in steps(analysis_of(text, "agentv-2.7")))


@pytest.mark.parametrize("size", [300])
def test_long_suites_take_seconds_at_most(size: int) -> None:
    cases = "".join(
        f"  - id: case-{n}\n    expected_outcome: Says {n}\n    input_messages:\n      - {{role: user, content: Say {n}}}\n"
        for n in range(size)
    )
    made = migrate(f"evalcases:\n{cases}", "agentv-1", "agentv-5")
    assert made.text.count("      input:\n") == size


# The corpus


def corpus(dialects: set[str], kind: str) -> list[tuple[str, Path]]:
    if not CORPUS.is_dir():
        return []
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8") as table:
        rows = [r for r in csv.DictReader(table, delimiter="\t") if r["kind"] == kind and r["copy"] == "first"]
    every = [(r["dialect"] if r["dialect"] in NAMES else "agentv-0.5", CORPUS / r["tag"] / r["path"]) for r in rows]
    return [(dialect, path) for dialect, path in every if dialect in dialects]


@pytest.mark.corpus
@pytest.mark.parametrize("target", NAMES[1:])
@pytest.mark.parametrize("kind", [FileKind.SUITE, FileKind.TARGETS], ids=lambda k: k.name.lower())
@only_thorough
def test_every_older_file_of_the_corpus(target: str, kind: FileKind) -> None:
    found = corpus(set(NAMES[: NAMES.index(target)]), kind.name.lower())
    if not found:
        pytest.skip(f"the corpus is not there: {CORPUS}")
    for dialect, path in found:
        before = path.read_text(encoding="utf-8")
        made = migrate(before, dialect, target, kind=kind)
        try:
            check_all(before, made, dialect, target, kind)
        except AssertionError as error:
            raise AssertionError(f"{path.relative_to(CORPUS)}: {error}") from error


@pytest.mark.corpus
def test_suites_of_agentv_1_have_no_errors_in_agentv_3() -> None:
    found = corpus({"agentv-1"}, "suite")
    if not found:
        pytest.skip(f"the corpus is not there: {CORPUS}")
    assert len(found) > 25
    for dialect, path in found:
        made = migrate(path.read_text(encoding="utf-8"), dialect, "agentv-3")
        assert errors(made.text, "agentv-3") == [], path


# The command


@pytest.fixture
def folder(checkout: Path) -> Path:
    (checkout / ".agentv" / "targets.yaml").write_text(
        "targets:\n  - {name: default, provider: mock, judge_target: default}\n"
    )
    (checkout / "old.eval.yaml").write_text(OLD)
    (checkout / "new.eval.yaml").write_text('prompts: ["{{ q }}"]\ntests:\n  - vars: {q: a}\n    assert: [Is polite]\n')
    return checkout


def test_writes_files_and_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--to", "agentv-3", "."]) == 0
    assert "criteria: A greeting # of the day" in (folder / "old.eval.yaml").read_text()
    out = capsys.readouterr().out
    assert "old.eval.yaml: agentv-1 → agentv-3\n" in out
    assert "new.eval.yaml: this is already agentv-5, because of `prompts`\n" in out
    assert out.endswith("1 file of 1 changed\n")
    assert "judge_target" in (folder / ".agentv" / "targets.yaml").read_text()


def test_carries_the_targets_file_when_asked(folder: Path) -> None:
    assert main(["migrate", "--to", "agentv-3", "--targets", "old.eval.yaml"]) == 0
    assert "grader_target: default" in (folder / ".agentv" / "targets.yaml").read_text()


def test_check_shows_the_difference_and_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--to", "agentv-3", "--check", "old.eval.yaml"]) == 1
    assert (folder / "old.eval.yaml").read_text() == OLD
    out = capsys.readouterr().out
    assert "+    criteria: A greeting # of the day" in out
    assert "-    expected_outcome: A greeting # of the day" in out
    assert main(["migrate", "--to", "agentv-3", "old.eval.yaml"]) == 0
    assert main(["migrate", "--to", "agentv-3", "--check", "old.eval.yaml"]) == 0


def test_lists_what_is_left_with_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "evalcases:\n  - id: a\n    expected_outcome: b\n    input: c\n    evaluators:\n      - {name: x, type: expected_tool_calls}\n"
    (folder / "old.eval.yaml").write_text(text)
    assert main(["migrate", "--to", "agentv-3", "old.eval.yaml"]) == 0
    out = capsys.readouterr().out
    assert "old.eval.yaml:6: agentv-2.7 has no type `expected_tool_calls`" in out
    assert "1 place left to you" in out


def test_refuses_broken_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "old.eval.yaml").write_text("evalcases:\n  - id: [a\n")
    assert main(["migrate", "--to", "agentv-3", "old.eval.yaml"]) == 2
    assert "fix this first" in capsys.readouterr().err
