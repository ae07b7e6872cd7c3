"""What rubric does with suites of AgentV 5 where that release does otherwise: each row of the page that only its source shows."""

from dataclasses import dataclass

import pytest
from suites import Folder

from rubric_core.language.departures_from_5 import DEPARTURES_FROM_5


@dataclass(frozen=True)
class Shown:
    """A case that shows a row: its text, the rest of its suite, and its verdict, its answer or its reason in part."""

    case: str
    verdict: str
    says: str = ""
    suite: str = "prompts: ['{{ q }}']"


SHOWN = {
    "vars-in-code": [
        Shown("{vars: {q: hi}, assert: [{type: javascript, value: context.vars.q === output}]}", "passed"),
        Shown("{vars: {q: hi}, assert: [{type: python, value: \"context['vars']['q'] == output\"}]}", "passed"),
    ],
    "failed-code": [Shown("{vars: {q: hi}, assert: [{type: javascript, value: nothing.at.all}]}", "unscored", "nothing")],
    "expected-output-in-vars": [
        Shown(
            "{vars: {q: '{\"n\": 1}', expected_output: {n: 1}}, assert: [{type: field-accuracy, fields: [{path: n, match: exact}]}]}",
            "passed",
        ),
    ],
    "empty-values": [
        Shown("{vars: {q: hi}, assert: [{type: equals, value: '{{ gone }}'}]}", "unscored", "`value`"),
        Shown("{vars: {q: hi}, assert: [{type: contains, value: '{{ gone }}'}]}", "unscored", "`value`"),
        # Equal: less than a whole value is filled in, and so is a prompt.
        Shown("{vars: {q: hi}, assert: [{type: equals, value: 'hi{{ gone }}'}]}", "passed"),
        Shown("{vars: {q: hi}, assert: [{type: equals, value: hi}]}", "passed", "hi", "prompts: ['{{ q }}{{ gone }}']"),
        # Equal: a case without values is left as it is written.
        Shown("{assert: [{type: equals, value: '{{ q }}'}]}", "passed", "{{ q }}"),
    ],
    "names-of-judges": [
        Shown(
            "{vars: {q: hi}, assert: [{type: llm-rubric, provider: judge, prompt: 'Is {{ output }} {{ q }}?'}]}", "passed", "hi"
        ),
    ],
    "vars-in-suite-assertions": [
        Shown(
            "{vars: {q: hi}}", "passed", "hi", "prompts: ['{{ q }}']\nassert: [{type: equals, value: '{{ q }}'}]"
        ),
    ],
    "mappings-in-texts": [
        Shown("{vars: {q: {n: 1}}, assert: [{type: equals, value: 'say {\"n\": 1}'}]}", "passed", "", "prompts: ['say {{ q }}']"),
    ],
    "forms-of-prompts": [
        Shown("{vars: {q: hi}, assert: [{type: equals, value: '> hi!'}]}", "passed", "", "prompts: [{raw: '{{ q }}', prefix: '> ', suffix: '!'}]"),
        Shown("{vars: {q: hi}, assert: [{type: equals, value: From hi}]}", "passed", "", "prompts: [{path: p.txt}]"),
    ],
    "providers-of-cases": [
        Shown("{vars: {q: hi}, provider: other, assert: [{type: equals, value: other}]}", "passed"),
        Shown("{vars: {q: hi}, provider: {id: mock, response: mine}, assert: [{type: equals, value: mine}]}", "passed"),
        Shown(
            "{vars: {q: hi}, assert: [{type: equals, value: theirs}]}", "passed", "",
            "prompts: ['{{ q }}']\ndefault_test: {provider: {id: mock, label: all, config: {response: theirs}}}",
        ),
    ],
}  # fmt: skip


def test_every_row_is_shown() -> None:
    assert SHOWN.keys() == {row.id for row in DEPARTURES_FROM_5}


@pytest.mark.parametrize(("row", "shown"), [(row, each) for row, all_of in SHOWN.items() for each in all_of])
async def test_a_departure_from_agentv_5(folder: Folder, row: str, shown: Shown) -> None:  # names the test
    folder.write("p.txt", "From {{ q }}")
    folder.write("echo.py", "import sys; open(sys.argv[2], 'w').write(open(sys.argv[1]).read().strip())\n")
    folder.write(
        ".agentv/providers.yaml",
        f"""
        providers:
          - {{id: cli, label: bot, config: {{command: "python3 {folder.path}/echo.py {{PROMPT_FILE}} {{OUTPUT_FILE}}"}}}}
          - {{id: mock, label: other, config: {{response: other}}}}
          - {{id: mock, label: judge, config: {{response: '{{"pass": true, "score": 1, "reason": "yes"}}'}}}}
        defaults: {{provider: bot, grader: judge}}
        """,
    )
    text = f"# rubric: dialect=agentv-5\n{shown.suite}\ntests: [{shown.case.replace('{', '{id: a, ', 1)}]\n"
    (result,) = (await folder.run_all(text)).values()
    assert result.verdict.value == shown.verdict, result.reason
    assert shown.says in f"{result.answer} {result.reason}"


async def test_cases_may_describe_different_targets_under_one_name(folder: Folder) -> None:
    text = """
    # rubric: dialect=agentv-5
    prompts: ["{{ q }}"]
    tests:
      - {id: a, vars: {q: hi}, provider: {id: mock, response: one}, assert: [{type: equals, value: one}]}
      - {id: b, vars: {q: hi}, provider: {id: mock, response: two}, assert: [{type: equals, value: two}]}
    """
    results = await folder.run_all(text.replace("\n    ", "\n").lstrip())
    assert [r.verdict.value for r in results.values()] == ["passed", "passed"]
