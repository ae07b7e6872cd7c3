"""Extensions: functions of a suite around its cases, `extensions: ["file://setup.py:beforeAll"]`, each in its own process.

The function has the name of its hook. It is given a context and `{hookName}`:

- `beforeAll` `{suite}`, before the first case of the suite,
- `beforeEach` `{test}`, before each run of a case; it may give back `{test}` with other `vars`,
- `afterEach` `{test, result}`, after it,
- `afterAll` `{suite, results}`, after the last case.

If a hook fails before its cases, they have no score; if it fails after them, the failure is reported.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from rubric_core.evaluation.cases.errors import place_words
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.variant import Variant
from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.score import ungraded_words
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports
from rubric_core.syntax.plain_data import plain

__all__ = ["Extensions", "HookedRun", "extensions_of", "extensions_written"]

#: Keys that a hook may return in another form without changing a result.
_TALK = frozenset({"vars", "metadata", "description"})


def extensions_written(case: Runnable) -> list[str]:
    """The extensions of a suite that are functions, verbatim."""
    return [each for each in case.suite.extensions or () if isinstance(each, str) and each.startswith(URL)]


@dataclass
class HookedRun:
    """One run of a case between its hooks."""

    #: The case, with what the hook before it changed.
    case: Runnable
    result: CaseResult | None = None


class Extensions:
    """The extensions of one suite during a run.

    Args:
        cases: The cases that run.
        ports: The outside.
        told: Called with problems that belong to no case, in one sentence each.
    """

    def __init__(self, cases: Sequence[Runnable], ports: Ports, told: Callable[[str], None]) -> None:
        self._cases, self._ports, self._told = cases, ports, told
        self._first = cases[0]
        self._hooks = [(each, each.rpartition(":")[2]) for each in extensions_written(self._first)]
        self._began: asyncio.Future[None] | None = None
        self._results: list[dict[str, Any]] = []

    @asynccontextmanager
    async def around(self, case: Runnable) -> AsyncIterator[HookedRun]:
        """The hooks of one run of a case. Raises Unscored when a hook before it fails."""
        if self._began is None:
            self._began = asyncio.ensure_future(self._begin())
        await asyncio.shield(self._began)
        made = HookedRun(await self._before(case))
        try:
            yield made
        except Unscored as problem:
            await self._after(made.case, problem.reason, None)
            raise
        await self._after(made.case, "", made.result)

    async def close(self, *, hooks: bool = True) -> None:
        """Run the hooks after the last case; `hooks` is false when the run was aborted."""
        if self._began is None:
            return
        if not self._began.done():
            self._began.cancel()
        await asyncio.wait({self._began})
        if hooks and not self._began.cancelled() and self._began.exception() is None:
            await self._tell_all("afterAll", {"suite": self._suite(), "results": self._results})

    async def _begin(self) -> None:
        given = self._suite()
        for code, made in [each async for each in self._run("beforeAll", {"suite": given})]:
            changed = _changed(given, made, "suite") - _TALK
            if changed:
                raise Unscored(
                    f"the extension {code} changes {_listed(changed)} of the suite, which rubric does not support ({self._where()})"
                )

    async def _before(self, case: Runnable) -> Runnable:
        async for code, made in self._run("beforeEach", {"test": _test(case)}):
            changed = _changed(_test(case), made, "test")
            if changed - _TALK:
                raise Unscored(
                    f"the extension {code} changes {_listed(changed - _TALK)} of the case; rubric supports changes to `vars` only ({self._where()})"
                )
            if "vars" in changed:
                values = made["test"].get("vars")
                own = values if isinstance(values, dict) else {}
                case = replace(case, variant=replace(case.variant or Variant(), variables=own))
        return case

    async def _after(self, case: Runnable, trouble: str, result: CaseResult | None) -> None:
        told = {"test": _test(case), "result": _row(case, trouble, result)}
        await self._tell_all("afterEach", told)
        if any(hook == "afterAll" for _, hook in self._hooks):
            self._results.append({"test": told["test"], **told["result"]})

    async def _tell_all(self, hook: str, told: Mapping[str, Any]) -> None:
        """Run hooks after cases: a failure belongs to no case, and their results are ignored."""
        try:
            async for code, made in self._run(hook, told):
                changed = {name for name in told if name != "test" and isinstance(made, dict)} & set(made or ())
                if any(made[name] != jsonable(told[name]) for name in changed):
                    self._told(f"the extension {code} changes results, which rubric does not support ({self._where()})")
        except Unscored as problem:
            self._told(problem.reason)

    async def _run(self, hook: str, told: Mapping[str, Any]) -> AsyncIterator[tuple[str, Any]]:
        """The return value of each function for a hook. Raises Unscored for the first that fails."""
        case = self._first
        for code in (code for code, each in self._hooks if each == hook):
            arguments = {"context": told, "meta": {"hookName": hook}}
            try:
                made = await run_function(
                    code, language_of(code), arguments, self._ports, case.directory, case.options.time_limit, case.suite, spare=True
                )  # fmt: skip
            except Unscored as problem:
                raise Unscored(f"the extension {code}: {problem.reason} ({self._where()})") from None
            yield code, made

    def _suite(self) -> dict[str, Any]:
        case = self._first
        places = case.suite.places.get("cases")
        written = plain(case.suite.node, case.suite_anchors)
        around = (
            {k: v for k, v in written.items() if places is None or k != places.name}
            if isinstance(written, dict)
            else {}
        )
        return {**around, "tests": [_test(each) for each in self._cases]}

    def _where(self) -> str:
        case = self._first
        line = case.suite_line(case.suite.key_at("extensions"))
        return place_words(case.path if case.file is not None else None, line)


def _test(case: Runnable) -> dict[str, Any]:
    """A case as its hooks see it; values of the environment are not filled in."""
    written = plain(case.case.node, case.anchors) if case.case.node is not None else {}
    test = {**(written if isinstance(written, dict) else {}), "id": case.id, "vars": dict(case.variables)}
    return {name: jsonable(value) for name, value in test.items()}


def _row(case: Runnable, trouble: str, result: CaseResult | None) -> dict[str, Any]:
    if result is None:
        return {"success": False, "score": 0, "error": trouble or "not run", "namedScores": {}}
    row = {
        "success": result.verdict is Verdict.PASSED, "score": result.score, "verdict": result.verdict.value, "error": ungraded_words(result.grader_errors) or None,
        "reason": result.reason, "response": {"output": result.answer}, "latencyMs": result.duration_ms, "cost": result.cost_usd,
        "namedScores": {each.name: each.score for each in result.evaluators}, "provider": result.target, "vars": dict(case.variables),
    }  # fmt: skip
    return {name: jsonable(value) for name, value in row.items()}


def _changed(given: Mapping[str, Any], made: Any, part: str) -> set[str]:
    """The keys that a hook returned with other values; a hook that returns nothing changes nothing."""
    back = made.get(part) if isinstance(made, dict) else None
    if not isinstance(back, dict):
        return set()
    return {name for name in {*given, *back} if given.get(name) != back.get(name)}


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


@asynccontextmanager
async def extensions_of(
    cases: Sequence[Runnable], ports: Ports, told: Callable[[str], None]
) -> AsyncIterator[Mapping[SuiteFacts, Extensions]]:
    """Run the extensions of the suites of these cases around the body of the `with` block."""
    suites: dict[SuiteFacts, list[Runnable]] = {}
    for case in cases:
        if extensions_written(case):
            suites.setdefault(case.facts, []).append(case)
    made = {facts: Extensions(several, ports, told) for facts, several in suites.items()}
    done = False
    try:
        yield made
        done = True
    except Unscored:
        done = True
        raise
    finally:
        for each in made.values():
            await each.close(hooks=done)
