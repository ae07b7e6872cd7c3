"""Members of well-known objects that JavaScript misspells: `JSON.prase`, `context.promt`, `output.toUppercase()`."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.language.closest_name import is_typo, lexicon
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.script_names import place_in_code
from rubric_core.validation.promptfoo.script_syntax import CodeReading
from rubric_core.validation.rule import Finding, Fix

__all__ = ["MemberSlip", "misspelt_members", "misspelt_python", "slips_of_context", "slips_of_members"]

#: Longer code is not checked.
_LONGEST = 20_000
_STRINGS = pattern(r"\"(?:[^\"\\\n]|\\.)*[\"\\]?|'(?:[^'\\\n]|\\.)*['\\]?")
_COMMENT = pattern(r"//[^\n]{0,2000}")
_MEMBER = pattern(r"(?<![\w$.])(JSON|Math|Object|Array|Number|context)\??\.([A-Za-z_$][\w$]*)")
#: What code does with a member that may be missing, or that it makes itself.
_ASKED = pattern(r"\s{0,9}(?:\?|\|\||&&|=(?!=)|\))")
_METHOD = pattern(r"(?<=[\w$\])])\??\.([A-Za-z_$][\w$]*)(?=\()")
_LENGTH = pattern(r"(?<=[\w$\])])\??\.([Ll][a-z]{4,6}|enlgth|elngth)\b(?!\()")
#: `length()`, as in Java.
_CALLED_LENGTH = pattern(r"\b(?:output|text|json|vars\.\w{1,60})\??\.(length\(\))")
#: Slips of `length` that are more than one.
_NO_LENGTHS = frozenset({"Length", "lengt", "lengh", "lengthh"})
_MEMBERS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "JSON": ("parse", "stringify", "rawJSON", "isRawJSON"),
    "Math": (
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clz32", "cos", "cosh", "exp", "expm1", "f16round",
        "floor", "fround", "hypot", "imul", "log", "log10", "log1p", "log2", "max", "min", "pow", "random", "round", "sign", "sin", "sinh",
        "sqrt", "sumPrecise", "tan", "tanh", "trunc", "PI", "E", "LN2", "LN10", "LOG2E", "LOG10E", "SQRT2", "SQRT1_2",
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
#: Methods whose misspellings are reported, if they are no method of anything else.
_OFTEN = tuple(sorted({*_CASED.values(), "split"}))
#: Methods of other languages, and how JavaScript calls them.
_OF_PYTHON_AND_JAVA = MappingProxyType({
    "contains": "includes", "include": "includes", "lower": "toLowerCase", "upper": "toUpperCase", "strip": "trim", "lstrip": "trimStart",
    "rstrip": "trimEnd", "find_all": "matchAll", "has": "includes",
})  # fmt: skip
_FOREIGN_METHOD = pattern(rf"(?<![\w$.])output\??\.({'|'.join(_OF_PYTHON_AND_JAVA)})\(")
#: Methods that resemble one of these.
_OTHERS = frozenset({
    "at", "catch", "match", "copyWithin", "entries", "fill", "finally", "findLast", "findLastIndex", "flat", "fromEntries", "join", "keys", "map", "normalize",
    "of", "pop", "push", "repeat", "resolve", "reject", "reverse", "search", "set", "shift", "some", "sort", "splice", "substr", "test", "then",
    "toLocaleString", "toPrecision", "toReversed", "toSorted", "toSpliced", "trimLeft", "trimRight", "unshift", "values", "with",
})  # fmt: skip
#: Methods of JavaScript, and how Python writes them.
_OF_JAVASCRIPT = MappingProxyType({
    "includes": "'text' in output", "length": "len(output)", "lenght": "len(output)", "toLowerCase": "output.lower()",
    "toUpperCase": "output.upper()", "startsWith": "output.startswith('text')", "endsWith": "output.endswith('text')",
    "indexOf": "output.find('text')", "trim": "output.strip()",
})  # fmt: skip
#: What further languages have, and libraries; it is certain for texts only.
_OF_TEXTS = MappingProxyType({
    "contains": "'text' in output", "contain": "'text' in output", "has": "'text' in output", "include": "'text' in output",
    "len": "len(output)", "size": "len(output)",
    "substring": "output[0:5]", "substr": "output[0:5]", "slice": "output[0:5]", "match": "re.search('pattern', output)",
    "test": "re.search('pattern', output)", "search": "re.search('pattern', output)", "to_lower": "output.lower()", "lowercase": "output.lower()",
    "uppercase": "output.upper()",
})  # fmt: skip
#: The owner of methods that are called of a text.
_TEXT = "str"
_KEY_OF_CONTEXT = pattern(r"(?<![\w.])context(?:\[\s{0,9}|\.get\(\s{0,9})['\"]([A-Za-z_]\w{0,40})['\"]")
#: The members of modules of Python.
_OF_PYTHON: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "json": ("dump", "dumps", "load", "loads", "JSONDecodeError", "JSONDecoder", "JSONEncoder", "decoder", "encoder", "scanner"),
    "re": (
        "compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "escape", "purge", "error", "Pattern", "Match",
        "PatternError", "RegexFlag", "IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII", "UNICODE", "LOCALE", "DEBUG", "NOFLAG", "TEMPLATE",
        "template", "A", "I", "L", "M", "S", "T", "U", "X", "Scanner",
    ),
})  # fmt: skip
_PYTHON_METHODS = frozenset(name for kind in (str, bytes, list, dict, set, int, float) for name in dir(kind))
_OFTEN_IN_PYTHON = (
    "append", "endswith", "extend", "format", "items", "lower", "lstrip", "replace", "rstrip", "split", "splitlines", "startswith", "strip",
    "upper", "values",
)  # fmt: skip
#: Shorter names are words of other kinds too often; of this length, only swapped letters are a slip.
_LEAST_METHOD = 4
#: Longer names have no similar words.
_LONG_METHOD = 8


class MemberSlip(NamedTuple):
    """A misspelt member."""

    words: str
    meant: str
    name: str
    #: Its place in the code.
    offset: int


def misspelt_members(node: Scalar, text: str, *, of_responses: bool = False) -> Iterator[Finding]:
    """Members that resemble an existing one, in the code of a configuration; that `of_responses` has another `context`."""
    if "{{" in node.text:
        return
    for slip in slips_of_members(node.text):
        at: Span | None = place_in_code(node, text, slip.offset, len(slip.name))
        fixes = (Fix(f"change it to `{slip.meant}`", (Edit(at, slip.meant),)),) if at is not None else ()
        yield Finding(at or node.span, f"{slip.words}; did you mean `{slip.meant}`?", fixes=fixes)
    for name, offset in _missing_of_context(node.text) if not of_responses else ():
        words = f"`context` has no `{name}`; the variables of the case are in `context.vars`"
        yield Finding(place_in_code(node, text, offset, len(name)) or node.span, words)


def _missing_of_context(code: str) -> Iterator[tuple[str, int]]:
    """The members of `context` that it has not, whatever was meant, with their offsets; not those that code tests for."""
    plain = _STRINGS.sub(lambda found: " " * len(found[0]), code)
    known = _MEMBERS["context"]
    for found in _MEMBER.finditer(plain) if "context." in code and len(code) <= _LONGEST else ():
        name = found[2] if found[1] == "context" else known[0]
        if (
            name not in known
            and not any(is_typo(name, each) for each in known)
            and not _ASKED.match(plain, found.end())
        ):
            yield name, found.start(2)


def slips_of_members(written: str) -> Iterator[MemberSlip]:
    """Members that resemble an existing one. Code that defines such a member itself is not checked."""
    if len(written) > _LONGEST:
        return
    code = written
    for blank in (_STRINGS, _COMMENT):
        code = blank.sub(lambda found: " " * len(found[0]), code)
    for found in _MEMBER.finditer(code):
        known = _MEMBERS[found[1]]
        meant = None if found[2] in known else next((each for each in known if is_typo(found[2], each)), None)
        if meant is not None:
            yield MemberSlip(f"`{found[1]}` has no `{found[2]}`", meant, found[2], found.start(2))
    for found in _LENGTH.finditer(code):
        if found[1] == "length" or not (found[1] in _NO_LENGTHS or _is_slip(found[1].lower(), "length")):
            continue
        yield MemberSlip(f"there is no `{found[1]}`", "length", found[1], found.start(1))
    for found in _CALLED_LENGTH.finditer(code):
        yield MemberSlip("`length` is no method", "length", found[1], found.start(1))
    for found in _FOREIGN_METHOD.finditer(code):
        yield MemberSlip(
            f"JavaScript has no method `{found[1]}`", _OF_PYTHON_AND_JAVA[found[1]], found[1], found.start(1)
        )
    places = {found.start(2) for found in _MEMBER.finditer(code)}
    for found in _METHOD.finditer(code):
        meant = _meant_method(found[1], code) if found.start(1) not in places else None
        if meant is not None:
            yield MemberSlip(f"JavaScript has no method `{found[1]}`", meant, found[1], found.start(1))


def slips_of_python(read: CodeReading) -> Iterator[MemberSlip]:
    """Members of well-known modules, and methods of texts, lists and mappings, that Python misspells."""
    for owner, member in read.members:
        known = _OF_PYTHON.get(owner, ())
        if owner not in ("", _TEXT):
            meant = None if member.text in known else next((each for each in known if is_typo(member.text, each)), None)
            words = f"`{owner}` has no `{member.text}`"
        else:
            meant = _meant_in_python(member.text)
            words = f"no text, list or mapping has a method `{member.text}`"
        if meant is not None:
            yield MemberSlip(words, meant, member.text, member.offset)


def misspelt_python(read: CodeReading, node: Scalar, text: str) -> Iterator[Finding]:
    """Misspelt members in inline Python, methods of JavaScript, and misspelt keys of `context`."""
    slips = [*slips_of_python(read), *_keys_of_context(node.text)]
    for slip in slips:
        at = place_in_code(node, text, slip.offset, len(slip.name))
        fixes = (Fix(f"change it to `{slip.meant}`", (Edit(at, slip.meant),)),) if at is not None else ()
        yield Finding(at or node.span, f"{slip.words}; did you mean `{slip.meant}`?", fixes=fixes)
    for owner, member in read.members:
        if owner not in ("", _TEXT) or any(slip.offset == member.offset for slip in slips):
            continue
        written = _OF_JAVASCRIPT.get(member.text) or (_OF_TEXTS.get(member.text) if owner else None)
        if written is not None or owner:
            at = place_in_code(node, text, member.offset, len(member.text))
            advice = f"; write `{written}`" if written else ""
            words = f"{'a text' if owner and written is None else 'Python'} has no method `{member.text}`{advice}"
            yield Finding(at or node.span, words)


def slips_of_context(code: str) -> Iterator[MemberSlip]:
    """`context["var"]` in a file of Python, where other keys may belong to something else that is called so."""
    yield from (slip for slip in _keys_of_context(code) if slip.meant == "vars")


def _keys_of_context(code: str) -> Iterator[MemberSlip]:
    for found in _KEY_OF_CONTEXT.finditer(code):
        known = _MEMBERS["context"]
        meant = next((each for each in known if is_typo(found[1], each)), None) if found[1] not in known else None
        if meant is not None:
            yield MemberSlip(f"`context` has no `{found[1]}`", meant, found[1], found.start(1))


def _meant_in_python(name: str) -> str | None:
    if len(name) < _LEAST_METHOD or name in _PYTHON_METHODS or not name[0].islower():
        return None
    meant = lexicon(_OFTEN_IN_PYTHON).closest(name, thorough=False)
    return meant if meant is not None and _is_slip(name, meant) else None


def _is_slip(name: str, meant: str) -> bool:
    """Whether a name is another with two letters swapped, one twice or one left out; of a long one any letter may be wrong."""
    if name.startswith(meant) or meant.startswith(name) or "_" in name:
        return False
    if len(name) == len(meant):
        return len(meant) >= _LONG_METHOD or sorted(name) == sorted(meant)
    if len(name) == _LEAST_METHOD:
        return False
    longer, shorter = sorted((name, meant), key=len, reverse=True)
    places = range(1, len(longer)) if longer is name else range(len(longer))
    return any(
        longer[:at] + longer[at + 1 :] == shorter for at in places if longer is meant or longer[at] == longer[at - 1]
    )


def _meant_method(name: str, code: str) -> str | None:
    """The method that a name is a slip of; other words that begin as one may be methods of something else."""
    cased = _CASED.get(name.lower())
    if cased is not None:
        return cased if cased != name else None
    if len(name) < _LEAST_METHOD or name in _OTHERS or name in _OFTEN or not name[0].islower():
        return None
    meant = lexicon(_OFTEN).closest(name, thorough=False)
    if meant is None or not _is_slip(name, meant):
        return None
    defined = re.search(rf"(?<![.\w$]){re.escape(name)}\s{{0,9}}[(:=]|\.{re.escape(name)}\s{{0,9}}=(?!=)", code)
    return meant if defined is None else None
