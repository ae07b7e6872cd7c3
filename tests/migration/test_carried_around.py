"""What a migration does to the files around a suite, and to what judges said about it."""

import json
from pathlib import Path

import pytest

from rubric_core.cli import main
from rubric_core.language.file_kinds import FileKind
from rubric_core.migration import migrate

SUITE = """\
evalcases:
  - id: tides
    expected_outcome: Explains the tides
    input: Why are there tides?
    rubrics:
      - {id: moon, expected_outcome: Names the Moon}
  - id: sun
    expected_outcome: Explains the heat
    input: Why is the sun hot?
    evaluators:
      - {name: judge, type: llm_judge, prompt: prompts/judge.md}
"""
RECORDED = """\
version: 1
recordings:
- judge: hand-written
  case: tides
  prompt: built-in 1
  question: Why are there tides?
  goal: Explains the tides
  answer: "42"
  criteria:
  - criterion: Names the Moon
    reply: {satisfied: true}
- judge: hand-written
  case: sun
  prompt: built-in 1
  question: Why is the sun hot?
  answer: "42"
  reply: {score: 0.9}
"""


@pytest.fixture
def folder(checkout: Path) -> Path:
    (checkout / ".agentv" / "targets.yaml").write_text(
        'targets:\n  - {name: default, provider: mock, response: "42"}\n'
    )
    (checkout / "prompts").mkdir()
    (checkout / "prompts" / "judge.md").write_text("Is {{ candidate_answer }} good, given {{ expected_outcome }}?\n")
    (checkout / "a.eval.yaml").write_text(SUITE)
    return checkout


def test_prompts_and_targets_are_carried_along_and_no_note_is_left_of_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate", "--to", "agentv-5", "--around", "--rename", "a.eval.yaml"]) == 0
    assert (folder / "prompts" / "judge.md").read_text() == "Is {{ output }} good, given {{ criteria }}?\n"
    assert not (folder / ".agentv" / "targets.yaml").exists()
    assert (folder / ".agentv" / "providers.yaml").read_text().startswith("providers:\n  - {label: default, id: mock")
    out = capsys.readouterr().out
    assert ".agentv/targets.yaml: agentv-1 → agentv-5, now providers.yaml\n" in out
    notes = [line for line in out.splitlines() if ": " in line and "→" not in line and "recording" not in line]
    assert [note.partition(": ")[2].partition(":")[0] for note in notes] == [
        "agentv-5 does not tell judges of rubrics and turns what the `criteria` of the case say"
    ]


def test_without_them_what_they_need_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--to", "agentv-5", "--targets", "a.eval.yaml"]) == 0
    out = capsys.readouterr().out
    assert "a.eval.yaml:18: the variables in prompts/judge.md have other names" in out
    assert (
        ".agentv/targets.yaml:1: agentv-5 looks for providers in a file `.agentv/providers.yaml`: rename this one"
        in out
    )


def test_a_file_that_is_there_already_is_not_written_over(folder: Path) -> None:
    (folder / ".agentv" / "providers.yaml").write_text("providers: []\n")
    assert main(["migrate", "--to", "agentv-5", "--rename", ".agentv/targets.yaml"]) == 0
    assert (folder / ".agentv" / "providers.yaml").read_text() == "providers: []\n"
    assert (folder / ".agentv" / "targets.yaml").exists()


def test_recordings_go_on_counting(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.recordings.yaml").write_text(RECORDED)
    assert main(["migrate", "--to", "agentv-5", "--check", "a.eval.yaml"]) == 1
    assert "a.recordings.yaml: 1 recording would be migrated\n" in capsys.readouterr().out
    assert (folder / "a.recordings.yaml").read_text() == RECORDED
    assert main(["run", "--replay", "a.eval.yaml::tides"]) == 0
    assert main(["migrate", "--to", "agentv-5", "--around", "--rename", "a.eval.yaml"]) == 0
    assert "goal" not in (folder / "a.recordings.yaml").read_text()
    assert main(["run", "--replay", "a.eval.yaml::tides"]) == 0


def test_what_people_wrote_beside_recordings_is_carried_along(folder: Path) -> None:
    text = RECORDED.replace(
        "- judge: hand-written\n  case: tides", "# ours\n- judge: hand-written   # me\n  case: tides"
    )
    text = text.replace("  goal: Explains the tides\n", "  goal: 'Explains the tides'   # as the case says\n")
    (folder / "a.recordings.yaml").write_text(text)
    assert main(["migrate", "--to", "agentv-5", "--around", "--rename", "a.eval.yaml"]) == 0
    # What a comment hangs on stays, though it says nothing any more.
    wanted = text.replace("'Explains the tides'", "''".ljust(20))
    assert (folder / "a.recordings.yaml").read_text() == wanted


def test_recordings_that_nobody_can_use_any_more_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.eval.yaml").write_text(
        SUITE.replace("    rubrics:\n      - {id: moon", "    grader: llm_judge\n    rubrics:\n      - {id: moon")
    )
    (folder / "a.recordings.yaml").write_text("version: 2\n")
    assert main(["migrate", "--to", "agentv-3", "a.eval.yaml"]) == 0
    assert "a.eval.yaml: its recordings stay unchanged: a.recordings.yaml: version 2" in capsys.readouterr().out


def test_every_line_of_a_data_set_stays_json() -> None:
    text = '{"id": "a", "criteria": "A greeting", "input": "Hello"}\n\n{"id": "b", "criteria": "x", "input": [{"role": "user", "content": "Hi"}]}\r\n'
    made = migrate(text, "agentv-3", "agentv-5", kind=FileKind.DATASET)
    rows = [json.loads(line) for line in made.text.splitlines() if line.strip()]
    assert rows[0] == {"id": "a", "criteria": "A greeting", "vars": {"input": "Hello"}}
    assert rows[1]["vars"] == {"input": [{"role": "user", "content": "Hi"}]}
    assert made.text.endswith("\r\n")


def test_a_line_that_needs_no_change_stays_as_it_is() -> None:
    text = '{"id":"a",  "criteria": "A greeting", "input": "Hello"}\n'
    assert migrate(text, "agentv-2.7", "agentv-3", kind=FileKind.DATASET).text == text


def test_a_case_in_a_directory_of_its_own() -> None:
    text = "id: a\nexpected_outcome: A greeting # of the day\ninput_messages:\n  - {role: user, content: Hello}\n"
    made = migrate(text, "agentv-1", "agentv-3", kind=FileKind.CASE)
    assert made.text == "id: a\ncriteria: A greeting # of the day\ninput:\n  - {role: user, content: Hello}\n"


def test_a_configuration_keeps_its_keys() -> None:
    text = "# ours\neval_patterns: ['**/*.eval.yaml']\nexecution: {verbose: true}\n"
    assert migrate(text, "agentv-2.7", "agentv-5", kind=FileKind.CONFIG).text == text


def test_a_prompt_that_showed_no_answer_is_named() -> None:
    text = "evalcases:\n  - {id: a, outcome: b, input_messages: [{role: user, content: c}], evaluators: [{name: j, type: llm_judge, prompt: Be strict.}]}\n"
    made = migrate(text, "agentv-0.5", "agentv-1")
    assert any("`{{ candidate_answer }}`" in note.words for note in made.notes)


TALK = """\
tests:
  - file://away.yaml
  - id: talk
    mode: conversation
    criteria: Helps the user
    input: You are a support agent.
    turns:
      - {input: Hello, assertions: [Greets the user]}
    assertions: [Stays polite]
"""
AWAY = "- {id: away, criteria: Helps the user, input: Hi, assertions: [Greets the user]}\n"


def _recorded(case: str, question: str, criterion: str, answer: str) -> dict[str, object]:
    told = {"case": case, "prompt": "built-in 1", "question": question, "goal": "Helps the user", "answer": answer}
    return {"judge": "hand-written", **told, "criteria": [{"criterion": criterion, "reply": {"satisfied": True}}]}


@pytest.mark.parametrize("around", [True, False])
def test_recordings_of_turns_and_of_cases_elsewhere_are_carried_or_listed(
    folder: Path, capsys: pytest.CaptureFixture[str], around: bool
) -> None:
    (folder / "b.eval.yaml").write_text(TALK)
    (folder / "away.yaml").write_text(AWAY)
    said = "user: You are a support agent.\n\nuser: Hello\n\nassistant: 42"
    entries = [
        _recorded("talk", said, "Greets the user", "42"),
        _recorded("talk", said, "Stays polite", said),
        _recorded("away", "Hi", "Greets the user", "42"),
    ]
    (folder / "b.recordings.yaml").write_text(json.dumps({"version": 1, "recordings": entries}))
    assert main(["migrate", "--to", "agentv-5", *(["--around"] if around else []), "b.eval.yaml"]) == 0
    out = capsys.readouterr().out
    assert f"b.recordings.yaml: {3 if around else 2} recordings are migrated\n" in out
    assert ("`away` is in away.yaml, which was not migrated" in out) is not around
    assert ("b.eval.yaml:4: away.yaml is still agentv-3" in out) is not around
    if around:
        assert main(["run", "--replay", "b.eval.yaml"]) == 0
