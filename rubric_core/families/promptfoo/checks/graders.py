"""Models that are asked for what they are not able to do: graders and targets of the wrong kind, and graders without an id."""

from collections.abc import Iterable, Iterator

from rubric_core.families.promptfoo.checks.case_parts import assertions_of, options_of
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, placed_fix
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.models import (
    MEANT_FOR,
    MODEL_NAME,
    embedding_model,
    role_of_model,
    roles_needed,
)
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES, VENDORS, Role
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import Shape
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, checks

#: Keys that bring others.
_NOT_KNOWN = frozenset({"<<", "$ref"})


@checks("promptfoo/grader", "invalid-value")
def grader_of_assertion(shape: Assertion) -> Iterator[Finding]:
    """A grader that cannot grade: without an id, unknown, or of another kind than the assertion needs.

    Here the model that one assertion names.
    """
    yield from _first_fault(_own_grader(shape), [shape])


@checks("promptfoo/grader", "invalid-value")
def grader_of_case(shape: PromptfooCase) -> Iterator[Finding]:
    """The model that the options of a case name, for the assertions of the case."""
    grader = _own_grader(options_of(shape)) if not isinstance(shape, PartialCase) else None
    if grader is not None:
        yield from _first_fault(grader, _ungraded(assertions_of(shape)))


@checks("promptfoo/grader", "invalid-value")
def common_graders(suite: PromptfooSuite) -> Iterator[Finding]:
    """The model that the defaults name, for the assertions of all cases; and models of cases for the assertions of the defaults."""
    first = suite.bearers[0]
    common = tuple(_ungraded(first.summary.checks))
    grader = _own_grader(options_of(suite.defaults))
    if grader is not None and any(_fault(grader, role) for role in GRADER_ROLES):
        elsewhere = (
            check for placed in suite.every_case if not _names_grader(placed.case) for check in placed.summary.checks
        )
        for found in _first_fault(grader, (*common, *_ungraded(elsewhere))):
            yield Finding(
                first.outer(found.span), found.message, severity="error", consequence=found.consequence,
                fixes=tuple(placed_fix(fix, first.outer) for fix in found.fixes),
            )  # fmt: skip


@checks("promptfoo/target-without-answer", "invalid-value")
def targets_without_answers(suite: PromptfooSuite) -> Iterator[Finding]:
    """A provider of the list that answers no prompts, such as an embedding model.

    Nothing is reported where cases choose their providers.
    """
    chosen = any(placed.case.has("providers") for placed, _ in suite.digest.naming)
    for each in suite.providers if not chosen else ():
        if each.shape is not None and (each.shape.has("prompts") or each.shape.borrowed):
            continue
        node = each.node.get("id") if isinstance(each.node, Mapping) else each.node
        if isinstance(each.node, Mapping) and node is None and each.node.entries:
            node = each.node.entries[0].key
        role = role_of_model(each.id)
        if role in ("embedding", "moderation") and isinstance(node, Scalar):
            words = f"`{each.id}` {MEANT_FOR[role]}; it answers no prompts"
            yield Finding(suite.frame.outer(node.span), words, severity="error", consequence=ROW_ERRORS)


@checks("promptfoo/grader", "invalid-value")
def grader_of_options(configuration: Configuration) -> Iterator[Finding]:
    """A grader among the options of the command line that is the name of a model, without its vendor."""
    options = configuration.command_line_options
    place = options.places.get("grader") if isinstance(options, CommandLineOptions) else None
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, str) and MODEL_NAME.match(node.text):
        words = f"`{node.text}` is no id of a provider: that begins with the vendor, as in `openai:gpt-4o`"
        yield Finding(node.span, words, severity="error", consequence=STOPS)


@checks("promptfoo/classifier-without-grader", "invalid-value", "warning")
def classifiers_without_grader(suite: PromptfooSuite) -> Iterator[Finding]:
    """A `classifier` assertion for which no model is configured; promptfoo has no default model that classifies."""
    configuration = suite.configuration
    if not suite.digest.classifying or _may_have_grader(suite):
        return
    names_grader = any(_names_grader(placed.case) for placed in suite.every_case) if configuration.scenarios else False
    for placed, summary in suite.digest.classifying:
        is_common = placed.case is suite.defaults
        if _names_grader(placed.case) or names_grader or (is_common and any(map(_names_grader, _cases(suite)))):
            continue
        for check in summary.classifiers:
            words = f"nothing names a model for `{check.type_name}`; it needs `provider`"
            # An option of the command line may name one.
            yield Finding(placed.outer(check.at("type")), words, severity="warning", consequence=ROW_ERRORS)


def _cases(suite: PromptfooSuite) -> Iterable[PromptfooCase]:
    return (placed.case for placed in suite.every_case)


def _may_have_grader(suite: PromptfooSuite) -> bool:
    """Whether the defaults or the options of the command line name a model that grades, or may."""
    configuration, defaults = suite.configuration, suite.defaults
    if configuration.has("command_line_options") and "grader" in suite.frame.text:
        return True
    if defaults is None:
        return configuration.has("default_test")
    return defaults.borrowed or defaults.has("provider") or bool(defaults.unread) or _names_grader(defaults)


def _names_grader(case: PromptfooCase) -> bool:
    options = options_of(case)
    return options is not None and (options.has("provider") or bool(options.unread))


def _ungraded(checks: Iterable[Assertion]) -> Iterator[Assertion]:
    """The assertions without a `provider`, which the grader of the case grades."""
    return (check for check in checks if not check.has("provider"))


def _own_grader(shape: Shape | None) -> Node | None:
    place = shape.places.get("provider") if shape is not None and not shape.borrowed else None
    return place.node if place is not None and not place.borrowed else None


def _first_fault(grader: Node | None, checks: Iterable[Assertion]) -> Iterator[Finding]:
    """What is wrong with a grader for the first assertion that cannot use it."""
    if grader is None:
        return
    for check in checks:
        for role in roles_needed(check):
            fault = _fault(grader, role)
            if fault is not None:
                span, words, fixes = fault
                yield Finding(
                    span, words.format(type=check.type_name), fixes=fixes, severity="error", consequence=ROW_ERRORS
                )
                return


def _fault(grader: Node, role: Role) -> tuple[Span, str, tuple[Fix, ...]] | None:
    """Why promptfoo cannot use a grader in a role: the place, the words with `{type}` in them, and fixes."""
    if isinstance(grader, Mapping):
        inner = grader.get(role)
        if inner is not None and not (isinstance(inner, Scalar) and not inner.text):
            return _fault(inner, role)
        identity = grader.get("id")
        if identity is not None:
            return _fault_of_id(identity, role)
        return _without_model(grader, role)
    return _fault_of_id(grader, role)


def _without_model(grader: Mapping, role: Role) -> tuple[Span, str, tuple[Fix, ...]] | None:
    """A mapping with neither an id nor a model for the role. Slips of these are reported themselves."""
    names = [entry.name or "" for entry in grader.entries]
    known = {key.name for key in ConfiguredProvider.keys.values()}.union(GRADER_ROLES)
    slips = (closest(name, ("id", *GRADER_ROLES)) for name in names if name not in known)
    if not _NOT_KNOWN.isdisjoint(names) or any(slips):
        return None
    if not names:
        return grader.span, "the model that grades needs `id`", ()
    if not set(GRADER_ROLES).isdisjoint(names):
        return grader.entries[0].key.span, f"`{{type}}` needs a model under `{role}`", ()
    meant = next((entry for entry in grader.entries if _is_id(entry.value) and entry.name not in known), None)
    fixes = (Fix("change it to `id`", (rename_key(meant, "id"),)),) if meant is not None else ()
    at = meant or grader.entries[0]
    return at.key.span, "the model that grades needs `id`", fixes


def _is_id(node: Node) -> bool:
    """Whether a value is the id of a model of a known vendor."""
    return isinstance(node, Scalar) and node.text.partition(":")[0] in VENDORS and ":" in node.text


def _fault_of_id(node: Node, role: Role) -> tuple[Span, str, tuple[Fix, ...]] | None:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None
    model = embedding_model(node.text)
    if model is not None and role == "embedding":
        meant = f"openai:embedding:{model}"
        fix = Fix(f"change it to `{meant}`", (Edit(node.span, quoted(meant) if node.is_quoted else meant),))
        return node.span, f"promptfoo takes this for a chat model; did you mean `{meant}`?", (fix,)
    known = role_of_model(node.text)
    if known is None or known == role:
        return None
    return node.span, f"`{{type}}` needs a model that {MEANT_FOR[role]}; `{node.text}` {MEANT_FOR[known]}", ()
