"""Checks of what an agent did in agentv-5, against what its releases make of the same events; written down from their source."""

import time
from typing import Any

import pytest
from suites import context, evaluator

from rubric_core.evaluation.engine.grade import run_evaluators_for_case
from rubric_core.evaluation.engine.registry import build_evaluator_registry
from rubric_core.evaluation.model.result import EvaluatorResult
from rubric_core.evaluation.scoring.tool_calls import glob
from rubric_core.ports import Answer

#: Question, reasoning, a search with its result, two commands, a failed skill, a read of a skill's file, the answer.
MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "assistant", "content": "hm", "metadata": {"codex.item.type": "reasoning"}},
    {
        "role": "assistant",
        "content": "looking",
        "tool_calls": [
            {"tool": "Search", "input": '{"q": "tides", "n": 5}', "output": "found"},
            {"tool": "shell", "input": {"command": "git status"}},
            {"tool": "exec_command", "input": {"cmd": ["git", "log"]}},
            {"tool": "skill", "input": {"skill": "broken"}, "status": "error"},
            {"tool": "read", "input": {"path": "/x/skills/deploy/SKILL.md"}},
            {"tool": "read", "input": {"path": "/x/skills/deploy/SKILL.md"}},
        ],
    },
    {"role": "assistant", "name": "editor", "content": "done"},
)


async def graded(check: str, messages: Any = MESSAGES) -> EvaluatorResult:
    config = evaluator(check, "agentv-5")
    made = context(config, Answer("done", messages=messages), None, "agentv-5")
    return (await run_evaluators_for_case(made, build_evaluator_registry(), [config])).results[0]


@pytest.mark.parametrize(
    ("kind", "value", "score"),
    [
        # 4 messages, 6 calls, the result of one, the final response.
        ("step-count", "{min: 12, max: 12}", 1),
        ("step-count", "{max: 11}", 0),
        ("step-count", "{type: message, min: 4, max: 4}", 1),
        ("step-count", "{type: reasoning, min: 1, max: 1}", 1),
        ("step-count", "{type: tool, min: 4, max: 4}", 1),
        ("step-count", "{type: command, min: 2, max: 2}", 1),
        ("step-count", "{type: span, min: 1, max: 1}", 1),
        ("step-count", "{type: search, max: 0}", 1),
        ("step-count", "{type: [tool, command], min: 6, max: 6}", 1),
        ("step-count", "{name: editor, min: 2, max: 2}", 1),
        ("step-count", "{pattern: 'git*', min: 2}", 1),
        ("step-count", "{pattern: git, type: command, min: 2}", 1),
        ("step-count", "{pattern: 'SEARCH', name: read, min: 1, max: 1}", 1),
        ("step-count", "{pattern: 'message', type: message, min: 1, max: 1}", 0),
        ("tool-used", "search", 1),
        ("tool-used", "'se[a-z]rch'", 0),
        ("tool-used", "[search, read]", 1),
        ("tool-used", "[search, write]", 0),
        ("tool-used", "{name: read, min: 2, max: 2}", 1),
        ("tool-used", "shell", 0),
        ("tool-used", "{pattern: '*', min: 4, max: 4}", 1),
        ("tool-sequence", "[search, read, read]", 1),
        ("tool-sequence", "[search, shell]", 0),
        ("tool-sequence", "{mode: exact, steps: [search, skill, {pattern: 're*'}, read]}", 1),
        ("tool-sequence", "{mode: exact, steps: [search, skill, read]}", 0),
        ("tool-args-match", "{name: search, args: {q: tides}}", 1),
        ("tool-args-match", "{name: search, args: {q: tides}, mode: exact}", 0),
        ("tool-args-match", "{name: search, args: {q: tides}, mode: exact, defaults: {n: 5}}", 1),
        ("tool-args-match", "{name: search, args: {q: tides}, mode: exact, defaults: {n: 6}}", 0),
        ("tool-args-match", "{name: search, args: {q: tides, n: 5}, mode: exact, defaults: {n: 5}}", 0),
        ("tool-args-match", "{name: search, arguments: {q: tides}, mode: exact, ignore: 'n*'}", 1),
        ("tool-args-match", "{name: search, args: {q: tides, n: 7}, ignore: [n]}", 1),
        ("tool-args-match", "{name: shell, args: {command: git status}}", 0),
    ],
)
async def test_trajectories(kind: str, value: str, score: int) -> None:
    found = await graded(f"type: trajectory:{kind}\nvalue: {value}")
    assert found.score == score, found
    turned = await graded(f"type: not-trajectory:{kind}\nvalue: {value}")
    partly = kind == "tool-used" and value == "[search, write]"
    assert turned.score == (0 if partly else 1 - score), "of a list, none may be there"


@pytest.mark.parametrize(
    ("check", "score"),
    [
        ("{type: skill-used, value: deploy}", 1),
        ("{type: skill-used, value: Deploy}", 0),
        ("{type: skill-used, value: 'dep*'}", 0),
        ("{type: skill-used, value: {pattern: 'DEP*'}}", 1),
        ("{type: skill-used, value: {name: deploy, pattern: 'x*'}}", 0),
        ("{type: skill-used, value: {name: deploy, max: 1}}", 1),
        ("{type: skill-used, value: {name: deploy, min: 2}}", 0),
        ("{type: skill-used, value: {name: release, max: 2}}", 1),
        ("{type: skill-used, value: broken}", 0),
        ("{type: not-skill-used, value: [release, broken]}", 1),
        ("{type: not-skill-used, value: [release, deploy]}", 0),
        ("{type: not-skill-used, value: {pattern: 'd*', max: 0}}", 0),
    ],
)
async def test_skills(check: str, score: int) -> None:
    found = await graded(check)
    assert found.score == score, found


@pytest.mark.parametrize(
    ("tool", "given", "output", "used"),
    [
        ("Skill", {"name": " a "}, None, ["a"]),
        ("bash", {"command": "cat 'skills/a/SKILL.md' skills/b/SKILL.md"}, None, ["a", "b"]),
        ("list", {}, ["x", ".agents/skills/a/SKILL.md"], ["a"]),
        ("list", {}, "skills/a/SKILL.md.bak skills/b c/SKILL.md", []),
        ("read", {"filePath": "C:\\x\\skills\\a\\SKILL.md"}, None, ["a"]),
        ("read", {"file_path": "b.txt"}, "see skills/a/SKILL.md", []),
    ],
)
async def test_where_skills_are_found(tool: str, given: Any, output: Any, used: list[str]) -> None:
    call = {"tool": tool, "input": given, **({} if output is None else {"output": output})}
    for name in ("a", "b"):
        found = await graded(f"{{type: skill-used, value: {name}}}", ({"role": "assistant", "tool_calls": [call]},))
        assert found.score == (name in used), found


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("{type: trajectory:tool-used, value: {name: x, type: command}}", "never matches here"),
        ("{type: trajectory:tool-used, value: {min: 2}}", "needs a `name` or a `pattern`"),
        ("{type: trajectory:tool-used, value: {name: x, max: 0}}", "write `min: 0`"),
        ("{type: trajectory:tool-sequence, value: {steps: []}}", "needs `steps`"),
        ("{type: trajectory:tool-args-match, value: {name: x}}", "needs `args`"),
        ("{type: trajectory:tool-args-match, value: {name: x, args: {}, defaults: 5}}", "`defaults` is a mapping"),
        ("{type: trajectory:tool-args-match, value: {name: x, args: {}, ignore: ['']}}", "`ignore` is the name"),
        ("{type: trajectory:step-count, value: {type: tool}}", "needs `min`, `max` or both"),
        ("{type: trajectory:step-count, value: {type: thought, max: 1}}", "is not a type of step"),
        ("{type: not-skill-used, value: {name: x, min: 1}}", "no bounds except `max: 0`"),
        ("{type: skill-used, value: {max: 0}}", "needs a `name` or a `pattern`"),
    ],
)
async def test_a_check_that_cannot_be_made_has_no_score(check: str, words: str) -> None:
    found = await graded(check)
    assert found.score is None
    assert words in found.reason


async def test_nobody_kept_a_record() -> None:
    config = evaluator("{type: trajectory:step-count, value: {max: 1}}", "agentv-5")
    made = context(config, "done", None, "agentv-5")
    found = (await run_evaluators_for_case(made, build_evaluator_registry(), [config])).results[0]
    assert (found.score, found.reason[:42]) == (None, "the target does not report its tool calls")


@pytest.mark.parametrize(
    ("pattern", "name", "holds"),
    [("get_*", "GET_user", True), ("*user*", "a user b", True), ("a*b*c", "aXbXbXc", True), ("a*b*c", "aXc", False), ("*?", "", False), ("", "", True)],
)  # fmt: skip
def test_stars_in_names_of_tools(pattern: str, name: str, holds: bool) -> None:
    assert (glob(pattern).match(name) is not None) == holds


def test_stars_take_no_longer_for_long_names() -> None:
    began = time.process_time()
    assert not glob("*a" * 50 + "*b").match("a" * 50_000)
    assert time.process_time() - began < 1
