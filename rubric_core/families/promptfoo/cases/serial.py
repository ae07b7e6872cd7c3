"""Finds the tests of promptfoo that need earlier ones, for their conversation or for stored outputs."""

import json
from collections.abc import Sequence
from hashlib import sha256

from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt
from rubric_core.families.promptfoo.cases.tests import PromptfooTest

__all__ = ["STORED", "has_conversation", "histories", "is_serial", "needed_tests", "reads_conversation"]

#: The option with the name under which the output is stored.
STORED = "storeOutputAs"
_CONVERSATION = "_conversation"


def reads_conversation(text: str) -> bool:
    """Whether a prompt contains the earlier turns of its conversation."""
    return _CONVERSATION in text and any(
        _CONVERSATION in tag.partition("}")[0] for begin in ("{{", "{%") for tag in text.split(begin)[1:]
    )


def is_serial(prompts: Sequence[PromptfooPrompt], tests: Sequence[PromptfooTest]) -> bool:
    """Whether the rows of a configuration run one after another, as promptfoo decides it."""
    return has_conversation(prompts) or any(_stores(test) for test in tests)


def has_conversation(prompts: Sequence[PromptfooPrompt]) -> bool:
    """Whether a prompt contains the earlier turns of its conversation."""
    return any(reads_conversation(each.text) for each in prompts)


def _is_first(test: PromptfooTest) -> bool:
    return bool(test.part("options").get("runSerially"))


def _stores(test: PromptfooTest) -> bool:
    return bool(test.part("options").get(STORED))


def needed_tests(
    prompts: Sequence[PromptfooPrompt], tests: Sequence[PromptfooTest], names: Sequence[str]
) -> list[tuple[str, ...]]:
    """For each test, the names of the tests that must run before it; these may need further ones in turn.

    promptfoo runs tests with `runSerially` before all others.
    """
    found: list[tuple[str, ...]] = [()] * len(tests)
    first, stored, spoken = "", "", dict[str, str]()
    is_spoken = has_conversation(prompts)
    for number in _in_order(tests):
        test, name = tests[number], names[number]
        before = [first, stored, spoken.get(test.conversation_id, "") if is_spoken else ""]
        found[number] = tuple(dict.fromkeys(each for each in before if each))
        first = name if _is_first(test) else first
        stored = name if _stores(test) else stored
        spoken[test.conversation_id] = name
    return found


def histories(tests: Sequence[PromptfooTest], names: Sequence[str], needed: Sequence[Sequence[str]]) -> list[str]:
    """For each test, a hash of the content of all tests that must run before it; empty if there are none."""
    found = [""] * len(tests)
    whole: dict[str, str] = {}
    for number in _in_order(tests):
        test, before = tests[number], [whole[name] for name in needed[number]]
        found[number] = _hash(before) if before else ""
        whole[names[number]] = _hash([found[number], test.data, [settings for settings, _ in test.assertions]])
    return found


def _in_order(tests: Sequence[PromptfooTest]) -> list[int]:
    """The numbers of the tests in the order in which they run."""
    return sorted(range(len(tests)), key=lambda number: not _is_first(tests[number]))


def _hash(value: object) -> str:
    return sha256(json.dumps(value, default=str).encode()).hexdigest()[:32]
