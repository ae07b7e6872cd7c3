"""The messages of exchanges are stored once, however often they are sent again, and read as they were."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.packed_result import pack_result, unpack_result
from rubric_core.evaluation.results.stored_rows import result_in, stored_row
from rubric_core.ports import ChatMessage

MESSAGES = [ChatMessage(role, text) for role in ("user", "assistant") for text in ("", "hi", "a long text " * 20)]
LISTS = st.lists(st.sampled_from(MESSAGES), max_size=4)


def exchanges(messages: list[tuple[ChatMessage, ...]]) -> tuple[Exchange, ...]:
    return tuple(Exchange(role="target", to="bot", messages=each) for each in messages)


def result(*groups: list[tuple[ChatMessage, ...]]) -> CaseResult:
    first, *others = map(exchanges, groups)
    evaluators = tuple(
        EvaluatorResult(name=f"e{number}", type="x", verdict=Verdict.PASSED, exchanges=each)
        for number, each in enumerate(others)
    )
    return CaseResult(id="c", verdict=Verdict.PASSED, exchanges=first, evaluators=evaluators)


@given(st.lists(st.lists(st.tuples(st.booleans(), LISTS), max_size=5), min_size=1, max_size=3))
def test_any_exchanges_are_read_as_they_were(groups: list[list[tuple[bool, list[ChatMessage]]]]) -> None:
    """Each begins with the messages of the one before, or does not."""
    made: list[list[tuple[ChatMessage, ...]]] = []
    for group in groups:
        before: tuple[ChatMessage, ...] = ()
        made.append([])
        for continues, more in group:
            before = (*(before if continues else ()), *more)
            made[-1].append(before)
    stored = result(*made)
    assert unpack_result(pack_result(stored)) == stored
    assert result_in(json.loads(json.dumps(stored_row(stored)))) == stored
    assert json.loads(json.dumps(stored_row(stored))) == stored_row(stored)


def conversation(turns: int) -> CaseResult:
    said = tuple(ChatMessage("user", f"message {number}") for number in range(turns))
    return result([said[:number] for number in range(1, turns + 1)])


def test_a_conversation_is_as_long_as_its_messages() -> None:
    few, more, many = (len(json.dumps(stored_row(conversation(turns)))) for turns in (100, 200, 400))
    assert many - more <= 2.1 * (more - few)


@pytest.mark.parametrize(
    "messages",
    [
        {"rubric:sent-before": 2, "then": []},
        {"rubric:sent-before": 0, "then": []},
        {"rubric:sent-before": -1, "then": []},
        {"rubric:sent-before": True, "then": []},
        {"rubric:sent-before": 1, "then": {}},
        {"rubric:sent-before": 1},
        {},
    ],
)
def test_messages_that_nobody_sent_are_refused(messages: Any) -> None:
    row = stored_row(conversation(2))
    row["exchanges"][1]["messages"] = messages
    with pytest.raises((ValueError, TypeError, LookupError)):
        result_in(row)


def test_a_forged_row_does_not_expand_without_end() -> None:
    row = stored_row(conversation(1))
    first = row["exchanges"][0]
    more = {**first, "messages": {"rubric:sent-before": 1000, "then": []}}
    row["exchanges"] = [{**first, "messages": first["messages"] * 1000}, *([more] * 4001)]
    with pytest.raises(ValueError, match="more messages"):
        result_in(row)
