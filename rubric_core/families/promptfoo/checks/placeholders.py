"""Placeholders that stay in the text: those of other templates, and braces that are single, apart, unclosed or too many."""

import re
from collections.abc import Callable, Iterable, Iterator

from rubric_core.families.promptfoo.checks.templates import has_raw_part, names_in
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt
from rubric_core.families.promptfoo.language.graded_assertions import JavaScriptCode, PythonCode, RubyCode
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, Severity, checks

__all__ = [
    "COMMENT_BEGIN",
    "LEFT_OPEN",
    "SENT_AS_IS",
    "SIGNS",
    "STAYS_IN_TEXT",
    "foreign_placeholders",
    "half_written",
    "member_of_variables",
    "request_placeholders",
    "single_braces",
    "unclosed_comment_words",
]

#: The effect of a comment without an end.
STAYS_IN_TEXT = "it stays in the text"
LEFT_OPEN = "promptfoo fills in nothing after it"
#: What becomes of a placeholder that is none.
SENT_AS_IS = "it is sent as it is"
_EXTRA = pattern(r"\{\{[ \t]{0,9}[A-Za-z_][\w.]{0,80}[ \t]{0,9}\}\}\}(?!\})")
#: `{name}` of other templates, and `{{ name` without its end.
_SINGLE = pattern(r"(?<![{\w$\\%#\"'\]:])(?<!\{ )\{([A-Za-z_]\w*)\}(?![}\w])")
_WHOLE = pattern(r"\{([A-Za-z_]\w{0,60})\}")
#: `${name}` of JavaScript or a shell alone, and `${prompt}` anywhere; names in capitals are those of the environment.
_SHELL = pattern(r"\$\{[ ]{0,3}(?![A-Z])([A-Za-z_]\w{0,60})[ ]{0,3}\}")
_SHELL_PROMPT = pattern(r"\$\{[ ]{0,3}(prompt)[ ]{0,3}\}")
_OPEN = pattern(
    r"\{\{-?[ \t]*([A-Za-z_]\w*)[ \t]{0,9}(?:\|[ \t]{0,9}\w{1,40}[ \t]{0,9})?(?=$|[.,;:!?'\")\]]{0,2}[ \t]{0,9}\Z)",
    re.MULTILINE,
)
#: `{name}}`: a brace is missing at the start.
_HALF = pattern(
    r"(?:(?<![{\w$\\%#\"'\]:])|(?<= \")(?=\{[\w. \t]{1,62}\}\}\"))\{([ \t]?[A-Za-z_][\w.]{0,60}(?:[ \t]\|[ \t]\w{1,40})?[ \t]?)\}\}(?!\})"
)
_OPENED = pattern(r"(?<!\{)\{#")
#: What begins a comment, as far as it looks like the anchor of a heading.
COMMENT_BEGIN = pattern(r"\{#[\w.:-]{0,60}\}?")
#: `{ {name} }` and `{ {name}}`: there are blanks between the braces. Behind a word it may be a command of LaTeX.
_APART = pattern(r"(?<![\w}\\])\{[ \t]{1,3}\{[ \t]{0,3}([A-Za-z_][\w.]{0,60})[ \t]{0,3}\}[ \t]{0,3}\}")
#: A prompt that begins with a placeholder.
_BRACES = pattern(r"\s{0,20}\{(?:\{|[ \t]{1,3}\{|[A-Za-z_]\w{0,60}\})")
#: One of these is in every text with such a placeholder.
SIGNS = pattern(r"(?<!\{)\{(?!\{)|[$%#]|\(\(|\[\[|<[<%]|\w ?\}\}")
_FOREIGN = pattern(
    r"\$\{(?P<braces>[A-Za-z_]\w{0,60})\}|%\((?P<percent>[A-Za-z_]\w{0,60})\)[sdfr]|\[\[ ?(?P<brackets>[A-Za-z_]\w{0,60}) ?\]\]"
    r"|\#\{(?P<hash>[A-Za-z_]\w{0,60})\}|<%=? ?(?P<tag>[A-Za-z_]\w{0,60}) ?%>|<<(?P<angles>[A-Za-z_]\w{0,60})>>"
    r"|(?<![%\w])%(?P<sign>[A-Za-z_]\w{1,60})%(?![%\w])|\(\((?P<rounds>[A-Za-z_]\w{1,60})\)\)"
)
#: `{name}` is text in most files, and `$name` in code.
_SINGLE_NAME = pattern(
    r"(?<![{\w$\\%#\"'\]:])\{([A-Za-z_]\w{0,60})\}(?![}\w])|(?<=[^:,\[{ ][ ]\")\{(?P<quoted>[A-Za-z_]\w{0,60})\}(?=\")|(?<=[A-Za-z]:[ ]\")\{(?P<told>[A-Za-z_]\w{0,60})\}(?=\")"
)
_WITH_BRACES = pattern(r"(?<![{\w$\\%#])\$?\{([A-Za-z_]\w{0,60})\}(?![}\w])")
_DOLLAR = pattern(r"(?<![\w$\\{])\$([A-Za-z_]\w{2,60})(?![\w$({\[])")
#: `<name>`, which is a tag if it is closed somewhere, or one of those that need no end.
_TAG = pattern(r"(?<!<)<([A-Za-z_]\w{1,60})>(?!>)")
_WITHOUT_END = frozenset({"br", "hr", "li", "img", "p", "td", "tr"})
#: `name}}`, whose beginning is lost; a brace before it may belong to JSON or to a longer placeholder.
_HALF_OPEN = pattern(r"(?<![\w{}.|$#%\[(:\"'-])(?<!\{ )([A-Za-z_]\w{0,60})[ ]?\}\}(?!\})")
#: `{{ $name }}`, where Nunjucks finds no variable.
_IN_BRACES = pattern(r"\{\{-?[ \t]{0,9}\$([A-Za-z_]\w{0,60})")
#: `{{ "name" }}`, which is the word itself.
_QUOTED = pattern(r"\{\{-?[ \t]{0,9}(?P<quote>\\?[\"'])(?P<name>[A-Za-z_]\w{0,60})(?P=quote)[ \t]{0,9}-?\}\}")
#: Where other tools have the variables.
_MEMBER = pattern(r"(?:(?:context|test)\.)?(?:vars|variables|inputs)\.([A-Za-z_]\w{0,60})(?![\w(])")
_RAW = pattern(r"\{%-?\s{0,9}(?:raw|verbatim)\b")


@checks("promptfoo/unrendered-value", "unrendered-template", "warning")
def unrendered_values(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A template in a mapping under `value`, which promptfoo does not render."""
    place = shape.places.get("value")
    if place is None or place.borrowed or not isinstance(place.node, Mapping) or not context.templated:
        return
    for node in walk(place.node):
        if isinstance(node, Scalar) and (used := names_in(node.text)) and used[0].name != "env":
            yield Finding(
                node.span, f"`{{{{ {used[0].name} }}}}` is not filled in: this is inside a mapping",
                consequence="promptfoo renders texts and lists of texts under `value`, but no mappings",
            )  # fmt: skip


@checks("promptfoo/literal-placeholder", "unrendered-template", "warning")
def literal_placeholders(shape: Configuration | ConfiguredPrompt, context: Context) -> Iterator[Finding]:
    """`{name}` and `{{ name` in prompts, which promptfoo leaves unrendered."""
    place = shape.places.get("prompts" if isinstance(shape, Configuration) else "raw")
    if place is None or place.borrowed:
        return
    nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
    for node in nodes:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            yield from _comment(node, context)
        if isinstance(node, Scalar) and isinstance(node.value, str) and not _is_code(node.text):
            # Beside placeholders, other braces are a text for the model, but for variables of the cases.
            yield from _single(node, context) if "{{" not in node.text else ()
            yield from _apart(node, context)
            yield from _half(node, context)
            yield from _extra(node, context)
            yield from _open(node, context)


def half_written(node: Scalar, context: Context, *, is_rendered: bool) -> Iterator[Finding]:
    """`{name}}`, `{ {name} }` and `{{ name` in a text of a file, where single braces may be meant.

    Where it is always rendered, a comment without an end and `{{ name` are errors, which are reported as such.
    """
    yield from _comment(node, context) if not is_rendered else ()
    if not _is_code(node.text):
        yield from _apart(node, context)
        yield from _half(node, context)
        yield from _extra(node, context)
        yield from _open(node, context) if not is_rendered else ()


def request_placeholders(texts: Iterable[Scalar], context: Context) -> Iterator[Finding]:
    """Texts of a request that consist of `{name}` or `{name}}` only, which may be intended inside of longer ones; `{ {name}}` anywhere.

    The same for `${name}`, which may be intended in longer texts unless it is the prompt.
    """
    for node in texts:
        if "${" in node.text and not node.is_block:
            yield from _of_shell(node, context)
        if _WHOLE.fullmatch(node.text):
            yield from _single(node, context)
        elif _HALF.fullmatch(node.text):
            yield from _half(node, context)
        elif "{" in node.text and not _is_code(node.text):
            yield from _apart(node, context)


def _of_shell(node: Scalar, context: Context) -> Iterator[Finding]:
    signs = _SHELL if _SHELL.fullmatch(node.text.strip()) else _SHELL_PROMPT
    for found in signs.finditer(context.text, *node.span):
        written, at = f"{{{{{found[1]}}}}}", Span(*found.span())
        # Without quotes around the text, the braces of YAML would begin a mapping.
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),) if node.is_quoted else ()
        yield Finding(at, f"`{found[0]}` is no placeholder; write `{written}`", fixes=fixes, consequence=SENT_AS_IS)


@checks("promptfoo/literal-placeholder", "unrendered-template", "warning")
def half_placeholders(shape: PromptfooCase | Assertion, context: Context) -> Iterator[Finding]:
    """`{name}}` in variables and in values of assertions, and `{{ name` in variables."""
    place = shape.places.get("value" if isinstance(shape, Assertion) else "vars")
    if place is None or place.borrowed or isinstance(shape, JavaScriptCode | PythonCode | RubyCode):
        return
    node = place.node
    nodes: list[Node] = node.items if isinstance(node, Sequence) else [node]
    if isinstance(node, Mapping):
        nodes = [entry.value for entry in node.entries] if isinstance(shape, PromptfooCase) else []
    for each in nodes:
        if isinstance(each, Scalar) and isinstance(each.value, str) and "{" in each.text and not _is_code(each.text):
            yield from _apart(each, context)
            yield from _half(each, context)
            if isinstance(shape, PromptfooCase):
                yield from _open(each, context)


def _is_code(text: str) -> bool:
    """Whether braces may be those of JSON or of code."""
    if has_raw_part(text) or "```" in text or text.startswith(("file://", "exec:")):
        return True
    return text.lstrip().startswith(("{", "[")) and _BRACES.match(text) is None


def _single(node: Scalar, context: Context) -> Iterator[Finding]:
    # The character before a placeholder distinguishes it from JSON; a placeholder alone is not one.
    # A quote before it is one of JSON, but for the one around the text.
    start = node.span.start + node.is_quoted
    inner = context.text[start : node.span.end - node.is_quoted]
    whole = _WHOLE.fullmatch(inner)
    for found in (whole,) if whole is not None else _SINGLE.finditer(inner):
        written, at = f"{{{{{found[1]}}}}}", Span(start + found.start(), start + found.end())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
        yield Finding(at, f"`{found[0]}` is no placeholder; write `{written}`", fixes=fixes, consequence=SENT_AS_IS)


def _extra(node: Scalar, context: Context) -> Iterator[Finding]:
    """`{{name}}}` with a brace that closes nothing."""
    start, end = node.span.start + node.is_quoted, node.span.end - node.is_quoted
    for found in _EXTRA.finditer(context.text, start, end) if "}}}" in node.text else ():
        before = context.text[start : found.start()]
        if before.count("{") == before.count("}"):
            at = Span(found.end() - 1, found.end())
            fixes = (Fix("remove it", (Edit(at, ""),), safe=False),)
            yield Finding(at, "this brace closes nothing", fixes=fixes, severity="warning", consequence=STAYS_IN_TEXT)


def _comment(node: Scalar, context: Context) -> Iterator[Finding]:
    """`{#name}`, as in a heading of Markdown, which begins a comment that never ends: nothing of the text is filled in."""
    if "{#" not in node.text or has_raw_part(node.text):
        return
    start, end = node.span.start, node.span.end
    opened = next((at for at in _comments(context.text, start, end) if context.text.find("#}", at + 2, end) < 0), -1)
    if opened >= 0 and any(context.text.find(sign, start, end) >= 0 for sign in ("{{", "{%")):
        found = COMMENT_BEGIN.match(context.text, opened, end)
        at = Span(opened, found.end() if found is not None else opened + 2)
        words = unclosed_comment_words(context.written(at))
        yield Finding(at, words, consequence=LEFT_OPEN)


def unclosed_comment_words(begin: str) -> str:
    """The message for a comment without an end."""
    return f"`{begin}` begins a comment that has no end; write `{{% raw %}}` around it, or leave it out"


def _comments(text: str, start: int, end: int) -> Iterator[int]:
    """The offsets of comments; `{{#each` begins none."""
    found = _OPENED.search(text, start, end)
    while found is not None:
        yield found.start()
        closed = text.find("#}", found.end(), end)
        found = _OPENED.search(text, closed + 2, end) if closed >= 0 else None


def _half(node: Scalar, context: Context) -> Iterator[Finding]:
    # Without the quotes around the text: a quote before a brace is one of JSON.
    start = node.span.start + node.is_quoted
    for found in _HALF.finditer(context.text[start : node.span.end - node.is_quoted]):
        written = f"{{{{{found[1]}}}}}"
        at = Span(start + found.start(), start + found.end())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),)),)
        words = f"`{found[0]}` is no placeholder; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence=SENT_AS_IS)


def _apart(node: Scalar, context: Context) -> Iterator[Finding]:
    for found in _APART.finditer(context.text, node.span.start, node.span.end):
        written, at = f"{{{{ {found[1]} }}}}", Span(*found.span())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),)),)
        words = f"`{found[0]}` is no placeholder; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence=SENT_AS_IS)


def _open(node: Scalar, context: Context) -> Iterator[Finding]:
    end = node.span.end - node.is_quoted
    for found in _OPEN.finditer(context.text, node.span.start, end):
        written = f"{found[0].rstrip()}}}}}"
        at = found.start() + len(found[0].rstrip())
        fixes = (Fix(f"write `{written}`", (Edit(Span(at, at), "}}"),), safe=False),)
        yield Finding(
            Span(found.start(), at),
            f"`{found[0].rstrip()}` is not closed; write `{written}`",
            fixes=fixes,
            consequence=SENT_AS_IS,
        )


def foreign_placeholders(
    text: str,
    span: Span,
    known: frozenset[str],
    outer: Callable[[Span], Span],
    *,
    in_file: bool,
    asserted: frozenset[str] = frozenset(),
) -> Iterator[Finding]:
    """Placeholders for variables that the prompt uses in no other way.

    Args:
        text: The text that contains the prompt.
        span: The place of the prompt in it.
        known: The variables of the cases.
        outer: Maps spans of the text to spans of the findings.
        in_file: Whether `{name}` is reported here; between quotes it always is.
        asserted: The variables of assertions: `<name>`, and `{name}` beside placeholders, may show the form of an answer.
    """
    prompt = text[slice(*span)]
    if not known or _RAW.search(prompt):
        return
    used = {each.name for each in names_in(prompt)}
    in_braces = tuple(_IN_BRACES.finditer(text, *span))
    begun = {found.start(1) - 1 for found in in_braces}
    for at, name, is_form in _written_otherwise(text, span, known, asserted, in_file=in_file):
        if name in known and name not in used and at.start not in begun and not _is_inside(text, at, span):
            written = f"{{{{{name}}}}}"
            fixes = (Fix(f"write `{written}`", (Edit(outer(at), written),), safe=False),)
            words = f"`{text[slice(*at)]}` is no placeholder; write `{written}`"
            severity: Severity | None = "hint" if is_form and name in asserted and "{{" in prompt else None
            yield Finding(outer(at), words, severity=severity, fixes=fixes, consequence=SENT_AS_IS)
    for found in in_braces:
        if found[1] in known and f"${found[1]}" not in known:
            at = outer(Span(found.start(1) - 1, found.end(1)))
            fixes = (Fix(f"write `{found[1]}`", (Edit(at, found[1]),)),)
            words = f"a template has no `${found[1]}`; write `{found[1]}`"
            yield Finding(at, words, fixes=fixes, consequence="promptfoo fills in nothing")


def _written_otherwise(
    text: str, span: Span, known: frozenset[str], asserted: frozenset[str], *, in_file: bool
) -> Iterator[tuple[Span, str, bool]]:
    """Names in other notations, with their places, and whether they may show the form of an answer."""
    prompt = text[slice(*span)]
    for found in _FOREIGN.finditer(text, *span):
        yield Span(*found.span()), found[found.lastgroup or 0], False
    for found in _SINGLE_NAME.finditer(text, *span):
        if in_file or found.lastgroup:
            yield Span(*found.span()), found[found.lastindex or 0], True
    for found in _HALF_OPEN.finditer(text, *span):
        yield Span(*found.span()), found[1], False
    for found in _TAG.finditer(text, *span):
        if found[1] in known - asserted - _WITHOUT_END and f"</{found[1]}" not in prompt:
            yield Span(*found.span()), found[1], False
    dollars = [(Span(*found.span()), found[1], True) for found in _DOLLAR.finditer(text, *span)]
    if all(name in known for _, name, _ in dollars) and "```" not in prompt:  # otherwise it is code
        yield from dollars
    for found in _QUOTED.finditer(text, *span):
        yield Span(*found.span()), found["name"], False


def single_braces(text: str, span: Span, known: frozenset[str], outer: Callable[[Span], Span]) -> Iterator[Finding]:
    """`{name}` and `${name}` of a variable in a text with which the output is compared: an output may have them, but hardly does."""
    for found in _WITH_BRACES.finditer(text, *span):
        if found[1] in known:
            at, written = outer(Span(*found.span())), f"{{{{{found[1]}}}}}"
            fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
            words = f"`{found[0]}` is no placeholder; write `{written}`"
            yield Finding(at, words, severity="hint", fixes=fixes, consequence="it is compared as it is")
        elif len(found[0]) + 2 >= span.end - span.start:  # all of the text, but for its quotes
            words = f"`{found[0]}` is compared as it is, braces included"
            yield Finding(outer(Span(*found.span())), words, severity="hint")


def _is_inside(text: str, at: Span, span: Span) -> bool:
    """Whether `name}}` ends a placeholder, or braces of another kind, that begin before it."""
    return text.endswith("}}", at.start, at.end) and text.rfind("{", span.start, at.start) > text.rfind(
        "}", span.start, at.start
    )


def member_of_variables(text: str, start: int, known: frozenset[str]) -> tuple[Span, str] | None:
    """The place and the name of `vars.name` at an offset of a template, if that is a variable of cases."""
    found = _MEMBER.match(text, start)
    return (Span(*found.span()), found[1]) if found is not None and found[1] in known else None
