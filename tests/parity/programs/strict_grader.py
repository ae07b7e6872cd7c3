"""A grader that refuses a payload of another shape, as graders written with AgentV's SDK do: score 1 for one that it can read.

It refuses as the SDK does: a JSON result with score 0 and the reason on standard output, and exit code 1. Null passes only where the
SDK lets it; keys that it does not know are left alone.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any, str], None]


class ShapeError(Exception):
    """What is wrong with a payload, and where."""


def a(*kinds: type) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise ShapeError(f"{where}: expected {kinds[0].__name__}, received {json.dumps(value)[:60]}")

    return check


def one_of(*values: str) -> Check:
    def check(value: Any, where: str) -> None:
        if value not in values:
            raise ShapeError(f"{where}: expected one of {', '.join(values)}, received {json.dumps(value)[:60]}")

    return check


def nullable(inner: Check) -> Check:
    return lambda value, where: None if value is None else inner(value, where)


def array(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        a(list)(value, where)
        for number, item in enumerate(value):
            inner(item, f"{where}[{number}]")

    return check


def record(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        a(dict)(value, where)
        for key, item in value.items():
            inner(item, f"{where}.{key}")

    return check


def shape(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    def check(value: Any, where: str) -> None:
        a(dict)(value, where)
        for key in required.keys() - value.keys():
            raise ShapeError(f"{where}.{key}: required")
        for key, inner in {**required, **optional}.items():
            if key in value:
                inner(value[key], f"{where}.{key}")

    return check


def anything(value: Any, where: str) -> None:
    """Whatever it is."""


text, number, mapping = a(str), a(int, float), a(dict)
tokens = shape({"input": number, "output": number}, {"cached": number, "reasoning": number})
tool_call = shape(
    {"tool": text},
    {"input": anything, "output": anything, "id": text, "start_time": text, "end_time": text, "duration_ms": number},
)
message = shape(
    {"role": one_of("assistant", "user", "system", "tool")},
    {"content": a(str, list, dict), "tool_calls": array(tool_call), "name": text, "start_time": text, "end_time": text,
     "duration_ms": number, "metadata": mapping},
)  # fmt: skip
event = shape(
    {"event_id": text, "ordinal": number,
     "type": one_of("message", "model_turn", "tool_call", "tool_result", "final_response", "error")},
    {"parent_event_id": text, "timestamp": text, "duration_ms": number, "turn_index": number, "message": mapping,
     "model": mapping, "tool": mapping, "error": mapping, "metadata": mapping},
)  # fmt: skip
counted = {"event_count": number, "tool_calls": record(number), "error_count": number}
durations = {"tool_durations": record(array(number)), "llm_call_count": number}
measured = {"token_usage": tokens, "cost_usd": number, "duration_ms": number, "start_time": text, "end_time": text}
trace = shape(
    {**counted, "messages": array(message), "events": array(event)}, {**durations, **measured, "metadata": mapping}
)
payload = shape(
    {"criteria": text, "expected_output": array(message), "input_files": array(text), "input": array(message)},
    {
        "output": nullable(text), "messages": array(message), "output_path": text, "metadata": nullable(mapping),
        "trace": nullable(trace), "trace_summary": nullable(shape(counted, durations)), "file_changes": nullable(text),
        "workspace_path": nullable(text), "config": nullable(mapping),
        **{name: nullable(inner) for name, inner in measured.items()},
    },
)  # fmt: skip

try:
    payload(json.load(sys.stdin), "$")
except ShapeError as error:
    print(json.dumps({"score": 0, "assertions": [{"text": f"Evaluation failed: {error}", "passed": False}]}))
    sys.exit(1)
print(json.dumps({"score": 1, "assertions": [{"text": "the payload can be read", "passed": True}]}))
