"""From agentv-0.5: another of several expected messages is the reference answer, and every prompt shows the answer itself."""

from collections.abc import Iterator

from rubric_core.language.evaluators import LlmJudge
from rubric_core.language.variables import replaces_system
from rubric_core.migration.common_steps import PROMPT_PATH, with_variables
from rubric_core.migration.draft import Draft
from rubric_core.migration.prompt_variables import VARIABLES_INTO
from rubric_core.migration.step import MigrationNote, MigrationStep
from rubric_core.syntax.tree import Scalar, Sequence

__all__ = ["TO_AGENTV_1"]


def _reference(draft: Draft) -> Iterator[MigrationNote]:
    if draft.source.properties.reference == draft.target.properties.reference:
        return
    for case in draft.cases:
        value = case.value("expected_output")
        if isinstance(value, Sequence) and len(value.items) > 1:
            yield MigrationNote(
                value.span.start,
                "the last of these messages is the reference answer from now on, the first was until now",
            )


def _prompts(draft: Draft) -> Iterator[MigrationNote]:
    """Note that a judge now sees its prompt only; before, a prompt without variables got question and answer."""
    if draft.source.properties.wording == draft.target.properties.wording:
        return
    shown = draft.target.properties.answer_variables
    for site in draft.of(LlmJudge):
        entry = site.own("prompt")
        if entry is None or not isinstance(entry.value, Scalar):
            continue
        path = entry.value.text.removeprefix("file://")
        text = (draft.read(path) if PROMPT_PATH.match(entry.value.text) else entry.value.text) or ""
        if text and replaces_system(text, draft.source.properties):
            words = f"from now on a judge sees its prompt alone: show it the answer as `{{{{ {shown[0]} }}}}` there"
            yield MigrationNote(entry.key.span.start, words)


TO_AGENTV_1 = (
    MigrationStep("Name cases with several expected messages", _reference, before_all=True),
    MigrationStep("Name prompts that show no answer", _prompts, before_all=True),
    MigrationStep("Rename the variables of judge prompts", with_variables(VARIABLES_INTO["agentv-1"])),
)
