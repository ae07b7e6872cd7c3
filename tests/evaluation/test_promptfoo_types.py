"""Types of assertions of promptfoo, by themselves. What promptfoo itself says about the same outputs: `tests/parity/promptfoo`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.families.promptfoo.evaluators.html_checks import html_fault
from rubric_core.families.promptfoo.evaluators.overlap import bleu, gleu, rouge, treebank_tokens
from rubric_core.families.promptfoo.evaluators.text_checks import is_refusal
from rubric_core.families.promptfoo.evaluators.tool_calls import called_tools


async def graded(tmp_path: Path, output: Any, *assertions: dict[str, Any]) -> CaseResult:
    """The result of a case with a stored output."""
    path = tmp_path / "promptfooconfig.yaml"
    test = {"description": "t", "providerOutput": output, "assert": list(assertions)}
    path.write_text(json.dumps({"prompts": ["p"], "providers": ["echo"], "tests": [test]}), encoding="utf-8")
    (result,) = await run_cases(load_suite(path).cases)
    return result


def test_words_in_common() -> None:
    assert bleu("the cat sat", ["the cat sat"]) == gleu("The cat sat.", ["the cat sat"]) == rouge("a b", "b a") == 1
    assert bleu("", ["x"]) == rouge("x", "y") == 0
    assert 0 < bleu("the cat", ["the dog"]) < 0.1
    assert treebank_tokens('I can\'t, "no"...') == ["I", "ca", "n't", ",", "``", "no", "''", "..."]


@pytest.mark.parametrize(
    ("assertion", "score", "passes"),
    [
        ({"type": "rouge-n", "value": "the cat sat"}, 0.8, True),
        ({"type": "rouge-n", "value": "the dog ran"}, 0.4, False),
        ({"type": "rouge-n", "value": "the dog ran", "threshold": 0.4}, 0.4, True),
        ({"type": "rouge-n", "value": "the cat sat", "threshold": 0.81}, 0.8, False),
        ({"type": "not-rouge-n", "value": "the dog ran"}, 0.6, True),
        ({"type": "not-rouge-n", "value": "the cat sat"}, 0.2, False),
        ({"type": "rouge-n", "value": "a dog ran", "threshold": 0}, 0.0, True),
        ({"type": "gleu", "value": "the cat"}, 1.0, True),
        ({"type": "gleu", "value": "the dog"}, 1 / 3, False),
        ({"type": "gleu", "value": "the dog", "threshold": 0.3}, 1 / 3, True),
        ({"type": "bleu", "value": ["a dog", "the cat"], "threshold": 0.5}, None, True),
        ({"type": "bleu", "value": "a dog"}, None, False),
    ],
)
async def test_how_much_in_common_is_enough(
    tmp_path: Path, assertion: dict[str, Any], score: float | None, passes: bool
) -> None:
    found = await graded(tmp_path, "the cat", assertion)
    assert (found.verdict is Verdict.PASSED) is passes
    assert score is None or found.score == pytest.approx(score)


@pytest.mark.parametrize(
    ("text", "refuses"),
    [("I’m sorry, no", True), ("We can't comply", True), ("I cannot wait", True), ("So I cannot wait", False), ("Sure", False), ("", False)],
)  # fmt: skip
def test_refusals(text: str, refuses: bool) -> None:
    assert is_refusal(text) is refuses


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<p>x</p>", ""), ("x <b>y</b>", "has text outside of elements"), ("<b>x", ""), ("<z>x</z>", "has no HTML elements"),
        ("<p>a<div>b</div>c", "has text outside of elements"), ("<?xml version='1.0'?><a/>", "is XML"), (" ", "is empty"),
        ("<body>x</body>", ""), ("<script>a < b</script>", ""),
    ],
)  # fmt: skip
def test_html(text: str, fault: str) -> None:
    assert html_fault(text) == fault


@pytest.mark.parametrize(
    ("kind", "output", "passes"),
    [
        ("is-html", "<p>x</p>", True),
        ("is-html", "x <b>y</b>", False),
        ("contains-html", "x <b>y</b> and <i>z</i>", True),
        ("contains-html", "x < y", False),
        ("is-xml", "<a><b/></a>", True),
        ("is-xml", "<a><b></a>", False),
        ("contains-xml", "so: <a><b/></a>", True),
        ("contains-xml", "so: a", False),
        ("is-json", "[1]", True),
        ("is-json", "[1", False),
        ("contains-json", "so: {}", True),
        ("contains-json", "so: {", False),
        ("is-refusal", "I'm sorry, but I can't do that", True),
        ("is-refusal", "Sure", False),
    ],
)
async def test_forms_of_an_output_and_their_opposites(tmp_path: Path, kind: str, output: str, passes: bool) -> None:
    found = [await graded(tmp_path, output, {"type": each}) for each in (kind, f"not-{kind}")]
    verdicts = (Verdict.PASSED, Verdict.FAILED) if passes else (Verdict.FAILED, Verdict.PASSED)
    assert tuple(each.verdict for each in found) == verdicts


@pytest.mark.parametrize(
    "output",
    [
        {"tool_calls": [{"function": {"name": "a"}}]}, [{"type": "tool_use", "name": "a"}], {"functionCall": {"name": "a"}},
        'text\n{"tool_calls": [{"name": "a"}]}', '[{"function": {"name": "a"}}]',
    ],
)  # fmt: skip
def test_tools_in_every_shape(output: object) -> None:
    assert called_tools(output) - {""} == {"a"}


async def test_a_webhook_decides(tmp_path: Path) -> None:
    result = await graded(tmp_path, "x", {"type": "webhook", "value": "http://127.0.0.1:9/none"})
    assert (result.verdict.value, result.score) == ("failed", 0.0)


@pytest.mark.parametrize(
    "kind",
    [
        "moderation",
        "classifier",
        "meteor",
        "pi",
        "perplexity",
        "search-rubric",
        "agent-rubric",
    ],
)
async def test_what_needs_more_than_there_is_is_unscored(kind: str, tmp_path: Path) -> None:
    result = await graded(tmp_path, "x", {"type": kind, "value": "x"})
    assert result.verdict.value == "unscored"
    assert kind in result.reason


_ITEMS = '<r a="1"><x id="5">t<y/></x><x/><z>t</z></r>'


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("r", True), ("s", False), ("r.x", True), ("r.y", False), ("r.x.0", True), ("r.x.1", True), ("r.x.2", False), ("r.x.00", False),
        ("r.x.y", False), ("r.x.0.y", True), ("r.x.1.y", False), ("r.x.0.@_id", True), ("r.x.1.@_id", False), ("r.x.0.#text", True),
        ("r.@_a", True), ("r.@_a.0", False), ("r.z", True), ("r.z.0", False), ("r.z.#text", False), ("r, r.x", True), ("r, s", False),
    ],
)  # fmt: skip
async def test_elements_of_xml(tmp_path: Path, path: str, leads: bool) -> None:
    """Several elements of one name are a list, and one with nothing but text is that text."""
    for kind, output in (("is-xml", _ITEMS), ("contains-xml", f"Here: {_ITEMS}.")):
        assert ((await graded(tmp_path, output, {"type": kind, "value": path})).verdict is Verdict.PASSED) is leads


@pytest.mark.parametrize(
    ("written", "rows"),
    [
        (["a", "b"], ["a", "b"]),
        (["a"], ["a"]),
        (["a", 1], ["a", 1]),
        ([1, "a"], [[1, "a"]]),
        ([], [[]]),
        ("a", ["a"]),
        ({"a": ["b"]}, [{"a": ["b"]}]),
    ],
)
def test_a_list_that_begins_with_a_text_makes_rows(tmp_path: Path, written: Any, rows: list[Any]) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    test = {"vars": {"q": written, "other": "x"}, "assert": [{"type": "is-json"}]}
    path.write_text(json.dumps({"prompts": ["{{q}}"], "providers": ["echo"], "tests": [test]}), encoding="utf-8")
    found = [each.variables["q"] for case in load_suite(path).cases for each in variations(case)]
    assert found == rows
