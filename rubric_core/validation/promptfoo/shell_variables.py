"""`${NAME}` in settings of promptfoo: it inserts environment variables only where a template asks for them."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration, ConfiguredProvider
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix

__all__ = ["shell_variables"]

_VARIABLE = pattern(r"\$\{([A-Z][A-Z0-9_]{1,60})\}")
#: Providers that are programs, or start one: they may fill in what they are given.
_PROGRAMS = (
    "exec:", "file:", "golang:", "package:", "python:", "ruby:", "anthropic:claude-agent-sdk", "anthropic:claude-code", "mcp",
    "openai:codex", "openclaw", "opencode",
)  # fmt: skip
#: Settings that are code, or are handed on to programs.
_CODE = ("transform", "validateStatus", "sessionParser", "responseParser", "requestTransform", "mcp", "env")
_ROLES = ("text", "embedding", "classification", "moderation")
_DEEPEST = 12


def shell_variables(
    shape: Configuration | ConfiguredProvider | CaseOptions | Assertion | PromptfooCase, context: Context
) -> Iterator[Finding]:
    """Findings about the environment of a configuration, and the settings of a provider."""
    field = {Configuration: "env", ConfiguredProvider: ""}.get(type(shape), "provider")
    place = shape.places.get(field) if field else None
    if place is not None and not place.borrowed and isinstance(shape, Configuration):
        yield from _inside(place.node, context)
    elif not field and isinstance(shape.node, Mapping):
        yield from _settings(shape.node, context)
    elif place is not None and not place.borrowed and isinstance(place.node, Mapping):
        roles = [place.node.get(role) for role in _ROLES]
        for provider in (place.node, *roles):
            if isinstance(provider, Mapping):
                yield from _settings(provider, context)


def _settings(provider: Mapping, context: Context) -> Iterator[Finding]:
    identity, settings = provider.get("id"), provider.get("config")
    if settings is not None and isinstance(identity, Scalar) and not identity.text.startswith(_PROGRAMS):
        yield from _inside(settings, context)


def _inside(node: Node, context: Context, depth: int = 0) -> Iterator[Finding]:
    if isinstance(node, Scalar):
        yield from _in_text(node, context)
    elif depth > _DEEPEST:
        return
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _inside(item, context, depth + 1)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            if not (entry.name or "").startswith(_CODE):
                yield from _inside(entry.value, context, depth + 1)


def _in_text(node: Scalar, context: Context) -> Iterator[Finding]:
    if "${" not in node.text or node.is_block:
        return
    for found in _VARIABLE.finditer(context.text, *node.span):
        written = f"{{{{env.{found[1]}}}}}"
        edit = Edit(Span(*found.span()), written)
        if not node.is_quoted:
            edit = Edit(node.span, quoted(_VARIABLE.sub(r"{{env.\1}}", node.text)))
        yield Finding(
            Span(*found.span()), f"promptfoo does not insert `{found[0]}`; write `{written}`", consequence="it is taken as it is",
            fixes=(Fix(f"write `{written}`", (edit,), safe=False),),
        )  # fmt: skip
