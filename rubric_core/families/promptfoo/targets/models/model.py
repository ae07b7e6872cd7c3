"""A model in a configuration of promptfoo, called through rubric's own targets."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.targets.providers.api import ApiModel, Call, Option, no_text
from rubric_core.evaluation.targets.providers.wrapper import ProviderWrapper
from rubric_core.families.promptfoo.code.transform import output_text
from rubric_core.families.promptfoo.targets.models.anthropic import ANTHROPIC_MESSAGES, ANTHROPIC_RUBRIC
from rubric_core.families.promptfoo.targets.models.chats import prompt_of
from rubric_core.families.promptfoo.targets.models.gemini import GEMINI
from rubric_core.families.promptfoo.targets.models.model_call import ModelCall, ModelFamily
from rubric_core.families.promptfoo.targets.models.ollama import OLLAMA_CHAT, OLLAMA_COMPLETION
from rubric_core.families.promptfoo.targets.models.openai_chat import CHAT, OPENROUTER_CHAT
from rubric_core.families.promptfoo.targets.models.openai_vendors import AZURE_CHAT, MISTRAL
from rubric_core.families.promptfoo.targets.models.responses import RESPONSES
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Request

__all__ = ["ModelSettings", "PromptfooModel", "family_of"]

_OTHERS: Mapping[tuple[str, str], ModelFamily] = {
    ("openrouter", "chat"): OPENROUTER_CHAT,
    ("anthropic", "chat"): ANTHROPIC_MESSAGES,
    ("anthropic", "rubric"): ANTHROPIC_RUBRIC,
    ("google", "chat"): GEMINI,
    ("azure", "chat"): AZURE_CHAT,
    ("azure", "responses"): RESPONSES,
    ("azureopenai", "chat"): AZURE_CHAT,
    ("azureopenai", "responses"): RESPONSES,
    ("mistral", "chat"): MISTRAL,
    ("ollama", "chat"): OLLAMA_CHAT,
    ("ollama", "completion"): OLLAMA_COMPLETION,
    ("openai", "responses"): RESPONSES,
}


def family_of(vendor: str, form: str) -> ModelFamily:
    """The form of a vendor; that of OpenAI's chats for vendors that speak its API."""
    return _OTHERS.get((vendor, form), CHAT)


class ModelSettings(NamedTuple):
    """The settings of a model in a configuration."""

    vendor: str
    model: str
    #: The API of the vendor: chat, completion or responses.
    form: str
    config: Mapping[str, Any]
    #: The environment variables with another address, in order of precedence; none if the configuration gives it.
    addresses: tuple[str, ...] = ()

    @property
    def family(self) -> ModelFamily:
        """The form of its requests and replies."""
        return family_of(self.vendor, self.form)


@dataclass
class PromptfooModel(ProviderWrapper):
    """Sends promptfoo's requests to a model. Retries, timeouts and keys are those of the target."""

    inner: ApiModel
    settings: ModelSettings
    environment: Mapping[str, str]

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        settings = self.settings
        config = {**settings.config, **request.config}
        call = ModelCall(settings.vendor, settings.model, prompt_of(request), config, settings.config, self.environment)
        wire = _Wire(self.settings, call, self.inner.wire.call(request, ()))
        return await replace_fields(self.inner, wire=wire).ask(request)


@dataclass(frozen=True)
class _Wire:
    """One call, by the rules of promptfoo: options that a server rejects are not left out, either."""

    settings: ModelSettings
    model_call: ModelCall
    #: The call of rubric's own kind of target, with the address and the key.
    own: Call

    @property
    def options(self) -> Mapping[Option, tuple[str, ...]]:
        """See `Wire.options`."""
        return {}

    def call(self, request: Request, without: Collection[Option]) -> Call:  # noqa: ARG002  # as of every wire
        """See `Wire.call`."""
        family, written = self.settings.family, self.model_call.config.get("headers")
        own = {name: str(value) for name, value in written.items()} if isinstance(written, dict) else {}
        headers = {**self.own.headers, **own, **family.headers(self.model_call)}
        return Call(self._url, headers, family.body(self.model_call), request.messages)

    @property
    def _url(self) -> str:
        made, environment = self.settings.family.url, self.model_call.environment
        if made is not None:
            return made(self.model_call)
        for name in self.settings.addresses:
            if environment.get(name):
                base = f"https://{environment[name]}/v1" if name.endswith("HOST") else environment[name]
                path = "/responses" if self.settings.form == "responses" else "/chat/completions"
                return f"{base.rstrip('/')}{path}"
        return self.own.url

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        """See `Wire.answer`."""
        output = self.settings.family.output(reply, self.model_call)
        if output is None:
            raise no_text(False)
        answer = self.settings.family.about(reply, took, self.settings.model)
        return replace_fields(answer, text=output_text(output), data=None if isinstance(output, str) else output)
