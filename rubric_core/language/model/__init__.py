"""The shapes of a suite: cases, messages, execution. With `evaluators`, this is the catalogue of the language.

The names here are those of the newest spelling that fits all dialects; what each dialect writes instead stands in
`rubric_core.language.dialects`.
"""

from rubric_core.language.model.case import CASE, Case, CaseInclude, Origin, PromptTemplate, Turn
from rubric_core.language.model.execution import (
    CaseExecution,
    EvaluateOptions,
    Execution,
    Repeat,
    RunSettings,
    TargetChoice,
    Trials,
)
from rubric_core.language.model.grading import EVALUATORS
from rubric_core.language.model.messages import INPUT, MAPPED_INPUT, OUTPUT, ContentBlock, Message, ToolCall
from rubric_core.language.model.suite import (
    EXTENSION_RULES,
    HOOKS,
    DefaultTest,
    DerivedMetric,
    Extension,
    Requires,
    Scenario,
    Suite,
)
from rubric_core.language.targets import Defaults

__all__ = [
    "CASE",
    "EVALUATORS",
    "EXTENSION_RULES",
    "HOOKS",
    "INPUT",
    "MAPPED_INPUT",
    "OUTPUT",
    "Case",
    "CaseExecution",
    "CaseInclude",
    "ContentBlock",
    "DefaultTest",
    "Defaults",
    "DerivedMetric",
    "EvaluateOptions",
    "Execution",
    "Extension",
    "Message",
    "Origin",
    "PromptTemplate",
    "Repeat",
    "Requires",
    "RunSettings",
    "Scenario",
    "Suite",
    "TargetChoice",
    "ToolCall",
    "Trials",
    "Turn",
]
