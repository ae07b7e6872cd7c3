"""Cases and suites of plain data are read by the rules of files: errors raise, warnings are logged."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from suites import Folder

from rubric_core import (
    Case,
    EvaluationContext,
    EvaluationScore,
    InvalidSuiteError,
    LlmJudgeEvaluator,
    NoSuiteError,
    Options,
    PromptInputs,
    build_evaluator_registry,
    case_from_data,
    load_suite,
    run_cases,
    run_evaluators_for_case,
    suite_from_data,
)

BANDS = [{"score_range": [0, 5], "outcome": "a"}, {"score_range": [4, 10], "outcome": "b"}]
OVERLAPPING = "rubrics[0].score_ranges[1].score_range: overlapping-bands: scores 4–5 belong to two bands: 0–5 and 4–10"


def case(**keys: Any) -> dict[str, Any]:
    return {"id": "a", "input": "hi", "criteria": "c", **keys}


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return found


# Errors and warnings


@pytest.mark.parametrize(
    ("keys", "errors"),
    [
        ({"rubrics": [{"id": "t", "outcome": "x", "score_ranges": BANDS}]}, OVERLAPPING),
        ({"rubrics": [{"id": "t", "outcome": "x", "weight": -3}]}, "rubrics[0].weight: bad-weight: the weight is -3; a weight is 0 or more"),
        ({"assertions": [{"type": "contains"}]}, "assertions[0]: missing-key: a contains check needs `value`: the text to compare with"),
        ({"assertions": {"type": "contains"}}, "assertions: wrong-type: `assertions` is a mapping; it should be a list"),
        ({"id": 3, "input": 4}, "id: wrong-type: `id` is the number 3; it should be a non-empty string\ninput: wrong-type: `input` is the number 4; it should be a string or a mapping or a list of messages"),
    ],
    ids=["bands", "weight", "nothing to compare", "no list", "several"],
)  # fmt: skip
def test_errors_raise_with_their_place(keys: Mapping[str, Any], errors: str) -> None:
    for read in (case_from_data, lambda data: EvaluationContext(eval_case=data, candidate="x")):
        with pytest.raises(InvalidSuiteError) as refused:
            read(case(**keys))
        assert str(refused.value) == errors
    with pytest.raises(InvalidSuiteError) as refused:
        suite_from_data({"tests": [case(id="first"), case(**keys)]})
    assert str(refused.value) == "\n".join(f"tests[1].{line}" for line in errors.splitlines())


def test_warnings_are_logged_with_their_place(caplog: pytest.LogCaptureFixture) -> None:
    case_from_data(case(rubrcs=["x"]))
    assert said(caplog) == ["rubrcs: unknown-key: a case has no key `rubrcs`; did you mean `rubrics`?"]
    suite_from_data({"tests": [case(rubrcs=["x"])]})
    assert said(caplog) == ["tests[0].rubrcs: unknown-key: a case has no key `rubrcs`; did you mean `rubrics`?"]
    case_from_data({"id": "a", "outcome": "o", "grader": "llm_judge"}, "agentv-0.5")
    assert said(caplog) == ["grader: renamed-key: `grader` is deprecated in agentv-0.5: use `evaluator`"]
    case_from_data(case(assertions=[{"type": "contains", "value": "x"}]))
    assert said(caplog) == [], "nothing is wrong with it"


def test_a_case_that_is_graded_alone_needs_no_input_and_may_name_registered_types(
    caplog: pytest.LogCaptureFixture,
) -> None:
    case_from_data({})
    case_from_data({"id": "a", "assertions": [{"type": "mine"}]}, "agentv-3")
    assert said(caplog) == []
    case_from_data({"id": "a", "assert": [{"type": "word-count", "most": 3}]}, "agentv-5")
    assert said(caplog) == ["assert[0].type: renamed-type: `word-count` is not a type of agentv-5"], (
        "no more than logged"
    )
    with pytest.raises(InvalidSuiteError, match=r"tests\[0\]: missing-key: a case needs `input`"):
        suite_from_data({"tests": [{"id": "a", "criteria": "c"}]})


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ([], TypeError, "a case must be a mapping with its keys, found list"),
        (None, TypeError, "found NoneType"),
        ({"x": object()}, TypeError, "x must be a string, number, boolean, list, mapping or None, found object"),
        ({"vars": {"y": [1, {2}]}}, TypeError, r"vars.y\[1\] must be .* found set"),
        ({"x": b"x"}, TypeError, "x must be .* found bytes"),
        ({None: 1}, TypeError, "a key must be a string or a number, found None"),
        ({"vars": {True: 1}}, TypeError, "vars: a key must be a string or a number, found True"),
        ({"x": float("nan")}, ValueError, "x: nan cannot be written as a number"),
        ({"x": "\ud800"}, ValueError, "x: the string has a lone surrogate"),
    ],
)
def test_what_yaml_cannot_hold_is_refused(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        case_from_data(data)


def test_what_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["metadata"] = loop
    with pytest.raises(ValueError, match="must not contain itself"):
        case_from_data(loop)


def test_texts_come_through_as_they_are() -> None:
    text = "a\u2028b\x7f\x00\x85 {{ no variable }} 😀 * & #"
    assert case_from_data(case(input=text)).input == text
    (made,) = suite_from_data({"tests": [case(input=text)]}).cases
    assert made.case.input == text
    assert case_from_data({"id": "a", "input_files": [Path("x/y.md")]}, "agentv-3").input_files == ["x/y.md"]


# Dialects


@pytest.mark.parametrize(
    ("keys", "dialect"),
    [
        ({"vars": {"x": 1}, "assert": [{"type": "llm-rubric", "value": "polite"}]}, "agentv-5"),
        ({"input": "hi", "criteria": "c", "assertions": [{"type": "mine"}, {"type": "yours"}]}, "agentv-3"),
        (
            {"input": "hi", "expected_outcome": "c", "rubrics": [{"id": "t", "expected_outcome": "x", "weight": -1}]},
            "agentv-1",
        ),
        ({"outcome": "o", "grader": "heuristic"}, "agentv-0.1"),
    ],
)
def test_the_keys_tell_the_dialect_and_mistakes_do_not(keys: dict[str, Any], dialect: str) -> None:
    for each in keys.get("rubrics", []):
        with pytest.raises(InvalidSuiteError, match="weight"):
            case_from_data({"id": "a", **keys})
        each["weight"] = 1
    origin = case_from_data({"id": "a", **keys}).origin
    assert origin is not None
    assert origin.dialect.name == dialect


def test_a_dialect_goes_by_its_name() -> None:
    assert EvaluationContext(eval_case={}, candidate="x", dialect="agentv-1").dialect is not None
    for read in (lambda: case_from_data({}, "agentv-9"), lambda: suite_from_data({}, dialect="agentv-9")):
        with pytest.raises(ValueError, match=r"there is no dialect 'agentv-9'; there are agentv-0\.1, agentv-0\.5"):
            read()


@pytest.mark.requirement("grader-key")
@pytest.mark.parametrize(
    ("keys", "dialect", "words"),
    [
        ({"criteria": "c"}, None, "`grader` is deprecated in agentv-3: use `assertions`"),
        ({"criteria": "c"}, "agentv-2.7", "`grader` is deprecated: use `evaluator`"),
        ({"vars": {"x": "y"}}, "agentv-5", "`grader` is deprecated in agentv-5: use `assert`"),
        ({"expected_outcome": "c"}, None, "`grader` is deprecated in agentv-1: use `evaluator`"),
        ({"outcome": "c"}, None, "`grader` is deprecated: use `evaluator`"),
        ({"outcome": "c"}, "agentv-0.1", ""),
    ],
)
def test_a_grader_stays_one_and_the_warning_is_about_it(
    keys: dict[str, Any], dialect: str | None, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    made = case_from_data({**keys, "grader": "llm_judge"}, dialect)
    assert made.grader == made.evaluator == "llm_judge"
    assert said(caplog) == ([f"grader: renamed-key: {words}"] if words else [])


@pytest.mark.requirement("evaluator-key")
def test_an_evaluator_is_no_grader_in_the_first_dialect_either() -> None:
    made = case_from_data({"outcome": "c", "evaluator": "llm_judge"}, "agentv-0.1")
    assert (made.evaluator, made.grader) == ("llm_judge", None)


MESSAGES = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    "base",
    [{}, {"input": "i"}, {"criteria": "c", "input": "i"}, {"expected_outcome": "c", "input": "i"}, {"outcome": "c"}, {"outcome": "c", "messages": MESSAGES}],
    ids=lambda base: "+".join(base) or "nothing",
)  # fmt: skip
@pytest.mark.parametrize("first", ["evaluator", "grader"])
async def test_the_evaluator_wins_over_the_grader(
    base: dict[str, Any], first: str, caplog: pytest.LogCaptureFixture
) -> None:
    for wanted, other in (("llm_judge", "heuristic"), ("heuristic", "llm_judge")):
        both = {"evaluator": wanted, "grader": other}
        ordered = {name: both[name] for name in sorted(both, reverse=first == "grader")}
        made = EvaluationContext(eval_case={"id": "a", **base, **ordered}, candidate="x")
        _, (result,) = await run_evaluators_for_case(made, build_evaluator_registry())
        assert result.type == wanted
        assert "grader: conflicting-keys: `evaluator` is used and this is not" in said(caplog)


# Suites


async def test_a_suite_of_plain_data_runs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = Folder(tmp_path)
    folder.mock("hello")
    folder.write("more.yaml", "- {id: b, input: hi, criteria: c, assertions: [{type: contains, value: ell}]}\n")
    listed = [case(assertions=[{"type": "mine", "note": "n"}], input="Say {{ x }}"), "file://more.yaml"]

    class Mine:
        kind = "mine"

        def evaluate(self, context: EvaluationContext) -> EvaluationScore:
            return EvaluationScore(score=0.9, hits=(context.settings["note"],))

    options = Options(evaluators={"mine": Mine()})
    suite = suite_from_data({"tests": listed}, tmp_path / "mine.eval.yaml", options=options)
    assert said(caplog) == []
    results = await run_cases(suite.cases)
    assert [(r.id, r.score, r.answer) for r in results] == [("a", 0.9, "hello"), ("b", 1, "hello")], results[0].reason


def test_data_that_are_no_suite(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a suite must be a mapping with its keys, found list"):
        suite_from_data([case()])  # type: ignore[arg-type]
    with pytest.raises(InvalidSuiteError, match="as a whole: missing-key: a suite needs `tests`"):
        suite_from_data({})
    with pytest.raises(InvalidSuiteError, match=r"tests\[1\].id: duplicate-case-id"):
        suite_from_data({"tests": [case(), case()]})
    (tmp_path / "more.yaml").write_text("- {id: b, input: 3}\n")
    with pytest.raises(InvalidSuiteError, match=r"more.yaml:1: wrong-type: `input` is the number 3"):
        suite_from_data({"tests": ["file://more.yaml"]}, tmp_path / "a.eval.yaml")
    with pytest.raises((NoSuiteError, InvalidSuiteError)):
        suite_from_data({"targets": []})


# Cases out of files

LENIENT = """
tests:
  - {id: good, input: hi, criteria: c, assertions: [{type: contains, value: ell}]}
  - {id: bad, input: hi, criteria: c, rubrics: [{id: t, outcome: x, weight: -3}]}
"""


async def test_a_case_of_a_file_with_errors_is_not_graded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = Folder(tmp_path).suite(LENIENT + "  - {id: doubtful, input: hi, criteria: c, rubrcs: [x]}\n")
    good, bad, _ = load_suite(path).cases
    assert said(caplog) == [f"{path}:5: a case has no key `rubrcs`; did you mean `rubrics`?"]
    with pytest.raises(InvalidSuiteError) as refused:
        EvaluationContext(eval_case=bad.case, candidate="hello")
    assert str(refused.value) == "line 4: bad-weight: the weight is -3; a weight is 0 or more"
    made = EvaluationContext(eval_case=good.case, candidate="hello")
    score, _ = await run_evaluators_for_case(made, build_evaluator_registry())
    assert score is not None
    assert score.score == 1
    (result, _, _) = await run_cases(load_suite(path).cases)
    assert result.id == "good", "the others run as before"


def test_a_case_of_a_file_brings_its_dialect_and_its_directory(tmp_path: Path) -> None:
    path = Folder(tmp_path).suite(
        "# rubric: dialect=agentv-0.5\nevalcases: [{id: a, outcome: o, input_messages: [{role: user, content: hi}]}]\n"
    )
    made = EvaluationContext(eval_case=load_suite(path).cases[0].case, candidate="x")
    assert made.dialect is not None
    assert (made.dialect.name, made.directory, made.threshold) == ("agentv-0.5", tmp_path, 0.8)
    named = EvaluationContext(eval_case=load_suite(path).cases[0].case, candidate="x", directory="/", threshold=0.5)
    assert (named.directory, named.threshold) == (Path("/"), 0.5)


async def test_aliases_of_a_case_of_a_file_are_followed(tmp_path: Path) -> None:
    path = Folder(tmp_path).suite(
        "x-note: &note {tone: warm}\ntests: [{id: a, input: hi, criteria: c, assertions: [{type: mine, note: *note}]}]\n"
    )
    seen: list[Any] = []

    class Mine:
        kind = "mine"

        def evaluate(self, context: EvaluationContext) -> EvaluationScore:
            seen.append(context.settings)
            return EvaluationScore(score=1)

    made = EvaluationContext(eval_case=load_suite(path).cases[0].case, candidate="x")
    await run_evaluators_for_case(made, {"mine": Mine()})
    assert seen == [{"note": {"tone": "warm"}}]


def test_registered_types_of_a_file_are_no_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = Folder(tmp_path).suite("tests: [{id: a, input: hi, criteria: c, assertions: [{type: mine}]}]\n")
    load_suite(path)
    assert len(said(caplog)) == 1

    class Mine:
        kind = "mine"

        def evaluate(self, context: EvaluationContext) -> EvaluationScore:
            raise NotImplementedError

    load_suite(path, options=Options(evaluators={"mine": Mine()}))
    assert said(caplog) == []


# Contexts


def context(**fields: Any) -> EvaluationContext:
    return EvaluationContext(**{"eval_case": case(), "candidate": "x", **fields})


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"eval_case": [1]}, TypeError, "eval_case must be a Case or a mapping with its keys, found list"),
        ({"candidate": None}, TypeError, "candidate must be a string, found None"),
        ({"target": 3}, TypeError, "target must be a name or a mapping with `name`, found 3"),
        ({"target": {}}, TypeError, "target must be a name or a mapping with `name`, found {}"),
        ({"attempt": "1"}, ValueError, "attempt must be a whole number from 1, found '1'"),
        ({"prompt_inputs": 3}, TypeError, "prompt_inputs must be a string or a mapping with fields of PromptInputs, found 3"),
        ({"prompt_inputs": {"qestion": "x"}}, TypeError, "prompt_inputs has no field 'qestion'; it has expected, files"),
        ({"prompt_inputs": {"messages": ["x"]}}, TypeError, "a message must have a `role` .* found 'x'"),
        ({"now": "today"}, TypeError, "now must be a datetime, found 'today'"),
        ({"judge_provider": 3}, TypeError, "a judge must be a provider, .* found 3"),
        ({"judge_provider": LlmJudgeEvaluator}, TypeError, "found the class LlmJudgeEvaluator"),
        ({"threshold": 80}, ValueError, "threshold must be a number from 0 to 1, found 80"),
        ({"threshold": "high"}, ValueError, "threshold must be a number from 0 to 1, found 'high'"),
        ({"dialect": "agentv-9"}, ValueError, "there is no dialect 'agentv-9'"),
        ({"evaluator": 3}, TypeError, "the configuration of an evaluator must be a mapping with its keys, found 3"),
        ({"evaluator": {}}, InvalidSuiteError, "missing-key: an evaluator needs `type`"),
        ({"evaluator": {"type": "contains"}}, InvalidSuiteError, "missing-key: a contains check needs `value`"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_said_in_a_sentence(fields: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        context(**fields)


def test_fields_of_plain_data() -> None:
    made = context(
        target={"name": "bot", "provider": "cli", "grader_target": "judge", "cwd": "x"}, directory="x",
        prompt_inputs={"messages": MESSAGES, "files": ["a.md"]}, evaluator={"type": "contains", "value": "x"},
    )  # fmt: skip
    assert (made.target.name, made.target.kind, made.target.grader_target) == ("bot", "cli", "judge")
    assert made.target.settings == {"grader_target": "judge", "cwd": "x"}
    assert (made.prompt_inputs.question, made.prompt_inputs.files) == ("hi", (Path("a.md"),))
    assert made.evaluator is not None
    assert made.evaluator.type_name == "contains"
    plain = context()
    assert (plain.attempt, plain.provider, plain.target.name, plain.directory) == (1, None, "", Path())
    assert plain.prompt_inputs == PromptInputs(question="hi")
    assert isinstance(plain.now, datetime)
    assert plain.now.tzinfo is not None


def test_the_threshold_is_that_of_the_case() -> None:
    assert context().threshold == 0.8
    assert context(eval_case=case(execution={"threshold": 0.95})).threshold == 0.95


def test_a_case_made_of_data_is_a_case() -> None:
    made = case_from_data(case())
    assert isinstance(made, Case)
    assert context(eval_case=made).eval_case is made


def test_a_misspelt_key_of_an_evaluator_that_takes_any_is_told(caplog: pytest.LogCaptureFixture) -> None:
    case_from_data(case(assertions=[{"type": "llm-grader", "weigth": 2}, {"type": "mine", "requird": True}]))
    assert [("weigth" in words, "requird" in words) for words in said(caplog)] == [(True, False), (False, True)]
