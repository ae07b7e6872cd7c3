"""Completion and hover in configurations of promptfoo: everything comes from its own catalogue."""

from collections.abc import Callable
from pathlib import Path

import pytest
from client import VSCODE, Connect
from harness import LANGUAGE, cursor

from rubric_core.analysis import Analysis, analyze
from rubric_core.disk import DiskFiles
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.language.shape import EXTENSION
from rubric_core.loading.project import Project
from rubric_core.text import Span
from rubric_lsp.families.promptfoo.hints import promptfoo_hints
from rubric_lsp.features.completion import Completion, complete
from rubric_lsp.features.hover import hover

HEAD = 'prompts: ["Say {{word}}"]\nproviders: [echo]\n'
CASE = f"{HEAD}tests:\n  - vars: {{word: hi}}\n"


def at(marked: str) -> tuple[Analysis, int]:
    text, offset = cursor(marked)
    path = Path("/w/promptfooconfig.yaml")
    return analyze(LANGUAGE.document(text, path), LANGUAGE, path=path), offset


def offered(marked: str) -> dict[str, Completion]:
    return {each.label: each for each in sorted(complete(*at(marked)), key=lambda each: each.sort)}


@pytest.mark.parametrize(
    ("marked", "expected", "foreign"),
    [
        (f"{HEAD}<|>", "defaultTest", "default_test"),
        (f"{CASE}    <|>\n", "providerOutput", "criteria"),
        (f"{CASE}    options:\n      <|>\n", "storeOutputAs", "temperature"),
        (f"{CASE}    assert:\n      - type: latency\n        <|>\n", "threshold", "min_score"),
        (f"{HEAD}evaluateOptions:\n  <|>\n", "maxConcurrency", "max_concurrency"),
        ("providers:\n  - id: openai:gpt-5-mini\n    <|>\n", "transform", "runtime"),
        ("providers:\n  - id: openai:gpt-5-mini\n    config:\n      <|>\n", "temperature", "settings"),
        (f"{HEAD}defaultTest:\n  <|>\n", "assert", "expected_output"),
        (f"{HEAD}scenarios:\n  - <|>\n", "config", "id"),
        (f"{CASE}    options:\n      provider:\n        <|>\n", "embedding", "temperature"),
        (
            f"{CASE}    options:\n      provider:\n        id: echo\n        config:\n          <|>\n",
            "temperature",
            "id",
        ),
        (f"{CASE}    provider:\n      <|>\n", "label", "embedding"),
        (f"{CASE}    assert:\n      - type: llm-rubric\n        provider: {{<|>}}\n", "moderation", "value"),
        (f"{CASE}    options:\n      rubricPrompt:\n        - <|>\n", "role", "value"),
    ],
)
def test_keys_of_promptfoo_are_offered_and_no_others(marked: str, expected: str, foreign: str) -> None:
    found = offered(marked)
    assert expected in found
    assert foreign not in found


LABELLED = """\
x-checks: {brief: {type: javascript, value: output.length < 9}}
prompts: ["Say {{word}}", {raw: "x {{name}}", label: short}]
providers: [{id: "openai:chat:gpt-5", label: big}, echo]
"""
LABELLED_CASE = f"{LABELLED}tests:\n  - vars: {{word: hi, name: Bo}}\n"


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        (f"{LABELLED_CASE}    providers: [<|>]\n", ["echo", "big", "openai:chat:gpt-5"]),
        (f"{LABELLED_CASE}    prompts:\n      - <|>\n", ["Say {{word}}", "short"]),
        (
            f"{LABELLED_CASE}    options: {{provider: <|>}}\n",
            ["echo", "big", "openai:chat:gpt-5", "openai:chat:gpt-5-mini"],
        ),
        (f'{LABELLED_CASE}    assert:\n      - {{type: contains, value: "{{{{ n<|>"}}\n', ["word", "name"]),
        (f"{LABELLED}tests:\n  - vars:\n      <|>\n", ["word", "name"]),
        (f"{LABELLED_CASE}    assert:\n      - $ref: <|>\n", ["#/x-checks/brief"]),
        ("providers:\n  - id: <|>\n", ["openai:chat:gpt-5-mini", "anthropic:messages:claude-sonnet-4-5"]),
        ("providers:\n  - id: https\n    config:\n      <|>\n", ["url", "method", "headers", "body"]),
        ("providers:\n  - id: anthropic:messages:x\n    config:\n      <|>\n", ["max_tokens", "temperature", "tools"]),
        (
            f"{CASE}    assert: [{{type: cost, threshold: 1, metric: tone}}]\nderivedMetrics:\n  - {{name: a, value: <|>}}\n",
            ["tone", "a"],
        ),
    ],
)
def test_values_are_offered_by_what_there_is(marked: str, first: list[str]) -> None:
    found = [label for label, each in offered(marked).items() if each.kind != "type" and label not in ("type", "value")]
    assert found[: len(first)] == first or sorted(found[: len(first)]) == sorted(first)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (f"{CASE}    assert:\n      - type: python\n        value: file://<|>\n", ["file://check.py"]),
        (f"{CASE}    assert:\n      - type: javascript\n        value: <|>\n", ["file://check.js"]),
        ("prompts:\n  - file://<|>\n", ["file://prompt.txt", "file://check.py", "file://check.js", "file://cases.csv", "file://more.yaml"]),
        ("tests: <|>\n", ["check.py", "check.js", "cases.csv", "more.yaml"]),
        ("defaultTest: <|>\n", ["file://more.yaml"]),
        (f"{HEAD}nunjucksFilters:\n  up: <|>\n", ["check.py", "check.js"]),
        (f"{HEAD}tests:\n  - vars: <|>\n", ["more.yaml"]),
        (f"{HEAD}tests:\n  - vars: {{a: file://<|>}}\n", [
            "file://prompt.txt", "file://check.py", "file://check.js", "file://cases.csv", "file://more.yaml",
        ]),
    ],
)  # fmt: skip
def test_files_are_offered_where_they_can_stand(marked: str, expected: list[str]) -> None:
    files = ["prompt.txt", "check.py", "check.js", "cases.csv", "more.yaml"]

    def source(kind: str, _: str = "", fits: Callable[[str], bool] = lambda _: True, /) -> list[str]:
        return [name for name in files if fits(name)] if kind == "file" else []

    found = sorted(complete(*at(marked), source), key=lambda each: each.sort)
    assert [each.label for each in found if each.kind == "file"] == expected


def test_every_type_is_offered_with_what_it_needs() -> None:
    found = offered(f"{CASE}    assert:\n      - type: <|>\n")
    assert set(found) == set(PROMPTFOO.types)
    assert list(found)[:3] == ["llm-rubric", "javascript", "contains"], "most used first"
    assert "threshold: ${1:2000}" in found["latency"].snippet
    assert "value: " in found["contains"].snippet


def test_a_mapping_of_a_list_takes_no_further_values() -> None:
    """`id` may be written below other keys; an id without a key would break the mapping."""
    found = offered("providers:\n  - <|>\n    label: small\n")
    assert "id" in found
    assert not {"echo", "openai:chat:gpt-5-mini", "label"} & set(found)
    assert "echo" in offered("providers: [<|>, openai:gpt-5-mini]\n")


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("providers:\n  - openai:<|>\n", ["openai:gpt-4.1-mini", "openai:chat:gpt-4o"]),
        ("providers:\n  - openai:chat:<|>\n", ["openai:chat:gpt-4o"]),
        ("providers:\n  - id: openai:<|>\n", ["openai:gpt-4.1-mini", "openai:chat:gpt-4o"]),
        ("targets:\n  - openai:chat:gpt<|>\n", ["openai:chat:gpt-4o"]),
        ("providers:\n  - <|>\n", ["openai:chat:gpt-4o"]),
        (f"{CASE}    options: {{provider: {{id: <|>}}}}\n", ["anthropic:messages:claude-sonnet-4-5", "google:gemini-2.5-pro"]),
        (f"{CASE}    options:\n      provider:\n        embedding: <|>\n", ["openai:embedding:text-embedding-3-large"]),
        (f"derivedMetrics:\n  - {{name: f, value: 2 * recall}}\n{CASE}    assert:\n      - {{type: is-json, metric: <|>}}\n", ["recall", "f"]),
        ("sharing: <|>\n", ["true", "false"]),
        ("commandLineOptions:\n  verbose: <|>\n", ["true", "false"]),
    ],
)  # fmt: skip
def test_values_that_are_known_are_offered(marked: str, expected: list[str]) -> None:
    found = offered(marked)
    assert [each for each in expected if each not in found] == []


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (f"{HEAD}te<|>sts:\n  - vars: {{word: hi}}\n", "**tests** — "),
        (f"{CASE}    options:\n      provider:\n        emb<|>edding: echo\n", "**embedding** — "),
        (f"{CASE}    options:\n      provider:\n        id: echo\n        config: {{temp<|>erature: 0}}\n", "**temperature** — "),
        (f"{CASE}    options:\n      rubricPrompt:\n        - {{ro<|>le: user, content: x}}\n", "**role** — "),
        ("out<|>putPath:\n", "**outputPath** — "),
    ],
)  # fmt: skip
def test_keys_are_explained_where_rules_read_plain_data(marked: str, expected: str) -> None:
    found = hover(*at(marked))
    assert found is not None
    assert found.markdown.startswith(expected)


def test_an_empty_configuration_and_a_case_are_written_at_once() -> None:
    assert "providers:" in offered("<|>")["configuration"].snippet
    assert "assert:" in offered(f"{HEAD}tests:\n  - <|>\n")["case"].snippet


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("type: leven<|>shtein", ("edit distance", "Default threshold: 5", "Needs `value`")),
        ("type: factu<|>ality", ("disagreement fails", "`threshold` is not read")),
        ("type: not-icon<|>tains", ("not-icontains", "in any case of letters")),
        ("type: java<|>script", ("`{pass, score, reason}`", "Default threshold: above 0")),
    ],
)
def test_a_type_says_how_it_scores(written: str, expected: tuple[str, ...]) -> None:
    found = hover(*at(f"{CASE}    assert:\n      - {written}\n        value: hi\n"))
    assert found is not None
    assert all(words in found.markdown for words in expected)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (f"{CASE}    thres<|>hold: 0.5\n", "whatever single assertions say"),
        (f"{HEAD}default<|>Test: {{metadata: {{a: 1}}}}\n", "every case has in common"),
        (f"{CASE}    options: {{store<|>OutputAs: x}}\n", "variable for later cases"),
    ],
)
def test_a_key_says_what_it_is(marked: str, expected: str) -> None:
    found = hover(*at(marked))
    assert found is not None
    assert expected in found.markdown
    assert "agentv" not in found.markdown.lower()
    assert EXTENSION not in found.markdown


def test_every_type_says_what_it_does() -> None:
    for name, known in PROMPTFOO.types.items():
        assert issubclass(known.shape, Assertion)
        assert ": " in (known.shape.__doc__ or ""), name


def test_the_server_checks_and_completes_it(connect: Connect) -> None:
    """End to end: findings, completion and hover over the wire."""
    client = connect()
    client.initialize(VSCODE)
    uri = "file:///suites/promptfooconfig.yaml"
    client.open(uri, f"{CASE}    assert:\n      - type: contain\n        value: hi\n        ")
    found = client.diagnostics(uri)
    lines = [(each["code"], each["severity"], each["range"]["start"]["line"]) for each in found]
    assert lines == [("promptfoo/assertion-type", 1, 5)]
    items = client.at("completion", uri, 7, 8)["items"]
    assert {"weight", "metric", "transform"} <= {each["label"] for each in items}
    assert "checks of the output" in client.at("hover", uri, 4, 6)["contents"]["value"]


def test_rows_and_prompts_are_counted_beside_the_text(tmp_path: Path) -> None:
    text = (
        "prompts: [file://two.txt, file://one.txt]\nproviders: [echo]\ntests:\n"
        "  - vars:\n      word: [a, b]\n      name: [x, y, z]\n      numbers: [1, 2]\n      plain: x\n"
        "  - vars: {word: [a, b]}\n    options: {disableVarExpansion: true}\n"
    )
    path = tmp_path / "promptfooconfig.yaml"
    (tmp_path / "two.txt").write_text("Say {{word}}\n---\nHi {{name}} {{numbers}} {{plain}}\n", encoding="utf-8")
    (tmp_path / "one.txt").write_text("Hi {{word}}\n", encoding="utf-8")
    analysis = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=Project(DiskFiles()))
    found = [
        (hint.label, text[: hint.offset].rpartition("\n")[2].split()[-1])
        for hint in promptfoo_hints(analysis, Span(0, len(text)))
    ]
    assert sorted(found) == [
        ("2 prompts", "[file://two.txt"), ("6 rows", "vars"), ("one value", "numbers"), ("×2", "word"), ("×3", "name"),
    ]  # fmt: skip
