"""The real yaml-language-server with our schemas: silent about good suites, helpful in bad ones."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import LANGUAGE
from thorough import only_thorough
from yaml_server import UnavailableError, YamlServer, installed

from rubric_core.analysis import analyze
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.schema import KINDS, json_schema, kinds_of

pytestmark = [pytest.mark.node, only_thorough]

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
NAMES = [dialect.name for dialect in DIALECTS]


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The schema of every dialect and kind, under the name `dialect-kind`."""
    folder = tmp_path_factory.mktemp("schemas")
    paths = {f"{dialect.name}-{kind}": folder / f"{dialect.name}-{kind}.json" for dialect in DIALECTS for kind in KINDS}
    for dialect in DIALECTS:
        for kind in KINDS:
            paths[f"{dialect.name}-{kind}"].write_text(json.dumps(json_schema(dialect, kind)))
    for kind in kinds_of(PROMPTFOO):
        paths[f"promptfoo-{kind}"] = folder / f"promptfoo-{kind}.json"
        paths[f"promptfoo-{kind}"].write_text(json.dumps(json_schema(PROMPTFOO, kind)))
    return paths


@pytest.fixture(scope="module")
def server(schemas: dict[str, Path]) -> Iterator[YamlServer]:
    try:
        installed()
    except UnavailableError as reason:
        pytest.skip(str(reason))
    server = YamlServer(schemas)
    yield server
    server.close()


def corpus() -> list[tuple[str, str, Path]]:
    """Every suite, targets file, file of cases and configuration of the corpus once, with its dialect and kind."""
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["copy"] == "first"]
    found = []
    kinds = {kind: name for name, kind in KINDS.items()}
    for row in rows:
        path = CORPUS / row["tag"] / row["path"]
        # One release between two dialects is indexed under a name of its own.
        dialect = row["dialect"] if row["dialect"] in NAMES else "agentv-0.5"
        kind = analyze(LANGUAGE.document(path.read_text(encoding="utf-8")), LANGUAGE, dialect=dialect, path=path).kind
        if (kind in kinds and row["kind"] != "other") or kind is FileKind.CONFIG:
            found.append((dialect, kinds[kind], path))
    return found


@pytest.mark.corpus
def test_no_false_error_in_the_corpus(server: YamlServer, schemas: dict[str, Path]) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"the corpus is not there: {CORPUS}")
    every = [(f"{dialect}-{kind}", path, path.read_text(encoding="utf-8")) for dialect, kind, path in corpus()]
    assert len(every) > 260
    # Without a modeline, `$schema: agentv-eval-v2` would be taken for the address of a schema.
    marked = [(name, f"# yaml-language-server: $schema={schemas[name].as_uri()}\n{text}") for name, _, text in every]
    notices = {name: set(_notices(json.loads(path.read_text()))) for name, path in schemas.items()}
    false: list[str] = []
    for (name, path, text), found in zip(every, server.diagnostics(marked), strict=True):
        complaints = [
            (d["range"]["start"]["line"] - 1, d["message"]) for d in found if d["message"] not in notices[name]
        ]
        if complaints:
            wrong = _lines_with_errors(text, name.rpartition("-")[0], path)
            false += [
                f"{path.relative_to(CORPUS)}:{line + 1}: {words}" for line, words in complaints if line not in wrong
            ]
    assert not false, "\n".join(false)


def _lines_with_errors(text: str, dialect: str, path: Path) -> set[int]:
    analysis = analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect, path=path)
    document = analysis.document
    errors = [
        (document.position(d.span.start), document.position(d.span.end))
        for d in analysis.diagnostics
        if d.severity == "error"
    ]
    return {line for start, end in errors for line in range(start.line - 1, end.line + 1)}


def _notices(schema: Any) -> Iterator[str]:
    """The deprecation messages of a schema, which are no complaints about values."""
    if isinstance(schema, dict):
        if isinstance(schema.get("deprecationMessage"), str):
            yield schema["deprecationMessage"]
        for inner in schema.values():
            yield from _notices(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _notices(inner)


BROKEN = """\
tests:
  - id: a
    input: x
    criteria: y
    assertions:
      - type: contains
        value: 4
      - type: rubrics
      - Is polite
    colour: green
    execution: {workers: many}
"""


def test_one_complaint_for_one_mistake(server: YamlServer) -> None:
    found = server.diagnostics([("agentv-3-suite", BROKEN)])[0]
    assert sorted((d["range"]["start"]["line"], d["message"]) for d in found) == [
        (6, "This should be a non-empty string."),
        (7, 'Missing property "criteria".'),
        (9, "agentv-3 does not read this key."),
        (10, "This should be a whole number from 1 to 50."),
    ]


def test_completes_types_and_their_keys(server: YamlServer) -> None:
    text = "tests:\n  - id: a\n    input: x\n    assertions:\n      - type: \n"
    types = server.completions("agentv-3-suite", text, 4, 14)
    assert {"contains", "code-grader", "rubrics"} <= set(types)
    assert not {"code_judge", "llm_judge"} & set(types)
    keys = server.completions("agentv-3-suite", text.replace("type: ", "type: rubrics") + "        \n", 5, 8)
    assert {"criteria", "weight", "required"} <= set(keys)
    assert "rubrics" not in keys


def test_completes_and_explains_keys(server: YamlServer) -> None:
    keys = server.completions("agentv-5-suite", "prompts: [x]\n\n", 1, 0)
    assert {"tests", "providers", "default_test"} <= set(keys)
    assert not {"input", "evalcases", "target"} & set(keys)
    shown = server.hover(
        "agentv-3-suite",
        "tests:\n  - id: a\n    input: x\n    assertions:\n      - type: regex\n        value: x\n",
        5,
        9,
    )
    assert "The pattern, in JavaScript syntax." in shown


PROMPTFOO_CONFIG = """\
x-home: &check {type: contains, value: hi}
prompts: ["Say {{word}}"]
providers: [echo, {id: "openai:gpt-5", config: {anything: 1}}, {"openai:gpt-5-mini": {label: small}}]
defaultTest:
tests:
  - vars: {word: hi}
    assert: [*check, {$ref: "#/x-home"}, {type: latency}, {type: contains, value: [a]}]
    transfrom: output
"""


def test_a_configuration_of_promptfoo_is_checked_and_completed(server: YamlServer) -> None:
    found = server.diagnostics([("promptfoo-suite", PROMPTFOO_CONFIG)])[0]
    assert sorted((d["range"]["start"]["line"], d["message"]) for d in found) == [
        (6, 'Missing property "threshold".'),
        (6, "This should be a non-empty string."),
        (7, "promptfoo does not read this key."),
    ]
    text = "providers: [echo]\ntests:\n  - assert:\n      - type: \n"
    assert {"contains", "not-contains", "llm-rubric", "select-best"} <= set(
        server.completions("promptfoo-suite", text, 3, 14)
    )
