"""Assertions about the text of an output."""

import math
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.evaluators.promptfoo.check import Check, Finding, Handler, found, js_text, row_error
from rubric_core.evaluation.evaluators.regex import matches_pattern
from rubric_core.evaluation.evaluators.typed import quoted_excerpt
from rubric_core.evaluation.model.comma_values import comma_values
from rubric_core.evaluation.model.promptfoo_assertion import NO_VALUE
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.javascript.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.language.promptfoo.javascript import number_of, value_text

__all__ = ["TEXTS", "levenshtein_distance"]

_EDITS = 5
#: Characters of two texts whose distance is computed, multiplied: about ten seconds.
_LONGEST_DISTANCE = 25_000_000


def _equals(check: Check) -> Finding:
    import json  # noqa: PLC0415  # for data alone

    value = check.value
    if isinstance(value, dict | list) or value is None:
        try:
            holds = _same(json.loads(check.text), value)
        except (ValueError, RecursionError):
            holds = False
        return found(check, holds, f"is not {json.dumps(value, ensure_ascii=False)}")
    return found(check, js_text(value) == check.text, f"does not equal {quoted_excerpt(js_text(value))}")


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same for JavaScript, to which 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _contains(check: Check, *, folded: bool = False) -> Finding:
    value = check.value
    usable = (isinstance(value, str) and value != "") or (_is_number(value) and not math.isnan(value))
    if not usable:
        raise row_error(check, "needs a text or a number as `value`")
    wanted = js_text(value)
    holds = wanted.lower() in check.text.lower() if folded else wanted in check.text
    return found(check, holds, f"does not contain {quoted_excerpt(wanted)}", f"contains {quoted_excerpt(wanted)}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _listed(check: Check, *, every: bool, folded: bool = False) -> Finding:
    texts = _texts(check)
    output = check.text.lower() if folded else check.text
    missing = [text for text in texts if (text.lower() if folded else text) not in output]
    holds = not missing if every else len(missing) < len(texts)
    if every:
        words = ", ".join(map(quoted_excerpt, missing))
        return found(check, holds, f"does not contain {words}", "contains all of them")
    return found(check, holds, f"contains none of {', '.join(map(quoted_excerpt, texts))}", "contains one of them")


def _texts(check: Check) -> list[str]:
    value = check.value
    if value is NO_VALUE or value is None or value is False or value in ("", 0):
        raise row_error(check, "needs a `value`")
    if isinstance(value, str):
        try:
            return comma_values(value)
        except ValueError as error:
            raise row_error(check, f"has {error} in `value`") from None
    if not isinstance(value, list):
        raise row_error(check, "needs a list, or a text with commas, as `value`")
    return [value_text(each) for each in value]


def _starts_with(check: Check) -> Finding:
    value = check.needed_text()
    return found(
        check,
        check.text.startswith(value),
        f"does not start with {quoted_excerpt(value)}",
        f"starts with {quoted_excerpt(value)}",
    )


async def _regex(check: Check) -> Finding:
    pattern = check.needed_text()
    try:
        holds = await matches_pattern(pattern, "", check.text, check.context.ports)
    except InvalidPatternError as error:
        return Finding(False, 0.0, f"/{pattern}/ is not a regular expression: {error}")
    except UnsupportedPatternError as error:
        raise Unscored(str(error)) from None
    return found(check, holds, f"does not match /{pattern}/", f"matches /{pattern}/")


def _levenshtein(check: Check) -> Finding:
    if not isinstance(check.value, str):
        raise row_error(check, "needs a text as `value`")
    if len(check.text) * len(check.value) > _LONGEST_DISTANCE:
        raise Unscored("the texts are too long to count the edits between them")
    most = check.config.threshold if check.config.threshold is not None else _EDITS
    edits = levenshtein_distance(check.text, check.value)
    return found(
        check,
        edits <= most,
        f"is {edits} edits away, more than {most:g}",
        f"is {edits} edits away, no more than {most:g}",
    )


def levenshtein_distance(one: str, other: str) -> int:
    """How many characters have to be put in, taken out or replaced; characters beyond the first 65,536 count twice, as in JavaScript."""
    first, second = (text.encode("utf-16-le", "surrogatepass") for text in (one, other))
    a, b = ([text[i : i + 2] for i in range(0, len(text), 2)] for text in (first, second))
    before = list(range(len(b) + 1))
    for row, left in enumerate(a, start=1):
        now = [row]
        for column, right in enumerate(b, start=1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (left != right)))
        before = now
    return before[-1]


def _word_count(check: Check) -> Finding:
    value, words = check.value, len(check.text.split())
    if isinstance(value, dict):
        low, high = (number_of(value[name]) if name in value else None for name in ("min", "max"))
        if low is None and high is None:
            raise row_error(check, "needs `min` or `max`")
        if low is not None and high is not None and not low <= high:
            raise row_error(check, f"has a `min` of {value['min']} above its `max` of {value['max']}")
        holds = (low is None or words >= low) and (high is None or words <= high)
        return found(check, holds, f"has {words} words, not {_range(value)}")
    wanted = _counted(value)
    if wanted is None:
        raise row_error(check, "needs a number, or `min` and `max`, as `value`")
    return found(check, words == wanted, f"has {words} words, not {wanted:g}")


def _range(value: Mapping[str, Any]) -> str:
    return " and ".join(
        f"{word} {value[name]}" for name, word in (("min", "at least"), ("max", "at most")) if name in value
    )


def _counted(value: object) -> float | None:
    if _is_number(value):
        return float(value)  # type: ignore[arg-type]  # it is a number
    try:
        return float(value) if isinstance(value, str) and value.strip() else None
    except ValueError:
        return None


TEXTS: Mapping[str, Handler] = {
    "equals": _equals, "contains": _contains, "icontains": lambda check: _contains(check, folded=True),
    "contains-any": lambda check: _listed(check, every=False), "contains-all": lambda check: _listed(check, every=True),
    "icontains-any": lambda check: _listed(check, every=False, folded=True),
    "icontains-all": lambda check: _listed(check, every=True, folded=True),
    "starts-with": _starts_with, "regex": _regex, "levenshtein": _levenshtein, "word-count": _word_count,
}  # fmt: skip
