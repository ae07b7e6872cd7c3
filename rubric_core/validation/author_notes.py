"""Keys by which authors take notes: where the engine ignores them, nothing is wrong."""

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.model import Case
from rubric_core.loading.issues import RenamedKey, UnknownKey
from rubric_core.validation.rule import Context

__all__ = ["is_author_note"]

_NOTES = frozenset({"description", "tags"})


def is_author_note(issue: UnknownKey | RenamedKey, context: Context) -> bool:
    """Whether a key is a note that the engine ignores, and nothing was meant by it."""
    if isinstance(issue, RenamedKey):
        ignored = issue.spelling.fate is SpellingStatus.TOLERATED
        return issue.spelling.name in _NOTES and isinstance(issue.owner, Case) and ignored
    if issue.name not in _NOTES or issue.meant is not None or issue.inside or issue.needed:
        return False
    if context.dialect.properties.strict_keys and issue.shape.strict:
        return False
    return issue.shape.takes_notes(issue.node)
