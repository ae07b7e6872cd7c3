"""Extensions: functions that run before and after cases, as in `extensions: ["file://setup.py:beforeAll"]`.

The function has the name of its hook and runs in its own process. Its arguments are a context and `{hookName}`:

- `beforeAll` `{suite}`, before the first case of the suite,
- `beforeEach` `{test}`, before each run of a case; it may return `{test}` with other `vars`,
- `afterEach` `{test, result}`, after it,
- `afterAll` `{suite, results}`, after the last case.

If a hook fails before its cases, they have no score; if it fails after them, the failure is reported.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from rubric_core.evaluation.cases.errors import place_words
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.variant import Variant
from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.score import ungraded_words
from rubric_core.lazy_compilation import dataclass, replace
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

    #: The case after the hook before it, which may have changed it.
    case: Runnable
    result: CaseResult | None = None


class Extensions:
    """The extensions of one suite during a run.

    Args:
        cases: The cases that run.
        ports: Files, programs and network.
        told: Called with problems that belong to no case, in one sentence each.
    """

    def __init__(self, cases: Sequence[Runnable], ports: Ports, told: Callable[[str], None]) -> None:
        self._cases, self.tell = cases, told
        self.first = cases[0]
        self.ports = seal(ports, self.first.facts.secrets)
        self._codes = extensions_written(self.first)
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
            await self.after(made.case, problem.reason, None)
            raise
        made.result = await self.after(made.case, "", made.result)

    async def close(self, *, hooks: bool = True) -> None:
        """Run the hooks after the last case; `hooks` is false when the run was aborted."""
        if self._began is None:
            return
        if not self._began.done():
            self._began.cancel()
        await asyncio.wait({self._began})
        if hooks and not self._began.cancelled() and self._began.exception() is None:
            await self._tell_all("afterAll", {"suite": self.suite(), "results": self._results})

    async def _begin(self) -> None:
        given = self.suite()
        for code, made in [each async for each in self.run("beforeAll", {"suite": given})]:
            self.require_part(code, made, "suite")
            changed = self.changed(given, made, "suite") - _TALK
            if changed:
                raise Unscored(
                    f"the extension {code} changes {_listed(changed)} of the suite, which rubric does not support ({self.where()})"
                )

    async def _before(self, case: Runnable) -> Runnable:
        told = {"test": self.test_of(case)}  # as the functions before have left it
        async for code, made in self.run("beforeEach", told):
            self.require_part(code, made, "test")
            changed = self.changed(told["test"], made, "test")
            if changed - _TALK:
                raise Unscored(
                    f"the extension {code} changes {_listed(changed - _TALK)} of the case; rubric supports changes to `vars` only ({self.where()})"
                )
            if "vars" in changed:
                values = made["test"].get("vars")
                own = values if isinstance(values, dict) else {}
                case = replace(case, variant=replace(case.variant or Variant(), variables=own))
                told["test"] = self.test_of(case)
        return case

    async def after(self, case: Runnable, trouble: str, result: CaseResult | None) -> CaseResult | None:
        """Run the hooks after a run of a case; gives its result, with the changes that they may make."""
        told = {"test": self.test_of(case), "result": self.row_of(case, trouble, result)}
        await self._tell_all("afterEach", told)
        self.keep(told)
        return result

    def keep(self, told: Mapping[str, Any]) -> None:
        """Keep the row of a case for the hooks after the last one."""
        if any(self.is_for(code, "afterAll") for code in self._codes):
            self._results.append({"test": told["test"], **told["result"]})

    async def _tell_all(self, hook: str, told: Mapping[str, Any]) -> None:
        """Run hooks after cases: a failure belongs to no case, and their results are ignored."""
        try:
            async for code, made in self.run(hook, told):
                changed = {name for name in told if name != "test" and isinstance(made, dict)} & set(made or ())
                if any(made[name] != jsonable(told[name]) for name in changed):
                    self.tell(f"the extension {code} changes results, which rubric does not support ({self.where()})")
        except Unscored as problem:
            self.tell(problem.reason)

    async def run(self, hook: str, told: Mapping[str, Any]) -> AsyncIterator[tuple[str, Any]]:
        """The return value of each function for a hook. Raises Unscored for the first that fails."""
        case = self.first
        for code in (code for code in self._codes if self.is_for(code, hook)):
            arguments = self.arguments(code, hook, told)
            try:
                made = await run_function(
                    code, language_of(code), arguments, self.ports, case.directory, case.options.time_limit, case.suite, spare=self.is_lenient,
                    function=self.usual_function,
                )  # fmt: skip
            except Unscored as problem:
                raise Unscored(f"the extension {code}: {problem.reason} ({self.where()})") from None
            yield code, made

    # The members below differ between families.

    #: Whether a function gets no more arguments than it takes.
    is_lenient = True
    #: The name of the function in a Python file that is called when none is given.
    usual_function = ""

    def is_for(self, code: str, hook: str) -> bool:
        """Whether a function is called for a hook."""
        return code.rpartition(":")[2] == hook

    def arguments(self, code: str, hook: str, told: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002  # what overrides has it
        """The arguments for a function."""
        return {"context": told, "meta": {"hookName": hook}}

    def require_part(self, code: str, made: Any, part: str) -> None:
        """Raises Unscored for a return value that cannot be read. The hooks of a suite may return anything."""

    def changed(self, given: Mapping[str, Any], made: Any, part: str) -> set[str]:
        """The keys of a part that a hook returned with other values; a hook that returns nothing changes nothing."""
        back = made.get(part) if isinstance(made, dict) else None
        if not isinstance(back, dict):
            return set()
        return {name for name in {*given, *back} if given.get(name) != back.get(name)}

    def test_of(self, case: Runnable) -> dict[str, Any]:
        """A case as its hooks see it."""
        return _test(case)

    def row_of(self, case: Runnable, trouble: str, result: CaseResult | None) -> dict[str, Any]:
        """The result of a case as its hooks see it."""
        return _row(case, trouble, result)

    def suite(self) -> dict[str, Any]:
        """The suite as its hooks see it, with the cases of the run under `tests`."""
        case = self.first
        places = case.suite.places.get("cases")
        written = plain(case.suite.node, case.suite_anchors)
        around = (
            {k: v for k, v in written.items() if places is None or k != places.name}
            if isinstance(written, dict)
            else {}
        )
        return {**around, "tests": [self.test_of(each) for each in self._cases]}

    def where(self) -> str:
        """The line of `extensions`, for the end of a message."""
        case = self.first
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


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


@asynccontextmanager
async def extensions_of(
    cases: Sequence[Runnable],
    ports: Ports,
    told: Callable[[str], None],
    kind_of: Callable[[Runnable], type[Extensions]] = lambda _: Extensions,
) -> AsyncIterator[Mapping[SuiteFacts, Extensions]]:
    """Run the extensions of the suites of these cases around the body of the `with` block; `kind_of` says how those of a case are run."""
    suites: dict[SuiteFacts, list[Runnable]] = {}
    for case in cases:
        if extensions_written(case):
            suites.setdefault(case.facts, []).append(case)
    made = {facts: kind_of(several[0])(several, ports, told) for facts, several in suites.items()}
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
