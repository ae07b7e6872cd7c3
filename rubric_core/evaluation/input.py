"""The input of a case, put together: messages, files, the question as one text, the reference answer."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.evaluation.context import PromptInputs
from rubric_core.evaluation.judging.judge import conversation_text
from rubric_core.evaluation.result import Unscored
from rubric_core.language.dialect import Properties
from rubric_core.language.model import Case, ContentBlock, Message, Suite
from rubric_core.language.shape import Shape
from rubric_core.loading.search import find_file
from rubric_core.ports import ChatMessage, Files, Role
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Node

__all__ = ["prompt_inputs", "referenced_files"]

_LARGEST = 5_000_000


def prompt_inputs(
    suite: Suite,
    case: Case,
    directory: Path,
    files: Files,
    anchors: Mapping[str, Node],
    properties: Properties,
) -> PromptInputs:
    """What the target of `case` is asked.

    Args:
        suite: Its `input` comes before that of the case; its `input_files` count when the case has none.
        case: The case.
        directory: The directory of the suite.
        files: Where referenced files are read.
        anchors: What aliases in the case refer to.
        properties: Where the dialect keeps the reference answer.

    Raises Unscored for a file that is not there, and for a case without input.
    """
    return _Assembly(suite, case, directory, files, anchors).assembled(properties)


def referenced_files(suite: Suite, case: Case) -> list[str]:
    """The names of the files in the input of a case, as they are written."""
    blocks = [
        b for m in (*_written(suite.input), *_written(case.input)) for b in _blocks(m) if b.type == "file" and b.value
    ]
    named = case.input_files if case.has("input_files") else suite.input_files
    return [*(n for n in named or () if isinstance(n, str)), *(b.value for b in blocks if b.value)]


class _Assembly:
    def __init__(self, suite: Suite, case: Case, directory: Path, files: Files, anchors: Mapping[str, Node]) -> None:
        self.suite, self.case = suite, case
        self.directory, self.files, self.anchors = directory, files, anchors
        self.found: list[Path] = []

    def assembled(self, properties: Properties) -> PromptInputs:
        written = [*_written(self.suite.input), *_written(self.case.input)]
        reference = self._reference(0 if properties.reference == "first" else -1)
        if properties.reference == "in-input":
            first = next((m for m in written if isinstance(m, Message) and m.role == "assistant"), None)
            reference = self._text(first) if first is not None else reference
            written = [m for m in written if not isinstance(m, Message) or m.role != "assistant"]
        messages = [ChatMessage(_role(m), self._text(m)) for m in written]
        self._put_files_first(messages)
        if not any(m.content.strip() for m in messages):
            raise Unscored("the case has no input to ask", at=self.case)
        expected = plain(self.case.expected_output, self.anchors)
        return PromptInputs(
            question=conversation_text(tuple(messages)), messages=tuple(messages), reference_answer=reference, files=tuple(self.found),
            input=[{"role": m.role, "content": m.content} for m in messages], expected=_as_messages(self._plain_messages(expected)),
        )  # fmt: skip

    def _put_files_first(self, messages: list[ChatMessage]) -> None:
        named = self.case.input_files if self.case.has("input_files") else self.suite.input_files
        contents = [self._file(name, self.case) for name in named or () if isinstance(name, str)]
        at = next((i for i, m in enumerate(messages) if m.role == "user"), None)
        if contents and at is not None:
            messages[at] = ChatMessage("user", "\n\n".join([*contents, messages[at].content]))

    def _text(self, message: Message | str) -> str:
        if isinstance(message, str):
            return message
        content = message.content
        if isinstance(content, list):
            return "\n\n".join(t for t in map(self._block, content) if t)
        return _flat(plain(content, self.anchors))

    def _block(self, block: object) -> str:
        if isinstance(block, str):
            return block.strip()
        if not isinstance(block, ContentBlock) or block.value is None:
            return ""
        if block.type == "image":
            raise Unscored(f"rubric does not send pictures to targets yet ({block.value[:60]})", at=block)
        return self._file(block.value, block) if block.type == "file" else block.value.strip()

    def _file(self, name: str, at: Shape) -> str:
        path = find_file(name, self.directory, self.files, Path.cwd())
        if path is None:
            raise Unscored(f"the file {name} of the input is not there", at=at)
        self.found.append(path)
        try:
            content = self.files.read(path, _LARGEST).decode("utf-8")
        except UnicodeDecodeError:
            raise Unscored(f"the file {name} of the input is no UTF-8 text", at=at) from None
        except OSError as error:
            raise Unscored(f"the file {name} of the input cannot be read: {error.strerror or error}", at=at) from None
        return f'<file path="{name}">\n{content.rstrip()}\n</file>'

    def _reference(self, position: int) -> str:
        """The content of the first or last expected message."""
        expected = self.case.expected_output
        if isinstance(expected, list) and expected and isinstance(expected[position], Message):
            last = expected[position]
            calls = [plain(c.node, self.anchors) for c in last.tool_calls or ()]
            return (
                self._text(last)
                if last.has("content")
                else json.dumps(calls, ensure_ascii=False, indent=2)
                if calls
                else ""
            )
        return _flat(plain(expected, self.anchors))

    def _plain_messages(self, value: Any) -> Any:
        """Messages among shapes as plain data."""
        return (
            [plain(v.node, self.anchors) if isinstance(v, Message) else v for v in value]
            if isinstance(value, list)
            else value
        )


def _written(value: object) -> list[Message | str]:
    if isinstance(value, str):
        return [value]
    return [m for m in value if isinstance(m, Message)] if isinstance(value, list) else []


def _blocks(message: Message | str) -> list[ContentBlock]:
    content = message.content if isinstance(message, Message) else None
    return [b for b in content if isinstance(b, ContentBlock)] if isinstance(content, list) else []


def _role(message: Message | str) -> Role:
    if isinstance(message, str):
        return "user"
    return message.role if message.role in ("system", "user", "assistant", "tool") else "user"  # type: ignore[return-value]


def _flat(value: Any) -> str:
    """A value as the text that a judge reads."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _as_messages(value: Any) -> Sequence[Any]:
    """An expected output in the form that programs are handed: a list of messages."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(m, dict) and "role" in m for m in value):
        return value
    return [{"role": "assistant", "content": value}]
