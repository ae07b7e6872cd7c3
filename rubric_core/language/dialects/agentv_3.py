"""agentv-3: `assertions` with plain strings, the `-grader` types, `min_score`, two verdicts."""

from collections.abc import Mapping

from rubric_core.language.changes import (
    adds,
    adds_types,
    drops,
    drops_types,
    narrows,
    renames,
    renames_type,
    requires,
    takes,
    tolerates,
    unrequires,
)
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.dialects.agentv_2_7 import AGENTV_2_7
from rubric_core.language.dialects.other_files import AROUND_3
from rubric_core.language.dialects.target_files import TARGETS_3
from rubric_core.language.evaluators import (
    Aggregator,
    Composite,
    Criterion,
    Evaluator,
    ExecutionMetrics,
    Include,
    Preprocessor,
    SkillTrigger,
    TokenUsage,
)
from rubric_core.language.file_extensions import YAML
from rubric_core.language.model import (
    MAPPED_INPUT,
    Case,
    CaseExecution,
    ContentBlock,
    Execution,
    Suite,
    TargetChoice,
    Trials,
    Turn,
)

__all__ = ["AGENTV_3"]

_SCALAR = "releases from 3.14 on skip the case when it says llm_judge or code_judge"

#: Limits that are read in camelCase, too.
_CAMEL_CASE: Mapping[type[Evaluator], tuple[str, ...]] = {
    ExecutionMetrics: (
        "max_tool_calls", "max_llm_calls", "max_tokens", "max_cost_usd", "max_duration_ms", "target_exploration_ratio", "exploration_tolerance",
    ),
    TokenUsage: ("max_total", "max_input", "max_output"),
}  # fmt: skip


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


AGENTV_3 = AGENTV_2_7.successor(
    "agentv-3",
    "v3.0.0 – v5.0.0",
    [
        adds(Suite, "category", "input_files", "preprocessors", "metadata", "governance", "assertions"),
        tolerates(Suite, "assertions", "assert", fate=SpellingStatus.DEPRECATED),
        *(tolerates(limits, name, _camel(name), fate=SpellingStatus.ALIAS) for limits, names in _CAMEL_CASE.items() for name in names),
        tolerates(Suite, "evaluator", "evaluator", fate=SpellingStatus.DEPRECATED, note=_SCALAR),
        tolerates(Suite, "dataset", "dataset", fate=SpellingStatus.TOLERATED, note="releases from 4.7 on store results under `name`"),
        adds(Case, "assertions", "input_files", "suite", "depends_on", "on_dependency_failure", "mode", "turns", "aggregation", "on_turn_failure", "window_size", "vars"),
        tolerates(Case, "assertions", "assert", fate=SpellingStatus.DEPRECATED),
        tolerates(Case, "evaluator", "evaluator", fate=SpellingStatus.DEPRECATED, note=_SCALAR),
        tolerates(Case, "suite", "dataset", fate=SpellingStatus.TOLERATED, note="agentv 4 stores results under `suite`"),
        drops(Case, "note", "description", fate=SpellingStatus.TOLERATED, note="agentv warns of it too; `metadata` is the place for notes"),
        adds(ContentBlock, "type"),
        unrequires(Case, "criteria"),
        adds(Turn),
        tolerates(Turn, "assertions", "assert", fate=SpellingStatus.ALIAS),
        adds(Execution, "threshold", "assertions"),
        adds(TargetChoice, "hooks"),
        tolerates(Execution, "assertions", "assert", fate=SpellingStatus.ALIAS),
        tolerates(Execution, "budget_usd", "budgetUsd", fate=SpellingStatus.ALIAS),
        tolerates(Execution, "budget_usd", "total_budget_usd", fate=SpellingStatus.REJECTED, note="agentv rejects the file"),
        tolerates(Execution, "fail_on_error", "failOnError", fate=SpellingStatus.ALIAS),
        # In the engine's schema, but never read.
        tolerates(CaseExecution, "assertions", "assertions", "assert", fate=SpellingStatus.IGNORED, note="no release reads it here; write it on the case"),
        adds(Trials, "cost_limit_usd"),
        tolerates(Trials, "cost_limit_usd", "costLimitUsd", fate=SpellingStatus.ALIAS),
        adds(Evaluator, "min_score", "preprocessors"),
        adds(Preprocessor),
        adds(Criterion, "min_score", "operator"),
        tolerates(Criterion, "outcome", "criteria", fate=SpellingStatus.ALIAS),
        tolerates(Criterion, "required_min_score", "required_min_score", fate=SpellingStatus.DEPRECATED, note="it counts 0..10; min_score counts 0..1"),
        renames(Composite, "assert", "assertions", SpellingStatus.ALIAS),
        narrows(Aggregator, "type", "weighted_average", "threshold", "code-grader", "llm-grader"),
        adds(SkillTrigger),
        adds(Include, "include"),
        requires(Suite, "cases"),
        renames_type("code-judge", "code-grader", SpellingStatus.DEPRECATED, "agentv 4 skips this evaluator"),
        renames_type("llm-judge", "llm-grader", SpellingStatus.DEPRECATED, "agentv 4 skips this evaluator"),
        # The underscored twins follow their types.
        drops_types("code_judge", "llm_judge", fate=SpellingStatus.DEPRECATED, note="agentv 4 skips this evaluator"),
        drops_types("agent_judge", note="use llm-grader with a target that is an agent"),
        drops_types("agent-judge", note="use llm-grader with a target that is an agent"),
        adds_types(**{"skill-trigger": SkillTrigger}),
        *(takes(shape, MAPPED_INPUT, "input") for shape in (Suite, Case, Turn)),
        *AROUND_3,
        *TARGETS_3,
    ],
    merges=True,
    custom_providers=True,
    verdicts="two",
    string_assertions=True,
    placeholders=("PROMPT", "PROMPT_FILE", "EVAL_ID", "ATTEMPT", "FILES", "OUTPUT_FILE"),
    strings_weigh_their_count=True,
    literal_members=True,
    case_files=(*YAML, ".jsonl"),
    skips_bare_cases=True,
    suite_threshold_gates=False,
    interpolation=(r"\$\{\{\s*\w+\s*\}\}", r"\{\{\s*[\w.]+\s*\}\}"),
    variable_keys=frozenset(("criteria", "expected_outcome", "input", "input_files", "expected_output", "turns")),
    reply_style="assertions",
    wording="output",
    exit_code_decides=True,
    bare_prompt_paths=False,
    guidelines=False,
    resolved_files=True,
    flat_settings=True,
    template_variables=(
        "input", "output", "expected_output", "criteria", "file_changes", "tool_calls", "metadata", "metadata_json", "rubrics", "rubrics_json",
        "input_text", "output_text", "expected_output_text", "question", "answer", "reference_answer",
    ),
    answer_variables=("output", "expected_output", "output_text", "answer"),
    message_variables=(),
    replaced_variables=(
        ("input_text", "input"), ("output_text", "output"), ("expected_output_text", "expected_output"), ("question", "input"), ("answer", "output"),
        ("reference_answer", "expected_output"),
    ),
)  # fmt: skip
