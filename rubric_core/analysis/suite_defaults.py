"""What rules for one case, or for a prompt file, may use of the suite around it."""

from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Execution, Suite
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.language.promptfoo.file_kinds import PromptfooFile
from rubric_core.language.shape import Shape
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.grading import suite_list
from rubric_core.validation.rule import SuiteDefaults

__all__ = ["prompt_file_defaults", "suite_defaults"]


def suite_defaults(suite: Shape | None, kind: FileKind, names: DefinedNames | None = None) -> SuiteDefaults:
    """What rules for one case may use of a suite or of a promptfoo configuration.

    Args:
        suite: The suite; None or another shape for any other file.
        kind: The kind of the file.
        names: What configurations of promptfoo define for the file.
    """
    if isinstance(suite, Configuration):
        return _of_configuration(suite)
    if not isinstance(suite, Suite):
        filters = names.filters if names is not None else None
        is_listed = kind is PromptfooFile.CASES
        return SuiteDefaults(
            asserts=True, inlines=is_listed, filters=filters, names=names if kind.lists_cases else None
        )
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    threshold = execution.threshold if execution is not None and execution.has("threshold") else None
    return SuiteDefaults(
        asserts=bool(suite_list(suite)),
        evaluator=suite.has("evaluator"),
        threshold=threshold,
        asks=suite.has("input"),
        filters=frozenset(suite.nunjucks_filters or ()),
        variables=suite.common_variables,
    )


def prompt_file_defaults(shapes: tuple[Shape, ...]) -> SuiteDefaults:
    """What rules for a prompt file may use of the configuration among `shapes`; nothing is known without one."""
    own = next((shape for shape in shapes if isinstance(shape, Configuration)), None)
    filters = own.nunjucks_filters if own is not None and own.has("nunjucks_filters") else {}
    return SuiteDefaults(filters=frozenset(filters) if own is not None and isinstance(filters, dict) else None)


def _of_configuration(suite: Configuration) -> SuiteDefaults:
    own = suite.nunjucks_filters if suite.has("nunjucks_filters") else {}
    common = suite.default_test if isinstance(suite.default_test, PromptfooCase) else None
    options = common.options if common is not None else None
    judged = suite.has("default_test") and (common is None or (options is not None and options.has("rubric_prompt")))
    return SuiteDefaults(
        asserts=True, filters=frozenset(own) if isinstance(own, dict) else None, judge_prompt=judged,
        untraced=not suite.has("tracing") and not suite.has("red_team"),
    )  # fmt: skip
