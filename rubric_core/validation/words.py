"""Words that several rules use: lists of names, ranges of scores, suggestions."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = ["band_words", "closest", "count", "names", "number", "score_words"]


def names(words: Sequence[str]) -> str:
    """`a`, `b` and `c`, in backquotes."""
    quoted = [f"`{w}`" for w in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be."""
    known = list(known)
    folded = {k.replace("-", "").replace("_", "").lower(): k for k in known}
    same = folded.get(name.replace("-", "").replace("_", "").lower())
    if same is not None:
        return same
    found = get_close_matches(name, known, n=1, cutoff=0.72)
    if not found and len(name) >= 3:
        # Half-typed: one known name begins with it.
        begun = [k for k in known if k.startswith(name)]
        return begun[0] if len(begun) == 1 else None
    return found[0] if found else None


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
