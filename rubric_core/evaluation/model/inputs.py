"""The input of a case and the target that answers it, as evaluators get them (document 003, REQ-EVAL-004)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rubric_core.ports import ChatMessage, Provider

__all__ = ["CustomPrompt", "PromptInputs", "ResolvedTarget", "TargetAccess", "conversation_text"]


def conversation_text(messages: tuple[ChatMessage, ...]) -> str:
    """Messages as one text: the content of a single one, else blocks that name who speaks."""
    if len(messages) == 1:
        return messages[0].content
    return "\n\n".join(f"@[{m.role.capitalize()}]:\n{m.content}" for m in messages)


@dataclass(frozen=True, slots=True)
class CustomPrompt:
    """A prompt that an evaluator brings for its judge in place of the built-in one."""

    text: str
    #: Whether it is all that the judge gets, beside the form of its reply; otherwise it takes the place of the criteria of the case.
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """The system under test, found and filled in."""

    name: str
    #: openai, cli, mock and so on.
    kind: str
    #: The target that judges its answers, when its entry names one.
    grader_target: str | None = None
    #: Its other settings as they are written: no variable filled in, no secrets.
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """The input of a case, put together."""

    #: What is asked, as one text.
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

    #: The name of the one that is asked when none is named.
    usual: Callable[[], str]
    names: Sequence[str]
    #: A target by its name, or the usual one; what it costs is counted. Raises Unscored.
    provider: Callable[[str | None], Provider]
