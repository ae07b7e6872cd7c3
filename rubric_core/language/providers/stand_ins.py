"""The settings of stand-ins for targets: fixed answers, recorded answers and conversations."""

from typing import ClassVar

from rubric_core.language.file_extensions import RECORDS
from rubric_core.language.providers.base import Settings
from rubric_core.language.shape import key
from rubric_core.language.value_kinds import Anything, Text

__all__ = ["Mock", "Replay", "Transcript"]


class Mock(Settings):
    """A mock: it always says the same, so that a suite runs offline."""

    response = key(Text(blank=True), "What it answers.", example="within 30 days")
    trace = key(Anything(), "Read by no release.")


class Replay(Settings):
    """A replay: answers that were recorded before."""

    fixtures = key(
        Text(refers_to="file", endings=RECORDS),
        "Recorded answers.",
        required=True,
        group="source",
        example="fixtures.jsonl",
    )
    execution_traces = key(Text(refers_to="file", endings=RECORDS), "Recorded traces.", required=True, group="source")
    transcripts = key(Text(refers_to="file", endings=RECORDS), "Recorded conversations.", required=True, group="source")
    source_target = key(Text(), "The target whose answers were recorded.", required=True, example="bot")
    suite = key(Text(), "The suite that was recorded.")
    eval_path = key(Text(), "The path of the suite that was recorded.")
    variant = key(Text(), "Which of several recordings.")


class Transcript(Settings):
    """A transcript: a conversation that was held before, graded again."""

    open: ClassVar[bool] = True
