"""Running cases: targets answer, evaluators score, dialects decide. `run_case` is the entry point.

Names are imported when they are first asked for; nothing here loads httpx or pydantic before something is run.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric_core.evaluation.context import (
        EVALUATOR_KINDS,
        EvaluationContext,
        EvaluationScore,
        Evaluator,
        EvaluatorConfig,
        EvaluatorKind,
        PromptInputs,
        ResolvedTarget,
        is_evaluator_kind,
    )  # fmt: skip
    from rubric_core.evaluation.evaluators.code import CodeEvaluator
    from rubric_core.evaluation.evaluators.llm_judge import JudgeResolver, LlmJudgeEvaluator
    from rubric_core.evaluation.events import (
        Answered,
        CaseDone,
        CaseStarted,
        CriterionJudged,
        EvaluatorDone,
        EvaluatorStarted,
        Event,
        Listener,
        Noted,
    )  # fmt: skip
    from rubric_core.evaluation.from_data import case_from_data, suite_from_data
    from rubric_core.evaluation.grade import CaseScore, run_evaluators_for_case
    from rubric_core.evaluation.judging.brought import Judge, Reply
    from rubric_core.evaluation.marks import Mark, marks_of
    from rubric_core.evaluation.registry import build_evaluator_registry, evaluator_for
    from rubric_core.evaluation.result import CaseResult, CriterionResult, EvaluatorResult, Unscored, Verdict
    from rubric_core.evaluation.rows import case_row, evaluation_row
    from rubric_core.evaluation.run import run_case, save_recordings
    from rubric_core.evaluation.runnable import Options, Runnable, runnables
    from rubric_core.evaluation.schedule import run_cases
    from rubric_core.evaluation.store import ResultStore, StoredCase
    from rubric_core.evaluation.suites import InvalidSuiteError, LoadedSuite, NoSuiteError, load_suite

_HOMES = {
    "Judge": "judging.brought", "JudgeResolver": "evaluators.llm_judge", "Noted": "events", "Reply": "judging.brought", "save_recordings": "run",
    "Answered": "events", "CaseDone": "events", "CaseResult": "result", "CaseScore": "grade", "CaseStarted": "events",
    "CodeEvaluator": "evaluators.code", "CriterionJudged": "events", "CriterionResult": "result", "EVALUATOR_KINDS": "context",
    "EvaluationContext": "context", "EvaluationScore": "context", "Evaluator": "context", "EvaluatorConfig": "context",
    "EvaluatorDone": "events", "EvaluatorKind": "context", "EvaluatorResult": "result", "EvaluatorStarted": "events", "Event": "events",
    "Listener": "events", "LlmJudgeEvaluator": "evaluators.llm_judge", "Mark": "marks", "InvalidSuiteError": "suites", "NoSuiteError": "suites", "Options": "runnable", "PromptInputs": "context",
    "ResolvedTarget": "context", "ResultStore": "store", "Runnable": "runnable", "StoredCase": "store", "Unscored": "result",
    "Verdict": "result", "build_evaluator_registry": "registry", "case_from_data": "from_data", "case_row": "rows", "evaluation_row": "rows", "evaluator_for": "registry",
    "LoadedSuite": "suites", "is_evaluator_kind": "context", "load_suite": "suites", "marks_of": "marks", "run_case": "run", "run_cases": "schedule",
    "run_evaluators_for_case": "grade", "runnables": "runnable", "suite_from_data": "from_data",
}  # fmt: skip

__all__ = [
    "EVALUATOR_KINDS", "Answered", "CaseDone", "CaseResult", "CaseScore", "CaseStarted", "CodeEvaluator",
    "CriterionJudged", "CriterionResult", "EvaluationContext", "EvaluationScore", "Evaluator", "EvaluatorConfig",
    "EvaluatorDone", "EvaluatorKind", "EvaluatorResult", "EvaluatorStarted", "Event", "InvalidSuiteError", "Judge",
    "JudgeResolver", "Listener", "LlmJudgeEvaluator", "LoadedSuite", "Mark", "NoSuiteError", "Noted", "Options",
    "PromptInputs", "Reply", "ResolvedTarget", "ResultStore", "Runnable", "StoredCase", "Unscored", "Verdict",
    "build_evaluator_registry", "case_from_data", "case_row", "evaluation_row", "evaluator_for", "is_evaluator_kind",
    "load_suite", "marks_of", "run_case", "run_cases", "run_evaluators_for_case", "runnables", "save_recordings",
    "suite_from_data",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
