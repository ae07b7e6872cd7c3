"""What the template variables of judges' prompts stand for."""

from collections.abc import Mapping
from typing import Literal

__all__ = ["FILLED_BY", "STANDS_FOR", "StandsFor"]

StandsFor = Literal[
    "answer", "question", "criteria", "reference", "file_changes", "tool_calls", "metadata", "metadata_json"
]

#: In every spelling that a dialect has; which of them it has, its properties tell.
STANDS_FOR: Mapping[str, StandsFor] = {
    "candidate_answer": "answer", "answer": "answer", "output": "answer", "output_text": "answer", "output_messages": "answer",
    "question": "question", "input": "question", "input_text": "question", "input_messages": "question",
    "expected_outcome": "criteria", "criteria": "criteria",
    "reference_answer": "reference", "expected_output": "reference", "expected_output_text": "reference", "expected_messages": "reference",
    "file_changes": "file_changes", "tool_calls": "tool_calls", "metadata": "metadata", "metadata_json": "metadata_json",
    "rubric": "criteria", "rubrics": "criteria", "rubrics_json": "criteria",
}  # fmt: skip
#: The field of a case from which each comes; the others come of a run.
FILLED_BY: Mapping[StandsFor, str] = {
    "question": "input", "criteria": "criteria", "reference": "expected_output", "metadata": "metadata", "metadata_json": "metadata",
}  # fmt: skip
