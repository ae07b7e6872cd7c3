"""Assertions about XML: whether an output is well-formed or contains XML, and which elements are in it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from xml.parsers import expat

from rubric_core.families.promptfoo.evaluators.handler import (
    AssertionParams,
    GradingResult,
    Handler,
    js_text,
    pass_or_fail,
    row_error,
)
from rubric_core.lazy_compilation import pattern

__all__ = ["XML_CHECKS", "xml_elements"]

_NAME = pattern(r"[:_A-Za-z\u00C0-\U000EFFFF][-.:\w\u00B7\u0300-\u036F\u203F-\u2040]*")
_ATTRIBUTE = pattern(r"([^\s=/>\"']+)(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'))?")
_DELIMITED = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
#: The maximum depth of nested elements.
_DEEPEST = 1_000


class _Tag(NamedTuple):
    kind: str
    name: str
    start: int
    end: int


class _Element:
    """An element as the path of a needed element sees it: names, and whether there are several."""

    def __init__(self, name: str, start: int) -> None:
        self.name, self.start = name, start
        self.children: dict[str, list[_Element]] = {}
        self.attributes: list[str] = []
        self.end = start
        self.has_text = False

    @property
    def is_plain(self) -> bool:
        """Whether it is a text, with nothing in it that a path could lead to."""
        return not self.children and not self.attributes


def _tags(text: str) -> Iterator[_Tag]:
    """The tags of elements in a text."""
    at = text.find("<")
    while at >= 0:
        tag = _tag(text, at)
        if tag is not None and tag.kind != "other":
            yield tag
        at = text.find("<", at + 1 if tag is None else tag.end)


def _tag(text: str, at: int) -> _Tag | None:
    for begin, ending in _DELIMITED:
        if text.startswith(begin, at):
            end = text.find(ending, at + len(begin))
            return _Tag("other", "", at, len(text) if end < 0 else end + len(ending))
    if text.startswith("<!", at):
        end = text.find(">", at)
        return _Tag("other", "", at, len(text) if end < 0 else end + 1)
    closes = text.startswith("</", at)
    name = _NAME.match(text, at + 1 + closes)
    if name is None:
        return None
    end = _end_of_tag(text, at + 1)
    if end < 0:
        return None
    alone = text[at:end].rstrip().endswith("/")
    return _Tag("close" if closes else "alone" if alone else "open", name[0], at, end + 1)


def _end_of_tag(text: str, at: int) -> int:
    quote = ""
    for place in range(at, len(text)):
        sign = text[place]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "<":
            return -1
        elif sign == ">":
            return place
    return -1


def xml_elements(text: str) -> list[_Element]:
    """The outermost closed elements, in order; unclosed ones are ignored."""
    roots: list[_Element] = []
    around: list[_Element] = []
    behind = 0
    for tag in _tags(text):
        if around and text[behind : tag.start].strip():
            around[-1].has_text = True
        behind = tag.end
        if tag.kind == "close":
            if not around or around[-1].name != tag.name:
                # Elements that were complete before are kept; open ones are ignored.
                roots += [child for each in around for several in each.children.values() for child in several]
                around.clear()
                continue
            made = around.pop()
        else:
            made = _Element(tag.name, tag.start)
            made.attributes = _attributes(text[tag.start + 1 + len(tag.name) : tag.end - 1])
            if tag.kind == "open":
                around.append(made)
                if len(around) > _DEEPEST:
                    return roots
                continue
        made.end = tag.end
        if around:
            around[-1].children.setdefault(made.name, []).append(made)
        else:
            roots.append(made)
    return roots + [child for each in around for several in each.children.values() for child in several]


def _attributes(text: str) -> list[str]:
    return [f"@_{each[1]}" for each in _ATTRIBUTE.finditer(text)]


def _has(elements: list[_Element], path: list[str]) -> bool:
    """Whether a path leads somewhere in elements of one name: several are a list, of which a number picks one."""
    if len(elements) > 1:
        if not path:
            return True
        number = int(path[0]) if path[0].isdecimal() and str(int(path[0])) == path[0] else len(elements)
        return number < len(elements) and _has([elements[number]], path[1:])
    (element,) = elements
    if not path:
        return True
    if element.is_plain:
        return False
    name, rest = path[0], path[1:]
    if name in element.children:
        return _has(element.children[name], rest)
    return not rest and (name in element.attributes or (name == "#text" and element.has_text))


def _missing(roots: list[_Element], wanted: list[str]) -> list[str]:
    top: dict[str, list[_Element]] = {}
    for each in roots:
        top.setdefault(each.name, []).append(each)
    return [path for path in wanted if not _leads(top, path.split("."))]


def _leads(top: Mapping[str, list[_Element]], path: list[str]) -> bool:
    return path[0] in top and _has(top[path[0]], path[1:])


def _fault(text: str) -> str:
    """Why a text is not XML; empty if it is."""
    faults: list[str] = []

    def doctype(_: str, _system: Any, _public: Any, has_subset: int) -> None:
        if has_subset:
            faults.append("has a DTD of its own, which promptfoo does not read")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        return faults[0] if faults else f"is not XML: {error}"
    return faults[0] if faults else ""


def _required_elements(params: AssertionParams) -> list[str]:
    """The elements that have to be there."""
    value = params.value
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    if isinstance(value, dict) and value:
        value = value.get("requiredElements")
        if not isinstance(value, list):
            raise row_error(params, "needs names of elements as `value`, or no `value`")
    return [js_text(each) for each in value] if isinstance(value, list) else []


def _is_xml(params: AssertionParams) -> GradingResult:
    wanted, fault = _required_elements(params), _fault(params.text)
    if not fault:
        missing = _missing(xml_elements(params.text), wanted)
        fault = f"has no element {', '.join(missing)}" if missing else ""
    return pass_or_fail(params, not fault, fault, "is XML")


def _contains_xml(params: AssertionParams) -> GradingResult:
    wanted, roots = _required_elements(params), xml_elements(params.text)
    if not roots:
        return pass_or_fail(params, False, "contains no XML")
    # All of them together, then each alone.
    holds = not _missing(roots, wanted) or any(not _missing([each], wanted) for each in roots)
    return pass_or_fail(params, holds, f"contains no XML with {', '.join(wanted)}", "contains XML")


XML_CHECKS: Mapping[str, Handler] = {"is-xml": _is_xml, "contains-xml": _contains_xml}
