"""Templates of promptfoo: the names that they use."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.template_syntax import ENVIRONMENT_ACCESS
from rubric_core.text import Span

__all__ = ["LITERALS", "UsedName", "environment_in", "has_raw_part", "names_in"]

#: No alternative runs past the next opening delimiter: otherwise each of many unclosed ones would be read to the end of the text.
_EXPRESSION = pattern(
    r"\{\{-?(?P<shown>(?:[^{]|\{(?!\{))*?)-?\}\}|\{%-?(?P<statement>(?:[^{]|\{(?!%))*?)-?%\}|\{#(?:[^{]|\{(?!#))*?#\}"
)
#: Texts and regular expressions in expressions, which contain no names. An unclosed text extends to the end.
LITERALS = pattern(
    r"\"(?:[^\"\\]|\\.)*[\"\\]?|'(?:[^'\\]|\\.)*['\\]?|(?<![\w.])r/(?:[^\\/\n]|\\.){1,200}/[gimy]{0,4}", re.DOTALL
)
_NAME = pattern(r"(?<![\w.$|])(?<!\|\s)([A-Za-z_]\w*)(?!\w*\s*(?:[(=](?!=)|:))")
_BOUND = pattern(
    r"\bset\s{1,9}([\w\s,]{1,200}?)(?:=|\Z)|\bfor\s{1,9}([\w\s,]{1,200}?)\s{1,9}in\b"
    r"|\bmacro\s{1,9}\w{1,99}\s{0,9}\(([^)]{0,500})\)|\bimport\b.{0,300}?\bas\s{1,9}(\w{1,99})"
)
#: The name of a test, as in `is string`; `is defined` and the like tell that a template copes.
_TEST = pattern(
    r"(\bis\s{1,9}(?:not\s{1,9})?)(string|number|mapping|iterable|odd|even|none|null|truthy|falsy|divisibleby|sameas|eq|ne|lt|gt|ge|le|escaped|upper|lower|callable|equalto)\b"
)
_WORD = pattern(r"[A-Za-z_]\w*")
#: A block of Handlebars, or two names with nothing between them: `broken-template` reports these.
_NO_EXPRESSION = pattern(r"[ \t]{0,9}[#/]|[ \t]{0,9}(?!not\b)[A-Za-z_][\w.]*[ \t]{1,9}[A-Za-z_]\w*[ \t]{0,9}\Z")
_RAW = pattern(r"\{%-?\s*(?:raw|verbatim)\b")
#: Longer templates are not kept.
_LONGEST_KEPT = 1_000
#: Keywords and built-in names of Nunjucks.
_OWN = frozenset({
    "and", "block", "call", "elif", "else", "elseif", "endblock", "endcall", "endfilter", "endfor", "endif", "endmacro", "endset", "extends",
    "false", "filter", "for", "from", "if", "import", "in", "include", "is", "as", "loop", "macro", "none", "None", "not", "null", "or", "raw",
    "set", "super", "switch", "case", "true", "True", "False", "undefined", "range", "cycler", "joiner", "caller", "with", "without",
    "context", "ignore", "missing", "endswitch", "verbatim", "env", "varargs", "kwargs",
})  # fmt: skip


#: `for item in items`, and nothing else.
_LOOP = pattern(r"-?\s{0,9}for\s{1,9}[\w\s,]{1,200}?\s{1,9}in\s{1,9}([A-Za-z_]\w{0,60})\s{0,9}-?\Z")
#: `context` as a name.
_CONTEXT = pattern(r"(?<!with )(?<!without )\bcontext\b")


class UsedName:
    """A name that a template uses."""

    __slots__ = ("alone", "name", "optional", "repeated", "span")

    def __init__(self, name: str, span: Span, *, alone: bool, optional: bool, repeated: bool = False) -> None:
        self.name = name
        #: Offsets in the template.
        self.span = span
        #: Whether its braces contain nothing else.
        self.alone = alone
        #: Whether the template tests it in a condition or gives it a default.
        self.optional = optional
        #: Whether the template goes through it as a list, and never tests whether it is there.
        self.repeated = repeated


def has_raw_part(template: str) -> bool:
    """Whether a part of a template is not filled in."""
    return _RAW.search(template) is not None


def names_in(template: str) -> tuple[UsedName, ...]:
    """Every use of a variable that the template does not define itself; nothing for a template with raw parts."""
    if "{{" not in template and "{%" not in template:
        return ()
    return _names_in(template) if len(template) <= _LONGEST_KEPT else _names_in.__wrapped__(template)


@lru_cache(maxsize=256)
def _names_in(template: str) -> tuple[UsedName, ...]:
    """See `names_in`; thousands of tests have the same few templates."""
    if has_raw_part(template):
        return ()
    bound: set[str] = set()
    found: list[UsedName] = []
    optional: set[str] = set()
    repeated: dict[str, int] = {}
    for part in _EXPRESSION.finditer(template):
        group = "shown" if part["shown"] is not None else "statement" if part["statement"] is not None else ""
        if not group or (group == "shown" and _NO_EXPRESSION.match(part[group]) is not None):
            continue
        start = part.start(group)
        code = LITERALS.sub(lambda m: " " * len(m[0]), part[group])
        if group == "statement":
            for names in _BOUND.findall(code):
                bound.update(_WORD.findall(" ".join(names)))
        code = _TEST.sub(lambda m: f"{m[1]}{' ' * len(m[2])}", code)
        used = [m for m in _NAME.finditer(code) if m[1] not in _OWN or (m[1] == "context" and group == "shown")]
        copes = _copes(group, code)
        loop = _LOOP.match(code) if copes and group == "statement" else None
        if loop is not None:
            repeated.setdefault(loop[1], start + loop.start(1))
        if copes:
            optional.update(m[1] for m in used if loop is None or m[1] != loop[1])
            # Not among the names used, since a statement may have it as a word: `with context`.
            optional.update(("context",) if _CONTEXT.search(code) else ())
        alone = group == "shown" and len(used) == 1 and code.strip() == used[0][1]
        found += (UsedName(m[1], Span(start + m.start(1), start + m.end(1)), alone=alone, optional=copes) for m in used)
    return tuple(
        UsedName(
            each.name,
            each.span,
            alone=each.alone,
            optional=each.name in optional or each.name in repeated,
            repeated=each.name not in optional and repeated.get(each.name) == each.span.start,
        )
        for each in found
        if each.name not in bound
    )


def _copes(group: str, code: str) -> bool:
    """Whether a part of a template tests its names, or gives them a default."""
    return group == "statement" or "default" in code or " or " in code or " if " in code


def environment_in(template: str) -> Iterator[tuple[str, Span]]:
    """The environment variables that a template inserts without testing them, with their places."""
    if "env" not in template or has_raw_part(template):
        return
    tested, inserted = set[str](), list[tuple[str, Span]]()
    for part in _EXPRESSION.finditer(template):
        group = part.lastgroup
        for found in ENVIRONMENT_ACCESS.finditer(template, *part.span(group)) if group is not None else ():
            name = found["key"] or found["item"]
            if name is None:
                continue
            if _copes(group or "", part[group or 0]):
                tested.add(name)
            elif part[group or 0].strip() == found[0]:
                inserted.append((name, Span(*part.span())))
    yield from (each for each in inserted if each[0] not in tested)
