"""Environment keys that another author's suite collects: `check` names each, in any file and under any key."""

import io
import json
from pathlib import Path
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from harness import LANGUAGE, ROOT, Folder

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.loading.project import Project

KEY = "{{ env.SHOP_API_KEY }}"
CONFIGURATION = "prompts: ['{{ q }}']\nproviders: [echo]\n"


def sent(text: str, **files: str) -> list[str]:
    """The words of a configuration at which a key is found to be sent."""
    project = Project(Folder({"promptfooconfig.yaml": text, **files}))
    path = ROOT / "promptfooconfig.yaml"
    analysis = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=project)
    return [text[slice(*d.span)] for d in analysis.diagnostics if d.group == "environment-sent"]


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
    asked = f"prompts: ['{KEY}', file://p.txt]\nproviders: [echo]\ntests:\n  - {hiding}\n"
    assert sent(asked, **{"p.txt": "{{ q }}"}) == []
    others = f"{asked}  - file://cases.yaml\n"
    assert sent(others, **{"p.txt": "{{ q }}", "cases.yaml": "- vars: {q: hi}\n"}) == ["env.SHOP_API_KEY"]


def test_in_variables_of_a_suite_that_are_called_like_a_setting() -> None:
    text = "tests:\n  - {id: a, criteria: c, vars: {target: '${{ SHOP_API_KEY }}'}, input: '{{ target }}'}\n"
    found = analyze(LANGUAGE.document(text, Path("a.eval.yaml")), LANGUAGE).diagnostics
    assert [d.group for d in found] == ["environment-sent"]


def test_anchors_of_anchors_take_no_time() -> None:
    rows = [f"a0: &a0 ['{KEY}']", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    cases = "- vars:\n" + "".join(f"    {row}\n" for row in rows)
    assert sent(f"{CONFIGURATION}tests: file://cases.yaml\n", **{"cases.yaml": cases}) == ["file://cases.yaml"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("make.py", f"def tests(): return [{{'vars': {{'q': '{KEY}'}}}}]\n"),
        ("make.js", f"module.exports = () => [{{vars: {{q: '{KEY}'}}}}];\n"),
    ],
)
def test_in_programs_that_make_cases_prompts_and_values(name: str, content: str) -> None:
    files = {name: content}
    assert sent(f"{CONFIGURATION}tests: file://{name}:tests\n", **files) == [f"file://{name}:tests"]
    assert sent(f"{CONFIGURATION}tests: [{{path: 'file://{name}:tests'}}]\n", **files) == [f"'file://{name}:tests'"]
    prompts = f"prompts: [file://{name}]\nproviders: [echo]\ntests: [{{vars: {{q: hi}}}}]\n"
    assert sent(prompts, **files) == [f"file://{name}"]
    assert sent(f"{CONFIGURATION}tests: [{{vars: {{q: file://{name}}}}}]\n", **files) == [f"file://{name}"]
    # What such a program gives to an assertion is not filled in.
    check = f"{CONFIGURATION}tests: [{{vars: {{q: hi}}, assert: [{{type: javascript, value: file://{name}}}]}}]\n"
    assert sent(check, **files) == []


@pytest.mark.parametrize("padding", [6_000_000, 19_000_000])
def test_a_secret_in_a_file_too_long_for_the_cache(padding: int) -> None:
    text = "prompts: [file://p.txt]\nproviders: [echo]\ntests: [{vars: {q: hi}}]\n"
    assert sent(text, **{"p.txt": "x" * padding + KEY}) == ["file://p.txt"]


def workbook(*texts: str) -> bytes:
    """A spreadsheet with these texts, each set in two fonts."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        runs = ((text[: len(text) // 2], text[len(text) // 2 :]) for text in texts)
        items = "".join(f"<si><r><t>{escape(a)}</t></r><r><rPr><b/></rPr><t>{escape(b)}</t></r></si>" for a, b in runs)
        archive.writestr("xl/sharedStrings.xml", f"<sst>{items}</sst>")
        archive.writestr("xl/worksheets/sheet1.xml", '<worksheet><c t="s"><v>0</v></c></worksheet>')
    return made.getvalue()


def test_in_spreadsheets(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with ZipFile(bomb, "w", ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", b" " * 200_000_000)
    files = {
        "sent.xlsx": workbook("question", KEY),
        "harmless.xlsx": workbook("question", KEY.replace("SHOP_API_KEY", "SHOP")),
        "none.xlsx": b"PK\x03\x04 and no more",
        "cut.xlsx": workbook(KEY)[:-20],
        "bomb.xlsx": bomb.getvalue(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    text = f"{CONFIGURATION}tests: [{', '.join(f'file://{name}' for name in files)}]\n"
    path = tmp_path / "promptfooconfig.yaml"
    analysis = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=Project(DiskFiles()))
    found = [text[slice(*d.span)] for d in analysis.diagnostics if d.group == "environment-sent"]
    assert found == ["file://sent.xlsx"]


@pytest.mark.parametrize(
    "provider",
    [
        f"'https://a.example/{KEY}'",
        f"{{id: 'https://a.example/{KEY}'}}",
        f"{{id: https, config: {{url: 'https://a.example/?key={KEY}'}}}}",
        f"{{id: https://a.example, config: {{queryParams: {{key: '{KEY}'}}}}}}",
        f"{{id: https://a.example, config: {{body: {{prompt: '{{{{prompt}}}}', more: ['{KEY}']}}}}}}",
        f"{{id: https://a.example, config: {{headers: {{X-Debug: '{KEY}'}}}}}}",
        f"{{id: 'wss://a.example', config: {{messageTemplate: '{KEY}'}}}}",
    ],
)
def test_in_addresses_and_requests(provider: str) -> None:
    cases = "tests: [{vars: {q: hi}}]\n"
    assert sent(f"prompts: ['{{{{ q }}}}']\nproviders: [{provider}]\n{cases}") == ["env.SHOP_API_KEY"]
    own = f"env: {{SHOP_API_KEY: none}}\nprompts: ['{{{{ q }}}}']\nproviders: [{provider}]\n{cases}"
    assert sent(own) == []


@pytest.mark.parametrize(
    "header", ["Authorization", "X-API-Key", "api-key", "Cookie", "PRIVATE-TOKEN", "X-Auth", "X-Goog-Api-Key"]
)
def test_a_header_for_a_key_may_have_one(header: str) -> None:
    provider = f"{{id: https://a.example, config: {{headers: {{{header}: 'Bearer {KEY}'}}}}}}"
    assert sent(f"prompts: ['{{{{ q }}}}']\nproviders: [{provider}]\ntests: [{{vars: {{q: hi}}}}]\n") == []


#: A repository, and files beside it.
PLACE = {"repo/.git/HEAD": "ref: refs/heads/main\n", "order.json": "[]", "notes.txt": ""}
CASE = "tests:\n  - {id: a, vars: {q: hi}, assert: [{type: contains, value: x}]}\n"


def sent_by_agentv(written: str, name: str = "s.eval.yaml", **files: str) -> list[tuple[str, str]]:
    """The codes and words of what goes to a model, in a suite of AgentV or a file beside it."""
    text = f"# rubric: dialect=agentv-5\n{written}\n"
    folder = Folder({f"repo/evals/{path}": content for path, content in {**files, name: text}.items()} | PLACE)
    path = ROOT / "repo/evals" / name
    analysis = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=Project(folder))
    codes = ("environment-sent", "outside-file")
    return [(d.code, text[slice(*d.span)]) for d in analysis.diagnostics if d.code in codes]


@pytest.mark.parametrize("read", [KEY, "${{ SHOP_API_KEY }}"])
@pytest.mark.parametrize(
    ("written", "word", "name", "content"),
    [
        (f"prompts: [file://p.txt]\n{CASE}", "file://p.txt", "p.txt", "{{ q }} READ"),
        (f"prompts: [file://*.md]\n{CASE}", "file://*.md", "p.md", "{{ q }} READ"),
        (f"prompts: [{{label: short, path: p.txt}}]\n{CASE}", "p.txt", "p.txt", "{{ q }} READ"),
        (f"prompts: [{{id: file://p.txt}}]\n{CASE}", "file://p.txt", "p.txt", "{{ q }} READ"),
        (f"prompts: [file://p.yaml]\n{CASE}", "file://p.yaml", "p.yaml", "- {role: user, content: 'READ'}"),
        (f"default_test: {{prompts: [file://p.txt]}}\n{CASE}", "file://p.txt", "p.txt", "{{ q }} READ"),
        (f"scenarios: [{{config: [file://r.jsonl]}}]\n{CASE}", "file://r.jsonl", "r.jsonl", '{"vars": {"q": "READ"}}'),
        ("tests: file://cases.csv", "file://cases.csv", "cases.csv", "id,q\na,READ\n"),
        ("tests:\n  - file://cases.csv", "file://cases.csv", "cases.csv", "id,q\na,READ\n"),
    ],
)
def test_in_files_of_agentv(written: str, word: str, name: str, content: str, read: str) -> None:
    assert sent_by_agentv(written, **{name: content.replace("READ", read)}) == [("environment-sent", word)]
    assert sent_by_agentv(written, **{name: content.replace("READ", read.replace("SHOP_API_KEY", "SHOP"))}) == []


def test_in_rows_of_scenarios() -> None:
    rows = f"scenarios: [{{config: [{{vars: {{q: '{KEY}'}}}}], tests: []}}]\n{CASE}"
    assert sent_by_agentv(rows) == [("environment-sent", "env.SHOP_API_KEY")]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("url: 'https://a.example/?key=READ'", ["READ"]),
        ("url: https://a.example, body: {prompt: '{{ prompt }}', more: ['READ']}", ["READ"]),
        ("url: https://a.example, headers: {X-Debug: 'READ'}", ["READ"]),
        ("url: https://a.example, headers: {Authorization: 'Bearer READ', X-API-Key: 'READ'}", []),
        ("url: 'READ'", []),  # the address itself is kept in the environment
    ],
)
def test_in_what_targets_of_agentv_send(setting: str, words: list[str]) -> None:
    text = f"providers:\n  - {{id: http, label: bot, config: {{{setting.replace('READ', KEY)}}}}}"
    expected = [("environment-sent", word.replace("READ", "env.SHOP_API_KEY")) for word in words]
    assert sent_by_agentv(text, "../.agentv/providers.yaml") == expected


def test_the_keys_of_a_model_are_for_the_model() -> None:
    text = f"providers:\n  - {{id: openai, label: bot, config: {{api_key: '{KEY}', base_url: https://a.example/v1, model: m}}}}"
    assert sent_by_agentv(text, "../.agentv/providers.yaml") == []
    agent = f"providers:\n  - {{id: claude-cli, label: bot, config: {{system_prompt: 'use {KEY}'}}}}"
    assert sent_by_agentv(agent, "../.agentv/providers.yaml") == [("environment-sent", "env.SHOP_API_KEY")]


@pytest.mark.parametrize(
    ("written", "word", "files"),
    [
        ("prompts: [file://../../*.txt]", "file://../../*.txt", {}),
        ("prompts: [{label: short, path: ../../notes.txt}]", "../../notes.txt", {}),
        ("default_test: {vars: {q: [{role: user, content: [{type: file, value: ../../notes.txt}]}]}}", "../../notes.txt", {}),
        (
            "prompts: [file://p.yaml]",
            "file://p.yaml",
            {"p.yaml": "- {role: user, content: [{type: file, value: ../../order.json}]}\n"},
        ),
        (
            "prompts: [file://p.txt]",
            "file://p.txt",
            {"p.txt": '[{"role": "user", "content": [{"type": "file", "value": "../../order.json"}]}]'},
        ),
    ],
)  # fmt: skip
def test_files_outside_that_prompts_of_agentv_name(written: str, word: str, files: dict[str, str]) -> None:
    assert sent_by_agentv(f"{written}\n{CASE}", **files) == [("outside-file", word)]
    inside = {name: content.replace("../../order.json", "in.txt") for name, content in files.items()}
    harmless = written.replace("../../notes.txt", "in.txt").replace("../../*.txt", "in.*")
    assert sent_by_agentv(f"{harmless}\n{CASE}", **inside, **{"in.txt": ""}) == []


def test_a_judges_prompt_is_reported_once() -> None:
    text = "prompts: ['{{ q }}']\ntests:\n  - {id: a, vars: {q: hi}, assert: [{type: llm-rubric, value: x, prompt: file://judge.md}]}\n"
    judge = f"{{{{ output }}}} {KEY}"
    assert sent_by_agentv(text, **{"judge.md": judge}) == [("environment-sent", "file://judge.md")]


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://host.example/?k=${{ SHOP_API_KEY }}", "${{ SHOP_API_KEY }}"),
        ("${{ HOST }}/health/${{ SHOP_API_KEY }}", "${{ SHOP_API_KEY }}"),
        ("${{ SHOP_API_KEY }}", None),
        ("http://${{ HOST }}/health", None),
    ],
)
def test_in_the_address_of_a_health_check(url: str, word: str | None) -> None:
    """It is asked before the first case, whatever the cases are."""
    text = (
        "targets:\n  - name: bot\n    provider: cli\n    command: echo {PROMPT}\n"
        f"    healthcheck: {{type: http, url: '{url}'}}\n"
    )
    for dialect in ("agentv-2", "agentv-3", "agentv-4"):
        whole = f"# rubric: dialect={dialect}\n{text}"
        path = ROOT / "repo/evals/.agentv/targets.yaml"
        project = Project(Folder({"repo/evals/.agentv/targets.yaml": whole} | PLACE))
        analysis = analyze(LANGUAGE.document(whole, path), LANGUAGE, path=path, project=project)
        found = [whole[slice(*d.span)] for d in analysis.diagnostics if d.group == "environment-sent"]
        assert found == ([] if word is None else [word]), dialect
