"""Control characters: they act on a terminal, change the order of text, or are invisible.

Names, answers and commands come from files and models. Before they are shown, this module masks such characters: ESC
and the C1 controls move cursors and set titles, bidirectional marks show a command in another order than it runs.
"""

from rubric_core.lazy_compilation import pattern

__all__ = ["escape_json", "mask", "mask_name", "reveal"]

#: Control characters except tab and line feed, bidirectional marks, line and paragraph separators, lone surrogates.
_ACTING = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff"
#: Zero-width characters: in a sentence they join letters and emoji, in a command they hide a difference.
_HIDDEN = "\u00ad\u180e\u200b-\u200d\u2060-\u2065\ufeff\U000e0000-\U000e007f"
#: A carriage return alone goes back to the beginning of a line.
_MASKED = pattern(f"[{_ACTING}]|\r(?!\n)")
_IN_JSON = pattern(f"[{_ACTING}]")
_BREAKS = pattern("[\r\n\t]")
_REVEALED = pattern(f"[\r{_ACTING}{_HIDDEN}]")


def mask(text: str) -> str:
    """`text` with `�` in place of every character that acts; tabs and line breaks stay."""
    return text if text.isascii() and text.isprintable() else _MASKED.sub("�", text)


def mask_name(name: str) -> str:
    """A file name masked like by `mask`, on one line, so that no part of it looks like another message."""
    return name if name.isascii() and name.isprintable() else _BREAKS.sub("�", mask(name))


def reveal(text: str) -> str:
    """`text` with the number of every character that acts or is not seen: `⟨U+202E⟩`; tabs and line feeds stay."""
    return _REVEALED.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def escape_json(text: str) -> str:
    r"""JSON with `\u202e` in place of every character that acts: the same values, and nothing that a terminal obeys."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
