"""Assertions about HTML: whether an output is a piece of HTML, or has signs of it."""

import html
from collections.abc import Iterator, Mapping

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, pass_or_fail
from rubric_core.lazy_compilation import pattern

__all__ = ["HTML_CHECKS", "has_html_signs", "html_fault"]

#: The longest text, in characters, that promptfoo reads as HTML.
_LONGEST = 10 * 1024 * 1024
#: The deepest nesting of elements that is read.
_DEEPEST = 500
_WRAPPERS = ("html", "head", "body")
#: Elements that may precede the body.
_IN_HEAD = frozenset(
    ["base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "script", "style", "template", "title"]
)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
#: Elements whose beginning ends an open paragraph.
_BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "main",
    "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "ul", "dd", "dt", "li",
])  # fmt: skip
#: Formatting elements, which are reopened after the block in which they were left open.
_FORMATTING = frozenset(
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]
)
#: Elements that cannot contain text; it is moved in front of the table.
_TABLE = frozenset(["table", "tbody", "thead", "tfoot", "tr"])
_KNOWN = frozenset([
    "title", "base", "link", "meta", "style", "article", "section", "nav", "aside", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "footer", "address", "p", "hr", "pre", "blockquote", "ol", "ul", "li", "dl", "dt", "dd", "figure",
    "figcaption", "main", "div", "a", "em", "strong", "small", "s", "cite", "q", "dfn", "abbr", "ruby", "rt", "rp",
    "data", "time", "code", "var", "samp", "kbd", "sub", "sup", "i", "b", "u", "mark", "bdi", "bdo", "span", "br",
    "wbr", "img", "iframe", "embed", "object", "param", "picture", "source", "video", "audio", "track", "map", "area",
    "svg", "math", "script", "noscript", "canvas", "ins", "del", "table", "caption", "colgroup", "col", "tbody",
    "thead", "tfoot", "tr", "td", "th", "form", "label", "input", "button", "select", "datalist", "optgroup",
    "option", "textarea", "output", "progress", "meter", "fieldset", "legend", "details", "summary", "dialog", "menu",
    "slot", "template",
])  # fmt: skip
#: Elements that are dropped outside of a table.
_IN_TABLE = frozenset(["caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"])


_TAG = pattern(r"<(/?)([a-zA-Z][^\s/>]*)")
#: The rest of a tag after its name.
_INSIDE = pattern(r"(?:=\s*\"[^\"]*\"|=\s*'[^']*'|[^>=]|=(?!\s*[\"']))*>")
#: Elements whose text has no tags.
_RAW_END = pattern(r"</([a-zA-Z]+)")
_RAW = frozenset(["script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp"])


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The texts and tags in their order: `text`, `open`, `alone` and `close`, each with the text or the name."""
    at = 0
    while at < len(text):
        begin = text.find("<", at)
        begin = len(text) if begin < 0 else begin
        if begin > at:
            yield "text", html.unescape(text[at:begin])
        if begin >= len(text):
            return
        found = _TAG.match(text, begin)
        if found is None:
            at = _behind_markup(text, begin)
            if at == begin + 1:
                yield "text", "<"
            continue
        inside = _INSIDE.match(text, found.end())
        if inside is None:
            return  # a tag that nothing closes is dropped
        at, name = inside.end(), found[2].lower()
        yield "close" if found[1] else "alone" if text[at - 2] == "/" else "open", name
        if name in _RAW and not found[1]:
            at = _end_of_raw(text, at, name)


def _behind_markup(text: str, at: int) -> int:
    """The offset after a comment or declaration; after the bracket if it is neither."""
    if text.startswith("<!--", at):
        end = text.find("-->", at + 2)
        return len(text) if end < 0 else end + 3
    if text[at + 1 : at + 2] in ("!", "?", "/"):
        end = text.find(">", at)
        return len(text) if end < 0 else end + 1
    return at + 1


def _end_of_raw(text: str, at: int, name: str) -> int:
    found = _RAW_END.search(text, at)
    while found is not None and found[1].lower() != name:
        found = _RAW_END.search(text, found.end())
    return len(text) if found is None else found.start()


class _Reader:
    """Collects the elements of a text, and whether text is directly in the body."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.formatting: list[str] = []
        self.wrappers: set[str] = set()
        self.has_known = False
        #: Whether the body directly contains text.
        self.has_top_text = False
        #: The wrappers that have begun, written or not: their own tags count no more.
        self._begun: set[str] = set()

    def read(self, text: str) -> None:
        """Take note of everything in a text. Raises ValueError for one with more elements in each other than are read."""
        for kind, part in _pieces(text):
            if kind == "text":
                self._text(part)
            elif kind == "close":
                self._end(part)
            else:
                self._start(part, is_alone=kind == "alone")
            if len(self.open) > _DEEPEST or len(self.formatting) > _DEEPEST:
                raise ValueError(f"it has more than {_DEEPEST} elements in each other")

    def _start(self, tag: str, *, is_alone: bool) -> None:
        if tag in _WRAPPERS:
            if tag not in self._begun:
                self.wrappers.add(tag)
            self._begin(tag)
            return
        self._begin("head" if tag in _IN_HEAD and "body" not in self._begun else "body")
        if tag in _IN_TABLE and "table" not in self.open:
            return
        self.has_known = self.has_known or tag in _KNOWN or "-" in tag
        if tag in _BLOCKS and "p" in self.open:
            self._close("p")
        # The slash means something in these alone.
        if tag in _VOID or (is_alone and any(each in self.open for each in ("svg", "math"))):
            return
        self.open.append(tag)
        if tag in _FORMATTING:
            self.formatting.append(tag)

    def _begin(self, tag: str) -> None:
        """Note that a wrapper has begun, and with it those around and before it."""
        self._begun.update(_WRAPPERS[: _WRAPPERS.index(tag) + 1])

    def _end(self, tag: str) -> None:
        if tag in self.formatting:
            del self.formatting[len(self.formatting) - 1 - self.formatting[::-1].index(tag)]
            if tag in self.open:
                del self.open[len(self.open) - 1 - self.open[::-1].index(tag)]
        elif tag in self.open:
            self._close(tag)
        elif tag == "br":
            self.has_known = True  # it makes an element
            self._begin("body")

    def _text(self, text: str) -> None:
        if text.strip() and not (self.open and self.open[-1] in _IN_HEAD):
            self._begin("body")
        if not text.strip() or self.formatting:
            return
        around = list(self.open)
        while around and around[-1] in _TABLE:
            around.pop()
        self.has_top_text = self.has_top_text or not around

    def _close(self, tag: str) -> None:
        del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]


def html_fault(text: str) -> str:
    """Why a text is not HTML; empty if it is. Raises ValueError for a text that is not checked."""
    text = text.strip()
    if not text:
        return "is empty"
    if len(text) > _LONGEST:
        return "is too long"
    if text[:5].lower() == "<?xml":
        return "is XML"
    reader = _Reader()
    reader.read(text)
    if reader.has_top_text and "body" not in reader.wrappers:
        return "has text outside of elements"
    return "" if reader.has_known or reader.wrappers else "has no HTML elements"


#: Patterns that indicate HTML, each with its weight.
_SIGNS = (
    (pattern(r"&(?:[a-zA-Z]+|#[0-9]+|#x[0-9a-fA-F]+);"), 1), (pattern(r"(?i)<!DOCTYPE\s+html"), 2),
    (pattern(r"\s[a-zA-Z-]+=\s*[\"'][^\"']*[\"']"), 1), (pattern(r"</[a-zA-Z][a-zA-Z0-9-]*\s*>"), 1),
    (pattern(
        r"(?i)<(?:html|head|body|div|span|p|a|img|h[1-6]|ul|ol|li|table|tr|td|th|form|input|button|script|style|link|meta|br|hr)\b"
    ), 2),
)  # fmt: skip
#: The start of a tag, in the text before a closing bracket.
_OPENS, _ALONE = pattern(r"<[a-zA-Z][a-zA-Z0-9-]*(?:\s|\Z)"), pattern(r"<[a-zA-Z][a-zA-Z0-9-]*(?:\s|/\Z)")
_COMMENT = "<!--"
_ENOUGH_SIGNS = 2


def has_html_signs(text: str) -> bool:
    """Whether a text contains enough signs of HTML."""
    if len(text) > _LONGEST:
        return False
    signs = sum(worth for sign, worth in _SIGNS if sign.search(text)) + _has_comment(text)
    parts = text.split(">")[:-1]
    signs += any(_OPENS.search(part) for part in parts)
    signs += any(part.endswith("/") and _ALONE.search(part) for part in parts)
    return signs >= _ENOUGH_SIGNS


def _has_comment(text: str) -> bool:
    """Whether there is a comment without two dashes in it."""
    at = text.find(_COMMENT)
    while at >= 0:
        end = text.find("--", at + len(_COMMENT))
        if end >= 0 and text.startswith("-->", end):
            return True
        at = text.find(_COMMENT, at + len(_COMMENT)) if end >= 0 else -1
    return False


def _is_html(params: AssertionParams) -> GradingResult:
    try:
        fault = html_fault(params.text)
    except ValueError as error:
        raise Unscored(f"rubric does not read the output as HTML: {error}", at=params.config) from None
    return pass_or_fail(params, not fault, fault, "is HTML")


def _contains_html(params: AssertionParams) -> GradingResult:
    return pass_or_fail(params, has_html_signs(params.text), "contains no HTML", "contains HTML")


HTML_CHECKS: Mapping[str, Handler] = {"is-html": _is_html, "contains-html": _contains_html}
