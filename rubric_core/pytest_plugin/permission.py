"""Which cases run under pytest: those of trusted folders that do nothing which their folder does not remember."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from rubric_core.control_characters import reveal
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.model.plan import Plan
from rubric_core.ports import Ports
from rubric_core.trust import Trust

__all__ = ["NotAllowedError", "permitted_plan", "remember_first_run", "require_allowed"]


class NotAllowedError(Exception):
    """Cases that nobody has allowed to run; the message says why, and what allows them."""


async def permitted_plan(suite: LoadedSuite, cases: Sequence[Runnable], ports: Ports) -> Plan:
    """The plan of running cases of a suite. Raises NotAllowedError unless they may run."""
    folder = Trust().folder_of(suite.path)
    if folder is None:
        raise NotAllowedError(
            f"not run: {suite.path.parent} is not trusted, and running a suite executes its targets and graders.\n"
            f"`rubric trust FOLDER` allows the suites in a folder to run."
        )
    plan = await plan_run(cases, ports, [folder])
    require_allowed(folder, plan, "--make-cases " if suite.programs else "")
    return plan


def require_allowed(folder: Path, plan: Plan, options: str = "") -> None:
    """Raises NotAllowedError if a plan does what its folder does not remember; `options` are those of the command that allows it."""
    if plan.unknown:
        raise NotAllowedError(f"not run: {plan.unknown}")
    try:
        new = Trust().allowed(folder, [plan])
    except OSError as error:
        raise NotAllowedError(f"not run: what {folder} remembers cannot be used: {error}") from None
    if new:
        raise NotAllowedError(
            f"not run: {folder} is trusted, but this does what was not allowed before:\n"
            f"{_lines(plan, folder, new.values())}\n"
            f"`rubric trust {options}{folder}` shows what the suites in it do, and allows that."
        )


async def remember_first_run(suites: Iterable[tuple[Path, Sequence[Runnable]]], ports: Ports) -> None:
    """Let folders without a memory remember all that a session runs in them, as their first run."""
    trust = Trust()
    plans: dict[Path, list[Plan]] = {}
    for suite, cases in suites:
        folder = trust.folder_of(suite)
        if folder is not None and not trust.has_memory(folder):
            plans.setdefault(folder, []).append(await plan_run(cases, ports, [folder]))
    for folder, several in plans.items():
        if not any(plan.unknown for plan in several):
            trust.allowed(folder, several)


def _lines(plan: Plan, folder: Path, new: Collection[str]) -> str:
    files = {line: f" ({file})" for line, file in plan.found_programs(folder).items()}
    listed = ((title, line) for title, lines in plan.parts(folder) for line in lines if line in new)
    return "\n".join(f"  {title}: {reveal(line)}{files.get(line, '')}" for title, line in listed)
