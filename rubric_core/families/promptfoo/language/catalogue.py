"""The files of promptfoo: their kinds, and the shapes in each of them."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.language.assertion import ASSERTIONS
from rubric_core.families.promptfoo.language.case import CASE_ITEM, PartialCase, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.files import JsonSchema, ModelTool, VariablesFile
from rubric_core.families.promptfoo.language.provider import LISTED_IN_FILE, ListedInFile, ProviderInFile
from rubric_core.language.file_kinds import FamilyLanguage, FileKind
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Kind, ListOf, NodeUnion

__all__ = ["LANGUAGE"]

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
