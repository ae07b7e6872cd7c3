"""Members of well-known objects that inline JavaScript misspells: `JSON.prase`, `context.promt`, `output.toUppercase()`."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.script_names import place_in_code
from rubric_core.validation.rule import Finding, Fix

__all__ = ["misspelt_members"]

#: Longer code is not checked.
_LONGEST = 20_000
_STRINGS = pattern(r"\"(?:[^\"\\\n]|\\.)*[\"\\]?|'(?:[^'\\\n]|\\.)*['\\]?")
_MEMBER = pattern(r"(?<![\w$.])(JSON|Math|Object|Array|Number|context)\??\.([A-Za-z_$][\w$]*)")
_METHOD = pattern(r"(?<=[\w$\])])\??\.([A-Za-z_$][\w$]*)(?=\()")
_LENGTH = pattern(r"(?<=[\w$\])])\??\.(lenght|legnth|lengh|lenth|lengt|length_|Length)\b")
_MEMBERS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "JSON": ("parse", "stringify", "rawJSON", "isRawJSON"),
    "Math": (
        "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "exp", "floor", "hypot", "log", "log10", "log2", "max", "min", "pow",
        "random", "round", "sign", "sin", "sqrt", "tan", "trunc", "PI", "E",
    ),
    "Object": (
        "assign", "create", "defineProperty", "entries", "freeze", "fromEntries", "getOwnPropertyNames", "groupBy", "hasOwn", "is", "keys",
        "prototype", "values",
    ),
    "Array": ("from", "fromAsync", "isArray", "of", "prototype"),
    "Number": ("isFinite", "isInteger", "isNaN", "isSafeInteger", "parseFloat", "parseInt", "EPSILON", "MAX_VALUE", "MIN_VALUE", "NaN"),
    "context": ("config", "logProbs", "metadata", "prompt", "provider", "providerResponse", "test", "trace", "uuid", "vars"),
})  # fmt: skip
#: Methods by their names in lower case.
_CASED = MappingProxyType({
    name.lower(): name
    for name in (
        "charAt", "charCodeAt", "codePointAt", "concat", "endsWith", "every", "filter", "find", "findIndex", "flatMap", "forEach", "hasOwnProperty",
        "includes", "indexOf", "lastIndexOf", "localeCompare", "matchAll", "padEnd", "padStart", "reduce", "replaceAll", "replace", "slice",
        "startsWith", "substring", "toFixed", "toLocaleLowerCase", "toLocaleUpperCase", "toLowerCase", "toString", "toUpperCase", "trim",
        "trimEnd", "trimStart",
    )
})  # fmt: skip


def misspelt_members(node: Scalar, text: str) -> Iterator[Finding]:
    """Members that resemble an existing one. Code that defines such a member itself is not checked."""
    if len(node.text) > _LONGEST or "{{" in node.text:
        return
    code = _STRINGS.sub(lambda found: " " * len(found[0]), node.text)
    for found in _MEMBER.finditer(code):
        known = _MEMBERS[found[1]]
        meant = None if found[2] in known else next((each for each in known if is_typo(found[2], each)), None)
        if meant is not None:
            yield _finding(f"`{found[1]}` has no `{found[2]}`", meant, found.start(2), found[2], node, text)
    for found in _LENGTH.finditer(code):
        yield _finding(f"there is no `{found[1]}`", "length", found.start(1), found[1], node, text)
    for found in _METHOD.finditer(code):
        meant = _CASED.get(found[1].lower())
        if meant is not None and meant != found[1]:
            yield _finding(f"JavaScript has no method `{found[1]}`", meant, found.start(1), found[1], node, text)


def _finding(words: str, meant: str, offset: int, name: str, node: Scalar, text: str) -> Finding:
    at: Span | None = place_in_code(node, text, offset, len(name))
    fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if at is not None else ()
    return Finding(at or node.span, f"{words}; did you mean `{meant}`?", fixes=fixes)
