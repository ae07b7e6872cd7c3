"""The one gate for fixes, refactorings and steps of migrations: only what leaves a text better, or as good, gets through.

An edit is made in memory and the text is looked at again. Nothing may be wrong afterwards that was not wrong before, apart
from what could not be seen before: a misspelt key hides what is wrong with its value (`Finding.hides`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rubric_core.analysis import Analysis
from rubric_core.analysis.trial import Trial, tried, tried_nearby
from rubric_core.fixing.choice import Offered, apart, keeps_comments
from rubric_core.fixing.comparison import Comparison, Named, named
from rubric_core.text import Edit
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = ["Gate"]

#: From so many fixes on it takes less time to try them together.
_SEVERAL = 8


class Gate:
    """Looks at what edits would make of one version of a text, each once."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._known: dict[tuple[Named | None, tuple[Edit, ...]], bool] = {}

    def fixes(self, found: Diagnostic) -> tuple[Fix, ...]:
        """The fixes of a finding that take it away and bring nothing new."""
        return tuple(fix for fix in found.fixes if self.mends(found, fix.edits))

    def passed(self, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Findings with only those fixes. Of many the first fixes are tried together, the second ones together, and so on."""
        for number in range(max((len(each.fixes) for each in found), default=0)):
            self._try_together([(each, each.fixes[number]) for each in found if len(each.fixes) > number])
        return tuple(each if all(self._holds(each)) else replace(each, fixes=self.fixes(each)) for each in found)

    def _holds(self, found: Diagnostic) -> Iterator[bool]:
        return (self.mends(found, fix.edits) for fix in found.fixes)

    def _try_together(self, offered: Sequence[Offered]) -> None:
        """Where some fixes hold up together, each of them does."""
        text = self.analysis.document.text
        chosen = apart(each for each in offered if keeps_comments(text, each[1].edits))
        if len(chosen) < _SEVERAL:
            return
        trial = self._tried(tuple(edit for _, fix in chosen for edit in fix.edits))
        if trial is None:
            return
        names = {named(each) for each, _ in chosen}
        compared = Comparison(trial, names)
        if names <= {named(each) for each in compared.gone} and not compared.is_worse:
            self._known |= {(named(each), fix.edits): True for each, fix in chosen}

    def mends(self, found: Diagnostic, edits: tuple[Edit, ...]) -> bool:
        """Whether edits take a finding away and bring nothing new."""
        key = (named(found), edits)
        if key not in self._known:
            self._known[key] = self._mends(found, edits)
        return self._known[key]

    def lets(self, edits: Sequence[Edit]) -> bool:
        """Whether edits that somebody chooses to make bring nothing new."""
        key = (None, tuple(edits))
        if key not in self._known:
            trial = self._tried(key[1])
            self._known[key] = trial is not None and not Comparison(trial).is_worse
        return self._known[key]

    def _mends(self, found: Diagnostic, edits: tuple[Edit, ...]) -> bool:
        trial, name = self._tried(edits, found), named(found)
        if trial is None or not keeps_comments(self.analysis.document.text, edits):
            return False
        compared = Comparison(trial, (name,))
        return any(named(each) == name for each in compared.gone) and not compared.is_worse

    def _tried(self, edits: tuple[Edit, ...], found: Diagnostic | None = None) -> Trial | None:
        """What becomes of the text; None for edits that cannot be made together."""
        try:
            trial = tried_nearby(self.analysis, edits)
            if trial is None or (found is not None and named(found) not in map(named, trial.before)):
                trial = tried(self.analysis, edits)
        except ValueError:
            return None
        return trial
