"""The variables that the cases of a promptfoo configuration have, as far as its text and its files show."""

import re

from rubric_core.families.promptfoo.checks.case_parts import misspells
from rubric_core.families.promptfoo.checks.misspelt_variables import GIVEN
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.syntax.tree import Scalar, Sequence

__all__ = ["are_known", "every_name", "has_hooks", "shared_names", "variables_of_cases"]

#: Functions that are called when all prompts are filled in.
_AFTERWARDS = (":afterAll", ":afterEach")


def has_hooks(suite: PromptfooSuite) -> bool:
    """Whether functions around the run, or a red team, may define variables which the text does not show."""
    place = suite.configuration.places.get("extensions")
    if place is None or suite.configuration.has("red_team"):
        return suite.configuration.has("red_team")
    nodes = place.node.items if isinstance(place.node, Sequence) else [place.node]
    return not all(isinstance(node, Scalar) and node.text.endswith(_AFTERWARDS) for node in nodes)


def are_known(suite: PromptfooSuite) -> bool:
    """Whether every variable is defined in the configuration, in files that were read, or by hooks."""
    configuration = suite.configuration
    if suite.refers_for_cases:
        return False
    if configuration.has("command_line_options") and re.search(r"\bvar\b", suite.frame.text):
        return False
    if suite.outside is None or any(each.names is None for each in suite.outside if each.what != "prompt"):
        return False
    if not suite.digest.is_common_plain or misspells(configuration.node, "defaultTest"):
        return False
    return bool(suite.every_case) or any(each.what == "cases" for each in suite.outside)


def variables_of_cases(suite: PromptfooSuite) -> frozenset[str] | None:
    """The variables that some case has; None if there may be more."""
    if not are_known(suite) or not suite.digest.is_plain or suite.digest.misspells_vars:
        return None
    return every_name(suite, shared_names(suite)) - GIVEN


def shared_names(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that every case has, and those of promptfoo."""
    defaults = (each.names or () for each in suite.outside or () if each.what == "defaults")
    return GIVEN.union(suite.digest.shared, *defaults)


def every_name(suite: PromptfooSuite, shared: frozenset[str]) -> frozenset[str]:
    """The variables that some case has, with those that are `shared`."""
    return shared.union(suite.digest.names, suite.digest.common, *(e.names or () for e in suite.outside or ()))
