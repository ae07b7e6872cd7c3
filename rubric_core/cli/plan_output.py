"""Prints the plan of a run: lines for people, or JSON."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from rubric_core.adapters import system_ports
from rubric_core.cli.plan import SuitePlan
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.control_characters import reveal
from rubric_core.evaluation.cases.load import LoadedSuite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.rehearse import rehearsed_generators
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.model.holes import shown
from rubric_core.evaluation.model.plan import Plan
from rubric_core.trust import Trust, real_path

__all__ = ["plan_cases", "plan_lines", "plan_suite", "print_plan"]


def print_plan(suites: Sequence[SuitePlan], out: TextIO, *, as_json: bool) -> None:
    """Print what running these cases does. Executes nothing."""
    folder, plan = real_path(Path.cwd()), Plan()
    for suite in suites:
        root = Trust().folder_of(suite.suite.path) or folder
        plan = plan.joined(asyncio.run(plan_suite(suite.suite, suite.cases, root)))
    if as_json:
        out.write(json.dumps(_row(plan), indent=2) + "\n")
        return
    safe = StreamSanitizer(out)
    lines = [*plan_lines(plan, folder), *filter(None, [plan.unknown])]
    out.writelines(f"{safe(line)}\n" for line in lines or ["nothing is executed, sent or read outside of the folder"])


def plan_lines(plan: Plan, folder: Path) -> Iterator[str]:
    """The entries of a plan line by line, with paths below a folder relative to it; code has several lines."""
    for words in plan.words(folder):
        yield reveal(words).replace("\n", "\n    ")


async def plan_cases(cases: Sequence[Runnable], folder: Path) -> Plan:
    """The plan of cases, without the programs that made them."""
    async with system_ports() as ports:
        return await plan_run(cases, ports, [folder])


async def plan_suite(suite: LoadedSuite, cases: Sequence[Runnable], folder: Path) -> Plan:
    """The plan of cases of a suite, and of the programs that make others."""
    async with system_ports() as ports:
        plan = await plan_run(cases, ports, [folder])
        if not suite.programs:
            return plan
        note = f"{suite.path}: programs make cases of it, which are not known before it runs"
        return plan.joined(await rehearsed_generators(suite, ports)).joined(Plan(notes=(note,)))


def _row(plan: Plan) -> dict[str, Any]:
    """A plan as JSON: what cases fill in is named in the words that people read."""
    return {
        "execute": [
            {
                "command": [shown(word) for word in each.argv],
                "program": shown(each.program),
                "leadsTo": shown(each.real),
                "directory": shown(each.cwd),
                "environment": {name: shown(value) for name, value in each.environment},
                "code": shown(each.says),
            }
            for each in (start.public() for start in plan.starts)
        ],
        "send": [
            {
                "method": each.method,
                "origin": shown(each.public().origin),
                "path": each.shown_path(),
                "proxy": each.proxy,
                "variables": list(each.variables),
            }
            for each in plan.sends
        ],
        "variables": [each.name for each in plan.variables],
        "readOutside": [each.path for each in plan.reads],
        "notes": list(plan.notes),
        "unknown": plan.unknown,
    }
