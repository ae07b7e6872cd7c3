"""A few lines that stand for billions of values: aliases of aliases, and lists that are combined. The case is unscored, at once."""

import json

import pytest
from suites import Folder

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict

#: Ten to the power of twelve texts.
BOMB = {f"a{n}": f"&a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 10)}]" for n in range(12)}
ALIASES = "its aliases stand for more than 100,000 values"
COMBINED = "it has more than 20,000 combinations of values, prompts and targets"
CASE = "  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]"


def lines(indent: int) -> str:
    return "".join(f"{' ' * indent}{name}: {value}\n" for name, value in BOMB.items())


@pytest.mark.parametrize("field", ["vars: {q: *a11}", "metadata: {q: *a11}", "expected_output: *a11"])
async def test_aliases_that_multiply_in_a_case(folder: Folder, field: str) -> None:
    folder.write(".agentv/targets.yaml", "targets: [{name: default, provider: mock, response: hello}]\n")
    suite = f"name: s\nx-a:\n{lines(2)}tests:\n{CASE}, {field}}}\n{CASE.replace('id: a', 'id: b')}}}\n"
    found = await folder.run_all(suite)
    assert {name: each.verdict for name, each in found.items()} == {"a": Verdict.UNSCORED, "b": Verdict.PASSED}
    assert ALIASES in found["a"].reason


async def test_aliases_that_multiply_in_a_target(folder: Folder) -> None:
    entry = "{name: default, provider: mock, response: hello, config: {q: *a11}}"
    folder.write(".agentv/targets.yaml", f"x-a:\n{lines(2)}targets: [{entry}]\n")
    (found,) = (await folder.run_all(f"name: s\ntests:\n{CASE}}}\n")).values()
    assert found.verdict is Verdict.UNSCORED
    assert "target default: its aliases stand for too many values (targets.yaml:14)" in found.reason


async def test_lists_that_multiply(folder: Folder) -> None:
    folder.write(".agentv/providers.yaml", "providers: [{id: mock, label: mocked, config: {response: hello}}]\n")
    values = json.dumps({f"v{n}": ["a", "b", "c", "d"] for n in range(40)})
    (found,) = (
        await folder.run_all(
            "# rubric: dialect=agentv-5\nproviders: [mocked]\nprompts: ['{{ v0 }}']\n"
            f"tests:\n  - {{id: a, vars: {values}, assert: [{{type: contains, value: hello}}]}}\n"
        )
    ).values()
    assert found.verdict is Verdict.UNSCORED
    assert COMBINED in found.reason


@pytest.mark.parametrize(("prompts", "lists"), [(1, 40), (150, 4)])
async def test_lists_of_promptfoo_that_multiply(folder: Folder, prompts: int, lists: int) -> None:
    test = {
        "vars": {f"v{n}": ["a", "b", "c", "d"] for n in range(lists)},
        "assert": [{"type": "contains", "value": "a"}],
    }
    written = {"prompts": [f"{n} {{{{ v0 }}}}" for n in range(prompts)], "providers": ["echo"], "tests": [test]}
    folder.write("promptfooconfig.yaml", json.dumps(written))
    cases = load_suite(folder.path / "promptfooconfig.yaml").cases
    (only,) = (each for case in cases for each in variations(case))
    (found,) = await run_cases([only])
    assert found.verdict is Verdict.UNSCORED
    assert COMBINED in found.reason


@pytest.mark.parametrize("place", ["configuration", "file of tests"])
async def test_aliases_of_promptfoo_that_multiply(folder: Folder, place: str) -> None:
    """`not-contains` would pass: an alias that is left as written is not what it stands for."""
    tests = (
        "  - {vars: {q: *a11}, assert: [{type: not-contains, value: x}]}\n  - {assert: [{type: contains, value: hi}]}\n"
    )
    if place == "configuration":
        text = f"prompts: ['hi {{{{ q }}}}']\nproviders: [echo]\nx-a:\n{lines(2)}tests:\n{tests}"
    else:
        folder.write(
            "tests.yaml", f"- x-a:\n{lines(6)}  vars: {{q: *a11}}\n  assert: [{{type: not-contains, value: x}}]\n"
        )
        text = "prompts: ['hi {{ q }}']\nproviders: [echo]\ntests: file://tests.yaml\n"
    folder.write("promptfooconfig.yaml", text)
    found = await run_cases(load_suite(folder.path / "promptfooconfig.yaml").cases)
    assert {each.verdict for each in found} == {Verdict.UNSCORED}
    assert all("aliases stand for more than 100,000 values" in each.reason for each in found)
