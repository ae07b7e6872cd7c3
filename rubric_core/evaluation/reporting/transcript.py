"""The transcript of a case: each request under its sender, with full texts and cost."""

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rubric_core.evaluation.cases.turns import TURN
from rubric_core.evaluation.model.exchanges import Exchange, Usage
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
from rubric_core.ports import ChatMessage, Tokens
from rubric_core.validation.wording import count

__all__ = ["SentRequest", "request_text", "requests_of", "tokens_words", "transcript", "usage_words"]

#: Kinds of targets that send nothing to anybody.
_LOCAL = ("mock", "replay")


class SentRequest(NamedTuple):
    """A request of a case, with its sender."""

    exchange: Exchange
    #: The name of the evaluator after those of its parents; empty for the request to the target.
    evaluator: str = ""
    #: The run of a repeated case, from 1; 0 for a single run.
    run: int = 0
    #: The messages that the request shares with the first try of the same judgement.
    shared: int = 0


def requests_of(result: CaseResult) -> Iterator[SentRequest]:
    """Every request of a case in its order: to the target, then those of the evaluators, turn by turn in conversations."""
    runs = result.runs or (result,)
    for number, run in enumerate(runs, start=1):
        for exchange, evaluator, shared in _case_exchanges(run):
            yield SentRequest(exchange, evaluator, number if len(runs) > 1 else 0, shared)


def _case_exchanges(result: CaseResult) -> Iterator[tuple[Exchange, str, int]]:
    turns = [each for each in result.evaluators if each.type == TURN]
    yield from ((each, "", 0) for each in result.exchanges if not each.turn)
    for number in range(1, max([len(turns), *(each.turn for each in result.exchanges)]) + 1):
        yield from ((each, "", 0) for each in result.exchanges if each.turn == number)
        yield from (pair for each in turns[number - 1 : number] for pair in _evaluator_exchanges(each, ""))
    yield from (pair for each in result.evaluators[len(turns) :] for pair in _evaluator_exchanges(each, ""))


def _evaluator_exchanges(result: EvaluatorResult, before: str) -> Iterator[tuple[Exchange, str, int]]:
    name = f"{before}{result.name}"
    for member in result.members:
        yield from _evaluator_exchanges(member, f"{name} / ")
    first: Sequence[ChatMessage] = ()
    for each in result.exchanges:
        again = each.attempt > 1 and len(first) > 0 and tuple(each.messages[: len(first)]) == tuple(first)
        yield each, name, len(first) if again else 0
        first = each.messages if each.attempt == 1 else first


class RequestText(NamedTuple):
    """A request in words: for a terminal, a document, or the report of an editor."""

    #: The receiver, the sender, and the number of the try.
    title: str
    #: Sentences before the texts.
    before: tuple[str, ...]
    #: The texts that were sent, whole, each with its name: the role of a message, "standard input", a placeholder.
    texts: tuple[tuple[str, str], ...]
    #: Sentences after them: retries, usage, errors.
    after: tuple[str, ...]


def request_text(request: SentRequest) -> RequestText:
    """A request in words."""
    return RequestText(
        _title(request), tuple(_before(request)), tuple(_texts(request)), tuple(_after(request.exchange))
    )


def transcript(result: CaseResult) -> Iterator[str]:
    """The exchanges of a case, line by line; texts are indented."""
    yield result.id
    requests = [request_text(each) for each in requests_of(result)]
    if not requests:
        yield "  nothing was sent"
    for title, before, texts, after in requests:
        yield f"  {title}"
        yield from (f"    {line}" for line in before)
        for name, text in texts:
            yield f"    [{name}]"
            yield from (f"      {line}".rstrip() for line in text.split("\n"))
        yield from (f"    {line}" for line in after)


def _title(request: SentRequest) -> str:
    sent = request.exchange
    about = ", ".join(part for part in (sent.kind, sent.model if sent.model != sent.kind else "") if part)
    words = [f"{sent.role} {sent.to}" if sent.role != "program" else "program", f"({about})" if about else ""]
    words.append(f"for {request.evaluator}" if request.evaluator else "")
    places = [f"run {request.run}" if request.run else "", f"turn {sent.turn}" if sent.turn else ""]
    places.append(f"try {sent.attempt}" if sent.attempt > 1 else "")
    title = ", ".join(part for part in (" ".join(filter(None, words)), *places) if part)
    return f"{title}: {sent.because}" if sent.because else title


def _before(request: SentRequest) -> Iterator[str]:
    sent = request.exchange
    if sent.recorded and sent.role == "target":
        yield "nothing was sent: the cache has the answer of an earlier run, at no cost; the target would have been asked this"
    elif sent.recorded:
        yield "nothing was sent: a recording replied, at no cost; this would have been sent to the judge"
    elif sent.kind in _LOCAL:
        yield f"nothing was sent: {sent.kind} targets answer by themselves; this would have been sent to another target"
    if sent.argv:
        yield f"$ {shlex.join(sent.argv)}"
    if request.shared:
        yield f"the {count(request.shared, 'message')} of the first try, and then"


def _texts(request: SentRequest) -> Iterator[tuple[str, str]]:
    sent = request.exchange
    yield from sent.files
    if sent.payload is not None:
        name = "body" if sent.role == "server" else "arguments" if not sent.argv else "standard input"
        data = not isinstance(sent.payload, str)
        yield name, json.dumps(sent.payload, ensure_ascii=False, indent=2, default=str) if data else sent.payload
    yield from ((message.role, message.content) for message in sent.messages[request.shared :])


def _after(sent: Exchange) -> Iterator[str]:
    yield from (f"sent again: {why}" for why in sent.again)
    took = _took(sent.tokens, sent.cost_usd)
    if took and not sent.recorded:
        yield f"took {took}"
    if sent.error:
        yield f"no reply: {sent.error}"


def tokens_words(tokens: Tokens) -> str:
    """Tokens in words: 1,200 tokens read (40 of them cached), 80 written (60 of them reasoning)."""
    cached = f" ({tokens.cached:,} of them cached)" if tokens.cached else ""
    thought = f" ({tokens.reasoning:,} of them reasoning)" if tokens.reasoning else ""
    return f"{tokens.input + tokens.cached:,} tokens read{cached}, {tokens.output:,} written{thought}"


def _took(tokens: Tokens | None, cost_usd: float | None) -> str:
    cost = f"${cost_usd:.4f}" if cost_usd is not None else ""
    return ", ".join(part for part in (tokens_words(tokens) if tokens else "", cost) if part)


def usage_words(usage: Usage) -> str:
    """The usage of a target or a judge: `judge judge-1 (gpt-x): 2 calls, 1,200 tokens read, 80 written, $0.0040`."""
    if usage.recorded and not usage.calls:
        what = "cached answer" if usage.role == "target" else "recording"
        return f"{usage.role} {usage.name}: {count(usage.recorded, what)}, at no cost"
    model = f" ({usage.model})" if usage.model not in ("", usage.name) else ""
    took = _took(usage.tokens, usage.cost_usd)
    return f"{usage.role} {usage.name}{model}: {count(usage.calls, 'call')}{f', {took}' if took else ''}"
