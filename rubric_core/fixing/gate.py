"""The gate for fixes, refactorings and migration steps: only edits that do not make a text worse pass.

An edit is made in memory and the text is analyzed again. There may be no new findings, except those that were hidden
before: a misspelt key hides the findings of its value (`Finding.hides`).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from rubric_core.analysis import Analysis
from rubric_core.analysis.trial import Trial, try_edits_briefly
from rubric_core.fixing.blame import blameless_fixes
from rubric_core.fixing.comparison import FindingComparison, Named, finding_names
from rubric_core.fixing.fix_choice import Offered, keeps_comments, non_overlapping
from rubric_core.lazy_compilation import replace
from rubric_core.text import Edit
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = ["Gate"]

#: From this number of fixes on, trying them together is faster.
_SEVERAL = 8
#: The fixes of up to this many findings are always verified, whatever the cost.
_FEW = 8
#: The budget for trying the fixes of more findings: this many characters, plus this many times the text.
_MOST_READ, _MOST_TIMES = 100_000, 2
#: The fixed cost of a trial, as a number of characters read.
_EACH = 1_000
#: After a failed trial of several fixes, one in this many has to be blameless for another trial of several.
_MANY = 4
#: How many times a part with invalid YAML is read, on average, until it is repaired.
_BROKEN = 5
#: The identity of edits and of the finding that they fix.
_Offer = tuple[Named | None, tuple[Edit, ...] | int]


class Gate:
    """Verifies edits of one version of a text, each once."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._known: dict[_Offer, bool] = {}
        #: Fixes with many edits by their identity, as hashing all their edits is slow.
        self._long: dict[int, tuple[Edit, ...]] = {}
        #: The number of characters read to try edits.
        self._read = 0

    def fixes(self, found: Diagnostic) -> tuple[Fix, ...]:
        """The fixes of a finding that resolve it without causing new findings."""
        return tuple(fix for fix in found.fixes if self.resolves(found, fix.edits))

    def passed(self, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Findings with only those fixes. For many findings, the first fixes are tried together, then the second ones, and so on. A group that fails is tried in parts, down to single fixes. Within a budget of characters to read, the remaining fixes are left out and counted in `untried`; for a few findings, as on one line, every fix is tried."""
        most = self._read + _MOST_READ + _MOST_TIMES * len(self.analysis.document)
        self._try_shared(found, most)
        for number in range(max((len(each.fixes) for each in found), default=0)):
            self._try_together([(each, each.fixes[number]) for each in found if len(each.fixes) > number], most)
        kept: list[Diagnostic] = []
        for number, each in enumerate(found):
            tries = number < _FEW or self._read <= most
            fixes = tuple(f for f in each.fixes if (self.resolves if tries else self._known_to_resolve)(each, f.edits))
            if len(fixes) != len(each.fixes):
                untried = 0 if tries else sum(not self._is_known(each, fix.edits) for fix in each.fixes)
                kept.append(replace(each, fixes=fixes, untried=untried))
            else:
                kept.append(each)
        return tuple(kept)

    def verified(self, offered: Sequence[Offered]) -> list[Offered]:
        """The verified ones among some fixes, within the budget: several together, then first one of each kind."""
        most = self._read + _MOST_READ + _MOST_TIMES * len(self.analysis.document)
        self._try_together(offered, most)
        kinds: Counter[object] = Counter()
        turns: list[tuple[int, int]] = []
        for number, (found, fix) in enumerate(offered):
            kind = found.group, tuple(edit.new_text for edit in fix.edits)
            turns.append((kinds[kind], number))
            kinds[kind] += 1
        held: set[int] = set()
        for _, number in sorted(turns):
            found, fix = offered[number]
            tries = len(offered) <= _FEW or self._read <= most
            if (self.resolves if tries else self._known_to_resolve)(found, fix.edits):
                held.add(number)
        return [each for number, each in enumerate(offered) if number in held]

    def _try_shared(self, found: Sequence[Diagnostic], most: int) -> None:
        """Try a fix that many findings share once, for all of them."""
        shared: dict[int, list[Offered]] = defaultdict(list)
        for each in found:
            for fix in each.fixes:
                if len(fix.edits) > 1:
                    shared[id(fix)].append((each, fix))
        for offered in shared.values():
            fix = offered[0][1]
            tries = len(offered) > 1 and self._read <= most and keeps_comments(self.analysis.document.text, fix.edits)
            if tries and self._try(fix.edits, offered):
                self._known |= {self._key(each, fix.edits): True for each, _ in offered}

    def _try_together(self, offered: Sequence[Offered], most: int) -> None:
        """Verify fixes by trying them together; those that touch one another are tried in turns."""
        text = self.analysis.document.text
        left = [each for each in offered if not self._known_to_resolve(each[0], each[1].edits)]
        left = [each for each in left if keeps_comments(text, each[1].edits)]
        while len(chosen := non_overlapping(left)) >= _SEVERAL:
            self._try_parts(chosen, most)
            done = {self._key(found, fix.edits) for found, fix in chosen}
            left = [(found, fix) for found, fix in left if self._key(found, fix.edits) not in done]

    def _try_parts(self, chosen: Sequence[Offered], most: int) -> None:
        """Try fixes together. If that fails, those that are not to blame are tried together, and so are the others. If the blame is unknown, each half is tried, so that a bad fix costs a few trials. Fixes that nearly all are to blame, such as those that write the same name, are left to be tried one by one."""
        parts = [chosen]
        while parts and self._read <= most:
            part = parts.pop()
            compared = self._compared(tuple(edit for _, fix in part for edit in fix.edits), part)
            if compared is not None and compared.holds:
                self._known |= {self._key(each, fix.edits): True for each, fix in part}
                continue
            kept = blameless_fixes(self.analysis.document, compared, part) if compared is not None else []
            if not kept:
                halves = [part[len(part) // 2 :], part[: len(part) // 2]]
            elif len(kept) >= len(part) // _MANY:
                known = {id(each) for each in kept}
                halves = [[each for each in part if id(each) not in known], kept]
            else:
                continue
            parts += (half for half in halves if len(half) >= _SEVERAL)

    def _try(self, edits: tuple[Edit, ...], offered: Sequence[Offered]) -> bool:
        """Whether edits resolve every finding they are offered for and cause nothing new."""
        compared = self._compared(edits, offered)
        return compared is not None and compared.holds

    def _compared(self, edits: tuple[Edit, ...], offered: Sequence[Offered]) -> FindingComparison | None:
        """The findings before and after the edits; None for edits that overlap."""
        names = {finding_names(each) for each, _ in offered}
        trial = self._tried(edits, names)
        return FindingComparison(trial, names) if trial is not None else None

    def resolves(self, found: Diagnostic, edits: tuple[Edit, ...]) -> bool:
        """Whether edits resolve a finding and cause nothing new."""
        key = self._key(found, edits)
        if key not in self._known:
            self._known[key] = self._resolves(found, edits)
        return self._known[key]

    def _is_known(self, found: Diagnostic, edits: tuple[Edit, ...]) -> bool:
        """Whether the effect of the edits on a finding is already known."""
        return self._key(found, edits) in self._known

    def _known_to_resolve(self, found: Diagnostic, edits: tuple[Edit, ...]) -> bool:
        """Whether edits are already known to resolve a finding, without trying them."""
        return self._known.get(self._key(found, edits), False)

    def _key(self, found: Diagnostic | None, edits: tuple[Edit, ...]) -> _Offer:
        """The identity of edits, offered for a finding or chosen by the user."""
        name = finding_names(found) if found is not None else None
        if len(edits) <= _SEVERAL:
            return name, edits
        return name, id(self._long.setdefault(id(edits), edits))

    def accepts(self, edits: Sequence[Edit]) -> bool:
        """Whether edits chosen by the user cause no new findings."""
        made = tuple(edits)
        key = self._key(None, made)
        if key not in self._known:
            trial = self._tried(made)
            self._known[key] = trial is not None and not FindingComparison(trial).is_worse
        return self._known[key]

    def _resolves(self, found: Diagnostic, edits: tuple[Edit, ...]) -> bool:
        trial, name = self._tried(edits, {finding_names(found)}), finding_names(found)
        if trial is None or not keeps_comments(self.analysis.document.text, edits):
            return False
        return FindingComparison(trial, (name,)).holds

    def _tried(self, edits: tuple[Edit, ...], meant: AbstractSet[Named] = frozenset()) -> Trial | None:
        """The analysis of the edited text; None for edits that overlap."""
        document = self.analysis.document
        try:
            trial, everywhere = try_edits_briefly(
                self.analysis, edits, lambda near: meant <= set(map(finding_names, near.before))
            )
        except ValueError:
            return None
        self._read += _EACH + sum(map(self._length, {document.block_at(e.span.start) for e in edits}))
        if everywhere:
            self._read += len(document) // 8  # unchanged parts are not read again, only combined
        return trial

    def _length(self, number: int) -> int:
        """The number of characters read to analyse a block again."""
        block = self.analysis.document.blocks[number]
        state = self.analysis.states[block if block.key else self.analysis.frame.block]
        return len(block.text) * (_BROKEN if state.tree.problems else 1)
