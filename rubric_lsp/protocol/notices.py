"""Messages for users: notices, questions, progress."""

from typing import Final, Literal

from rubric_core.control_characters import reveal

__all__ = ["ERROR", "INFORMATION", "LOG", "WARNING", "MessageType", "notice"]

MessageType = Literal[1, 2, 3, 4]
ERROR: Final = 1
WARNING: Final = 2
INFORMATION: Final = 3
LOG: Final = 4


def notice(text: str) -> str:
    """A sentence that is safe to show in an editor: control characters are escaped, and nothing in it is a link.

    Visual Studio Code renders `[words](address)` in messages and progress as links, whoever wrote them.
    """
    return reveal(text).replace("](", "] (")
