"""What programs of a suite read on standard input, release by release: the keys of each, and what is null and what is left out.

The objects here were written down from the releases: 4.42.4 was run with the same suites, the others were read.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from suites import Folder, context

from rubric_core.evaluation.code.payload import LARGE, payload_of, prompt_payload, script_context
from rubric_core.evaluation.evaluators import code
from rubric_core.ports import Answer, AnswerFile, ToolUse

ECHO = "import json, sys; print(json.dumps({'score': 1, 'details': json.load(sys.stdin)}))"
CALLS = [
    {"tool": "read", "input": {"filePath": "a"}, "output": "A", "duration_ms": 5},
    {"tool": "bash", "input": {"cmd": "ls"}, "id": "c2"},
]
TALK = {
    "output": [
        {"role": "assistant", "content": "first", "tool_calls": CALLS},
        {"role": "assistant", "content": "final"},
    ],
    "token_usage": {"input": 10, "output": 4},
    "cost_usd": 0.02,
    "duration_ms": 123,
}
TOLD = [{"role": "assistant", "content": "first", "tool_calls": [{"tool": "read", "input": {"file_path": "a"}, "output": "A", "duration_ms": 5}, {"tool": "bash", "input": {"cmd": "ls"}, "id": "c2"}]}, {"role": "assistant", "content": "final"}]  # fmt: skip
COUNTS = {
    "event_count": 2, "tool_names": ["bash", "read"], "tool_calls_by_name": {"read": 1, "bash": 1}, "error_count": 0,
    "llm_call_count": 2, "tool_durations": {"read": [5]},
}  # fmt: skip
SUMMARY = {
    "event_count": 2, "tool_calls": {"read": 1, "bash": 1}, "error_count": 0, "llm_call_count": 2, "tool_durations": {"read": [5]},
}  # fmt: skip
MEASURED = {"token_usage": {"input": 10, "output": 4}, "cost_usd": 0.02, "duration_ms": 123}


def reply(folder: Folder, said: object) -> None:
    """The target replies with this, a text or JSON."""
    text = said if isinstance(said, str) else json.dumps(said)
    folder.write("target.py", f"import sys; open(sys.argv[1], 'w').write({text!r})")
    command = f"{sys.executable} target.py {{OUTPUT_FILE}}"
    folder.targets({"name": "default", "provider": "cli", "command": command, "cwd": str(folder.path)})


async def told(folder: Folder, suite: str, dialect: str, said: object = TALK) -> Any:
    """What a program that grades reads."""
    reply(folder, said)
    folder.write("store.py", ECHO)
    folder.write("order.txt", "four\nfive\n")
    folder.write("prompts/style.md", "Be brief.\n")
    result = await folder.one(suite.replace("PROGRAM", f"[{sys.executable}, store.py]"), dialect)
    assert result.evaluators, result.reason
    return result.evaluators[0].details


BLOCKS = "[{role: system, content: Be kind}, {role: user, content: [{type: text, value: Look at}, {type: file, value: order.txt}, {type: file, value: prompts/style.md}]}]"
WRITTEN = [
    {"role": "system", "content": "Be kind"},
    {
        "role": "user",
        "content": [
            {"type": "text", "value": "Look at"},
            {"type": "file", "value": "order.txt"},
            {"type": "file", "value": "prompts/style.md"},
        ],
    },
]


async def test_v2_6_1(folder: Folder) -> None:
    suite = f"""
        evalcases:
          - id: a
            expected_outcome: It is right
            input_messages: {BLOCKS}
            expected_messages: [{{role: assistant, content: [{{type: file, value: order.txt}}]}}]
            evaluators: [{{name: g, type: code_judge, script: PROGRAM, level: 2, config: {{deepKey: 1}}}}]
        """
    order, style = str(folder.path / "order.txt"), str(folder.path / "prompts/style.md")
    found = await told(folder, suite, "agentv-1")
    assert found == {
        "question": "Be kind Look at",
        "expected_outcome": "It is right",
        "expected_messages": [{"role": "assistant", "content": [{"type": "file", "path": "order.txt", "text": "four\nfive\n", "resolved_path": order}]}],
        "reference_answer": "four\nfive",
        "candidate_answer": "final",
        "output_messages": TOLD,
        "guideline_files": [style],
        "input_files": [order],
        "input_messages": WRITTEN,
        "trace_summary": {**COUNTS, **MEASURED},
        "config": {"level": 2, "config": {"deep_key": 1}},
    }  # fmt: skip


async def test_v2_19_0(folder: Folder) -> None:
    suite = f"""
        tests:
          - id: a
            criteria: It is right
            input: {BLOCKS}
            expected_output: {{total: 5}}
            assert: [{{type: code_judge, script: PROGRAM, level: 2, config: {{deepKey: 1}}}}]
        """
    order, style = str(folder.path / "order.txt"), str(folder.path / "prompts/style.md")
    found = await told(folder, suite, "agentv-2.7")
    assert found == {
        "question": "Be kind Look at",
        "criteria": "It is right",
        "expected_output": [{"role": "assistant", "content": {"total": 5}}],
        "reference_answer": '{\n  "total": 5\n}',
        "answer": "final",
        "output": TOLD,
        "guideline_files": [style],
        "input_files": [order],
        "input": WRITTEN,
        "trace": COUNTS,
        **MEASURED,
        "start_time": None,
        "end_time": None,
        "file_changes": None,
        "workspace_path": None,
        "config": {"level": 2, "config": {"deep_key": 1}},
    }


async def test_v2_19_0_with_a_text_and_nothing_else(folder: Folder) -> None:
    suite = "tests: [{id: a, criteria: c, input: Hello, assert: [{type: code_judge, script: PROGRAM}]}]"
    found = await told(folder, suite, "agentv-2.7", "Hi")
    assert found.pop("duration_ms") > 0
    assert found == {
        "question": "Hello", "criteria": "c", "expected_output": [], "reference_answer": "", "answer": "Hi",
        "output": [{"role": "assistant", "content": "Hi"}], "guideline_files": [], "input_files": [], "input": [{"role": "user", "content": "Hello"}],
        "trace": {"event_count": 0, "tool_names": [], "tool_calls_by_name": {}, "error_count": 0, "llm_call_count": 1},
        "token_usage": None, "cost_usd": None, "start_time": None, "end_time": None, "file_changes": None, "workspace_path": None, "config": None,
    }  # fmt: skip


def events(*made: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**event, "ordinal": at} for at, event in enumerate(made)]


async def test_v4_42_4(folder: Folder) -> None:
    suite = f"""
        tests:
          - id: a
            criteria: It is right
            input: {BLOCKS}
            expected_output: {{totalSum: 5}}
            metadata: {{teamName: x, Upper: 1}}
            assertions: [{{type: code-grader, command: PROGRAM, level: 2, config: {{deepKey: 1}}}}]
        """
    order, style = str(folder.path / "order.txt"), str(folder.path / "prompts/style.md")
    found = await told(folder, suite, "agentv-3")
    asked = [
        {"role": "system", "content": "Be kind"},
        {"role": "user", "content": f'Look at\n<file: path="{order}">\n<file: path="{style}">'},
    ]
    read = {"name": "read", "input": {"file_path": "a"}, "output": "A", "status": "ok"}
    assert found == {
        "criteria": "It is right",
        "expected_output": [{"role": "assistant", "content": {"total_sum": 5}}],
        "output": "final",
        "messages": [*asked, *TOLD],
        "input_files": [order, style],
        "input": [
            {"role": "system", "content": "Be kind"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "value": "Look at"},
                    {"type": "file", "value": "order.txt", "path": "order.txt", "text": "four\nfive\n", "resolved_path": order},
                    {"type": "file", "value": "prompts/style.md", "path": "prompts/style.md", "text": "Be brief.\n", "resolved_path": style},
                ],
            },
        ],
        "metadata": {"team_name": "x", "Upper": 1},
        "trace": {
            **SUMMARY,
            "messages": [*asked, *TOLD],
            "events": events(
                {"event_id": "message-0", "type": "message", "message": asked[0], "metadata": {"message_index": 0}},
                {"event_id": "message-1", "type": "message", "message": asked[1], "metadata": {"message_index": 1}},
                {"event_id": "message-2", "type": "message", "message": {"role": "assistant", "content": "first"}, "metadata": {"message_index": 2}},
                {"event_id": "message-2-tool-0", "parent_event_id": "message-2", "type": "tool_call", "duration_ms": 5, "tool": read, "metadata": {"message_index": 2, "tool_index": 0}},
                {"event_id": "message-2-tool-0-result", "parent_event_id": "message-2-tool-0", "type": "tool_result", "tool": {"name": "read", "output": "A", "status": "ok"}, "metadata": {"message_index": 2, "tool_index": 0}},
                {"event_id": "message-2-tool-1", "parent_event_id": "message-2", "type": "tool_call", "tool": {"name": "bash", "call_id": "c2", "input": {"cmd": "ls"}, "status": "ok"}, "metadata": {"message_index": 2, "tool_index": 1}},
                {"event_id": "message-3", "type": "message", "message": {"role": "assistant", "content": "final"}, "metadata": {"message_index": 3}},
                {"event_id": "final-response", "parent_event_id": "message-3", "type": "final_response", "message": {"role": "assistant", "content": "final"}, "metadata": {"message_index": 3}},
            ),
            **MEASURED,
            "metadata": {"provider": "cli", "target": "default", "eval_case_id": "a"},
        },
        "trace_summary": SUMMARY,
        **MEASURED,
        "start_time": None,
        "end_time": None,
        "file_changes": None,
        "workspace_path": None,
        "config": {"level": 2, "deep_key": 1},
    }  # fmt: skip


async def test_v4_42_4_with_a_text_and_nothing_else(folder: Folder) -> None:
    suite = "tests: [{id: a, input: Hello, assertions: [{type: code-grader, command: PROGRAM}]}]"
    found = await told(folder, suite, "agentv-3", "Hi")
    assert found.pop("duration_ms") == found["trace"].pop("duration_ms") > 0
    talk = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    none = {"event_count": 0, "tool_calls": {}, "error_count": 0, "llm_call_count": 1}
    assert found == {
        "criteria": "", "expected_output": [], "output": "Hi", "messages": talk, "input_files": [], "input": talk[:1], "metadata": None,
        "trace": {
            **none,
            "messages": talk,
            "events": events(
                {"event_id": "message-0", "type": "message", "message": talk[0], "metadata": {"message_index": 0}},
                {"event_id": "message-1", "type": "message", "message": talk[1], "metadata": {"message_index": 1}},
                {"event_id": "final-response", "parent_event_id": "message-1", "type": "final_response", "message": talk[1], "metadata": {"message_index": 1}},
            ),
            "metadata": {"provider": "cli", "target": "default", "eval_case_id": "a"},
        },
        "trace_summary": none, "token_usage": None, "cost_usd": None, "start_time": None, "end_time": None, "file_changes": None, "workspace_path": None,
        "config": None,
    }  # fmt: skip


async def test_head_has_the_keys_of_v4_42_4(folder: Folder) -> None:
    suite = """
        prompts: ["{{ question }}"]
        tests:
          - id: a
            vars: {question: Hello}
            assert: [{type: script, command: PROGRAM, level: 2, config: {level: 3}}]
        """
    reply(folder, "Hi")
    folder.write("store.py", ECHO)
    folder.write(".agentv/providers.yaml", json.dumps({"providers": [{"id": "cli", "label": "default", "config": {"command": f"{sys.executable} target.py {{OUTPUT_FILE}}", "cwd": str(folder.path)}}]}))  # fmt: skip
    result = await folder.one(suite.replace("PROGRAM", f"[{sys.executable}, store.py]"), "agentv-5")
    found = result.evaluators[0].details
    assert sorted(found) == sorted(
        [
            "criteria",
            "expected_output",
            "output",
            "messages",
            "input_files",
            "input",
            "metadata",
            "trace",
            "trace_summary",
            "token_usage",
            "cost_usd",
            "duration_ms",
            "start_time",
            "end_time",
            "file_changes",
            "workspace_path",
            "config",
        ]
    )
    assert (found["config"], found["metadata"], found["file_changes"]) == ({"level": 3}, None, None)
    assert found["messages"] == [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


async def test_a_reply_with_the_question_in_it_is_the_whole_conversation(folder: Folder) -> None:
    suite = "tests: [{id: a, criteria: c, input: Hello, assertions: [{type: code-grader, command: PROGRAM}]}]"
    talk = [{"role": "user", "content": "So, hello"}, {"role": "assistant", "content": "Hi"}]
    found = await told(folder, suite, "agentv-3", {"output": talk})
    assert found["messages"] == talk
    assert found["trace_summary"]["llm_call_count"] == 1


async def test_times_that_a_reply_tells(folder: Folder) -> None:
    suite = "tests: [{id: a, criteria: c, input: Hello, assertions: [{type: code-grader, command: PROGRAM}]}]"
    call = {"tool": "x", "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:01.5Z", "status": "error"}
    message = {"role": "assistant", "content": "Hi", "start_time": "2026-01-01T01:00:00+01:00", "end_time": "2026-01-01T00:00:02Z", "tool_calls": [call], "metadata": {"aB": 1}}  # fmt: skip
    found = await told(folder, suite, "agentv-3", {"output": [message]})
    assert (found["start_time"], found["end_time"]) == ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:02.000Z")
    assert found["trace"]["start_time"] == "2026-01-01T00:00:00.000Z"
    assert found["trace_summary"]["tool_durations"] == {"x": [1500]}
    assert found["messages"][1]["metadata"] == {"a_b": 1}
    assert [e.get("timestamp") for e in found["trace"]["events"]] == [
        None, "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z",
    ]  # fmt: skip


@pytest.mark.parametrize("dialect", ["agentv-3", "agentv-2.7"])
async def test_output_path_is_there_for_a_long_answer_alone(folder: Folder, dialect: str) -> None:
    kind = "code-grader, command" if dialect == "agentv-3" else "code_judge, script"
    key = "assertions" if dialect == "agentv-3" else "assert"
    suite = f"tests: [{{id: a, criteria: c, input: Hello, {key}: [{{type: {kind}: PROGRAM}}]}}]"
    found = await told(folder, suite, dialect, "x" * (LARGE + 1))
    assert found["output"] is None
    assert not Path(found["output_path"]).exists(), "it is there as long as the program runs"


def in_dialect(dialect: str, **known: Any) -> Any:
    answer = Answer("Hi", tool_uses=(ToolUse("readFile", {"aB": 1}, duration_ms=3),), llm_calls=2)
    return context(None, known.pop("answer", answer), None, dialect, **known)


def test_the_page_lists_the_keys() -> None:
    page = (Path(code.__file__).with_suffix(".md")).read_text(encoding="utf-8")
    rows = {cells[1].strip(): cells[2] for line in page.splitlines() if len(cells := line.split("|")) == 4}
    for dialects, cell in rows.items():
        for name in re.findall(r"agentv-[\d.]+", dialects):
            assert sorted(re.findall(r"`(\w+)`", cell)) == sorted(payload_of(in_dialect(name))), name
    assert len(rows) == 6, "a row for each table, below the heading"


def test_programs_of_v0_5_3_and_of_v0_19_0_find_their_keys() -> None:
    assert sorted(payload_of(in_dialect("agentv-0.5"))) == sorted(
        [
            "task",
            "outcome",
            "expected",
            "output",
            "system_message",
            "guideline_paths",
            "attachments",
            "user_segments",
            "question",
            "expected_outcome",
            "reference_answer",
            "candidate_answer",
            "input_files",
            "input_segments",
        ]
    )


@pytest.mark.parametrize(
    ("dialect", "keys"),
    [
        ("agentv-1", "question expected_outcome expected_messages reference_answer candidate_answer output_messages guideline_files input_files input_messages trace_summary config"),
        ("agentv-2.7", "question criteria expected_output reference_answer answer output guideline_files input_files input trace file_changes workspace_path config"),
        ("agentv-3", "criteria expected_output output answer messages input_files input metadata trace file_changes workspace_path config"),
    ],
)  # fmt: skip
def test_what_prompt_programs_read(dialect: str, keys: str) -> None:
    assert sorted(prompt_payload(in_dialect(dialect))) == sorted(keys.split())


def test_a_target_that_tells_no_messages_has_one() -> None:
    (message,) = payload_of(in_dialect("agentv-1"))["output_messages"]
    call = {"tool": "readFile", "input": {"a_b": 1}, "duration_ms": 3}
    assert message == {"role": "assistant", "content": "Hi", "tool_calls": [call]}
    assert payload_of(in_dialect("agentv-3"))["trace_summary"] == {
        "event_count": 1, "tool_calls": {"read_file": 1}, "error_count": 0, "llm_call_count": 2, "tool_durations": {"read_file": [3]},
    }  # fmt: skip


def test_files_of_an_answer_are_parts_of_its_message() -> None:
    made = in_dialect("agentv-3", answer=Answer("See", files=(AnswerFile("a.png", "image/png"),)))
    assert payload_of(made)["messages"][-1]["content"] == [
        {"type": "text", "text": "See"},
        {"type": "file", "media_type": "image/png", "path": "a.png"},
    ]


def test_javascript_gets_the_spelling_of_javascript_as_well() -> None:
    made = script_context(in_dialect("agentv-5"), camel=True)
    assert {"expectedOutput", "tokenUsage", "costUsd", "durationMs", "fileChanges", "workspacePath", "vars"} <= set(
        made
    )
    assert made["trace"]["toolCalls"] == {"readFile": 1}
    assert made["trace"]["events"][-1]["eventId"] == "final-response"
    assert "tokenUsage" not in script_context(in_dialect("agentv-5"))
