"""A file that leads elsewhere since a run was allowed is not read in it, whatever the suite has in it."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the targets here are shell commands")
CAT = {"provider": "cli", "command": "cat {PROMPT_FILE}"}
HEAD = "# rubric: dialect={}\n"
CHECK = {"type": "contains", "value": "x"}
#: Per place: the files of a suite, whose first one is run, with `part` named in them; and what is in that, with a word in place of `@`.
PLACES: Mapping[str, tuple[str, Mapping[str, object], str]] = {
    "input": ("agentv-3", {"input": [{"role": "user", "content": [{"type": "file", "value": "part"}]}], "assertions": [CHECK]}, "@"),
    "a judge's prompt": (
        "agentv-3", {"input": "x", "assertions": [{"name": "j", "type": "llm-grader", "target": "j", "prompt": "file://part"}]}, "@ {{output}}",
    ),
    "an included grader": ("agentv-3", {"input": "x", "assertions": [{"include": "./part.yaml"}]}, "[{type: contains, value: '@'}]"),
    "a default test": ("agentv-5", {"vars": {"q": "hi"}}, "assert: [{type: contains, value: '@'}]"),
    "vars": ("promptfoo", {"vars": {"q": "file://part.txt"}}, "@"),
    "vars of YAML": ("promptfoo", {"vars": {"q": "file://part.yaml"}}, "a: '@'"),
    "a value": ("promptfoo", {"vars": {"q": "hi"}, "assert": [{"type": "equals", "value": "file://part.txt"}]}, "@"),
    "a value of YAML": ("promptfoo", {"vars": {"q": "hi"}, "assert": [{"type": "equals", "value": "file://part.yaml"}]}, "a: '@'"),
}  # fmt: skip


def write(root: Path, dialect: str, case: Mapping[str, object]) -> Path:
    (root / ".agentv").mkdir(parents=True)
    entries = {name: {**CAT, "name": name} for name in ("default", "j")}
    targets: object = {"targets": list(entries.values())}
    suite: dict[str, object] = {"tests": [{"id": "a", "criteria": "c", **case}]}
    if dialect == "promptfoo":
        suite = {"prompts": ["{{ q }}"], "providers": ["echo"], "tests": [case]}
    elif dialect == "agentv-5":
        targets = {"providers": [{"label": "default", "id": "cli", "config": {"command": CAT["command"]}}]}
        suite = {
            "prompts": ["{{ q }}"], "providers": ["default"], "default_test": "file://part.yaml", "tests": [{"id": "a", **case}],
        }  # fmt: skip
    (root / ".agentv/targets.yaml").write_text(json.dumps(targets))
    path = root / ("promptfooconfig.yaml" if dialect == "promptfoo" else "s.eval.yaml")
    path.write_text(("" if dialect == "promptfoo" else HEAD.format(dialect)) + json.dumps(suite))
    return path


@pytest.mark.parametrize("is_swapped", [True, False])
@pytest.mark.parametrize("place", PLACES)
async def test_a_file_that_leads_elsewhere_is_not_read(tmp_path: Path, place: str, is_swapped: bool) -> None:
    dialect, case, content = PLACES[place]
    root = tmp_path / "open"
    suite = write(root, dialect, case)
    parts = [root / f"part{ending}" for ending in ("", ".txt", ".yaml")]
    for each in parts:
        each.write_text(content.replace("@", "usual"))
    (tmp_path / "other").write_text(content.replace("@", "canary"))
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        cases = load_suite(suite).cases
        plan = await plan_run(cases, ports, [root])
        assert plan.reads == ()
        for each in parts if is_swapped else ():
            each.unlink()
            each.symlink_to(tmp_path / "other")
        (found,) = await run_cases(cases, guarded(ports, plan))
    assert ("leads to another file" in found.reason) is is_swapped, found.reason
    assert (found.verdict is Verdict.UNSCORED) is is_swapped
    assert "canary" not in repr(found)
