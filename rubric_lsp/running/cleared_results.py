"""Results that the user has cleared, and the order of results in time."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from rubric_core.lazy_compilation import dataclass

if TYPE_CHECKING:
    from rubric_core.evaluation.results.known_case import ResultSummary

__all__ = ["ClearedResults", "is_newer"]


@dataclass(frozen=True, slots=True)
class ClearedResults:
    """When the user last cleared the results of a suite, and the results that were shown until then."""

    at: datetime
    seen: "Mapping[str, ResultSummary]"

    def hides(self, name: str, stored: "ResultSummary") -> bool:
        """Whether a stored result was cleared.

        Times have a resolution of a second: within it, one that was not shown is new.
        """
        if name in self.seen and not is_newer(stored, self.seen[name]):
            return True
        try:
            return datetime.fromisoformat(stored.at) < self.at
        except (ValueError, TypeError):  # edited by hand, or by another version
            return False


def is_newer(stored: "ResultSummary", known: "ResultSummary") -> bool:
    """Whether a stored result is later than the known one; times have a resolution of a second."""
    try:
        stored_at, known_at = datetime.fromisoformat(stored.at), datetime.fromisoformat(known.at)
        if stored_at != known_at:
            return stored_at > known_at
    except (ValueError, TypeError):  # edited by hand, or by another version
        return stored.at > known.at
    return (stored.duration_ms, stored.score) != (known.duration_ms, known.score)
