"""outside-file: a file outside of the repository that a run reads."""

from collections.abc import Iterator

from rubric_core.loading.outside_files import OutsideFile
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["OUTSIDE_FILE"]


@rule("outside-file", "warning", "A file outside the repository that a run reads")
def OUTSIDE_FILE(issue: OutsideFile, _: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Links are followed: a file of the repository can be another one."""
    yield Finding(
        issue.span,
        f"`{issue.name}` is outside this repository",
        consequence="a run sends it to the target or judge; on another machine it may be missing or different",
    )
