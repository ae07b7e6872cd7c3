"""Environment variables: unset ones, those in the notation of a shell, and secrets that promptfoo sends to others."""

import re
from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, texts_of
from rubric_core.families.promptfoo.checks.templates import environment_in
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions
from rubric_core.language.secret_names import looks_secret
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.secrets_read import is_secret
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.template_syntax import environment_read
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks
from rubric_core.validation.rules.environment_sent import Part, is_for_keys, scalars_in, sent_texts, sent_variable

__all__ = ["environment_in_case", "known_environment", "misnamed_environment"]

#: `${NAME}`; the whole text `$NAME`; and other names for `env` in a template.
_VARIABLE = pattern(
    r"\$\{([A-Z][A-Z0-9_]{1,60})\}|\$\{\{[ ]{0,3}(?:secrets|env|vars)\.([A-Za-z_]\w{0,60})[ ]{0,3}\}\}"
    r"|(?<!\{)\{(?:process\.)?env[.:]([A-Za-z_]\w{0,60})\}(?!\})|\{\{[ ]{0,3}env\.([A-Za-z_]\w{0,60})[ ]{0,3}\}(?!\})"
    r"|\{\{-?[ \t]{0,9}(?:(?:process|os)\.env(?:iron)?[.:]|ENV[.:]|Env[.:]|envs[.:]|env:)[ \t]{0,9}([A-Za-z_]\w{0,60})[ \t]{0,9}-?\}\}"
)
#: `${NAME:-text}`, with what a shell inserts where the variable is not set.
_WITH_DEFAULT = pattern(r"\$\{([A-Z][A-Z0-9_]{1,60}):?[-=]([^{}'\"\n]{0,200})\}")
#: A name of the environment without `env`.
_BARE = pattern(r"\{\{[ ]{0,3}([A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,9})[ ]{0,3}\}\}")
#: Another name for `env` in a longer template, as in `{{ envs.NAME or 'text' }}`; `environment` is often a variable.
_OTHER_ENV = pattern(
    r"\{\{-?(?:[^{}'\"]|'[^'{}]{0,99}'|\"[^\"{}]{0,99}\"){0,200}?(?<![\w.$'\"])"
    r"(?P<env>(?:process|os)\.env(?:iron)?|environ|ENV|Env|envs|evn|nev|enc|emv|eenv|envv|ennv)(?=\.[A-Z_]|\[['\"])"
)
_WHOLE = pattern(r"\$([A-Z][A-Z0-9_]{2,60})\Z")
#: `$NAME` in a longer text.
_PART = pattern(r"(?<![\w$\\])\$([A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){0,9})(?![\w({.])")
#: The name of an environment variable in place of a key: as other languages read it, or by itself.
_KEY_NAME = pattern(
    r"(?:(?:process\.)?env\.|os\.environ\.)([A-Za-z_]\w{0,60})\Z"
    r"|(?!(?:DUMMY|FAKE|MOCK|TEST|NO|NOT|ANY|SOME|EMPTY|LOCAL)_)([A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){0,4}_API_(?:KEY|TOKEN))\Z"
)
#: What a template of a configuration has in place of a key.
_KEY_LEFT_OUT = pattern(
    r"<[^<>\n]{1,60}>\Z|(?:your|insert)(?:[-_ ][a-z]{1,20}){0,3}[-_ ](?:key|token)(?:[-_ ]here)?\Z", re.IGNORECASE
)
#: Where such a text is an address, or what proves who asks.
_SENDS = pattern(r"\A(?:(?:Bearer|Basic|Token|Key|ApiKey)[ ]+)\$|://|\A\$[A-Z0-9_]{2,60}[/:]")
#: Providers that are programs, or start one: they may fill in their settings.
_PROGRAMS = (
    "exec:", "file:", "golang:", "package:", "python:", "ruby:", "anthropic:claude-agent-sdk", "anthropic:claude-code", "mcp",
    "openai:codex", "openclaw", "opencode",
)  # fmt: skip
#: Settings that are code, or are handed on to programs.
_CODE = ("transform", "validateStatus", "sessionParser", "responseParser", "requestTransform", "mcp", "env")
_DEEPEST = 12
#: What the ids of providers begin with that are addresses.
_BY_ADDRESS = ("http", "ws", "websocket", "webhook:")


@checks("promptfoo/shell-variable", "unrendered-template", "warning")
def shell_variables(
    shape: Configuration | ConfiguredProvider | CaseOptions | Assertion | PromptfooCase, context: Context
) -> Iterator[Finding]:
    """An environment variable in the notation of a shell or a program, which promptfoo does not insert."""
    field = {Configuration: "env", ConfiguredProvider: ""}.get(type(shape), "provider")
    place = shape.places.get(field) if field else None
    if place is not None and not place.borrowed and isinstance(shape, Configuration):
        yield from _inside(place.node, context)
    elif not field and isinstance(shape.node, Mapping):
        yield from _settings(shape.node, context)
    elif place is not None and not place.borrowed and isinstance(place.node, Mapping):
        roles = [place.node.get(role) for role in GRADER_ROLES]
        for provider in (place.node, *roles):
            if isinstance(provider, Mapping):
                yield from _settings(provider, context)


def misnamed_environment(text: str) -> list[Span]:
    """The offsets in a text at which something else than `env` is meant for the environment, which is reported."""
    whole = [Span(*found.span()) for found in _VARIABLE.finditer(text)]
    return [*whole, *(Span(*found.span("env")) for found in _OTHER_ENV.finditer(text))]


def _settings(provider: Mapping, context: Context) -> Iterator[Finding]:
    identity, settings, own = provider.get("id"), provider.get("config"), provider.get("env")
    if isinstance(identity, Scalar):
        yield from _in_text(identity, context)
        yield from _without_env(identity, context)
    if isinstance(own, Mapping):
        yield from _inside(own, context)
    key = settings.get("apiKey") if isinstance(settings, Mapping) else None
    if isinstance(key, Scalar):
        yield from _without_env(key, context)
        yield from _key(key)
    if settings is not None and isinstance(identity, Scalar) and not identity.text.startswith(_PROGRAMS):
        yield from _inside(settings, context)


def _without_env(node: Scalar, context: Context) -> Iterator[Finding]:
    """`{{NAME}}` where nothing but the environment is filled in."""
    for found in _BARE.finditer(context.text, *node.span):
        written, at = f"{{{{env.{found[1]}}}}}", Span(*found.span())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
        words = f"promptfoo fills in nothing for `{found[0]}`; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence="it is taken as it is")


def _key(node: Scalar) -> Iterator[Finding]:
    """A key that is the name of a variable, or says that a key belongs there."""
    named = _KEY_NAME.match(node.text)
    if _KEY_LEFT_OUT.match(node.text):
        yield Finding(node.span, f"`{node.text}` stands for a key, and is none", consequence="it is taken as it is")
    elif named is not None:
        written = f"{{{{env.{named[named.lastindex or 0]}}}}}"
        fixes = (Fix(f"write `{written}`", (Edit(node.span, quoted(written)),), safe=False),)
        words = f"promptfoo does not insert `{named[0]}`; write `{written}`"
        yield Finding(node.span, words, fixes=() if node.is_block else fixes, consequence="it is taken as it is")


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


def _parts(node: Scalar, context: Context) -> Iterator[Finding]:
    """`$NAME` in an address or a header, as a part of it."""
    for found in _PART.finditer(context.text, *node.span) if _SENDS.search(node.text) else ():
        written, at = f"{{{{env.{found[1]}}}}}", Span(*found.span())
        whole = quoted(_PART.sub(r"{{env.\1}}", node.text))
        edit = Edit(at, written) if node.is_quoted else Edit(node.span, whole)
        words = f"promptfoo does not insert `{found[0]}`; write `{written}`"
        fix = Fix(f"write `{written}`", (edit,), safe=False)
        yield Finding(at, words, consequence="it is taken as it is", fixes=(fix,))


def _in_text(node: Scalar, context: Context) -> Iterator[Finding]:
    if node.is_block or not ("{" in node.text or "$" in node.text):
        return
    whole = _WHOLE.match(node.text)
    if whole is not None:
        written = f"{{{{env.{whole[1]}}}}}"
        fix = Fix(f"write `{written}`", (Edit(node.span, quoted(written)),), safe=False)
        words = f"promptfoo does not insert `{whole[0]}`; write `{written}`"
        yield Finding(node.span, words, consequence="it is taken as it is", fixes=(fix,))
        return
    seen = set[int]()
    yield from _parts(node, context)
    for found in _VARIABLE.finditer(context.text, *node.span):
        seen.add(found.start())
        written = f"{{{{env.{found[found.lastindex or 0]}}}}}"
        edit = Edit(Span(*found.span()), written)
        if not node.is_quoted:
            edit = Edit(node.span, quoted(_VARIABLE.sub(_as_template, node.text)))
        yield Finding(
            Span(*found.span()), f"promptfoo does not insert `{found[0]}`; write `{written}`", consequence="it is taken as it is",
            fixes=(Fix(f"write `{written}`", (edit,), safe=False),),
        )  # fmt: skip
    for found in _WITH_DEFAULT.finditer(context.text, *node.span):
        written, at = f"{{{{env.{found[1]} or '{found[2]}'}}}}", Span(*found.span())
        is_double = context.text.startswith('"', node.span.start)
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),) if is_double else ()
        words = f"promptfoo does not insert `{found[0]}`; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence="it is taken as it is")
    for found in _OTHER_ENV.finditer(context.text, *node.span):
        if found.start() not in seen:
            at = Span(*found.span("env"))
            yield Finding(
                at, f"the environment is called `env` in templates, not `{found['env']}`", consequence="promptfoo inserts nothing for it",
                fixes=(Fix("write `env`", (Edit(at, "env"),), safe=False),),
            )  # fmt: skip


def _as_template(found: "re.Match[str]") -> str:
    return f"{{{{env.{found[found.lastindex or 0]}}}}}"


@checks("promptfoo/environment-sent", "environment-sent", "warning")
def sent_environment(suite: PromptfooSuite) -> Iterator[Finding]:
    """A key or token of the environment that is sent to a model or service in a prompt, variable or request.

    Those for which the configuration has a value of its own are not reported.
    """
    if _has_own_env(suite):
        return
    given = suite.configuration.env
    known = frozenset(given) if isinstance(given, dict) else frozenset[str]()
    for placed, node in _templated_nodes(suite):
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


@checks("promptfoo/undefined-environment", "undefined-variable", "information", awaits="entry", about_name=True)
def environment_values(suite: PromptfooSuite) -> Iterator[Finding]:
    """An environment variable in a prompt, a variable or an assertion that the configuration does not set.

    Those with the name of a secret are findings of `environment-sent`.
    """
    known = known_environment(suite)
    if known is None:
        return
    seen: set[tuple[int, int]] = set()
    for placed, node in _templated_nodes(suite):
        for name, span in _environment_names(placed.text, node):
            key = (placed.block, span.start)
            if name not in known and key not in seen:
                seen.add(key)
                yield _of_environment(name, placed.outer(span))


def environment_in_case(placed: PlacedCase, known: frozenset[str] | None) -> Iterator[Finding]:
    """The same in a case of another file, where the configuration sets the variables that are `known`."""
    if known is None or "env" not in placed.text or "env" in placed.summary.names:
        return
    for node in _read(placed.case):
        found = _environment_names(placed.text, node)
        yield from (_of_environment(name, span) for name, span in found if name not in known)


def _of_environment(name: str, span: Span) -> Finding:
    return Finding(
        span, f"`{name}` is a value of the environment of whoever runs this",
        severity="information", consequence="where it is not set, promptfoo fills in nothing",
    )  # fmt: skip


def known_environment(suite: PromptfooSuite) -> frozenset[str] | None:
    """The variables that the configuration sets under `env`; None if a file may set others, or a case has a variable named `env` instead."""
    if "env" in suite.digest.names or "env" in suite.digest.common or _names_a_file(suite.configuration):
        return None
    given = suite.configuration.env
    return frozenset(given) if isinstance(given, dict) else frozenset()


def _templated_nodes(suite: PromptfooSuite) -> Iterator[tuple[PlacedCase, Node]]:
    """The prompts, and the variables and checks of cases that have something of the environment."""
    yield from ((suite.frame, node) for node, _ in texts_of(suite.configuration))
    for placed in suite.digest.with_environment:
        yield from ((placed, node) for node in _read(placed.case))


def _names_a_file(configuration: Configuration) -> bool:
    """Whether the environment comes from a file that the configuration names."""
    options = configuration.command_line_options
    return isinstance(options, CommandLineOptions) and (options.has("env_path") or options.has("env_file"))


def _read(case: PromptfooCase) -> Iterator[Node]:
    for field in ("vars", "assertions"):
        place = case.places.get(field)
        if place is not None and not place.borrowed:
            yield place.node


def _environment_names(text: str, node: Node) -> Iterator[tuple[str, Span]]:
    """The environment variables that texts below a node insert, with their places; not those with the name of a secret."""
    if not isinstance(node, Scalar | Mapping | Sequence):
        return
    for each in walk(node):
        if isinstance(each, Scalar):
            found = environment_in(text[slice(*each.span)])
            yield from ((name, at.moved(each.span.start)) for name, at in found if not looks_secret(name))
