"""Sentences for users: messages, questions, progress; and the kinds of messages."""

from rubric_core.control_characters import reveal

__all__ = ["ERROR", "INFORMATION", "LOG", "WARNING", "notice"]

#: `MessageType` of the protocol.
ERROR, WARNING, INFORMATION, LOG = 1, 2, 3, 4


def notice(text: str) -> str:
    """A sentence as an editor may show it: characters that act have their numbers, and nothing in it is a link.

    Visual Studio Code makes links of `[words](address)` in messages and progress, whoever wrote them.
    """
    return reveal(text).replace("](", "] (")
