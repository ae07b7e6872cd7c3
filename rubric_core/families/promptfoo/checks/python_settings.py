"""Settings that a provider in Python reads, and that are a slip of one which the configuration has."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.program_uses import ProgramUse

__all__ = ["SettingSlip", "misread_settings"]

_CONFIG = r"options(?:\[[\"']config[\"']\]|\.get\([\"']config[\"'](?:,[ ]?(?:\{\}|dict\(\)))?\))"
#: Another name for all settings.
_CALLED = pattern(rf"^[ \t]{{1,40}}(\w{{1,60}})[ ]?=[ ]?\(?{_CONFIG}(?:[ ]or[ ]\{{\}})?\)?[ \t]{{0,9}}$", 8)
_READ = pattern(
    rf"(?<![\w.])(?P<of>{_CONFIG}|\w{{1,60}})"
    r"(?:\[[\"'](?P<item>\w{1,60})[\"']\](?![ ]?=[^=])|(?P<get>\.get)\([\"'](?P<name>\w{1,60})[\"'])"
)


class SettingSlip(NamedTuple):
    """A setting that no configuration has, and the one that was probably meant."""

    offset: int
    name: str
    meant: str
    #: Whether the code copes with a setting that is not there.
    is_optional: bool


def misread_settings(code: str, called: Iterable[ProgramUse]) -> Iterator[SettingSlip]:
    """What a provider reads of its settings, where all configurations that name it have a similar name that it never reads."""
    uses = [use.settings for use in called if use.role == "provider"]
    if "options" not in code or not uses or not all(uses):
        return
    names = {found[1] for found in _CALLED.finditer(code)}
    reads = [
        m for m in _READ.finditer(code) if m["of"] in names or (m["of"].startswith("options") and m["of"] != "options")
    ]
    read = {found["item"] or found["name"] for found in reads}
    known = frozenset[str]().union(*uses)
    for found in reads:
        name = found["item"] or found["name"]
        meant = next((each for each in sorted(known - read) if is_typo(name, each)), None)
        if name not in known and meant is not None and code.count(f'"{meant}"') + code.count(f"'{meant}'") == 0:
            at = found.start("item") if found["item"] else found.start("name")
            yield SettingSlip(at, name, meant, is_optional=bool(found["get"]))
