"""The messages of a conversation in the forms that its target and graders get them in, each message written once.

Every turn is sent and graded with all messages before it: to write these again for each turn would make a conversation of a
thousand turns take a thousand times as much as its messages.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from rubric_core.evaluation.model.inputs import PromptInputs, conversation_block
from rubric_core.ports import ChatMessage

__all__ = ["Transcript"]

T = TypeVar("T")


class Transcript:
    """What was said so far.

    Args:
        said: The messages before the first turn.
        window: The number of turns that target and graders see, besides system messages; None: all.
    """

    def __init__(self, said: Iterable[ChatMessage], window: int | None) -> None:
        self._window = window
        self._messages: list[ChatMessage] = []
        #: Each message as plain data, as a block of the target's text, and as a line of the graders' text.
        self.data: list[Mapping[str, Any]] = []
        self._blocks: list[str] = []
        self._lines: list[str] = []
        #: The places of system messages, and of the others.
        self._system: list[int] = []
        self._others: list[int] = []
        self._answers = 0
        self.add(said)

    def add(self, said: Iterable[ChatMessage]) -> None:
        """More was said."""
        for message in said:
            (self._system if message.role == "system" else self._others).append(len(self._messages))
            self._answers += message.role == "assistant"
            self._messages.append(message)
            self.data.append({"role": message.role, "content": message.content})
            self._blocks.append(conversation_block(message))
            self._lines.append(f"{message.role}: {message.content}")

    @property
    def calls(self) -> int:
        """Calls of a model, as AgentV counts them: the graded answer counts as one more message of the target."""
        return self._answers + 1

    def for_target(self) -> PromptInputs:
        """What the target of a turn gets."""
        shown = self._shown(self._messages)
        question = shown[0].content if len(shown) == 1 else "\n\n".join(self._shown(self._blocks))
        return PromptInputs(question=question, messages=tuple(shown), input=self._shown(self.data))

    def for_graders(self) -> PromptInputs:
        """What the graders of a turn get: the question is a transcript up to the answer."""
        return _graded(self._shown(self._lines), self._shown(self._messages), self._shown(self.data))

    def whole(self) -> PromptInputs:
        """What the graders of the whole conversation get."""
        return _graded(self._lines, self._messages, self.data)

    def _shown(self, each: list[T]) -> list[T]:
        """What target and graders see of a list with an item for each message: all, or the system messages and the last turns."""
        if self._window is None:
            return each.copy()
        places = [*self._system, *self._others[-2 * self._window :]]
        return [each[place] for place in places]


def _graded(lines: Sequence[str], messages: Sequence[ChatMessage], data: Sequence[Mapping[str, Any]]) -> PromptInputs:
    return PromptInputs(question="\n\n".join(lines), messages=tuple(messages), input=list(data))
