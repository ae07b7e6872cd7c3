"""Words that several rules use: lists of names, ranges of scores, suggestions."""

from collections.abc import Sequence

from rubric_core.language.closest_name import closest
from rubric_core.syntax.template_syntax import UnmatchedStatement

__all__ = ["band_words", "closest", "count", "names", "number", "score_words", "subject", "unmatched_words"]


#: The maximum number of things that a message lists.
_MOST_NAMED = 50


def subject(name: str) -> str:
    """The subject of a message: a key, or an item of the list `name[]`."""
    if name == "[]":
        return "an item of the list"
    if name.endswith("[]"):
        return f"an item of `{name[:-2]}`"
    return f"`{name}`" if name else "this"


def names(words: Sequence[str], between: str = "and") -> str:
    """`a`, `b` and `c`, in backquotes."""
    more = len(words) - _MOST_NAMED
    quoted = [f"`{w}`" for w in (words[:_MOST_NAMED] if more > 1 else words)]
    if more > 1:
        quoted.append(f"{more} more")
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {between} {quoted[-1]}"


def unmatched_words(found: UnmatchedStatement) -> str:
    """The problem of a template statement without its counterpart."""
    if not found.word:
        return "this statement is not closed; write `%}` at its end"
    if found.is_end:
        return f"`{found.word}` has no matching start"
    return f"this statement is never closed; write `{{% {found.word} %}}` after its body"


def number(value: float) -> str:
    """A number without a needless point: 2, 0.6."""
    return f"{value:g}"


def band_words(low: int, high: int) -> str:
    """A band: 0–3, or 7 when it has one score."""
    return f"{low}–{high}"


def score_words(scores: Sequence[int]) -> str:
    """Scores in runs: "score 4", "scores 4–6 and 9"."""
    runs: list[list[int]] = []
    for score in scores:
        if runs and score == runs[-1][1] + 1:
            runs[-1][1] = score
        else:
            runs.append([score, score])
    parts = [str(a) if a == b else f"{a}–{b}" for a, b in runs]
    text = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"score {text}" if len(scores) == 1 else f"scores {text}"


def count(amount: int, noun: str) -> str:
    """1 error, 2 errors."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"
