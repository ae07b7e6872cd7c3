"""A request to run cases."""

from rubric_core.lazy_compilation import dataclass

__all__ = ["CaseSelection", "RunRequest"]


@dataclass(frozen=True, slots=True)
class CaseSelection:
    """Cases of one suite."""

    uri: str
    #: Their ids; every case without.
    names: tuple[str, ...] | None = None
    #: The one evaluator of the case that is to grade.
    evaluator: str = ""
    #: Ids of cases that are left out.
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Cases of one or several suites, and how to run them."""

    wanted: tuple[CaseSelection, ...]
    #: Only those that failed, or were borderline, when they ran last.
    failed: bool = False
    #: Only those that had no verdict when they ran last, or whose grader failed; with `failed`, both.
    unscored: bool = False
    #: Only those that have not passed as they stand now: others need no new run.
    lacking: bool = False
    #: Only those whose last result is outdated.
    outdated: bool = False
    #: How often each is run, in place of what the suite says.
    repeat: int | None = None
    #: Whether judges are asked and what they say is kept beside the suite.
    record: bool = False

    @property
    def by_results(self) -> bool:
        """Whether it depends on results which cases are run."""
        return self.failed or self.unscored or self.lacking or self.outdated

    @classmethod
    def of(cls, uri: str, name: str | None = None, **more: object) -> "RunRequest":
        """Every case of one suite, or one of them."""
        return cls((CaseSelection(uri, None if name is None else (name,)),), **more)  # type: ignore[arg-type]  # the fields
