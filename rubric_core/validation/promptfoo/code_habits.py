"""What inline code of promptfoo takes from other languages or leaves half done: uncalled functions, `await`, attributes of mappings."""

from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.validation.promptfoo.formulas import without_strings
from rubric_core.validation.promptfoo.vain_comparisons import vain_parts

__all__ = ["CodeHabit", "code_habits", "uncalled_function"]

#: Longer code is not checked.
_LONGEST = 20_000
_AWAIT = pattern(r"(?<![\w$.])await\b")
#: `'text' in output`, which asks a text for a key.
_IN_TEXT = pattern(r"(?P<text>\"[^\"\\\n]{1,200}\"|'[^'\\\n]{1,200}')[ ]{1,3}in[ ]{1,3}(?P<of>output)\b(?![.\[(])")
_SIZE = pattern(r"(?<![\w$.])output\.(?P<name>size)\b(?!\()")
_UNCALLED = pattern(
    r"(?<![\w$.])output\.(?P<name>toLowerCase|toUpperCase|trim|trimStart|trimEnd|lower|upper|strip|lstrip|rstrip)(?=\.|\s{0,9};?\s{0,9}\Z)"
)
#: A pattern where a text is expected, and a method of texts of a pattern.
_PATTERN_AS_TEXT = pattern(r"(?<![\w$.])output\.(?P<name>test|includes|startsWith|endsWith)\(\s{0,3}/(?![/*])")
_MATCH_OF_PATTERN = pattern(r"(?<=/|[gimsuy])\.(?P<name>match)\(\s{0,3}(?P<of>output)\b")
_LENGTH_OF_TEST = pattern(r"\.(?:includes|startsWith|endsWith|test)\([^()\n]{0,200}\)(?P<name>\.length)\b")
#: `context.vars` in Python, and `context['vars'].name`.
_OF_MAPPINGS = r"(?!(?:clear|copy|get|items|keys|pop|popitem|setdefault|update|values)\b)"
_ATTRIBUTE = pattern(rf"(?<![\w.])context(?:\[['\"]vars['\"]\])?\.{_OF_MAPPINGS}(?P<name>[A-Za-z_]\w{{0,60}})")
#: `vars['name']`, where `vars` is a function of Python.
_VARS = pattern(r"(?<![\w.'\"\[])(?P<name>vars)(?=\[['\"]|\.get\()")
_VARS_GIVEN = pattern(r"\bvars[ \t]{0,9}(?:=(?!=)|,|\)|:)|\bas[ ]vars\b")
_LOAD = pattern(r"(?<![\w.])json\.(?P<name>load)\(output\b")
_COMMENT = pattern(r"//[^\n]{0,2000}|/\*[^*]{0,2000}(?:\*(?!/)[^*]{0,2000}){0,20}(?:\*/)?")
_COMMENT_OF_PYTHON = pattern(r"#[^\n]{0,2000}")
_TEMPLATE_TEXT = pattern(r"`[^`]{0,5000}`?")
#: Code that is nothing but one function.
_FUNCTION = pattern(
    r"\s{0,9}(?:async\s{1,9})?function\s{1,9}(?P<name>[A-Za-z_$][\w$]{0,60})\s{0,9}\([^()]{0,200}\)\s{0,9}\{"
)
_ARROW = pattern(r"\s{0,9}(?P<name>(?:async\s{1,9})?(?:\([^()]{0,200}\)|[A-Za-z_$][\w$]{0,60})\s{0,9}=>)\s{0,9}\{")
_DEFINED = pattern(r"^def[ \t]{1,9}(?P<name>[A-Za-z_]\w{0,60})[ \t]{0,9}\(")


class CodeHabit(NamedTuple):
    """A part of code that does not do what it looks like."""

    #: Offsets in the code.
    start: int
    end: int
    words: str
    #: What to write in place of it; empty if that depends.
    meant: str = ""
    #: Whether it is wrong whatever the output is; the output may be a mapping, where it is made from JSON.
    is_certain: bool = True


def code_habits(code: str, *, is_python: bool) -> Iterator[CodeHabit]:
    """The habits in the code of an assertion, in no order; texts and comments have none."""
    if len(code) > _LONGEST or "{{" in code:
        return
    plain = _without_texts(code, is_python=is_python)
    yield from (CodeHabit(*part) for part in vain_parts(code, plain, is_python=is_python))
    for found in _UNCALLED.finditer(plain):
        name = found["name"]
        yield CodeHabit(*found.span("name"), f"`{name}` is not called here; write `{name}()`", f"{name}()")
    if is_python:
        yield from _attributes(code, plain)
        for found in _LOAD.finditer(plain):
            yield CodeHabit(*found.span("name"), "`load` reads files; write `loads` for a text", "loads")
        for found in _VARS.finditer(code) if _VARS_GIVEN.search(code) is None else ():
            at = found.span("name")
            if not plain.startswith("vars", found.start()):
                continue  # in a text
            yield CodeHabit(*at, "code gets no `vars`; write `context['vars']`", "context['vars']")
        return
    if "async" not in plain:
        for found in _AWAIT.finditer(plain):
            yield CodeHabit(*found.span(), "`await` needs an async function around it")
    for found in _IN_TEXT.finditer(code):
        if not plain.startswith("output", found.start("of")):
            continue
        written = f"output.includes({found['text']})"
        yield CodeHabit(
            *found.span(), f"`in` looks for keys, and a text has none; write `{written}`", written, is_certain=False
        )
    for found in _SIZE.finditer(plain):
        yield CodeHabit(*found.span("name"), "a text has no `size`; write `length`", "length", is_certain=False)
    for found in _PATTERN_AS_TEXT.finditer(code):
        if plain.startswith("output", found.start()):
            name = found["name"]
            words = f"a text has no `{name}`" if name == "test" else f"`{name}` takes a text, and throws for a pattern"
            yield CodeHabit(*found.span("name"), f"{words}; write `/x/.test(output)`")
    for found in _MATCH_OF_PATTERN.finditer(code):
        if plain.startswith("output", found.start("of")):
            yield CodeHabit(*found.span("name"), "a pattern has no `match`; write `test`", "test")
    for found in _LENGTH_OF_TEST.finditer(plain):
        yield CodeHabit(*found.span("name"), "this is true or false already, and has no length")


def _without_texts(code: str, *, is_python: bool) -> str:
    """The code with blanks for its strings and comments, as long as before."""
    bare = without_strings(code)
    for blank in (_COMMENT_OF_PYTHON,) if is_python else (_TEMPLATE_TEXT, _COMMENT):
        bare = blank.sub(lambda found: " " * len(found[0]), bare)
    return bare


def _attributes(code: str, plain: str) -> Iterator[CodeHabit]:
    for found in _ATTRIBUTE.finditer(code):
        if not plain.startswith("context", found.start()):
            continue
        name = found["name"]
        start = found.start("name") - 1
        yield CodeHabit(start, found.end("name"), f"a dict has no `.{name}`; write `['{name}']`", f"['{name}']")


def uncalled_function(code: str, *, is_python: bool) -> CodeHabit | None:
    """The function that is all of the code, so that nothing calls it."""
    if len(code) > _LONGEST or "{{" in code or "\n" not in code.strip():
        return None
    if is_python:
        return _only_defined(code)
    found = _FUNCTION.match(code) or _ARROW.match(code)
    if found is None or _block_end(without_strings(code), found.end()) < len(code.rstrip().rstrip(";")):
        return None
    return CodeHabit(*found.span("name"), "promptfoo does not call this function; write its body")


def _only_defined(code: str) -> CodeHabit | None:
    """The last of the functions that code of Python defines, if it does nothing else."""
    last: tuple[int, int] | None = None
    at = 0
    for line in code.split("\n"):
        found = _DEFINED.match(line)
        if found is not None:
            last = (at + found.start("name"), at + found.end("name"))
        elif line.strip() and not line[0].isspace() and not line.startswith(("import ", "from ", "#", ")", "@")):
            return None
        at += len(line) + 1
    return CodeHabit(*last, "nothing calls this function; `return` its result, or write its body") if last else None


def _block_end(code: str, at: int) -> int:
    """The offset after the bracket that closes a block which begins before `at`."""
    depth = 1
    while at < len(code) and depth:
        depth += (code[at] == "{") - (code[at] == "}")
        at += 1
    return at
