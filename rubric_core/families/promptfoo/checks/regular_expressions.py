"""Regular expressions in promptfoo assertions that match nothing of what was meant."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language import text_assertions as text
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.fixes import write_value
from rubric_core.validation.rule import Finding, Fix, checks

#: A pattern in JavaScript's notation: with flags, or with characters that no path has.
_BETWEEN_SLASHES = pattern(
    r"/(?P<inner>(?:[^/\\]|\\.)+)/(?P<flags>i|g|gi|ig|m|s|im|is|gm|gim|u|iu|gu)\Z"
    r"|/(?P<plain>\^[^/]*|[^/]*\$|[^/]*(?:\\[bdsw]|\[[^\]/]{1,99}\]|[.\]})][*+]|\{\d|[A-Za-z]\|[A-Za-z])[^/]*)/\Z"
)
#: Two backslashes before the letter of a class.
_DOUBLED = pattern(r"(?<!\\)\\\\[dDwWsSbB](?![A-Za-z:])")
_INLINE_FLAGS = pattern(r"\(\?[a-zA-Z]+\)")
#: Characters with a special meaning in a regular expression.
_SPECIAL = pattern(r"[\\^$.|?*+()\[\]{}]")


@checks("promptfoo/pattern", "invalid-regex")
def patterns(shape: text.Regex) -> Iterator[Finding]:
    """A regular expression that JavaScript rejects, or that matches no usual output."""
    place, pattern = shape.places.get("value"), shape.value
    if (
        place is None
        or not isinstance(pattern, str)
        or "{{" in pattern
        or "{%" in pattern
        or pattern.startswith("file://")
    ):
        return
    # Most configurations have no pattern, and are checked without the parser of patterns.
    from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError  # noqa: PLC0415
    from rubric_core.js_regex.parse import parse  # noqa: PLC0415

    fails = "promptfoo fails the assertion, whatever the output is"
    if found := _INLINE_FLAGS.match(pattern):
        words = f"JavaScript does not support `{found[0]}` in a pattern; write out both cases, as in `[Yy]es`"
        yield Finding(place.value, words, consequence=fails)
        return
    if found := _BETWEEN_SLASHES.match(pattern):
        fixes = () if found["flags"] else write_value(place, quoted(found["plain"]))
        words = "the slashes are part of this pattern; a pattern is written without them"
        words += f", and has no flags like `{found['flags']}`" if found["flags"] else ""
        yield Finding(
            place.value, words, fixes=fixes, severity="warning", consequence="it matches only text with these slashes"
        )
        return
    yield from _doubled_backslashes(place)
    yield from _backspaces(place, pattern)
    try:
        parse(pattern, "")
    except InvalidPatternError as error:
        literal = quoted(_SPECIAL.sub(r"\\\g<0>", pattern))
        fixes = write_value(place, literal, f"match it literally: {literal}")
        yield Finding(place.value, f"this pattern is invalid: {error}", fixes=fixes, consequence=fails)
    except (UnsupportedPatternError, RecursionError):
        return


def _backspaces(place: FieldPlace, written: str) -> Iterator[Finding]:
    r"""`\b` in double quotes, which YAML reads as a backspace."""
    if "\b" in written and isinstance(place.node, Scalar) and place.node.style == "double":
        fixes = write_value(place, quoted(written.replace("\b", "\\b")))
        words = "`\\b` in double quotes is a backspace; write `\\\\b`, or single quotes"
        effect = "the pattern matches no output"
        yield Finding(place.value, words, fixes=fixes, severity="warning", consequence=effect)


def _doubled_backslashes(place: FieldPlace) -> Iterator[Finding]:
    r"""`\\d` outside of double quotes, which is a backslash and a letter."""
    node = place.node
    found = (
        _DOUBLED.search(node.text)
        if isinstance(node, Scalar) and node.style in ("single", "plain", "literal")
        else None
    )
    if found is not None and isinstance(node, Scalar):
        fixes: tuple[Fix, ...] = ()
        if node.style == "single" and not place.borrowed and "'" not in node.text:
            written = f"'{_DOUBLED.sub(lambda m: m[0][1:], node.text)}'"
            fixes = (Fix(f"write {written}", (Edit(node.span, written),), safe=False),)
        words = f"`{found[0]}` matches a backslash and `{found[0][2:]}`: only double quotes need two backslashes"
        yield Finding(place.value, words, fixes=fixes, severity="warning", consequence="it matches no usual output")
