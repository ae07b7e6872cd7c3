"""unknown-label: a prompt, provider or grader that is named and not configured."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.unknown_labels import unknown_in_listed_case, unknown_labels
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNKNOWN_LABEL"]


@rule("unknown-label", "error", "A reference to a prompt or provider that is not configured", about_name=True)
def UNKNOWN_LABEL(visited: PromptfooSuite | PromptfooCase, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Labels, ids and texts count; so do `name*`, and `group` for labels `group:…`."""
    if isinstance(visited, PromptfooCase):
        yield from unknown_in_listed_case(visited, context)
    else:
        yield from unknown_labels(visited)
