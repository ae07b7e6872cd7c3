"""Runs in the form of promptfoo's files of results: `-o out.promptfoo.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rubric_core.cli import main

CONFIG = """\
prompts: ["Hi {{who}}", {raw: "Bye {{who}}", label: bye}]
providers: [echo]
tests:
  - description: greets
    vars: {who: [Ann, Bob]}
    threshold: 0.5
    assert:
      - {type: contains, value: "{{who}}", metric: name}
      - {type: assert-set, assert: [{type: contains, value: Hi}, {type: not-contains, value: Bye}]}
  - vars: {who: x}
    assert: [{type: moderation}]
"""


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIG, encoding="utf-8")
    assert main(["run", "promptfooconfig.yaml", "--no-store", "-o", "out.promptfoo.json"]) == 3
    found: dict[str, Any] = json.loads((tmp_path / "out.promptfoo.json").read_text(encoding="utf-8"))
    return found


def test_rows_stand_at_their_test_and_column(document: dict[str, Any]) -> None:
    rows = document["results"]["results"]
    assert {(row["testIdx"], row["promptIdx"], row["vars"]["who"], row["response"]["output"]) for row in rows} == {
        (0, 0, "Ann", "Hi Ann"), (0, 1, "Ann", "Bye Ann"), (1, 0, "Bob", "Hi Bob"), (1, 1, "Bob", "Bye Bob"),
        (2, 0, "x", "Hi x"), (2, 1, "x", "Bye x"),
    }  # fmt: skip
    assert [(each["label"], each["raw"], each["provider"]) for each in document["results"]["prompts"]] == [
        ("Hi {{who}}", "Hi {{who}}", "echo"),
        ("bye", "Bye {{who}}", "echo"),
    ]


def test_a_row_has_its_assertions_as_they_are_written(document: dict[str, Any]) -> None:
    row = next(each for each in document["results"]["results"] if each["response"]["output"] == "Bye Ann")
    # One of two assertions passes, and the threshold is 0.5.
    assert (row["success"], row["score"], row["failureReason"], row["namedScores"]) == (True, 0.5, 0, {"name": 1.0})
    first, second, *members = row["gradingResult"]["componentResults"]
    assert (first["pass"], first["score"]) == (True, 1.0)
    assert first["assertion"] == {"type": "contains", "value": "{{who}}", "metric": "name"}
    assert (second["pass"], [each["pass"] for each in second["componentResults"]]) == (False, [False, False])
    assert second["componentResults"] == members
    assert [each["assertion"]["type"] for each in members] == ["contains", "not-contains"]


def test_a_row_without_a_score_is_an_error_and_no_pass(document: dict[str, Any]) -> None:
    rows = [each for each in document["results"]["results"] if each["testIdx"] == 2]
    assert [(row["success"], row["failureReason"], "gradingResult" in row) for row in rows] == [(False, 2, False)] * 2
    assert all("moderation" in row["error"] for row in rows)
    counts = {name: document["results"]["stats"][name] for name in ("successes", "failures", "errors")}
    assert counts == {"successes": 4, "failures": 0, "errors": 2}
    assert [each["metrics"]["testErrorCount"] for each in document["results"]["prompts"]] == [1, 1]


def test_a_suite_of_agentv_has_its_input_as_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text("targets:\n  - {name: default, provider: mock, response: hello}\n")
    (tmp_path / "a.eval.yaml").write_text("tests:\n  - {id: a, criteria: c, input: hi, assertions: [hello]}\n")
    main(["run", "a.eval.yaml", "--no-store", "-o", "a.promptfoo.json"])
    document = json.loads((tmp_path / "a.promptfoo.json").read_text(encoding="utf-8"))
    (row,) = document["results"]["results"]
    assert (row["vars"], row["testCase"]["description"], row["prompt"]["raw"]) == ({"input": "hi"}, "a", "hi")


def test_tests_are_numbered_in_the_order_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a pattern names come last first, and the order of their names and of the lines in them says nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases").mkdir()
    for name in ("b", "a"):
        text = f"- vars: {{who: [{name}1, {name}2]}}\n- vars: {{who: {name}3}}\n"
        (tmp_path / "cases" / f"{name}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("who\nrow\n", encoding="utf-8")
    listed = "tests: ['file://cases/*.yaml', {vars: {who: here}}, 'file://rows.csv']\n"
    (tmp_path / "promptfooconfig.yaml").write_text(f"{CONFIG.partition('tests')[0]}{listed}", encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "out.promptfoo.json"])
    rows = json.loads((tmp_path / "out.promptfoo.json").read_text(encoding="utf-8"))["results"]["results"]
    found = {row["testIdx"]: row["vars"]["who"] for row in rows}
    assert [found[number] for number in sorted(found)] == ["b1", "b2", "b3", "a1", "a2", "a3", "here", "row"]


def test_an_error_has_no_named_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "prompts: [Hi]\nproviders: [echo]\ntests: [{assert: [{type: contains, value: Hi, metric: said}, {type: latency}]}]\n"
    (tmp_path / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "out.promptfoo.json"])
    (row,) = json.loads((tmp_path / "out.promptfoo.json").read_text(encoding="utf-8"))["results"]["results"]
    assert (row["failureReason"], row["namedScores"]) == (2, {})


OUTSIDE = """\
prompts: ["{{q}}"]
providers: [echo]
defaultTest: {vars: {q: a}}
tests:
  - {assert: [{type: javascript, value: "3"}]}
  - {assert: [{type: javascript, value: "-1"}]}
  - {assertScoringFunction: "file://score.cjs", assert: [{type: equals, value: a}]}
  - {assert: [{type: javascript, value: "0.5"}]}
"""


@pytest.mark.node
def test_scores_outside_of_0_to_1_are_as_in_promptfoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """rubric itself has the nearest score in the range."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "score.cjs").write_text("module.exports = () => ({pass: true, score: 5, reason: ''});\n", "utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(OUTSIDE, encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "out.promptfoo.json", "-o", "out.json"])
    document = json.loads((tmp_path / "out.promptfoo.json").read_text(encoding="utf-8"))["results"]
    rows = document["results"]
    assert [(each["score"], each["success"]) for each in rows] == [(3, True), (-1, False), (5, True), (0.5, True)]
    assert [each["gradingResult"]["score"] for each in rows] == [3, -1, 5, 0.5]
    assert document["prompts"][0]["metrics"]["score"] == 7.5
    own = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [each["score"] for each in own["cases"]] == [1, 0, 1, 0.5]


SCORED = """\
prompts: ["{{q}}"]
providers: [echo]
defaultTest: {vars: {q: a}, assertScoringFunction: "file://score.cjs"}
tests:
  - {vars: {q: b}}
  - {assert: [{type: equals, value: a, metric: own}]}
"""


@pytest.mark.node
def test_a_scoring_function_names_scores_of_rows_with_assertions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its named scores replace those of the assertions; a row without assertions passes without a call."""
    monkeypatch.chdir(tmp_path)
    code = "module.exports = () => ({pass: false, score: 0.5, reason: 'r', namedScores: {z: 1, odd: 'x'}});\n"
    (tmp_path / "score.cjs").write_text(code, "utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(SCORED, encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "out.promptfoo.json"])
    rows = json.loads((tmp_path / "out.promptfoo.json").read_text(encoding="utf-8"))["results"]["results"]
    assert [(each["success"], each["score"], each["namedScores"]) for each in rows] == [
        (True, 1, {}),
        (False, 0.5, {"z": 1}),
    ]


REPLIES = """\
prompts: [hi]
providers: ["file://ends.py"]
tests:
  - assert:
      - {type: javascript, value: "context.providerResponse.finishReason === 'stop'"}
      - {type: javascript, value: "context.providerResponse.cached === false"}
      - {type: python, value: "context['providerResponse']['finishReason'] == 'stop'"}
      - {type: python, value: "context['providerResponse']['cached'] is False"}
"""


@pytest.mark.node
def test_scripts_learn_how_the_answer_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "def call_api(prompt, options, context):\n    return {'output': 'x', 'finishReason': 'stop'}\n"
    (tmp_path / "ends.py").write_text(code, "utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(REPLIES, encoding="utf-8")
    assert main(["run", "promptfooconfig.yaml", "--no-store"]) == 0


def test_repetitions_are_rows_and_providers_have_their_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """\
prompts: [p]
providers: [echo, {id: echo}, {id: echo, label: own}]
tests:
  - {vars: {v: [a, b]}, options: {repeat: 2}, assert: [{type: equals, value: "{{v}}p"}]}
  - {vars: {v: c}}
"""
    (tmp_path / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "out.promptfoo.json"])
    document = json.loads((tmp_path / "out.promptfoo.json").read_text(encoding="utf-8"))["results"]
    first = [(row["testIdx"], row["vars"]["v"], row["success"]) for row in document["results"] if row["promptIdx"] == 0]
    assert sorted(first) == [(0, "a", False), (1, "b", False), (2, "a", False), (3, "b", False), (4, "c", True)]
    assert len({row["id"] + row["provider"]["label"] + str(row["promptIdx"]) for row in document["results"]}) == 15
    assert [each["provider"] for each in document["prompts"]] == ["echo", "echo", "own"]
    labelled = next(row for row in document["results"] if row["promptIdx"] == 2)
    assert labelled["provider"] == {"id": "echo", "label": "own"}
    assert (document["stats"]["successes"], document["stats"]["failures"]) == (3, 12)
