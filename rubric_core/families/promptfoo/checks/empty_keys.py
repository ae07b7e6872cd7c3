"""Keys without a value in a configuration of promptfoo, and cases and providers that are nothing."""

from collections.abc import Iterator
from itertools import product

from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, texts_of
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.checks.variable_names import GIVEN
from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.catalogue import MISNOMERS
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import children
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, checks

_ONE_EMPTY_CASE = "promptfoo runs one empty case"
_PASSES = f"{_ONE_EMPTY_CASE}, which passes"
_REJECTED = "`promptfoo validate` rejects the configuration"
_NO_ROWS = "promptfoo runs nothing here"
#: Reported elsewhere when they are empty.
_OWN_FINDINGS = frozenset({"prompts", "providers", "targets", "tests", "scenarios"})
#: Values of any kind, of which nothing is one.
_ANYTHING = frozenset({"$schema", "redteam", "plugins", "strategies", "assertionTemplates", "tracing", "metadata"})
#: Keys that may give cases or variables which the text does not show.
_OTHER_SOURCES = frozenset({"<<", "$ref", "redteam", "plugins", "strategies", "extensions", "commandLineOptions"})
_KEYS = frozenset(key.name for key in Configuration.keys.values())
_KNOWN = frozenset(key.name for key in PromptfooCase.keys.values())


@checks("promptfoo/empty-key", "invalid-value")
def empty_keys(shape: Configuration, context: Context) -> Iterator[Finding]:
    """A top-level key without a value."""
    node = shape.node
    if not isinstance(node, Mapping):
        return
    known = _KEYS - _OWN_FINDINGS - _ANYTHING
    for entry in node.entries:
        if entry.name in known and _is_nothing(entry.value):
            stops = entry.name == "commandLineOptions"
            yield Finding(
                entry.key.span, f"`{entry.name}` has no value", fixes=remove_key_fix(node, entry.name, context),
                severity="error" if stops else "hint", consequence=STOPS if stops else _REJECTED,
            )  # fmt: skip


@checks("promptfoo/no-cases", "no-cases", "warning", awaits="entry")
def no_cases(suite: PromptfooSuite) -> Iterator[Finding]:
    """An empty list of cases, without scenarios, and an empty list of scenarios, without cases."""
    node, outer = suite.configuration.node, suite.frame.outer
    if not isinstance(node, Mapping) or suite.items or node.get("redteam") is not None:
        return
    tests, scenarios = node.entry("tests"), node.entry("scenarios")
    if tests is None and scenarios is None:
        yield from _without_cases(suite, node)
    if tests is not None and not _is_empty(tests.value):
        return
    if scenarios is None and tests is not None:
        words = f"`{tests.name}` is empty: there is no case"
        consequence = _ONE_EMPTY_CASE if _checks_every_case(node) else _PASSES
        yield Finding(outer(tests.key.span), words, consequence=consequence)
    elif scenarios is not None and _is_empty(scenarios.value):
        words = "`scenarios` is empty: there is no case"
        yield Finding(outer(scenarios.key.span), words, consequence="promptfoo runs nothing")


def _without_cases(suite: PromptfooSuite, node: Mapping) -> Iterator[Finding]:
    """Prompts with variables, and no key for cases. Another configuration or the command line may name some."""
    names = {entry.name or "" for entry in node.entries}
    prompts = node.entry("prompts")
    if prompts is None or not {"providers", "targets"} & names or _OTHER_SOURCES & names or not suite.digest.is_plain:
        return
    if any(_means_cases(name) for name in names) or (suite.defaults is None and "defaultTest" in names):
        return
    known = GIVEN.union(suite.digest.common, {"prompt"})
    used = (each for text, _ in texts_of(suite.configuration) for each in names_in(text.text))
    lacking = next((each.name for each in used if not each.optional and each.name not in known), None)
    if lacking is not None:
        words = f"there are no `tests`, and nothing has a value for `{lacking}`"
        at = suite.frame.outer(prompts.key.span)
        yield Finding(
            at, words, severity="hint", consequence=f"{_ONE_EMPTY_CASE}, unless its command line names others"
        )


def _means_cases(name: str) -> bool:
    """Whether a key is a slip of `tests` or `scenarios`, which is reported."""
    called = MISNOMERS.field_called(Configuration, name) if name else None
    return called == "tests" or (bool(name) and name not in _KEYS and closest(name, ("tests", "scenarios")) is not None)


def _checks_every_case(node: Mapping) -> bool:
    """Whether `defaultTest` has assertions, or is a file that may have some."""
    shared = node.get("defaultTest")
    if isinstance(shared, Mapping):
        return {"assert", "<<", "$ref"}.intersection(entry.name or "" for entry in shared.entries) != set()
    return isinstance(shared, Scalar) and not _is_nothing(shared)


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None and node.style != "hole"


def _is_empty(node: Node) -> bool:
    return _is_nothing(node) or (isinstance(node, Sequence) and not node.items)


@checks("promptfoo/missing-providers", "invalid-value", "warning")
def missing_providers(shape: Configuration) -> Iterator[Finding]:
    """A configuration with prompts and cases, but without providers; a run may name them on the command line."""
    node = shape.node
    names = [entry.name or "" for entry in node.entries] if isinstance(node, Mapping) else []
    if {"providers", "targets", "<<", "$ref", "redteam"}.intersection(names) or not isinstance(node, Mapping):
        return
    begin = node.entry("prompts")
    if begin is None or not {"tests", "scenarios"}.intersection(names) or any(map(_is_provider_slip, names)):
        return
    yield Finding(
        begin.key.span, "there are prompts and cases, and no `providers` that answer", severity="warning",
        consequence="promptfoo stops unless its command line names a provider",
    )  # fmt: skip


def _is_provider_slip(name: str) -> bool:
    called = MISNOMERS.field_called(Configuration, name) if name else None
    return bool(name) and (called == "providers" or closest(name, ("providers", "targets")) is not None)


@checks("promptfoo/empty-filter", "invalid-value", "warning")
def empty_filters(shape: PromptfooCase | ConfiguredProvider, context: Context) -> Iterator[Finding]:
    """`prompts: []` and `providers: []` of a case, and `prompts: []` of a provider, which leave nothing to run."""
    fields = ("prompts", "providers") if isinstance(shape, PromptfooCase) else ("prompts",)
    for field in fields:
        entry = _entry(shape.node, field)
        if entry is not None and not shape.borrowed and isinstance(entry.value, Sequence) and not entry.value.items:
            yield Finding(
                entry.key.span, f"`{field}` is empty: no row is left", fixes=remove_key_fix(shape.node, field, context),
                severity="warning", consequence=_NO_ROWS,
            )  # fmt: skip


def _entry(node: Node | None, name: str) -> Entry | None:
    return node.entry(name) if isinstance(node, Mapping) else None


@checks("promptfoo/empty-scenario", "invalid-value", "warning")
def empty_scenarios(shape: Configuration) -> Iterator[Finding]:
    """A scenario whose `config` or `tests` is empty, so that nothing runs."""
    scenarios = [each for each in children(shape) if isinstance(each, PromptfooScenario)]
    for scenario, (field, what) in product(scenarios, (("config", "round"), ("tests", "case"))):
        entry = _entry(scenario.node, field)
        if entry is not None and isinstance(entry.value, Sequence) and not entry.value.items:
            yield Finding(
                entry.key.span,
                f"`{field}` is empty: the scenario has no {what}",
                severity="warning",
                consequence=_NO_ROWS,
            )


@checks("promptfoo/bare-case", "missing-key", awaits="entry")
def bare_cases(case: PromptfooCase) -> Iterator[Finding]:
    """A case without any of the keys that promptfoo requires.

    Silent beside a key that promptfoo does not know, which is reported.
    """
    node = case.node
    if isinstance(case, PartialCase) or case.borrowed or not isinstance(node, Mapping) or not case.is_bare(node):
        return
    if not all(entry.name in _KNOWN for entry in node.entries):
        return
    at = node.entries[0].key.span if node.entries else node.span
    yield Finding(
        at, "a case needs `vars`, `assert`, `options`, `metadata`, `provider` or `threshold`", consequence=STOPS
    )
