"""Renames the variables of judge prompts from one dialect to the next."""

import re
from collections.abc import Iterable, Mapping

__all__ = ["VARIABLES_INTO", "pattern_of", "rename_variables", "variables_used"]

#: The names of variables as of each dialect.
VARIABLES_INTO: Mapping[str, Mapping[str, str]] = {
    "agentv-1": {
        "candidateAnswer": "candidate_answer", "output_messages": "candidate_answer", "referenceAnswer": "reference_answer",
        "outcome": "expected_outcome",
    },
    "agentv-2.7": {
        "candidate_answer": "answer", "expected_outcome": "criteria", "expected_messages": "expected_output",
        "input_messages": "input", "output_messages": "output",
    },
    "agentv-3": {"answer": "output", "question": "input", "reference_answer": "expected_output"},
    "agentv-5": {"input_text": "input", "output_text": "output", "expected_output_text": "expected_output"},
}  # fmt: skip


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds variables with these names; its second group is the name."""
    return re.compile(r"(?<=\{\{)(\s*)(" + "|".join(names) + r")(?=\s*\}\})")


def variables_used(text: str, names: Mapping[str, str]) -> list[str]:
    """The variables in a text that have been renamed."""
    return sorted({found[2] for found in pattern_of(names).finditer(text)})


def rename_variables(text: str, dialects: Iterable[str]) -> str:
    """A prompt with its variables renamed through consecutive dialects, up to the last one."""
    for dialect in dialects:
        names = VARIABLES_INTO.get(dialect, {})
        if names:
            text = pattern_of(names).sub(lambda found, names=names: f"{found[1]}{names[found[2]]}", text)  # type: ignore[misc]  # a default binds the name of this round
    return text
