"""JSON Schemas of strangers: they end, follow no reference out of themselves, and leave the case unscored where they cannot be applied."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.families.promptfoo.evaluators import json_checks

LONG = "the schema took longer than"
NESTED = "the schema is nested too deeply, or recurses without end"
NOWHERE = "has a schema whose `$ref` leads nowhere in it: "
#: Each of the definitions refers to the next one twice.
DOUBLING = {f"a{n}": {"allOf": [{"$ref": f"#/definitions/a{n + 1}"}] * 2} for n in range(40)} | {"a40": {}}


async def graded(folder: Path, schema: Any, output: str, kind: str = "is-json") -> CaseResult:
    """The result of an output and a schema that stands in a text, in which promptfoo resolves nothing itself."""
    test = {"providerOutput": output, "assert": [{"type": kind, "value": json.dumps(schema)}]}
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps({"prompts": ["x"], "providers": ["echo"], "tests": [test]}), encoding="utf-8")
    (found,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return found


@pytest.mark.parametrize("kind", ["is-json", "contains-json"])
@pytest.mark.parametrize(
    ("schema", "output", "words"),
    [
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, json.dumps({"a": "a" * 60 + "!"}), LONG),
        ({"patternProperties": {"^(a+)+$": {"type": "string"}}}, json.dumps({"a" * 60 + "!": 1}), LONG),
        ({"definitions": DOUBLING, "$ref": "#/definitions/a0"}, "{}", LONG),
        ({"$ref": "#"}, "{}", NESTED),
    ],
    ids=["pattern", "pattern of a name", "references that double", "reference to itself"],
)
async def test_a_schema_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, schema: Any, output: str, words: str
) -> None:
    monkeypatch.setattr(json_checks, "_TIME_LIMIT", 1.0)
    found = await graded(tmp_path, schema, output, kind)
    assert found.verdict is Verdict.UNSCORED
    assert words in found.reason


async def test_no_reference_is_followed_out_of_a_schema(tmp_path: Path) -> None:
    asked: list[str] = []

    class Schemas(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

    with HTTPServer(("127.0.0.1", 0), Schemas) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        (tmp_path / "other.json").write_text('{"enum": ["of another file"]}', encoding="utf-8")
        here = f"http://127.0.0.1:{server.server_port}"
        for address in (f"{here}/schema.json", (tmp_path / "other.json").as_uri(), "ftp://127.0.0.1/x"):
            folder, _, name = address.rpartition("/")
            for schema in ({"$ref": address}, {"$id": f"{folder}/own.json", "items": {"$ref": name}}):
                found = await graded(tmp_path, schema, "[1]")
                assert found.verdict is Verdict.UNSCORED
                assert NOWHERE in found.reason
                assert "of another file" not in found.reason
        server.shutdown()
    assert asked == []


async def test_the_schema_of_schemas_is_known(tmp_path: Path) -> None:
    schema = {"$ref": "http://json-schema.org/draft-07/schema#"}
    assert (await graded(tmp_path, schema, '{"type": "string"}')).verdict is Verdict.PASSED
    assert (await graded(tmp_path, schema, '{"type": "strin"}')).verdict is Verdict.FAILED


@pytest.mark.parametrize("schema", [{}, {"type": "number"}])
async def test_a_number_of_any_length_is_json(tmp_path: Path, schema: Any) -> None:
    assert (await graded(tmp_path, schema, "1" + "0" * 5_000)).verdict is Verdict.PASSED


async def test_an_output_that_is_nested_too_deeply_is_unscored(tmp_path: Path) -> None:
    found = await graded(tmp_path, {}, "[" * 100_000 + "]" * 100_000)
    assert found.verdict is Verdict.UNSCORED
    assert "is nested too deeply to parse as JSON" in found.reason
