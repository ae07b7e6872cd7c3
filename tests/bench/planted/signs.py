"""Signs of YAML that are missing, too many, or others that look like them."""

import random
import re
from collections.abc import Callable

from planted.suite import LOST, Plant, Planted, Suite, replaced
from planted.texts import in_line

__all__ = ["KINDS"]

_Change = Callable[["re.Match[str]"], str]

#: A key with a plain value: lead, key, value.
_ENTRY = r"^( +(?:- )?)(?P<key>[a-z_]+): ([A-Za-z][^\n#\"':\[\]{}|>&*!%@`,]*[A-Za-z.?!])$"
#: A key with a word for its value.
_WORD = r"^( +(?:- )?)(?P<key>[a-z_]+): ([a-z][\w.-]*)$"
#: A key with everything below it.
_BLOCK = r"^( *)(?P<key>[a-z_]+):$"
#: The first key of an item.
_ITEM = r"^( +)- (?P<key>[a-z_]+): (\S[^\n]*)$"
#: A text that is an item.
_TEXT_ITEM = r"^( +)- ([A-Z][^\n#\"':\[\]{}|>&*!%@`]*[a-z.])$"
#: A list in brackets, a mapping in braces.
_LIST = r"^( +(?:- )?[a-z_]+: )\[([^\[\]{}\n\"']+)\]$"
_BRACES = r"^( +(?:- )?(?:[a-z_]+: )?)\{([^\[\]{}\n\"']+)\}$"
#: A quoted value.
_DOUBLE = r"^( +(?:- )?(?:[a-z_]+: )?)\"([^\"\\\n]*[a-z][^\"\\\n]*)\"$"
_SINGLE = r"^( +(?:- )?(?:[a-z_]+: )?)'([^'\n]*[a-z][^'\n]*)'$"

_ENTRIES: dict[str, _Change] = {
    "colon missing behind a key": lambda m: f"{m[1]}{m[2]} {m[3]}",
    "colon without a space": lambda m: f"{m[1]}{m[2]}:{m[3]}",
    "colon twice": lambda m: f"{m[1]}{m[2]}:: {m[3]}",
    "equals sign for a colon": lambda m: f"{m[1]}{m[2]} = {m[3]}",
    "equals sign without spaces": lambda m: f"{m[1]}{m[2]}={m[3]}",
    "arrow for a colon": lambda m: f"{m[1]}{m[2]} => {m[3]}",
    "semicolon for a colon": lambda m: f"{m[1]}{m[2]}; {m[3]}",
    "dash for a colon": lambda m: f"{m[1]}{m[2]} - {m[3]}",
    "wide colon": lambda m: f"{m[1]}{m[2]}：{m[3]}",
    "quote of a key not closed": lambda m: f'{m[1]}"{m[2]}: {m[3]}',
    "quote never opened": lambda m: f'{m[1]}{m[2]}: {m[3]}"',
    "double quote never closed": lambda m: f'{m[1]}{m[2]}: "{m[3]}',
    "single quote never closed": lambda m: f"{m[1]}{m[2]}: '{m[3]}",
    "quotes of two kinds": lambda m: f"{m[1]}{m[2]}: \"{m[3]}'",
    "a zero-width space in a key": lambda m: f"{m[1]}{m[2]}\u200b: {m[3]}",
    "a space that does not break": lambda m: f"{m[1]}{m[2]}:\u00a0{m[3]}",
    "indentation by such spaces": lambda m: f"{m[1].replace(' ', chr(160))}{m[2]}: {m[3]}" if "-" not in m[1] else m[0],
    "a tab for its indentation": lambda m: f"{chr(9) * (len(m[1]) // 2)}{m[2]}: {m[3]}" if "-" not in m[1] else m[0],
    "a tab among its indentation": lambda m: f"{m[1][2:]}\t{m[2]}: {m[3]}" if "-" not in m[1] else m[0],
    "bold as in Markdown": lambda m: f"{m[1]}**{m[2]}**: {m[3]}",
    "a key in backquotes": lambda m: f"{m[1]}`{m[2]}`: {m[3]}",
    "a dollar sign before a key": lambda m: f"{m[1]}@{m[2]}: {m[3]}",
}
_WORDS: dict[str, _Change] = {
    "value in backquotes": lambda m: f"{m[1]}{m[2]}: `{m[3]}`",
    "value begins with a percent sign": lambda m: f"{m[1]}{m[2]}: %{m[3]}",
    "value begins with a bracket that closes": lambda m: f"{m[1]}{m[2]}: ]{m[3]}",
    "value in angle quotes": lambda m: f"{m[1]}{m[2]}: «{m[3]}»",
    "value in curly quotes": lambda m: f"{m[1]}{m[2]}: “{m[3]}”",
    "value ends with a comma": lambda m: f"{m[1]}{m[2]}: {m[3]},",
    "value ends with a semicolon": lambda m: f"{m[1]}{m[2]}: {m[3]};",
    "value with a bracket left open": lambda m: f"{m[1]}{m[2]}: [{m[3]}",
    "value in braces": lambda m: f"{m[1]}{m[2]}: {{{m[3]}}}",
}
_BLOCKS: dict[str, _Change] = {
    "colon missing above a block": lambda m: f"{m[1]}{m[2]}",
    "semicolon above a block": lambda m: f"{m[1]}{m[2]};",
    "equals sign above a block": lambda m: f"{m[1]}{m[2]} =",
    "wide colon above a block": lambda m: f"{m[1]}{m[2]}：",
    "colon twice above a block": lambda m: f"{m[1]}{m[2]}::",
    "a bracket above a block": lambda m: f"{m[1]}{m[2]}: [",
    "a brace above a block": lambda m: f"{m[1]}{m[2]}: {{",
    "a comma above a block": lambda m: f"{m[1]}{m[2]}:,",
    "a bar above a list": lambda m: f"{m[1]}{m[2]}: -",
}
_ITEMS: dict[str, _Change] = {
    "dash without a space": lambda m: f"{m[1]}-{m[2]}: {m[3]}",
    "en dash for a dash": lambda m: f"{m[1]}– {m[2]}: {m[3]}",
    "em dash for a dash": lambda m: f"{m[1]}— {m[2]}: {m[3]}",
    "minus sign for a dash": lambda m: f"{m[1]}− {m[2]}: {m[3]}",
    "bullet for a dash": lambda m: f"{m[1]}• {m[2]}: {m[3]}",
    "star for a dash": lambda m: f"{m[1]}* {m[2]}: {m[3]}",
    "plus for a dash": lambda m: f"{m[1]}+ {m[2]}: {m[3]}",
    "number for a dash": lambda m: f"{m[1]}1. {m[2]}: {m[3]}",
    "dash twice": lambda m: f"{m[1]}-- {m[2]}: {m[3]}",
    "dash in a dash": lambda m: f"{m[1]}- - {m[2]}: {m[3]}",
    "a tab behind the dash": lambda m: f"{m[1]}-\t{m[2]}: {m[3]}",
    "dash one column off": lambda m: f"{m[1]} - {m[2]}: {m[3]}",
    "dash one column to the left": lambda m: f"{m[1][1:]}- {m[2]}: {m[3]}",
    "dash missing": lambda m: f"{m[1]}  {m[2]}: {m[3]}",
    "check box of Markdown": lambda m: f"{m[1]}- [ ] {m[2]}: {m[3]}",
}
_TEXT_ITEMS: dict[str, _Change] = {
    "text: dash without a space": lambda m: f"{m[1]}-{m[2]}",
    "text: en dash for a dash": lambda m: f"{m[1]}– {m[2]}",
    "text: bullet for a dash": lambda m: f"{m[1]}• {m[2]}",
    "text: star for a dash": lambda m: f"{m[1]}* {m[2]}",
    "text: number for a dash": lambda m: f"{m[1]}1. {m[2]}",
    "text: quote left open": lambda m: f'{m[1]}- "{m[2]}',
    "text: quote in the middle": lambda m: f'{m[1]}- "{m[2][:6]}" {m[2][6:].lstrip()}',
    "text begins with a quote": lambda m: f'{m[1]}- "{m[2].split(" ")[0]}" {" ".join(m[2].split(" ")[1:])}',
    "text begins with an at sign": lambda m: f"{m[1]}- @{m[2]}",
    "text begins with a backquote": lambda m: f"{m[1]}- `{m[2].split(' ')[0]}` {' '.join(m[2].split(' ')[1:])}",
    "text begins with a percent sign": lambda m: f"{m[1]}- %{m[2]}",
}
_LISTS: dict[str, _Change] = {
    "list: bracket left open": lambda m: f"{m[1]}[{m[2]}",
    "list: bracket never opened": lambda m: f"{m[1]}{m[2]}]",
    "list: brace for a bracket": lambda m: f"{m[1]}[{m[2]}}}",
    "list: parentheses": lambda m: f"{m[1]}({m[2]})",
    "list: bracket too many": lambda m: f"{m[1]}[{m[2]}]]",
    "list: comma twice": lambda m: f"{m[1]}[{m[2].replace(', ', ',, ', 1)}]" if ", " in m[2] else m[0],
}
_MAPPINGS: dict[str, _Change] = {
    "braces: left open": lambda m: f"{m[1]}{{{m[2]}",
    "braces: bracket for a brace": lambda m: f"{m[1]}{{{m[2]}]",
    "braces: one too many": lambda m: f"{m[1]}{{{m[2]}}}}}",
    "braces: colon without a space": lambda m: f"{m[1]}{{{m[2].replace(': ', ':', 1)}}}",
    "braces: equals sign": lambda m: f"{m[1]}{{{m[2].replace(': ', '=', 1)}}}",
    "braces: comma missing": lambda m: f"{m[1]}{{{m[2].replace(', ', ' ', 1)}}}" if ", " in m[2] else m[0],
}
_QUOTED: dict[str, _Change] = {
    "closing quote missing": lambda m: f'{m[1]}"{m[2]}',
    "opening quote missing": lambda m: f'{m[1]}{m[2]}"',
    "quotes inside of quotes": lambda m: f'{m[1]}"{m[2]} "so""',
    "a Windows path in double quotes": lambda m: f'{m[1]}"C:\\dir\\{m[2]}"',
    "text behind the quote": lambda m: f'{m[1]}"{m[2]}" more',
}


def _lost(kinds: dict[str, Plant], *names: str) -> dict[str, Plant]:
    """Kinds after which the mistake is there and what was there before is not: its right text is another."""
    return {name: (_otherwise(plant) if name in names else plant) for name, plant in kinds.items()}


def _otherwise(plant: Plant) -> Plant:
    def planted(suite: Suite, rng: random.Random) -> Planted | None:
        made = plant(suite, rng)
        return made and Planted(made.text, made.line, LOST)

    return planted


#: What else than the sound line can have been meant.
_ALSO: dict[str, _Change] = {
    "double quote never closed": lambda m: f'{m[1]}{m[2]}: "{m[3]}"',
    "single quote never closed": lambda m: f"{m[1]}{m[2]}: '{m[3]}'",
    "quotes of two kinds": lambda m: f'{m[1]}{m[2]}: "{m[3]}"',
    "value in backquotes": lambda m: f'{m[1]}{m[2]}: "`{m[3]}`"',
    "value begins with a percent sign": lambda m: f'{m[1]}{m[2]}: "%{m[3]}"',
    "value begins with a bracket that closes": lambda m: f'{m[1]}{m[2]}: "]{m[3]}"',
    "text: quote left open": lambda m: f'{m[1]}- "{m[2]}"',
    "opening quote missing": lambda m: f"{m[1]}{m[2]}",
    "quote never opened": lambda m: f'{m[1]}{m[2]}: "{m[3]}"',
}


def _at(pattern: str, changes: dict[str, _Change]) -> dict[str, Plant]:
    def sound(match: "re.Match[str]") -> str:
        return match[0]

    return {
        name: in_line(pattern, change, sound, _ALSO[name]) if name in _ALSO else in_line(pattern, change)
        for name, change in changes.items()
    }


def _fence(suite: Suite, _: random.Random) -> Planted | None:
    return Planted(f"```yaml\n{suite.text.rstrip(chr(10))}\n```\n", 0)


def _preface(suite: Suite, _: random.Random) -> Planted | None:
    return Planted(f"Here is the evaluation suite:\n\n{suite.text}", 0, (suite.text, f"\n{suite.text}"))


def _quoted_whole(suite: Suite, rng: random.Random) -> Planted | None:
    """A word in the middle of a quoted text that is quoted as well."""
    found = list(re.finditer(r"^( +(?:- )?[a-z_]+: )\"([^\"\\\n]+ )([a-z]+)( [^\"\\\n]+)\"$", suite.text, re.MULTILINE))
    if not found:
        return None
    m = rng.choice(found)
    right = f'{m[1]}"{m[2]}\\"{m[3]}\\"{m[4]}"'
    return replaced(suite, m.start(), m.end(), f'{m[1]}"{m[2]}"{m[3]}"{m[4]}"', right=(right,))


def _apostrophe(suite: Suite, rng: random.Random) -> Planted | None:
    """A text in single quotes with an apostrophe in it."""
    found = list(
        re.finditer(
            r"^( +(?:- )?[a-z_]+: )([A-Z][^\n#\"':\[\]{}|>]* )([a-z]+)( [^\n#\"':\[\]{}|>]+)$", suite.text, re.MULTILINE
        )
    )
    if not found:
        return None
    m = rng.choice(found)
    whole = f"{m[2]}{m[3]}'s{m[4]}"
    rights = (f"{m[1]}'{m[2]}{m[3]}''s{m[4]}'", f'{m[1]}"{whole}"', f"{m[1]}{whole}")
    return replaced(suite, m.start(), m.end(), f"{m[1]}'{whole}'", right=rights)


def _colon_in_text(suite: Suite, rng: random.Random) -> Planted | None:
    """A text with a colon in the middle."""
    found = list(
        re.finditer(r"^( +(?:- )?[a-z_]+: )([A-Z][^\n#\"':\[\]{}|>]+)( [^\n#\"':\[\]{}|>]+)$", suite.text, re.MULTILINE)
    )
    if not found:
        return None
    m = rng.choice(found)
    text = f"{m[2]}:{m[3]}"
    return replaced(suite, m.start(), m.end(), m[1] + text, right=(f'{m[1]}"{text}"', f"{m[1]}'{text}'"))


def _windows(suite: Suite, rng: random.Random) -> Planted | None:
    found = list(re.finditer(r"^( +(?:- )?[a-z_]+: )\"([a-z]+)\"$", suite.text, re.MULTILINE))
    if not found:
        return None
    m = rng.choice(found)
    rights = (f'{m[1]}"C:\\\\dir\\\\{m[2]}"', f"{m[1]}'C:\\dir\\{m[2]}'", f"{m[1]}C:\\dir\\{m[2]}")
    return replaced(suite, m.start(), m.end(), f'{m[1]}"C:\\dir\\{m[2]}"', right=rights)


def _block_on_one_line(suite: Suite, rng: random.Random) -> Planted | None:
    found = list(re.finditer(r"^( +(?:- )?[a-z_]+: [|>]-?)\n +(\S[^\n]*)$", suite.text, re.MULTILINE))
    if not found:
        return None
    m = rng.choice(found)
    return replaced(suite, m.start(), m.end(), f"{m[1]} {m[2]}")


_PLAIN: dict[str, Plant] = {
    **_at(_ENTRY, _ENTRIES),
    **_at(_WORD, _WORDS),
    **_at(_BLOCK, _BLOCKS),
    **_at(_ITEM, _ITEMS),
    **_at(_TEXT_ITEM, _TEXT_ITEMS),
    **_at(_LIST, _LISTS),
    **_at(_BRACES, _MAPPINGS),
    **{f"double quotes: {n}": p for n, p in _at(_DOUBLE, _QUOTED).items() if n != "a Windows path in double quotes"},
    "single quotes: closing quote missing": in_line(_SINGLE, lambda m: f"{m[1]}'{m[2]}"),
    "single quotes: opening quote missing": in_line(
        _SINGLE, lambda m: f"{m[1]}{m[2]}'", lambda m: m[0], lambda m: f"{m[1]}{m[2]}"
    ),
    "a Markdown fence around the file": _fence,
    "a sentence above the file": _preface,
    "quotes around a word in a quoted text": _quoted_whole,
    "an apostrophe in single quotes": _apostrophe,
    "a colon in the text": _colon_in_text,
    "backslashes in double quotes": _windows,
    "text behind the bar of a block": _block_on_one_line,
}

KINDS: dict[str, Plant] = _lost(
    _PLAIN,
    "double quotes: quotes inside of quotes",
    "double quotes: text behind the quote",
    "text begins with a quote",
    "text: quote in the middle",
    "text begins with an at sign",
    "text begins with a backquote",
    "text begins with a percent sign",
)
