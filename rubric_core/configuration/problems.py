"""The problems of a configuration file, each with its position."""

import re
from collections.abc import Collection

from rubric_core.analysis import Language
from rubric_core.configuration.toml_places import TomlPlace, places
from rubric_core.language.closest_name import closest
from rubric_core.text import Edit, LineIndex, Position, Span
from rubric_core.validation.rule import Context, Diagnostic
from rubric_core.validation.rules.bad_configuration import BAD_CONFIGURATION, ConfigurationProblem

__all__ = ["Keys", "Problems", "advice"]

#: The keys, and the numbers of items, that lead to a value.
Keys = tuple[str | int, ...]
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_REST_OF_LINE = re.compile(r"[^\r\n]*")


class Problems:
    """Collects problems of one text; `table` are the keys of the table that the settings stand in."""

    def __init__(self, text: str, table: Keys, language: Language) -> None:
        self._text = text
        self._table = table
        self._language = language
        self._found: list[ConfigurationProblem] = []
        self._places: dict[Keys, TomlPlace] | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All problems so far, in text order."""
        context = Context(self._text, self._language.dialects[-1])
        rule = BAD_CONFIGURATION
        found = (f.within_limits() for p in sorted(self._found, key=lambda p: p.span) for f in rule.check(p, context))
        return tuple(Diagnostic(rule.code, rule.severity, f.span, f.message, fixes=f.fixes) for f in found)

    def at_key(self, keys: Keys, message: str, *, meant: str | None = None) -> None:
        """A problem of a key."""
        self._add(self._span(keys, value=False), message, meant)

    def at_value(self, keys: Keys, message: str, *, meant: str | None = None) -> None:
        """A problem of a value."""
        self._add(self._span(keys, value=True), message, meant)

    def unreadable(self, message: str) -> None:
        """The file cannot be read."""
        self._found.append(ConfigurationProblem(Span(0, 0), message))

    def no_toml(self, message: str) -> None:
        """The text is not TOML; `message` is the parser's, with the place at its end."""
        where = _AT.search(message)
        words = message[: where.start()] if where else message
        index = LineIndex(self._text)
        line = int(where[1]) - 1 if where and where[1] else _last_line(self._text, index)
        start, end = index.line_span(line)
        at = index.offset(Position(line, int(where[2]) - 1), "utf-32") if where and where[1] else end
        if at >= end:
            at = min(end, start + len(self._text[start:end]) - len(self._text[start:end].lstrip()))
        whole = f"this is not valid TOML: {words[:1].lower()}{words[1:]}; no setting of this file is used"
        self._found.append(ConfigurationProblem(Span(at, end), whole))

    def _add(self, span: Span, message: str, meant: str | None) -> None:
        quoted = self._text[span.start : span.start + 1] in ("'", '"')
        inner = Span(span.start + 1, max(span.start + 1, span.end - 1)) if quoted else span
        self._found.append(ConfigurationProblem(inner, message, Edit(inner, meant) if meant else None))

    def _span(self, keys: Keys, *, value: bool) -> Span:
        if self._places is None:
            self._places = places(self._text)
        whole = (*self._table, *keys)
        while whole and whole not in self._places:
            whole = whole[:-1]
        place = self._places.get(whole, TomlPlace(Span(0, 0), Span(0, 0)))
        start, end = place.value if value else place.key
        line = _REST_OF_LINE.match(self._text, start)
        return Span(start, min(end, line.end())) if line else Span(start, end)


def _last_line(text: str, index: LineIndex) -> int:
    """The last line that is not empty."""
    return max(n for n in range(index.line_count) if n == 0 or text[slice(*index.line_span(n))].strip())


def advice(name: str, known: Collection[str], otherwise: str) -> tuple[str, str | None]:
    """The text after "there is no …": the probably meant name, or else the known names; and that name."""
    meant = closest(name, known)
    return (f"; did you mean `{meant}`?" if meant else f"; {otherwise}"), meant
