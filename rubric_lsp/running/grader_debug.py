"""The request of the test protocol that debugs a grader (docs/test-protocol.md)."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.running.explorer_tree import TestTree
from rubric_lsp.running.known_results import KnownResults
from rubric_lsp.running.run_request import CaseSelection, RunRequest
from rubric_lsp.running.runs import RunManager

if TYPE_CHECKING:
    from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
    from rubric_lsp.protocol.wire_types.explorer import DebuggedGrader, GraderProgram
    from rubric_lsp.running.selection import SelectedCases

__all__ = ["GraderDebug"]


class GraderDebug:
    """Tells a client how to start graders under its debugger."""

    def __init__(self, known: KnownResults, tree: TestTree, runs: RunManager) -> None:
        self._known, self._tree, self._runs = known, tree, runs

    async def launch(self, params: Mapping[str, Any] | None) -> "DebuggedGrader":
        """`rubric/debugGrader`. Raises RequestFailedError for a test that is not an evaluator."""
        from rubric_core.evaluation.engine.grader_launch import grader_launch  # noqa: PLC0415  # what runs need
        from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415

        test = (params or {}).get("testId")
        uri, name, evaluator = self._tree.find(test) if isinstance(test, str) else ("", "", "")
        if not evaluator:
            raise RequestFailedError(INVALID_PARAMS, f"testId must be the id of an evaluator, found {test!r:.100}")
        order = RunRequest((CaseSelection(uri, (name,), evaluator),))
        await self._runs.read_results(order)
        if name not in self._known.record.last(uri):
            return {"trouble": f"{name} has no answer yet that {evaluator} could grade: run it first"}
        permitted = await self._runs.permitted(order)
        if permitted is None:
            return {}
        part, ports, guard = permitted
        try:
            last, graded = self._graded(part)
            made = await grader_launch(part.cases[0], part.number, last, graded, ports, guard)
        except Unscored as problem:
            return {"trouble": problem.reason}
        from rubric_core.adapters import filtered  # noqa: PLC0415

        kind, runtime, options, arguments = made.interpreted
        program: GraderProgram = {
            "kind": kind, "runtime": runtime, "options": list(options), "arguments": list(arguments), "cwd": made.directory,
            "environment": {**filtered(os.environ), **made.environment}, "stdin": made.stdin,
        }  # fmt: skip
        return {"launch": program}

    def _graded(self, part: "SelectedCases") -> "tuple[CaseResult, EvaluatorResult]":
        """The last result of the case, and that of the evaluator. Raises Unscored without any of this user."""
        from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415
        from rubric_core.loading.grading import default_name  # noqa: PLC0415

        case = part.cases[0]
        known = self._known.record.last(part.uri).get(case.id)
        if known is None or not known.is_own:
            raise Unscored(f"{case.id} has no answer of a run of yours: run it first")
        last, number = known.result, part.place
        shown = self._known.results(self._known.at(part.uri)).get(case.id)
        newer = shown.newer.get(number) if shown is not None else None
        graded = newer or (last.evaluators[number - 1] if number <= len(last.evaluators) else None)
        name = default_name(case.evaluators[part.number - 1])
        if graded is None or graded.name != name:
            raise Unscored(f"{case.id} did not have {part.evaluator} when it ran last: run it first")
        return last, graded
