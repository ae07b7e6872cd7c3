"""A server grades the answer."""

import json

from rubric_core.evaluation.code.external_scores import external_score
from rubric_core.evaluation.code.payload import script_context
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, required_setting
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.language.evaluators import Webhook
from rubric_core.ports import NetworkError

__all__ = ["WEBHOOK"]

_SIZE_LIMIT = 4_000_000


async def _grade(config: Webhook, context: EvaluationContext) -> EvaluationScore:
    url = required_setting(config.value, config, "value")
    if not url.startswith(("http://", "https://")):
        raise Unscored("the address of a webhook begins with http:// or https://", at=config)
    if context.ports is None:
        raise Unscored("a webhook is called only as part of a run", at=config)
    told = {"output": context.candidate, "context": script_context(context)}
    body = json.dumps(told, ensure_ascii=False, default=str).encode("utf-8", "replace")
    context.exchanges.add(Exchange(role="server", to=url, payload=told))
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    try:
        reply = await context.ports.http.post(url, headers, body, time_limit=context.time_limit, size_limit=_SIZE_LIMIT)
    except NetworkError as error:
        raise GraderError(f"the webhook: {error}", at=config) from None
    if reply.status >= 400:
        raise GraderError(f"the webhook replied {reply.status}", at=config)
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        raise GraderError(
            f"the webhook's reply is not JSON: {reply.body[:80].decode('utf-8', 'replace')!r}", at=config
        ) from None
    return external_score(value, config.threshold, config)


WEBHOOK = TypedEvaluator("webhook", Webhook, _grade)
