"""Messages: the input of a target and its expected output."""

from typing import ClassVar

from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Messages, OneMessage, Shaped
from rubric_core.language.value_kinds import Anything, Choice, Kind, ListOf, MapOf, NodeUnion, Text

__all__ = ["FILES", "INPUT", "MAPPED_INPUT", "OUTPUT", "ROLE", "ContentBlock", "Message", "ToolCall"]

FILES = ListOf(Text(refers_to="file"))


class ContentBlock(Shape):
    """A content block: a piece of a message."""

    type = key(
        Choice((("text", "text as it stands"), ("file", "the content of a file"), ("image", "a picture"))),
        "What the piece is.",
        required=True,
        example="text",
    )
    value = key(Text(blank=True), "The text, or the path of the file.", required=True, example="Hello")


class ToolCall(Shape):
    """A tool call: one that the target is expected to make."""

    open: ClassVar[bool] = True
    tool = key(Text(), "The name of the tool.", required=True, example="search")
    input = key(Anything(), "The arguments of the call.")
    output = key(Anything(), "The output of the tool.")


ROLE = Choice(
    (
        ("system", "instructions"),
        ("user", "what the person says"),
        ("assistant", "what the target says"),
        ("tool", "the output of a tool"),
    )
)


class Message(Shape):
    """A message: one turn of a conversation."""

    open: ClassVar[bool] = True
    role = key(
        ROLE,
        "Who speaks.",
        required=True,
        example="user",
    )
    content = key(
        NodeUnion(
            text=Text(blank=True),
            sequence=ListOf(NodeUnion(text=Text(blank=True), mapping=Shaped(ContentBlock))),
            mapping=MapOf(Anything()),
        ),
        "The text of the message, or a list of content blocks.",
        required=True,
        example="Hello",
        group="content",
    )
    tool_calls = key(ListOf(Shaped(ToolCall)), "The tool calls of the message.", required=True, group="content")
    name = key(Text(), "The name of the speaker or of the tool.")


INPUT: Kind[object] = NodeUnion(text=Text(blank=True), sequence=Messages(Message))
#: An input that may also be one message, or what the user's message contains.
MAPPED_INPUT: Kind[object] = NodeUnion(text=Text(blank=True), sequence=Messages(Message), mapping=OneMessage(Message))
OUTPUT: Kind[object] = NodeUnion(
    text=Text(blank=True),
    mapping=MapOf(Anything()),
    sequence=Messages(Message, lenient=True),
)
