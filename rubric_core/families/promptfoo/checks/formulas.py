"""Formulas of derived metrics that mathjs cannot read."""

from typing import NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = ["FormulaFault", "formula_fault", "without_strings"]

#: Longer formulas are not checked.
_LONGEST = 2_000
_TOKEN = pattern(
    r"\s*(?:(?P<value>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[A-Za-z_$\u00c0-\u024f\u0370-\u03ff][\w$]*)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*(?:'|\\?\Z))"
    r"|(?P<sign>===|!==|\*\*|&&|\|\||\?\?|==|!=|<=|>=|=>|=<|<<|>>>?|\.[*/^]|[-+*/^%=<>!&|?:,()\[\]{}.])"
    r"|(?P<stray>[@\\`\u201c\u201d\u2018\u2019\u2212]))"
)
#: A name or an expression between the braces of a template; the environment is filled in before formulas are read.
_TEMPLATE = pattern(r"\{\{[ ]{0,9}(?![^{}]{0,200}\benv\b)([A-Za-z_(\d][^{}|]{0,200}?)[ ]{0,9}\}\}")
_STRING = pattern(r"\"(?:[^\"\\]|\\.)*[\"\\]?|'(?:[^'\\]|\\.)*['\\]?")
#: What several lines, templates and comments mean is not decided here.
_NOT_READ = ("\n", ";", "{{", "#")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
#: Binary operators that are words.
_WORDS = frozenset({"and", "or", "xor", "mod", "to", "in"})
#: Signs of other languages, and how mathjs writes them.
_MEANT = {"&&": "and", "||": "or", "===": "==", "!==": "!=", "**": "^", "=>": ">=", "=<": "<="}


class FormulaFault(NamedTuple):
    """A syntax error of a formula."""

    words: str
    #: Offsets in the formula.
    start: int
    end: int
    #: What was expected there; empty if unknown.
    meant: str = ""


class _Bracket(NamedTuple):
    sign: str
    at: int
    #: Whether it holds arguments, an index or a list: any number of values, with commas.
    is_list: bool


class _Reader:
    """The parser's state."""

    def __init__(self) -> None:
        self.open: list[_Bracket] = []
        #: How many `?` lack their `:`, outside of brackets and in each open one.
        self.conditions = [0]
        #: Whether a value has to come next, not an operator.
        self.needs_value = True
        self.last = ""

    def value(self, word: str, at: int) -> FormulaFault | None:
        """Read a name or a number. Two values in a row are multiplied."""
        if word == "not" and self.needs_value:
            return None
        is_operator = word in _WORDS
        if is_operator and self.needs_value:
            return FormulaFault(f"a value is missing before `{word}`", at, at + len(word))
        self.needs_value = is_operator
        return None

    def text(self, written: str, at: int) -> FormulaFault | None:
        """Read a string."""
        end = at + len(written)
        if len(written) == 1 or written[-1] != written[0] or written.endswith(f"\\{written[0]}"):
            return FormulaFault(f"the string that begins here has no {written[0]} at its end", at, end)
        if not self.needs_value:
            return FormulaFault("an operator is missing before this string", at, end)
        self.needs_value = False
        return None

    def sign(self, sign: str, at: int) -> FormulaFault | None:
        """Read an operator or a bracket."""
        end = at + len(sign)
        if sign in _MEANT or (sign == "!" and self.needs_value):
            meant = _MEANT.get(sign, "not")
            return FormulaFault(f"mathjs has no `{sign}`; write `{meant}`", at, end, meant + " " * (sign == "!"))
        if sign in _CLOSING:
            return self._opened(sign, at)
        if sign in _CLOSING.values():
            return self._closed(sign, at)
        if self.needs_value and sign not in "+-":
            return FormulaFault(f"a value is missing before `{sign}`", at, end)
        if sign == "," and not (self.open and self.open[-1].is_list):
            return FormulaFault("commas stand between the arguments of a function", at, end)
        self.conditions[-1] += (sign == "?") - (sign == ":" and self.conditions[-1] > 0)
        self.needs_value = sign not in "!%"
        return None

    def _opened(self, sign: str, at: int) -> FormulaFault | None:
        if sign == "{" and not self.needs_value:
            return FormulaFault("`{` cannot stand here", at, at + 1)
        self.open.append(_Bracket(sign, at, is_list=sign != "(" or not self.needs_value))
        self.conditions.append(0)
        self.needs_value = True
        return None

    def _closed(self, sign: str, at: int) -> FormulaFault | None:
        if not self.open or _CLOSING[self.open[-1].sign] != sign:
            return FormulaFault(f"nothing opens this `{sign}`", at, at + 1)
        begin = self.open.pop()
        if self.needs_value and not (begin.is_list and self.last == begin.sign):
            return FormulaFault(f"a value is missing before `{sign}`", at, at + 1)
        if self.conditions.pop():
            return FormulaFault("a `?` needs `:` and a second value", at, at + 1)
        self.needs_value = False
        return None

    def at_end(self, end: int) -> FormulaFault | None:
        """What is missing at the end."""
        if self.needs_value:
            return FormulaFault(f"a value is missing after `{self.last}`", end - len(self.last), end)
        if self.open:
            begin = self.open[-1]
            return FormulaFault(f"nothing closes this `{begin.sign}`", begin.at, begin.at + 1)
        if self.conditions[-1]:
            return FormulaFault("a `?` needs `:` and a second value", end - len(self.last), end)
        return None


def formula_fault(formula: str) -> FormulaFault | None:
    """The first syntax error for mathjs.

    Also None for formulas that are not checked: of several lines, or with other templates than a bare name.
    """
    template = _TEMPLATE.search(formula[:_LONGEST])
    if template is not None:
        words = f"a formula is no template; write `{template[1]}`"
        return FormulaFault(words, *template.span(), template[1])
    end = len(formula.rstrip())
    if not end or end > _LONGEST or any(sign in formula[:end] for sign in _NOT_READ):
        return None
    reader, at = _Reader(), 0
    while at < end:
        found = _TOKEN.match(formula, at)
        kind = found.lastgroup if found is not None else None
        if found is None or kind is None:
            return None  # a sign that few know
        word, start = found[kind], found.start(kind)
        if _is_rare(word, reader) or (word in _WORDS and reader.needs_value and formula.startswith("(", found.end())):
            return None  # and functions that are called like operators
        if kind == "stray":
            return FormulaFault(f"`{word}` means nothing in a formula", start, start + 1)
        fault = {"value": reader.value, "text": reader.text, "sign": reader.sign}[kind](word, start)
        if fault is not None:
            return fault
        reader.last, at = word, found.end()
    return reader.at_end(end)


def _is_rare(word: str, reader: _Reader) -> bool:
    """Whether a member, a range, a transposed matrix or a default begins here."""
    if word == ":":
        return reader.needs_value or not any(reader.conditions)
    return word in (".", "??") or (word.startswith("'") and not reader.needs_value)


def without_strings(formula: str) -> str:
    """The formula with blanks for its strings, as long as before."""
    return _STRING.sub(lambda found: " " * len(found[0]), formula)
