"""Chat completions as promptfoo asks a model of OpenAI for them, and the output that it takes from the reply (issue 18, section 3)."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.code.promptfoo_transform import output_text
from rubric_core.evaluation.targets.promptfoo_http_request import json_or_text
from rubric_core.evaluation.targets.providers.api import Call, Option
from rubric_core.evaluation.targets.providers.chat import ChatWire
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Request

__all__ = ["ChatSettings", "PromptfooChatWire"]


class ChatSettings(NamedTuple):
    """What a configuration of promptfoo says of each request and of each reply."""

    #: Fields of the body: tools, the format of the reply, a seed.
    fields: Mapping[str, Any]
    #: Whether the output begins with what the model thought, where the reply has that.
    shows_thinking: bool = True

    @property
    def written(self) -> dict[str, Any]:
        """Both, as promptfoo calls them."""
        return {**self.fields, **({} if self.shows_thinking else {"showThinking": False})}


@dataclass(frozen=True)
class PromptfooChatWire:
    """Chat completions with further fields; an output may be the calls of tools, or data that fits a schema."""

    inner: ChatWire
    settings: ChatSettings

    @property
    def options(self) -> Mapping[Option, tuple[str, ...]]:
        """See `Wire.options`."""
        return self.inner.options

    def call(self, request: Request, without: Collection[Option]) -> Call:
        """See `Wire.call`."""
        call = self.inner.call(request, without)
        return call._replace(body={**call.body, **self.settings.fields})

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        """See `Wire.answer`."""
        if not _calls(_message(reply)):
            read = self.inner.answer(reply, took)
            output = self._output(_message(reply), read.text)
        else:
            # The text may be missing, which is no reply of another kind.
            output = self._output(_message(reply), None)
            read = self.inner.answer(_with_text(reply, output_text(output)), took)
        return read if output == read.text else replace_fields(read, text=output_text(output), data=_data(output))

    def _output(self, message: Mapping[str, Any], text: str | None) -> Any:
        content, calls = message.get("content"), _calls(message)
        if message.get("refusal"):
            return message["refusal"]
        output: Any = (content or "") if text is None else text
        thought = message.get("reasoning")
        if not thought and calls and not (content and message.get("tool_calls") == []):
            output = message if content else calls
        if self._wants_data and isinstance(output, str):
            output = json_or_text(output)
        shows = self.settings.shows_thinking and content is not None
        for said in (thought, message.get("reasoning_content")):
            if said and isinstance(said, str) and isinstance(output, str) and shows:
                output = f"Thinking: {said}\n\n{output}"
        return output

    @property
    def _wants_data(self) -> bool:
        wanted = self.settings.fields.get("response_format")
        return isinstance(wanted, dict) and wanted.get("type") == "json_schema"


def _message(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of a reply; empty for a reply of another kind, which is reported where its text is read."""
    try:
        message = reply["choices"][0]["message"]
    except (KeyError, IndexError, TypeError):
        return {}
    return message if isinstance(message, dict) else {}


def _calls(message: Mapping[str, Any]) -> Any:
    """The call of a function, or those of tools; nothing without."""
    return message.get("function_call") or message.get("tool_calls")


def _with_text(reply: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    """A reply whose message is a text."""
    first, *others = reply["choices"]
    return {**reply, "choices": [{**first, "message": {**first["message"], "content": text}}, *others]}


def _data(output: Any) -> Any:
    return None if isinstance(output, str) else output
