"""The state that rows of promptfoo pass to later rows, and which tests need it: turns of conversations, stored outputs."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from rubric_core.families.promptfoo.cases.case_inheritance import PromptfooTest
from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt
from rubric_core.language.javascript_values import read_json

__all__ = [
    "STORED",
    "RowPlace",
    "RunHistory",
    "has_conversation",
    "histories",
    "is_serial",
    "needed_tests",
    "reads_conversation",
]


class RowPlace(NamedTuple):
    """Identifies a row of a run."""

    #: The name of its test.
    test: str
    #: The number of its combination of values from the lists in `vars`, from 0.
    number: int
    provider: str
    #: The number of its prompt in the configuration, from 0.
    prompt: int


class RunHistory:
    """The history of one run of a configuration, whose rows run one after another."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str, int, str], list[Mapping[str, Any]]] = {}
        #: The outputs of earlier rows by the names under which `options.storeOutputAs` stores them.
        self.stored: dict[str, Any] = {}
        self._done: set[RowPlace] = set()
        self._tests: set[str] = set()

    def conversation(self, row: RowPlace, conversation_id: str) -> list[Mapping[str, Any]]:
        """The earlier turns of the conversation of a row: each with `prompt`, `input` and `output`.

        As in promptfoo, a list that is not empty grows with the row: its assertions see its own turn, too.
        """
        return self._turns.get((row.provider, row.prompt, conversation_id), [])

    def add_turn(self, row: RowPlace, conversation_id: str, prompt: str, output: Any) -> None:
        """Add the prompt of a row and its output before any transform, as text or data; empty if there was none."""
        sent = _sent(prompt)
        last = sent[-1] if isinstance(sent, list) and sent else None
        content = last.get("content") if isinstance(last, dict) else None
        turn = {"prompt": sent, "input": content or last or sent, "output": output or ""}
        self._turns.setdefault((row.provider, row.prompt, conversation_id), []).append(turn)

    def done(self, row: RowPlace) -> None:
        """Record that a row has been run, whatever its result."""
        self._done.add(row)
        self._tests.add(row.test)

    def missing(self, row: RowPlace, tests: Sequence[str]) -> str:
        """What must run before `row` and has not: one of these tests, or an earlier row of its own test.

        Empty if nothing is missing.
        """
        for test in tests:
            if test not in self._tests:
                return test
        # A row that has been run had its predecessor.
        if row.number and row._replace(number=row.number - 1) not in self._done:
            return f"the row before it of {row.test}"
        return ""


def _sent(prompt: str) -> Any:
    """A prompt that is JSON as data, unless that is nothing."""
    try:
        return read_json(prompt) or prompt
    except (ValueError, RecursionError):
        return prompt


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
