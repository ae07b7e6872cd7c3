"""The recordings of a suite, read when a judge needs one: most suites have none, and reading them loads pydantic."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.evaluation.judging.recording_paths import recordings_journal, recordings_path
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.ports import Files

if TYPE_CHECKING:
    from rubric_core.evaluation.judging.recordings import Recordings
    from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
    from rubric_core.evaluation.model.evaluation_score import EvaluationScore
    from rubric_core.evaluation.model.recording import JudgeInput, Provenance, RecordedJudgement

__all__ = ["LazyRecordings"]


class LazyRecordings:
    """See `JudgeRecordings`.

    Args:
        suite: The suite.
        files: Where its recordings are read.

    Raises Unscored at once for an unreadable file, whether a judge looks for a recording or not.
    """

    def __init__(self, suite: Path, files: Files) -> None:
        self._suite, self._files = suite, files
        self._read: Recordings | None = None
        if files.is_file(recordings_path(suite)) or recordings_journal(suite):
            self._recordings()

    def _recordings(self) -> "Recordings":
        if self._read is None:
            from rubric_core.evaluation.judging.recordings import Recordings, RecordingsError  # noqa: PLC0415  # pydantic

            try:
                self._read = Recordings(self._suite, self._files)
            except RecordingsError as error:
                raise Unscored(str(error)) from None
        return self._read

    @property
    def changed(self) -> bool:
        """Whether there are recordings that are not in the file yet."""
        return self._read is not None and self._read.changed

    def save(self) -> None:
        """See `Recordings.save`."""
        self._recordings().save()

    def check(
        self, asked: "JudgeInput", item: "CriterionItem", ranges: bool, judge: str | None
    ) -> "RecordedJudgement | None":
        """See `JudgeRecordings.check`."""
        return self._recordings().check(asked, item, ranges, judge)

    def free_form(self, asked: "JudgeInput", judge: str | None) -> "RecordedJudgement | None":
        """See `JudgeRecordings.free_form`."""
        return self._recordings().free_form(asked, judge)

    def record_checks(
        self,
        asked: "JudgeInput",
        checks: "Sequence[tuple[CriterionItem, CriterionCheck]]",
        ranges: bool,
        made: "Provenance",
        *,
        afresh: bool = False,
    ) -> None:
        """See `JudgeRecordings.record_checks`."""
        self._recordings().record_checks(asked, checks, ranges, made, afresh=afresh)

    def record_free_form(
        self, asked: "JudgeInput", score: "EvaluationScore", made: "Provenance", *, afresh: bool = False
    ) -> None:
        """See `JudgeRecordings.record_free_form`."""
        self._recordings().record_free_form(asked, score, made, afresh=afresh)
