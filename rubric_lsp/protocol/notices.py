"""Sentences for users: messages, questions, progress; and the kinds of messages."""

from typing import Final, Literal

from rubric_core.control_characters import reveal

__all__ = ["ERROR", "INFORMATION", "LOG", "WARNING", "MessageType", "notice"]

MessageType = Literal[1, 2, 3, 4]
ERROR: Final = 1
WARNING: Final = 2
INFORMATION: Final = 3
LOG: Final = 4


def notice(text: str) -> str:
    """A sentence as an editor may show it: characters that act have their numbers, and nothing in it is a link.

    Visual Studio Code makes links of `[words](address)` in messages and progress, whoever wrote them.
    """
    return reveal(text).replace("](", "] (")
