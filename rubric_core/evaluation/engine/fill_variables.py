"""Fills in values that are only known at run time: the environment, and the `vars` of the case."""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import FilledSuite, SuiteReferences
from rubric_core.evaluation.cases.variant import Variant
from rubric_core.evaluation.model.metadata import with_inherited
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.templating.interpolate import Interpolation, names_read, node_of, with_values
from rubric_core.language.model import Case, Suite
from rubric_core.lazy_compilation import replace
from rubric_core.loading.lower import Lowering
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.text import Span

__all__ = ["fill_variables"]


def fill_variables(case: Runnable, environment: Mapping[str, str]) -> Runnable:
    """`case` with its references to variables filled in. Raises Unscored for an environment variable that is not set."""
    given = case.with_values(environment, _filled_variant(case, environment))
    suite = _filled_suite(given, environment)
    made = _with_metadata(_filled_case(given, environment), suite, given)
    return given if made is given.case and suite is given.suite else replace(given, case=made, suite=suite)


def _with_metadata(case: Case, suite: Suite, given: Runnable) -> Case:
    """The case with the metadata that it inherits from its suite."""
    inherited = given.facts.metadata_of(suite, given.suite_anchors)
    if not inherited:
        return case
    made = copy(case)
    vars(made)["metadata"] = with_inherited(plain(case.metadata, given.anchors) or {}, inherited)
    return made


def _filled_variant(case: Runnable, environment: Mapping[str, str]) -> Variant | None:
    """The values of `vars` with their references filled in: to environment variables, and to one another."""
    if not any("{{" in text for text in _strings_in(case.variables)):
        return case.variant
    values = dict(case.variables)
    filling = Interpolation(
        case.dialect, environment, case.variables, case.case_place, case.anchors, case.sandbox, case.filters
    )
    at = case.case.node or Scalar(case.case.span, case.case.span, None, None, "", "double")
    for name, value in case.variables.items():
        if any("{{" in text for text in _strings_in(value)):
            values[name] = plain(filling.node(node_of(value, at)), {})
    return replace(case.variant or Variant(), variables=values)


def _filled_case(case: Runnable, environment: Mapping[str, str]) -> Case:
    if case.case.node is None or (not case.facts.of_text(case.text).has_templates and not case.anchors):
        return case.case
    node = _filled(case.case.node, case, environment, case.case_place, case.anchors)
    if node is case.case.node:
        return case.case
    return Lowering(case.text, case.dialect, case.dialects, case.anchors).case(node) or case.case


def _filled_suite(case: Runnable, environment: Mapping[str, str]) -> Suite:
    if case.suite.node is None or not case.facts.of_text(case.suite_text).has_braces:
        return case.suite
    facts = case.facts
    references = facts.references.get(case.suite) or facts.references.keep(
        case.suite, SuiteReferences(names_read(case.suite.node, case.dialect, case.suite_anchors))
    )
    if references.names is None or not references.names.isdisjoint(case.variables):
        return _lowered_suite(case, case.suite.node, environment)
    known = facts.filled.get(environment)
    if known is None or known.of is not case.suite:
        try:
            known = FilledSuite(case.suite, _lowered_suite(case, case.suite.node, environment))
        except Unscored as problem:
            known = FilledSuite(case.suite, case.suite, problem.reason)
        facts.filled.keep(environment, known)
    if known.trouble:
        raise Unscored(known.trouble)
    return known.suite


def _lowered_suite(case: Runnable, written: Node, environment: Mapping[str, str]) -> Suite:
    """The suite of a case with its references filled in. Raises Unscored."""
    node = _filled(written, case, environment, case.suite_place, case.suite_anchors)
    if node is written:
        return case.suite
    return Lowering(case.suite_text, case.dialect, case.dialects, case.suite_anchors).suite(node, "") or case.suite


def _filled(
    node: Node,
    case: Runnable,
    environment: Mapping[str, str],
    place_of: Callable[[Span], str],
    anchors: Mapping[str, Node],
) -> Node:
    properties = case.dialect.properties
    filling = partial(
        Interpolation, case.dialect, environment,
        place_of=place_of, anchors=anchors, sandbox=case.sandbox, filters=case.filters,
    )  # fmt: skip
    if properties.emptied_keys and node is case.case.node:
        emptying = filling(variables=case.variables, empties=True, kept=properties.template_variables)
        return with_values(node, properties.emptied_keys, emptying, filling(variables=case.variables))
    return with_values(node, properties.variable_keys, filling(variables=case.variables), filling(variables={}))


def _strings_in(value: object) -> Iterator[str]:
    """Every string in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings_in(item)
