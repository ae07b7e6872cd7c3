"""Variables of cases in prompts, in the notation of other templates: `${name}`, `%(name)s`, `[[name]]`."""

from collections.abc import Callable, Iterator

from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.checks.unrendered_placeholders import SENT_AS_IS
from rubric_core.lazy_compilation import pattern
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, Severity

__all__ = ["SIGNS", "foreign_placeholders", "member_of_variables", "single_braces"]

#: One of these is in every text with such a placeholder.
SIGNS = pattern(r"(?<!\{)\{(?!\{)|[$%#]|\(\(|\[\[|<[<%]|\w ?\}\}")

_FOREIGN = pattern(
    r"\$\{(?P<braces>[A-Za-z_]\w{0,60})\}|%\((?P<percent>[A-Za-z_]\w{0,60})\)[sdfr]|\[\[ ?(?P<brackets>[A-Za-z_]\w{0,60}) ?\]\]"
    r"|\#\{(?P<hash>[A-Za-z_]\w{0,60})\}|<%=? ?(?P<tag>[A-Za-z_]\w{0,60}) ?%>|<<(?P<angles>[A-Za-z_]\w{0,60})>>"
    r"|(?<![%\w])%(?P<sign>[A-Za-z_]\w{1,60})%(?![%\w])|\(\((?P<rounds>[A-Za-z_]\w{1,60})\)\)"
)
#: `{name}` is text in most files, and `$name` in code.
_SINGLE = pattern(
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
    for found in _SINGLE.finditer(text, *span):
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
