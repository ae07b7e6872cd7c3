"""How a grader of a case is started again under a debugger, with what its last run sent it."""

import errno
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.code.commands import json_input
from rubric_core.evaluation.code.interpreted_program import InterpretedProgram, interpreted_program
from rubric_core.evaluation.code.script_programs import MARK
from rubric_core.evaluation.engine.attempt import requested_fields
from rubric_core.evaluation.engine.events import ignore_event
from rubric_core.evaluation.engine.family_runner import runner_of
from rubric_core.evaluation.engine.prepare import require_valid
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import CodeEvaluator
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.grading import default_name
from rubric_core.ports import Answer, Finished, Ports, Processes, Program

__all__ = ["GraderLaunch", "grader_launch"]

_WORKSPACE = "AGENTV_WORKSPACE_PATH"


@dataclass(frozen=True, slots=True)
class GraderLaunch:
    """A grading program and its input."""

    interpreted: InterpretedProgram
    #: Where it runs.
    directory: str
    #: Variables on top of those that every program of a run has.
    environment: Mapping[str, str]
    #: Its standard input: that of its last run, in which secrets are replaced.
    stdin: str


async def grader_launch(
    case: Runnable, number: int, last: CaseResult, graded: EvaluatorResult, ports: Ports, guard: Callable[[Processes], Processes]
) -> GraderLaunch:  # fmt: skip
    """The program of an evaluator and its input, as a run starts it. It is not started.

    Args:
        case: The case.
        number: The number of the evaluator, from 1.
        last: The last result of the case.
        graded: The last result of the evaluator.
        ports: Those of a run: programs that fill in the case are run.
        guard: Refuses programs that are not in the plan of the run.

    Raises Unscored with the reason why the evaluator cannot be debugged.
    """
    sent = [each for each in graded.exchanges if each.role == "program"]
    if not sent:
        raise Unscored(f"{graded.name} sent nothing to a program in its last run, so there is nothing to debug it with")
    written = _Written(len(sent) - 1)
    reason = await _rehearse(_variation(case, last), number, last, ports, guard(written))
    if written.program is None:
        raise Unscored(reason or f"{graded.name} starts no program of its own")
    program = written.program
    interpreted = interpreted_program(program, ports.environment)
    if interpreted is None:
        raise Unscored(f"{graded.name} cannot be debugged: neither Python nor node is what its command starts")
    stdin = _input(program, sent[-1]).decode()
    return GraderLaunch(interpreted, str(program.cwd), {**program.environment, **_workspace(sent[-1])}, stdin)


async def _rehearse(case: Runnable, number: int, last: CaseResult, ports: Ports, processes: Processes) -> str:
    """Grade the last answer with one evaluator, whose programs go to `processes`; returns why it gave no score. Raises Unscored."""
    runner = runner_of(case)
    require_valid(case)
    runner.refuse(case)
    ports = await runner.environment(case, ports)
    ready = await runner.prepare(case, ports)
    if number > len(ready.evaluators):
        raise Unscored("the case has other evaluators than when it ran: run it first")
    config = ready.evaluators[number - 1]
    if isinstance(config, CodeEvaluator) and config.target:
        raise Unscored(f"{default_name(config)} calls targets through a proxy, which there is in runs only")
    attempt = runner.attempt(ready)(ready, replace_fields(ports, processes=processes), ignore_event)
    fields = requested_fields(ready, ports.files)
    resolved, provider = attempt.target(fields["target"])
    context = attempt.context(
        resolved, provider, attempt.inputs(), Answer(last.answer), min(1.0, max(0.0, last.threshold))
    )
    context = context.with_fields(transform=None)  # the answer is transformed already
    (result,) = await attempt.grade(attempt.with_row(context, last.answer), [config])
    return result.reason


def _variation(case: Runnable, last: CaseResult) -> Runnable:
    """The variation whose answer a joined result has; of a case without variations, the case itself."""
    rows = (last.details or {}).get("variations")
    several = variations(case)
    for row in rows if isinstance(rows, list | tuple) else ():
        if isinstance(row, Mapping) and (row.get("answer"), row.get("target")) == (last.answer, last.target):
            return next((each for each in several if each.id == row.get("id")), several[0])
    return several[0]


def _input(program: Program, sent: Exchange) -> bytes:
    """The standard input of a program with what was sent in its last run. Raises Unscored."""
    payload = sent.payload
    if not isinstance(payload, Mapping):
        raise Unscored("what its last run sent to the program was not kept: run the case first")
    if not program.says:
        if payload.get("output_path") and payload.get("output") is None:
            raise Unscored("the answer is so long that the program got it in a file, which is gone")
        return json_input(payload)
    told = json.loads(program.stdin)
    getters = {
        path: value for path, value in told["getters"].items() if value is not None or _at(payload, path) is None
    }
    return json_input({**told, "arguments": payload, "getters": getters})


def _workspace(sent: Exchange) -> Mapping[str, str]:
    """The variable with the workspace of the last run, if it had one. Raises Unscored if that is gone."""
    place = sent.payload.get("workspace_path")
    if not isinstance(place, str) or not place:
        return {}
    if not os.path.isdir(place):  # noqa: PTH112  # `Path.is_dir` raises for a name that is too long
        raise Unscored(
            "the program works in the workspace of its last run, which is gone: keep the workspaces of that run"
        )
    return {_WORKSPACE: place}


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


class _Written:
    """Programs that are not started: those before the one that is looked for return an empty text."""

    def __init__(self, before: int) -> None:
        self.program: Program | None = None
        self._before = before

    async def run(self, program: Program) -> Finished:
        """See `ports.Processes.run`. Raises OSError for the program that is looked for."""
        if self._before:
            self._before -= 1
            return Finished(0, f'{MARK}{{"result": ""}}'.encode(), b"", 0.0)
        self.program = program
        raise OSError(errno.ECANCELED, "it is to be debugged")

    async def serve(self, program: Program) -> Finished:
        """See `ports.Processes.serve`."""
        raise OSError(
            errno.ECANCELED, f"{program.says} is part of a process that grades with all evaluators of its kind"
        )
