"""Prompts, values and targets of agentv-5: every variation of a case has a name, and is asked what it says."""

import json

import pytest
from suites import LANGUAGE, Folder

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import CaseStarted
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.inline_marks import marks_of
from rubric_core.loading.project import Project

ECHO = {"name": "default", "provider": "cli", "command": "cat {PROMPT_FILE}"}


@pytest.fixture
def echo(folder: Folder) -> Folder:
    """Its target says what it is asked."""
    folder.targets(ECHO)
    return folder


def names(folder: Folder, text: str) -> list[str]:
    return [v.id for case in folder.cases(text, "agentv-5") for v in variations(case)]


async def answers(folder: Folder, text: str) -> dict[str, str]:
    return {name: result.answer for name, result in (await folder.run_all(text)).items()}


SUITE = """
prompts:
  - {label: short, raw: "In a word, {{ tone }}: {{ question }}"}
  - "At length, {{ tone }}: {{ question }}"
default_test:
  vars: {tone: polite}
tests:
  - id: refund
    vars: {question: Can I return this?, tone: [polite, "curt, [rude]"]}
    assert: [{type: contains, value: "{{ tone }}"}]
  - id: late
    vars: {question: Where is it?}
    assert: [{type: starts-with, value: In a word}]
"""


async def test_prompts_and_values_are_crossed(echo: Folder) -> None:
    assert names(echo, SUITE) == [
        "refund[short,tone=polite]", "refund[short,tone=curt, (rude)]", "refund[prompt-2,tone=polite]", "refund[prompt-2,tone=curt, (rude)]",
        "late[short]", "late[prompt-2]",
    ]  # fmt: skip
    results = await echo.run_all(SUITE)
    assert results["refund[prompt-2,tone=curt, (rude)]"].answer == "At length, curt, [rude]: Can I return this?"
    assert {name: r.score for name, r in results.items()} == {n: 0 if n == "late[prompt-2]" else 1 for n in results}


async def test_a_case_stands_for_all_of_its_variations(echo: Folder) -> None:
    late = (await echo.run(SUITE, "agentv-5"))["late"]
    assert (late.verdict, late.score) == (Verdict.FAILED, 0.5)
    assert late.reason == "1 of 2 variations passed; late[prompt-2]: failed"
    assert [row["verdict"] for row in late.details["variations"]] == ["passed", "failed"]
    (case,) = [c for c in echo.cases(SUITE, "agentv-5") if c.id == "late"]
    assert [m.what for m in marks_of(case, late)] == ["case", "evaluator"]


@pytest.mark.parametrize(
    ("wanted", "ran"),
    [
        ("late", ["late[short]", "late[prompt-2]"]),
        ("late[prompt-2]", ["late[prompt-2]"]),
        ("refund[short,tone=polite]", ["refund[short,tone=polite]"]),
    ],
)
def test_the_command_line_names_a_case_or_one_variation(
    echo: Folder, capsys: pytest.CaptureFixture[str], wanted: str, ran: list[str]
) -> None:
    path = echo.suite(SUITE)
    main(["run", f"{path}::{wanted}", "--format", "json"])
    assert [case["id"] for case in json.loads(capsys.readouterr().out)["cases"]] == ran


def test_a_name_that_is_nearly_right_is_offered(echo: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", f"{echo.suite(SUITE)}::late[prompt-3]", "--format", "json"]) == 2
    assert "did you mean late[prompt-2]?" in capsys.readouterr().err


async def test_targets_of_suite_and_case_are_crossed_too(folder: Folder) -> None:
    folder.targets(*({"name": n, "provider": "mock", "response": n} for n in ("one", "two", "three")))
    text = """
    providers: [one, two]
    prompts: [hi]
    tests:
      - {id: a, assert: [{type: equals, value: one}]}
      - {id: b, provider: three, assert: [{type: equals, value: three}]}
    """
    rows = [(v.id, v.options.target) for case in folder.cases(text, "agentv-5") for v in variations(case)]
    assert rows == [("a", "one"), ("a", "two"), ("b", "three")]
    results = await folder.run(text, "agentv-5")
    assert (results["a"].score, results["b"].score) == (0.5, 1)


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("'Hi {{ name }}, {{ vars.name }}'", "Hi Ann, Ann"),
        ("'{{ name | upper }}{% if polite %} please{% endif %}'", "ANN please"),
        ("'{% for item in items %}{{ item.n }};{% endfor %}{{ nobody }}'", "1;2;"),
        ("'{% for item in items %}{{ item.n }};{% endfor %}{{ items | dump }}'", '1;2;[{"n":1},{"n":2}]'),
        ("'{{ env.WORD }} {{ env.GONE | default(\"none\") }}'", "secretless none"),
        ("[{role: system, content: 'Be {{ name }}'}, {role: user, content: Hi}]", "@[System]:\nBe Ann\n\n@[User]:\nHi"),
        ("'[{\"role\": \"user\", \"content\": \"Hi {{ quoted }}\"}]'", 'Hi "you"'),
        ("'{{ messages }}'", "@[System]:\nstill\n\n@[User]:\nask Ann"),
        ("{id: x, raw: 'Hi {{ name }}', prefix: '> ', suffix: '!'}", "> Hi Ann!"),
        ("{prompt: 'Hi {{ name }}'}", "Hi Ann"),
        ("{messages: [{role: user, content: 'Hi {{ name }}'}]}", "Hi Ann"),
        ("{file: p.md}", "From a file for Ann"),
        ("file://p.md", "From a file for Ann"),
        ("file://p.json", "@[System]:\ns\n\n@[User]:\nAnn"),
        ("file://p.py", "made for Ann"),
        ("file://p.mjs:other", "Ann by node"),
        ("{command: [python3, q.py]}", "printed for Ann"),
    ],
)  # fmt: skip
async def test_forms_of_prompts(echo: Folder, prompt: str, answer: str) -> None:
    echo.environment["WORD"] = "secretless"
    echo.write("p.md", "From a file for {{ name }}\n")
    echo.write("p.json", '[{"role": "system", "content": "s"}, {"role": "user", "content": "{{ name }}"}]')
    echo.write("p.py", "def get_prompt(context): return f\"made for {context['vars']['name']}\"")
    echo.write("p.mjs", "export const other = context => `${context.vars.name} by node`")
    echo.write("q.py", "import json, sys\nprint('printed for', json.load(sys.stdin)['vars']['name'])")
    result = await echo.one(
        f"""
        prompts: [{prompt}]
        tests:
          - id: a
            vars:
              name: Ann
              polite: true
              quoted: '"you"'
              items: [{{n: 1}}, {{n: 2}}]
              messages: [{{role: system, content: still}}, {{role: user, content: "ask {{{{ name }}}}"}}]
            assert: [{{type: icontains, value: "n"}}]
        """,
        "agentv-5",
    )
    assert result.answer == answer, result.reason


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("'{{ env.GONE }}'", "the environment variable GONE is not set (suite.eval.yaml:3)"),
        ("'{{ env.GONE | upper }}'", "the environment variable GONE is not set (suite.eval.yaml:3)"),
        ("'{{ a | nofilter }}'", "line 3 has a mistake, broken-template: there is no filter `nofilter`"),
        ("'{% if a %}'", "line 3 has a mistake, broken-template: this statement is never closed"),
        ("file://filter.md", "No filter named 'nofilter'. (filter.md, suite.eval.yaml:3)"),
        ("file://open.md", "the template cannot be read: "),
        ("file://gone.md", "the prompt file gone.md does not exist (line 3)"),
        (
            "{command: [python3, -c, 'import sys; sys.exit(3)']}",
            "the prompt program python3 -c 'import sys; sys.exit(3)': ended with exit code 3 (line 3)",
        ),
        ("{label: nothing}", "the prompt has no text: write `raw`, `messages`, `path` or `command` (line 3)"),
        ("file://broken.py", "the python code failed: SyntaxError"),
    ],
)
async def test_a_prompt_that_cannot_be_made_leaves_the_case_unscored(echo: Folder, prompt: str, words: str) -> None:
    echo.write("broken.py", "def (")
    echo.write("filter.md", "{{ a | nofilter }}")
    echo.write("open.md", "{% if a %}")
    text = f"# one\nprompts:\n  - {prompt}\ntests: [{{id: a, vars: {{a: 1}}, assert: [{{type: contains, value: x}}]}}]"
    result = await echo.one(text, "agentv-5")
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason


async def test_the_expected_output_may_be_given_in_vars(echo: Folder) -> None:
    text = """
    prompts: ['{"a": 1, "b": 2}']
    tests:
      - id: a
        vars: {expected_output: {a: 1, b: 3}}
        assert: [{type: field-accuracy, fields: [{path: a, match: exact}, {path: b, match: exact}]}]
    """
    assert (await echo.one(text, "agentv-5")).score == 0.5


DEFAULT = """
vars: {tone: polite}
threshold: 0.5
assert:
  - {type: contains, value: "{{ tone }}"}
  - {type: contains, value: nowhere}
"""


@pytest.mark.parametrize("external", [False, True])
async def test_a_default_test_beside_the_suite_or_in_it(echo: Folder, external: bool) -> None:
    echo.write("default.yaml", DEFAULT.lstrip())
    inline = "default_test:\n" + "".join(f"  {line}\n" for line in DEFAULT.strip().splitlines())
    text = f"{'default_test: file://default.yaml' if external else inline}\nprompts: ['{{{{ tone }}}}']\ntests: [{{id: a}}, {{id: b, vars: {{tone: curt}}, run: {{threshold: 0.6}}}}]"
    results = await echo.run(text, "agentv-5")
    assert [(r.answer, r.score, r.threshold, r.verdict.value) for r in results.values()] == [
        ("polite", 0.5, 0.5, "passed"),
        ("curt", 0.5, 0.6, "failed"),
    ]
    case = echo.cases(text, "agentv-5")[0]
    marks = [(m.what, case.line_at(m.span.start)) for m in marks_of(case, results["a"])]
    if external:
        assert [what for what, _ in marks] == ["case"], "nothing stands in the suite"
        assert case.blame(case.evaluators[1]) == " (default.yaml:5)"
    else:
        assert sorted(line for what, line in marks if what == "evaluator") == [5, 6]


SCENARIO = """
- description: languages
  config:
    - {id: spanish, vars: {language: Spanish, word: hola}}
    - {vars: {language: French, word: bonjour}, assert: [{type: contains, value: "{{ language }}"}]}
  tests:
    - description: Translates a greeting!
      vars: {phrase: hello}
      assert: [{type: contains, value: "{{ word }}"}]
"""


@pytest.mark.parametrize("external", [False, True])
async def test_scenarios_cross_rows_with_tests(echo: Folder, external: bool) -> None:
    echo.write("scenarios/all.yaml", SCENARIO)
    inline = "scenarios:\n" + "".join(f"  {line}\n" for line in SCENARIO.strip().splitlines())
    text = "# rubric: dialect=agentv-5\nprompts: ['{{ phrase }} in {{ language }}: hola']\n" + (
        "scenarios: [file://scenarios/*.yaml]" if external else inline
    )
    results = await echo.run_all(text)
    assert {n: (r.answer, r.score, r.line, r.file) for n, r in results.items()} == {
        "translates-a-greeting[spanish]": ("hello in Spanish: hola", 1, 7 if external else 9, "scenarios/all.yaml" if external else ""),
        "translates-a-greeting[row-2]": ("hello in French: hola", 0.5, 7 if external else 9, "scenarios/all.yaml" if external else ""),
    }  # fmt: skip


async def test_a_scenario_that_cannot_be_read_is_a_case_without_a_score(echo: Folder) -> None:
    results = await echo.run_all("# rubric: dialect=agentv-5\nprompts: [hi]\nscenarios: [file://gone.yaml]\n")
    assert [(r.verdict, r.reason) for r in results.values()] == [
        (Verdict.UNSCORED, "line 3 has a mistake, there is no scenario file gone.yaml")
    ]


async def test_dependencies_wait_for_every_variation(echo: Folder) -> None:
    text = """
    # rubric: dialect=agentv-5
    prompts: ["{{ x }}"]
    tests:
      - {id: last, depends_on: [first], vars: {x: z}, assert: [{type: equals, value: z}]}
      - {id: first, vars: {x: [a, b]}, assert: [{type: similar, value: a}]}
    """
    results = await echo.run_all(text)
    assert results["last"].reason == "not run: first[x=a], which it depends on, could not be scored"
    results = await echo.run_all(text.replace("similar", "equals"))
    starts = [e.case_id for e in echo.events if isinstance(e, CaseStarted)]
    assert starts[-3:] == ["first[x=a]", "first[x=b]", "last"]
    assert (results["first[x=b]"].verdict, results["last"].verdict) == (Verdict.FAILED, Verdict.PASSED)


@pytest.mark.parametrize(
    "name", ["p.md", "d.yaml", "check.py", "judge.md", ".agentv/assertions/own.py", ".agentv/evaluators/mine.py"]
)
def test_a_variation_has_a_fingerprint_of_its_own(echo: Folder, name: str) -> None:
    from rubric_core.disk import DiskFiles
    from rubric_core.evaluation.engine.fingerprint import fingerprint
    from rubric_core.evaluation.targets.resolve import load_targets

    echo.write("d.yaml", "threshold: 0.5")
    for other in ("p.md", "check.py", "judge.md", ".agentv/assertions/own.py", ".agentv/evaluators/mine.py"):
        echo.write(other, "one")
    text = """
    prompts: [file://p.md]
    default_test: file://d.yaml
    tests:
      - id: a
        vars: {x: [b, c]}
        assert:
          - {type: python, value: file://check.py:graded}
          - {type: llm-rubric, value: x, prompt: file://judge.md}
          - {type: own}
          - {type: mine}
    """

    def prints() -> list[str]:
        made = [v for case in echo.cases(text, "agentv-5") for v in variations(case)]
        return [fingerprint(v, DiskFiles(), load_targets(echo.path, DiskFiles())) for v in made]

    before = prints()
    assert len(set(before)) == 2
    echo.write(name, "threshold: 0.6")
    assert not set(before) & set(prints())


async def test_a_suite_sets_variables_for_its_run(echo: Folder) -> None:
    echo.environment["HOME_TOWN"] = "Ulm"
    text = """
    env: {TOWN: "{{ env.HOME_TOWN }}", YEAR: 1946}
    prompts: ["{{ env.TOWN }} {{ env.YEAR }}"]
    tests: [{id: a, assert: [{type: equals, value: "{{ env.TOWN }} 1946"}]}]
    """
    result = await echo.one(text, "agentv-5")
    assert (result.answer, result.score) == ("Ulm 1946", 1), result.reason


async def test_a_target_is_asked_the_prompts_that_its_entry_names(folder: Folder) -> None:
    folder.write(
        ".agentv/providers.yaml",
        "providers:\n  - {id: mock, label: all, config: {response: hello}}\n"
        "  - {id: mock, label: some, prompts: ['sh*'], config: {response: hello}}\n"
        "  - {id: mock, label: none, prompts: [gone], config: {response: hello}}\n",
    )
    text = """
        prompts: [{label: short, raw: '{{ q }}'}, {label: long, raw: 'Please: {{ q }}'}]
        providers: [all, some, none]
        tests: [{id: a, vars: {q: hi}, assert: [{type: contains, value: hello}]}]
    """
    suite = load_suite(
        folder.suite(f"# rubric: dialect=agentv-5{text}"), LANGUAGE, Project(DiskFiles(), folder.path), Options()
    )
    cases = [each for case in suite.cases for each in variations(case)]
    assert [(c.id, c.options.target) for c in cases] == [
        ("a[short]", "all"), ("a[long]", "all"), ("a[short]", "some"), ("a[short]", "none"),
    ]  # fmt: skip
    async with system_ports({}) as ports:
        results = await run_cases(cases, ports)
    assert [r.verdict.value for r in results] == ["passed", "passed", "passed", "unscored"]
    assert results[-1].reason == "the target's `prompts` matches none of the prompts: gone in its `prompts`"


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("{{ tone }} and {{ topic }}", "polite and returns"),
        ("{{ tone }} and ${{ SHOP }}", "polite and corner"),
        ("{{ tone }} and {{ missing }}", "polite and"),
        ("{{ tone }} and {{ sizes }}", 'polite and {"least": 1}'),
        ("{{ tone }}{{ tone }}", "politepolite"),
        ("it is {{ tone }} and {{ sizes }}", 'it is polite and {"least": 1}'),
        # One reference, whatever is in its quotes.
        ("{{ '}} {{' }}", "}} {{"),
        ("{{ tone | replace('}}', '{{') }}", "polite"),
    ],
)
async def test_a_text_may_begin_and_end_with_different_references(echo: Folder, prompt: str, answer: str) -> None:
    echo.environment["SHOP"] = "corner"
    text = f"""
    prompts:
      - {json.dumps(prompt)}
    tests:
      - {{id: a, vars: {{tone: polite, topic: returns, sizes: {{least: 1}}}}, assert: [{{type: is-json}}]}}
    """
    assert (await echo.run(text, "agentv-5"))["a"].answer == answer
