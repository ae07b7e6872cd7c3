"""Recorded replies of judges in a readable file beside the suite, for runs without a judge and for reproducible runs.

A recording is used only for exactly the same question. Everything that the judge sees is part of the key:
the prompt, the question, what a good answer achieves, the reference, the answer, the criterion. Weights, gates and the
id of a criterion are not, because the judge does not see them. The file holds the parts of the key in full, so that a person
can read and write recordings.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rubric_core.evaluation.judging.recorded_text import write_entries
from rubric_core.evaluation.judging.recording_file import (
    RecordedCriterion,
    RecordedEntry,
    RecordedReply,
    RecordedWhole,
    RecordingsError,
    entries_in,
    row_of,
)
from rubric_core.evaluation.judging.recording_paths import recordings_journal, recordings_path
from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.recording import JudgeInput, Provenance, RecordedJudgement
from rubric_core.ports import Files

__all__ = ["Recordings", "RecordingsError", "recordings_path"]

_LARGEST = 50_000_000


def _key(asked: JudgeInput, criterion: Mapping[str, Any] | None) -> str:
    parts = [asked.prompt, asked.question, asked.goal, asked.reference, asked.more, asked.answer, criterion]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()  # as an entry holds its texts


def _criterion_key(item: CriterionItem, ranges: bool) -> dict[str, Any]:
    bands = {f"{low}-{high}": text for low, high, text in item.bands} if ranges else {}
    return {"criterion": item.text or item.id, "operator": item.operator, "bands": bands, "ranges": ranges}


class Recordings:
    """The recordings of one suite. Additions go to a journal at once; `save` writes them to the file.

    Args:
        suite: The suite.
        files: Where its recordings are read.

    Raises RecordingsError for an unreadable file.
    """

    def __init__(self, suite: Path, files: Files) -> None:
        self.path = recordings_path(suite)
        #: Whether there are recordings that are not in the file yet.
        self.changed = False
        self._suite, self._files = suite, files
        self._entries: dict[int, RecordedEntry] = {}
        self._index: dict[str, list[tuple[RecordedEntry, RecordedCriterion | None]]] = {}
        #: The judges and cases whose older recordings have been dropped.
        self._afresh: set[tuple[str, str]] = set()
        self._journal = recordings_journal(suite)
        #: Entries that could not be written to the journal.
        self._unkept: list[dict[str, Any]] = []
        for entry in entries_in(self.path, self._text()) if files.is_file(self.path) else ():
            self._add(entry)
        with self._journal.opened() as rows:  # the journal of a run that was killed or is still in progress
            for _, row in rows:
                self._again(row)

    def _text(self) -> str:
        try:
            return self._files.read(self.path, _LARGEST).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RecordingsError(f"{self.path.name} cannot be read: {error}") from None

    def _again(self, row: Mapping[str, Any]) -> None:
        """Replay the journal."""
        with contextlib.suppress(ValidationError):
            self._replace(RecordedEntry.model_validate(row.get("entry")), afresh=row.get("afresh") is True)

    @property
    def entries(self) -> tuple[RecordedEntry, ...]:
        """All of them, in the order of the file."""
        return tuple(self._entries.values())

    def _add(self, entry: RecordedEntry) -> None:
        self._entries[id(entry)] = entry
        for key, criterion in _keys(entry):
            self._index.setdefault(key, []).append((entry, criterion))

    def check(
        self, asked: JudgeInput, item: CriterionItem, ranges: bool, judge: str | None
    ) -> RecordedJudgement | None:
        """The recorded reply about one criterion, by `judge` if given, else by the last judge called."""
        for entry, criterion in reversed(self._index.get(_key(asked, _criterion_key(item, ranges)), [])):
            if criterion is not None and judge in (None, entry.judge):
                reply = criterion.reply
                said = CriterionCheck(reply.satisfied, reply.score, reply.reasoning, recorded=True)
                if (said.score if ranges else said.satisfied) is not None:
                    return RecordedJudgement(entry.judge, entry.made, check=said)
        return None

    def free_form(self, asked: JudgeInput, judge: str | None) -> RecordedJudgement | None:
        """The recorded reply about an answer as a whole."""
        for entry, _ in reversed(self._index.get(_key(asked, None), [])):
            if entry.reply is not None and judge in (None, entry.judge):
                said = entry.reply
                score = EvaluationScore(
                    score=float(said.score), hits=tuple(said.hits), misses=tuple(said.misses),
                    expected_aspect_count=len(said.hits) + len(said.misses) or 1, reasoning=said.reasoning or None,
                )  # fmt: skip
                return RecordedJudgement(entry.judge, entry.made, score=score)
        return None

    def record_checks(
        self,
        asked: JudgeInput,
        checks: Sequence[tuple[CriterionItem, CriterionCheck]],
        ranges: bool,
        made: Provenance,
        *,
        afresh: bool = False,
    ) -> None:
        """Record the replies of a judge about criteria, replacing its earlier ones.

        Args:
            asked: The inputs of the judge.
            checks: The criteria, each with the reply.
            ranges: Whether the judge gave numbers.
            made: The provenance: judge, time and case.
            afresh: Whether to drop this judge's other recordings of the case from before this run.
        """
        criteria = []
        for item, check in checks:
            key = _criterion_key(item, ranges)
            said = {"score": check.score} if ranges else {"satisfied": check.satisfied}
            reply = RecordedReply.model_validate({**said, "reasoning": check.reasoning})
            criteria.append(
                RecordedCriterion(criterion=key["criterion"], operator=key["operator"], bands=key["bands"], reply=reply)
            )
        self._keep(_entry(asked, made, criteria=criteria), afresh=afresh)

    def record_free_form(
        self, asked: JudgeInput, score: EvaluationScore, made: Provenance, *, afresh: bool = False
    ) -> None:
        """Record the reply of a judge about an answer as a whole, replacing its earlier one; see `record_checks`."""
        reply = RecordedWhole(
            score=score.score,
            hits=list(score.hits),
            misses=list(score.misses),
            reasoning=score.reasoning or "",
        )
        self._keep(_entry(asked, made, reply=reply), afresh=afresh)

    def _keep(self, entry: RecordedEntry, *, afresh: bool) -> None:
        self._replace(entry, afresh=afresh)
        row = {"afresh": afresh, "entry": row_of(entry)}
        try:
            self._journal.append(row)
        except OSError:
            self._unkept.append(row)

    def _replace(self, entry: RecordedEntry, *, afresh: bool) -> None:
        """Add an entry and drop the parts that it supersedes from older entries of the same judge."""
        if afresh and (entry.judge, entry.case) not in self._afresh:
            self._afresh.add((entry.judge, entry.case))
            for old in [e for e in self.entries if (e.judge, e.case) == (entry.judge, entry.case)]:
                self._remove(old)
        new = {key for key, _ in _keys(entry)}
        again = {id(old): old for key in new for old, _ in self._index.get(key, ()) if old.judge == entry.judge}
        for old in again.values():
            self._remove(old)
            left = [c for key, c in _keys(old) if c is not None and key not in new]
            if left:
                self._add(old.model_copy(update={"criteria": left}))
        self._add(entry)
        self.changed = True

    def _remove(self, old: RecordedEntry) -> None:
        del self._entries[id(old)]
        for key, _ in _keys(old):
            self._index[key] = [pair for pair in self._index.get(key, ()) if pair[0] is not old]

    def save(self) -> None:
        """Write the file atomically, merged with what other programs recorded meanwhile. Raises OSError."""
        with contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):  # without a lock, a journal cannot be created either
                held.enter_context(self._journal.locked())
            try:
                now = Recordings(self._suite, self._files)
            except RecordingsError as error:
                raise OSError(f"{error}; the recorded replies are kept in {self._journal.path}") from None
            for row in self._unkept:
                now._again(row)
            try:
                write_entries(self.path, now.entries, self._suite.name)
            except OSError as error:
                left = f"the other recorded replies are kept in {self._journal.path}"
                raise OSError(f"{error}; {len(self._unkept)} of them are lost; {left}") from None
            self._journal.remove()
        self._unkept.clear()
        self.changed = False


def _entry(asked: JudgeInput, made: Provenance, **rest: Any) -> RecordedEntry:
    return RecordedEntry(
        judge=made.judge, made=made.day, case=made.case, evaluator=made.evaluator, prompt=asked.prompt, question=asked.question, goal=asked.goal,
        reference=asked.reference, more=asked.more, answer=asked.answer, **rest,
    )  # fmt: skip


def _keys(entry: RecordedEntry) -> Iterator[tuple[str, RecordedCriterion | None]]:
    asked = JudgeInput(entry.prompt, entry.question, entry.answer, entry.goal, entry.reference, entry.more)
    for each in entry.criteria:
        ranges = each.reply.score is not None
        yield (
            _key(
                asked,
                {
                    "criterion": each.criterion,
                    "operator": each.operator,
                    "bands": each.bands,
                    "ranges": ranges,
                },
            ),
            each,
        )
    if entry.reply is not None:
        yield _key(asked, None), None
