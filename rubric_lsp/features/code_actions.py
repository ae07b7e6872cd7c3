"""Code actions: the fixes of findings here, all safe fixes at once, rewrites, and runs."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from rubric_core.analysis import Analysis
from rubric_core.analysis.repetitions import Key, repetition_key
from rubric_core.fixing import Gate, apply_safe_fixes, non_overlapping, safe_fix
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.text import Edit, Span
from rubric_core.validation.ignore_fixes import Suppressions
from rubric_lsp.features.run_actions import RUN, RUN_RESULTS, RunAction

__all__ = ["FIX_ALL", "KINDS", "QUICK_FIX", "RUN", "RUN_RESULTS", "Action", "Reader", "actions"]

#: Gives the text of a file that a suite refers to.
Reader = Callable[[str], str | None]

QUICK_FIX, FIX_ALL = "quickfix", "source.fixAll.rubric"
#: The longest text, in characters, whose edits are all computed before they are requested.
_SOON = 50_000
#: The most fixes that are computed before they are requested, whatever the length of the text.
_FEW = 20
# While these are reported, other findings may be missing.
_NOT_TO_BE_IGNORED = frozenset({"syntax-error", "too-large"})
_REWRITE, _MIGRATE = "refactor.rewrite", "refactor.rewrite.migrate"
#: In the order in which users need them: first fixes and runs.
KINDS = (QUICK_FIX, FIX_ALL, RUN, RUN_RESULTS, "refactor.extract", "refactor.inline", _REWRITE, _MIGRATE)


@dataclass(frozen=True, slots=True)
class Action:
    """A code action: edits, or a command whose first argument is the document's URI."""

    title: str
    kind: str
    edits: tuple[Edit, ...] = ()
    command: str = ""
    case_id: str = ""
    #: Further arguments of the command, after the id of the case.
    more: tuple[str | int, ...] = ()
    preferred: bool = False
    #: The code and span of the finding that it fixes.
    code: str = ""
    at: Span | None = None
    #: Computes the edits when the action is chosen, if that is expensive.
    later: Callable[[], tuple[Edit, ...]] | None = field(default=None, compare=False)
    #: Whether the cost does not grow with the length of the text.
    brief: bool = False
    #: Why the action is not possible here, if it is only shown.
    disabled: str = ""
    #: Whether it keeps the finding and adds an ignore comment.
    ignores: bool = False

    def settled(self, length: int, known: dict[str, tuple[Edit, ...]]) -> "Action | None":
        """The action with its edits, for a client that needs them at once; None if there are none.

        `length` is that of the text in characters: for a long text, nothing is computed in advance. `known` are the
        edits that were computed before for this version, by title.
        """
        if self.later is None:
            return self
        if self.title not in known:
            known[self.title] = self.later() if length <= _SOON or self.brief else ()
        edits = known[self.title]
        return replace(self, edits=edits, later=None) if edits else None


def actions(
    analysis: Analysis,
    within: Span,
    *,
    asked: bool = True,
    wanted: Callable[[str], bool] = lambda _: True,
    read: Reader = lambda _: None,
    runs: Callable[[], Iterable[RunAction]] = tuple,
    listed: Collection[tuple[str, int]] = (),
    gate: Gate | None = None,
) -> list[Action]:
    """The code actions of a range, in the order of `KINDS`.

    Args:
        analysis: The text.
        within: The range: the selection, or the cursor.
        asked: Whether the user asked, rather than the editor, which only checks whether there is anything to offer.
        wanted: Whether a kind of action is requested.
        read: Gives the text of a file that the text refers to.
        runs: Gives the actions about runs.
        listed: Findings that the editor shows on the line, by code and offset: they count even beside the cursor.
        gate: Verifies fixes of this text, and remembers the verified ones.
    """
    found: list[Action] = []
    gate = gate or Gate(analysis)
    if wanted(QUICK_FIX):
        found += _fixes(analysis, within, listed, gate)
    if wanted(FIX_ALL) and (safe := _safe(analysis)):
        found.append(_all_of(analysis, "Apply all safe fixes", FIX_ALL, safe))
    if wanted(RUN) or wanted(RUN_RESULTS):
        found += (Action(a.title, a.kind, command=a.command, case_id=a.case_id, more=a.more) for a in runs())
    if asked and any(wanted(kind) for kind in KINDS if kind.startswith("refactor.")):
        found += _refactorings(analysis, within, read, gate)
    return sorted((a for a in found if wanted(a.kind)), key=lambda a: KINDS.index(a.kind))


def _safe(analysis: Analysis, code: str | None = None) -> int:
    """The number of findings, of all codes or of one, that have a safe fix."""
    return sum(1 for d in analysis.found.each() if code in (None, d.code) and safe_fix(d))


def _all_of(analysis: Analysis, title: str, kind: str, amount: int, code: str | None = None) -> Action:
    """An action that applies every safe fix, or every one for a code."""

    def edits() -> tuple[Edit, ...]:
        from rubric_core.migration.line_diff import edits_between  # noqa: PLC0415  # not before somebody asks

        return edits_between(analysis.document.text, apply_safe_fixes(analysis, code).analysis.document.text)

    return Action(title, kind, later=edits, brief=amount <= _FEW, code=code or "")


def _refactorings(analysis: Analysis, within: Span, read: Reader, gate: Gate) -> Iterator[Action]:
    # Computed on request: most clients never ask.
    from rubric_core.migration import steps_at  # noqa: PLC0415
    from rubric_core.refactoring import refactorings  # noqa: PLC0415

    for found in refactorings(analysis, within.start):
        if gate.accepts(found.edits):
            yield Action(found.title, f"refactor.{found.kind}", found.edits)
    for offer in steps_at(analysis, within.start, read):
        if offer.scope == "file":
            yield Action(offer.title, _MIGRATE, later=partial(getattr, offer, "edits"))
        elif gate.accepts(offer.edits):
            # A part of a file is migrated only if the whole file keeps a single dialect.
            yield Action(offer.title, _MIGRATE, offer.edits)


def _fixes(analysis: Analysis, within: Span, listed: Collection[tuple[str, int]], gate: Gate) -> Iterator[Action]:
    several: dict[str, int] = {}
    repeated: dict[Key, str] = {}
    first, last = analysis.document.block_at(within.start), analysis.document.block_at(within.end)
    blocks = [analysis.document.start(number) for number in range(first, last + 1)]
    offsets = (within.start, within.end, *blocks, *(offset for _, offset in listed))
    here = [
        found
        for found in analysis.found.near(analysis.document, offsets)
        if (found.span.start <= within.end and found.span.end >= within.start)
        or (found.code, found.span.start) in listed
    ]
    suppressions = Suppressions(
        analysis.document, lambda block: analysis.states[block].tree if block in analysis.states else None
    )
    passed = gate.passed(here)
    for found in passed:
        for fix in found.fixes:
            title = fix.title[:1].upper() + fix.title[1:]
            yield Action(title, QUICK_FIX, fix.edits, preferred=fix.safe, code=found.code, at=found.span)
        key = repetition_key(found)
        if safe_fix(found) and found.code not in several:
            several[found.code] = _safe(analysis, found.code)
        elif key is not None and found.fixes and analysis.repetitions.counts[key] > 1:
            repeated.setdefault(key, found.fixes[0].title)
        if found.code in _NOT_TO_BE_IGNORED:
            continue
        quiet = suppressions.edit(found)
        if quiet is not None:
            title = f"Ignore {found.code} here"
            yield Action(title, QUICK_FIX, (quiet,), code=found.code, at=found.span, ignores=True)
    untried = sum(found.untried for found in passed)
    if untried:
        reason = "Trying every fix of so many findings takes too long: select fewer lines."
        yield Action(f"{untried} more fixes, which were not tried", QUICK_FIX, disabled=reason)
    for code, amount in several.items():
        if amount > 1:
            yield _all_of(analysis, f"Fix every {code} with safe fixes", QUICK_FIX, amount, code)
    for key, title in repeated.items():
        yield _everywhere(analysis, key, title, gate)


def _everywhere(analysis: Analysis, key: Key, title: str, gate: Gate) -> Action:
    """An action that applies the same fix to all findings that repeat one another."""

    def edits() -> tuple[Edit, ...]:
        alike = [d for d in analysis.diagnostics if d.fixes and d.fixes[0].title == title and repetition_key(d) == key]
        made = tuple(edit for _, fix in non_overlapping((d, d.fixes[0]) for d in alike) for edit in fix.edits)
        return made if gate.accepts(made) else ()

    words = f"{title[:1].upper()}{title[1:]}, everywhere in this file"
    return Action(words, QUICK_FIX, later=edits, code=key[0])
