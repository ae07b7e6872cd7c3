"""The schemas in check-jsonschema, which is how pre-commit hooks and jobs check YAML by a schema."""

import csv
import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from thorough import only_thorough

from rubric_core.language.dialects import DIALECTS
from rubric_core.language.schema import KINDS, json_schema

pytestmark = pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed")

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
DIALECT_NAMES = [dialect.name for dialect in DIALECTS]
#: Files of each group of the corpus that are looked at.
SOME = 5
CASE = "  - {id: a, input: x, criteria: y}\n"
#: For each kind a text that is right, and one that is not, in agentv-3.
TEXTS = {
    "suite": (f"tests:\n{CASE}", "tests: 4\n"),
    "targets": ("targets: [{name: a, provider: azure-openai}]\n", "targets: a\n"),
    "config": ("eval_patterns: ['**/*.eval.yaml']\n", "eval_patterns: {a: b}\n"),
    "cases": (CASE.replace("  -", "-"), "- {id: [], input: x, criteria: y}\n"),
    "template": ("assertions: [{type: contains, value: a}]\n", "assertions: a\n"),
}


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemas")
    for dialect in DIALECTS:
        for kind in KINDS:
            (folder / f"{dialect.name}-{kind}.json").write_text(json.dumps(json_schema(dialect, kind)))
    return folder


def run(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "check_jsonschema", "-o", "JSON", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_schema_is_one(schemas: Path) -> None:
    found = run("--check-metaschema", *sorted(schemas.iterdir()))
    assert (found["status"], found.get("errors", [])) == ("ok", [])


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_invalid_file_has_errors(kind: str, schemas: Path, tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.yaml", tmp_path / "wrong.yaml"
    right.write_text(TEXTS[kind][0])
    wrong.write_text(TEXTS[kind][1])
    found = run("--schemafile", schemas / f"agentv-3-{kind}.json", right, wrong)
    assert {each["filename"] for each in found["errors"]} == {str(wrong)}


@pytest.mark.corpus
@pytest.mark.skipif(not (CORPUS / "INDEX.tsv").exists(), reason="the corpus of real suites is not beside the checkout")
@pytest.mark.parametrize("kind", ["suite", "targets"])
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@only_thorough
def test_it_takes_real_files(dialect: str, kind: str, schemas: Path) -> None:
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = list(csv.DictReader(index, delimiter="\t"))
    mine = (r for r in rows if (r["dialect"], r["kind"], r["copy"]) == (dialect, kind, "first"))
    # The oldest suite is one that agentv refuses, too.
    files = [CORPUS / r["tag"] / r["path"] for r in mine if (dialect, kind) != ("agentv-0.1", "suite")]
    found = run("--schemafile", schemas / f"{dialect}-{kind}.json", *islice(files, SOME)) if files else {}
    assert found.get("errors", []) == []
