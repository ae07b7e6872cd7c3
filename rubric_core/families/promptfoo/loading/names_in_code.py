"""Finds the variables of promptfoo that JavaScript and Python read by name."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.text import Span

__all__ = ["ReadName", "hidden_reads", "names_read", "read_by_code"]

#: Quotes, which YAML may escape or double.
_QUOTE = r"\\?[\"']{1,2}"
#: What ends `context["vars"]` or `context.get("vars", {})`, and the mapping that is there if there are no variables.
_END_OF_VARS = rf"(?:{_QUOTE}(?:\]|\)|,\s{{0,3}}(?:\{{\}}|dict\(\)|None)\s{{0,3}}\)))?(?:\s{{1,3}}(?:or|\|\||\?\?)\s{{1,3}}\{{\}}\s{{0,3}}\))?"
#: `.name`, `["name"]` and `.get("name")`; what follows tells calls and assignments.
_ACCESS = (
    r"(?:\??\.(?!get\b)(?P<member>[A-Za-z_]\w{0,60})"
    rf"|(?:\??\.)?(?:\[|get\()\s{{0,3}}{_QUOTE}(?P<item>[A-Za-z_]\w{{0,60}}){_QUOTE}[\])]?)"
    r"(?P<after>\s{0,9}(?:\(|=(?![=>])))?"
)
_READ = pattern(
    r"(?P<of>(?:\b|(?<=\\[nrt]))context\b\s{0,3}[^\s;,\w]{1,4}(?:get\([^\s;,\w]{1,3})?)?\b(?:vars|other_?[vV]ars)"
    rf"{_END_OF_VARS}{_ACCESS}"
)
#: Another name of the code for all variables: `v = context["vars"]`, `const {vars: v} = context`.
_ALIAS = pattern(
    r"\b(?P<name>[A-Za-z_]\w{0,60})\s{0,3}(?::[^=\n]{1,60})?=\s{0,3}\(?[\w.]{1,60}(?:\??\.|\[|get\(){1,2}[^\s\w]{0,3}vars\b"
    rf"{_END_OF_VARS}(?=[ \t]{{0,9}}(?:[;,\n#]|//|\Z))"
    r"|\{[^{}()\n]{0,200}\bvars\s{0,3}:\s{0,3}(?P<renamed>[A-Za-z_]\w{0,60})[^{}()\n]{0,200}\}\s{0,3}="
)
#: `const {name, other: renamed} = context.vars`.
_TAKEN_APART = pattern(
    r"\{(?P<names>[^{}()]{1,999})\}\s{0,9}=\s{0,9}(?P<of>context\s{0,3}\??\.\s{0,3})?vars\b(?!\s{0,9}[.?\[(])"
)
#: `anything.get("name")`.
_TAKEN_FROM_ANY = pattern(r"\.get\(\s{0,9}['\"]([^'\"\n]{1,99})['\"]")
_TAKEN = pattern(
    r"(?:\A|,)\s{0,99}(?P<name>[A-Za-z_]\w{0,60})(?P<renamed>\s{0,9}:)?(?=\s{0,9}[^\s:=]{0,60}\s{0,9}(?:,|\Z))"
)


class ReadName(NamedTuple):
    """A variable that code reads by its name."""

    name: str
    #: Offsets in the text.
    span: Span
    #: Whether it is read from `context`, which promptfoo gives to code; else from anything called `vars`.
    is_of_context: bool
    #: Whether it is called or assigned, so that it is the code's own.
    is_own: bool
    #: Whether a local name of the code is called after it: `const {name} = vars`.
    is_taken: bool = False

    def is_called(self, text: str) -> bool:
        """Whether it is a method of the mapping, as `vars.items()` is, and no variable."""
        return text.startswith("(", self.span.end)


def names_read(text: str, start: int = 0, end: int | None = None) -> Iterator[ReadName]:
    """Every variable that the code between two offsets of a text reads by its name; those taken apart come last."""
    end = len(text) if end is None else end
    if text.find("vars", start, end) < 0:
        return
    for found in _READ.finditer(text, start, end):
        group = "member" if found["member"] else "item"
        yield ReadName(found[group], Span(*found.span(group)), found["of"] is not None, found["after"] is not None)
    for alias in _aliases(text, start, end):
        for found in re.compile(rf"(?<![\w.$]){alias}{_ACCESS}").finditer(text, start, end):
            group = "member" if found["member"] else "item"
            yield ReadName(found[group], Span(*found.span(group)), False, found["after"] is not None)
    for apart in _TAKEN_APART.finditer(text, start, end):
        begin = apart.start("names")
        for found in _TAKEN.finditer(apart["names"]):
            span = Span(begin + found.start("name"), begin + found.end("name"))
            is_taken = found["renamed"] is None
            yield ReadName(found["name"], span, apart["of"] is not None, is_own=False, is_taken=is_taken)


def _aliases(text: str, start: int, end: int) -> list[str]:
    """The other names that code has for all variables together."""
    found = (each["name"] or each["renamed"] for each in _ALIAS.finditer(text, start, end))
    return [name for name in dict.fromkeys(found) if name not in ("vars", "other_vars", "otherVars")]


def read_by_code(text: str) -> Iterator[str]:
    """The variables that code in a text may read by name, from `vars` or from what it calls otherwise."""
    yield from (each.name for each in names_read(text))
    yield from _TAKEN_FROM_ANY.findall(text)


#: All variables together, followed by a key.
_KEYED = r"{end}(?:\??\.)?(?:\[|\bget\()(?P<key>[^\]\)\n]{{1,100}})"
_LITERAL_KEY = pattern(rf"\s{{0,3}}{_QUOTE}[A-Za-z_]\w{{0,60}}{_QUOTE}\s{{0,3}}(?:,|\Z)")
_PARTS = pattern(r"[\"'`]([^\"'`\n]{0,99})[\"'`]")
#: A literal, what ends an expression after it, and the texts of literals.
_TEXT = rf"{_QUOTE}[^\"'`\n\\]{{0,99}}{_QUOTE}"
_END = r"[ \t]{0,9}(?:[;,)}\]\n#\"']|//|\\n|\Z)"
_WORDS = pattern(r"[^\"'\\,\s\[\]()][^\"'\\]*")
_FILLED_IN = pattern(r"\$?\{[^{}]{0,99}\}?")


def hidden_reads(text: str, name: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Where code between two offsets may read a variable without its name, or by a text that may mean something else."""
    end = len(text) if end is None else end
    if text.find("vars", start, end) < 0:
        return
    aliases = _aliases(text, start, end)
    own = "|".join(("vars", "other_?[vV]ars", *aliases))
    places = [Span(*found.span("key")) for found in _keyed(own, text, start, end) if _may_be(found["key"], name, text)]
    read = {each.span.start for each in names_read(text, start, end)}
    if _is_passed_on(own, text, start, end):
        word = re.escape(name)
        mentioned = re.compile(
            rf"(?<=[\"'`]){word}(?=\\?[\"'`])|(?<=\.){word}\b(?!\s{{0,9}}\()|(?<=[{{,]){word}(?=\s{{0,9}}[,:}}])"
            rf"|(?<=[{{,] ){word}(?=\s{{0,9}}[,:}}])"
        )
        places += [Span(*m.span()) for m in mentioned.finditer(text, start, end) if m.start() not in read]
    yield from sorted(set(places))


def _keyed(own: str, text: str, start: int, end: int) -> Iterator["re.Match[str]"]:
    for found in re.compile(rf"(?<![\w$])(?:{own})\b{_KEYED.format(end=_END_OF_VARS)}").finditer(text, start, end):
        if not _LITERAL_KEY.match(found["key"]):
            yield found


def _may_be(key: str, name: str, text: str) -> bool:
    """Whether a computed key may be a name: by the literal parts of it, or because nothing is known about it."""
    parts = [piece for literal in _PARTS.findall(key) for piece in _FILLED_IN.split(literal) if piece]
    if parts:
        return re.search(".*".join(map(re.escape, parts)), name) is not None
    word = re.escape(key.split(",", maxsplit=1)[0].strip())
    if re.search(rf"\bfor\b[^\n]{{0,60}}\b{word}\b[^\n]{{0,60}}\b(?:in|of)\b[^\n]{{0,60}}\bvars\b", text):
        return False  # it goes through all of them
    if re.search(rf"\bkeys\([^\n]{{0,60}}\bvars\b[^\n]{{0,60}}\b{word}\b", text):
        return False
    assigned = re.finditer(
        rf"\b{word}\s{{0,3}}(?:=(?![=>])\s{{0,3}}(?P<one>{_TEXT}(?={_END}))?|\+=)"
        rf"|\b{word}\s{{1,3}}(?:in|of)\s{{1,3}}[\[(](?P<several>\s{{0,9}}{_TEXT}(?:\s{{0,9}},\s{{0,9}}{_TEXT}){{0,99}},?\s{{0,9}}[\])](?!\s{{0,9}}[+.\[]))?",
        text,
    )
    # Of a text that is computed, even from literals as in `''.join(parts)`, nothing is known.
    given = [each["one"] or each["several"] or "" for each in assigned]
    return not given or any(not literals or name in _WORDS.findall(literals) for literals in given)


def _is_passed_on(own: str, text: str, start: int, end: int) -> bool:
    """Whether code does more with all variables together than to read one of them, or to give them another name."""
    taken = [found.span() for found in _ALIAS.finditer(text, start, end)]
    taken += [found.span() for found in _TAKEN_APART.finditer(text, start, end)]
    direct = re.compile(
        rf"(?:{_END_OF_VARS})(?:\??\.(?!get\b|items\b|keys\b|values\b|copy\b)\w|(?:\??\.)?(?:\[|get\())"
    )
    for found in re.compile(rf"(?<![\w$])(?:{own})\b").finditer(text, start, end):
        if not direct.match(text, found.end()) and not any(a <= found.start() < b for a, b in taken):
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            if not line.lstrip().startswith(("#", "//", "*", '"""')):
                return True
    return False
