"""Misnomers: names of keys and types from other tools and from habit, which this language does not read."""

from collections.abc import Iterator, Mapping

from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.evaluators import (
    AnyOf,
    Band,
    CodeEvaluator,
    Comparison,
    Composite,
    Contains,
    Cost,
    Criterion,
    Equals,
    Evaluator,
    ExpectedCall,
    FieldCheck,
    IContains,
    IsJson,
    Latency,
    LlmJudge,
    LlmRubric,
    Regex,
    Rubric,
    Rubrics,
    Similar,
    SkillTrigger,
    TokenUsage,
    ToolTrajectory,
)  # fmt: skip
from rubric_core.language.model import Case, ContentBlock, EvaluateOptions, Execution, Suite, Trials, Turn
from rubric_core.language.promptfoo import graded_assertions, text_assertions
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration, ConfiguredPrompt, Metric
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.language.providers import Api, Cli, OpenAi
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry
from rubric_core.language.workspace import Hook, Repo

__all__ = ["BOUND_PAIRS", "field_called", "options_called", "types_called"]

#: Keys for the two bounds of a band, each by itself.
BOUND_PAIRS = (
    ("min", "max"), ("from", "to"), ("low", "high"), ("lower", "upper"), ("start", "end"), ("min_score", "max_score"), ("lowest", "highest"),
)  # fmt: skip

#: By shape and field. Case, `-` and `_` make no difference.
_KEYS: Mapping[type[Shape], Mapping[str, str]] = {
    Suite: {
        "cases": "cases test_cases evals eval_set examples samples items evaluations", "name": "title suite_name", "execution": "config settings exec", "description": "summary about",
        "providers": "models", "prompts": "prompt_templates templates",
    },
    Case: {
        "id": "name case_id test_id key", "input": "question prompt query user user_input user_message request instruction task problem messages",
        "criteria": "goal success_criteria acceptance_criteria pass_criteria expected_behavior expectation",
        "expected_output": "answer output ideal reference ground_truth expected_answer expected_response golden gold expected_result",
        "assertions": "checks asserts evals evaluations graders scorers metrics expectations validators validations", "vars": "variables inputs", "rubrics": "rubric criteria_list rubric_items checklist",
    },
    Turn: {"input": "user question message content prompt", "expected_output": "answer assistant reference", "assertions": "checks asserts"},
    ContentBlock: {"value": "text content path file url image_url data"},
    Execution: {
        "target": "model provider", "workers": "concurrency max_concurrency parallel parallelism threads", "trials": "repeat repetitions runs",
        "budget_usd": "budget max_cost max_cost_usd cost_limit", "threshold": "pass_threshold min_score",
    },
    EvaluateOptions: {"max_concurrency": "workers concurrency parallel", "repeat": "trials runs", "timeout_ms": "timeout"},
    Trials: {"count": "n k runs repeat times", "strategy": "aggregation mode"},
    Evaluator: {"name": "id label title", "type": "kind grader evaluator", "weight": "weighting points importance", "min_score": "pass_threshold minimum_score"},
    Comparison: {"value": "text expected string substring content"},
    Regex: {"value": "pattern regex regexp expression"},
    AnyOf: {"value": "values texts strings keywords words any all"},
    Latency: {"threshold": "max max_ms limit timeout timeout_ms max_latency max_latency_ms max_duration_ms"},
    Cost: {"budget": "threshold max max_cost max_cost_usd max_usd limit"},
    TokenUsage: {"max_total": "max total max_tokens limit threshold"},
    FieldCheck: {"path": "field name key", "match": "comparison compare method"},
    ToolTrajectory: {"expected": "expected_tools tools steps calls expected_calls", "minimums": "minimum min min_calls"},
    ExpectedCall: {"tool": "name function tool_name", "args": "arguments input params parameters"},
    SkillTrigger: {"skill": "name value"},
    Criterion: {
        "id": "name key", "outcome": "text check question statement requirement content criterion", "required": "mandatory must is_required",
        "min_score": "threshold", "score_ranges": "bands ranges levels scale scores rubric", "weight": "points importance",
    },
    Rubric: {"criteria": "items rubric checklist checks criterion_list"},
    Band: {"score_range": "range scores bounds", "outcome": "text label meaning"},
    LlmRubric: {"criteria": "rubric text items checklist checks", "prompt": "rubric_prompt"},
    Hook: {"command": "cmd run exec", "timeout_ms": "timeout"},
    Repo: {"repo": "url git", "commit": "ref sha revision"},
    Entry: {"provider": "type kind", "name": "id label"},
    Api: {"model": "model_name model_id", "max_output_tokens": "max_tokens max_completion_tokens", "api_key": "key token"},
    OpenAi: {"base_url": "api_base url host api_base_url"},
    Cli: {"command": "cmd run exec script"},
    Configuration: {
        "tests": "test cases test_cases test_case", "default_test": "default_tests defaults test_defaults", "prompts": "prompt templates", "nunjucks_filters": "filters",
        "providers": "models model llms", "evaluate_options": "evaluation_options eval_options",
    },
    ConfiguredProvider: {"id": "name model provider"},
    Metric: {"value": "formula expression expr", "name": "metric title label"},
    ConfiguredPrompt: {"raw": "content text prompt template value", "id": "file path"},
    PromptfooCase: {
        "assertions": "asserts assertion assertions checks expect", "vars": "var variables inputs", "description": "title name",
        "options": "option config",
    },
    CaseOptions: {
        "provider": "grader judge", "store_output_as": "store_as save_as output_as", "rubric_prompt": "judge_prompt grader_prompt",
        "disable_var_expansion": "disable_variable_expansion disable_expansion", "disable_default_asserts": "disable_default_assertions",
    },
    graded_assertions.ModelRubric: {"value": "rubric criteria criterion"}, graded_assertions.SelectBest: {"value": "rubric criteria criterion"},
    graded_assertions.ClosedQa: {"value": "rubric criteria criterion"}, graded_assertions.GEval: {"value": "rubric criteria criterion"},
    Assertion: {"value": "values expected", "rubric_prompt": "rubric", "metric": "metrics", "threshold": "thresholds min_score"},
}  # fmt: skip

_TYPES: Mapping[type[Shape], str] = {
    Contains: "include includes substring has", IContains: "contains-ignore-case contains-insensitive", Equals: "exact exact-match is equal equality",
    Regex: "match matches pattern regexp regex-match", IsJson: "json valid-json is-valid-json contains-json json-schema",
    Rubrics: "llm-rubric checklist criteria model-graded-closedqa g-eval", LlmRubric: "g-eval llm-judge llm-grader checklist rubric criteria",
    LlmJudge: "llm judge grader factuality answer-relevance answer-relevancy faithfulness model-graded-qa model-graded-fact ai llm-eval model-graded llm-as-judge llm-rubric",
    CodeEvaluator: "python javascript script command exec shell program function custom code-check code-eval", Latency: "duration time response-time max-latency",
    Cost: "price", TokenUsage: "tokens token-count", Similar: "similarity semantic-similarity embedding cosine",
    ToolTrajectory: "tool-calls tool-call tools trajectory tool-use tool-usage tool-call-f1", Composite: "assert-set all any and or group",
    text_assertions.Contains: "include includes substring has", text_assertions.IContains: "i-contains contains-ignore-case",
    text_assertions.Equals: "exact exact-match is equal equality", text_assertions.Regex: "match matches pattern regexp",
    text_assertions.IsJson: "json valid-json is-valid-json json-schema",
    graded_assertions.JavaScriptCode: "js typescript ts", graded_assertions.PythonCode: "py python3",
    graded_assertions.SimilarText: "similarity semantic-similarity embedding cosine",
    graded_assertions.ModelRubric: "llm-judge llm-grader llm-as-judge rubric model-graded model-graded-rubric judge",
}  # fmt: skip

_OPTIONS = {
    "user": "human customer client", "assistant": "ai bot model agent", "system": "developer", "tool": "function",
    "image": "image_url input_image picture", "text": "input_text string", "file": "document file_path path",
    "weighted_average": "average mean weighted avg", "mean": "average avg average_of_turns", "min": "minimum worst", "max": "maximum best",
    "in_order": "ordered sequence", "any_order": "unordered", "exact": "strict equals exactly", "stop": "abort", "continue": "ignore",
    "numeric_tolerance": "number numeric", "conversation": "multi_turn chat", "temp": "temporary",
}  # fmt: skip


def _folded(word: str) -> str:
    return word.replace("-", "").replace("_", "").replace(" ", "").lower()


_FIELDS = {
    shape: {_folded(word): field for field, words in fields.items() for word in words.split()}
    for shape, fields in _KEYS.items()
}
_NAMES = {shape: frozenset(map(_folded, words.split())) for shape, words in _TYPES.items()}
_CHOSEN = {option: frozenset(map(_folded, words.split())) for option, words in _OPTIONS.items()}


def field_called(shape: type[Shape], word: str) -> str | None:
    """The field of `shape` that others call `word`."""
    folded = _folded(word)
    for base in shape.__mro__:
        field = _FIELDS.get(base, {}).get(folded)
        if field is not None:
            return field
    return None


def types_called(dialect: Dialect, word: str) -> Iterator[str]:
    """The types of `dialect` that other tools call `word`."""
    folded = _folded(word)
    for shape, names in _NAMES.items():
        if folded in names:
            name = next(
                (t.name for t in dialect.types.values() if t.shape is shape and t.fate is SpellingStatus.CURRENT), None
            )
            if name is not None:
                yield name


def options_called(word: str, options: tuple[str, ...]) -> list[str]:
    """The ones of `options` that other tools call `word`."""
    folded = _folded(word)
    return [option for option in options if folded in _CHOSEN.get(option, ())]
