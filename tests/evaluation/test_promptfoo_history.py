"""Rows of promptfoo that read what earlier rows gave: conversations and stored outputs. What promptfoo makes of them: `tests/parity/promptfoo`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from suites import stored_cases

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import ignore_event
from rubric_core.evaluation.engine.run import run_case
from rubric_core.evaluation.engine.schedule import Schedule, run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

NAME = "promptfooconfig.yaml"
TALK = """\
prompts: ["{% for turn in _conversation %}{{turn.input}}>{{turn.output}};{% endfor %}{{q}}"]
providers: [echo]
tests:
  - {description: first, vars: {q: one}, providerOutput: uno}
  - {description: second, vars: {q: two}}
  - {description: apart, vars: {q: other}, metadata: {conversationId: b}}
  - {description: third, vars: {q: three}}
"""
STORED = """\
prompts: ["{{q}}"]
providers: [echo]
tests:
  - {description: makes, vars: {q: one}, providerOutput: uno, options: {storeOutputAs: word}}
  - {description: between, vars: {q: two}}
  - {description: reads, vars: {q: "say {{word}}"}}
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def written(text: str) -> Path:
        (tmp_path / NAME).write_text(text, encoding="utf-8")
        return tmp_path / NAME

    return written


async def answers(path: Path, workers: int | None = None) -> dict[str, str]:
    """The answer of each row, or why it has none."""
    cases = [each for case in load_suite(path).cases for each in variations(case)]
    return {each.id: said(each) for each in await run_cases(cases, workers=workers)}


def said(result: CaseResult) -> str:
    return result.answer if result.verdict is not Verdict.UNSCORED else result.reason


def ran(arguments: str) -> set[str]:
    """The ids of the cases that a command line runs."""
    main(["run", *arguments.split()])
    return set(stored_cases(Path(NAME)))


async def test_a_prompt_has_the_earlier_turns_of_its_conversation(write: Write):
    assert await answers(write(TALK), workers=4) == {
        "first": "uno", "second": "one>uno;two", "apart": "other", "third": "one>uno;one>uno;two>one>uno;two;three"
    }  # fmt: skip


async def test_an_output_that_is_stored_is_a_variable_of_later_tests(write: Write):
    assert await answers(write(STORED)) == {"makes": "uno", "between": "two", "reads": "say uno"}


async def test_rows_run_one_after_another_whatever_is_asked_for(write: Write):
    cases = [each for case in load_suite(write(STORED)).cases for each in variations(case)]
    async with system_ports() as ports:
        assert Schedule(cases, ports, ignore_event, workers=4).workers == 1


def test_a_test_that_is_run_alone_brings_the_earlier_ones_of_its_conversation(write: Write):
    write(TALK)
    assert ran(f"{NAME}::third") == {"first", "second", "third"}


def test_a_test_that_is_run_alone_brings_those_that_store_outputs(write: Write):
    write(STORED)
    assert ran(f"{NAME}::reads") == {"makes", "reads"}


def test_a_row_that_is_run_alone_brings_the_others_of_its_test(write: Write):
    write(TALK.replace("{q: two}", "{q: [two, zwei]}"))
    assert ran(f"{NAME}::second[q=zwei]") == {"first", "second[q=two]", "second[q=zwei]"}


async def test_in_an_editor_the_rows_of_a_test_are_one_case(write: Write):
    """Each reads what the one before it gave."""
    path = write(TALK.replace("{q: two}", "{q: [two, zwei]}"))
    results = await run_cases(load_suite(path).cases)
    second = next(each for each in results if each.id == "second")
    rows = (second.details or {})["variations"]
    assert [each["answer"] for each in rows] == ["one>uno;two", "one>uno;one>uno;two>one>uno;two;zwei"]


async def test_a_test_whose_earlier_ones_were_not_run_is_unscored(write: Write):
    third = next(each for each in load_suite(write(TALK)).cases if each.id == "third")
    result = await run_case(third)
    assert result.verdict is Verdict.UNSCORED
    assert "not run: second, which it continues, was not run" in result.reason


async def test_a_test_after_one_that_fails_goes_on(write: Write):
    text = TALK.replace("providerOutput: uno", "providerOutput: uno, assert: [{type: contains, value: zzz}]")
    assert (await answers(write(text)))["second"] == "one>uno;two"


async def test_a_provider_that_fails_leaves_no_turn_and_stores_nothing(write: Write):
    text = TALK.replace("echo", "'exec: false', echo").replace("providerOutput: uno", "providers: ['exec: false']")
    found = {f"{k}": v for k, v in (await answers(write(text))).items()}
    assert found["second"].startswith(("two", "target"))


async def test_an_output_is_never_filled_in_as_a_template(write: Write, monkeypatch: pytest.MonkeyPatch):
    """A model could ask for secrets of the environment otherwise."""
    monkeypatch.setenv("RUBRIC_PLANTED", "secret")
    told = "{{ [env][0].RUBRIC_PLANTED }}"  # promptfoo fills what reads `env.` into its configuration itself
    hostile = json.dumps(told)
    path = write(
        STORED.replace("providerOutput: uno", f"providerOutput: {hostile}").replace("{q: two}", "{q: '{{word}}'}")
    )
    found = await answers(path)
    assert found["makes"] == told
    for name in ("between", "reads"):
        assert "the output stored as word contains a template, which rubric does not fill in" in found[name]
    path = write(TALK.replace("providerOutput: uno", f"providerOutput: {hostile}"))
    assert (await answers(path))["second"] == f"one>{told};two"


async def test_an_output_is_never_read_as_a_file(write: Write, tmp_path: Path):
    (tmp_path / "secret.txt").write_text("planted", encoding="utf-8")
    path = write(STORED.replace("providerOutput: uno", "providerOutput: 'file://secret.txt'"))
    assert (await answers(path))["reads"] == "say file://secret.txt"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TALK.replace("turn.input", "turn.metadata"), "prompts with `metadata` of earlier turns"),
        (TALK.replace("tests:", "evaluateOptions: {repeat: 2}\ntests:"), "`repeat` of tests that read what earlier ones gave"),
        (
            TALK.replace("{q: two}", "{q: two}, assert: [{type: contains, value: '{{_conversation[0].output}}'}]"),
            "rubric does not fill `_conversation` into assertions of promptfoo",
        ),
    ],
)  # fmt: skip
async def test_what_is_not_run_is_unscored(write: Write, text: str, reason: str):
    assert reason in (await answers(write(text)))["second"]


@pytest.mark.parametrize(
    ("text", "old", "new", "changed"),
    [
        (TALK, "one", "won", [True, True, False, True]),
        (TALK, "other", "another", [False, False, True, False]),
        (TALK, "three", "four", [False, False, False, True]),
        (STORED, "one", "won", [True, True, True]),  # whatever reads the word
        (STORED, "two", "too", [False, True, False]),
    ],
)
async def test_an_edit_of_an_earlier_test_makes_later_results_stale(
    write: Write, text: str, old: str, new: str, changed: list[bool]
) -> None:
    before = await run_cases(load_suite(write(text)).cases)
    after = await run_cases(load_suite(write(text.replace(f"q: {old}", f"q: {new}"))).cases)
    assert [a.fingerprint != b.fingerprint for a, b in zip(before, after, strict=True)] == changed
