"""Compares the findings of a text before and after edits."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from itertools import accumulate

from rubric_core.analysis.trial import Trial
from rubric_core.cached_properties import cached_property
from rubric_core.fixing.offset_origin import OffsetOrigin, OriginFinder
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic

__all__ = ["FindingComparison", "Named", "finding_names"]

_LOUD = ("error", "warning")
#: Syntax findings; a text with more of them is worse.
_UNREADABLE = frozenset({"syntax-error", "too-large"})
#: Identifies a finding in its text.
Named = tuple[str, int, str]
_Key = Callable[[Diagnostic, int], tuple[object, ...]]


def finding_names(found: Diagnostic) -> Named:
    """The key that identifies a finding within its text."""
    return found.group, found.span.start, found.message


class FindingComparison:
    """The difference between the findings before and after edits.

    Args:
        trial: The findings of both texts.
        meant: Those that the edits are meant to take away.
    """

    def __init__(self, trial: Trial, meant: Collection[Named] = ()) -> None:
        self._shift = shift = OriginFinder(trial.edits)
        self._trial = trial
        #: The text after the edits.
        self.analysis = trial.analysis
        self._meant = meant
        self._mends_syntax = any(group in _UNREADABLE for group, _, _ in meant)
        #: Resolved findings, and new ones, each with its original place.
        self.gone = list(trial.before)
        self.new = [(each, shift.origin(each.span.start)) for each in trial.after]
        #: Remaining findings, each as a pair of its old and its new form.
        self.kept: list[tuple[Diagnostic, Diagnostic]] = []
        # The same place and message.
        self._pair(lambda d, at: (d.group, at, d.message))
        # The same place with another message, which mentions other places that changed.
        self._pair(lambda d, at: (d.group, at), apart_from=meant)
        # Another place, since its text was moved.
        self._pair(lambda d, _: (d.group, d.message), moved=True)

    def _pair(self, key: _Key, *, moved: bool = False, apart_from: Collection[Named] = ()) -> None:
        """Pair findings before and after by `key`, one by one."""
        before: dict[tuple[object, ...], list[Diagnostic]] = defaultdict(list)
        left: list[Diagnostic] = []
        for old in self.gone:
            (left if finding_names(old) in apart_from else before[key(old, old.span.start)]).append(old)
        new: list[tuple[Diagnostic, OffsetOrigin]] = []
        for diagnostic, origin in self.new:
            same = before.get(key(diagnostic, origin.offset)) if moved or origin.edit is None else None
            if same:
                self.kept.append((same.pop(0), diagnostic))
            else:
                new.append((diagnostic, origin))
        self.new = new
        self.gone = [*left, *(each for some in before.values() for each in some)]

    @property
    def left(self) -> set[Named]:
        """Findings that the edits should have resolved but that remain."""
        return set(self._meant) - {finding_names(each) for each in self.gone}

    @property
    def holds(self) -> bool:
        """Whether the edits resolved everything they should and caused nothing new."""
        return not self.left and not self.is_worse

    @property
    def is_worse(self) -> bool:
        """Whether the parser has more to say (of a fixed syntax error: as much), or there are new errors or warnings."""
        before, after = self._trial.stumbles
        unread = after > before or (self._mends_syntax and after == before)
        return unread or any(True for _ in self._introduced())

    def origins_of_brought(self) -> list[OffsetOrigin]:
        """The origins of new findings; while there are new syntax errors, only those, since they cause the others."""
        before, after = self._trial.stumbles
        stumbled = [self._shift.origin(offset) for offset in self._trial.stumbled] if after > before else []
        return stumbled or [origin for _, origin in self._introduced()]

    def _introduced(self) -> Iterator[tuple[Diagnostic, OffsetOrigin]]:
        before, after = self._trial.stumbles
        for diagnostic, origin in self.new:
            if diagnostic.group in _UNREADABLE:
                # Of two mistakes in one place, the second may be reported differently once the first is fixed.
                if after >= before:
                    yield diagnostic, origin
            elif diagnostic.severity in _LOUD and not self._was_hidden(origin):
                yield diagnostic, origin

    def _was_hidden(self, origin: OffsetOrigin) -> bool:
        """Whether a resolved finding prevented this check before. Text that an edit wrote cannot have been hidden."""
        spans, ends = self._hidden
        at = bisect_right(spans, origin.offset, key=lambda span: span.start) - 1
        while at >= 0 and ends[at] >= origin.offset:
            hidden, edit = spans[at], origin.edit
            whole = edit is not None and edit.span.start <= hidden.start and hidden.end <= edit.span.end
            if origin.offset <= hidden.end and not whole:
                return True
            at -= 1
        return False

    @cached_property
    def _hidden(self) -> tuple[list[Span], list[int]]:
        """The ranges hidden by resolved findings, sorted, and for each the greatest end so far."""
        spans = sorted({old.hides for old in self.gone if old.hides is not None})
        return spans, list(accumulate((span.end for span in spans), max))
