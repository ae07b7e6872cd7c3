"""The options of a run, which override the suite's settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from rubric_core.evaluation.model.arguments import fraction, one_of, positive, whole
from rubric_core.evaluation.model.evaluator import Evaluator, require_evaluators
from rubric_core.evaluation.model.recording import RecordingMode
from rubric_core.evaluation.targets.answer_cache import AnswerCache
from rubric_core.evaluation.targets.rate_limits import RateLimits
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.program_lookup import process_environment

__all__ = ["KeepWorkspaces", "Options"]

KeepWorkspaces: TypeAlias = Literal["never", "failed", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the user, which override the suite. Raises TypeError or ValueError for an invalid value."""

    target: str | None = None
    #: Several targets that all answer each case, in place of those of the suite.
    targets: tuple[str, ...] = ()
    grader_target: str | None = None
    #: 0..1, in place of every threshold of the suite.
    threshold: float | None = None
    #: A target file in place of the discovered one.
    targets_file: Path | str | None = None
    mode: RecordingMode = "auto"
    #: How often each case is run, overriding the suite.
    repeat: int | None = None
    #: The number of the only evaluator that grades, from 1.
    evaluator: int | None = None
    #: The time limit of a grading program, in seconds.
    time_limit: float = 60.0
    #: Which workspaces are kept after the run: none, those of cases that did not pass, or all.
    keep_workspaces: KeepWorkspaces = "never"
    #: Whether a case may pass although one of its evaluators could not run or crashed; the others decide then.
    allow_grader_errors: bool = False
    #: Custom evaluators, by kind.
    evaluators: Mapping[str, Evaluator] = field(default_factory=dict)
    #: The rate limits of the targets; runs with the same options share them.
    rate_limits: RateLimits = field(default_factory=RateLimits, repr=False, compare=False)
    #: The cache of answers of targets; None calls the target for each.
    answer_cache: AnswerCache | None = field(default=None, repr=False, compare=False)
    #: The directory whose `.env` counts, for families that read it; None: that of the file.
    working_directory: Path | None = None
    #: The environment variables of which some decide how a file is read.
    environment: Mapping[str, str] = field(default_factory=process_environment, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_evaluators(self.evaluators)
        one_of("mode", self.mode, get_args(RecordingMode))
        one_of("keep_workspaces", self.keep_workspaces, get_args(KeepWorkspaces))
        positive("time_limit", self.time_limit, "seconds")
        if self.threshold is not None:
            fraction("threshold", self.threshold)
        for name in ("repeat", "evaluator"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name))
