"""Hints about promptfoo configurations that are no mistakes by themselves: cases without a check, environment variables."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.case_parts import options_of
from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, texts_of
from rubric_core.families.promptfoo.checks.templates import environment_in
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions
from rubric_core.language.secret_names import looks_secret
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span
from rubric_core.validation.rule import Context, Finding, checks

__all__ = ["environment_in_case", "is_judged_by_value", "known_environment", "templated_nodes"]


@checks("promptfoo/unasserted-case", "nothing-asserted", "hint", awaits="entry")
def unasserted_cases(suite: PromptfooSuite) -> Iterator[Finding]:
    """A case without an assertion, where most other cases have one.

    A suite without any assertion is for human review.
    """
    defaults = suite.defaults
    outside = suite.outside
    if outside is None or any(each.what == "defaults" for each in outside) or "$ref" in suite.frame.text:
        return
    if defaults is not None and _asserts(defaults):
        return
    bare = [p for p, summary in suite.digest.listed if not summary.has_assertions and not _asserts(p.case)]
    checked = sum(summary.has_assertions for _, summary in suite.digest.listed)
    if not bare or 2 * checked <= len(suite.digest.listed):
        return
    for placed in bare:
        case = placed.case
        if case.borrowed or not isinstance(case.node, Mapping) or case.node.get("$ref") is not None or case.unread:
            continue
        yield Finding(
            placed.outer(case.span), "this case has no `assert`, as most others have: it passes with every output",
            severity="hint", consequence="promptfoo counts it as passed",
        )  # fmt: skip


@checks("promptfoo/unworded-rubric", "nothing-asserted", "warning", awaits="entry")
def unworded_rubrics(suite: PromptfooSuite) -> Iterator[Finding]:
    """A rubric without a `value`, where no default provides a prompt for the judge."""
    for placed, _ in suite.digest.unworded if is_judged_by_value(suite) else ():
        yield from _unworded(placed)


@checks("promptfoo/unworded-rubric", "nothing-asserted", "warning", awaits="entry")
def unworded_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """The same of a case in another file."""
    names = context.defaults.names
    if names is not None and names.is_judged_by_value and "$ref" not in context.text:
        yield from _unworded(PlacedCase(case, -1, lambda _, span: span, context.text))


def is_judged_by_value(suite: PromptfooSuite) -> bool:
    """Whether judges get the prompt of promptfoo, which says no more about a good output than the text of the rubric."""
    shared = options_of(suite.defaults)
    if suite.outside is None or any(each.what == "defaults" for each in suite.outside) or "$ref" in suite.frame.text:
        return False
    return shared is None or not (shared.has("rubric_prompt") or shared.unread)


def _unworded(placed: PlacedCase) -> Iterator[Finding]:
    for check in placed.summary.unworded:
        yield Finding(
            placed.outer(check.at("type")), f"this `{check.type_name}` has no `value`: it says nothing about a good output",
            consequence="promptfoo asks the judge with an empty rubric",
        )  # fmt: skip


def _asserts(case: PromptfooCase) -> bool:
    """Whether anything may fail the case. Empty lists are reported elsewhere, and a misspelt key may be an assertion."""
    if case.has("assertions") or case.has("scoring") or not isinstance(case.node, Mapping):
        return True
    options = options_of(case)
    stores = options is not None and options.has("store_output_as")
    inner = [case.node.get(key) for key in ("vars", "metadata")]
    if any(isinstance(each, Mapping) and each.entry("assert") is not None for each in inner):
        return True  # reported there
    return stores or any(entry.name is not None and entry.name.startswith("ass") for entry in case.node.entries)


@checks("promptfoo/undefined-environment", "undefined-variable", "information", awaits="entry", about_name=True)
def environment_values(suite: PromptfooSuite) -> Iterator[Finding]:
    """An environment variable in a prompt, a variable or an assertion that the configuration does not set.

    Those with the name of a secret are findings of `environment-sent`.
    """
    known = known_environment(suite)
    if known is None:
        return
    seen: set[tuple[int, int]] = set()
    for placed, node in templated_nodes(suite):
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


def templated_nodes(suite: PromptfooSuite) -> Iterator[tuple[PlacedCase, Node]]:
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
