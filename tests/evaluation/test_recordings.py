"""Recorded judge replies: written by --record, read without a judge, and never used for another question."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_server import JudgeServer
from suites import Folder, checks

from rubric_core.adapters import DiskFiles
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.judging.recordings import Recordings, RecordingsError, recordings_path
from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
from rubric_core.evaluation.model.recording import JudgeInput, Provenance
from rubric_core.evaluation.model.result import Verdict

SUITE = """
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    expected_output: Within 30 days
    assertions:
      - type: rubrics
        criteria:
          - {id: window, outcome: Names the 30 days, weight: 2, score_ranges: {0: no, 5: yes}}
          - {id: tone, outcome: Is friendly}
"""
ANSWER = "You have 30 days."
JUDGE = {"name": "default", "provider": "mock", "response": ANSWER, "grader_target": "judge"}
NO_JUDGE = {"name": "default", "provider": "mock", "response": ANSWER}


async def recorded(folder: Folder, judge: JudgeServer, text: str = SUITE, mode: str = "record") -> str:
    """Run with a judge and --record; gives the file."""
    folder.targets(JUDGE, judge.target())
    cases = folder.cases(text, mode=mode)
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.schedule import run_cases

    async with system_ports({}) as ports:
        results = await run_cases(cases, ports)
    assert results[0].verdict is not Verdict.UNSCORED, results[0].reason
    save_recordings(cases)
    folder.targets(NO_JUDGE)
    return recordings_path(folder.path / "suite.eval.yaml").read_text(encoding="utf-8")


@pytest.fixture
def answered(judge: JudgeServer) -> JudgeServer:
    judge.replies = [checks(window=9, tone=8)]
    return judge


async def test_a_recording_stands_in_for_a_judge(folder: Folder, answered: JudgeServer) -> None:
    text = await recorded(folder, answered)
    assert "judge: openai:judge-1" in text
    assert "criterion: Names the 30 days" in text
    result = await folder.one(SUITE)
    assert (result.score, result.verdict) == (pytest.approx(2.6 / 3), Verdict.PASSED)
    assert result.evaluators[0].judge.startswith("recorded (openai:judge-1, 20")
    assert [c.recorded for c in result.evaluators[0].criteria] == [True, True]
    assert len(answered.bodies) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("input: Can I return this?", "input: Can I return that?"),
        ("criteria: Explains the refund window", "criteria: Explains the window"),
        ("expected_output: Within 30 days", "expected_output: Within 31 days"),
    ],
    ids=["question", "goal", "reference"],
)
async def test_an_edited_case_is_a_miss(folder: Folder, answered: JudgeServer, old: str, new: str) -> None:
    await recorded(folder, answered)
    assert (await folder.one(SUITE.replace(old, new))).verdict is Verdict.UNSCORED


async def test_an_edited_answer_is_a_miss(folder: Folder, answered: JudgeServer) -> None:
    await recorded(folder, answered)
    folder.mock(ANSWER + "!")
    assert (await folder.one(SUITE)).verdict is Verdict.UNSCORED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Is friendly", "Is very friendly"),
        ("outcome: Is friendly", "outcome: Is friendly, operator: contradiction"),
        ("0: no, 5: yes", "0: no, 6: yes"),
    ],
)
async def test_an_edited_criterion_is_a_miss_and_the_others_are_still_judged(
    folder: Folder, answered: JudgeServer, old: str, new: str
) -> None:
    await recorded(folder, answered)
    result = await folder.one(SUITE.replace(old, new))
    assert (result.verdict, result.score) == (Verdict.UNSCORED, None)
    assert "1 of 2 criteria not judged" in result.reason
    assert sorted(c.verdict.value for c in result.evaluators[0].criteria) == ["passed", "unscored"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("weight: 2", "weight: 5"),
        ("id: tone", "id: manner"),
        ("outcome: Is friendly", "outcome: Is friendly, required: true"),
        ("outcome: Is friendly", "outcome: Is friendly, min_score: 0.9"),
    ],
)
async def test_what_the_judge_is_not_told_may_change(folder: Folder, answered: JudgeServer, old: str, new: str) -> None:
    await recorded(folder, answered)
    assert (await folder.one(SUITE.replace(old, new))).score is not None


async def test_an_edited_prompt_is_a_miss(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ['{"score": 0.9, "assertions": [{"text": "kind", "passed": true}]}']
    suite = "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: llm-grader, prompt: 'Rate {{ output }} well'}]}\n"
    text = await recorded(folder, judge, suite)
    assert "prompt: sha256:" in text
    result = await folder.one(suite)
    assert (result.score, result.evaluators[0].hits) == (0.9, ("kind",))
    assert (await folder.one(suite.replace("well", "harshly"))).verdict is Verdict.UNSCORED


async def test_a_configured_judge_is_asked_even_when_there_are_recordings(
    folder: Folder, answered: JudgeServer
) -> None:
    await recorded(folder, answered)
    folder.targets(JUDGE, answered.target())
    answered.replies = [checks(window=1, tone=1)]
    assert (await folder.one(SUITE)).score == pytest.approx(0.1)


async def test_replay_asks_nobody(folder: Folder, answered: JudgeServer) -> None:
    await recorded(folder, answered)
    folder.targets(JUDGE, answered.target())
    answered.bodies.clear()
    assert (await folder.one(SUITE, mode="replay")).score == pytest.approx(2.6 / 3)
    folder.targets(JUDGE, answered.target(model="another"))
    assert (await folder.one(SUITE, mode="replay")).verdict is Verdict.UNSCORED, "recorded with another judge"
    assert answered.bodies == []


async def test_recording_asks_for_what_is_missing_only(folder: Folder, answered: JudgeServer) -> None:
    first = await recorded(folder, answered)
    answered.replies = [checks(window=5, tone=5)]
    assert await recorded(folder, answered) == first
    assert len(answered.bodies) == 1
    text = await recorded(folder, answered, SUITE.replace("Is friendly", "Is kind"))
    assert len(answered.bodies) == 2
    assert (text.count("Names the 30 days"), text.count("Is friendly"), text.count("Is kind")) == (1, 1, 1)
    assert (await folder.one(SUITE)).score == pytest.approx(0.6), "the old criterion is still there"


async def test_refreshing_asks_everything_again_and_drops_what_no_case_asks_any_more(
    folder: Folder, answered: JudgeServer
) -> None:
    other = SUITE.partition("tests:")[2].replace("id: refund", "id: other").replace("Can I", "May I")
    await recorded(folder, answered, SUITE + other)
    await recorded(folder, answered, SUITE.replace("Is friendly", "Is kind"))
    answered.bodies.clear()
    answered.replies = [checks(window=5, tone=5)]
    text = await recorded(folder, answered, mode="refresh")
    assert len(answered.bodies) == 1
    assert "Is kind" not in text
    assert "May I return this?" in text, "of another case"
    assert (await folder.one(SUITE)).score == 0.5


async def test_without_a_judge_nothing_is_refreshed_and_what_was_recorded_is_no_answer(
    folder: Folder, answered: JudgeServer
) -> None:
    await recorded(folder, answered)
    result = await folder.one(SUITE, mode="refresh")
    assert (result.score, "this run calls the judge again, and no judge is configured" in result.reason) == (
        None,
        True,
    )


async def test_no_secret_and_no_address_is_recorded(folder: Folder, answered: JudgeServer) -> None:
    folder.environment["KEY"] = "sk-secret-secret"
    text = await recorded(folder, answered)
    assert "127.0.0.1" not in text
    assert "sk-secret" not in text


HAND = """
version: 1
recordings:
  - judge: hand-written
    prompt: built-in 1
    question: Can I return this?
    goal: Explains the refund window
    reference: Within 30 days
    answer: You have 30 days.
    criteria:
      - criterion: Names the 30 days
        bands: {0-4: no, 5-10: 'yes'}
        reply: {score: 10, reasoning: it does}
      - criterion: Is friendly
        reply: {score: 4}
"""


async def test_a_person_can_write_one_and_the_result_says_so(folder: Folder) -> None:
    folder.targets(NO_JUDGE)
    folder.write("suite.recordings.yaml", HAND)
    result = await folder.one(SUITE)
    assert result.score == pytest.approx(0.8)
    assert result.evaluators[0].judge == "recorded (hand-written)"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("score: 10", "score: 11", "recordings"),
        ("version: 1", "version: 2", "version 2"),
        ("judge: hand-written", "juge: x", "judge"),
        ("recordings:", "recordings: [", "suite.recordings.yaml:"),
    ],
)
async def test_a_damaged_file_of_recordings_is_named(folder: Folder, old: str, new: str, words: str) -> None:
    folder.targets(NO_JUDGE)
    folder.write("suite.recordings.yaml", HAND.replace(old, new))
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert "suite.recordings.yaml" in result.reason
    assert words in result.reason


TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=80)


@settings(max_examples=100)
@given(TEXTS, TEXTS, TEXTS, st.booleans())
def test_what_is_written_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, question: str, answer: str, reasoning: str, satisfied: bool
) -> None:
    # YAML cannot say everything: what is lost must be a miss, and is when the parser replaces it.
    path = Path(tmp_path_factory.mktemp("r")) / "s.eval.yaml"
    asked = JudgeInput("built-in 1", question, answer)
    recordings = Recordings(path, DiskFiles())
    recordings.record_checks(
        asked,
        [(CriterionItem("a", "Text"), CriterionCheck(satisfied=satisfied, reasoning=reasoning))],
        False,
        Provenance("j", "2026-11-21", "c", "e"),
    )
    recordings.save()
    again = Recordings(path, DiskFiles())
    found = again.check(asked, CriterionItem("a", "Text"), False, None)
    assert found is not None
    assert found.check == CriterionCheck(satisfied=satisfied, reasoning=reasoning, recorded=True)


def test_the_file_stands_beside_the_suite() -> None:
    assert recordings_path(Path("a/b.eval.yaml")) == Path("a/b.recordings.yaml")
    assert recordings_path(Path("dataset.yml")) == Path("dataset.recordings.yaml")


def test_a_file_that_is_no_text_is_named(folder: Folder) -> None:
    (folder.path / "suite.recordings.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordingsError, match=r"suite.recordings.yaml cannot be read"):
        Recordings(folder.path / "suite.eval.yaml", DiskFiles())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "this file is empty; remove it"),
        ("# only a comment\n", "this file is empty; remove it"),
        ("[1]\n", "this is not a file of recordings; remove it"),
        ("version: 2\nentries: []\n", "version 2 is not supported; this rubric reads version 1"),
        (f"version: {'9' * 5_000}\n", "version"),
    ],
)
def test_a_file_that_holds_no_recordings_is_named_in_a_sentence_and_left_alone(
    folder: Folder, text: str, said: str
) -> None:
    folder.write("suite.recordings.yaml", text)
    with pytest.raises(RecordingsError, match=f"^suite.recordings.yaml: .*{said}"):
        Recordings(folder.path / "suite.eval.yaml", DiskFiles())
    assert (folder.path / "suite.recordings.yaml").read_text("utf-8") == text


def said(recordings: Recordings, answer: str, *, afresh: bool = False, score: int = 9) -> None:
    """Something that a judge said."""
    checks = [(CriterionItem("a", "Text"), CriterionCheck(score=score))]
    recordings.record_checks(
        JudgeInput("built-in 1", "q", answer), checks, True, Provenance("j", "2026-11-21", "c", "e"), afresh=afresh
    )


def scores(path: Path, *answers: str) -> list[int | None]:
    """What is recorded for each answer, by a fresh look."""
    again = Recordings(path, DiskFiles())
    found = [
        again.check(JudgeInput("built-in 1", "q", answer), CriterionItem("a", "Text"), True, "j") for answer in answers
    ]
    return [each.check.score if each and each.check else None for each in found]


def test_what_was_recorded_by_a_run_that_is_killed_is_not_lost(folder: Folder) -> None:
    path = folder.path / "s.eval.yaml"
    said(Recordings(path, DiskFiles()), "one")  # and then nothing saves it
    assert not recordings_path(path).exists()
    assert scores(path, "one") == [9]
    journal = folder.path / ".rubric" / "results" / "s.eval.yaml.recordings.jsonl"
    with journal.open("a") as file:
        file.write('{"entry": {"judge": "j", "prom')  # cut
    next_run = Recordings(path, DiskFiles())
    assert next_run.changed
    said(next_run, "two")
    next_run.save()
    assert not journal.exists()
    assert recordings_path(path).read_text().count("judge: j") == 2
    assert scores(path, "one", "two") == [9, 9]


def test_two_runs_at_once_keep_what_both_record(folder: Folder) -> None:
    path = folder.path / "s.eval.yaml"
    first, second = Recordings(path, DiskFiles()), Recordings(path, DiskFiles())
    said(first, "one")
    said(second, "two")
    first.save()
    said(second, "three")
    second.save()
    assert scores(path, "one", "two", "three") == [9, 9, 9]


def test_a_refresh_that_is_killed_has_taken_the_place_of_what_it_asked_again(folder: Folder) -> None:
    path = folder.path / "s.eval.yaml"
    before = Recordings(path, DiskFiles())
    said(before, "one")
    said(before, "two")
    before.save()
    said(Recordings(path, DiskFiles()), "one", afresh=True, score=3)
    assert scores(path, "one", "two") == [3, None]


def test_recordings_are_saved_where_there_can_be_no_journal(folder: Folder) -> None:
    path = folder.path / "s.eval.yaml"
    folder.write(".rubric", "in the way")
    recordings = Recordings(path, DiskFiles())
    said(recordings, "half a \ud800 character")
    recordings.save()
    assert scores(path, "half a \ud800 character") == [9]


def test_a_file_that_was_broken_meanwhile_is_not_overwritten(folder: Folder) -> None:
    path = folder.path / "s.eval.yaml"
    recordings = Recordings(path, DiskFiles())
    said(recordings, "one")
    folder.write("s.recordings.yaml", "version: [")
    with pytest.raises(
        OSError, match=r"s.recordings.yaml:1: .*; the recorded replies are kept in .*s.eval.yaml.recordings.jsonl"
    ):
        recordings.save()
    assert recordings_path(path).read_text() == "version: ["
    recordings_path(path).unlink()
    assert scores(path, "one") == [9]


def test_replies_are_json_in_the_tests() -> None:
    assert json.loads(checks(a=1))["checks"][0]["score"] == 1


# -- what people wrote into the file -----------------------------------------------------------------------------------

EDITED = """\
# Judged by us on the first of May.
version: 1
recordings:
  # The window is what people ask about most.
  - judge: j   # not the best one
    made: '2026-05-01'
    case: c
    # as customers put it
    prompt: built-in 1
    question: "q"
    answer: 'one'
    criteria:
      # counted by hand
      - criterion: Text
        reply: {score: 3, reasoning: "too short"}   # harsh?

  # Another judge, later.
  - judge: k
    prompt: built-in 1
    question: q
    answer: "two"
    criteria:
      - {criterion: Text, reply: {score: 5}}
# the end
"""


def kept(folder: Folder, text: str = EDITED) -> tuple[Path, Path]:
    path = folder.path / "s.eval.yaml"
    recordings_path(path).write_bytes(text.encode())
    return path, recordings_path(path)


def noted(
    path: Path, answer: str, *, afresh: bool = False, judge: str = "j", item: str = "Text", score: int = 9
) -> None:
    """A run that asks one thing and saves it."""
    recordings = Recordings(path, DiskFiles())
    checks = [(CriterionItem("a", item), CriterionCheck(score=score, reasoning="fine"))]
    recordings.record_checks(
        JudgeInput("built-in 1", "q", answer), checks, True, Provenance(judge, "2026-11-21", "c", "e"), afresh=afresh
    )
    recordings.save()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_refresh_changes_what_was_asked_again_and_not_a_letter_else(folder: Folder, newline: str) -> None:
    path, file = kept(folder, EDITED.replace("\n", newline))
    noted(path, "one", afresh=True)
    after = (
        EDITED.replace("'2026-05-01'", "'2026-11-21'")
        .replace('{score: 3, reasoning: "too short"}', '{score: 9, reasoning: "fine"}')
        .replace("# harsh?\n", "# harsh?\n    evaluator: e\n")
    )
    # A comment behind a value stays in its column.
    assert file.read_bytes().decode().replace("        # harsh?", "   # harsh?") == after.replace("\n", newline)
    assert scores(path, "one", "two") == [9, None]


def test_what_is_recorded_first_stands_behind_what_is_there(folder: Folder) -> None:
    path, file = kept(folder)
    noted(path, "three")
    text = file.read_text()
    head = EDITED.partition("# the end\n")[0]
    assert text.startswith(head)
    assert text.endswith("\n# the end\n")
    assert text[len(head) :].startswith("  - judge: j\n    made: '2026-11-21'\n    case: c\n")


def test_of_two_judges_the_last_one_still_counts(folder: Folder) -> None:
    path, file = kept(folder, EDITED.replace('"two"', '"one"'))
    again = Recordings(path, DiskFiles())
    asked = JudgeInput("built-in 1", "q", "one")
    assert again.check(asked, CriterionItem("a", "Text"), True, None).judge == "k"
    noted(path, "one")
    found = Recordings(path, DiskFiles()).check(asked, CriterionItem("a", "Text"), True, None)
    assert (found.judge, found.check.score) == ("j", 9)
    text = file.read_text()
    assert text.index("judge: k") < text.index("judge: j")
    assert text.index("# The window is what") > text.index("judge: k"), "its comments go with it"
    for comment in ("# not the best one", "# as customers put it", "# counted by hand", "# harsh?", "# Another judge"):
        assert text.count(comment) == 1, comment


def test_an_entry_of_which_a_part_was_asked_again_is_two(folder: Folder) -> None:
    more = "      # the other one\n      - criterion: Other\n        reply: {score: 1}\n"
    path, file = kept(folder, EDITED.replace("# harsh?\n", f"# harsh?\n{more}"))
    noted(path, "one", item="Other")
    text = file.read_text()
    assert (text.count("# counted by hand"), text.count("# harsh?")) == (1, 1)
    assert text.count("# the other one") == 1
    assert text.count("# The window is what people ask about most.") == 1
    assert scores(path, "one") == [3]
    found = Recordings(path, DiskFiles()).check(
        JudgeInput("built-in 1", "q", "one"), CriterionItem("a", "Other"), True, "j"
    )
    assert found is not None
    assert found.check == CriterionCheck(score=9, reasoning="fine", recorded=True)


def test_references_between_entries_stay(folder: Folder) -> None:
    text = EDITED.replace("answer: 'one'", "answer: &one 'one'").replace('answer: "two"', "answer: *one")
    path, file = kept(folder, text)
    noted(path, "three")
    assert file.read_text().startswith(text.partition("# the end")[0])
    noted(path, "one", judge="k")  # the entry with the reference in it
    assert "answer: &one 'one'" in file.read_text()
    assert scores(path, "one") == [3]
    noted(path, "one", afresh=True)
    assert "answer: &one 'one'" in file.read_text()
    assert scores(path, "one") == [9]


@pytest.mark.parametrize(
    "text",
    [
        '{"version": 1, "recordings": [{"judge": "j", "prompt": "built-in 1", "question": "q", "answer": "one", "criteria": [{"criterion": "Text", "reply": {"score": 3}}]}]}',
        "version: 1\nrecordings:\n- &a\n  judge: j\n  prompt: built-in 1\n  question: q\n  answer: one\n  criteria: [{criterion: Text, reply: {score: 3}}]\n",
        "version: 1\nrecordings: []\n",
        "\n",
    ],
    ids=["JSON", "an anchor", "nothing in it", "empty"],
)
def test_a_file_in_another_way_is_written_anew_where_it_has_to_be(folder: Folder, text: str) -> None:
    path, _ = kept(folder, text) if text.strip() else (folder.path / "s.eval.yaml", None)
    noted(path, "one")
    noted(path, "two")
    assert scores(path, "one", "two") == [9, 9]


def test_a_run_that_changes_nothing_does_not_write_the_file(folder: Folder) -> None:
    path, file = kept(folder)
    noted(path, "three")
    before = file.stat()
    Recordings(path, DiskFiles()).save()
    assert file.stat() == before


LINES = st.text(st.characters(blacklist_categories=["Cs"]), max_size=40)


@settings(max_examples=150, deadline=None)
@given(
    LINES,
    LINES,
    st.sampled_from(["", "'old'", '"old"', "old", "|\n            old\n            lines", ">-\n            old"]),
)
def test_whatever_a_judge_says_takes_the_place_of_what_it_said(
    tmp_path_factory: pytest.TempPathFactory, reasoning: str, case: str, before: str
) -> None:
    folder = Folder(tmp_path_factory.mktemp("r"))
    reply = f"reply:\n          score: 3\n          reasoning: {before}\n          # said in anger"
    path, file = kept(folder, EDITED.replace('reply: {score: 3, reasoning: "too short"}   # harsh?', reply))
    recordings = Recordings(path, DiskFiles())
    checks = [(CriterionItem("a", "Text"), CriterionCheck(score=9, reasoning=reasoning))]
    recordings.record_checks(
        JudgeInput("built-in 1", "q", "one"), checks, True, Provenance("j", "2026-11-21", case, "e"), afresh=True
    )
    recordings.save()
    found = Recordings(path, DiskFiles()).check(
        JudgeInput("built-in 1", "q", "one"), CriterionItem("a", "Text"), True, "j"
    )
    assert found is not None
    assert found.check == CriterionCheck(score=9, reasoning=reasoning, recorded=True)
    text = file.read_bytes().decode()
    assert text.count("# said in anger") == 1
    assert text.startswith(EDITED.partition("  - judge: j")[0])
    assert text.endswith(EDITED[EDITED.index("\n  # Another judge") :])


async def test_recordings_that_cannot_be_stored_are_counted(folder: Folder, answered: JudgeServer) -> None:
    file = recordings_path(folder.path / "suite.eval.yaml")
    file.mkdir()
    (folder.path / ".rubric").write_text("in the way")
    with pytest.raises(
        OSError, match=r"not a regular file.*; 1 of them are lost; the other recorded replies are kept in "
    ):
        await recorded(folder, answered)
