"""Templates of evaluators in runs: the evaluators for an `include`, and the message if there are none."""

import pytest
from suites import Folder

from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.inline_marks import marks_of

SUITE = """
tests:
  - id: a
    criteria: c
    input: hi
    assertions:
      - {include: safety}
      - {type: contains, value: hi}
"""


async def test_an_include_is_replaced_by_its_template(folder: Folder) -> None:
    folder.mock("hi, be kind")
    folder.environment["WORD"] = "kind"
    folder.write(
        ".agentv/templates/safety.yaml", '- {type: contains, value: "${{ WORD }}"}\n- {include: ../more.yml}\n'
    )
    folder.write(".agentv/more.yml", "assertions:\n  - {type: contains, value: nowhere, name: last}\n")
    result = await folder.one(SUITE)
    assert [(e.name, e.score) for e in result.evaluators] == [
        ("contains-kind", 1), ("last", 0), ("contains-hi", 1),
    ]  # fmt: skip
    (case,) = folder.cases(SUITE)
    assert [case.line_at(m.span.start) for m in marks_of(case, result)] == [3, 8], "of what stands in the suite"


async def test_a_line_of_a_template_is_named(folder: Folder) -> None:
    folder.mock("hi")
    folder.write(".agentv/templates/safety.yaml", "# safety\n- {type: execution-metrics}\n")
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert "execution-metrics needs at least one limit (safety.yaml:2)" in result.reason


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "there is no template safety"),
        ({"safety.yaml": "just: words"}, "the template safety.yaml is not a list of evaluators"),
        ({"safety.yaml": "[{include: other}]", "other.yaml": "[{include: safety}]"}, "the template safety includes itself"),
        ({"safety.yaml": "[{include: a}]", "a.yaml": "[{include: b}]", "b.yaml": "[{include: c}]", "c.yaml": "[]"}, "more than 3 levels deep"),
    ],
)  # fmt: skip
async def test_a_template_that_cannot_be_used(folder: Folder, files: dict[str, str], words: str) -> None:
    folder.mock("hi")
    for name, text in files.items():
        folder.write(f".agentv/templates/{name}", text)
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason


async def test_sentences_of_a_template_are_criteria(folder: Folder) -> None:
    folder.mock("hi")
    folder.write(".agentv/templates/safety.yaml", "assertions:\n  - Never names a password\n  - {type: is-json}\n")
    result = await folder.one(SUITE.replace("{include: safety}", "Greets\n      - {include: safety}"))
    assert [e.name for e in result.evaluators] == ["rubrics", "is-json", "contains-hi"]
    (case,) = folder.cases(SUITE.replace("{include: safety}", "Greets\n      - {include: safety}"))
    rubric = case.evaluators[0]
    assert [c.outcome for c in vars(rubric)["criteria"]] == ["Greets", "Never names a password"]
    assert rubric.weight == 2
