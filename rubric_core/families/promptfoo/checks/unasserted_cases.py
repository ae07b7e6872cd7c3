"""Cases that nothing checks: without an assertion, or with a rubric that says nothing."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.case_parts import options_of
from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, checks

__all__ = ["is_judged_by_value"]


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
