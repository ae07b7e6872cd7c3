"""Custom evaluators: programs, classes beside the suite, installed classes; and findings about them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from suites import LANGUAGE, Folder
from waiting import alive

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


TALKATIVE = """
import os, sys
from rubric_core import EvaluationScore, Unscored

class Talkative:
    kind = "word-count"

    def evaluate(self, context):
        {body}
"""


async def talk(folder: Folder, body: str) -> CaseResult:
    folder.mock("one two")
    folder.write(".agentv/evaluators/word-count.py", TALKATIVE.format(body=body))
    return await folder.one(SUITE)


async def test_a_class_runs_in_a_process_that_serves_all_cases(folder: Folder) -> None:
    folder.mock("one two")
    told = "return EvaluationScore(score=1, hits=[str(os.getpid())])"
    path = folder.write(".agentv/evaluators/word-count.py", TALKATIVE.format(body=told))
    case = "  - {{id: a{}, criteria: c, input: hi, assertions: [{{type: word-count, most: 3}}]}}\n"
    results = await folder.run("tests:\n" + "".join(map(case.format, range(12))))
    processes = {result.evaluators[0].hits[0] for result in results.values()}
    assert str(os.getpid()) not in processes
    assert 1 <= len(processes) <= (os.cpu_count() or 1)
    assert {program.says for program in folder.started} == {f"{path}:word-count"}
    assert not any(alive(int(process)) for process in processes)


async def test_a_crash_names_its_line(folder: Folder) -> None:
    result = await talk(folder, "return 1 / 0")
    assert result.reason == "word-count: the evaluator crashed: ZeroDivisionError: division by zero (word-count.py:9)"
    result = await talk(folder, "os._exit(3)")
    assert result.reason.startswith("word-count: word-count: its process ended with exit code 3")


async def test_what_an_evaluator_says_arrives_whole(folder: Folder) -> None:
    score = "EvaluationScore(score=0.5, hits=['h'], misses=['m'], reasoning='r', raw_replies=('x',), details={'a': [1]}, expected_aspect_count=2)"
    found = (await talk(folder, f"return {score}")).evaluators[0]
    assert (found.score, found.hits, found.misses, found.reasoning) == (0.5, ("h",), ("m",), "r")
    assert (found.raw_replies, found.details) == (("x",), {"a": [1]})
    result = await talk(folder, "raise Unscored('not today', request={'a': 1})")
    assert (result.evaluators[0].reason, result.evaluators[0].error) == ("not today", "")
    assert result.evaluators[0].evaluator_raw_request == {"a": 1}


async def test_of_the_variables_it_gets_those_that_it_names(folder: Folder) -> None:
    folder.environment |= {"GRADER_KEY": "k-123", "OTHER_KEY": "o-123"}
    names = "[os.environ.get('GRADER_KEY'), *(n for n in os.environ if n.startswith('OTHER'))]"
    found = (await talk(folder, f"return EvaluationScore(score=1, details={{'a': {names}}})")).evaluators[0]
    assert folder.started[0].environment == {"GRADER_KEY": "k-123"}
    assert found.details is not None
    assert len(found.details["a"]) == 1


@pytest.mark.parametrize("name", ["json", "struct", "rubric_core"])
async def test_modules_in_the_folder_do_not_start_with_it(
    folder: Folder, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write(f"{name}.py", "open('began', 'w')")
    monkeypatch.chdir(folder.path)
    assert (await talk(folder, "return EvaluationScore(score=1)")).score == 1
    assert not (folder.path / "began").exists()


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
