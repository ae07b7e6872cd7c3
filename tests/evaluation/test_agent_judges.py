"""Judges that look at the files of a workspace: they need one, and have to be able to look."""

import json

import pytest
from judge_server import JudgeServer
from suites import Folder

from rubric_core.evaluation.model.result import Verdict

SUITE = """
# rubric: dialect={dialect}
{cases}:
  - id: a
    {input}
    {workspace}
    {checks}: [{check}]
"""
OLD = {
    "dialect": "agentv-2.7", "cases": "tests", "input": "criteria: c\n    input: hi", "workspace": "workspace: {template: ws}", "checks": "assert",
    "check": "{type: agent_judge, name: n, rubrics: [{id: there, outcome: There is a file}]}",
}  # fmt: skip
NEW = {
    "dialect": "agentv-5", "cases": "prompts: [hi]\nworkspace: {template: ws}\ntests", "input": "description: d", "workspace": "description_: 1", "checks": "assert",
    "check": "{type: agent-rubric, metric: n, value: [{id: there, outcome: There is a file}]}",
}  # fmt: skip
# Prints a judgement about the directory in which it is run; its prompt has to ask it to look.
JUDGE = """
import json, os, sys
asked = open(sys.argv[1]).read()
assert "Look at the files" in asked
print(json.dumps({"checks": [{"id": "there", "satisfied": os.path.exists("made.txt"), "reasoning": "looked"}], "overall_reasoning": "o"}))
"""


def text_of(form: dict[str, str]) -> str:
    return SUITE.format(**form).replace("    description_: 1\n", "")


@pytest.mark.parametrize("form", [OLD, NEW], ids=["agent_judge", "agent-rubric"])
@pytest.mark.parametrize("there", [True, False])
async def test_an_agent_looks_at_the_workspace(folder: Folder, form: dict[str, str], there: bool) -> None:
    program = folder.write("judge.py", JUDGE)
    folder.write(f"ws/{'made' if there else 'other'}.txt", "x")
    folder.targets(
        {"name": "default", "provider": "mock", "response": "done", "grader_target": "looker"},
        {"name": "looker", "provider": "cli", "command": f"python3 {program} {{PROMPT_FILE}}"},
    )
    result = await folder.one(text_of(form))
    assert (result.score, result.reason) == (1.0 if there else 0.0, "" if there else result.reason)


async def test_a_judge_that_reads_is_not_taken_for_one_that_looks(folder: Folder, judge: JudgeServer) -> None:
    folder.write("ws/a.txt", "x")
    folder.targets({"name": "default", "provider": "mock", "grader_target": "judge"}, judge.target())
    result = await folder.one(text_of(OLD))
    assert result.verdict is Verdict.UNSCORED
    assert "agent_judge needs a judge that can read files" in result.reason
    assert "judge is openai (line 8)" in result.reason
    assert not judge.bodies


async def test_without_a_workspace_there_is_nothing_to_look_at(folder: Folder) -> None:
    folder.mock(json.dumps({"score": 1}))
    result = await folder.one(text_of({**OLD, "workspace": "note: n"}))
    assert "inspects the files of a workspace, and the case has none" in result.reason
