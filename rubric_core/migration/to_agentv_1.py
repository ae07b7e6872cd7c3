"""From agentv-0.5: another of several expected messages is the reference answer."""

from collections.abc import Iterator

from rubric_core.migration.draft import Draft
from rubric_core.migration.step import Note, Step
from rubric_core.syntax.tree import Sequence

__all__ = ["TO_AGENTV_1"]


def _reference(draft: Draft) -> Iterator[Note]:
    if draft.source.properties.reference == draft.target.properties.reference:
        return
    for case in draft.cases:
        value = case.value("expected_output")
        if isinstance(value, Sequence) and len(value.items) > 1:
            yield Note(
                value.span.start,
                "the last of these messages is the reference answer from now on, the first was until now",
            )


TO_AGENTV_1 = (Step("Name cases with several expected messages", _reference, before_all=True),)
