"""Code in TypeScript, which node reads by the npm package tsx. With the package itself: `tests/parity/promptfoo`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult

pytestmark = pytest.mark.node

FILES = {
    "prompt.ts": "export default ({ vars }): string => `Hi ${vars.name}`;",
    "agent.ts": "export default class { id(): string { return 'a'; } callApi(prompt: string) { return { output: prompt + '!' }; } }",
    "check.ts": "export default (output: string) => 0.5;",
    "checks.ts": "export const long = (output: string) => output.length > 3;",
    "word.mts": "export default (output: string) => 'Hi Ann!?';",
    "change.cts": "module.exports = (output: string) => output + '?';",
}
#: Takes `: string` away, and nothing else.
TSX = """\
const {register} = require('node:module');
register('data:text/javascript,' + encodeURIComponent(`
import {readFileSync} from 'node:fs';
export async function load(url, context, next) {
  if (!/[.][cm]?ts$/.test(url)) return next(url, context);
  const source = readFileSync(new URL(url), 'utf8').replaceAll(': string', '').replace('module.exports =', 'export default');
  return {format: 'module', shortCircuit: true, source};
}`));
"""


async def run(folder: Path, *, tsx: bool) -> CaseResult:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    if tsx:
        package = folder / "node_modules" / "tsx"
        package.mkdir(parents=True)
        (package / "package.json").write_text('{"name": "tsx", "main": "index.js"}', encoding="utf-8")
        (package / "index.js").write_text(TSX, encoding="utf-8")
    checks: list[dict[str, Any]] = [
        {"type": "javascript", "value": "file://check.ts"}, {"type": "javascript", "value": "file://checks.ts:long"},
        {"type": "equals", "value": "file://word.mts"},
    ]  # fmt: skip
    test = {"vars": {"name": "Ann"}, "options": {"transform": "file://change.cts"}, "assert": checks}
    suite = {"prompts": ["file://prompt.ts"], "providers": ["file://agent.ts"], "tests": [test]}
    (folder / "promptfooconfig.yaml").write_text(json.dumps(suite), encoding="utf-8")
    loaded = load_suite(folder / "promptfooconfig.yaml")
    (result,) = await run_cases([each for case in loaded.cases for each in variations(case)])
    return result


async def test_everything_that_is_code_may_be_typescript(tmp_path: Path) -> None:
    result = await run(tmp_path, tsx=True)
    assert (result.answer, result.reason) == ("Hi Ann!?", "")
    assert [(each.verdict.value, each.score) for each in result.evaluators] == [
        ("passed", 0.5), ("passed", 1), ("passed", 1),
    ]  # fmt: skip


async def test_without_the_package_nothing_is_scored(tmp_path: Path) -> None:
    """A later node reads TypeScript itself."""
    result = await run(tmp_path, tsx=False)
    if result.verdict.value != "passed":
        assert result.verdict.value == "unscored"
        assert "TypeScript needs the npm package tsx, or node 23: npm install tsx" in result.reason
