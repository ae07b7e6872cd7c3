"""The state that rows of promptfoo pass to later rows: turns of conversations, stored outputs."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.language.javascript_values import read_json

__all__ = ["RowPlace", "RunHistory"]


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
