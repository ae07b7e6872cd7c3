"""Texts and regular expressions that outputs are compared with, and that are not what they seem to be."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.values import is_date, rewritten_number
from rubric_core.families.promptfoo.language import text_assertions as texts
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import write_value
from rubric_core.validation.rule import Context, Finding, Fix, checks

#: Assertions that compare the output, or look for a text in it.
_COMPARED = (
    texts.Equals, texts.Contains, texts.IContains, texts.StartsWith, texts.ContainsAny, texts.ContainsAll, texts.IContainsAny, texts.IContainsAll,
)  # fmt: skip
_FAILS, _PASSES = "the assertion fails on every output without it", "the assertion passes on every output without it"
#: A text between typographic quotes that has no others.
_CURLY = pattern(r"[“„«‹‘]([^“„«‹‘”»›’\n]{1,500})[”“»›’‘]\Z")
#: The sign of a block, without what says how it ends.
_BLOCK = pattern(r"[|>]\d?(?=[ \t]*(?:#|[\r\n]))")
#: The letters of a line break or tab at the end of a text, or before the next line, of a text without any other backslash and quote.
_ESCAPE = pattern(r"\\[nt](?=\Z|\\[nt]|[A-Z0-9*#-])")
_ESCAPED = pattern(r"(?:[^\\\"'`{}]|\\[nt]){1,500}\Z")
#: A word behind `#` that ends the line, which is hardly a comment.
_TAG = pattern(r"[ \t]{1,9}#([A-Za-z][\w-]{0,60})[ \t]{0,9}(?=\r?\n|\Z)")
#: What patterns have and texts do not.
_PATTERN = pattern(
    r"\A\^[A-Za-z(\[]|\.\*|\\[bdws](?![A-Za-z])|\A/[^/\n]{1,200}/[gimsuy]{0,4}\Z|[A-Za-z]\$\Z|\A\(?[A-Za-z ]{2,30}(?:\|[A-Za-z ]{2,30}){1,9}\)?\Z"
)
_COMMENT = pattern(r"[ \t]{0,99}#")
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


@checks("promptfoo/compared-text", "invalid-value", "warning")
def compared_texts(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A value to compare with that is not the text it seems to be: a line break or quotes in it, a date, a comment."""
    place = shape.places.get("value")
    if not isinstance(shape, (*_COMPARED, texts.Regex)) or place is None or place.borrowed:
        return
    yield from _cut(place.node, context)
    if not isinstance(shape, texts.Regex) and isinstance(place.node, Scalar):
        yield from _as_pattern(place.node)
    effect = _PASSES if shape.type_name.startswith("not-") else _FAILS
    for node in place.node.items if isinstance(place.node, Sequence) else [place.node]:
        if isinstance(node, Scalar) and not node.text.startswith("file://"):
            yield from _ending(node, context, effect)
            yield from (*_quotes(node, effect), *_escapes(node)) if not isinstance(shape, texts.Regex) else ()
    if isinstance(shape, texts.Equals):
        yield from _no_text(place.node, context)
    if not isinstance(shape, texts.Regex):
        for node in place.node.items if isinstance(place.node, Sequence) else [place.node]:
            yield from rewritten_number(node, "compares with") if isinstance(node, Scalar) else ()


def _as_pattern(node: Scalar) -> Iterator[Finding]:
    """A regular expression in the place of a text."""
    if not isinstance(node.value, str) or node.is_block or "{{" in node.text or node.text.startswith("file://"):
        return
    if _PATTERN.search(node.text):
        words = "this looks like a regular expression, and is compared as a text; a pattern stands in `regex`"
        yield Finding(node.span, words, severity="hint")


def _cut(node: Node, context: Context) -> Iterator[Finding]:
    """A word with `#` behind a text, which is a comment."""
    for each in node.items if isinstance(node, Sequence) else [node]:
        if isinstance(each, Scalar) and each.style == "plain" and isinstance(each.value, str) and each.text:
            found = _TAG.match(context.text, each.span.end)
            if found is not None:
                words = f"`#{found[1]}` begins a comment, and is no part of the text; put the text in quotes"
                yield Finding(Span(found.start(1) - 1, found.end(1)), words, severity="hint")


def _ending(node: Scalar, context: Context, effect: str) -> Iterator[Finding]:
    """A block that ends in a line break, as blocks do unless they say otherwise."""
    sign = _BLOCK.match(context.text, node.span.start) if node.is_block and node.text.endswith("\n") else None
    if sign is not None and node.text.strip():
        at = Span(*sign.span())
        written = f"{sign[0]}-"
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
        words = f"this text ends in a line break, which counts; write `{written}`"
        yield Finding(at, words, fixes=fixes, severity="warning", consequence=effect)


def _quotes(node: Scalar, effect: str) -> Iterator[Finding]:
    """Typographic quotes around a whole text, which is written without any other."""
    found = _CURLY.match(node.text) if node.style == "plain" else None
    if found is not None:
        written = quoted(found[1])
        fixes = (Fix(f"write {written}", (Edit(node.span, written),), safe=False),)
        words = "these quotes are a part of the text; YAML has straight ones"
        yield Finding(node.span, words, fixes=fixes, severity="warning", consequence=effect)


def _escapes(node: Scalar) -> Iterator[Finding]:
    r"""`\n` where YAML reads a backslash and a letter."""
    found = _ESCAPE.search(node.text) if "\\" in node.text and not node.is_block else None
    if found is not None and _ESCAPED.match(node.text):
        written = f'"{node.text}"'
        fixes = (Fix(f"write {written}", (Edit(node.span, written),), safe=False),)
        name = "line break" if found[0] == "\\n" else "tab"
        words = f"this is a backslash and `{found[0][1]}`; a {name} is `{found[0]}` in double quotes"
        yield Finding(node.span, words, fixes=fixes, severity="hint", consequence="a usual output does not have it")


def _no_text(node: Node, context: Context) -> Iterator[Finding]:
    """A date without quotes, and a text that a comment swallows."""
    if not isinstance(node, Scalar) or node.style != "plain":
        return
    if is_date(node):
        fixes = (Fix(f"write {quoted(node.text)}", (Edit(node.span, quoted(node.text)),)),)
        words = "promptfoo reads this as a date; write it in quotes"
        yield Finding(node.span, words, fixes=fixes, severity="warning", consequence="it equals no output")
    elif node.empty and _COMMENT.match(context.text, node.span.end):
        words = "`#` begins a comment: put the text in quotes"
        yield Finding(node.span, words, severity="warning", consequence="promptfoo compares the output with `null`")


@checks("promptfoo/pattern", "invalid-regex")
def patterns(shape: texts.Regex) -> Iterator[Finding]:
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
