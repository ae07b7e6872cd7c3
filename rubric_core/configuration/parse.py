"""Parses a configuration file."""

import re
import sys
from pathlib import Path
from typing import Any

from rubric_core.analysis import Language
from rubric_core.configuration.model import Configuration
from rubric_core.configuration.problems import Keys, Problems, advice
from rubric_core.language.releases import Releases
from rubric_core.loading.path_patterns import Patterns
from rubric_core.syntax.blocks import Document
from rubric_core.validation.selection import LEVELS, Level

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["SETTINGS", "read", "unreadable_configuration"]

_CODES, _PATTERNS = "a list of codes", "a list of patterns"
#: Every setting and its reader.
SETTINGS = {
    "dialect": "the name of a dialect",
    "agentv": 'the release in use, such as "4.42"',
    "select": _CODES,
    "ignore": _CODES,
    "severity": "a table of codes and severities",
    "per-file-ignores": "a table of patterns and lists of codes",
    "include": _PATTERNS,
    "exclude": _PATTERNS,
}
_WORDS = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
_OWN_TABLE = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*rubric\b", re.MULTILINE)


def read(path: Path, text: str, language: Language) -> Configuration | None:
    """The configuration in `text`; None for a pyproject.toml without a table `tool.rubric`."""
    keys: Keys = ("tool", "rubric") if path.name == "pyproject.toml" else ()
    problems = Problems(text, keys, language)
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if keys and not _OWN_TABLE.search(text):
            return None
        problems.no_toml(str(error))
        table = {}
    else:
        for name in keys:
            table = table.get(name) if isinstance(table, dict) else None
    if table is None:
        return None
    settings = _Reader(path, problems, language).settings(table)
    return Configuration(path=path, document=Document.of(text), diagnostics=problems.diagnostics, **settings)


def unreadable_configuration(path: Path, message: str, language: Language) -> Configuration:
    """The configuration of an unreadable file."""
    problems = Problems("", (), language)
    problems.unreadable(message)
    return Configuration(path=path, diagnostics=problems.diagnostics)


class _Reader:
    """Reads settings from a table; invalid ones become problems."""

    def __init__(self, path: Path, problems: Problems, language: Language) -> None:
        self.path = path
        self.problems = problems
        self.codes = language.codes
        self.known = language.dialects
        self.dialects = [d.name for d in language.dialects]

    def settings(self, table: object) -> dict[str, Any]:
        """The arguments for `Configuration`."""
        if not isinstance(table, dict):
            self.problems.at_value((), f"`tool.rubric` has to be a table, found {_word(table)}")
            return {}
        for name in table:
            if name not in SETTINGS:
                self._unknown_setting(name)
        releases = self._releases(table.get("agentv"))
        return {
            "dialect": self._dialect(table.get("dialect")) or self._dialect_of(releases),
            "releases": releases,
            "select": self._select(table.get("select")),
            "ignore": self._listed(("ignore",), table.get("ignore")),
            "severity": self._severity(table.get("severity")),
            "per_file_ignores": self._per_file(table.get("per-file-ignores")),
            "include": self._patterns("include", table.get("include")),
            "exclude": self._patterns("exclude", table.get("exclude")),
        }

    def _unknown_setting(self, name: str) -> None:
        words, meant = advice(name, SETTINGS, f"the settings are {', '.join(SETTINGS)}")
        if name == "tool":
            words, meant = f"; in {self.path.name} the settings are at the top level, without `[tool.rubric]`", None
        self.problems.at_key((name,), f"there is no setting `{name}`{words}", meant=meant)

    def _dialect(self, value: object) -> str | None:
        if not self._is(("dialect",), value, str):
            return None
        if value not in self.dialects:
            words, meant = advice(str(value), self.dialects, f"there are {', '.join(self.dialects)}")
            self.problems.at_value(("dialect",), f"there is no dialect `{value}`{words}", meant=meant)
            return None
        return str(value)

    def _releases(self, value: object) -> Releases | None:
        if not self._is(("agentv",), value, str):
            return None
        releases = Releases.of(str(value))
        if releases is None:
            self.problems.at_value(("agentv",), f"`agentv` takes {SETTINGS['agentv']}, found `{value}`")
        return releases

    def _dialect_of(self, releases: Releases | None) -> str | None:
        """The dialect that one release reads; None where several dialects are possible."""
        if releases is None:
            return None
        newest = self.known[-1]
        read = [
            d.name
            for d in self.known
            if d.first_release <= releases.last and (d is newest or releases.first <= d.release)
        ]
        return read[0] if len(read) == 1 else None

    def _select(self, value: object) -> frozenset[str] | None:
        if value == []:
            self.problems.at_value(("select",), "this selects no code, so nothing would ever be reported")
        # A list of only mistakes must not make every check pass.
        return self._listed(("select",), value) or None

    def _listed(self, keys: Keys, value: object) -> frozenset[str]:
        """The codes of a list."""
        known = set()
        for number, code in self._texts(keys, value, _CODES):
            if code in self.codes:
                known.add(code)
            else:
                words, meant = advice(code, self.codes, "`rubric explain` lists them")
                self.problems.at_value((*keys, number), f"there is no code `{code}`{words}", meant=meant)
        return frozenset(known)

    def _severity(self, value: object) -> dict[str, Level]:
        result: dict[str, Level] = {}
        for code, level in value.items() if self._is(("severity",), value, dict) and isinstance(value, dict) else ():
            if code not in self.codes:
                words, meant = advice(code, self.codes, "`rubric explain` lists them")
                self.problems.at_key(("severity", code), f"there is no code `{code}`{words}", meant=meant)
            elif level in LEVELS:
                result[code] = level
            elif self._is(("severity", code), level, str, "a severity"):
                words, meant = advice(level, LEVELS, f"there are {', '.join(LEVELS)}")
                self.problems.at_value(("severity", code), f"there is no severity `{level}`{words}", meant=meant)
        return result

    def _per_file(self, value: object) -> tuple[tuple[Patterns, frozenset[str]], ...]:
        if not self._is(("per-file-ignores",), value, dict) or not isinstance(value, dict):
            return ()
        found = []
        for pattern, listed in value.items():
            keys: Keys = ("per-file-ignores", pattern)
            codes = self._listed(keys, listed)
            try:
                found.append((Patterns(self.path.parent, [pattern]), codes))
            except ValueError:
                self.problems.at_key(keys, f"`{pattern}` is not a pattern")
        return tuple(found)

    def _patterns(self, name: str, value: object) -> Patterns | None:
        usable = []
        for number, text in self._texts((name,), value, _PATTERNS):
            try:
                Patterns(self.path.parent, [text])
                usable.append(text)
            except ValueError:
                self.problems.at_value((name, number), f"`{text}` is not a pattern")
        return Patterns(self.path.parent, usable) if usable else None

    def _texts(self, keys: Keys, value: object, wanted: str) -> list[tuple[int, str]]:
        """The texts of a list with their numbers."""
        if not self._is(keys, value, list, wanted) or not isinstance(value, list):
            return []
        for number, item in enumerate(value):
            if not isinstance(item, str):
                self.problems.at_value((*keys, number), f"`{keys[0]}` takes {wanted}, found {_word(item)} in it")
        return [(number, item) for number, item in enumerate(value) if isinstance(item, str)]

    def _is(self, keys: Keys, value: object, kind: type, wanted: str = "") -> bool:
        """Whether a value has that type; a problem if it exists and has another one."""
        if value is None or isinstance(value, kind):
            return value is not None
        self.problems.at_value(keys, f"`{keys[-1]}` takes {wanted or SETTINGS[str(keys[0])]}, found {_word(value)}")
        return False


def _word(value: object) -> str:
    return _WORDS.get(type(value), "a date")
