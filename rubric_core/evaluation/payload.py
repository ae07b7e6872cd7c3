"""What programs that grade are told on standard input, in the words of the dialect (facts of each release, one table)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.context import EvaluationContext
from rubric_core.ports import Answer
from rubric_core.syntax.plain import plain

__all__ = ["LARGE", "payload_of"]

#: Characters of JSON; a longer answer is handed over in a file.
LARGE = 50_000


def payload_of(context: EvaluationContext) -> dict[str, Any]:
    """The JSON object for a program; keys are those that its dialect's releases wrote, older ones beside newer ones."""
    wording = context.dialect.properties.wording if context.dialect else "output"
    return {"generated": _generated, "candidate": _candidate, "answer": _answer, "output": _output}[wording](context)


def _question(context: EvaluationContext) -> str:
    return context.prompt_inputs.question


def _files(context: EvaluationContext) -> list[str]:
    return [str(path) for path in context.prompt_inputs.files]


def _generated(context: EvaluationContext) -> dict[str, Any]:
    inputs, case = context.prompt_inputs, context.eval_case
    system = "\n\n".join(m.content for m in inputs.messages if m.role == "system")
    segments = [{"type": "text", "value": _question(context)}]
    return {
        "task": _question(context), "outcome": case.criteria or "", "expected": inputs.reference_answer, "output": context.candidate,
        "system_message": system, "guideline_paths": [], "attachments": _files(context), "user_segments": segments,
        "question": _question(context), "expected_outcome": case.criteria or "", "reference_answer": inputs.reference_answer,
        "candidate_answer": context.candidate, "input_files": _files(context), "input_segments": segments,
    }  # fmt: skip


def _candidate(context: EvaluationContext) -> dict[str, Any]:
    inputs = context.prompt_inputs
    trace = _trace(context.answer)
    return {
        "question": _question(context), "expected_outcome": context.eval_case.criteria or "", "expected_messages": list(inputs.expected),
        "reference_answer": inputs.reference_answer, "candidate_answer": context.candidate, "output_messages": _messages(context),
        "guideline_paths": [], "input_files": _files(context), "input_segments": [{"type": "text", "value": _question(context)}],
        "input_messages": list(inputs.input), "trace": trace, "candidate_trace_summary": trace, "trace_summary": trace,
        "config": context.settings or None,
    }  # fmt: skip


def _answer(context: EvaluationContext) -> dict[str, Any]:
    inputs, answer = context.prompt_inputs, context.answer
    return {
        "question": _question(context), "criteria": context.eval_case.criteria or "", "expected_output": list(inputs.expected),
        "reference_answer": inputs.reference_answer, "answer": context.candidate, "output": _messages(context),
        "guideline_files": [], "input_files": _files(context), "input": list(inputs.input), "trace": _trace(answer),
        "file_changes": (answer.file_changes if answer else "") or None, "workspace_path": str(context.workspace) if context.workspace else None, "config": context.settings or None,
    }  # fmt: skip


def _output(context: EvaluationContext) -> dict[str, Any]:
    answer = context.answer
    tokens = answer.tokens if answer else None
    measured = {
        "messages": _messages(context), "output": context.candidate, "trace_summary": _trace(answer), "metadata": plain(context.eval_case.metadata, context.anchors),
        "token_usage": {"input": tokens.input, "output": tokens.output, "cached": tokens.cached} if tokens else None,
        "cost_usd": answer.cost_usd if answer else None, "duration_ms": answer.duration_ms if answer else None,
        "start_time": None, "end_time": context.now.isoformat(),
    }  # fmt: skip
    return {**_answer(context), **measured}


def _messages(context: EvaluationContext) -> list[dict[str, Any]]:
    """What the target said, as the messages of a trace."""
    used = context.answer.tool_uses if context.answer else None
    message: dict[str, Any] = {"role": "assistant", "content": _content(context)}
    if used:
        message["tool_calls"] = [
            {
                n: v
                for n, v in (
                    ("tool", u.tool),
                    ("input", u.input),
                    ("output", u.output),
                    ("duration_ms", u.duration_ms),
                )
                if v is not None
            }
            for u in used
        ]
    return [message]


def _content(context: EvaluationContext) -> str | list[dict[str, str]]:
    """The answer, as parts when there are files among them."""
    files = context.answer.files if context.answer else ()
    if not files:
        return context.candidate
    parts = [{"type": "file", "media_type": file.media_type, "path": file.path} for file in files]
    return [{"type": "text", "text": context.candidate}, *parts] if context.candidate else parts


def _trace(answer: Answer | None) -> Mapping[str, Any] | None:
    """How often which tool was called, or None when the target keeps no record."""
    if answer is None or answer.tool_uses is None:
        return None
    names = [use.tool for use in answer.tool_uses]
    return {
        "event_count": len(names),
        "tool_names": sorted(set(names)),
        "tool_calls_by_name": dict(Counter(names)),
        "error_count": 0,
    }
