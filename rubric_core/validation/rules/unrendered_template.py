"""unrendered-template: `{name}` and `{{ name` in a prompt, `${NAME}` in settings, and placeholders inside of a mapping."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration, ConfiguredPrompt
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.validation.promptfoo.shell_variables import shell_variables
from rubric_core.validation.promptfoo.suite import request_texts
from rubric_core.validation.promptfoo.unrendered_placeholders import (
    half_placeholders,
    literal_placeholders,
    request_placeholders,
    unrendered_values,
)
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNRENDERED_TEMPLATE"]


@rule("unrendered-template", "warning", "A placeholder that promptfoo leaves in the text")
def UNRENDERED_TEMPLATE(  # noqa: N802  # a rule is a constant
    shape: Configuration | ConfiguredPrompt | ConfiguredProvider | Assertion | PromptfooCase | CaseOptions,
    context: Context,
) -> Iterator[Finding]:
    """Placeholders of other templates, and those inside of mappings."""
    if not isinstance(shape, ConfiguredPrompt):
        yield from shell_variables(shape, context)
    if isinstance(shape, ConfiguredProvider) and not shape.borrowed:
        yield from request_placeholders(request_texts(shape.node), context)
    if isinstance(shape, Assertion):
        yield from unrendered_values(shape, context)
    if isinstance(shape, Assertion | PromptfooCase):
        yield from half_placeholders(shape, context)
    elif isinstance(shape, Configuration | ConfiguredPrompt):
        yield from literal_placeholders(shape, context)
