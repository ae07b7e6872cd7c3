"""A run as a page that needs no network: that of `rubric report`, without the runs before it."""

from collections.abc import Iterator
from datetime import datetime, timezone

from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.report_page.write_report import report_pieces

__all__ = ["html_page"]


def html_page(run: ExportedRun) -> Iterator[str]:
    """The page, piece by piece. It always has the prompts that were sent."""
    return report_pieces(run.record, run.cases, now=datetime.now(tz=timezone.utc))
