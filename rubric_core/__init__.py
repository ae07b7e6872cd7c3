"""rubric: the language, diagnostics and evaluation of eval YAML, for servers, command lines and scripts.

    suite = load_suite("examples/quickstart.eval.yaml")   # what is wrong in it: suite.analysis.diagnostics
    results = asyncio.run(run_cases(suite.cases))         # each with its verdict, score and reason

Two entry points are used by all of them alike: `analyze(document, language)` and `run_case(case, ports, on_event)`.
The names of requirement document 003 (REQ-EVAL-010) are among these. Names are imported when they are first asked for,
so that checking a file loads nothing of what running needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric_core.analysis import Analysis, Language, analyze
    from rubric_core.evaluation import (
        EVALUATOR_KINDS,
        CaseResult,
        CaseScore,
        CodeEvaluator,
        CriterionResult,
        EvaluationContext,
        EvaluationScore,
        Evaluator,
        EvaluatorConfig,
        EvaluatorKind,
        EvaluatorResult,
        InvalidSuiteError,
        LlmJudgeEvaluator,
        LoadedSuite,
        NoSuiteError,
        Options,
        PromptInputs,
        ResolvedTarget,
        ResultStore,
        Runnable,
        Unscored,
        Verdict,
        build_evaluator_registry,
        case_from_data,
        case_row,
        evaluation_row,
        evaluator_for,
        is_evaluator_kind,
        load_suite,
        run_case,
        run_cases,
        run_evaluators_for_case,
        runnables,
        suite_from_data,
    )
    from rubric_core.language.model import Case
    from rubric_core.loading.files import UnreadableError
    from rubric_core.ports import Answer, ChatMessage, Ports, Provider, ProviderError, Request, Tokens, ToolUse
    from rubric_core.text import Edit, LineIndex, Position, Span, apply_edits
    from rubric_core.validation.rule import Diagnostic, Finding, Fix, Related, Rule, rule

__version__ = "0.1.0"

_NAMES = {
    "analysis": ("Analysis", "Language", "analyze"),
    "evaluation": (
        "CaseResult",
        "ResolvedTarget",
        "PromptInputs",
        "NoSuiteError",
        "CaseScore",
        "CodeEvaluator",
        "CriterionResult",
        "EVALUATOR_KINDS",
        "EvaluationContext",
        "EvaluationScore",
        "Evaluator",
        "EvaluatorConfig",
        "EvaluatorKind",
        "EvaluatorResult",
        "InvalidSuiteError",
        "LlmJudgeEvaluator",
        "LoadedSuite",
        "Options",
        "ResultStore",
        "Runnable",
        "Unscored",
        "Verdict",
        "build_evaluator_registry",
        "case_from_data",
        "case_row",
        "evaluation_row",
        "evaluator_for",
        "is_evaluator_kind",
        "load_suite",
        "run_case",
        "run_cases",
        "run_evaluators_for_case",
        "runnables",
        "suite_from_data",
    ),
    "language.model": ("Case",),
    "loading.files": ("UnreadableError",),
    "ports": ("Answer", "ChatMessage", "Ports", "Provider", "ProviderError", "Request", "Tokens", "ToolUse"),
    "text": ("Edit", "LineIndex", "Position", "Span", "apply_edits"),
    "validation.rule": ("Diagnostic", "Finding", "Fix", "Related", "Rule", "rule"),
}

__all__ = [
    "EVALUATOR_KINDS",
    "Analysis",
    "Answer",
    "Case",
    "CaseResult",
    "CaseScore",
    "ChatMessage",
    "CodeEvaluator",
    "CriterionResult",
    "Diagnostic",
    "Edit",
    "EvaluationContext",
    "EvaluationScore",
    "Evaluator",
    "EvaluatorConfig",
    "EvaluatorKind",
    "EvaluatorResult",
    "Finding",
    "Fix",
    "InvalidSuiteError",
    "Language",
    "LineIndex",
    "LlmJudgeEvaluator",
    "LoadedSuite",
    "NoSuiteError",
    "Options",
    "Ports",
    "Position",
    "PromptInputs",
    "Provider",
    "ProviderError",
    "Related",
    "Request",
    "ResolvedTarget",
    "ResultStore",
    "Rule",
    "Runnable",
    "Span",
    "Tokens",
    "ToolUse",
    "UnreadableError",
    "Unscored",
    "Verdict",
    "analyze",
    "apply_edits",
    "build_evaluator_registry",
    "case_from_data",
    "case_row",
    "evaluation_row",
    "evaluator_for",
    "is_evaluator_kind",
    "load_suite",
    "rule",
    "run_case",
    "run_cases",
    "run_evaluators_for_case",
    "runnables",
    "suite_from_data",
]


def __getattr__(name: str) -> Any:
    for home, names in _NAMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
