"""Running a case: `run_case` is the one way to a result, for the command line, the server and the tests alike."""

import logging
import sys
import traceback
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.deadlines import run_within
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.variations import join_variations, variations
from rubric_core.evaluation.engine.attempt import Attempt, graders_of, requested_fields, secrets_of, targets_of
from rubric_core.evaluation.engine.comparability import fingerprint_of_test
from rubric_core.evaluation.engine.crash_reason import crash_reason
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, Listener, Noted, ignore_event
from rubric_core.evaluation.engine.extensions import Extensions, extensions_of
from rubric_core.evaluation.engine.family_runner import Rows, runner_of
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.prepare import require_valid
from rubric_core.evaluation.engine.repeats import repeats_of, run_repeats
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.workspaces.workspace import Workspaces
from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.language.model import RunSettings
from rubric_core.language.shape import children
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import default_name
from rubric_core.ports import Ports

__all__ = [
    "RunSession",
    "compared",
    "require_runnables",
    "run_case",
    "run_in_session",
    "save_recordings",
    "session_of",
    "unrun_result",
]

#: Imported when something is run and not before; the second, which loads pydantic, when a judge grades, the third when what
#: it says is recorded or was.
_PROVIDERS = "rubric_core.evaluation.targets.providers"
_REPLIES, _RECORDINGS = "rubric_core.evaluation.judging.replies", "rubric_core.evaluation.judging.recordings"
_JUDGED = (LlmJudge, Rubric)


class RunSession(NamedTuple):
    """The state that the cases of one run share."""

    workspaces: Workspaces
    #: By the facts of their suite, which its cases share.
    extensions: Mapping[SuiteFacts, Extensions]
    #: What cases leave for later ones, as their family has it; also by the facts of their suite.
    shared: dict[SuiteFacts, Any]


async def run_case(case: Runnable, ports: Ports | None = None, on_event: Listener = ignore_event) -> CaseResult:
    """Ask the target of a case, grade its answer, and give the verdict.

    Whatever goes wrong is in the result: a case that cannot be scored is `unscored`, with a sentence that says why and what
    to do. Only cancellation gets out; it ends requests and programs at once. `ports` are files, programs and network: those of
    this computer when nothing is said. Raises TypeError for anything but a case of a suite.
    """
    require_runnables([case])
    if ports is None:
        from rubric_core.adapters import system_ports  # noqa: PLC0415  # only a caller without ports needs the system's

        async with system_ports() as own:
            return await run_in_session(case, own, on_event)
    return await run_in_session(case, ports, on_event)


async def run_in_session(
    case: Runnable, ports: Ports, on_event: Listener, session: RunSession | None = None
) -> CaseResult:
    """Like `run_case`, in the session of the case's run; by default in a new session."""
    case = case.reading(ports.files)
    configs = graders_of(case)
    _load_modules(case, configs)  # before the clock starts: the first case is not charged for it
    runner_of(case)  # imports what its family needs
    began = ports.clock.seconds()
    on_event(CaseStarted(case.id, tuple(default_name(config) for config in configs)))
    base = unrun_result(case, ports)
    try:
        several = [each.reading(ports.files) for each in variations(case)]
        if len(several) > 1:
            results = [await _run_variation(each, ports, on_event, session) for each in several]
            result = join_variations(base, await compared(list(zip(several, results, strict=True)), ports))
        else:
            result = await _run_in_workspace(several[0], ports, on_event, base, session)
            if case.variant is None:
                (result,) = await compared([(several[0], result)], ports)
    except Unscored as problem:
        result = _without_score(base, problem, case)
    except Exception as error:  # noqa: BLE001  # it is the reason of the result
        # A mistake of ours in one case keeps no other case from being run, and is not a score.
        told = secrets_of(case, ports)(traceback.format_exc())
        logging.getLogger(__name__).debug("while running %s:\n%s", case.id, told)
        result = replace(base, reason=crash_reason(error, case.blame(case.case)))
    result = replace_fields(
        secrets_of(case, ports).within(result),
        duration_ms=(ports.clock.seconds() - began) * 1000,
        at=ports.clock.now().isoformat(timespec="seconds"),
    )
    on_event(CaseDone(case.id, result))
    return result


def _load_modules(case: Runnable, configs: Iterable[EvaluatorConfig]) -> None:
    """Load the modules that the run of a case needs."""
    names = [_PROVIDERS]
    if any(isinstance(shape, _JUDGED) for config in configs for shape in children(config)):
        names += [_REPLIES] if case.options.mode == "auto" else [_REPLIES, _RECORDINGS]
    for name in names:
        if name not in sys.modules:
            import_module(name)


async def compared(rows: Rows, ports: Ports) -> list[CaseResult]:
    """The results of variations, after the comparisons between them."""
    first = next((case for case, _ in rows if case.compared_in is not None), None)
    return [result for _, result in rows] if first is None else await runner_of(first).compare(rows, ports)


def require_runnables(cases: object) -> None:
    """Raises TypeError for anything but cases of a suite, as `load_suite` and `suite_from_data` give them."""
    listed = cases if isinstance(cases, Sequence) and not isinstance(cases, str) else [cases]
    other = next((each for each in listed if not isinstance(each, Runnable)), None)
    if other is not None or listed is not cases:
        raise TypeError(f"cases must be those of a suite, as in `load_suite(path).cases`, found {other or cases!r:.60}")


async def _run_variation(case: Runnable, ports: Ports, on_event: Listener, session: RunSession | None) -> CaseResult:
    """The result of one variation. Its events are those of the case, which it cannot begin or end."""
    base = unrun_result(case, ports)
    try:
        return await _run_in_workspace(case, ports, on_event, base, session)
    except Unscored as problem:
        return _without_score(base, problem, case)


def _without_score(base: CaseResult, problem: Unscored, case: Runnable) -> CaseResult:
    """The result of an unscored case: the reason, and the requests that were sent nevertheless."""
    where = case.blame(problem.at) if problem.at is not None else ""
    costs = [each.cost_usd for each in problem.usage if each.cost_usd is not None]
    cost = sum(costs) if costs else None
    return replace(
        base, reason=f"{problem.reason}{where}", exchanges=problem.exchanges, usage=problem.usage, cost_usd=cost
    )


async def _run_in_workspace(
    case: Runnable, ports: Ports, on_event: Listener, base: CaseResult, session: RunSession | None
) -> CaseResult:
    """The result of a case, or of one variation, with the workspaces that it needs. Raises Unscored."""
    if session is not None:
        return await _in_time(_result(case, ports, on_event, base, session), *_limit(case))
    async with session_of((case,), ports, on_event) as own:
        return await _in_time(_result(case, ports, on_event, base, own), *_limit(case))


def _limit(case: Runnable) -> tuple[float | None, str]:
    """The time limit of a case in seconds, if there is one, and the key that sets it."""
    run, options = case.case.run, case.suite.evaluate_options
    if isinstance(run, RunSettings) and run.timeout_seconds is not None:
        return float(run.timeout_seconds), "`timeout_seconds` of the case"
    if case.suite.timeout_seconds is not None:
        return float(case.suite.timeout_seconds), "`timeout_seconds`"
    if options is not None and options.timeout_ms is not None:
        return options.timeout_ms / 1000, "`timeout_ms`"
    return None, ""


async def _in_time(work: Coroutine[Any, Any, CaseResult], seconds: float | None, where: str) -> CaseResult:
    """The result, if it comes in time; else the work is ended. Raises Unscored."""
    result = await run_within(work, seconds)
    if result is None:
        raise Unscored(f"stopped: the case took longer than {seconds:g} s ({where})")
    return result


def unrun_result(case: Runnable, ports: Ports) -> CaseResult:
    """The result of a case before it is run: everything that is known without running it."""
    targets = targets_of(case, ports)
    requested = requested_fields(case, ports.files)
    return CaseResult(
        id=case.id, verdict=Verdict.UNSCORED, dialect=case.dialect.name, line=case.line, file=case.file_name,
        fingerprint=fingerprint(case, ports.files, targets),
        test_fingerprint=fingerprint_of_test(case, ports.files, targets, requested["threshold"]),
        details=case.row_details, **requested,
    )  # fmt: skip


@asynccontextmanager
async def session_of(cases: Sequence[Runnable], ports: Ports, on_event: Listener) -> AsyncIterator[RunSession]:
    """The session of a run of some cases: set up before the first case and closed after the last."""
    keep = cases[0].options.keep_workspaces if cases else "never"
    made = Workspaces(ports, keep, lambda message: on_event(Noted(message)))
    done = False
    try:
        async with extensions_of(cases, ports, lambda message: on_event(Noted(message)), _extensions_of) as extensions:
            yield RunSession(made, extensions, {})
        done = True
    except Unscored:
        done = True
        raise
    finally:
        await made.close(hooks=done)


def _extensions_of(case: Runnable) -> type[Extensions]:
    """How the extensions of a suite are run."""
    return runner_of(case).extensions


async def _result(
    case: Runnable, ports: Ports, on_event: Listener, base: CaseResult, session: RunSession
) -> CaseResult:
    """Raises Unscored."""
    runner = runner_of(case)
    require_valid(case)
    runner.refuse(case)
    case = runner.begin(case, session.shared)
    ports = await runner.environment(case, ports)
    case.facts.secrets.add(secrets_of(case, ports))
    extensions, workspaces = session.extensions.get(case.facts), session.workspaces
    if extensions is None:
        ready = await runner.prepare(case, ports)
        repeats = repeats_of(ready)
        once = partial(_once, ready, ports, on_event, base, workspaces)
    else:
        repeats = repeats_of(await runner.fill_in(case, ports))
        once = partial(_extended, extensions, case, ports, on_event, base, workspaces)
    return await run_repeats(repeats, once, case.dialect.properties) if repeats.count > 1 else await once(1)


async def _extended(
    extensions: Extensions, case: Runnable, ports: Ports, on_event: Listener, base: CaseResult, workspaces: Workspaces, number: int
) -> CaseResult:  # fmt: skip
    """One run of a case between the hooks of its suite, which may change it. Raises Unscored."""
    async with extensions.around(case) as around:
        ready = await runner_of(around.case).prepare(around.case, ports)
        around.result = await _once(ready, ports, on_event, base, workspaces, number)
    if around.result is None:
        raise Unscored("the extensions of the suite left no result")
    return around.result


async def _once(
    ready: Runnable, ports: Ports, on_event: Listener, base: CaseResult, workspaces: Workspaces, number: int
) -> CaseResult:
    """One run of a case that is ready for it. Raises Unscored."""
    requested = requested_fields(ready, ports.files)
    if any(getattr(base, name) != value for name, value in requested.items()):  # templates or hooks may change it
        base = replace_fields(base, **requested)
    attempt: Attempt | None = None
    try:
        async with workspaces.lend(ready) as workspace:
            attempt = runner_of(ready).attempt(ready)(ready, ports, on_event, number, workspace)
            result = await attempt.result(base)
            if workspace is not None:
                workspace.failed = result.verdict is not Verdict.PASSED
            return result
    except Unscored as problem:
        # The line to report is one of the case after filling in.
        where = ready.blame(problem.at) if problem.at is not None else ""
        told = Unscored(f"{problem.reason}{where}", problem.criteria, problem.request)
        if attempt is not None:
            told.exchanges, told.usage = attempt.log.exchanges, attempt.usage()
        raise told from None


def save_recordings(cases: Sequence[Runnable]) -> None:
    """Save the replies of judges that were recorded during a run. Raises OSError."""
    for case in cases:
        found = case.facts.recordings
        if found is not None and found.changed:
            found.save()
