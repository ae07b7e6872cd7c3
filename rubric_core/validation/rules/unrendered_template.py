"""unrendered-template: `{name}` and `{{ name` in a prompt, and placeholders inside of a mapping."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.configuration import Configuration, ConfiguredPrompt
from rubric_core.validation.promptfoo.templates import literal_placeholders, unrendered_values
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNRENDERED_TEMPLATE"]


@rule("unrendered-template", "warning", "A placeholder that promptfoo leaves in the text")
def UNRENDERED_TEMPLATE(shape: Configuration | ConfiguredPrompt | Assertion, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Placeholders of other templates, and those inside of mappings."""
    yield from (
        unrendered_values(shape, context) if isinstance(shape, Assertion) else literal_placeholders(shape, context)
    )
