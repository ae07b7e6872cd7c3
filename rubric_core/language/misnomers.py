"""Misnomers: names of keys and types from other tools and from habit, which a family does not read; those of AgentV."""

from collections.abc import Iterator, Mapping

from rubric_core.family import part_of
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
from rubric_core.language.providers import Api, Cli, OpenAi
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry
from rubric_core.language.workspace import Hook, Repo

__all__ = ["BOUND_PAIRS", "MISNOMERS", "Misnomers", "field_called", "options_called", "types_called"]

#: Keys for the two bounds of a band, each by itself.
BOUND_PAIRS = (
    ("min", "max"), ("from", "to"), ("low", "high"), ("lower", "upper"), ("start", "end"), ("min_score", "max_score"), ("lowest", "highest"),
)  # fmt: skip

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
}  # fmt: skip

_TYPES: Mapping[type[Shape], str] = {
    Contains: "include includes substring has", IContains: "contains-ignore-case contains-insensitive", Equals: "exact exact-match is equal equality",
    Regex: "match matches pattern regexp regex-match", IsJson: "json valid-json is-valid-json contains-json json-schema",
    Rubrics: "llm-rubric checklist criteria model-graded-closedqa g-eval", LlmRubric: "g-eval llm-judge llm-grader checklist rubric criteria",
    LlmJudge: "llm judge grader factuality answer-relevance answer-relevancy faithfulness model-graded-qa model-graded-fact ai llm-eval model-graded llm-as-judge llm-rubric",
    CodeEvaluator: "python javascript script command exec shell program function custom code-check code-eval", Latency: "duration time response-time max-latency",
    Cost: "price", TokenUsage: "tokens token-count", Similar: "similarity semantic-similarity embedding cosine",
    ToolTrajectory: "tool-calls tool-call tools trajectory tool-use tool-usage tool-call-f1", Composite: "assert-set all any and or group",
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


class Misnomers:
    """The part `misnomers` of a family: what others call its keys and types. Case, `-` and `_` make no difference."""

    def __init__(self, keys: Mapping[type[Shape], Mapping[str, str]], types: Mapping[type[Shape], str]) -> None:
        """`keys` by shape and field; `types` by the shape that a type selects. Words are separated by spaces."""
        self._fields = {
            shape: {_folded(word): field for field, words in fields.items() for word in words.split()}
            for shape, fields in keys.items()
        }
        self._types = {shape: frozenset(map(_folded, words.split())) for shape, words in types.items()}

    def field_called(self, shape: type[Shape], word: str) -> str | None:
        """The field of `shape` that others call `word`."""
        folded = _folded(word)
        found = (self._fields[base].get(folded) for base in shape.__mro__ if base in self._fields)
        return next((field for field in found if field is not None), None)

    def types_called(self, dialect: Dialect, word: str) -> Iterator[str]:
        """The types of a dialect of the family that other tools call `word`."""
        folded = _folded(word)
        for shape, names in self._types.items():
            if folded in names:
                name = next(
                    (t.name for t in dialect.types.values() if t.shape is shape and t.fate is SpellingStatus.CURRENT),
                    None,
                )
                if name is not None:
                    yield name


MISNOMERS = Misnomers(_KEYS, _TYPES)
_CHOSEN = {option: frozenset(map(_folded, words.split())) for option, words in _OPTIONS.items()}


def field_called(dialect: Dialect, shape: type[Shape], word: str) -> str | None:
    """The field of `shape` that others call `word`, in the family of a dialect."""
    return _misnomers_of(dialect).field_called(shape, word)


def types_called(dialect: Dialect, word: str) -> Iterator[str]:
    """The types of `dialect` that other tools call `word`."""
    return _misnomers_of(dialect).types_called(dialect, word)


def options_called(word: str, options: tuple[str, ...]) -> list[str]:
    """The ones of `options` that other tools call `word`."""
    folded = _folded(word)
    return [option for option in options if folded in _CHOSEN.get(option, ())]


def _misnomers_of(dialect: Dialect) -> Misnomers:
    part = part_of(dialect.properties.engine, "misnomers")
    found: Misnomers = part.MISNOMERS if part is not None else Misnomers({}, {})
    return found
