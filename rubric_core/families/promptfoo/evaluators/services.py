"""Assertions that ask a service: `webhook`."""

import json
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, row_error
from rubric_core.ports import NetworkError

__all__ = ["SERVICES"]

#: The timeout in seconds, and the largest reply in bytes.
_TIMEOUT, _LARGEST = 5.0, 1_000_000
_HEADERS = {"Content-Type": "application/json"}


async def _webhook(params: AssertionParams) -> GradingResult:
    """The verdict of a webhook on the output: `{pass, score, reason}`."""
    address, context = params.value, params.context
    if not isinstance(address, str) or not address:
        raise row_error(params, "needs an address as `value`")
    if context.ports is None:
        raise Unscored("a webhook is called only as part of a run", at=params.config)
    told = {
        "output": params.output,
        "context": {"prompt": context.prompt_inputs.question, "vars": dict(context.variables)},
    }
    context.exchanges.add(Exchange(role="program", to=address, payload=told))
    body = json.dumps(told, ensure_ascii=False, default=str).encode("utf-8", "replace")
    try:
        reply = await context.ports.http.post(address, _HEADERS, body, time_limit=_TIMEOUT, size_limit=_LARGEST)
        if not 200 <= reply.status < 300:  # statuses that promptfoo accepts
            return GradingResult(False, 0.0, f"the webhook replied {reply.status}")
        said = json.loads(reply.body)
    except (NetworkError, ValueError, RecursionError) as error:
        return GradingResult(False, 0.0, f"the webhook gave no reply that can be read: {error}")
    if said is None:
        return GradingResult(False, 0.0, "the webhook replied with nothing")
    # Text, a number or a list has none of the keys, and only `pass: false` fails in promptfoo.
    return _decided(params, said if isinstance(said, dict) else {})


def _decided(params: AssertionParams, said: Mapping[str, Any]) -> GradingResult:
    passed = said.get("pass") is not params.inverse
    score = said.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
        if "score" in said:
            raise row_error(params, f"got a score from its webhook that is no number: {score!r:.60}")
        score = float(passed)
    elif params.inverse:
        score = 1 - score
    return GradingResult(passed, float(score), str(said.get("reason") or "") or "the webhook says so")


SERVICES: Mapping[str, Handler] = {"webhook": _webhook}
