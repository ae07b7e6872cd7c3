"""invalid-regex: a pattern that no engine can read, or that matches everything."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Regex
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import add_entry, quoted
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["INVALID_REGEX"]

_INLINE_FLAGS = pattern(r"\(\?([aiLmsux]+)\)")


#: What means something in a pattern.
_SPECIAL = pattern(r"[\\^$.|?*+()\[\]{}]")


@rule("invalid-regex", "error", "An invalid pattern, or unknown flags")
def INVALID_REGEX(regex: Regex, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """JavaScript's syntax is what counts."""
    if isinstance(regex.flags, str):
        wrong = sorted({f for f in regex.flags if f not in "dgimsuvy" or regex.flags.count(f) > 1})
        if wrong:
            yield Finding(
                regex.at("flags"),
                f"`{''.join(wrong)}` is not a flag of a regular expression; the flags are i, m, s, u, g, y",
                fixes=_flags(regex, context),
                consequence="agentv scores 0",
            )
    if not isinstance(regex.value, str) or "{{" in regex.value:
        return
    if found := _INLINE_FLAGS.match(regex.value):
        yield _inline_flags(regex, found, context)
        return
    # Most suites have no pattern, and are checked without the parser of patterns.
    from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError  # noqa: PLC0415
    from rubric_core.js_regex.parse import parse  # noqa: PLC0415

    flags = regex.flags if isinstance(regex.flags, str) else ""
    try:
        parse(regex.value, "".join(f for f in dict.fromkeys(flags) if f in "dgimsuvy").replace("uv", "v"))
    except InvalidPatternError as error:
        yield Finding(
            regex.at("value"),
            f"this pattern is invalid: {error}",
            fixes=_replace_pattern(regex, "match it literally", _SPECIAL.sub(r"\\\g<0>", regex.value)),
            consequence="agentv scores 0 when the case runs",
        )
        return
    except (UnsupportedPatternError, RecursionError):
        return
    if regex.value in (".*", "^.*$", "", ".*?", "[\\s\\S]*") and regex.negate is not True:
        yield Finding(
            regex.at("value"),
            "this pattern matches every answer, so the check cannot fail",
            fixes=_replace_pattern(regex, "require an answer that is not blank", "\\S"),
            severity="warning",
        )


def _flags(regex: Regex, context: Context) -> tuple[Fix, ...]:
    """The flags that there are, once each."""
    place = regex.places["flags"]
    known = "".join(dict.fromkeys(f for f in regex.flags or "" if f in "dgimsuvy"))
    if place.borrowed:
        return ()
    return (
        (Fix(f"write {known}", (Edit(place.value, known),), safe=False),)
        if known
        else remove_key_fix(regex.node, place.name, context)
    )


def _replace_pattern(regex: Regex, title: str, pattern: str) -> tuple[Fix, ...]:
    place = regex.places["value"]
    if place.borrowed or not isinstance(place.node, Scalar) or place.node.is_block:
        return ()
    quoted = "'" + pattern.replace("'", "''") + "'"
    return (Fix(f"{title}: {quoted}", (Edit(place.node.span, quoted),), safe=False),)


def _inline_flags(regex: Regex, found: "re.Match[str]", context: Context) -> Finding:
    """`(?i)` of other languages; JavaScript has its flags beside the pattern."""
    flags = "".join(f for f in found[1] if f in "ims")
    node, place = regex.node, regex.places["value"]
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, Mapping) and isinstance(place.node, Scalar) and not regex.has("flags") and not place.borrowed:
        at = context.text.find(found[0], place.node.span.start, place.node.span.end)
        added = add_entry(context.text, node, "flags", flags if flags.isalpha() else quoted(flags))
        if at >= 0 and added is not None and flags:
            fixes = (Fix(f"write `flags: {flags}`", (Edit(Span(at, at + len(found[0])), ""), added)),)
    return Finding(
        regex.at("value"),
        f"JavaScript does not support `{found[0]}` in a pattern; write `flags: {flags or 'i'}` beside it",
        fixes=fixes,
        consequence="agentv scores 0 when the case runs",
    )
