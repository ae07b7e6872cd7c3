"""agentv-1: rubrics, score ranges, composites and the three verdicts."""

from rubric_core.language.changes import (
    adds,
    adds_types,
    drops_types,
    narrows,
    prefers,
    renames,
    renames_type,
    tolerates,
)
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.dialects.agentv_0_5 import AGENTV_0_5
from rubric_core.language.dialects.other_files import AROUND_1
from rubric_core.language.dialects.target_files import TARGETS_1
from rubric_core.language.evaluators import (  # fmt: skip
    Aggregator,
    Band,
    CodeEvaluator,
    Composite,
    Cost,
    Criterion,
    Evaluator,
    ExecutionMetrics,
    ExpectedCall,
    ExpectedMessages,
    FieldAccuracy,
    FieldCheck,
    Latency,
    LlmJudge,
    PromptProgram,
    Proxy,
    Rubric,
    TokenUsage,
    ToolTrajectory,
)
from rubric_core.language.model import Case, Execution, Message, Suite, ToolCall, Trials

__all__ = ["AGENTV_1"]

_UNGRADED = "agentv runs the case without it"
_SKIPS_CRITERION = "agentv skips the criterion: it has no text"

AGENTV_1 = AGENTV_0_5.successor(
    "agentv-1",
    "v0.21.3 – v2.6.1",
    [
        renames(Case, "outcome", "expected_outcome", SpellingStatus.ALIAS),
        renames(Case, "input_messages", "input", SpellingStatus.ALIAS),
        renames(Case, "expected_messages", "expected_output", SpellingStatus.ALIAS),
        prefers(Case, "input_messages", "expected_messages"),
        *(narrows(shape, name, "llm_judge", "code_judge", "code") for shape in (Suite, Case) for name in ("evaluator", "grader")),
        adds(Suite, "name"),
        adds(Case, "rubrics", "description", "dataset"),
        tolerates(Case, "reference_answer", "reference_answer", fate=SpellingStatus.IGNORED, note="agentv compares with `expected_output`"),
        adds(Execution, "workers", "cache", "trials"),
        adds(Trials),
        adds(Message, "tool_calls", "name"),
        adds(ToolCall),
        renames_type("code", "code_judge", SpellingStatus.IGNORED, "agentv skips this evaluator"),
        adds(Evaluator, "weight"),
        adds(LlmJudge, "rubrics", "config"),
        tolerates(LlmJudge, "model", "model", fate=SpellingStatus.IGNORED, note="the target decides the model"),
        adds(PromptProgram, "config", command="script"),
        adds(CodeEvaluator, "config", "target", command="script"),
        adds(Proxy),
        adds(Rubric, criteria="rubrics"),
        adds(Criterion, "id", "weight", "required", "required_min_score", "score_ranges", outcome="expected_outcome"),
        tolerates(Criterion, "outcome", "description", fate=SpellingStatus.ALIAS),
        adds(Band, "score_range", outcome="expected_outcome"),
        tolerates(Band, "outcome", "description", fate=SpellingStatus.ALIAS),
        adds(Composite, "aggregator", assertions="evaluators"),
        adds(Aggregator, "type", "weights", "path", "cwd", "prompt"),
        narrows(Aggregator, "type", "weighted_average", "code_judge", "llm_judge"),
        tolerates(Aggregator, "model", "model", fate=SpellingStatus.IGNORED, note="the target decides the model"),
        adds(ToolTrajectory, "mode", "minimums", "expected"),
        narrows(ToolTrajectory, "mode", "any_order", "in_order", "exact"),
        adds(ExpectedCall, "tool", "args", "max_duration_ms"),
        tolerates(ExpectedCall, "max_duration_ms", "maxDurationMs", fate=SpellingStatus.ALIAS),
        adds(FieldAccuracy),
        adds(FieldCheck),
        adds(Latency),
        adds(Cost),
        adds(TokenUsage),
        *(
            tolerates(TokenUsage, name, "max" + name.removeprefix("max_").title(), fate=SpellingStatus.ALIAS)
            for name in ("max_total", "max_input", "max_output")
        ),
        adds(ExecutionMetrics),
        adds_types(
            rubric=Rubric, composite=Composite, tool_trajectory=ToolTrajectory, expected_messages=ExpectedMessages,
            expected_tool_calls=ExpectedMessages, field_accuracy=FieldAccuracy, latency=Latency, cost=Cost, token_usage=TokenUsage,
            execution_metrics=ExecutionMetrics,
        ),
        drops_types("expected_messages", "expected_tool_calls", fate=SpellingStatus.DEPRECATED, note="agentv 1.3.1 and later skip it; write `tool_trajectory`"),
        # Spellings of later dialects with the same meaning: reported with a fix, and read if harmless.
        tolerates(Criterion, "outcome", "outcome", "criteria", note=_SKIPS_CRITERION),
        # The word in the scenario of docs/requirements.md#bad-ranges-are-refused.
        tolerates(Criterion, "score_ranges", "score_rubric", note="agentv grades the criterion without them"),
        tolerates(Band, "outcome", "outcome", note="agentv skips the whole case and only logs it"),
        tolerates(Case, "evaluators", "assertions", "assert", fate=SpellingStatus.IGNORED, note=_UNGRADED),
        tolerates(Execution, "evaluators", "assertions", "assert", fate=SpellingStatus.IGNORED, note=_UNGRADED),
        tolerates(CodeEvaluator, "command", "command", note="agentv skips this evaluator and only logs it"),
        *AROUND_1,
        *TARGETS_1,
    ],
    bare_variables=False,
    suite_marker="",
    verdicts="three",
    criteria_need_ids=True,
    wording="candidate",
    reference="last",
    template_variables=(
        "candidate_answer", "expected_messages", "question", "expected_outcome", "reference_answer", "input_messages", "output_messages",
    ),
    answer_variables=("candidate_answer", "expected_messages"),
    message_variables=("input_messages", "expected_messages", "output_messages"),
    replaced_variables=(),
)  # fmt: skip
