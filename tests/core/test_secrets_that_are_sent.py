"""Keys of the environment that somebody else's suite collects: `check` names each, whichever file and key they stand in."""

import json
from pathlib import Path

import pytest
from harness import LANGUAGE, ROOT, Folder

from rubric_core.analysis import analyze
from rubric_core.loading.project import Project

KEY = "{{ env.SHOP_API_KEY }}"
CONFIGURATION = "prompts: ['{{ q }}']\nproviders: [echo]\n"


def sent(text: str, **files: str) -> list[str]:
    """The words of a configuration at which a key is found to be sent."""
    project = Project(Folder({"promptfooconfig.yaml": text, **files}))
    path = ROOT / "promptfooconfig.yaml"
    analysis = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=project)
    return [text[slice(*d.span)] for d in analysis.diagnostics if d.code == "environment-sent"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cases.yaml", f"- vars: {{q: '{KEY}'}}\n"),
        ("cases.yaml", f"- vars: {{target: '{KEY}'}}\n"),
        ("cases.yaml", f"- assert: [{{type: llm-rubric, value: ['{KEY}']}}]\n"),
        ("cases.yaml", f"- &a {{vars: &v {{q: '{KEY}'}}}}\n- {{vars: *v}}\n- vars: {{broken: [\n"),
        ("cases.json", json.dumps([{"vars": {"q": KEY}}])),
        ("cases.jsonl", json.dumps({"vars": {"q": [{"a": KEY}]}}) + "\n"),
        ("cases.csv", f"q,__expected\nhi,contains: {KEY}\n"),
    ],
)
def test_in_files_of_cases(name: str, content: str) -> None:
    listed = f"{CONFIGURATION}tests:\n  - vars: {{q: hi}}\n  - file://{name}\n"
    assert sent(listed, **{name: content}) == [f"file://{name}"]
    alone = f"{CONFIGURATION}tests: file://{name}\n"
    assert sent(alone, **{name: content}) == [f"file://{name}"]
    assert sent(alone, **{name: content.replace("SHOP_API_KEY", "SHOP")}) == []


def test_in_scenarios_and_defaults() -> None:
    text = f"{CONFIGURATION}defaultTest: file://d.yaml\nscenarios: [file://s.yaml]\n"
    scenario = f"- config: [{{vars: {{q: '{KEY}'}}}}]\n  tests: [{{vars: {{q: hi}}}}]\n"
    assert sent(text, **{"d.yaml": f"vars: {{q: '{KEY}'}}\n", "s.yaml": scenario}) == ["file://d.yaml", "file://s.yaml"]


def test_in_the_value_of_a_variable_that_is_a_file_or_called_like_a_setting() -> None:
    text = f"{CONFIGURATION}tests:\n  - vars: {{q: file://q.txt, r: file://r.yaml, config: '{KEY}'}}\n"
    found = sent(text, **{"q.txt": KEY, "r.yaml": f"target: '{KEY}'\n"})
    assert found == ["file://q.txt", "file://r.yaml", "env.SHOP_API_KEY"]


def test_what_is_for_providers_and_what_the_configuration_gives_itself_is_not_named() -> None:
    provider = f"{{id: openai:gpt-5, config: {{apiKey: '{KEY}'}}}}"
    cases = f"- vars: {{q: hi}}\n  options: {{provider: {provider}}}\n"
    assert sent(f"{CONFIGURATION}tests: file://cases.yaml\n", **{"cases.yaml": cases}) == []
    own = f"{CONFIGURATION}env: {{SHOP_API_KEY: none}}\ntests: [{{vars: {{q: '{KEY}'}}}}, file://cases.csv]\n"
    assert sent(own, **{"cases.csv": f"q\n{KEY}\n"}) == []


def test_a_case_with_a_variable_called_env_hides_none_of_another() -> None:
    hiding = "vars: {q: hi, env: {SHOP_API_KEY: none}}"
    assert sent(f"{CONFIGURATION}tests:\n  - {hiding}\n  - vars: {{q: '{KEY}'}}\n") == ["env.SHOP_API_KEY"]
    assert sent(f"prompts: ['{KEY}']\nproviders: [echo]\ntests:\n  - {hiding}\n") == []


def test_in_variables_of_a_suite_that_are_called_like_a_setting() -> None:
    text = "tests:\n  - {id: a, criteria: c, vars: {target: '${{ SHOP_API_KEY }}'}, input: '{{ target }}'}\n"
    found = analyze(LANGUAGE.document(text, Path("a.eval.yaml")), LANGUAGE).diagnostics
    assert [d.code for d in found] == ["environment-sent"]


def test_anchors_of_anchors_take_no_time() -> None:
    rows = [f"a0: &a0 ['{KEY}']", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    cases = "- vars:\n" + "".join(f"    {row}\n" for row in rows)
    assert sent(f"{CONFIGURATION}tests: file://cases.yaml\n", **{"cases.yaml": cases}) == ["file://cases.yaml"]
