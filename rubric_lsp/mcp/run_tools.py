"""Tools about runs: one case, stored results, comparisons."""

from functools import reduce
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language
from rubric_core.cli.selection import is_partial, named_cases, with_needed_variations
from rubric_core.cli.stored_run import StoredRun
from rubric_core.configuration import Configurations
from rubric_core.evaluation.cases.load import LoadedSuite, load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.comparison.runs import chosen_runs, compare_runs
from rubric_core.evaluation.engine.events import CaseDone, Event
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.reporting.comparison_report import comparison_row
from rubric_core.evaluation.reporting.explain import explanation
from rubric_core.evaluation.reporting.rows import case_row, run_row
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunCase, RunState
from rubric_core.ports import Ports
from rubric_lsp.mcp.served_folder import ServedFolder, expected_errors
from rubric_lsp.permission import Permission
from rubric_lsp.running.permission_prompt import Plans, settled_plans
from rubric_lsp.running.selection import SelectedCases

__all__ = ["RunTools"]


class RunTools:
    """Each public method is a tool; its docstring is the description that clients see."""

    def __init__(self, folder: ServedFolder) -> None:
        self._folder = folder

    async def run_case(self, suite: str, case: str, replay: bool = True, target: str = "") -> dict[str, Any]:
        """Run a case and those that it depends on, grade the answers and store the results.

        This executes programs and calls targets, so a person has to allow it first with `rubric trust` in a terminal.

        Args:
            suite: The suite, relative to the served folder.
            case: The id of the case; a pattern such as refund* runs several.
            replay: Whether to use only recorded judge replies. Otherwise, a judge is called for replies that are not
                recorded, which costs money.
            target: The target that answers, instead of the suite's own.
        """
        path = self._folder.path(suite)
        with expected_errors():
            options = Options(mode="replay" if replay else "auto", target=target or None)
            language = Language()
            dialect = Configurations(language).for_file(path).dialect
            loaded = load_suite(path, language, options=options, dialect=dialect)
            cases = with_needed_variations(named_cases(loaded, [case]), loaded.cases)
            async with system_ports() as ports:
                plans = await self._permitted_plans(loaded, cases, ports)
                results, notes = await self._run(loaded, cases, guarded(ports, reduce(Plan.joined, plans)))
        return {
            "cases": [{**case_row(each), "explanation": explanation(each)} for each in results],
            "notes": notes,
        }

    async def _run(self, suite: LoadedSuite, cases: list[Runnable], ports: Ports) -> tuple[list[CaseResult], list[str]]:
        """The stored results, and notes about the run. Raises OSError."""
        notes: list[str] = []
        by_id = {each.id: each for each in cases}
        stored = StoredRun(
            ("rubric", "mcp", "run_case", *by_id),
            [suite.path],
            notes.append,
            stores=True,
            partial=is_partial(suite, cases),
        )

        def heard(event: Event) -> None:
            if isinstance(event, CaseDone):
                stored.add(suite.path, by_id.get(event.result.id), event.result)

        state = RunState.STOPPED
        try:
            results = await run_cases(cases, ports, heard)
            state = RunState.DONE
        finally:
            stored.end(state)
        return results, notes

    async def _permitted_plans(self, suite: LoadedSuite, cases: list[Runnable], ports: Ports) -> Plans:
        """The consequences of a run. Raises ToolError if it is not allowed, by the same rules as in editors."""
        permission = Permission()
        if not permission.allows(suite.path):
            raise ToolError(f"{self._folder.shown(suite.path)} is not in a trusted folder: {_ask(self._folder.root)}")
        part = SelectedCases(suite.path.as_uri(), suite.path, tuple(cases), suite.analysis.dialect.name)
        plans, new = await settled_plans(permission, [part], ports)
        if new:
            lines = "\n".join(f"- {words}" for words in new)
            raise ToolError(
                f"this run would do what was not allowed before:\n{lines}\n{_ask(permission.home(suite.path))}"
            )
        return plans

    def results(self, run: str = "", case: str = "", limit: int = 20) -> dict[str, Any]:
        """The stored runs of this repository, newest first; or the cases of one run; or one case in full.

        Args:
            run: An id or the beginning of one, `last`, `last~2`, a commit, or the name of a baseline.
            case: The id of a case of the run.
            limit: The maximum number of runs to list.
        """
        with expected_errors():
            database = ResultDatabase.at(self._folder.root)
            if not run and not case:
                return {"runs": [{**run_row(each), "own": each.is_own} for each in database.runs(limit=limit)]}
            found = database.find(run or "last")
            cases = [each for each in database.cases(found) if case in ("", each.id)]
        if case and not cases:
            raise ToolError(f"the run {found.id} has no case {case}")
        return {
            "run": {**run_row(found), "own": found.is_own},
            "cases": [_in_full(each) if case else _in_short(each) for each in cases],
        }

    def compare(self, before: str = "", after: str = "") -> dict[str, Any]:
        """Compare two stored runs case by case: what flipped, and whether that is more than noise.

        Args:
            before: The run to compare with (default: the one before the last, of the same suites).
            after: The run to examine (default: the last one).
        """
        with expected_errors():
            database = ResultDatabase.at(self._folder.root)
            return comparison_row(compare_runs(database, *chosen_runs(database, before or None, after or None)))


def _ask(folder: Path) -> str:
    """What somebody has to do before a run."""
    return f"nothing was run; ask a person to run `rubric trust {folder}` in a terminal"


def _in_short(case: RunCase) -> dict[str, Any]:
    verdict, score = case.summary.verdict.value, case.summary.score
    return {
        "suite": case.suite,
        "id": case.id,
        "target": case.target,
        "verdict": verdict,
        "score": score,
        "own": case.is_own,
    }


def _in_full(case: RunCase) -> dict[str, Any]:
    return {"suite": case.suite, **case_row(case.result), "own": case.is_own, "explanation": explanation(case.result)}
