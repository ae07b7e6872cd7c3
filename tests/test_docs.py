"""The Python in the documentation runs, and type checkers find nothing in it, in their strict modes."""

import asyncio
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from thorough import only_thorough

import rubric_core

REPOSITORY = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _blocks(page: Path) -> str:
    """The blocks of a page, one after the other as a reader would type them."""
    return "\n\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))


PAGES = {page.relative_to(REPOSITORY).as_posix(): code for page in sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]) if (code := _blocks(page))}  # fmt: skip


KINDS = (".md", ".py", ".ts", ".lua", ".rs", ".txt", ".json", ".yaml", ".yml")
BY_NAME = re.compile(r"""(?:install|--from|add|upgrade)[^\n|.;]{0,40}[ '"`]rubric-lsp(?:\[\w+\])?(?=[ '"`)\n]|$)""")


def test_nobody_is_told_to_install_a_name_that_is_not_ours() -> None:
    """The package is on no index yet: a package with its name there would be somebody else's."""
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=False).stdout
    if not listed:
        pytest.skip("not a checkout")
    names = [name for name in listed.splitlines() if name.endswith(KINDS) and (REPOSITORY / name).is_file()]
    texts = {name: (REPOSITORY / name).read_text(encoding="utf-8", errors="replace") for name in names}
    assert [f"{name}: {found[0]}" for name, text in texts.items() for found in BY_NAME.finditer(text)] == []


def _python(names: dict[str, Any]) -> None:
    assert names["graded"].score.score == 0.7
    assert [c.id for c in names["graded"].results[0].criteria] == ["tone"]
    assert [case.id for case in names["made"].cases] == ["greeting"]
    assert names["result"].verdict.word in ("pass", "fail"), names["result"].reason


def _own_evaluators(names: dict[str, Any]) -> None:
    evaluator = {"type": "word-count", "most": 1}
    context = rubric_core.EvaluationContext(eval_case={}, candidate="two words", evaluator=evaluator)
    assert names["WordCount"]().evaluate(context).misses == ("2 words, the limit is 1",)


def _extensions(names: dict[str, Any]) -> None:
    changed = names["beforeEach"]({"test": {"id": "a", "vars": {"x": 1}}})
    assert changed["test"]["vars"].keys() == {"x", "user"}


def _cluster(names: dict[str, Any]) -> None:
    assert asyncio.iscoroutinefunction(names["main"])  # tests/cluster runs suites so


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "docs/cluster.md": _cluster,
    "docs/evaluators-of-your-own.md": _own_evaluators,
    "docs/extensions.md": _extensions,
    "docs/python.md": _python,
}


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(PAGES[page], page, "exec"), names)  # the page's own words
    CHECKS[page](names)


# Types


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every page as a module, as in somebody's project."""
    folder = tmp_path_factory.mktemp("typed")
    for page, code in PAGES.items():
        (folder / f"{re.sub(r'[^a-z]', '_', page.lower())}.py").write_text(code, encoding="utf-8")
    (folder / "misuse.py").write_text(MISUSE, encoding="utf-8")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    return folder


#: What a checker has to find, so that nothing passes because the package counts as untyped: a comment says at which lines.
MISUSE = """
from rubric_core import CodeEvaluator, EvaluationContext, EvaluationScore, LlmJudgeEvaluator, Options, load_suite

EvaluationContext(eval_case=["x"], candidate="y")  # wrong
EvaluationContext(eval_case={}, candidate=3)  # wrong
EvaluationScore(score="high")  # wrong
LlmJudgeEvaluator(resolve_judge_provider=3)  # wrong
CodeEvaluator(script=3)  # wrong
Options(mode="recrod")  # wrong
load_suite("a.yaml").cases[0].nothing  # wrong


class Mine:
    kind = "mine"

    def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        return EvaluationScore(score=1, hits=[context.candidate])


Options(evaluators={"mine": Mine()})
Options(evaluators={"mine": Mine})  # wrong
"""
WRONG = {number for number, line in enumerate(MISUSE.splitlines(), start=1) if line.endswith("# wrong")}


@only_thorough
def test_mypy_finds_nothing_in_the_pages_and_every_misuse(typed: Path) -> None:
    cache = REPOSITORY / ".mypy_cache/pages"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", "--output=json", "."]
    done = subprocess.run(command, cwd=typed, capture_output=True, text=True, check=False, env=_without_paths())
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert found, done.stdout + done.stderr
    assert [each for each in found if each["file"] != "misuse.py"] == []
    assert {each["line"] for each in found} == WRONG


@only_thorough
def test_pyright_finds_nothing_in_the_pages_and_every_misuse(typed: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not there: pyright cannot run")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    environment = {**_without_paths(), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=typed, capture_output=True, text=True, check=False, env=environment)
    if not done.stdout.lstrip().startswith("{"):
        pytest.skip(f"pyright cannot be installed from npm: {done.stderr.strip()[-200:]}")
    told = json.loads(done.stdout)
    assert told["summary"]["filesAnalyzed"] == len(PAGES) + 1
    found = [(Path(each["file"]).name, each["range"]["start"]["line"] + 1) for each in told["generalDiagnostics"]]
    assert [each for each in told["generalDiagnostics"] if not each["file"].endswith("misuse.py")] == []
    assert {line for _, line in found} == WRONG


def _without_paths() -> dict[str, str]:
    """The environment of somebody who has installed the package: found by its installation alone."""
    return {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "PYTHONPATH")}


# Names

TABLE = re.compile(r"^\| (?P<documents>`.*?) \| (?P<here>.*?) \|$", re.MULTILINE)
#: Everything in camelCase that the requirement documents have, and its types, but for what it takes back.
DOCUMENTED = [
    "Evaluator",
    "kind",
    "evaluate",
    "EvaluatorKind",
    "EVALUATOR_KIND_VALUES",
    "EVALUATOR_KINDS",
    "isEvaluatorKind",
    "EvaluatorConfig",
    "EvalCase",
    "evaluators",
    "evaluator",
    "grader",
    "EvaluationContext",
    "evalCase",
    "candidate",
    "target",
    "provider",
    "attempt",
    "promptInputs",
    "now",
    "judgeProvider",
    "systemPrompt",
    "judgeModel",
    "EvaluationScore",
    "score",
    "hits",
    "misses",
    "reasoning",
    "expectedAspectCount",
    "rawAspects",
    "evaluatorRawRequest",
    "LlmJudgeEvaluatorOptions",
    "resolveJudgeProvider",
    "maxOutputTokens",
    "temperature",
    "CodeEvaluatorOptions",
    "script",
    "cwd",
    "agentTimeoutMs",
    "buildEvaluatorRegistry",
    "evaluatorRegistry",
    "runEvaluatorsForCase",
    "evaluatorResults",
    "EvaluatorResult",
    "evaluator_raw_request",
    "evaluator_results",
    "ResolvedTarget",
    "Provider",
    "JsonObject",
]


def _rows() -> list[tuple[str, str]]:
    section = (REPOSITORY / "docs/python.md").read_text(encoding="utf-8").partition("## Names in the requirement")[2]
    return [(row["documents"], row["here"]) for row in TABLE.finditer(section)]


def test_every_name_of_the_documents_is_in_the_table() -> None:
    words = {word for documents, _ in _rows() for word in re.findall(r"\w+", documents)}
    assert [name for name in DOCUMENTED if name not in words] == []


def test_every_name_in_the_table_is_there() -> None:
    names = [name for _, here in _rows() for name in re.findall(r"`([^`]+)`", here)]
    classes = [getattr(rubric_core, name.split(".")[0].split("(")[0], None) for name in names]
    owner: Any = None
    for name, found in zip(names, classes, strict=True):
        owner = found if found is not None else owner
        attribute = re.sub(r"\(.*", "", name).rpartition(".")[2]
        known = found is not None and "." not in name
        assert known or hasattr(owner, attribute) or attribute in inspect.signature(owner).parameters, name


def test_asynchronous_functions_are_what_the_page_calls_them() -> None:
    for name in ("run_case", "run_cases", "run_evaluators_for_case"):
        assert asyncio.iscoroutinefunction(getattr(rubric_core, name))
