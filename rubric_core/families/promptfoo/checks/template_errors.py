"""Templates that Nunjucks cannot render, so that promptfoo makes each of their rows an error."""

from collections.abc import Collection, Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.judge_prompts import judge_texts
from rubric_core.families.promptfoo.checks.placeholders import COMMENT_BEGIN, unclosed_comment_words
from rubric_core.families.promptfoo.checks.suite import request_texts, texts_of
from rubric_core.families.promptfoo.checks.templates import LITERALS
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.families.promptfoo.language.listed_entries import path_sign
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.template_expressions import expression_faults
from rubric_core.syntax.template_syntax import NUNJUCKS_FILTERS, STATEMENTS, loose_statements, statement_words
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import TEMPLATES, Context, Finding, Fix, checks
from rubric_core.validation.rules.broken_template import unknown_filters
from rubric_core.validation.wording import unmatched_words

__all__ = ["SIGNS", "STAYS", "broken_filters", "broken_statements"]

#: The signs without which a text is no template, and has no comment of one.
SIGNS = TEMPLATES | {"{#"}
#: A prompt with `{%` or `{#` without a further `%` or `#` on its line is not rendered at all; the value of an assertion is.
STAYS = "promptfoo leaves it in the text, and may fill in nothing else there"
#: Blocks of Handlebars: `{{#each items}}`, `{{/each}}`.
_HANDLEBARS = pattern(r"\{\{(?:#|/)[ \t]{0,9}([A-Za-z]\w{0,40})\b[^{}\n]{0,200}\}\}")
#: Two words with nothing between them.
_TWO_NAMES = pattern(
    r"\{\{-?[ \t]{0,9}(?!not\b|-?[ \t]*(?:in|is|if|else|and|or)\b)([A-Za-z_][\w.]*)[ \t]{1,9}([A-Za-z_]\w*)[ \t]{0,9}-?\}\}"
)
#: JSON between doubled braces, as format strings of Python have it; after three braces it is a mapping of the template.
_JSON = pattern(r"(?<!\{)\{\{\s{0,20}([\"'])[^\"'{}\n]{0,80}\1\s{0,9}:")
#: What an opening delimiter begins, up to its end.
_PARTS = pattern(r"\{(?:\{[^{}]{0,300}(?:\}\})?|%[^%]{0,300}(?:%\})?)")
_LONGEST_SHOWN = 60
#: A function that is called: no method, filter or test, and no keyword before brackets.
_CALLED = pattern(r"(?<![\w.|$])(?<!\|\s)(?<!\bis\s)(?<!\bnot\s)([A-Za-z_]\w{0,60})\(")
#: Methods of Python, which values do not have there, and the equivalent filter or method.
_METHOD = pattern(
    r"(?<=[\w\])])\.(upper|lower|strip|lstrip|rstrip|title|capitalize|startswith|endswith|items|isdigit|splitlines)\("
)
_ELSE_IF = pattern(r"\{%-?[ \t]{0,9}(?P<words>else[ \t]{1,9}if)\b")
#: A loop over the items of a mapping, as Python has it.
_ITEMS = pattern(r"\{%-?\s{0,9}for\b[^%{}\n]{1,200}?\bin\s{1,9}[A-Za-z_][\w.]{0,80}(?P<call>\.(?:iter)?items\(\))")
_INSTEAD = MappingProxyType({
    "upper": "| upper", "lower": "| lower", "strip": "| trim", "title": "| title", "capitalize": "| capitalize",
    "startswith": ".startsWith(…)", "endswith": ".endsWith(…)",
})  # fmt: skip
#: `[1:3]` behind a value.
_SLICE = pattern(r"(?<=[\w)\]])\[[^\[\]{}:]{0,80}:[^\[\]{}]{0,80}\]")
_FUNCTIONS = frozenset({"range", "cycler", "joiner", "not", "and", "or", "in", "if", "else", "is"})
_RAW = pattern(r"\{%-?\s{0,9}(?:raw|verbatim)\b")
_NAMED_SO = "promptfoo records a metric that is named so, braces included"


@checks("promptfoo/template", "broken-template", "warning", signs=SIGNS, borrowed=False)
def broken_texts(
    shape: Configuration | ConfiguredProvider | PromptfooCase | CaseOptions | Assertion, context: Context
) -> Iterator[Finding]:
    """A template with an unknown filter, an unknown or unclosed statement, or an invalid expression."""
    for node in _rendered_nodes(shape):
        yield from broken_statements(node, context, is_value=isinstance(shape, Assertion | ConfiguredProvider))
        yield from broken_filters(node.span, context)


@checks("promptfoo/template", "broken-template", "warning", signs=SIGNS)
def broken_judge_prompts(shape: Assertion | CaseOptions, context: Context) -> Iterator[Finding]:
    """Prompts for judges, which have no filters of one's own."""
    for node in judge_texts(shape):
        yield from broken_statements(node, context, is_value=True)
        yield from broken_filters(node.span, context, of_judges=True)


@checks("promptfoo/metric-template", "broken-template", "warning", signs=SIGNS, borrowed=False)
def broken_metrics(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A metric whose template cannot be rendered; promptfoo uses the text verbatim."""
    place = shape.places.get("metric")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, str):
        found = (*broken_statements(node, context, is_value=True), *broken_filters(node.span, context))
        yield from (replace(each, severity="warning", consequence=_NAMED_SO) for each in found)


def _rendered_nodes(shape: Shape) -> Iterator[Scalar]:
    """The texts of a shape that promptfoo renders for each row."""
    if isinstance(shape, Configuration):
        yield from (node for node, bare in texts_of(shape) if not (bare and path_sign(node.text)))
        return
    if isinstance(shape, ConfiguredProvider):
        yield from request_texts(shape.node)
        return
    fields = (
        ("vars",) if isinstance(shape, PromptfooCase) else ("value",) if isinstance(shape, Assertion)
        else ("prefix", "suffix") if isinstance(shape, CaseOptions) else ()
    )  # fmt: skip
    for field in fields:
        place = shape.places.get(field)
        if place is not None and not place.borrowed:
            yield from _texts(place.node, is_map=field == "vars")


def _texts(node: Node, *, is_map: bool) -> Iterator[Scalar]:
    """A text, the texts of a list, and with `is_map` those of a mapping of either."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str) and not is_map and not node.text.startswith(("file://", "package:")):
            yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar):
                yield from _texts(item, is_map=False)
    elif isinstance(node, Mapping) and is_map:
        for entry in node.entries:
            if entry.name != "$ref":
                yield from _texts(entry.value, is_map=False)


def broken_filters(span: Span, context: Context, *, of_judges: bool = False) -> Iterator[Finding]:
    """Unknown filters; where judges are asked, also those of `nunjucksFilters`."""
    own = context.defaults.filters
    known = NUNJUCKS_FILTERS.union(own or ()) if not of_judges else NUNJUCKS_FILTERS
    for each in unknown_filters(span, context, known, ROW_ERRORS) if own is not None or of_judges else ():
        name = context.written(each.span)
        if name in (own or ()):
            words = f"prompts for judges have no filter `{name}`: promptfoo fills them in without `nunjucksFilters`"
            yield replace(each, message=words, fixes=())
        else:
            yield each


def broken_statements(node: Scalar, context: Context, *, is_value: bool) -> Iterator[Finding]:
    """Unclosed and unknown statements, and invalid expressions.

    Args:
        node: The text.
        context: Its context.
        is_value: Whether it is the value of an assertion, which is always rendered.
    """
    if "{{" not in node.text and "{%" not in node.text and not (is_value and "{#" in node.text):
        return
    unknown = [each for each in statement_words(context.text, node.span) if each[0] not in STATEMENTS]
    stays = False
    for found in loose_statements(context.text, node.span):
        if found.is_end and unknown:
            continue  # its start may be the misspelt one
        rest = context.text[found.span.start + 2 : node.span.end].partition("\n")[0]
        is_row = bool(found.word) or is_value or "%" in rest.partition("\\n")[0]
        stays = stays or not is_row
        yield Finding(
            found.span,
            unmatched_words(found),
            consequence=ROW_ERRORS if is_row else STAYS,
            severity="error" if is_row else "warning",
        )
    if stays or _RAW.search(node.text):
        return
    yield from (_unknown(word, at, STATEMENTS) for word, at in unknown)
    known = list(_expressions(node.span, context, is_value=is_value))
    yield from known
    if "{%" not in node.text:
        yield from _unknown_calls(node, context)
    for condition in _ELSE_IF.finditer(context.text, *node.span):
        at = Span(*condition.span("words"))
        fixes = (Fix("write `elif`", (Edit(at, "elif"),)),)
        yield Finding(
            at, "`else if` is one word here; write `elif`", fixes=fixes, consequence=ROW_ERRORS, severity="error"
        )
    yield from _slices(node, context)
    for loop in _ITEMS.finditer(context.text, *node.span):
        words = "templates have no method `items`; `{% for key, value in mapping %}` goes through a mapping"
        at = Span(*loop.span("call"))
        fixes = (Fix("remove it", (Edit(at, ""),), safe=False),)
        yield Finding(at, words, fixes=fixes, consequence=ROW_ERRORS, severity="error")
    if not known and not unknown:
        yield from _unparsed(node, context, is_value=is_value)


def _slices(node: Scalar, context: Context) -> Iterator[Finding]:
    """`items[1:3]`, which Python has."""
    for part in _PARTS.finditer(context.text, *node.span) if ":" in node.text else ():
        code = LITERALS.sub(lambda m: " " * len(m[0]), part[0])
        for cut in _SLICE.finditer(code):
            at = Span(part.start() + cut.start(), part.start() + cut.end())
            words = "templates have no slices, as Python has them"
            yield Finding(at, words, consequence=ROW_ERRORS, severity="error")


def _unknown_calls(node: Scalar, context: Context) -> Iterator[Finding]:
    """Calls of functions, of which templates have three; statements could define others, and leave a call out."""
    for part in _PARTS.finditer(context.text, *node.span):
        bare = LITERALS.sub(lambda m: " " * len(m[0]), part[0])
        for found in _METHOD.finditer(bare):
            at = Span(part.start() + found.start(1), part.start() + found.end(1))
            advice = f"; write `{_INSTEAD[found[1]]}`" if found[1] in _INSTEAD else ""
            words = f"templates have no method `{found[1]}`{advice}"
            yield Finding(at, words, consequence=ROW_ERRORS, severity="error")
        for found in _CALLED.finditer(bare):
            if found[1] not in _FUNCTIONS:
                at = Span(part.start() + found.start(1), part.start() + found.end(1))
                words = f"templates have no function `{found[1]}`"
                yield Finding(at, words, consequence=ROW_ERRORS, severity="error")


def _unparsed(node: Scalar, context: Context, *, is_value: bool) -> Iterator[Finding]:
    """The first syntax error for Nunjucks, at its braces in the file."""
    for fault in expression_faults(node.text, is_rendered=is_value):
        at, parts = node.span, COMMENT_BEGIN if fault.opening == "{#" else _PARTS
        all_parts = parts.finditer(context.text, node.span.start, node.span.end - node.is_quoted)
        found = [m for m in all_parts if m[0].startswith(fault.opening)]
        if len(found) == node.text.count(fault.opening):
            at = Span(*found[fault.number].span())
        words = f"`{_shown(context.written(at))}` cannot be read as a template: {fault.words}"
        words = unclosed_comment_words(context.written(at)) if fault.opening == "{#" else words
        yield Finding(at, words, consequence=ROW_ERRORS, severity="error")


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"


def _unknown(word: str, at: Span, known: Collection[str]) -> Finding:
    meant = closest(word, sorted(known))
    advice = f"; did you mean `{meant}`?" if meant else ""
    fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if meant else ()
    return Finding(
        at, f"templates have no statement `{word}`{advice}", fixes=fixes, consequence=ROW_ERRORS, severity="error"
    )


def _expressions(span: Span, context: Context, *, is_value: bool) -> Iterator[Finding]:
    for found in _HANDLEBARS.finditer(context.text, *span):
        words = f"`{found[0]}` is written for Handlebars; promptfoo takes Nunjucks, as in `{{% for item in items %}}`"
        yield Finding(
            Span(*found.span()), words, consequence=ROW_ERRORS if is_value else STAYS, severity="error" if is_value else "warning"
        )  # fmt: skip
    for found in _JSON.finditer(context.text, *span):
        words = "`{{` begins a template here; write one brace, or put it between `{% raw %}` and `{% endraw %}`"
        yield Finding(Span(found.start(), found.start() + 2), words, consequence=ROW_ERRORS, severity="error")
    for found in _TWO_NAMES.finditer(context.text, *span):
        words = f"`{found[0]}` has two names with nothing between them"
        yield Finding(Span(*found.span()), words, consequence=ROW_ERRORS, severity="error")
