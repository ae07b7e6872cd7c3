"""GitHub Copilot on the command line, without a terminal: the prompt as an argument, events as JSON lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.code.scratch import Scratch
from rubric_core.evaluation.targets.providers.agent import AgentError, Invocation, ToolLog, agent_kind
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.evaluation.targets.providers.program import LONGEST_ARGUMENT
from rubric_core.language.providers import CopilotCli
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ProviderError, Request, Tokens

__all__ = ["COPILOT_CLI"]


@dataclass(frozen=True)
class _Dialogue:
    always: tuple[str, ...]
    instructions: str
    where: str

    def invocation(self, request: Request, scratch: Scratch, *, by_schema: bool) -> Invocation:  # noqa: ARG002  # the same for every agent
        prompt = f"{self.instructions}\n\n{request.prompt}" if self.instructions else request.prompt
        if len(prompt.encode("utf-8", "replace")) > LONGEST_ARGUMENT or "\0" in prompt:
            raise ProviderError(f"the prompt is too long for copilot, which takes it as an argument ({self.where})")
        return Invocation(("-p", prompt, "--output-format", "json", "--no-color", *self.always))

    def answer(self, events: Sequence[Mapping[str, Any]]) -> Answer | None:
        text: str | None = None
        failure, model = "", ""
        log, tokens, calls, counted = ToolLog(), Tokens(), 0, False
        for event in events:
            kind, told = event.get("type"), event.get("data")
            data = told if isinstance(told, dict) else {}
            if kind == "assistant.message":
                model = str(data.get("model") or model)
                if isinstance(data.get("content"), str) and data["content"].strip():
                    text, failure = data["content"], ""
                for asked in data.get("toolRequests") or ():
                    if isinstance(asked, dict):
                        log.called(str(asked.get("toolCallId", "")), str(asked.get("name", "")), asked.get("arguments"))
            elif kind == "tool.execution_start":
                log.called(str(data.get("toolCallId", "")), str(data.get("toolName", "")), data.get("arguments"))
            elif kind == "tool.execution_complete":
                result = data.get("result", data.get("error"))
                output = result.get("content", result) if isinstance(result, dict) else result
                log.done(str(data.get("toolCallId", "")), output)
            elif kind == "model.call_finished":
                calls += 1
            elif kind == "assistant.usage":
                counted, model = True, str(data.get("model") or model)
                given, made, kept = (
                    v if isinstance(v := data.get(n), int) else 0
                    for n in ("inputTokens", "outputTokens", "cacheReadTokens")
                )
                tokens = Tokens(tokens.input + max(0, given - kept), tokens.output + made, tokens.cached + kept)
            elif kind == "session.error":
                failure = str(data.get("message") or event.get("message") or "it reports an error")
        if failure and text is None:
            raise AgentError(failure)
        if text is None:
            return None
        return Answer(
            text, tokens=tokens if counted else None, tool_uses=log.uses, llm_calls=calls or None, model=model
        )


def _dialogue(settings: CopilotCli, place: TargetLocation, further: tuple[str, ...]) -> _Dialogue:
    model = settings.model or place.model
    arguments = ("--model", model) if model else ()
    return _Dialogue((*arguments, *further), settings.system_prompt or "", place.where(""))


COPILOT_CLI = agent_kind(
    ("copilot-cli", "copilot"), CopilotCli, "copilot", _dialogue,
    ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_HOME"),
)  # fmt: skip
