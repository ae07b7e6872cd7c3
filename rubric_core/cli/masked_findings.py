"""Findings without the secrets that the lines around them hide: in messages, consequences and fixes, for every format."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.hide_secrets import hidden_spans
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = ["mask_findings", "with_hidden_spans"]

#: Characters of a value, or of its beginning where a message cuts it, that tell it from ordinary words.
_SHORTEST = 4
#: The end of what a message cut, and what is before it.
_CUT = pattern(r"(?<!\S)\S{4,2000}(?=…|\.\.\.)")
_QUOTES = "\"'"


def mask_findings(checked: CheckedFile) -> CheckedFile:
    """The file with its findings masked, and with what is hidden in its text; the same object if it has no findings.

    A fix whose edits would write a secret has none here: an edit with a masked value would damage a file.
    """
    checked = with_hidden_spans(checked)
    values = _Values.of(checked.document.text, checked.hidden) if checked.hidden else None
    if not values:
        return checked
    shown, ignored = (
        tuple(_masked(each, values) for each in group) for group in (checked.diagnostics, checked.ignored)
    )
    return replace(checked, diagnostics=shown, ignored=ignored)


def with_hidden_spans(checked: CheckedFile) -> CheckedFile:
    """The file with what is hidden in its text, if anything of it is shown: looking it up may take as long as a check."""
    if checked.hidden is not None or not (checked.diagnostics or checked.ignored):
        return checked
    return replace(checked, hidden=hidden_spans(checked.document.text))


class _Values(NamedTuple):
    """What is hidden in a text."""

    #: The longest first.
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str, hidden: Iterable[Span]) -> "_Values | None":
        words = tuple(sorted(set(_hidden_words(text, hidden)), key=lambda word: (-len(word), word)))
        return cls(words) if words else None

    def masked(self, words: str) -> str:
        """A text with `***` in place of each value, and of the beginning of one before an ellipsis."""
        for value in self.words:
            words = words.replace(value, "***")
        return _CUT.sub(self._cut, words)

    def _cut(self, found: re.Match[str]) -> str:
        text = found[0]
        ends = (
            size
            for value in self.words
            for size in range(min(len(text), len(value) - 1), _SHORTEST - 1, -1)
            if text.endswith(value[:size])
        )
        size = max(ends, default=0)
        return f"{text[:-size]}***" if size else text


def _hidden_words(text: str, hidden: Iterable[Span]) -> Iterator[str]:
    for start, end in hidden:
        word = text[start:end]
        yield from (each for each in {word, word.strip(_QUOTES)} if len(each) >= _SHORTEST)


def _masked(found: Diagnostic, values: _Values) -> Diagnostic:
    return replace(
        found,
        message=values.masked(found.message),
        consequence=values.masked(found.consequence),
        related=tuple(replace(each, message=values.masked(each.message)) for each in found.related),
        fixes=tuple(_masked_fixes(found.fixes, values)),
    )


def _masked_fixes(fixes: Iterable[Fix], values: _Values) -> Iterator[Fix]:
    for fix in fixes:
        written = any(values.masked(edit.new_text) != edit.new_text for edit in fix.edits)
        yield replace(fix, title=values.masked(fix.title), edits=() if written else fix.edits)
