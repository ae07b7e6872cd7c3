"""Caches answers of targets by the target and everything that is sent to it."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.targets.providers.wrapper import ProviderWrapper
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Answer, AnswerFile, Files, Request, Tokens, ToolUse

__all__ = ["AnswerCache", "CachedProvider", "answer_from_row", "answer_row", "file_digests"]

#: The maximum size of a file that a target names, in bytes.
_LARGEST = 20_000_000


class AnswerCache(Protocol):
    """A store of answers."""

    def find(self, asked: object) -> Answer | None:
        """The cached answer to a request, as plain data, with its time in `cached_at`."""

    def keep(self, asked: object, answer: Answer) -> None:
        """Store an answer. Never raises."""


@dataclass
class CachedProvider(ProviderWrapper):
    """A target behind a cache. Cases with a workspace bypass it, because the content of the workspace matters and changes."""

    cache: AnswerCache
    #: Everything about the target by which an answer may differ, as plain data without secrets.
    target: object
    files: Files
    #: Removes the secrets of the case from stored answers.
    redact: Redactor
    #: Whether it gets the id of the case, as programs do.
    told_case: bool

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        if request.workspace is not None:
            return await self.inner.ask(request)
        asked = self._sent(request)
        found = self.cache.find(asked)
        if found is not None:
            return found
        answer = await self.inner.ask(request)
        if answer.stand_in is None:  # the target itself may answer next time
            self.cache.keep(asked, self.redact.within(answer))
        return answer

    def _sent(self, request: Request) -> object:
        """Everything that is sent. Each repetition of a case is a separate request."""
        return {
            "target": self.target,
            "messages": [[message.role, message.content] for message in request.messages],
            "prompts": [request.prompt, request.path_prompt, request.guidelines],
            "settings": [request.model, request.temperature, request.max_output_tokens, request.schema],
            "files": [[path.name, _digest(path, self.files)] for path in request.files],
            "attempt": request.attempt,
            "case": [request.case_id, request.environment, request.variables, *_row(request)]
            if self.told_case
            else None,
        }


def _row(request: Request) -> Iterator[object]:
    """The row of a matrix, without its assertions: another check of the same answer needs no new one."""
    if request.row:
        test = {name: value for name, value in request.row["test"].items() if name != "assert"}
        yield {**request.row, "test": test}


def file_digests(settings: object, directory: Path, files: Files) -> Mapping[str, str]:
    """The digests of the files that settings of a target name, such as a script, by the text that names them."""
    found = {}
    for word in _words(settings):
        path = directory / word.removeprefix("file://")
        if word and files.is_file(path):
            found[word] = _digest(path, files)
    return found


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        try:
            yield from shlex.split(value)
        except ValueError:
            yield from value.split()
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _words(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _words(each)


def _digest(path: Path, files: Files) -> str:
    try:
        return sha256(files.read(path, _LARGEST)).hexdigest()
    except OSError as error:
        return f"unreadable: {error.errno}"


def answer_row(answer: Answer) -> dict[str, Any]:
    """An answer as plain data; `answer_from_row` reads it."""
    return asdict(answer)


def answer_from_row(row: Mapping[str, Any]) -> Answer:
    """The answer in a row. Raises TypeError, KeyError or ValueError for an invalid row."""
    tokens, tools, messages = row["tokens"], row["tool_uses"], row["messages"]
    if not isinstance(row["text"], str):
        raise TypeError("an answer has a text")
    return replace(
        Answer(**row),
        tokens=Tokens(**tokens) if tokens is not None else None,
        tool_uses=tuple(ToolUse(**each) for each in tools) if tools is not None else None,
        files=tuple(AnswerFile(**each) for each in row["files"]),
        messages=tuple(messages) if messages is not None else None,
    )


def plain_json(value: object) -> str:
    """Plain data as canonical text, for comparing requests."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
