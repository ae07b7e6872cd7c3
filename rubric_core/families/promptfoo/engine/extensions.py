"""Extensions of promptfoo: functions around a run and its rows, as in `file://hooks.py:beforeEach`.

A function with the name of a hook is called for it, with its context and `{hookName}`; any other is called for every hook, with the
name of the hook and the context.
"""

import json
from collections.abc import Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.extensions import Extensions
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.model.assertion import given_score
from rubric_core.loading.directory_search import URL

__all__ = ["PromptfooExtensions"]

_HOOKS = frozenset({"beforeAll", "beforeEach", "afterEach", "afterAll"})
#: The keys that a hook before the run may return for the whole configuration.
_PARTS = ("prompts", "tests", "scenarios", "defaultTest", "nunjucksFilters", "derivedMetrics", "redteam")
_NAMED = "namedScores"
#: The reasons of a failure: none, an assertion, an error.
_NONE, _ASSERTION, _ERROR = range(3)


class PromptfooExtensions(Extensions):
    """The extensions of one configuration during a run."""

    is_lenient = False
    usual_function = "get_transform"

    def is_for(self, code: str, hook: str) -> bool:
        """See `Extensions.is_for`: a function of another name is called for every hook."""
        return _hook_of(code) in ("", hook)

    def arguments(self, code: str, hook: str, told: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Extensions.arguments`."""
        context = json.loads(json.dumps(told, default=str))  # as a program gets it
        return (
            {"context": context, "meta": {"hookName": hook}} if _hook_of(code) else {"hook": hook, "context": context}
        )

    def require_part(self, code: str, made: Any, part: str) -> None:
        """See `Extensions.require_part`: promptfoo stops at any other return value."""
        if made and not (isinstance(made, dict) and isinstance(made.get(part), dict)):
            raise Unscored(f"the extension {code} returned no `{part}` ({self.where()})")

    def changed(self, given: Mapping[str, Any], made: Any, part: str) -> set[str]:
        """See `Extensions.changed`; values are compared as JSON, in which functions get them."""
        found = super().changed(json.loads(json.dumps(given, default=str)), made, part)
        return found & {*_PARTS} if part == "suite" else found

    def suite(self) -> dict[str, Any]:
        """The configuration as its hooks see it."""
        first = self.first
        if not isinstance(first, PromptfooRunnable):
            return super().suite()
        matrix, data = first.matrix, first.matrix.configuration.data
        written = {name: data[name] for name in (*_PARTS, "extensions", "tags", "env", "description") if name in data}
        prompts = [{"raw": each.text, "label": each.label, "config": dict(each.config)} for each in matrix.prompts]
        providers = [{"id": each.id, "label": each.label} for each in matrix.providers]
        return {"defaultTest": {}, "nunjucksFilters": {}, **written, "prompts": prompts, "providers": providers}

    def test_of(self, case: Runnable) -> dict[str, Any]:
        """See `Extensions.test_of`: the test with its defaults and the values of the row."""
        if not isinstance(case, PromptfooRunnable):
            return super().test_of(case)
        assertions = [dict(settings) for settings, _ in case.test.assertions]
        return {"options": {}, "metadata": {}, **case.test.data, "vars": dict(case.variables), "assert": assertions}

    def row_of(self, case: Runnable, trouble: str, result: CaseResult | None) -> dict[str, Any]:
        """See `Extensions.row_of`."""
        if not isinstance(case, PromptfooRunnable):
            return super().row_of(case, trouble, result)
        provider, prompt = case.provider, case.sent_prompt
        verdict = result.verdict if result is not None else Verdict.UNSCORED
        failure = _NONE if verdict is Verdict.PASSED else _ERROR if verdict is Verdict.UNSCORED else _ASSERTION
        sent = [each for each in result.exchanges if each.role == "target"] if result is not None else []
        raw = sent[0].messages[-1].content if sent and sent[0].messages else prompt.text if prompt is not None else ""
        row: dict[str, Any] = {
            "provider": {"id": provider.id, "label": provider.label} if provider is not None else {},
            "prompt": {"raw": raw, "label": prompt.label if prompt is not None else "", "config": {}},
            "vars": dict(case.variables), "testCase": self.test_of(case), "success": failure == _NONE, "failureReason": failure,
            "score": (given_score(result) if result is not None else None) or 0, _NAMED: _named_scores(result), "metadata": {},
            "latencyMs": round(result.duration_ms or 0) if result is not None else 0, "cost": (result.cost_usd if result is not None else None) or 0,
        }  # fmt: skip
        if result is not None and failure != _ERROR:
            row["response"] = {"output": result.answer, "metadata": {}}
            row["gradingResult"] = {
                "pass": failure == _NONE, "score": given_score(result) or 0, "reason": result.reason, _NAMED: _named_scores(result),
                "componentResults": [
                    {"pass": each.verdict is Verdict.PASSED, "score": given_score(each) or 0, "reason": "; ".join(each.misses), "assertion": {"type": each.type}}
                    for outer in result.evaluators for each in outer.flat()
                ],
            }  # fmt: skip
        return (
            {**row, "error": trouble or (result.reason if result is not None and failure else "")} if failure else row
        )

    async def after(self, case: Runnable, trouble: str, result: CaseResult | None) -> CaseResult | None:
        """Run the hooks after a row. They may add named scores to it; if one fails, the row is unchanged."""
        told = {"test": self.test_of(case), "result": self.row_of(case, trouble, result)}
        named = dict(told["result"][_NAMED])
        try:
            async for _, made in self.run("afterEach", told):
                back = made.get("result") if isinstance(made, dict) else None
                named |= _finite(back.get(_NAMED)) if isinstance(back, dict) else {}
                told["result"] = {**told["result"], _NAMED: dict(named)}
        except Unscored as problem:
            self.tell(problem.reason)
            return result
        self.keep(told)
        if result is None or named == _named_scores(result):
            return result
        return replace_fields(result, details={**(result.details or {}), "named_scores": named})


def _hook_of(code: str) -> str:
    """The hook that a function is named after; empty for any other."""
    name = code.removeprefix(URL).rpartition(":")[2]
    return name if name in _HOOKS else ""


def _named_scores(result: CaseResult | None) -> dict[str, float]:
    return dict((result.details or {}).get("named_scores") or {}) if result is not None else {}


def _finite(named: Any) -> dict[str, float]:
    """The scores that are numbers."""
    found = named.items() if isinstance(named, dict) else ()
    return {n: v for n, v in found if finite_number(v) is not None}
