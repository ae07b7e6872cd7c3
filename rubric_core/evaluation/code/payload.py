"""The standard input of a suite's programs: one table for each release of AgentV, key by key.

Grading programs get one table, programs that make a judge's prompt another, and code in a suite a third. A value of
None is null in JSON, as in the release; keys that a release leaves out are left out.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from rubric_core.evaluation.code.key_case import camel_case, in_camel_case, in_snake_case
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.trace import trace_of
from rubric_core.syntax.plain_data import plain

__all__ = ["LARGE", "messages_in", "payload_of", "prompt_payload", "script_context"]

#: Characters of JSON; a longer answer is handed over in a file.
LARGE = 50_000


class _Values:
    """The values available to a program."""

    def __init__(self, context: EvaluationContext) -> None:
        self.context = context
        self.trace = trace_of(context)
        self.answer = self.trace.answer

    def criteria(self) -> str:
        return self.context.eval_case.criteria or ""

    def text(self) -> str:
        return self.context.prompt_inputs.text or self.context.prompt_inputs.question

    def system_message(self) -> str:
        return "\n\n".join(m.content for m in self.context.prompt_inputs.messages if m.role == "system")

    def reference(self) -> str:
        return self.context.prompt_inputs.reference_answer

    def candidate(self) -> str:
        return self.context.candidate

    def input(self) -> list[Any]:
        return list(self.context.prompt_inputs.input)

    def expected(self) -> list[Any]:
        return list(self.context.prompt_inputs.expected)

    def segments(self) -> list[Any]:
        """The content of the input, block by block."""
        contents = (message.get("content") for message in self.context.prompt_inputs.input)
        texts = ([{"type": "text", "value": c}] if isinstance(c, str) else c for c in contents)
        return [block for blocks in texts if isinstance(blocks, list) for block in blocks]

    def files(self) -> list[str]:
        return [str(path) for path in self.context.prompt_inputs.files]

    def guidelines(self) -> list[str]:
        return [str(path) for path in self.context.prompt_inputs.guidelines]

    def material(self) -> list[str]:
        """The files that are no guidelines."""
        return [path for path in self.files() if path not in self.guidelines()]

    def reply(self) -> list[dict[str, Any]]:
        return self.trace.reply

    def messages(self) -> list[dict[str, Any]]:
        return self.trace.messages

    def metadata(self) -> Any:
        written = self.context.eval_case.metadata
        return plain(written, self.context.anchors) if written is not None else None

    def tokens(self) -> dict[str, int] | None:
        used = self.answer.tokens
        if used is None:
            return None
        return {"input": used.input, "output": used.output, **({"cached": used.cached} if used.cached else {})}

    def cost(self) -> float | None:
        return self.answer.cost_usd

    def duration(self) -> float | None:
        return self.answer.duration_ms

    def start_time(self) -> str | None:
        return self.trace.start_time

    def end_time(self) -> str | None:
        return self.trace.end_time

    def file_changes(self) -> str | None:
        return self.answer.file_changes or None

    def workspace(self) -> str | None:
        return str(self.context.workspace) if self.context.workspace else None

    def settings(self) -> dict[str, Any] | None:
        return self.context.settings or None

    def named_counts(self) -> dict[str, Any]:
        """The trace of releases up to 3, without measurements."""
        counts = self.trace.call_counts
        return {
            "event_count": len(self.trace.calls), "tool_names": sorted(counts), "tool_calls_by_name": counts, "error_count": 0,
            "llm_call_count": self.trace.llm_calls, **_known(tool_durations=self.trace.durations),
        }  # fmt: skip

    def measured_counts(self) -> dict[str, Any]:
        """The same with measurements."""
        return {**self.named_counts(), **self._measured()}

    def summary(self) -> dict[str, Any]:
        return {
            "event_count": len(self.trace.calls), "tool_calls": self.trace.call_counts, "error_count": 0,
            "llm_call_count": self.trace.llm_calls, **_known(tool_durations=self.trace.durations),
        }  # fmt: skip

    def whole_trace(self) -> dict[str, Any]:
        """The summary, every message and event, and the measurements."""
        target, case = self.context.target, self.context.eval_case
        metadata = {"provider": target.kind, "target": target.name, "eval_case_id": case.id, "provider_session_id": case.conversation_id}  # fmt: skip
        return {
            **self.summary(), "messages": self.trace.messages, "events": self.trace.events, **self._measured(),
            "metadata": {name: value for name, value in metadata.items() if value},
        }  # fmt: skip

    def _measured(self) -> dict[str, Any]:
        return _known(
            token_usage=self.tokens(), cost_usd=self.cost(), duration_ms=self.duration(), start_time=self.start_time(),
            end_time=self.end_time(),
        )  # fmt: skip


def _known(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


Table: TypeAlias = Mapping[str, Callable[[_Values], Any]]

#: v0.5.3 and v0.19.0 share a dialect and not a key: a program of either finds its own.
_V0_19_GRADER: Table = {
    "task": _Values.text,
    "outcome": _Values.criteria,
    "expected": _Values.reference,
    "output": _Values.candidate,
    "system_message": _Values.system_message,
    "attachments": _Values.files,
    "user_segments": _Values.segments,
    "question": _Values.text,
    "expected_outcome": _Values.criteria,
    "reference_answer": _Values.reference,
    "candidate_answer": _Values.candidate,
    "guideline_paths": _Values.guidelines,
    "input_files": _Values.files,
    "input_segments": _Values.segments,
}
_V2_6: Table = {
    "question": _Values.text,
    "expected_outcome": _Values.criteria,
    "expected_messages": _Values.expected,
    "reference_answer": _Values.reference,
    "candidate_answer": _Values.candidate,
    "output_messages": _Values.reply,
    "guideline_files": _Values.guidelines,
    "input_files": _Values.material,
    "input_messages": _Values.input,
    "trace_summary": _Values.measured_counts,
    "config": _Values.settings,
}
_V2_19_PROMPT: Table = {
    "question": _Values.text,
    "criteria": _Values.criteria,
    "expected_output": _Values.expected,
    "reference_answer": _Values.reference,
    "answer": _Values.candidate,
    "output": _Values.reply,
    "guideline_files": _Values.guidelines,
    "input_files": _Values.material,
    "input": _Values.input,
    "trace": _Values.named_counts,
    "file_changes": _Values.file_changes,
    "workspace_path": _Values.workspace,
    "config": _Values.settings,
}
_MEASURED: Table = {
    "token_usage": _Values.tokens,
    "cost_usd": _Values.cost,
    "duration_ms": _Values.duration,
    "start_time": _Values.start_time,
    "end_time": _Values.end_time,
}
_V2_19_GRADER: Table = {**_V2_19_PROMPT, **_MEASURED}
_V4_42_PROMPT: Table = {
    "criteria": _Values.criteria,
    "expected_output": _Values.expected,
    "output": _Values.candidate,
    "answer": _Values.candidate,
    "messages": _Values.messages,
    "input_files": _Values.files,
    "input": _Values.input,
    "metadata": _Values.metadata,
    "trace": _Values.whole_trace,
    "file_changes": _Values.file_changes,
    "workspace_path": _Values.workspace,
    "config": _Values.settings,
}
#: `output_path` comes in place of a long `output`; v5 and later have the same keys.
_V4_42_GRADER: Table = {
    **{name: value for name, value in _V4_42_PROMPT.items() if name != "answer"},
    "trace_summary": _Values.summary,
    **_MEASURED,
}
#: What JavaScript and Python in a suite get, and webhooks.
_SCRIPT: Table = {
    "criteria": _Values.criteria,
    "expected_output": _Values.expected,
    "input": _Values.input,
    "metadata": _Values.metadata,
    "trace": _Values.whole_trace,
    "token_usage": _Values.tokens,
    "cost_usd": _Values.cost,
    "duration_ms": _Values.duration,
    "file_changes": _Values.file_changes,
    "workspace_path": _Values.workspace,
}
#: Template variables with whole messages, in every spelling.
_MESSAGES: Table = {
    "input_messages": _Values.segments, "input": _Values.segments,
    "expected_messages": _Values.expected, "expected_output": _Values.expected,
    "output_messages": _Values.reply, "output": _Values.reply,
}  # fmt: skip
_GRADERS = {"generated": _V0_19_GRADER, "candidate": _V2_6, "answer": _V2_19_GRADER, "output": _V4_42_GRADER}
_PROMPTS = {"generated": _V0_19_GRADER, "candidate": _V2_6, "answer": _V2_19_PROMPT, "output": _V4_42_PROMPT}


def payload_of(context: EvaluationContext) -> dict[str, Any]:
    """The JSON object for a program that grades, in the words of the dialect."""
    return _filled(_GRADERS[_wording(context)], context)


def prompt_payload(context: EvaluationContext) -> dict[str, Any]:
    """The JSON object for a program that makes the prompt of a judge."""
    return _filled(_PROMPTS[_wording(context)], context)


def messages_in(context: EvaluationContext, variables: Collection[str]) -> dict[str, Any]:
    """The values of template variables with whole messages."""
    return _filled({name: value for name, value in _MESSAGES.items() if name in variables}, context)


def _wording(context: EvaluationContext) -> str:
    return context.dialect.properties.wording if context.dialect else "output"


def script_context(context: EvaluationContext, *, camel: bool = False) -> dict[str, Any]:
    """The `context` of code in a suite; with `camel` also in the spelling of JavaScript, as in AgentV.

    Besides the keys of the release it has those of `payload_of`, the variables of the case, and the question.
    """
    raw = _raw(_SCRIPT, context) if camel else {}
    twins = {camel_case(name): in_camel_case(value) for name, value in raw.items()}
    filled = {**payload_of(context), **_filled(_SCRIPT, context), **twins}
    return {**filled, "vars": dict(context.variables), "prompt": context.prompt_inputs.question}


def _raw(table: Table, context: EvaluationContext) -> dict[str, Any]:
    values = _Values(context)
    return {name: value(values) for name, value in table.items()}


def _filled(table: Table, context: EvaluationContext) -> dict[str, Any]:
    return {name: in_snake_case(value) for name, value in _raw(table, context).items()}
