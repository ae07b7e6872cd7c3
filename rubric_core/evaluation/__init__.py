"""Running cases: targets answer, evaluators score, dialects decide. `run_case` is the entry point.

Names are imported when they are first asked for; nothing here loads httpx or pydantic before something is run.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.from_data import suite_from_data
    from rubric_core.evaluation.cases.load import InvalidSuiteError, LoadedSuite, NoSuiteError, load_suite
    from rubric_core.evaluation.cases.options import Options
    from rubric_core.evaluation.cases.runnable import Runnable, runnables
    from rubric_core.evaluation.comparison.compare import Comparison
    from rubric_core.evaluation.comparison.runs import compare_runs
    from rubric_core.evaluation.engine.events import (
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
    from rubric_core.evaluation.engine.grade import CaseScore, run_evaluators_for_case
    from rubric_core.evaluation.engine.registry import build_evaluator_registry, evaluator_for
    from rubric_core.evaluation.engine.run import run_case, save_recordings
    from rubric_core.evaluation.engine.schedule import run_cases
    from rubric_core.evaluation.evaluators.code import CodeEvaluator
    from rubric_core.evaluation.evaluators.llm_judge import JudgeResolver, LlmJudgeEvaluator
    from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
    from rubric_core.evaluation.model.evaluation_score import EvaluationScore
    from rubric_core.evaluation.model.evaluator import EVALUATOR_KINDS, Evaluator, EvaluatorKind, is_evaluator_kind
    from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget
    from rubric_core.evaluation.model.plain_data import case_from_data
    from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
    from rubric_core.evaluation.model.script_judge import Judge, Reply
    from rubric_core.evaluation.model.unscored import Unscored
    from rubric_core.evaluation.reporting.inline_marks import Mark, marks_of
    from rubric_core.evaluation.reporting.rows import case_row, evaluation_row
    from rubric_core.evaluation.results.database import ResultDatabase
    from rubric_core.evaluation.results.records import RunCase, RunRecord

_HOMES = {
    "Answered": "engine.events", "CaseDone": "engine.events", "CaseResult": "model.result", "CaseScore":
    "engine.grade", "CaseStarted": "engine.events", "CodeEvaluator": "evaluators.code", "Comparison": "comparison.compare", "CriterionJudged":
    "engine.events", "CriterionResult": "model.result", "EVALUATOR_KINDS": "model.evaluator", "EvaluationContext":
    "model.context", "EvaluationScore": "model.evaluation_score", "Evaluator": "model.evaluator", "EvaluatorConfig":
    "model.context", "EvaluatorDone": "engine.events", "EvaluatorKind": "model.evaluator", "EvaluatorResult":
    "model.result", "EvaluatorStarted": "engine.events", "Event": "engine.events", "InvalidSuiteError":
    "cases.load", "Judge": "model.script_judge", "JudgeResolver": "evaluators.llm_judge", "Listener":
    "engine.events", "LlmJudgeEvaluator": "evaluators.llm_judge", "LoadedSuite": "cases.load", "Mark":
    "reporting.inline_marks", "NoSuiteError": "cases.load", "Noted": "engine.events", "Options": "cases.options",
    "PromptInputs": "model.inputs", "Reply": "model.script_judge", "ResolvedTarget": "model.inputs", "ResultDatabase":
    "results.database", "RunCase": "results.records", "RunRecord": "results.records", "Runnable": "cases.runnable", "Unscored": "model.unscored",
    "Verdict": "model.result", "build_evaluator_registry": "engine.registry", "case_from_data": "model.plain_data",
    "case_row": "reporting.rows", "compare_runs": "comparison.runs", "evaluation_row": "reporting.rows", "evaluator_for": "engine.registry",
    "is_evaluator_kind": "model.evaluator", "load_suite": "cases.load", "marks_of": "reporting.inline_marks",
    "run_case": "engine.run", "run_cases": "engine.schedule", "run_evaluators_for_case": "engine.grade",
    "runnables": "cases.runnable", "save_recordings": "engine.run", "suite_from_data": "cases.from_data",
}  # fmt: skip

__all__ = [
    "EVALUATOR_KINDS", "Answered", "CaseDone", "CaseResult", "CaseScore", "CaseStarted", "CodeEvaluator",
    "Comparison", "CriterionJudged", "CriterionResult", "EvaluationContext", "EvaluationScore", "Evaluator", "EvaluatorConfig",
    "EvaluatorDone", "EvaluatorKind", "EvaluatorResult", "EvaluatorStarted", "Event", "InvalidSuiteError", "Judge",
    "JudgeResolver", "Listener", "LlmJudgeEvaluator", "LoadedSuite", "Mark", "NoSuiteError", "Noted", "Options",
    "PromptInputs", "Reply", "ResolvedTarget", "ResultDatabase", "RunCase", "RunRecord", "Runnable", "Unscored", "Verdict",
    "build_evaluator_registry", "case_from_data", "case_row", "compare_runs", "evaluation_row", "evaluator_for", "is_evaluator_kind",
    "load_suite", "marks_of", "run_case", "run_cases", "run_evaluators_for_case", "runnables", "save_recordings",
    "suite_from_data",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
