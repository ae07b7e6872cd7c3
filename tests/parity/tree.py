"""The comparison over suites of somebody else, as AgentV's own: a directory is copied for each program, its targets answer by script.

Targets that need a model become the scripted server; commands and agents become `programs/answer.py`, with an answer for each case made
of what its evaluators look for, half of them right. Scripts that are empty files, as in a corpus without programs, become graders that
score by a hash of the answer. What differs is printed, by what it is and where; nothing of it is known beforehand.
"""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

from .bundles import PROGRAMS, target_entries
from .run import Comparison, Runner

__all__ = ["compare_tree"]

_SUITES = ("*.eval.yaml", "eval.yaml", "dataset*.yaml", "suite.yaml")
_LEFT_OUT = ("node_modules", ".git", ".agentv/results")
#: The providers whose targets are models behind an API.
_MODELS = {"azure", "azure-openai", "openai", "openrouter", "anthropic", "gemini", "google", "google-gemini"}
_TREE = "tree"
_PLACEHOLDERS = {
    ".py": 'import runpy\nrunpy.run_path("$TREE/hash_grader.py", run_name="__main__")\n',
    **dict.fromkeys(
        (".ts", ".js"),
        'require("node:child_process").spawnSync("python3", ["$TREE/hash_grader.py"], { stdio: "inherit" });\n',
    ),
}


def compare_tree(runner: Runner, directory: Path, only: str, at_once: int) -> Iterator[Comparison]:
    """Compare every suite below a directory, or those that have `only` in their path."""
    copies = {program: _copy(directory, runner, program) for program in ("agentv", "rubric")}
    found = sorted({path.relative_to(copies["agentv"]) for path in _suites(copies["agentv"]) if only in str(path)})
    answers = json.dumps(dict(_answers(copies["agentv"] / path for path in found)))
    for program, copy in copies.items():
        (copy / "answers.json").write_text(answers, encoding="utf-8")
        _answer_by_script(copy, found, program, runner)
    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(lambda path: _compare(runner, copies, path), found)


def summary(comparisons: Iterable[Comparison]) -> str:
    """How many differences there are of each kind, by the type of their evaluator."""
    kinds = Counter(
        (difference.what, difference.place.partition(":")[0] or "case")
        for comparison in comparisons
        for difference in comparison.differences
    )
    return "\n".join(f"{number:5} {what} ({place})" for (what, place), number in kinds.most_common())


def _compare(runner: Runner, copies: Mapping[str, Path], path: Path) -> Comparison:
    return runner.compare_laid_out(str(path), copies["agentv"] / path, copies["rubric"] / path)


def _copy(directory: Path, runner: Runner, program: str) -> Path:
    copy = runner.work / program / _TREE
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(
        directory, copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT), copy_function=shutil.copyfile
    )
    for folder in (copy, *copy.rglob("*/")):
        folder.chmod(0o755)
    for script in PROGRAMS.glob("*.py"):
        shutil.copy(script, copy)
    for path in copy.rglob("*"):
        if path.suffix in _PLACEHOLDERS and path.is_file() and not path.stat().st_size:
            path.write_text(_PLACEHOLDERS[path.suffix].replace("$TREE", str(copy)), encoding="utf-8")
    return copy


def _suites(copy: Path) -> Iterator[Path]:
    return (path for pattern in _SUITES for path in copy.rglob(pattern) if ".agentv" not in path.parts)


def _loaded(path: Path) -> dict[str, Any]:
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _answers(paths: Iterable[Path]) -> Iterator[tuple[str, Any]]:
    """An answer for each case by its id; of cases that share one, the last is answered."""
    for path in paths:
        suite = _loaded(path)
        cases = suite.get("tests")
        for case in cases if isinstance(cases, list) else []:
            if isinstance(case, dict):
                yield str(case.get("id")), _answer(case, suite)


def _answer(case: Mapping[str, Any], suite: Mapping[str, Any]) -> dict[str, Any]:
    """A reply of what is expected and asserted: by a hash all of it, half of it, or something else around it."""
    number = int(hashlib.sha256(str(case.get("id")).encode()).hexdigest()[:8], 16)
    asserted = list(_asserted(case, suite))
    expected, values = _expected(case.get("expected_output")), " ".join(_strings([a.get("value") for a in asserted]))
    texts = (
        expected or values,
        values or expected,
        f"{values[: len(values) // 2]} {expected[: len(expected) // 2]}",
        f"Answer {number % 997}. {expected}",
    )
    calls = _calls(asserted, number)
    message = {
        "role": "assistant",
        "content": texts[number % 4] or "An answer.",
        **({"tool_calls": calls} if calls else {}),
    }
    tokens = {"input": 100 + number % 900, "output": 10 + number % 300}
    return {
        "output": [message], "token_usage": tokens, "cost_usd": number % 50 / 1000, "duration_ms": 100 + number % 5000,
    }  # fmt: skip


def _asserted(case: Mapping[str, Any], suite: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    execution = case.get("execution")
    lists = [case.get(key) for key in ("assertions", "assert", "evaluators")]
    lists += [suite.get("assertions"), execution.get("evaluators") if isinstance(execution, dict) else None]
    return (each for found in lists if isinstance(found, list) for each in found if isinstance(each, dict))


def _expected(value: Any) -> str:
    if isinstance(value, list) and value:
        value = value[-1].get("content") if isinstance(value[-1], dict) else value[-1]
    return value if isinstance(value, str) else json.dumps(value) if value else ""


def _calls(asserted: Iterable[Mapping[str, Any]], number: int) -> list[dict[str, Any]]:
    """The tool calls that trajectories expect, by a hash with one missing or one more."""
    calls: list[dict[str, Any]] = []
    for each in asserted:
        if "traject" in str(each.get("type")):
            for expected in each.get("expected") or []:
                given = expected.get("args")
                calls.append({"tool": expected.get("tool"), "input": given if isinstance(given, dict) else {}})
            for tool, count in (each.get("minimums") or {}).items():
                calls += [{"tool": tool, "input": {}}] * int(count)
    changed = (calls, calls[: max(1, len(calls) - 1)], [*calls, {"tool": "extra", "input": {"q": 1}}])
    return changed[number % 3] if calls else []


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _answer_by_script(copy: Path, suites: Iterable[Path], program: str, runner: Runner) -> None:
    """Rewrite every target file; where a suite has none upward, write one at the root."""
    wanted = {name for path in suites for name in _names(_loaded(copy / path))}
    files = {copy / ".agentv" / "targets.yaml", *copy.rglob(".agentv/targets.yaml")}
    for path in files:
        written = _loaded(path).get("targets") or []
        path.parent.mkdir(parents=True, exist_ok=True)
        targets = list(_targets([t for t in written if isinstance(t, dict)], wanted, program, runner))
        text = yaml.safe_dump({"targets": targets}, sort_keys=False)
        path.write_text(text.replace("$FOLDER", str(copy)), encoding="utf-8")


def _targets(
    written: Iterable[Mapping[str, Any]], wanted: set[str], program: str, runner: Runner
) -> Iterator[Mapping[str, Any]]:
    """The entries of a file as scripted ones: models by the server, all others by answer.py; and those that suites name."""
    entries = target_entries(program, _TREE, runner.server)
    kinds = {str(target["name"]): target.get("provider") for target in written if "name" in target}
    graders = {target.get(key) for target in written for key in ("grader_target", "judge_target")}
    for name in dict.fromkeys([*kinds, "default", *sorted(wanted)]):
        model = kinds.get(name) in _MODELS or name in graders
        yield {**entries["live" if model else "default"], "name": name}
    if "judge" not in kinds.keys() | wanted:
        yield entries["judge"]


def _names(node: Any, key: str = "") -> Iterator[str]:
    """The names of targets that a suite mentions."""
    if isinstance(node, str) and key in ("target", "targets") and "$" not in node:
        yield node
    elif isinstance(node, list):
        for item in node:
            yield from _names(
                item["name"] if key == "targets" and isinstance(item, dict) and "name" in item else item, key
            )
    elif isinstance(node, dict):
        for name, value in node.items():
            yield from _names(value.get("name") if name == "target" and isinstance(value, dict) else value, name)
