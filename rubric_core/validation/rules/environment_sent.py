"""environment-sent: a key or token of the environment in a text that models are asked."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.language.secret_names import looks_secret
from rubric_core.loading.reference_issues import PromptText
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Span
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.suite_notes import own_environment, templated_nodes
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["ENVIRONMENT_SENT"]

#: What stands behind these keys is for targets and programs, which need their keys.
_NOT_ASKED = frozenset({
    "provider", "providers", "target", "targets", "config", "env", "environment", "workspace", "execution", "headers", "hooks",
})  # fmt: skip


@rule("environment-sent", "warning", "A key or token from the environment in a prompt")
def ENVIRONMENT_SENT(visited: Suite | Case | PromptText | PromptfooSuite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Prompts, variables and what graders are told are filled in from the environment of whoever runs the suite."""
    if isinstance(visited, PromptfooSuite):
        yield from _in_promptfoo(visited)
        return
    if not context.templated or not context.dialect.properties.interpolation:
        return
    if isinstance(visited, PromptText):
        if visited.path is None:
            yield from _found(Span(0, len(context.text)), context)
        return
    if visited.borrowed or not isinstance(visited.node, Mapping):
        return
    cases = visited.places.get("cases") if isinstance(visited, Suite) else None
    for node in _texts(visited.node, cases.node if cases is not None else None):
        yield from _found(node.span, context)


def _texts(node: Node, cases: Node | None) -> Iterator[Scalar]:
    """The texts of a suite or a case that are not for targets and programs alone; cases are visited by themselves."""
    if node is cases:
        return
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, cases)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            if entry.name not in _NOT_ASKED:
                yield from _texts(entry.value, cases)


def _found(span: Span, context: Context) -> Iterator[Finding]:
    for name, at in environment_read(context.text[span.start : span.end]):
        if _is_secret(name):
            yield _sent(name, at.moved(span.start))


def _in_promptfoo(suite: PromptfooSuite) -> Iterator[Finding]:
    known = own_environment(suite)
    if known is None:
        return
    for placed, node in templated_nodes(suite):
        for each in _texts(node, None):
            # There, `${{ name }}` is a dollar sign and a variable.
            text = placed.text[slice(*each.span)].replace("${{", " {{")
            for name, at in environment_read(text):
                if _is_secret(name) and name not in known:
                    yield _sent(name, placed.outer(at.moved(each.span.start)))
    for outside in suite.outside or ():
        names = {name for text in outside.texts or () for name, _ in environment_read(text.replace("${{", " {{"))}
        for name in sorted(names - known):
            if _is_secret(name):
                yield _sent(name, suite.frame.outer(outside.node.span))


def _is_secret(name: str) -> bool:
    return name == ANY_VARIABLE or looks_secret(name)


def _sent(name: str, span: Span) -> Finding:
    what = f"`{name}` of the environment" if name != ANY_VARIABLE else "any environment variable, by a computed name,"
    return Finding(
        span,
        f"{what} is sent to the target or judge",
        consequence="its value leaves this machine with the prompt, no matter who runs the suite",
    )
