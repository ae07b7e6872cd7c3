"""Claude Code without a terminal: the prompt on standard input, events as JSON lines."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.code.scratch import Scratch
from rubric_core.evaluation.targets.providers.agent import AgentError, Invocation, ToolLog, agent_kind
from rubric_core.evaluation.targets.providers.answer_reader import number
from rubric_core.evaluation.targets.providers.api import count_tokens
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.language.providers import Claude
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Request, Tokens

__all__ = ["CLAUDE_CLI"]


@dataclass(frozen=True)
class _Dialogue:
    settings: Claude
    #: The arguments of every call.
    always: tuple[str, ...]

    def invocation(self, request: Request, scratch: Scratch, *, by_schema: bool) -> Invocation:  # noqa: ARG002  # the same for every agent
        schema = ("--json-schema", json.dumps(request.schema[1])) if by_schema and request.schema else ()
        return Invocation(("-p", "--output-format", "stream-json", "--verbose", *self.always, *schema), request.prompt)

    def answer(self, events: Sequence[Mapping[str, Any]]) -> Answer | None:
        result = next((e for e in reversed(events) if e.get("type") == "result"), None)
        if result is None:
            return None
        if result.get("is_error") or str(result.get("subtype", "success")).startswith("error"):
            told = result.get("result") or result.get("errors") or result.get("subtype")
            raise AgentError(told if isinstance(told, str) else json.dumps(told))
        structured = result.get("structured_output")
        text = result.get("result") if structured is None else json.dumps(structured, ensure_ascii=False)
        turns = result.get("num_turns")
        return Answer(
            text if isinstance(text, str) else "",
            duration_ms=number(result.get("duration_ms"), None),
            tokens=_tokens(result.get("usage")),
            cost_usd=number(result.get("total_cost_usd"), None),
            tool_uses=_tools(events),
            llm_calls=turns if isinstance(turns, int) else None,
            model=next((str(e["model"]) for e in events if e.get("type") == "system" and e.get("model")), ""),
        )


def _tools(events: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    log = ToolLog()
    for event in events:
        message = event.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else []:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == "tool_use":
                log.called(str(part.get("id", "")), str(part.get("name", "")), part.get("input"))
            elif kind == "tool_result":
                log.done(str(part.get("tool_use_id", "")), part.get("content"))
    return log.uses


def _tokens(usage: object) -> Tokens | None:
    counts = usage if isinstance(usage, dict) else {}
    kept, written = counts.get("cache_read_input_tokens"), counts.get("cache_creation_input_tokens")
    tokens = count_tokens(usage, "input_tokens", "output_tokens", kept, cached_apart=True)
    if tokens is None or not isinstance(written, int):
        return tokens
    return Tokens(tokens.input + written, tokens.output, tokens.cached)


def _dialogue(settings: Claude, place: TargetLocation, arguments: tuple[str, ...]) -> _Dialogue:
    named = (
        ("--model", settings.model or place.model or None),
        ("--append-system-prompt", settings.system_prompt),
        ("--max-turns", settings.max_turns),
        ("--max-budget-usd", settings.max_budget_usd),
    )
    given = [word for name, value in named if value is not None for word in (name, f"{value}")]
    return _Dialogue(settings, (*given, *arguments))


CLAUDE_CLI = agent_kind(
    ("claude-cli", "claude", "claude-code"), Claude, "claude", _dialogue,
    ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
)  # fmt: skip
