"""Runs as a support team has them, stored as `rubric run` stores them: criteria with bands, a judge's words, failures, repeats."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from unittest.mock import patch

from rubric_core.evaluation.model.exchanges import Exchange, Usage
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.ports import ChatMessage, Tokens

BANDS = (
    (0, 2, "Rude, or ignores the customer"),
    (3, 5, "Polite, but curt; no word of understanding"),
    (6, 8, "Friendly, and says what happens next"),
    (9, 10, "Warm, apologises where that is due, and leaves no question open"),
)
TOPICS = {
    "refund": ("refunds", "Can I return the headphones that I bought five weeks ago?"),
    "late-order": ("delivery", "My order 4711 should have come on Monday. Where is it?"),
    "invoice": ("billing", "Please send me the invoice for March as a PDF."),
    "password": ("account", "I cannot log in any more; the mail for a new password does not come."),
    "warranty": ("refunds", "The kettle leaks after nine months. Is that covered?"),
    "address": ("account", "I have moved. How do I change the address of an order that is on its way?"),
}
TAGS = ("smoke", "regression", "german", "long-context")
ANSWER = """Thank you for writing to us about **{topic}**.

{body}

| Step | Until |
|---|---|
| Print the label | today |
| Drop the parcel off | Friday |

1. Open *Orders* and choose the order.
2. Press `Return`, and print the label.

> Our terms give you 30 days; after that we decide case by case.

Is there anything else that I can do for you?"""
BODIES = (
    "I am sorry for the trouble. You have 30 days to send it back, and the refund arrives within five working days.",
    "We looked at your order: it left our warehouse yesterday and should be with you tomorrow before noon.",
    "You will find the document in your account, under *Billing*. I have also sent it to the address that we know of you.",
)
REASONS = (
    "The answer is friendly and says what happens next, but it does not apologise for the delay, which the customer named twice.",
    "Curt: it gives the rule and nothing else. Nothing shows that the writer has read what the customer is upset about.",
    "Warm in tone, names the 30 day window, and offers further help without being asked.",
)
SYSTEM = (
    "You judge answers of a support desk. Read the question and the answer, then give a score of 0 to 10 for each criterion. "
    * 4
)


def store(root: Path, *, cases: int = 60, runs: int = 8, seed: int = 7) -> ResultDatabase:
    """A database below `root` with that many runs, a day apart; the last of them ends today."""
    (root / ".git").mkdir(parents=True, exist_ok=True)
    suites = [root / "evals" / "support.eval.yaml", root / "evals" / "billing.eval.yaml"]
    database = ResultDatabase(root)
    for number in range(runs):
        draw = random.Random(f"{seed}/{number}")
        commit = f"{random.Random(number).getrandbits(160):040x}"
        age = runs - 1 - number
        with _clock(datetime.now(tz=timezone.utc) - timedelta(days=age, minutes=17 * age)) as go_on:
            writer = database.begin(
                RunInfo(
                    command=("rubric", "run", "evals", "--target", "desk-bot"),
                    suites=suites,
                    commit=commit,
                    dirty=number == runs - 1,
                )
            )
            for place in range(cases):
                suite = suites[place % 5 == 4]
                writer.add(_result(place, draw, number / max(1, runs - 1)), suite=suite, tags=_tags(place))
            go_on(timedelta(milliseconds=900 * cases + 13 * age))
            writer.end(RunState.DONE)
    return database


@contextmanager
def _clock(start: datetime) -> Iterator[Callable[[timedelta], None]]:
    """The clock of whoever writes a run: rows are signed with their times, so that they cannot be dated later."""
    now = [start]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # a plain datetime
            return now[0].astimezone(tz)

    with (
        patch("rubric_core.evaluation.results.run_writer.datetime", Clock),
        patch("rubric_core.evaluation.results.run_writer.monotonic", lambda: datetime.timestamp(now[0])),
    ):
        yield lambda by: now.append(now.pop() + by)


def _tags(place: int) -> tuple[str, ...]:
    topic = list(TOPICS)[place % len(TOPICS)]
    return (TOPICS[topic][0], *(tag for number, tag in enumerate(TAGS) if (place * 7 + number * 3) % 5 == 0))


def _result(place: int, draw: random.Random, skill: float) -> CaseResult:
    topic = list(TOPICS)[place % len(TOPICS)]
    name = f"{topic}-{place // len(TOPICS) + 1}"
    question = f"{TOPICS[topic][1]} (message {place + 1})"
    answer = ANSWER.format(topic=topic.replace("-", " "), body=draw.choice(BODIES))
    evaluators = _evaluators(draw, question, answer, skill, place)
    scored = [each for each in evaluators if each.score is not None]
    broken = [each for each in evaluators if each.error]
    score = sum((each.score or 0) * each.weight for each in scored) / sum(each.weight for each in scored)
    gate = next((each for each in evaluators if each.gate), None)
    verdict = (
        Verdict.UNSCORED
        if broken
        else Verdict.PASSED
        if score >= 0.8 and not gate
        else Verdict.BORDERLINE
        if score >= 0.72 and not gate
        else Verdict.FAILED
    )
    tokens = Tokens(draw.randint(300, 900), draw.randint(80, 400))
    runs = ()
    if place % 9 == 0 and not broken:
        scores = [min(1.0, max(0.0, score + draw.uniform(-0.15, 0.15))) for _ in range(5)]
        runs = tuple(
            CaseResult(
                id=name,
                verdict=Verdict.PASSED if each >= 0.8 else Verdict.FAILED,
                score=each,
                duration_ms=draw.uniform(400, 3000),
            )
            for each in scores
        )
    return CaseResult(
        id=name, verdict=verdict, score=None if broken else score, threshold=0.8, evaluators=tuple(evaluators), answer=answer, target="desk-bot",
        reason=f"{gate.name}: the criterion {gate.gate} failed its gate" if gate and not broken else f"{broken[0].name}: {broken[0].error}" if broken else "",
        dialect="agentv-3", duration_ms=draw.lognormvariate(7.2, 0.6), tokens=tokens, cost_usd=round(draw.lognormvariate(-5.2, 0.5), 5),
        usage=(
            Usage(role="target", name="desk-bot", model="gpt-x-mini", calls=1, tokens=tokens, cost_usd=0.0021),
            Usage(role="judge", name="judge", model="gpt-x", calls=2, tokens=Tokens(1900, 220, 600), cost_usd=0.0044),
        ),
        exchanges=(Exchange(role="target", to="desk-bot", kind="openai", model="gpt-x-mini", messages=(ChatMessage("system", "You are the support desk of a shop. Be brief and kind."), ChatMessage("user", question)), tokens=tokens, cost_usd=0.0021),),
        runs=runs, fingerprint=f"f-{name}", at=datetime.now(tz=timezone.utc).isoformat(timespec="seconds"), line=12 + 9 * place,
    )  # fmt: skip


def _evaluators(draw: random.Random, question: str, answer: str, skill: float, place: int) -> list[EvaluatorResult]:
    found = [_tone(draw, question, answer, skill), _facts(draw, question, answer, skill, place)]
    holds = draw.random() < 0.86 + 0.1 * skill
    found.append(
        EvaluatorResult(
            name="names-window",
            type="contains",
            verdict=Verdict.PASSED if holds else Verdict.FAILED,
            score=float(holds),
            weight=1.0,
            hits=('contains "30 days"',) if holds else (),
            misses=() if holds else ('does not contain "30 days"',),
        )
    )
    quick = draw.random() < 0.93
    found.append(
        EvaluatorResult(
            name="latency",
            type="latency",
            verdict=Verdict.PASSED if quick else Verdict.FAILED,
            score=float(quick),
            weight=0.5,
            hits=("1,204 ms of 3,000 ms",) if quick else (),
            misses=() if quick else ("3,871 ms of 3,000 ms",),
        )
    )
    if place % 4 == 0:
        score = draw.uniform(0.6, 1)
        found.append(EvaluatorResult(name="similar", type="similar", verdict=Verdict.PASSED if score > 0.7 else Verdict.FAILED, score=score, weight=1.0, reasoning=f"cosine {score:.3f}, needs 0.700"))  # fmt: skip
    if place == 23:
        found.append(EvaluatorResult(name="policy", type="code-grader", verdict=Verdict.UNSCORED, weight=1.0, reason="`python checks/policy.py` was not found", error="`python checks/policy.py` was not found"))  # fmt: skip
    return found


def _tone(draw: random.Random, question: str, answer: str, skill: float) -> EvaluatorResult:
    criteria = []
    for name, text, minimum in (
        ("tone", "How the answer treats the customer", 0.6),
        ("next-step", "Says what happens next, and when", None),
    ):
        raw = min(10, max(0, round(draw.gauss(7.6 + 1.4 * skill, 1.8))))
        gate = minimum is not None and raw / 10 < minimum
        criteria.append(
            CriterionResult(
                id=name,
                outcome=text,
                verdict=Verdict.FAILED if gate or raw < 7 else Verdict.PASSED,
                score=raw / 10,
                raw=raw,
                weight=2.0 if minimum else 1.0,
                minimum=minimum,
                gates=minimum is not None,
                gate_failed=gate,
                band=next(t for low, high, t in BANDS if low <= raw <= high),
                bands=BANDS,
                reasoning=draw.choice(REASONS),
            )
        )
    score = sum(c.score * c.weight for c in criteria) / sum(c.weight for c in criteria)
    gate = next((c.id for c in criteria if c.gate_failed), "")
    reply = (
        '{"criteria": ['
        + ", ".join(f'{{"id": "{c.id}", "score": {c.raw}, "reasoning": "{c.reasoning}"}}' for c in criteria)
        + "]}"
    )
    return EvaluatorResult(
        name="tone", type="rubrics", verdict=Verdict.FAILED if gate or score < 0.7 else Verdict.PASSED, score=score, weight=2.0, criteria=tuple(criteria),
        gate=gate, judge="gpt-x", raw_replies=(reply,), exchanges=(_asked(question, answer, "tone"),),
    )  # fmt: skip


def _facts(draw: random.Random, question: str, answer: str, skill: float, place: int) -> EvaluatorResult:
    texts = (
        "Mentions the 30 day window",
        "Promises nothing that the terms do not say",
        "Answers the question that was asked",
    )
    good = [draw.random() < 0.84 + 0.13 * skill for _ in texts]
    criteria = tuple(
        CriterionResult(id=f"rubric-{number}", outcome=text, verdict=Verdict.PASSED if met else Verdict.FAILED, score=float(met), reasoning=draw.choice(REASONS), named=False)
        for number, (text, met) in enumerate(zip(texts, good, strict=True), 1)
    )  # fmt: skip
    score = sum(good) / len(good)
    return EvaluatorResult(
        name="facts", type="rubrics", verdict=Verdict.PASSED if score >= 0.66 else Verdict.FAILED, score=score, weight=2.0, criteria=criteria,
        judge="gpt-x", raw_replies=(f"I looked at the terms first.\n\n```json\n{good}\n```",), exchanges=(_asked(question, answer, "facts"),),
    )  # fmt: skip


def _asked(question: str, answer: str, name: str) -> Exchange:
    asked = f"Question:\n{question}\n\nAnswer:\n{answer}\n\nCriteria of {name}: see above. Reply with JSON."
    return Exchange(role="judge", to="judge", kind="openai", model="gpt-x", messages=(ChatMessage("system", SYSTEM), ChatMessage("user", asked)), tokens=Tokens(950, 110, 300), cost_usd=0.0022)  # fmt: skip
