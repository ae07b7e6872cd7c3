"""The real yaml-language-server with our schemas: silent about good suites, helpful in bad ones."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import analysis_of
from yaml_server import YamlServer, installed

from rubric_core.language.dialects import DIALECTS
from rubric_core.language.schema import json_schema

pytestmark = pytest.mark.node

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
NAMES = [dialect.name for dialect in DIALECTS]


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("schemas")
    paths = {dialect.name: folder / f"{dialect.name}.json" for dialect in DIALECTS}
    for dialect in DIALECTS:
        paths[dialect.name].write_text(json.dumps(json_schema(dialect)))
    return paths


@pytest.fixture(scope="module")
def server(schemas: dict[str, Path]) -> Iterator[YamlServer]:
    installed()
    server = YamlServer(schemas)
    yield server
    server.close()


def suites() -> list[tuple[str, Path]]:
    """Every suite of the corpus once, with its dialect."""
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["kind"] == "suite"]
    firsts = [row for row in rows if row["copy"] == "first"]
    # One release between two dialects is indexed under a name of its own.
    return [
        (row["dialect"] if row["dialect"] in NAMES else "agentv-0.5", CORPUS / row["tag"] / row["path"])
        for row in firsts
    ]


@pytest.mark.corpus
def test_no_false_error_in_the_corpus(server: YamlServer, schemas: dict[str, Path]) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"the corpus is not there: {CORPUS}")
    every = [(dialect, path, path.read_text(encoding="utf-8")) for dialect, path in suites()]
    assert len(every) > 200
    # Without a modeline, `$schema: agentv-eval-v2` would be taken for the address of a schema.
    marked = [(d, f"# yaml-language-server: $schema={schemas[d].as_uri()}\n{text}") for d, _, text in every]
    false: list[str] = []
    for (dialect, path, text), found in zip(every, server.diagnostics(marked), strict=True):
        wrong = _lines_with_errors(text, dialect)
        complaints = [(d["range"]["start"]["line"] - 1, d["message"]) for d in found]
        false += [
            f"{path.relative_to(CORPUS)}:{line + 1}: {words}"
            for line, words in complaints
            if not _is_notice(words, dialect) and line not in wrong
        ]
    assert false == []


def _lines_with_errors(text: str, dialect: str) -> set[int]:
    analysis = analysis_of(text, dialect)
    return {
        line
        for d in analysis.diagnostics
        if d.severity == "error"
        for line in range(
            analysis.document.position(d.span.start).line - 1, analysis.document.position(d.span.end).line + 1
        )
    }


def _is_notice(words: str, dialect: str) -> bool:
    """Whether it is a deprecation message of the schema, which is no complaint about the value."""

    def notices(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            if isinstance(schema.get("deprecationMessage"), str):
                yield schema["deprecationMessage"]
            for inner in schema.values():
                yield from notices(inner)
        elif isinstance(schema, list):
            for inner in schema:
                yield from notices(inner)

    return words in set(notices(json_schema(next(d for d in DIALECTS if d.name == dialect))))


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
    found = server.diagnostics([("agentv-3", BROKEN)])[0]
    assert sorted((d["range"]["start"]["line"], d["message"]) for d in found) == [
        (6, "This should be a non-empty string."),
        (7, 'Missing property "criteria".'),
        (9, "agentv-3 does not read this key."),
        (10, "This should be a whole number from 1 to 50."),
    ]


def test_completes_types_and_their_keys(server: YamlServer) -> None:
    text = "tests:\n  - id: a\n    input: x\n    assertions:\n      - type: \n"
    types = server.completions("agentv-3", text, 4, 14)
    assert {"contains", "code-grader", "rubrics"} <= set(types)
    assert not {"code_judge", "llm_judge"} & set(types)
    keys = server.completions("agentv-3", text.replace("type: ", "type: rubrics") + "        \n", 5, 8)
    assert {"criteria", "weight", "required"} <= set(keys)
    assert "rubrics" not in keys


def test_completes_and_explains_keys(server: YamlServer) -> None:
    keys = server.completions("agentv-5", "prompts: [x]\n\n", 1, 0)
    assert {"tests", "providers", "default_test"} <= set(keys)
    assert not {"input", "evalcases", "target"} & set(keys)
    shown = server.hover(
        "agentv-3", "tests:\n  - id: a\n    input: x\n    assertions:\n      - type: regex\n        value: x\n", 5, 9
    )
    assert "The pattern, in JavaScript syntax." in shown
