"""Misnomers of promptfoo: what others call the keys and types of its configurations."""

from collections.abc import Mapping

from rubric_core.families.promptfoo.language import graded_assertions, text_assertions
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt, Metric
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.misnomers import Misnomers
from rubric_core.language.shape import Shape

__all__ = ["MISNOMERS"]

_KEYS: Mapping[type[Shape], Mapping[str, str]] = {
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
    text_assertions.Contains: "include includes substring has", text_assertions.IContains: "i-contains contains-ignore-case",
    text_assertions.Equals: "exact exact-match is equal equality", text_assertions.Regex: "match matches pattern regexp",
    text_assertions.IsJson: "json valid-json is-valid-json json-schema",
    graded_assertions.JavaScriptCode: "js typescript ts", graded_assertions.PythonCode: "py python3",
    graded_assertions.SimilarText: "similarity semantic-similarity embedding cosine",
    graded_assertions.ModelRubric: "llm-judge llm-grader llm-as-judge rubric model-graded model-graded-rubric judge",
}  # fmt: skip

MISNOMERS = Misnomers(_KEYS, _TYPES)
