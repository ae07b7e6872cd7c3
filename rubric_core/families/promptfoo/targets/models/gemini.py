"""Google's `generateContent` as promptfoo uses it."""

from collections.abc import Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.targets.providers.gemini import tokens_of
from rubric_core.families.promptfoo.targets.models.chats import chat_messages
from rubric_core.families.promptfoo.targets.models.model_call import ModelCall, ModelFamily, is_true, kept
from rubric_core.families.promptfoo.targets.models.tools import google_choice, google_tools
from rubric_core.ports import Answer, ProviderError

__all__ = ["GEMINI"]

_HOME = "generativelanguage.googleapis.com"
_SAMPLING = ("temperature", "topP", "topK", "stopSequences", "maxOutputTokens")
_FILLED = ("tools", "responseSchema", "systemInstruction")
#: The reasons why a model gives no text.
_BLOCKED = ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII")
_OTHER_VERSION = "gemini-2.0-flash-thinking-exp"


def _contents(call: ModelCall) -> tuple[Any, Mapping[str, Any] | None]:
    """The contents and the system instruction in a prompt."""
    written = chat_messages(call.prompt, [{"parts": [{"text": call.prompt}], "role": "user"}], call.environment)
    if isinstance(written, list) and all(
        isinstance(each, dict) and isinstance(each.get("parts"), list) for each in written
    ):
        return written, None
    if isinstance(written, dict) and "system_instruction" in written:
        return written.get("contents", []), written["system_instruction"]
    if isinstance(written, dict) and "parts" in written:
        return _without_system([written])
    if isinstance(written, str):
        return [{"parts": [{"text": written}]}], None
    if isinstance(written, list) and all(isinstance(each, dict) for each in written):
        assistant = "assistant" if is_true(call.config.get("useAssistantRole")) else "model"
        if all(isinstance(each.get("content"), str) for each in written) or all(
            each.get("role") and each.get("content") for each in written
        ):
            return _without_system([_content(each, assistant) for each in written])
    return (written if isinstance(written, list) else []), None


def _content(message: Mapping[str, Any], assistant: str) -> dict[str, Any]:
    content, role = message["content"], message.get("role")
    parts = content if isinstance(content, list) else [content]
    made = [
        {"text": each}
        if not isinstance(each, dict)
        else {"text": each.get("text")}
        if each.get("type") == "text" and isinstance(content, list)
        else each
        for each in parts
    ]
    return {**({} if role is None else {"role": assistant if role == "assistant" else role}), "parts": made}


def _without_system(contents: list[Any]) -> tuple[list[Any], Mapping[str, Any] | None]:
    said = [each for each in contents if not (each.get("role") == "system" and each["parts"])]
    told = [
        part for each in contents if each.get("role") == "system" for part in each["parts"]
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]  # fmt: skip
    if not said and told:
        return [{"role": "user", "parts": told}], None
    return said, {"parts": told} if told else None


def _instruction(call: ModelCall, parsed: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    own = call.config.get("systemInstruction")
    if not is_true(own):
        return parsed
    own = {"parts": [{"text": own}]} if isinstance(own, str) else own
    return {"parts": [*own.get("parts", ()), *parsed["parts"]]} if parsed is not None and isinstance(own, dict) else own


def _body(call: ModelCall) -> dict[str, Any]:
    config = call.config
    contents, parsed = _contents(call)
    made = config.get("generationConfig")
    generation = {**kept(config, _SAMPLING), **(made if isinstance(made, dict) else {})}
    body: dict[str, Any] = {"contents": contents, "generationConfig": generation}
    safety = config.get("safetySettings")
    if isinstance(safety, list):
        body["safetySettings"] = [
            {"category": each.get("category"), "threshold": each.get("threshold") or each.get("probability") or ""}
            for each in safety
        ]
    chosen, disabled = _choice(config)
    body |= {"toolConfig": chosen} if chosen else {}
    tools = google_tools(config.get("tools"))
    if disabled:
        tools = [each for each in tools if not isinstance(each, dict) or "functionDeclarations" not in each]
    body |= {"tools": tools} if tools else {}
    instruction = _instruction(call, parsed)
    body |= {"system_instruction": instruction} if instruction else {}
    further = config.get("passthrough")
    body |= further if isinstance(further, dict) else {}
    if is_true(config.get("responseSchema")):
        generation |= {"response_schema": config["responseSchema"], "response_mime_type": "application/json"}
    return body


def _choice(config: Mapping[str, Any]) -> tuple[Any, bool]:
    """The part of a request about calling functions, and whether it forbids calls."""
    own = config.get("toolConfig")
    function = own.get("functionCallingConfig") if isinstance(own, dict) else None
    chosen: Any = google_choice(config.get("tool_choice"))
    if isinstance(function, dict):
        mode = str(function.get("mode") or "").upper()
        chosen = {"functionCallingConfig": {**function, **({"mode": mode} if mode else {})}}
    if not isinstance(chosen, dict):
        return None, False
    inner = chosen.get("functionCallingConfig")
    if isinstance(inner, dict) and inner.get("mode") == "NONE":
        return {"functionCallingConfig": {"mode": "NONE"}}, True
    return chosen, False


def _candidate(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = reply.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
        return candidates[0]
    blocked = reply.get("promptFeedback")
    if isinstance(blocked, dict) and blocked.get("blockReason"):
        raise ProviderError(f"the server rejected the prompt: {blocked['blockReason']}")
    raise ProviderError(f"the server's reply is not generated content: {str(dict(reply))[:200]}")


def _output(reply: Mapping[str, Any], call: ModelCall) -> Any:  # noqa: ARG001  # as of every family
    candidate = _candidate(reply)
    why, content = candidate.get("finishReason"), candidate.get("content")
    if why in _BLOCKED:
        raise ProviderError(f"the model gave no answer: {why}")
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list):
        raise ProviderError(f"the model gave no answer: {why or 'the reply has no parts'}")
    if all(isinstance(each, dict) and "text" in each for each in parts):
        return "".join(str(each["text"]) for each in parts)
    return parts


def _about(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    candidate = _candidate(reply)
    made = Answer(
        "",
        duration_ms=took,
        tokens=tokens_of(reply.get("usageMetadata")),
        tool_uses=(),
        llm_calls=1,
        model=str(reply.get("modelVersion") or model),
    )
    ratings = candidate.get("safetyRatings")
    flagged = isinstance(ratings, list) and any(
        each.get("probability") != "NEGLIGIBLE" for each in ratings if isinstance(each, dict)
    )
    return replace_fields(made, reported={"guardrails": {"flagged": flagged}})


def _url(call: ModelCall) -> str:
    config, environment = call.config, call.environment
    host = config.get("apiHost") or environment.get("GOOGLE_API_HOST") or environment.get("PALM_API_HOST")
    base = config.get("apiBaseUrl") or environment.get("GOOGLE_API_BASE_URL") or f"https://{_HOME}"
    version = config.get("apiVersion") or ("v1alpha" if call.model == _OTHER_VERSION else "v1beta")
    return f"{f'https://{host}' if host else base}/{version}/models/{call.model}:generateContent"


GEMINI = ModelFamily(_body, _output, _about, _url, filled=_FILLED, refused=frozenset({"mcp", "functionToolCallbacks"}))
