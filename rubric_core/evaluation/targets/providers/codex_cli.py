"""Codex without a terminal: the prompt on standard input, events as JSON lines."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.code.scratch import Scratch
from rubric_core.evaluation.targets.providers.agent import AgentError, Invocation, ToolLog, agent_kind
from rubric_core.evaluation.targets.providers.api import count_tokens
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.language.providers import Codex
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Request, Tokens

__all__ = ["CODEX_CLI"]

#: The input of a tool call, by the kind of item that reports it.
_GIVEN = {
    "command_execution": "command",
    "file_change": "changes",
    "mcp_tool_call": "arguments",
    "web_search": "query",
}
#: The variable from which Codex reads a key, and the name for a custom server.
_KEY, _OWN = "OPENAI_API_KEY", "rubric"
#: The outcome of the call.
_MADE = ("aggregated_output", "result", "error", "status")


@dataclass(frozen=True)
class _Dialogue:
    always: tuple[str, ...]
    instructions: str

    def invocation(self, request: Request, scratch: Scratch, *, by_schema: bool) -> Invocation:
        schema: tuple[str, ...] = ()
        if by_schema and request.schema is not None:
            path = scratch.write("schema.json", json.dumps(request.schema[1]))
            schema = ("--output-schema", str(path))
        prompt = f"{self.instructions}\n\n{request.prompt}" if self.instructions else request.prompt
        return Invocation(("exec", "--json", "--skip-git-repo-check", *self.always, *schema, "-"), prompt)

    def answer(self, events: Sequence[Mapping[str, Any]]) -> Answer | None:
        text: str | None = None
        log, tokens, failure, turns = ToolLog(), Tokens(), "", 0
        for event in events:
            kind, item = event.get("type"), event.get("item")
            if kind in ("turn.failed", "error"):
                told = event.get("error", event)
                failure = str(told.get("message", told)) if isinstance(told, dict) else str(told)
            elif kind == "turn.completed":
                failure, turns = "", turns + 1
                used = count_tokens(event.get("usage"), "input_tokens", "output_tokens", _cached(event.get("usage")))
                tokens += used or Tokens()
            elif kind == "item.completed" and isinstance(item, dict):
                if item.get("type") == "agent_message" and isinstance(item.get("text"), str):
                    text = item["text"]
                _note(log, item)
        if failure:
            raise AgentError(failure)
        if text is None:
            return None
        return Answer(text, tokens=tokens if tokens.total else None, tool_uses=log.uses, llm_calls=turns or None)


def _cached(usage: object) -> Any:
    return usage.get("cached_input_tokens") if isinstance(usage, dict) else None


def _note(log: ToolLog, item: Mapping[str, Any]) -> None:
    kind = str(item.get("type", ""))
    if kind not in _GIVEN:
        return
    tool = str(item.get("tool", kind)) if kind == "mcp_tool_call" else kind
    name = str(item.get("id", ""))
    log.called(name, tool, {_GIVEN[kind]: item.get(_GIVEN[kind])})
    log.done(name, next((item[key] for key in _MADE if item.get(key) is not None), None))


def _dialogue(settings: Codex, place: TargetLocation, further: tuple[str, ...]) -> _Dialogue:
    effort = settings.reasoning_effort or settings.model_reasoning_effort
    model = settings.model or place.model
    base = settings.base_url or settings.endpoint
    tuned = {
        "model_reasoning_effort": effort,
        "model_verbosity": settings.model_verbosity,
        "approval_policy": settings.approval_policy,
    }
    if base:
        # A custom server is a separate provider in the configuration of Codex.
        own = {"name": _OWN, "base_url": base, "env_key": _KEY, "wire_api": settings.api_format or "responses"}
        tuned |= {"model_provider": _OWN, **{f"model_providers.{_OWN}.{key}": value for key, value in own.items()}}
    arguments = ["--model", model] if model else []
    arguments += ["--sandbox", settings.sandbox_mode] if settings.sandbox_mode else []
    arguments += [word for key, value in tuned.items() if value for word in ("-c", f"{key}={json.dumps(value)}")]
    return _Dialogue((*arguments, *further), settings.system_prompt or "")


def _keys(settings: Codex) -> Mapping[str, str]:
    return dict.fromkeys((_KEY, "CODEX_API_KEY"), settings.api_key) if settings.api_key else {}


CODEX_CLI = agent_kind(
    ("codex-cli", "codex"), Codex, "codex", _dialogue, ("CODEX_API_KEY", "OPENAI_API_KEY", "CODEX_HOME"), _keys
)
