"""rubric: the language, diagnostics and evaluation of eval YAML, for servers, command lines and scripts.

    suite = load_suite("examples/quickstart.eval.yaml")   # what is wrong in it: suite.analysis.diagnostics
    results = asyncio.run(run_cases(suite.cases))         # each with its verdict, score and reason

Suites: `load_suite` and `suite_from_data`; `analyze` for a text. Runs: `run_cases` and `run_case`, which tell a `Listener`
of every `Event`. Grading an answer that is there already: `run_evaluators_for_case` with an `EvaluationContext` and
`build_evaluator_registry`. Evaluators of your own follow `Evaluator`, judges are a `Judge`. Scores are 0..1, None stands for
what is not known, times are milliseconds, costs US dollars.

The names of the requirement documents (docs/requirements.md) are among these. Names are imported when they are first asked for,
so that checking a file loads nothing of what running needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric_core.analysis import Analysis, Language, analyze
    from rubric_core.evaluation import (
        EVALUATOR_KINDS,
        Answered,
        CaseDone,
        CaseResult,
        CaseScore,
        CaseStarted,
        CodeEvaluator,
        Comparison,
        CriterionJudged,
        CriterionResult,
        EvaluationContext,
        EvaluationScore,
        Evaluator,
        EvaluatorConfig,
        EvaluatorDone,
        EvaluatorKind,
        EvaluatorResult,
        EvaluatorStarted,
        Event,
        InvalidSuiteError,
        Judge,
        JudgeResolver,
        Listener,
        LlmJudgeEvaluator,
        LoadedSuite,
        NoSuiteError,
        Noted,
        Options,
        PromptInputs,
        Reply,
        ResolvedTarget,
        ResultDatabase,
        RunCase,
        Runnable,
        RunRecord,
        Unscored,
        Verdict,
        build_evaluator_registry,
        case_from_data,
        case_row,
        compare_runs,
        evaluation_row,
        evaluator_for,
        is_evaluator_kind,
        load_suite,
        run_case,
        run_cases,
        run_evaluators_for_case,
        runnables,
        save_recordings,
        suite_from_data,
    )
    from rubric_core.language.dialect import Dialect
    from rubric_core.language.model import Case
    from rubric_core.loading.files import UnreadableError
    from rubric_core.ports import Answer, ChatMessage, Ports, Provider, ProviderError, Request, Tokens, ToolUse
    from rubric_core.text import Edit, LineIndex, Position, Span, apply_edits
    from rubric_core.validation.rule import Diagnostic, Finding, Fix, Related, Rule, rule

__version__ = "0.1.0"

_NAMES = {
    "analysis": ("Analysis", "Language", "analyze"),
    "evaluation": (
        "EVALUATOR_KINDS",
        "Answered",
        "CaseDone",
        "CaseResult",
        "CaseScore",
        "CaseStarted",
        "CodeEvaluator",
        "Comparison",
        "CriterionJudged",
        "CriterionResult",
        "EvaluationContext",
        "EvaluationScore",
        "Evaluator",
        "EvaluatorConfig",
        "EvaluatorDone",
        "EvaluatorKind",
        "EvaluatorResult",
        "EvaluatorStarted",
        "Event",
        "InvalidSuiteError",
        "Judge",
        "JudgeResolver",
        "Listener",
        "LlmJudgeEvaluator",
        "LoadedSuite",
        "NoSuiteError",
        "Noted",
        "Options",
        "PromptInputs",
        "Reply",
        "ResolvedTarget",
        "ResultDatabase",
        "RunCase",
        "RunRecord",
        "Runnable",
        "Unscored",
        "Verdict",
        "build_evaluator_registry",
        "case_from_data",
        "case_row",
        "compare_runs",
        "evaluation_row",
        "evaluator_for",
        "is_evaluator_kind",
        "load_suite",
        "run_case",
        "run_cases",
        "run_evaluators_for_case",
        "runnables",
        "save_recordings",
        "suite_from_data",
    ),
    "language.dialect": ("Dialect",),
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
    "Answered",
    "Case",
    "CaseDone",
    "CaseResult",
    "CaseScore",
    "CaseStarted",
    "ChatMessage",
    "CodeEvaluator",
    "Comparison",
    "CriterionJudged",
    "CriterionResult",
    "Diagnostic",
    "Dialect",
    "Edit",
    "EvaluationContext",
    "EvaluationScore",
    "Evaluator",
    "EvaluatorConfig",
    "EvaluatorDone",
    "EvaluatorKind",
    "EvaluatorResult",
    "EvaluatorStarted",
    "Event",
    "Finding",
    "Fix",
    "InvalidSuiteError",
    "Judge",
    "JudgeResolver",
    "Language",
    "LineIndex",
    "Listener",
    "LlmJudgeEvaluator",
    "LoadedSuite",
    "NoSuiteError",
    "Noted",
    "Options",
    "Ports",
    "Position",
    "PromptInputs",
    "Provider",
    "ProviderError",
    "Related",
    "Reply",
    "Request",
    "ResolvedTarget",
    "ResultDatabase",
    "Rule",
    "RunCase",
    "RunRecord",
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
    "compare_runs",
    "evaluation_row",
    "evaluator_for",
    "is_evaluator_kind",
    "load_suite",
    "rule",
    "run_case",
    "run_cases",
    "run_evaluators_for_case",
    "runnables",
    "save_recordings",
    "suite_from_data",
]


def __getattr__(name: str) -> Any:
    for home, names in _NAMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
