"""invalid-regex: a pattern that no engine can read, or that matches everything."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Regex
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["INVALID_REGEX"]

_NAMED = re.compile(r"\(\?<(?![=!])")
_UNICODE = re.compile(r"\\u\{[0-9a-fA-F]+\}|\\p\{[^}]*\}|\\P\{[^}]*\}|\\k<\w+>|\\/|\\-|\\c[A-Z]")


@rule("invalid-regex", "error", "A pattern that cannot be read, or unknown flags")
def INVALID_REGEX(regex: Regex, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """JavaScript's syntax is what counts; where it differs from Python's the pattern is left alone."""
    if isinstance(regex.flags, str):
        wrong = sorted({f for f in regex.flags if f not in "dgimsuvy" or regex.flags.count(f) > 1})
        if wrong:
            yield Finding(
                regex.at("flags"),
                f"`{''.join(wrong)}` is no flag of a regular expression; there are i, m, s, u, g, y",
                consequence="agentv scores 0",
            )
    if not isinstance(regex.value, str) or "{{" in regex.value:
        return
    try:
        re.compile(_UNICODE.sub("x", _NAMED.sub("(?P<", regex.value)))
    except re.error as error:
        yield Finding(
            regex.at("value"),
            f"this pattern cannot be read: {error.msg}",
            consequence="agentv scores 0 when the case runs",
        )
        return
    except (OverflowError, RecursionError):
        return
    if regex.value in (".*", "^.*$", "", ".*?", "[\\s\\S]*") and regex.negate is not True:
        yield Finding(
            regex.at("value"), "this pattern matches every answer, so the check cannot fail", severity="warning"
        )
