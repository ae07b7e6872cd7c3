"""Templates in a configuration of promptfoo that cannot be rendered: the texts of its shapes, of messages, for judges and of metrics."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.judge_prompts import judge_texts
from rubric_core.families.promptfoo.checks.prompt_templates import faults_of_chat
from rubric_core.families.promptfoo.checks.suite import texts_of
from rubric_core.families.promptfoo.checks.template_errors import (
    SIGNS,
    broken_filters,
    broken_statements,
    rendered_nodes,
)
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.tree import Scalar
from rubric_core.validation.rule import Context, Finding, checks

_NAMED_SO = "promptfoo records a metric that is named so, braces included"


@checks("promptfoo/template", "broken-template", "warning", signs=SIGNS, borrowed=False)
def broken_texts(
    shape: Configuration | ConfiguredProvider | PromptfooCase | CaseOptions | Assertion, context: Context
) -> Iterator[Finding]:
    """A template with an unknown filter, an unknown or unclosed statement, or an invalid expression."""
    for node in rendered_nodes(shape):
        yield from broken_statements(node, context, is_value=isinstance(shape, Assertion | ConfiguredProvider))
        yield from broken_filters(node.span, context)


@checks("promptfoo/chat-prompt", "broken-template", "warning", signs=SIGNS, borrowed=False)
def broken_chats(configuration: Configuration, context: Context) -> Iterator[Finding]:
    """Chat messages in an inline prompt that are invalid JSON, or have an unknown role or key."""
    for node, _ in texts_of(configuration):
        yield from faults_of_chat(node, context.text)


@checks("promptfoo/template", "broken-template", "warning", signs=SIGNS)
def broken_judge_prompts(shape: Assertion | CaseOptions, context: Context) -> Iterator[Finding]:
    """Prompts for judges, which have no filters of one's own."""
    for node in judge_texts(shape):
        yield from broken_statements(node, context, is_value=True)
        yield from broken_filters(node.span, context, of_judges=True)


@checks("promptfoo/metric-template", "broken-template", "warning", signs=SIGNS, borrowed=False)
def broken_metrics(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A metric whose template cannot be rendered; promptfoo uses the text verbatim."""
    place = shape.places.get("metric")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, str):
        found = (*broken_statements(node, context, is_value=True), *broken_filters(node.span, context))
        yield from (replace(each, severity="warning", consequence=_NAMED_SO) for each in found)
