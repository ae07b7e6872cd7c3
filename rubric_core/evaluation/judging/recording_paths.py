"""The path of a suite's recordings."""

from pathlib import Path

from rubric_core.evaluation.results.journal import Journal
from rubric_core.evaluation.results.json_results import json_path

__all__ = ["recordings_journal", "recordings_path"]


_ENDINGS = (".eval.yaml", ".eval.yml", ".yaml", ".yml", ".jsonl")


def recordings_path(suite: Path) -> Path:
    """The path of the recordings of a suite: `x.recordings.yaml` for `x.eval.yaml`."""
    ending = next((each for each in _ENDINGS if suite.name.lower().endswith(each)), "")
    return suite.with_name(f"{suite.name[: len(suite.name) - len(ending)]}.recordings.yaml")


def recordings_journal(suite: Path) -> Journal:
    """The journal of recordings that are not in the file yet, of a run that is in progress or was killed."""
    beside = json_path(suite)
    return Journal(beside.with_suffix(".recordings.jsonl"), beside.with_suffix(".recordings.lock"))
