"""Recorded judge replies: written by --record, read without a judge, and never used for another question."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_server import JudgeServer
from suites import Folder, checks

from rubric_core.adapters import DiskFiles
from rubric_core.evaluation.judging.recordings import Asked, Made, Recordings, RecordingsError, recordings_path
from rubric_core.evaluation.result import Verdict
from rubric_core.evaluation.rubric import Check, Item
from rubric_core.evaluation.run import save_recordings

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
    from rubric_core.evaluation.schedule import run_cases

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
    assert (result.score, "--refresh asks everything again, and no judge is configured" in result.reason) == (
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
    asked = Asked("built-in 1", question, answer)
    recordings = Recordings(path, DiskFiles())
    recordings.record_checks(
        asked,
        [(Item("a", "Text"), Check(satisfied=satisfied, reasoning=reasoning))],
        False,
        Made("j", "2026-11-21", "c", "e"),
    )
    recordings.save()
    again = Recordings(path, DiskFiles())
    found = again.check(asked, Item("a", "Text"), False, None)
    assert found is not None
    assert found.check == Check(satisfied=satisfied, reasoning=reasoning, recorded=True)


def test_the_file_stands_beside_the_suite() -> None:
    assert recordings_path(Path("a/b.eval.yaml")) == Path("a/b.recordings.yaml")
    assert recordings_path(Path("dataset.yml")) == Path("dataset.recordings.yaml")


def test_a_file_that_is_no_text_is_named(folder: Folder) -> None:
    (folder.path / "suite.recordings.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecordingsError, match=r"suite.recordings.yaml cannot be read"):
        Recordings(folder.path / "suite.eval.yaml", DiskFiles())


def said(recordings: Recordings, answer: str, *, afresh: bool = False, score: int = 9) -> None:
    """Something that a judge said."""
    checks = [(Item("a", "Text"), Check(score=score))]
    recordings.record_checks(
        Asked("built-in 1", "q", answer), checks, True, Made("j", "2026-11-21", "c", "e"), afresh=afresh
    )


def scores(path: Path, *answers: str) -> list[int | None]:
    """What is recorded for each answer, by a fresh look."""
    again = Recordings(path, DiskFiles())
    found = [again.check(Asked("built-in 1", "q", answer), Item("a", "Text"), True, "j") for answer in answers]
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
        OSError, match=r"s.recordings.yaml:1: .*; what was recorded waits in .*s.eval.yaml.recordings.jsonl"
    ):
        recordings.save()
    assert recordings_path(path).read_text() == "version: ["
    recordings_path(path).unlink()
    assert scores(path, "one") == [9]


def test_replies_are_json_in_the_tests() -> None:
    assert json.loads(checks(a=1))["checks"][0]["score"] == 1
