"""What turns one text into another, line by line."""

from difflib import SequenceMatcher

from rubric_core.syntax.pieces import lines_of
from rubric_core.text import Edit, Span

__all__ = ["edits_between"]

#: Longer stretches are replaced as a whole: comparing them would take longer than reading them.
_MOST_LINES = 4_000


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits of whole lines that make `after` of `before`."""
    old, new = lines_of(before), lines_of(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    shared = min(len(old), len(new))
    head = next((n for n in range(shared) if old[n] != new[n]), shared)
    tail = next((n for n in range(shared - head) if old[-1 - n] != new[-1 - n]), shared - head)
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(middle_old) > _MOST_LINES:
        return (Edit(Span(starts[head], starts[len(old) - tail]), "".join(middle_new)),)
    codes = SequenceMatcher(None, middle_old, middle_new, autojunk=False).get_opcodes()
    return tuple(
        Edit(Span(starts[head + a], starts[head + b]), "".join(middle_new[c:d]))
        for tag, a, b, c, d in codes
        if tag != "equal"
    )
