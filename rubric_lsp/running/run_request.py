"""A request to run cases."""

from rubric_core.lazy_compilation import dataclass

__all__ = ["CaseSelection", "RunRequest"]


@dataclass(frozen=True, slots=True)
class CaseSelection:
    """Cases of one suite."""

    uri: str
    #: Their ids; None for every case.
    names: tuple[str, ...] | None = None
    #: The only evaluator of the case that grades.
    evaluator: str = ""
    #: The ids of excluded cases.
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Cases of one or several suites, and how to run them."""

    wanted: tuple[CaseSelection, ...]
    #: Only cases that failed or were borderline in their last run.
    failed: bool = False
    #: Only cases without a verdict or with a failed grader in their last run; with `failed`, both.
    unscored: bool = False
    #: Only cases without an up-to-date pass.
    lacking: bool = False
    #: Only cases whose last result is outdated.
    outdated: bool = False
    #: How often each case is run, instead of the suite's own number.
    repeat: int | None = None
    #: Whether judges are called, and their replies recorded beside the suite.
    record: bool = False

    @property
    def by_results(self) -> bool:
        """Whether the selection of cases depends on results."""
        return self.failed or self.unscored or self.lacking or self.outdated

    @classmethod
    def of(cls, uri: str, name: str | None = None, **more: object) -> "RunRequest":
        """Every case of one suite, or one of them."""
        return cls((CaseSelection(uri, None if name is None else (name,)),), **more)  # type: ignore[arg-type]  # the fields
