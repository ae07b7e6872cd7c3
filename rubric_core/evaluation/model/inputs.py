"""The input of a case and the target that answers it, as evaluators get them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rubric_core.ports import ChatMessage, Provider

__all__ = ["CustomPrompt", "PromptInputs", "ResolvedTarget", "TargetAccess", "conversation_block", "conversation_text"]


def conversation_text(messages: tuple[ChatMessage, ...]) -> str:
    """Messages as one text: the content of a single one, else blocks headed by their roles."""
    if len(messages) == 1:
        return messages[0].content
    return "\n\n".join(map(conversation_block, messages))


def conversation_block(message: ChatMessage) -> str:
    """A message as a part of `conversation_text`."""
    return f"@[{message.role.capitalize()}]:\n{message.content}"


@dataclass(frozen=True, slots=True)
class CustomPrompt:
    """An evaluator's own prompt for its judge, instead of the built-in one."""

    text: str
    #: Whether it is the judge's whole prompt, besides the reply format; otherwise it replaces the criteria of the case.
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """The system under test, found and filled in."""

    name: str
    #: openai, cli, mock and so on.
    kind: str
    #: The target that judges its answers, when its entry names one.
    grader_target: str | None = None
    #: Its other settings as written: no variables filled in, no secrets.
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """The complete input of a case."""

    #: The question as one text.
    question: str
    messages: tuple[ChatMessage, ...] = ()
    #: As `messages`, with the paths of files in place of their contents, for targets that read files themselves.
    path_messages: tuple[ChatMessage, ...] = ()
    #: The texts of the input alone, without its files, on one line.
    text: str = ""
    #: A good answer, when the case has one.
    reference_answer: str = ""
    #: The files of the case, guidelines among them.
    files: tuple[Path, ...] = ()
    #: The files that early releases take for instructions, and their contents.
    guidelines: tuple[Path, ...] = ()
    guideline_text: str = ""
    #: Expected messages and input messages, as plain data for programs.
    input: Sequence[Any] = ()
    expected: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class TargetAccess:
    """The targets that a program may ask while it grades."""

    #: The name of the default target.
    usual: Callable[[], str]
    names: Sequence[str]
    #: A target by its name, or the default one; its costs are counted. Raises Unscored.
    provider: Callable[[str | None], Provider]
