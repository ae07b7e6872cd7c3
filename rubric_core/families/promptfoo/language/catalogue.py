"""The files of promptfoo: their kinds, the shapes in each of them, and what others call the keys and types there."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rubric_core.families.promptfoo.language import graded_assertions, text_assertions
from rubric_core.families.promptfoo.language.assertion import ASSERTIONS, Assertion
from rubric_core.families.promptfoo.language.case import (
    CASE_ITEM,
    CaseOptions,
    PartialCase,
    PromptfooCase,
    PromptfooScenario,
)
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt, Metric
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.provider import (
    LISTED_IN_FILE,
    ConfiguredProvider,
    ListedInFile,
    ProviderInFile,
)
from rubric_core.language.file_kinds import FamilyLanguage, FileKind
from rubric_core.language.misnomers import Misnomers
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Kind, ListOf, NodeUnion

__all__ = ["LANGUAGE", "MISNOMERS", "JsonSchema", "ModelTool", "VariablesFile"]


class VariablesFile(Shape):
    """A file of promptfoo variables: their values by their names."""

    open: ClassVar[bool] = True


class JsonSchema(Shape):
    """A JSON Schema: what the output of an `is-json` or `contains-json` assertion has to be like."""

    open: ClassVar[bool] = True


class ModelTool(Shape):
    """A tool that a model may call."""

    open: ClassVar[bool] = True


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


#: An item of a file of tools, of which only mappings are read.
_TOOL = NodeUnion(text=Anything(), mapping=Shaped(ModelTool))
_ROOTS: Mapping[FileKind, Kind[Any]] = {
    PromptfooFile.CONFIGURATION: Shaped(Configuration),
    PromptfooFile.CASES: NodeUnion(mapping=Shaped(PromptfooCase), sequence=ListOf(CASE_ITEM)),
    PromptfooFile.DEFAULTS: Shaped(PartialCase),
    PromptfooFile.SCENARIOS: NodeUnion(mapping=Shaped(PromptfooScenario), sequence=ListOf(Shaped(PromptfooScenario))),
    PromptfooFile.PROVIDERS: NodeUnion(
        text=LISTED_IN_FILE.text, mapping=Shaped(ListedInFile), sequence=ListOf(LISTED_IN_FILE)
    ),
    PromptfooFile.PROVIDER: Shaped(ProviderInFile),
    PromptfooFile.ASSERTIONS: NodeUnion(sequence=ASSERTIONS),
    PromptfooFile.ASSERTION: ASSERTIONS.item,
    PromptfooFile.VARS: Shaped(VariablesFile),
    PromptfooFile.SCHEMA: Shaped(JsonSchema),
    PromptfooFile.TOOLS: NodeUnion(mapping=Shaped(ModelTool), sequence=ListOf(_TOOL)),
}
_ITEMS: Mapping[FileKind, Kind[Any]] = {
    PromptfooFile.CONFIGURATION: CASE_ITEM,
    PromptfooFile.CASES: CASE_ITEM,
    PromptfooFile.SCENARIOS: Shaped(PromptfooScenario),
    PromptfooFile.PROVIDERS: LISTED_IN_FILE,
    PromptfooFile.ASSERTIONS: ASSERTIONS.item,
    PromptfooFile.TOOLS: _TOOL,
}

LANGUAGE = FamilyLanguage(
    kinds={kind.name: kind for kind in vars(PromptfooFile).values() if isinstance(kind, FileKind)},
    roots=_ROOTS,
    items=_ITEMS,
    cases={**_ITEMS, PromptfooFile.SCENARIOS: CASE_ITEM},
    schemas={
        "suite": PromptfooFile.CONFIGURATION,
        "cases": PromptfooFile.CASES,
        "defaults": PromptfooFile.DEFAULTS,
        "scenarios": PromptfooFile.SCENARIOS,
        "providers": PromptfooFile.PROVIDERS,
    },
)
