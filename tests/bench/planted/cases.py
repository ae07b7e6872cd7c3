"""Keys of a case that are unknown, of another dialect, or do not go together."""

import random

from planted.suite import Plant, Planted, Suite, entries, replaced
from rubric_core.language.model import Case
from rubric_core.loading.grading import suite_list

__all__ = ["KINDS"]


def add_to_case(line_text: str, *right: str, dialects: tuple[str, ...] = ()) -> Plant:
    """Put a line into a case; `right`: what it can have been meant to be, where it is not simply too many."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        if (dialects and suite.analysis.dialect.name not in dialects) or suite.analysis.external:
            return None
        found = suite.of(Case, "id")
        if not found:
            return None
        shape, offset = rng.choice(found)
        name = line_text.partition(":")[0]
        if any(e.name == name for e in entries(shape)):
            return None
        place = shape.places["id"]
        start = place.key.start + offset
        column = start - suite.text.rfind("\n", 0, start) - 1
        end = suite.text.find("\n", place.value.end + offset)
        if end < 0:
            return None
        rights = [f"\n{' ' * column}{each}" for each in right]
        return replaced(suite, end, end, f"\n{' ' * column}{line_text}", end + 1, ["", *rights])

    return plant


def _nothing(suite: Suite, _: random.Random) -> Planted | None:
    if suite.analysis.dialect.name != "agentv-3" or suite.analysis.suite is None or suite_list(suite.analysis.suite):
        return None
    found = suite.of(Case, "id")
    if not found:
        return None
    shape, offset = found[-1]
    start = suite.text.rfind("\n", 0, shape.node.whole.start + offset) + 1
    column = suite.text[start:].index("-")
    text = suite.text[:start] + f"{' ' * column}- id: planted-case\n{' ' * column}  input: hi\n" + suite.text[start:]
    return Planted(text, text.count("\n", 0, start), ())


KINDS: dict[str, Plant] = {
    "grader on a case": add_to_case("grader: llm_judge"),
    "a key that nobody has": add_to_case("priority: high"),
    "turns without their mode": add_to_case(
        "turns: [{input: hi}]", "mode: conversation\n    turns: [{input: hi}]", dialects=("agentv-3", "agentv-5")
    ),
    "depends_on an unknown case": add_to_case("depends_on: [no-such-case]", dialects=("agentv-3", "agentv-5")),
    "on_dependency_failure misspelt": add_to_case(
        "on_dependency_failure: skipp", "on_dependency_failure: skip", dialects=("agentv-3", "agentv-5")
    ),
    "assertions in a dialect without": add_to_case("assertions: [x]", dialects=("agentv-1", "agentv-2.7", "agentv-5")),
    "assert is old": add_to_case("assert: [{type: is-json}]", "assertions: [{type: is-json}]", dialects=("agentv-3",)),
    "input_messages is gone": add_to_case(
        "input_messages: [{role: user, content: hi}]",
        "input: [{role: user, content: hi}]",
        dialects=("agentv-2.7", "agentv-3"),
    ),
    "expected_messages is gone": add_to_case(
        "expected_messages: [{role: assistant, content: hi}]",
        "expected_output: [{role: assistant, content: hi}]",
        dialects=("agentv-2.7", "agentv-3"),
    ),
    "outcome is gone": add_to_case("outcome: says hi", "criteria: says hi", dialects=("agentv-2.7", "agentv-3")),
    "input is gone": add_to_case("input: hi", "vars: {input: hi}", dialects=("agentv-5",)),
    "rubrics are gone": add_to_case("rubrics: [says hi]", dialects=("agentv-5",)),
    "a case that asserts nothing": _nothing,
}
