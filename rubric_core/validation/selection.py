"""Selects findings and their severity by configuration and command line."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, cast, get_args

from rubric_core.language.releases import Releases
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.validation.rule import Diagnostic, Severity

__all__ = ["EVERYTHING", "LEVELS", "OPINIONS", "Level", "Selection"]

#: Codes about style, where nothing is wrong. A check reports them when they are selected, or have a severity in a configuration.
OPINIONS = frozenset({"author-note", "unstated-required"})

Level = Severity | Literal["off"]
#: Every severity in a configuration.
LEVELS: tuple[str, ...] = (*get_args(Severity), "off")


@dataclass(frozen=True, slots=True)
class Selection:
    """Immutable; equal selections show the same."""

    #: Only these codes; None: all of them.
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    #: Overrides of the rules' severities.
    severity: Mapping[str, Level] = field(default_factory=dict)
    #: The releases of the engine whose refusals count; None where the files tell.
    releases: Releases | None = None

    def shows(self, code: str, group: str = "") -> bool:
        """Whether findings of that code are wanted at all. What is said of a code counts more than what is said of its group."""
        listed = self.select is None or code in self.select or group in self.select
        # Where only the group is ignored, the code may be selected nevertheless.
        kept = group not in self.ignore or (self.select is not None and code in self.select)
        return listed and kept and code not in self.ignore and self._level(code, group) != "off"

    def _level(self, code: str, group: str) -> Level | None:
        """The configured severity of a code, or of its group."""
        return self.severity.get(code, self.severity.get(group))

    def of(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The selected ones of `diagnostics`, with their configured severities."""
        for diagnostic in diagnostics:
            if self.shows(diagnostic.code, diagnostic.group):
                level = self._level(diagnostic.code, diagnostic.group) or diagnostic.severity
                same = level in (diagnostic.severity, "off")
                yield diagnostic if same else replace(diagnostic, severity=cast("Severity", level))


#: Every finding with its rule's severity.
EVERYTHING = Selection()
