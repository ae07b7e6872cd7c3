"""agentv-2.7: `tests`, `assert` and `criteria`; deterministic assertions, gates on evaluators."""

from rubric_core.language.changes import (
    adds,
    adds_types,
    drops_types,
    narrows,
    renames,
    renames_type,
    tolerates,
    unrequires,
)
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.dialects.agentv_1 import AGENTV_1
from rubric_core.language.dialects.other_files import AROUND_2_7
from rubric_core.language.dialects.target_files import TARGETS_2_7
from rubric_core.language.evaluators import (  # fmt: skip
    AgentJudge,
    Aggregator,
    AnyOf,
    Band,
    CodeEvaluator,
    Comparison,
    Composite,
    Contains,
    ContainsAll,
    ContainsAny,
    Criterion,
    EndsWith,
    Equals,
    Evaluator,
    ExpectedCall,
    IContains,
    IContainsAll,
    IContainsAny,
    Include,
    IsJson,
    LlmJudge,
    PromptProgram,
    Regex,
    Rubric,
    Rubrics,
    StartsWith,
    ToolTrajectory,
)
from rubric_core.language.model import Case, Execution, Requires, Suite, TargetChoice

__all__ = ["AGENTV_2_7"]

_SKIPS_CASE = "agentv skips the case"
_SKIPS_ITEM = "agentv does not read it; a criterion without text is skipped"

AGENTV_2_7 = AGENTV_1.successor(
    "agentv-2.7",
    "v2.7.1 – v2.19.0",
    [
        renames(Suite, "evalcases", "tests", SpellingStatus.DEPRECATED),
        tolerates(Suite, "cases", "eval_cases", fate=SpellingStatus.DEPRECATED),
        adds(Suite, "name", "author", "tags", "license", "requires", "input", "workspace", assertions="assert"),
        adds(Requires),
        adds(TargetChoice, "name", "use_target"),
        # Case description and criterion text now have keys of their own.
        renames(Case, "expected_outcome", "criteria", SpellingStatus.DEPRECATED),
        tolerates(Case, "criteria", "outcome", fate=SpellingStatus.IGNORED, note=_SKIPS_CASE),
        tolerates(Case, "input", "input_messages", fate=SpellingStatus.IGNORED, note=_SKIPS_CASE),
        tolerates(Case, "expected_output", "expected_messages", fate=SpellingStatus.IGNORED),
        adds(Case, "workspace", "metadata", "dataset", assertions="assert"),
        tolerates(Case, "assertions", "assertions", fate=SpellingStatus.IGNORED, note="agentv runs the case without it"),
        *(narrows(shape, "evaluator", "llm_judge", "code_judge", "llm-judge", "code-judge") for shape in (Suite, Case)),
        tolerates(Suite, "evaluator", "grader", fate=SpellingStatus.IGNORED),
        tolerates(Case, "evaluator", "grader", fate=SpellingStatus.IGNORED),
        adds(
            Execution, "targets", "cache_path", "workers", "budget_usd", "fail_on_error", "skip_defaults", "verbose",
            "pool_workspaces", "keep_workspaces", "otel_file", assertions="assert",
        ),
        tolerates(Execution, "budget_usd", "total_budget_usd", fate=SpellingStatus.ALIAS),
        tolerates(Execution, "assertions", "assertions", fate=SpellingStatus.IGNORED, note="agentv runs the cases without it"),
        adds(Evaluator, "required", "negate"),
        unrequires(Evaluator, "name"),
        tolerates(Include, "include", "include", fate=SpellingStatus.IGNORED, note="only agentv 4.11 and later put the evaluators of a template here"),
        unrequires(Include, "type"),
        adds(CodeEvaluator, "command"),
        tolerates(CodeEvaluator, "command", "script", fate=SpellingStatus.DEPRECATED),
        adds(PromptProgram, "command"),
        tolerates(PromptProgram, "command", "script", fate=SpellingStatus.DEPRECATED),
        adds(LlmJudge, "target", "max_steps", "temperature"),
        adds(Rubrics, "criteria", "target"),
        tolerates(Rubric, "criteria", "criteria", note="agentv skips this evaluator"),
        tolerates(Rubrics, "criteria", "rubrics", note="agentv skips this evaluator"),
        renames(Criterion, "expected_outcome", "outcome", SpellingStatus.TOLERATED, _SKIPS_ITEM),
        tolerates(Criterion, "outcome", "description", note=_SKIPS_ITEM),
        tolerates(Criterion, "outcome", "criteria", note="only agentv 4.33 and later read it"),
        renames(Band, "expected_outcome", "outcome", SpellingStatus.TOLERATED, "agentv rejects the case"),
        tolerates(Band, "outcome", "description", note="agentv rejects the case"),
        renames(Composite, "evaluators", "assert", SpellingStatus.ALIAS),
        tolerates(Composite, "assertions", "assertions", fate=SpellingStatus.IGNORED, note="agentv skips this evaluator and only logs it"),
        adds(Aggregator, "threshold"),
        narrows(Aggregator, "type", "weighted_average", "threshold", "code_judge", "llm_judge", "code-judge", "llm-judge"),
        adds(ToolTrajectory, "mode", "args_match"),
        tolerates(ToolTrajectory, "args_match", "argsMatch", fate=SpellingStatus.ALIAS),
        adds(ExpectedCall, "args_match"),
        tolerates(ExpectedCall, "args_match", "argsMatch", fate=SpellingStatus.ALIAS),
        adds(Comparison, "value"),
        adds(AnyOf, "value"),
        adds(Regex, "flags"),
        drops_types("code", note="agentv looks for a program of that name"),
        drops_types("expected_messages", "expected_tool_calls", note="agentv looks for a program of that name; use tool_trajectory"),
        adds_types(agent_judge=AgentJudge, rubrics=Rubrics),
        *(
            renames_type(old, old.replace("_", "-"), SpellingStatus.ALIAS)
            for old in ("code_judge", "llm_judge", "agent_judge", "tool_trajectory", "field_accuracy", "token_usage", "execution_metrics")
        ),
        adds_types(
            **{
                "contains": Contains, "contains-any": ContainsAny, "contains-all": ContainsAll, "icontains": IContains,
                "icontains-any": IContainsAny, "icontains-all": IContainsAll, "starts-with": StartsWith, "ends-with": EndsWith,
                "equals": Equals, "regex": Regex, "is-json": IsJson,
            }
        ),
        *AROUND_2_7,
        *TARGETS_2_7,
    ],
    string_assertions=False,
    refuses_tool_role=True,
    interpolates="everything",
    appends_suite_evaluators=True,
    inline_rubric_name="rubrics",
    custom_types=True,
    required_zeroes_case=True,
    folds_type_names=True,
    names_required=False,
    incomplete_case="error",
    criteria_need_ids=False,
    required_without_min="ten",
    judge_failure="skip",
    wording="answer",
    trajectory_args="exact",
    output_files=True,
    template_variables=("answer", "expected_output", "question", "criteria", "reference_answer", "input", "output", "file_changes"),
    answer_variables=("answer", "expected_output"),
    message_variables=("input", "expected_output", "output"),
)  # fmt: skip
