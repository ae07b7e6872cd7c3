"""What the template variables of judges' prompts stand for."""

from collections.abc import Mapping
from typing import Literal

from rubric_core.language.properties import Properties
from rubric_core.lazy_compilation import pattern

__all__ = [
    "ENVIRONMENT_DEFAULT",
    "ENVIRONMENT_REFERENCE",
    "ENVIRONMENT_TEMPLATE",
    "FILLED_BY",
    "STANDS_FOR",
    "VARIABLE",
    "StandsFor",
    "environment_variables_in",
    "replaces_system",
    "unset_message",
    "variables_in",
]  # fmt: skip

StandsFor = Literal[
    "answer", "question", "criteria", "reference", "file_changes", "tool_calls", "metadata", "metadata_json"
]

#: In every spelling that a dialect has; which of them it has, its properties tell.
STANDS_FOR: Mapping[str, StandsFor] = {
    "candidate_answer": "answer", "answer": "answer", "output": "answer", "output_text": "answer", "output_messages": "answer",
    "candidateAnswer": "answer",
    "question": "question", "input": "question", "input_text": "question", "input_messages": "question",
    "expected_outcome": "criteria", "criteria": "criteria", "outcome": "criteria",
    "reference_answer": "reference", "referenceAnswer": "reference", "expected_output": "reference", "expected_output_text": "reference", "expected_messages": "reference",
    "file_changes": "file_changes", "tool_calls": "tool_calls", "metadata": "metadata", "metadata_json": "metadata_json",
    "rubric": "criteria", "rubrics": "criteria", "rubrics_json": "criteria",
}  # fmt: skip
#: The field of a case from which each comes; the others come of a run.
FILLED_BY: Mapping[StandsFor, str] = {
    "question": "input", "criteria": "criteria", "reference": "expected_output", "metadata": "metadata", "metadata_json": "metadata",
}  # fmt: skip
#: A variable in a prompt; its group is the name.
VARIABLE = pattern(r"\{\{\s*([A-Za-z0-9_]+)\s*\}\}")


def unset_message(variable: str, place: str) -> str:
    """What is said of a setting whose variable the environment does not have, and the next step."""
    step = f"set it where rubric or the editor is started: `export {variable}=…`"
    return f"the environment variable {variable} is not set ({place}); {step}"


def variables_in(template: str) -> frozenset[str]:
    """The names in `{{ … }}`."""
    return frozenset(VARIABLE.findall(template))


def replaces_system(prompt: str, properties: Properties) -> bool:
    """Whether a prompt takes the place of the judge's instructions, rather than of what it is shown.

    With a variable that the dialect fills in, it is what a judge is shown.
    """
    return properties.wording == "generated" and variables_in(prompt).isdisjoint(properties.template_variables)


#: `${{ NAME }}` and `{{ env.NAME }}`; one of the two groups is the name.
ENVIRONMENT_REFERENCE = pattern(r"\$\{\{\s*(?:env\.)?([A-Za-z_]\w*)\s*\}\}|\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}")
#: `{{ env.NAME }}` and `{{ env['NAME'] }}` with nothing else in the braces.
ENVIRONMENT_TEMPLATE = pattern(r"(?<!\$)\{\{\s*env(?:\.(\w+)|\[['\"](\w+)['\"]\])\s*\}\}")
#: `{{ env.NAME | default('text') }}`, also with `true`: then the text stands for an empty variable as well.
ENVIRONMENT_DEFAULT = pattern(
    r"(?<!\$)\{\{\s{0,9}env(?:\.(?P<name>\w{1,99})|\[['\"](?P<key>\w{1,99})['\"]\])\s{0,9}\|\s{0,9}default\(\s{0,9}"
    r"(?P<quote>['\"])(?P<text>[^'\"{}\\]{0,999})(?P=quote)\s{0,9}(?P<even_empty>,\s{0,9}true\s{0,9})?\)\s{0,9}\}\}"
)


def environment_variables_in(text: str) -> list[str]:
    """The environment variables that a text names."""
    return [match[1] or match[2] for match in ENVIRONMENT_REFERENCE.finditer(text)]
