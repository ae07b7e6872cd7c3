"""The result of a case: verdicts and scores, each with its source."""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from rubric_core.evaluation.model.exchanges import Exchange, Usage, tokens_of
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Tokens

__all__ = ["ROW", "CaseResult", "CriterionResult", "EvaluatorResult", "Tally", "Ungraded", "Verdict", "criterion_label"]

#: The key of `CaseResult.details` with the prompt, the values and the test of a variation that is a row of a matrix.
ROW = "row"
#: Characters of the text by which a criterion without an id is called.
_LONGEST_LABEL = 60
#: The threshold of a result in which no score decides, because every check has to pass.
_EVERY_CHECK = 1.0


class Verdict(str, Enum):
    """The verdict of a case, evaluator or criterion. `Verdict("pass")` accepts the words of docs/requirements.md#verdict-of-score, too."""

    PASSED = "passed"
    BORDERLINE = "borderline"
    FAILED = "failed"
    #: There is no score, and a reason why. Never a pass, never a 0.
    UNSCORED = "unscored"

    @classmethod
    def _missing_(cls, value: object) -> "Verdict | None":
        return next((verdict for verdict in cls if verdict.word == value), None)

    @property
    def word(self) -> str:
        """The word in rows of results: pass, borderline, fail; or unscored."""
        return {Verdict.PASSED: "pass", Verdict.FAILED: "fail"}.get(self, self.value)

    @property
    def negated(self) -> "Verdict":
        """The verdict of a negated check."""
        return {Verdict.PASSED: Verdict.FAILED, Verdict.FAILED: Verdict.PASSED}.get(self, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """In how many rows or runs of a case a part of it passed: its score is then their mean, unless one of them is the case's."""

    passed: int
    #: Those that graded it.
    count: int
    #: The one that its verdict and its texts are of, the worst by default: `tone=curt`, `run 2`.
    shown: str

    @property
    def words(self) -> str:
        """`6/12`; empty if all passed."""
        return f"{self.passed}/{self.count}" if self.passed < self.count else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """The result of a criterion: `score` is 0..1, `raw` the integer 0..10 that it comes from with score ranges."""

    id: str
    #: The text of the criterion.
    outcome: str
    verdict: Verdict
    #: 0..1, None when it could not be judged.
    score: float | None = None
    #: The whole number of 0..10 that the judge gave, in rubrics with score ranges.
    raw: int | None = None
    weight: float = 1.0
    #: The score of 0..1 that it needs, when it needs one.
    minimum: float | None = None
    #: Whether the rubric fails when this criterion does.
    gates: bool = False
    gate_failed: bool = False
    #: The text of the band that `raw` is in.
    band: str = ""
    #: Its score ranges: (lowest, highest, text), both bounds of 0..10 included.
    bands: tuple[tuple[int, int, str], ...] = ()
    reasoning: str = ""
    #: Why there is no score.
    reason: str = ""
    #: Whether it was judged by a recording.
    recorded: bool = False
    #: Whether the author wrote the id; otherwise it is its position (`rubric-1`).
    named: bool = True
    #: Of a case with several rows or runs; then `raw` is None unless it is the same in all of them.
    tally: Tally | None = None

    @property
    def label(self) -> str:
        """Its display name: the author's id, else the text in quotes."""
        return criterion_label(self.id, self.outcome, named=self.named)


def criterion_label(name: str, text: str, *, named: bool) -> str:
    """The display name of a criterion: `name` if the author wrote it, else `text` in quotes, on one line."""
    if named or not text:
        return name
    line = " ".join(text.split())
    return f'"{line if len(line) <= _LONGEST_LABEL else line[: _LONGEST_LABEL - 1] + "…"}"'


class Ungraded(NamedTuple):
    """An evaluator that did not grade: without a score, or with a score of 0 because it crashed."""

    #: Its name after those of its parents: `turn-1 / style / tone`.
    name: str
    reason: str
    #: Whether it could not run or crashed; otherwise it had nothing to grade with, such as a judge.
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorResult:
    """One evaluator of a case, done (name, type, score, hits, misses, reasoning, evaluator_raw_request)."""

    name: str
    type: str
    verdict: Verdict
    #: 0..1, None without a score.
    score: float | None = None
    weight: float = 1.0
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    #: Why there is no score.
    reason: str = ""
    criteria: tuple[CriterionResult, ...] = ()
    #: The members of a composite.
    members: "tuple[EvaluatorResult, ...]" = ()
    #: The score of 0..1 from which it passes.
    minimum: float | None = None
    #: Whether the score of the case becomes 0 when this one falls short of `minimum`.
    required: bool = False
    negated: bool = False
    #: The id of the criterion whose gate failed.
    gate: str = ""
    #: Whether it crashed and the dialect calls that a score of 0.
    crashed: bool = False
    #: Why it could not run, or how it crashed, on one line. Earlier versions report a crash in `misses` alone: see
    #: `failure`.
    error: str = ""
    #: Who judged: a model, or "recorded (…)".
    judge: str = ""
    duration_ms: float | None = None
    evaluator_raw_request: Mapping[str, Any] | None = None
    #: The judge's reply in each try, verbatim except for secrets; very long ones are truncated. Empty for recordings.
    raw_replies: tuple[str, ...] = ()
    #: What it sent, in order; that of its members is with them.
    exchanges: tuple[Exchange, ...] = ()
    #: Of a case with several rows or runs.
    tally: Tally | None = None
    details: Mapping[str, Any] | None = None
    #: The texts among `misses`, or among `hits` if negated, that say the opposite of what was found: "is polite".
    unmet: tuple[str, ...] = field(default=(), repr=False)  # most have none

    @property
    def shown_hits(self) -> tuple[str, ...]:
        """The hits as people read them beside ✔: `not: is polite` where a negated check found that."""
        return tuple(map(self._found, self.hits)) if self.negated else self.hits

    @property
    def shown_misses(self) -> tuple[str, ...]:
        """The misses as people read them beside ✘: `not: is polite`, or `unwanted: is polite` if negated."""
        if self.negated and not self.crashed:
            return tuple(f"unwanted: {each}" for each in self.misses)
        return tuple(map(self._found, self.misses))

    def _found(self, words: str) -> str:
        return f"not: {words}" if words in self.unmet else words

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of its judges and those of its members, if reported; None if none are."""
        return tokens_of(sent.tokens for each in self.flat() for sent in each.exchanges)

    @property
    def cost_usd(self) -> float | None:
        """The cost of its judges and those of its members in US dollars; None if unknown."""
        known = [sent.cost_usd for each in self.flat() for sent in each.exchanges if sent.cost_usd is not None]
        return sum(known) if known else None

    def flat(self) -> "Iterator[EvaluatorResult]":
        """This one, and those that it is composed of."""
        yield self
        for each in self.members:
            yield from each.flat()

    @property
    def has_graded(self) -> bool:
        """Whether it is plain that it graded: it has a score and no members."""
        return self.score is not None and not (self.members or self.error or self.crashed)

    def ungraded(self, before: str = "") -> Iterator[Ungraded]:
        """Its members that did not grade, and itself unless it only lacks a score because of them. `before` are the names of its parents."""
        if self.has_graded:
            return
        name = f"{before}{self.name}"
        found = [each for member in self.members for each in member.ungraded(f"{name} / ")]
        yield from found
        if self.failure or (self.score is None and not found):
            yield Ungraded(name, self.failure or self.reason, failed=bool(self.failure))

    @property
    def failure(self) -> str:
        """Why it could not run, or how it crashed; empty if it graded, or had nothing to grade with."""
        return self.error or (("".join(self.misses[:1]) or "it crashed") if self.crashed else "")

    @property
    def was_judged(self) -> bool:
        """Whether a judge or a recording of one was consulted, even if the reply was unusable. Members count."""
        return any(each.judge or each.raw_replies for each in self.flat())

    @property
    def counts(self) -> bool:
        """Whether the case cannot have a score without this one."""
        return self.weight > 0 or self.gated

    @property
    def gate_label(self) -> str:
        """The name of the criterion whose gate failed: `tone`, or `member / tone`; empty without one."""
        own = next((c.label for c in self.criteria if c.id == self.gate), "") if self.gate else ""
        inner = next((f"{m.name} / {m.gate_label}" for m in self.members if m.gate), "") if self.gate else ""
        return own or inner or self.gate

    @property
    def gated(self) -> bool:
        """Whether the case cannot pass without this one, whatever its weight."""
        return self.required or any(c.gates for c in self.criteria)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of a case.

    `score` and `threshold` are 0..1, `duration_ms` milliseconds, `cost_usd` US dollars; unmeasured values are None.
    """

    id: str
    verdict: Verdict
    #: 0..1, None without a score.
    score: float | None = None
    #: The lowest passing score; 1 if no score decides, see `has_threshold`.
    threshold: float = 0.8
    #: Where the threshold is written; empty for that of the dialect.
    threshold_from: str = ""
    evaluators: tuple[EvaluatorResult, ...] = ()
    #: Why there is no score, or what decided the verdict instead of the score.
    reason: str = ""
    answer: str = ""
    #: The reference answer of the case as text, as graders got it; empty without one.
    expected_output: str = ""
    target: str = ""
    dialect: str = ""
    duration_ms: float | None = None
    #: Those of the answer; `usage` has those of judges, too.
    tokens: Tokens | None = None
    #: US dollars, of target and judge together, if reported.
    cost_usd: float | None = None
    #: What target and judges took, each by itself; of a case that is run several times, all runs together.
    usage: tuple[Usage, ...] = ()
    #: The requests to the target; those of graders are in their results.
    exchanges: tuple[Exchange, ...] = ()
    #: Each run of a case that is run several times, whose result this is. Not stored.
    runs: "tuple[CaseResult, ...]" = ()
    #: Each variation of a case that is run in all of them, whose result this is. Not stored.
    variations: "tuple[CaseResult, ...]" = ()
    #: The run or variation whose answer, reasons and requests these are: `tone=curt`, `run 2`; empty for a single one.
    shown: str = ""
    #: Equal fingerprints mean that nothing that the result depends on has changed.
    fingerprint: str = ""
    #: Equal if question and grading are the same, whatever the target and prompt.
    test_fingerprint: str = ""
    #: When it was done, ISO 8601.
    at: str = ""
    #: The line of the case when it ran, from 1.
    line: int = 0
    #: The case file, relative to the directory of the suite; empty if the case is in the suite.
    file: str = ""
    #: In the results of a file with cases: the suite that ran them, relative to the directory of that file.
    suite: str = ""
    #: What its family keeps of it besides: under `ROW`, what a row of a matrix was made of.
    details: Mapping[str, Any] | None = field(default=None)

    @property
    def has_threshold(self) -> bool:
        """Whether a score decides: where no threshold is written and the default is 1, every check has to pass."""
        return bool(self.threshold_from) or self.threshold < _EVERY_CHECK

    @property
    def needs(self) -> str:
        """The lowest passing score in words: `needs 0.80`; empty if no score decides."""
        return f"needs {self.threshold:.2f}" if self.has_threshold else ""

    @property
    def is_sound_pass(self) -> bool:
        """Whether it passed, and no evaluator failed to grade it: not by `--allow-grader-errors`."""
        return self.verdict is Verdict.PASSED and not self.grader_errors

    @property
    def lacks_a_verdict(self) -> bool:
        """Whether it is unscored, or an evaluator failed to grade it: then the score says nothing about the answer."""
        return self.verdict is Verdict.UNSCORED or bool(self.grader_errors)

    @property
    def ungraded(self) -> tuple[Ungraded, ...]:
        """The evaluators that did not grade. With any, a case does not pass unless the user allows that."""
        return tuple(each for evaluator in self.evaluators if not evaluator.has_graded for each in evaluator.ungraded())

    @property
    def grader_errors(self) -> tuple[Ungraded, ...]:
        """The evaluators that could not run or crashed; those of a case with a score also that had nothing to grade with."""
        ungraded = self.ungraded
        return tuple(each for each in ungraded if each.failed or self.score is not None) if ungraded else ()
