"""The content of messages: texts and files, as models read them and as programs of a suite get them in JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.model import ContentBlock, Message
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.directory_search import current_directory, find_file
from rubric_core.loading.files import absolute
from rubric_core.ports import Files
from rubric_core.syntax.parse import LARGEST
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node

__all__ = ["ContentReader", "FilePart", "Part", "flat_text"]


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file in a message, resolved and read."""

    #: The path as written in the suite, without a leading slash.
    name: str
    path: Path
    text: str

    @property
    def inline(self) -> str:
        """The file with its content, for models."""
        return f'<file path="{self.name}">\n{self.text.rstrip()}\n</file>'

    @property
    def block(self) -> dict[str, Any]:
        """The file as a content block for programs."""
        return {"type": "file", "path": self.name, "text": self.text.replace("\r\n", "\n"), "resolved_path": str(self.path)}  # fmt: skip


#: A text, or a file.
Part = str | FilePart


@dataclass
class ContentReader:
    """Reads the content of messages and the files in it. Raises Unscored for a file that cannot be read."""

    directory: Path
    files: Files
    #: The anchors that aliases refer to.
    anchors: Mapping[str, Node]
    #: A name for the messages, for error messages.
    what: str = "input"
    #: The distinct files that were read, in order.
    found: list[Path] = field(default_factory=list)

    def parts(self, message: Message | str) -> list[Part]:
        """The texts and files of a message. Raises Unscored for pictures, too."""
        if isinstance(message, str):
            return [message]
        content = message.content
        if isinstance(content, list):
            return [part for block in content for part in self._parts(block)]
        return [flat_text(plain(content, self.anchors))]

    def data(self, message: Message | str, *, resolved: bool, named: bool = True, role: str = "user") -> dict[str, Any]:
        """A message in the form for programs.

        Args:
            message: The message.
            resolved: Whether its files have their resolved paths and texts; otherwise they are as written in the suite.
            named: Whether a resolved file keeps its path as written in the suite.
            role: The role of a message that sets none.
        """
        if isinstance(message, str):
            return {"role": role, "content": message}
        written = plain(message.node, self.anchors) if message.node is not None else {}
        others = {name: value for name, value in written.items() if name not in ("role", "content")}
        content = message.content
        if isinstance(content, list):
            blocks: Any = [self._block(b, named=named) if resolved else self._written(b) for b in content]
        else:
            blocks = plain(content, self.anchors)
        return {"role": message.role or role, **({"content": blocks} if message.has("content") else {}), **others}

    def file(self, name: str, at: Shape) -> FilePart:
        """A file of the suite."""
        path = find_file(name, self.directory, self.files, current_directory())
        if path is None:
            raise Unscored(f"the file {name} of the {self.what} does not exist", at=at)
        try:
            text = self.files.read(path, LARGEST).decode("utf-8")
        except UnicodeDecodeError:
            raise Unscored(f"the file {name} of the {self.what} is not UTF-8 text", at=at) from None
        except OSError as error:
            raise Unscored(
                f"the file {name} of the {self.what} cannot be read: {error.strerror or error}", at=at
            ) from None
        if path not in self.found:
            self.found.append(path)
        return FilePart(name.lstrip("/\\") or name, absolute(path), text)

    def _parts(self, block: object) -> list[Part]:
        if isinstance(block, str):
            return [block]
        if not isinstance(block, ContentBlock) or block.value is None:
            return []
        if block.type == "image":
            raise Unscored(f"rubric sends no images to targets ({_image_name(block.value)})", at=block)
        return [self.file(block.value, block) if block.type == "file" else block.value]

    def _block(self, block: object, *, named: bool) -> Any:
        if isinstance(block, str):
            return {"type": "text", "value": block}
        written = self._written(block)
        if not isinstance(block, ContentBlock) or block.type != "file" or not block.value:
            return written
        return {**(written if named else {}), **self.file(block.value, block).block}

    def _written(self, block: object) -> Any:
        return plain(block.node if isinstance(block, Shape) else block, self.anchors)


def _image_name(value: str) -> str:
    """The address of an image, or the kind of one that is written in it: a part of an address could be a part of a secret."""
    return value.partition(",")[0] if value.startswith("data:") else value


def flat_text(value: Any) -> str:
    """Plain data as text for a model: texts unchanged, everything else as JSON."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
