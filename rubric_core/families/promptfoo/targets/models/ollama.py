"""The API of Ollama as promptfoo uses it."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.targets.providers.api import count_tokens
from rubric_core.families.promptfoo.code.transform import output_text
from rubric_core.families.promptfoo.targets.models.chats import chat_messages
from rubric_core.families.promptfoo.targets.models.model_call import ModelCall, ModelFamily, is_true, kept
from rubric_core.ports import Answer, ProviderError

__all__ = ["OLLAMA_CHAT", "OLLAMA_COMPLETION"]

_HOME = "http://localhost:11434"
#: Settings of a model.
_OPTIONS = (
    "num_predict", "top_k", "top_p", "tfs_z", "seed", "useNUMA", "num_ctx", "num_keep", "num_batch", "num_gqa", "num_gpu", "main_gpu", "low_vram",
    "f16_kv", "logits_all", "vocab_only", "use_mmap", "use_mlock", "embedding_only", "rope_frequency_base", "rope_frequency_scale", "typical_p",
    "repeat_last_n", "temperature", "repeat_penalty", "presence_penalty", "frequency_penalty", "mirostat", "mirostat_tau", "mirostat_eta",
    "penalize_newline", "stop", "num_thread",
)  # fmt: skip
#: Further settings, which promptfoo also accepts for chats.
_ASIDE = ("think", "passthrough")


def _chat_body(call: ModelCall) -> dict[str, Any]:
    messages = chat_messages(call.prompt, [{"role": "user", "content": call.prompt}], call.environment)
    body = {"model": call.model, "messages": messages, "options": _options(call, (*_OPTIONS, *_ASIDE))}
    # promptfoo puts together the parts of a stream, to the same text.
    body |= {"stream": False, **_aside(call)}
    return {**body, "tools": call.config["tools"]} if is_true(call.config.get("tools")) else body


def _completion_body(call: ModelCall) -> dict[str, Any]:
    body = {"model": call.model, "prompt": call.prompt, "stream": False, "options": _options(call, _OPTIONS)}
    return {**body, **_aside(call)}


def _options(call: ModelCall, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in call.config.items() if name in names}


def _aside(call: ModelCall) -> dict[str, Any]:
    further = call.config.get("passthrough")
    return {**kept(call.config, ("think",)), **(further if isinstance(further, dict) else {})}


def _chat_output(reply: Mapping[str, Any], call: ModelCall) -> Any:  # noqa: ARG001  # as of every family
    message = reply.get("message")
    if not isinstance(message, dict):
        raise ProviderError(f"the server's reply has no message: {str(dict(reply))[:200]}")
    content, calls = message.get("content") or "", message.get("tool_calls")
    if not isinstance(calls, list) or not calls:
        return content
    made = [{"function": _called(each)} for each in calls]
    return {"content": content, "tool_calls": made} if content.strip() else made


def _called(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    return {"name": function.get("name"), "arguments": output_text(function.get("arguments"))}


def _completion_output(reply: Mapping[str, Any], call: ModelCall) -> Any:  # noqa: ARG001  # as of every family
    return reply.get("response") or ""


def _about(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    tokens = count_tokens(reply, "prompt_eval_count", "eval_count", 0)
    return Answer(
        "",
        duration_ms=took,
        tokens=tokens,
        tool_uses=(),
        llm_calls=1,
        model=str(reply.get("model") or model),
        reported={"guardrails": {}},
    )


def _at(path: str) -> "ModelFamily":
    is_chat = path.endswith("chat")
    return ModelFamily(
        _chat_body if is_chat else _completion_body,
        _chat_output if is_chat else _completion_output,
        _about,
        lambda call: f"{call.environment.get('OLLAMA_BASE_URL') or _HOME}{path}",
        lambda call: {"Authorization": f"Bearer {key}"} if (key := call.environment.get("OLLAMA_API_KEY")) else {},
        filled=("tools",) if is_chat else (),
        takes_row_settings=False,
    )


OLLAMA_CHAT, OLLAMA_COMPLETION = _at("/api/chat"), _at("/api/generate")
