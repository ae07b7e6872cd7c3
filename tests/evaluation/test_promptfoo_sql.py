"""Assertions about SQL around the npm package that reads it. With the package itself: `tests/parity/promptfoo`."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult

pytestmark = pytest.mark.node

#: Takes everything but what has `SELEC ` in it, and allows what is listed.
PACKAGE = """\
exports.Parser = class {
  astify(sql, {database}) { if (/SELEC /.test(sql) || database === 'None') throw new Error('unexpected'); }
  parse(sql, {type}) { return {tableList: [`${type} of`, sql], columnList: [`${type} of`, sql]}; }
  whiteListCheck(sql, allowed) { if (!allowed.includes(sql)) throw new Error('not allowed'); }
};
"""


def install(folder: Path) -> None:
    package = folder / "node_modules" / "node-sql-parser"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "node-sql-parser", "main": "index.js"}', encoding="utf-8")
    (package / "index.js").write_text(PACKAGE, encoding="utf-8")


async def run(folder: Path, output: str, *checks: dict[str, Any]) -> CaseResult:
    path = folder / "promptfooconfig.yaml"
    test = {"vars": {"name": "Ann"}, "providerOutput": output, "assert": [*checks]}
    path.write_text(json.dumps({"prompts": ["{{name}}"], "providers": ["echo"], "tests": [test]}), encoding="utf-8")
    (result,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return result


def said(result: CaseResult) -> list[str]:
    return [miss for each in result.evaluators for miss in each.misses]


@pytest.mark.parametrize(
    ("output", "check", "expected"),
    [
        ("SELECT 1", {"type": "is-sql"}, []),
        ("SELECT 1", {"type": "not-is-sql"}, ["the output is SQL"]),
        ("SELEC 1", {"type": "is-sql"}, ["the output is no SQL of MySQL"]),
        ("SELEC 1", {"type": "not-is-sql"}, []),
        ("SELECT 1", {"type": "is-sql", "value": {"databaseType": "None"}}, ["the output is no SQL of None"]),
        ("SELECT a b FROM c", {"type": "is-sql"}, ["the output is no SQL of MySQL"]),
        ("SELECT high_priority b FROM c", {"type": "is-sql"}, []),
        ("SELECT high_priority b FROM c", {"type": "is-sql", "value": {"databaseType": "Sqlite"}}, ["the output is no SQL of Sqlite"]),
        ("SELECT [a] b FROM c", {"type": "is-sql", "value": {"databaseType": "Sqlite"}}, []),
        ("SELECT `a FROM c", {"type": "is-sql"}, ["the output is no SQL of MySQL"]),
        ("SELECT x", {"type": "is-sql", "value": {"allowedTables": ["SELECT x"]}}, []),
        ("SELECT x", {"type": "is-sql", "value": {"allowedTables": []}}, ["the SQL names other tables than the allowed ones: table of, SELECT x"]),
        ("SELECT x", {"type": "is-sql", "value": {"allowedColumns": []}}, ["the SQL names other columns than the allowed ones: column of, SELECT x"]),
        ("s::null::x", {"type": "is-sql", "value": {"allowedColumns": ["s::t::x"]}}, []),
        ("so:\n```sql\nSELECT x\n```", {"type": "contains-sql", "value": {"allowedTables": ["SELECT x"]}}, []),
        ("so:\n```python\nSELECT x\n```", {"type": "contains-sql", "value": {"allowedTables": ["SELECT x"]}}, ["the SQL names other tables than the allowed ones: table of, so:\n```python\nSELECT x\n```"]),
        (" ~~~~\nSELECT x\n~~~\n~~~~ \n```\nSELEC y\n```", {"type": "not-contains-sql"}, ["there is SQL in the output"]),
        ("```\nSELEC y\n```", {"type": "contains-sql"}, ["the output is no SQL of MySQL"]),
        (" \n", {"type": "contains-sql"}, ["there is no SQL in the output"]),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_said(output: str, check: dict[str, Any], expected: list[str], tmp_path: Path) -> None:
    install(tmp_path)
    result = await run(tmp_path, output, check)
    assert (said(result), result.verdict.value) == (expected, "failed" if expected else "passed")


async def test_without_the_package_nothing_is_scored(tmp_path: Path) -> None:
    result = await run(tmp_path, "SELECT 1", {"type": "is-sql"})
    assert result.verdict.value == "unscored"
    assert "the npm package node-sql-parser, which is not installed: npm install node-sql-parser" in result.reason


async def test_a_value_that_is_no_mapping_is_an_error(tmp_path: Path) -> None:
    result = await run(tmp_path, "SELECT 1", {"type": "is-sql", "value": "MySQL"})
    assert (result.verdict.value, "needs a mapping as `value`" in result.reason) == ("unscored", True)


async def test_the_package_is_found_beside_promptfoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the program of promptfoo leads, as after `npm install --global promptfoo`."""
    place, folder = tmp_path / "global", tmp_path / "suite"
    install(place)
    program = place / "node_modules" / "promptfoo" / "dist" / "entrypoint.js"
    program.parent.mkdir(parents=True)
    program.write_text("#!/usr/bin/env node\n", encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "promptfoo").symlink_to(program)
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert (await run(folder, "SELECT 1", {"type": "is-sql"})).verdict.value == "passed"
