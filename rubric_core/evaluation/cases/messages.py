"""Assembles the input of a case: messages, files, the question as one text, the reference answer."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.evaluation.cases.content import ContentReader, FilePart, Part, flat_text
from rubric_core.evaluation.model.inputs import PromptInputs, conversation_text
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.model import Case, ContentBlock, Message, Suite
from rubric_core.language.properties import Properties
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import directories_up
from rubric_core.loading.grading import skips_defaults
from rubric_core.ports import ChatMessage, Files, Role
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node

__all__ = ["as_messages", "messages_of", "prompt_inputs", "reference_of", "referenced_files"]

#: The files that early releases treat as instructions rather than as material.
_GUIDELINE = re.compile(r"(?:^|/)(?:instructions|prompts)/|\.(?:instructions|prompt)\.md$")


def prompt_inputs(
    suite: Suite,
    case: Case,
    directory: Path,
    files: Files,
    anchors: Mapping[str, Node],
    properties: Properties,
) -> PromptInputs:
    """The input for the target of `case`.

    Args:
        suite: Its `input` comes before that of the case; its `input_files` count when the case has none.
        case: The case.
        directory: The directory of the suite.
        files: Reads referenced files.
        anchors: The anchors for aliases in the case.
        properties: Says where the dialect keeps the reference answer.

    Raises Unscored for a file that does not exist, and for a case without input.
    """
    return _Assembly(suite, case, ContentReader(directory, files, anchors), properties).assembled()


def referenced_files(suite: Suite, case: Case) -> list[str]:
    """The files that input and expected output of a case name, including its turns, verbatim."""
    turns = [value for turn in case.turns or () for value in (turn.input, turn.expected_output)]
    inherited = [] if skips_defaults(case) else [suite.input]
    messages = [m for value in (*inherited, case.input, case.expected_output, *turns) for m in _messages(value)]
    blocks = [b for m in messages for b in _blocks(m) if b.type == "file" and b.value]
    named = _listed_files(suite, case)
    return [*(n for n in named or () if isinstance(n, str)), *(b.value for b in blocks if b.value)]


def messages_of(value: object, directory: Path, files: Files, anchors: Mapping[str, Node]) -> Sequence[ChatMessage]:
    """An `input` as messages that include the content of its files. Raises Unscored for a file that does not exist."""
    reader = ContentReader(directory, files, anchors)
    return [ChatMessage(_role(m), _inline(reader.parts(m))) for m in _written(value)]


def _listed_files(suite: Suite, case: Case) -> list[str] | None:
    """The `input_files` of a case, else those that it inherits."""
    if case.has("input_files") or skips_defaults(case):
        return case.input_files
    return suite.input_files


def _messages(value: object) -> list[Message]:
    return [m for m in value if isinstance(m, Message)] if isinstance(value, list) else []


def reference_of(
    expected: object, anchors: Mapping[str, Node], directory: Path, files: Files, position: int = -1
) -> str:
    """The text of an expected output: of its last message, or of the message at `position`.

    Files are replaced by their content. Raises Unscored for one that does not exist.
    """
    if isinstance(expected, list) and expected and isinstance(expected[position], Message):
        message = expected[position]
        calls = [plain(c.node, anchors) for c in message.tool_calls or ()]
        if not message.has("content"):
            return json.dumps(calls, ensure_ascii=False, indent=2) if calls else ""
        content = message.content
        if isinstance(content, list):
            parts = ContentReader(directory, files, anchors, "expected output").parts(message)
            return "\n\n".join(part.text.rstrip() if isinstance(part, FilePart) else part for part in parts)
        return flat_text(plain(content, anchors))
    return flat_text(plain(expected, anchors))


class _Assembly:
    """Assembles the input of a case."""

    def __init__(self, suite: Suite, case: Case, reader: ContentReader, properties: Properties) -> None:
        self.suite, self.case, self.reader, self.properties = suite, case, reader, properties
        inherited = [] if skips_defaults(case) else _written(suite.input)
        #: How many of the messages are those of the suite.
        self.inherited = len(inherited)
        self.messages = [*inherited, *_written(case.input)]

    def assembled(self) -> PromptInputs:
        reference = self._reference()
        named = self._named_files()
        roles = [_role(m) for m in self.messages]
        first = next((at for at, role in enumerate(roles) if role == "user" and at >= self.inherited), None)
        parts = [
            [*(named if at == first else ()), *self.reader.parts(message)] for at, message in enumerate(self.messages)
        ]
        messages = tuple(ChatMessage(role, _inline(each)) for role, each in zip(roles, parts, strict=True))
        if not any(m.content.strip() for m in messages):
            raise Unscored("the case has no input", at=self.case)
        guidelines = self._guidelines(parts)
        return PromptInputs(
            question=conversation_text(messages),
            messages=messages,
            path_messages=_with_paths(roles, [[self._reference_to(p, guidelines) for p in each] for each in parts]),
            text=" ".join(part.strip() for each in parts for part in each if isinstance(part, str) and part.strip()),
            reference_answer=reference,
            files=tuple(self.reader.found),
            guidelines=tuple(each.path for each in guidelines),
            guideline_text="\n\n".join(replace(each, name=each.path.name).inline for each in guidelines),
            input=self._data(named, first),
            expected=self._expected(),
        )

    def _reference(self) -> str:
        """The reference answer; if it is among the messages of the input, it is removed from these."""
        reader, position = self.reader, 0 if self.properties.reference == "first" else -1
        reference = reference_of(self.case.expected_output, reader.anchors, reader.directory, reader.files, position)
        if self.properties.reference == "in-input":
            answers = [m for m in self.messages if _role(m) == "assistant"]
            self.messages = [m for m in self.messages if _role(m) != "assistant"]
            reference = _inline(reader.parts(answers[0])) if answers else reference
        return reference

    def _named_files(self) -> list[FilePart]:
        """The files of `input_files`, which precede the first question of the case."""
        named = _listed_files(self.suite, self.case)
        return [self.reader.file(name, self.case) for name in named or () if isinstance(name, str)]

    def _guidelines(self, parts: Sequence[Sequence[Part]]) -> list[FilePart]:
        if not self.properties.guidelines:
            return []
        directory, files = self.reader.directory, self.reader.files
        top = list(directories_up(directory, files))[-1]
        base = top if files.is_file(top / ".git" / "HEAD") or files.is_file(top / ".git") else directory
        found = (part for each in parts for part in each if isinstance(part, FilePart))
        return [part for part in found if _GUIDELINE.search(_below(part.path, base))]

    def _reference_to(self, part: Part, guidelines: Sequence[FilePart]) -> str:
        """A part in the form for targets that open files themselves."""
        if isinstance(part, str):
            return part
        if part in guidelines:
            return f"<Attached: {part.name}>"
        return f'<file: path="{part.path if self.properties.resolved_files else part.name}">'

    def _data(self, named: Sequence[FilePart], first: int | None) -> list[dict[str, Any]]:
        """The messages of the input in the form for programs."""
        messages = [self.reader.data(m, resolved=self.properties.resolved_files) for m in self.messages]
        if named and first is not None:
            content = messages[first].get("content")
            texts = content if isinstance(content, list) else [{"type": "text", "value": content}]
            blocks = [{**part.block, "value": part.name} for part in named]
            messages[first] = {**messages[first], "content": [*blocks, *texts]}
        return messages

    def _expected(self) -> Sequence[Any]:
        """The expected messages in the form for programs; a missing file stays as written."""
        expected = self.case.expected_output
        if not isinstance(expected, list) or not all(isinstance(m, Message) for m in expected):
            return as_messages(_plain_messages(expected, self.reader.anchors))
        reader = replace(self.reader, what="expected output", found=[])
        try:
            return [reader.data(m, resolved=True, named=False, role="assistant") for m in expected]
        except Unscored:
            return [reader.data(m, resolved=False, role="assistant") for m in expected]


def _below(path: Path, base: Path) -> str:
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name


def _inline(parts: Sequence[Part]) -> str:
    """The content of a message for a model: its texts, and its files with their content."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    texts = (part.strip() if isinstance(part, str) else part.inline for part in parts)
    return "\n\n".join(text for text in texts if text)


def _with_paths(roles: Sequence[Role], parts: Sequence[Sequence[str]]) -> tuple[ChatMessage, ...]:
    """The messages with file paths in place of file contents: as one question, or as a conversation."""
    visible = [(role, [p for p in each if p]) for role, each in zip(roles, parts, strict=True) if any(p.strip() for p in each)]  # fmt: skip
    if len(visible) > 1 or any(role in ("assistant", "tool") for role in roles):
        return tuple(ChatMessage(role, "\n".join(each)) for role, each in visible)
    texts = [text for _, each in visible for part in each if (text := part.strip())]
    return (ChatMessage("user", "\n\n".join(texts)),)


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


def _plain_messages(value: object, anchors: Mapping[str, Node]) -> Any:
    """An expected output as plain data, messages included."""
    if isinstance(value, list):
        return [plain(v.node if isinstance(v, Message) else v, anchors) for v in value]
    return plain(value, anchors)


def as_messages(value: Any) -> Sequence[Any]:
    """An expected output in the form for programs: a list of messages."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(m, dict) and "role" in m for m in value):
        return value
    if isinstance(value, list):
        value = [{"type": "text", "value": item} if isinstance(item, str) else item for item in value]
    return [{"role": "assistant", "content": value}]
