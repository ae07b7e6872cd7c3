"""The answer is similar in meaning to a text, by the cosine similarity of embeddings."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted_excerpt, required_setting
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.evaluation.scoring.score import at_least
from rubric_core.language.evaluators import Similar
from rubric_core.language.providers import Api
from rubric_core.language.shape import Shape
from rubric_core.ports import ProviderError
from rubric_core.syntax.plain_data import plain

__all__ = ["SIMILAR", "cosine", "embeddings"]

_NO_PROVIDER = (
    "no embedding provider is configured: write `config: {embedding_provider: {model: …, base_url: …, api_key: …}}`"
)


async def _grade(config: Similar, context: EvaluationContext) -> EvaluationScore:
    value = required_setting(config.value, config, "value")
    settings = _settings(config, context)
    try:
        wanted, given = await embeddings([value, context.candidate], settings, context, config)
    except ProviderError as error:
        raise GraderError(f"embeddings: {error}", at=config) from None
    likeness = cosine(wanted, given)
    bound = 0.75 if config.threshold is None else float(config.threshold)
    holds = at_least(likeness, bound)
    words = f"similarity {likeness:.3f} to {quoted_excerpt(value)}"
    return EvaluationScore(
        score=min(1.0, max(0.0, likeness)), hits=(words,) if holds else (), misses=() if holds else (f"{words}, needs {bound:g}",),
        expected_aspect_count=1, verdict=Verdict.PASSED if holds else Verdict.FAILED,
    )  # fmt: skip


def _settings(config: Similar, context: EvaluationContext) -> Mapping[str, Any]:
    """The settings of the embedding provider, with those of its nested `config` merged in. Raises Unscored."""
    own = plain(config.config, context.anchors) or {}
    provider = plain(config.provider, context.anchors)
    written = provider if provider is not None else {**context.inherited, **own}.get("embedding_provider")
    if isinstance(written, str):
        raise Unscored(f"`{written}` has no settings here; {_NO_PROVIDER}", at=config)
    if not isinstance(written, Mapping):
        raise Unscored(_NO_PROVIDER, at=config)
    nested = written.get("config")
    found = {**written, **(nested if isinstance(nested, Mapping) else {})}
    for name in ("model", "base_url"):
        if not isinstance(found.get(name), str) or not found[name]:
            raise Unscored(f"the embedding provider needs `{name}`", at=config)
    return found


async def embeddings(
    texts: Sequence[str],
    settings: Mapping[str, Any],
    context: EvaluationContext,
    config: Shape,
    secrets: Redactor | None = None,
) -> list[list[float]]:
    """The embeddings of texts, all of the same length. Raises ProviderError, and Unscored for a reply without them.

    Args:
        texts: What is embedded, in one request.
        settings: `model` and `base_url`, and `api_key` where one is needed.
        context: What the evaluator knows of the run.
        config: The evaluator that needs them.
        secrets: What messages and exchanges may not show; the key alone if nothing is given.
    """
    from rubric_core.evaluation.targets.providers.base import TargetLocation  # noqa: PLC0415
    from rubric_core.evaluation.targets.providers.http_retries import HttpTarget  # noqa: PLC0415  # what runs need, when something is run

    if context.ports is None:
        raise Unscored("embeddings are created only as part of a run", at=config)
    key = settings.get("api_key")
    secrets = Redactor([key] if isinstance(key, str) else []) if secrets is None else secrets
    place = TargetLocation("embeddings", lambda name: name or "embedding_provider", context.directory, secrets)
    asking = HttpTarget(Api(config.span), place, context.ports, model=settings["model"])
    headers = {"Authorization": f"Bearer {key}"} if isinstance(key, str) and key else {}
    url = f"{settings['base_url'].rstrip('/')}/embeddings"
    body = {"model": settings["model"], "input": list(texts)}
    context.exchanges.add(secrets.within(Exchange(role="server", to=url, payload=body)))
    reply, _ = await asking.ask(url, headers, body)
    rows = reply.get("data")
    found = [row.get("embedding") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    vectors = [v for v in found if isinstance(v, list) and v and all(finite_number(x) is not None for x in v)]
    if len(vectors) != len(texts) or len({len(v) for v in vectors}) != 1:
        raise GraderError("the reply has no embedding for each text", at=config)
    return vectors


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine similarity (-1..1) of two vectors of equal length; 0 for a zero vector."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


SIMILAR = TypedEvaluator("similar", Similar, _grade)
