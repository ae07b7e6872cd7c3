"""environment-sent: a key or token of the environment in a text that models are asked."""

from collections.abc import Iterator
from typing import Literal

from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.language.model import Case, DefaultTest, Scenario, Suite
from rubric_core.language.secret_names import NOT_SENT, looks_secret
from rubric_core.language.targets import Entry
from rubric_core.language.variables import ENVIRONMENT_REFERENCE
from rubric_core.loading.reference_issues import PromptText
from rubric_core.loading.secrets_read import is_secret
from rubric_core.loading.sent_files import SecretsInFile
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["ENVIRONMENT_SENT", "Part", "is_for_keys", "scalars_in", "sent_texts", "sent_variable"]

Part = Literal["address", "text"]

#: The settings of AgentV's targets that are addresses, and those that are sent with every case.
_ADDRESSES, _SENT = ("url", "base_url", "endpoint", "cli_url"), ("body", "system_prompt")


@rule("environment-sent", "warning", "A key or token from the environment in a prompt")
def ENVIRONMENT_SENT(  # noqa: N802  # a rule is a constant
    visited: Suite | Case | DefaultTest | Scenario | LlmJudge | Rubric | Entry | PromptText | SecretsInFile,
    context: Context,
) -> Iterator[Finding]:
    """Prompts, variables and what graders get are filled in from the environment of whoever runs the suite."""
    if isinstance(visited, SecretsInFile):
        yield from (sent_variable(name, visited.span) for name in sorted(visited.names))
    elif isinstance(visited, PromptText):
        yield from _in_prompt(visited, context)
    elif context.dialect.properties.interpolation and context.templated and not visited.borrowed:
        if isinstance(visited, Entry):
            yield from _in_target(visited, context)
        elif isinstance(visited.node, Mapping):
            cases = visited.places.get("cases") if isinstance(visited, Suite) else None
            for node in sent_texts(visited.node, cases.node if cases is not None else None):
                yield from _found(node.span, context)


def _in_prompt(prompt: PromptText, context: Context) -> Iterator[Finding]:
    """In the prompt of a judge: where it stands if it is checked by itself, else where it is named."""
    if not context.dialect.properties.nunjucks:
        return  # its environment is not filled in
    if prompt.path is None:
        yield from _found(Span(0, len(context.text)), context)
    elif not prompt.checked:
        names = {name for name, _ in environment_read(prompt.text) if is_secret(name)}
        yield from (sent_variable(name, prompt.span) for name in sorted(names))


def _in_target(entry: Entry, context: Context) -> Iterator[Finding]:
    """In what a target sends with every case. Its keys belong in settings and headers that are for them."""
    for name, place in entry.places.items():
        if place.borrowed:
            continue
        if name in _ADDRESSES:
            yield from _in_address(place.node, context)
        elif name == "healthcheck" and isinstance(place.node, Mapping):
            url = place.node.get("url")
            yield from _in_address(url, context) if url is not None else ()
        elif name in _SENT:
            yield from _in_setting(place.node, context)
        elif name == "headers" and isinstance(place.node, Mapping):
            for header in place.node.entries:
                if not is_for_keys(header.name or ""):
                    yield from _in_setting(header.value, context)


def _in_address(node: Node, context: Context) -> Iterator[Finding]:
    """In an address. A variable that is the whole of it tells where the server is, whatever its name."""
    whole = isinstance(node, Scalar) and ENVIRONMENT_REFERENCE.fullmatch(node.text.strip())
    yield from () if whole else _in_setting(node, context, "address")


def _in_setting(node: Node, context: Context, part: Part = "text") -> Iterator[Finding]:
    for each in scalars_in(node):
        yield from _found(each.span, context, part)


def sent_texts(node: Node, cases: Node | None) -> Iterator[Scalar]:
    """The texts of a suite or a case that are not for targets and programs alone; cases are visited by themselves."""
    if node is cases:
        return
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from sent_texts(item, cases)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            if entry.name == "vars":  # whose keys are names that anybody may choose
                yield from scalars_in(entry.value)
            elif entry.name not in NOT_SENT or (entry.name == "config" and isinstance(entry.value, Sequence)):
                yield from sent_texts(entry.value, cases)  # the `config` of a scenario is a list of variables


def scalars_in(node: Node) -> Iterator[Scalar]:
    """The texts in a value."""
    return (each for each in walk(node) if isinstance(each, Scalar))


def _found(span: Span, context: Context, part: Part = "text") -> Iterator[Finding]:
    for name, at in environment_read(context.text[span.start : span.end]):
        if is_secret(name):
            yield sent_variable(name, at.moved(span.start), part)


def is_for_keys(header: str) -> bool:
    """Whether a header is one that servers take keys from."""
    return looks_secret(header.replace("-", "_")) or header.lower() == "cookie"


def sent_variable(name: str, span: Span, part: Part = "text") -> Finding:
    """The finding about a variable that a part of a request has in it."""
    what = f"`{name}` of the environment" if name != ANY_VARIABLE else "any environment variable, by a computed name,"
    if part == "address":
        return Finding(
            span,
            f"{what} is part of an address",
            consequence="servers and proxies write addresses down; they take keys in a header",
        )
    return Finding(
        span,
        f"{what} is sent to the target or judge",
        consequence="its value leaves this machine with the prompt, no matter who runs the suite",
    )
