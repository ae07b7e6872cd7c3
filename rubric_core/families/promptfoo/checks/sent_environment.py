"""Keys and tokens of the environment in what promptfoo sends to models and services."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.checks.suite_notes import templated_nodes
from rubric_core.loading.secrets_read import is_secret
from rubric_core.syntax.template_syntax import environment_read
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.validation.rule import Finding, checks
from rubric_core.validation.rules.environment_sent import Part, is_for_keys, scalars_in, sent_texts, sent_variable

#: What the ids of providers begin with that are addresses.
_BY_ADDRESS = ("http", "ws", "websocket", "webhook:")


@checks("promptfoo/environment-sent", "environment-sent", "warning")
def sent_environment(suite: PromptfooSuite) -> Iterator[Finding]:
    """A key or token of the environment that is sent to a model or service in a prompt, variable or request.

    Those for which the configuration has a value of its own are not reported.
    """
    if _has_own_env(suite):
        return
    given = suite.configuration.env
    known = frozenset(given) if isinstance(given, dict) else frozenset[str]()
    for placed, node in templated_nodes(suite):
        place = placed.case.places.get("vars")
        for each in scalars_in(node) if place is not None and node is place.node else sent_texts(node, None):
            # There, `${{ name }}` is a dollar sign and a variable.
            text = placed.text[slice(*each.span)].replace("${{", " {{")
            for name, at in environment_read(text):
                if is_secret(name) and name not in known:
                    yield sent_variable(name, placed.outer(at.moved(each.span.start)))
    for part, node in _requests(suite):
        for name, at in environment_read(suite.frame.text[slice(*node.span)]):
            if is_secret(name) and name not in known:
                yield sent_variable(name, suite.frame.outer(at.moved(node.span.start)), part)
    for span, names in suite.secrets:
        yield from (sent_variable(name, span) for name in sorted(names - known))


def _requests(suite: PromptfooSuite) -> Iterator[tuple[Part, Scalar]]:
    """The texts that providers by HTTP and WebSocket send beside the headers that are for keys, and whether they are an address."""
    for provider in suite.providers:
        if not isinstance(provider.node, Mapping) or not provider.id.startswith(_BY_ADDRESS):
            if provider.id.startswith(_BY_ADDRESS) and isinstance(provider.node, Scalar):
                yield "address", provider.node
            continue
        identity, settings = provider.node.get("id"), provider.node.get("config")
        if isinstance(identity, Scalar):
            yield "address", identity
        for entry in settings.entries if isinstance(settings, Mapping) else ():
            if entry.name in ("url", "queryParams"):
                yield from (("address", each) for each in scalars_in(entry.value))
            elif entry.name in ("body", "messageTemplate"):
                yield from (("text", each) for each in scalars_in(entry.value))
            elif entry.name == "headers" and isinstance(entry.value, Mapping):
                others = (each.value for each in entry.value.entries if not is_for_keys(each.name or ""))
                yield from (("text", each) for value in others for each in scalars_in(value))


def _has_own_env(suite: PromptfooSuite) -> bool:
    """Whether every case has a variable called `env`, which templates read instead of the environment."""
    defaults, *cases = suite.bearers
    if "env" in defaults.summary.names:
        return True
    elsewhere = any(each.what == "cases" for each in suite.outside or ())
    return bool(cases) and not elsewhere and all("env" in each.summary.names for each in cases)
