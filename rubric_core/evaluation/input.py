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
from rubric_core.loading.search import current_directory, find_file
from rubric_core.ports import ChatMessage, Files, Role
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Node

__all__ = ["messages_of", "prompt_inputs", "reference_of", "referenced_files"]

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
    return _Assembly(suite, case, _Texts(directory, files, anchors)).assembled(properties)


def referenced_files(suite: Suite, case: Case) -> list[str]:
    """The names of the files in the input of a case and in what is expected, those of its turns included, as they are written."""
    turns = [value for turn in case.turns or () for value in (turn.input, turn.expected_output)]
    messages = [m for value in (suite.input, case.input, case.expected_output, *turns) for m in _messages(value)]
    blocks = [b for m in messages for b in _blocks(m) if b.type == "file" and b.value]
    named = case.input_files if case.has("input_files") else suite.input_files
    return [*(n for n in named or () if isinstance(n, str)), *(b.value for b in blocks if b.value)]


def messages_of(value: object, directory: Path, files: Files, anchors: Mapping[str, Node]) -> Sequence[ChatMessage]:
    """An `input` as messages, the content of its files among them. Raises Unscored for a file that is not there."""
    texts = _Texts(directory, files, anchors)
    return [ChatMessage(_role(m), texts.of(m)) for m in _written(value)]


def _messages(value: object) -> list[Message]:
    return [m for m in value if isinstance(m, Message)] if isinstance(value, list) else []


def reference_of(
    expected: object, anchors: Mapping[str, Node], directory: Path, files: Files, position: int = -1
) -> str:
    """The text of an expected output: of its last message, or of the one at `position`.

    A file in it is its content. Raises Unscored for one that is not there.
    """
    if isinstance(expected, list) and expected and isinstance(expected[position], Message):
        message = expected[position]
        calls = [plain(c.node, anchors) for c in message.tool_calls or ()]
        if not message.has("content"):
            return json.dumps(calls, ensure_ascii=False, indent=2) if calls else ""
        content = message.content
        if isinstance(content, list):
            texts = _Texts(directory, files, anchors, "expected output")
            blocks = (texts.shown(b) if isinstance(b, ContentBlock) else b for b in content)
            return "\n\n".join(b for b in blocks if isinstance(b, str))
        return _flat(plain(content, anchors))
    return _flat(plain(expected, anchors))


class _Texts:
    """Messages as texts; remembers the files that it read on the way."""

    def __init__(self, directory: Path, files: Files, anchors: Mapping[str, Node], what: str = "input") -> None:
        self.directory, self.files, self.anchors, self.what = directory, files, anchors, what
        self.found: list[Path] = []

    def of(self, message: Message | str) -> str:
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
        return self.file(block.value, block) if block.type == "file" else block.value.strip()

    def shown(self, block: ContentBlock) -> str | None:
        """The text of a block; of a file its content alone."""
        return self.content(block.value, block).rstrip() if block.type == "file" and block.value else block.value

    def file(self, name: str, at: Shape) -> str:
        return f'<file path="{name}">\n{self.content(name, at).rstrip()}\n</file>'

    def content(self, name: str, at: Shape) -> str:
        path = find_file(name, self.directory, self.files, current_directory())
        if path is None:
            raise Unscored(f"the file {name} of the {self.what} is not there", at=at)
        self.found.append(path)
        try:
            return self.files.read(path, _LARGEST).decode("utf-8")
        except UnicodeDecodeError:
            raise Unscored(f"the file {name} of the {self.what} is no UTF-8 text", at=at) from None
        except OSError as error:
            raise Unscored(
                f"the file {name} of the {self.what} cannot be read: {error.strerror or error}", at=at
            ) from None


class _Assembly:
    """Puts the input of a case together."""

    def __init__(self, suite: Suite, case: Case, texts: _Texts) -> None:
        self.suite, self.case, self.texts = suite, case, texts

    def assembled(self, properties: Properties) -> PromptInputs:
        written = [*_written(self.suite.input), *_written(self.case.input)]
        texts, position = self.texts, 0 if properties.reference == "first" else -1
        reference = reference_of(self.case.expected_output, texts.anchors, texts.directory, texts.files, position)
        if properties.reference == "in-input":
            first = next((m for m in written if isinstance(m, Message) and m.role == "assistant"), None)
            reference = self.texts.of(first) if first is not None else reference
            written = [m for m in written if not isinstance(m, Message) or m.role != "assistant"]
        messages = [ChatMessage(_role(m), self.texts.of(m)) for m in written]
        self._put_files_first(messages)
        if not any(m.content.strip() for m in messages):
            raise Unscored("the case has no input to ask", at=self.case)
        return PromptInputs(
            question=conversation_text(tuple(messages)),
            messages=tuple(messages),
            reference_answer=reference,
            files=tuple(self.texts.found),
            input=[{"role": m.role, "content": m.content} for m in messages],
            expected=_as_messages(_plain_messages(self.case.expected_output, texts.anchors)),
        )

    def _put_files_first(self, messages: list[ChatMessage]) -> None:
        named = self.case.input_files if self.case.has("input_files") else self.suite.input_files
        contents = [self.texts.file(name, self.case) for name in named or () if isinstance(name, str)]
        at = next((i for i, m in enumerate(messages) if m.role == "user"), None)
        if contents and at is not None:
            messages[at] = ChatMessage("user", "\n\n".join([*contents, messages[at].content]))


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
    return message.role if message.role in ("system", "user", "assistant", "tool") else "user"  # type: ignore[return-value]  # one of these words


def _flat(value: Any) -> str:
    """A value as the text that a judge reads."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _plain_messages(value: object, anchors: Mapping[str, Node]) -> Any:
    """An expected output as plain data, messages among it."""
    if isinstance(value, list):
        return [plain(v.node if isinstance(v, Message) else v, anchors) for v in value]
    return plain(value, anchors)


def _as_messages(value: Any) -> Sequence[Any]:
    """An expected output in the form that programs are handed: a list of messages."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(m, dict) and "role" in m for m in value):
        return value
    return [{"role": "assistant", "content": value}]
