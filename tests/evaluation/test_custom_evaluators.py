"""Custom evaluators: programs, classes beside the suite, installed classes; and findings about them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from suites import LANGUAGE, Folder

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.loading.project import Project

SUITE = """
tests:
  - id: a
    criteria: c
    input: hi
    assertions:
      - {type: word-count, most: 3, weight: 2}
"""
PROGRAM = """
import json, sys
told = json.load(sys.stdin)
count = len(told["output"].split())
holds = count <= told["config"]["most"]
print(json.dumps({"score": 1 if holds else 0, "assertions": [{"text": f"{count} words", "passed": holds}]}))
"""
CLASS = """
from rubric_core import EvaluationScore

class WordCount:
    kind = "word-count"

    {prefix}def evaluate(self, context):
        count = len(context.candidate.split())
        return EvaluationScore.check(count <= context.settings["most"], f"{{count}} words", f"{{count}} words")
"""


def findings(folder: Folder, text: str = SUITE) -> list[str]:
    path = folder.suite(text)
    project = Project(DiskFiles(), folder.path)
    analysis = analyze(LANGUAGE.document(text), LANGUAGE, path=path, project=project)
    return [d.code for d in analysis.diagnostics if "type" in d.code]


@pytest.mark.parametrize(("answer", "score"), [("one two three", 1), ("one two three four", 0)])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("assertions/word-count.py", PROGRAM),
        ("assertions/word-count", f"#!{sys.executable}\n{PROGRAM.strip()}\n"),
        ("evaluators/word-count.py", CLASS.format(prefix="")),
        ("evaluators/word-count.py", CLASS.format(prefix="async ")),
    ],
)
async def test_a_type_of_ones_own(folder: Folder, name: str, text: str, answer: str, score: float) -> None:
    folder.mock(answer)
    assert findings(folder) == ["unknown-type"]
    folder.write(f".agentv/{name}", text).chmod(0o755)
    assert findings(folder) == []
    result = await folder.one(SUITE)
    assert (result.score, result.evaluators[0].weight) == (score, 2)
    assert (*result.evaluators[0].hits, *result.evaluators[0].misses) == (f"{len(answer.split())} words",)


async def test_node_runs_the_programs_that_agentv_runs(folder: Folder) -> None:
    folder.mock("one two")
    folder.write(
        ".agentv/assertions/word-count.mjs",
        """
        import {readFileSync} from 'node:fs';
        const told = JSON.parse(readFileSync(0, 'utf8'));
        console.log(JSON.stringify({score: told.output.split(' ').length <= told.config.most ? 1 : 0}));
        """,
    )
    assert (await folder.one(SUITE)).score == 1


async def test_the_nearest_counts(folder: Folder) -> None:
    folder.mock("x")
    folder.write(".agentv/assertions/word-count.py", "print('{\"score\": 0.25}')")
    inner = Folder(folder.path / "inner")
    inner.write(".agentv/assertions/word-count.py", "print('{\"score\": 0.5}')")
    assert (await inner.one(SUITE)).score == 0.5


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("evaluators/word-count.py", "x = 1", "has no class with an `evaluate` method and the kind word-count"),
        ("evaluators/word-count.py", "import nowhere", "cannot be imported: ModuleNotFoundError"),
        (
            "evaluators/word-count.py",
            "class A:\n    def evaluate(self, context): return 1",
            "gave 1, not an EvaluationScore",
        ),
        ("assertions/word-count.cts", "", "bun or deno or tsx, which is not on the PATH"),
        ("assertions/word-count", "echo", "use `chmod +x`"),
    ],
)
async def test_one_that_cannot_be_used_leaves_the_case_unscored(
    folder: Folder, name: str, text: str, words: str
) -> None:
    folder.mock("x")
    folder.environment["PATH"] = "/nowhere"
    folder.write(f".agentv/{name}", text)
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that brings an evaluator, as an installer leaves it."""
    site = tmp_path / "site"
    info = site / "word_counters-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: word-counters\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rubric.evaluators]\nword-count = word_counters:WordCount\n")
    (site / "word_counters.py").write_text(CLASS.format(prefix=""))
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "word_counters", raising=False)
    return site


async def test_what_a_class_gives_as_details_may_be_anything(folder: Folder) -> None:
    from rubric_core.evaluation.model.jsonable import jsonable

    folder.mock("three words here")
    score = "EvaluationScore(score=1.0, details={'a': {1.5}, 'b': float('nan')})"
    talkative = CLASS.format(prefix="").partition("        count =")[0] + f"        return {score}\n"
    folder.write(".agentv/evaluators/word-count.py", talkative)
    details = jsonable((await folder.one(SUITE)).evaluators[0].details)
    assert details == {"a": "{1.5}", "b": "nan"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("threading.Event().wait()", "word-count: stopped: it took longer than 0.2 s (line 7)"),
        ("return asyncio.sleep(60)", "word-count: stopped: it took longer than 0.2 s (line 7)"),
        ("sys.exit(3)", "RuntimeError: SystemExit: 3"),
        ("raise KeyboardInterrupt", "RuntimeError: KeyboardInterrupt"),
        ("return None", "gave None, not an EvaluationScore"),
        ("return self.evaluate(context)", "RecursionError"),
    ],
)
async def test_a_class_that_does_not_come_back_ends_nobody_else(folder: Folder, body: str, words: str) -> None:
    folder.mock("three words here")
    broken = f"import asyncio, sys, threading\nclass A:\n    kind = 'word-count'\n    def evaluate(self, context):\n        {body}\n"
    folder.write(".agentv/evaluators/word-count.py", broken)
    result = await folder.one(SUITE, time_limit=0.2)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason


def test_what_a_class_and_its_programs_print_stays_out_of_the_results(folder: Folder) -> None:
    folder.mock("three words here")
    folder.write(
        "helper.py", "import os, sys\ndef talk():\n    sys.stdout.write('written\\n')\n    os.system('echo spoken')\n"
    )
    noisy = CLASS.format(prefix="").replace("        count =", "        import helper; helper.talk()\n        count =")
    folder.write(".agentv/evaluators/word-count.py", "print('imported')\n" + noisy)
    folder.suite(SUITE)
    done = subprocess.run(
        [sys.executable, "-m", "rubric_core.cli", "run", "suite.eval.yaml", "--format", "jsonl"],
        cwd=folder.path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(folder.path)},
    )  # fmt: skip
    assert done.returncode == 0
    json.loads(done.stdout)
    assert sorted(done.stderr.split()) == ["imported", "spoken", "written"]


async def test_an_installed_package_brings_a_type(folder: Folder, installed: Path) -> None:
    folder.mock("one two three four")
    assert findings(folder) == []
    assert "word_counters" not in sys.modules, "a check imports nothing"
    result: CaseResult = await folder.one(SUITE)
    assert (result.score, result.verdict) == (0, Verdict.FAILED)


async def test_types_of_rubric_are_not_replaced(folder: Folder) -> None:
    folder.mock("x")
    folder.write(".agentv/assertions/contains.py", "print('{\"score\": 0}')")
    assert (await folder.one(SUITE.replace("word-count, most: 3", "contains, value: x"))).score == 1


async def test_the_page_on_evaluators_of_ones_own_is_true(folder: Folder) -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluators-of-your-own.md").read_text(encoding="utf-8")
    code, checks = (page.split(f"```{language}\n")[1].split("```")[0] for language in ("python", "yaml"))
    folder.mock("word " * 51)
    folder.write(".agentv/evaluators/word-count.py", code)
    result = await folder.one(
        f"tests:\n- id: a\n  criteria: c\n  input: hi\n  {checks.replace(chr(10), chr(10) + '  ')}\n"
    )
    assert result.evaluators[0].misses == ("51 words, the limit is 50",)
    assert (result.score, result.verdict) == (0, Verdict.FAILED)
