"""Assertions that a model grades, or that compare by embeddings."""

import json
from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.migration.conversion import (
    USUAL_MINIMUM,
    Conversion,
    NotCarriedError,
    Surroundings,
    above_zero,
    share_of,
    text_of,
)
from rubric_core.loading.directory_search import URL

__all__ = ["by_steps", "closed_question", "rubric", "similar"]

_NO_GRADER = "promptfoo chooses a judge by its keys; in AgentV name one, as in `defaults: {grader: judge}`"
_OWN_PROMPT = "AgentV asks the judge with a prompt of its own, so scores can differ"
_PASSES = (
    f"promptfoo passes it as the judge says, AgentV from a score of {USUAL_MINIMUM} on; write `min_score` for another"
)


def rubric(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`llm-rubric`."""
    return _judged(settings, around, share_of(settings))


def _judged(settings: Mapping[str, Any], around: Surroundings, least: float | None) -> Conversion:
    value = settings.get("value")
    keys: dict[str, Any] = {"type": "llm-rubric"}
    if isinstance(value, str) and value.startswith(URL):
        raise NotCarriedError(
            f"AgentV takes no file as a rubric: write the text of {value.removeprefix(URL)} under `value`"
        )
    if isinstance(value, str) and value.strip():
        keys["value"] = value.lstrip()
    elif isinstance(value, dict | list):
        keys["value"] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    prompt = settings.get("rubricPrompt", around.options.get("rubricPrompt"))
    if prompt is not None and not isinstance(prompt, str):
        raise NotCarriedError(
            "AgentV takes one text, or a file, as the prompt of a judge, not messages: write it under `prompt`"
        )
    if prompt:
        keys["prompt"] = prompt
    if "value" not in keys and not prompt:
        raise NotCarriedError(f"`{settings['type']}` has no `value`, so there is nothing to judge by")
    name = around.grader(settings.get("provider", around.options.get("provider")))
    if name is not None:
        keys["provider"] = name
    if least is not None:
        keys["min_score"] = above_zero(least)
    differs: tuple[str, ...] = () if name is not None else (_NO_GRADER,)
    differs += (*(() if prompt else (_OWN_PROMPT,)), *((_PASSES,) if least is None else ()))
    return Conversion(keys, "score", USUAL_MINIMUM if least is None else least, differs)


def closed_question(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`model-graded-closedqa`, which is judged by one criterion."""
    return _judged(settings, around, None)


def by_steps(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`g-eval` with one criterion."""
    if not isinstance(settings.get("value"), str) or settings.get("rubricPrompt") is not None:
        raise NotCarriedError("AgentV has no `g-eval`: write an `llm-rubric` with its criteria as a list")
    least = share_of(settings)
    return _judged(settings, around, 0.7 if least is None else least)


#: The default embedding model of promptfoo.
_USUAL_EMBEDDINGS = "text-embedding-3-large"


def similar(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`similar`, where a model of OpenAI embeds."""
    value, least = text_of(settings), share_of(settings)
    written = settings.get("provider", around.options.get("provider"))
    written = written.get("embedding", written) if isinstance(written, dict) else written
    name, _, model = (written if isinstance(written, str) else "").rpartition(":")
    if written is None:
        name, model = "openai:embedding", _USUAL_EMBEDDINGS
    if name != "openai:embedding":
        raise NotCarriedError(
            "for `similar` AgentV needs a model of embeddings: write `similar` with `config: {embedding_provider: {model: …, base_url: …, api_key: …}}`"
        )
    above_zero(0.75 if least is None else least)
    settings_of_model = {"model": model, "base_url": "https://api.openai.com/v1", "api_key": "{{ env.OPENAI_API_KEY }}"}
    keys = {
        "value": value,
        **({} if least is None else {"threshold": least}),
        "config": {"embedding_provider": settings_of_model},
    }
    return Conversion(keys, "score", 0.75 if least is None else least)
