"""`moderation`: a model of OpenAI flags nothing in the output, or none of the categories that count."""

from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, row_error
from rubric_core.families.promptfoo.evaluators.openai_settings import openai_settings
from rubric_core.families.promptfoo.model.assertion import NO_VALUE
from rubric_core.language.providers import Api
from rubric_core.ports import ProviderError

__all__ = ["MODERATION"]

_VENDORS = ("openai:moderation:",)
_USUAL = "omni-moderation-latest"
_NO_MODEL = (
    "no model moderates: name one as `openai:moderation` under `provider` of the assertion or of `options`; "
    "promptfoo would choose one by the keys in the environment"
)
#: Models that take their input as parts.
_PARTS = "omni-"


async def _moderation(params: AssertionParams) -> GradingResult:
    wanted = _categories(params)
    if not params.text:
        return _grade_flags(params, [])
    found = [each for each in await _flags(params) if not wanted or each in wanted]
    return _grade_flags(params, found)


def _categories(params: AssertionParams) -> list[Any]:
    """The categories that count; none for all. Raises GraderError."""
    value = params.value
    if value in (NO_VALUE, None, "", 0, False):
        return []
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise row_error(params, "needs a list of categories as `value`, or none")
    return value


def _grade_flags(params: AssertionParams, flags: list[str]) -> GradingResult:
    passed = bool(flags) == params.inverse
    words = f"flagged as {', '.join(flags)}" if flags else "nothing is flagged"
    return GradingResult(passed, 1.0 if passed else 0.0, "" if passed else words)


async def _flags(params: AssertionParams) -> list[str]:
    """The categories that the model flags in the output.

    Raises Unscored if it does not reply; promptfoo fails the case then.
    """
    from rubric_core.evaluation.targets.providers.base import TargetLocation  # noqa: PLC0415
    from rubric_core.evaluation.targets.providers.http_retries import HttpTarget  # noqa: PLC0415  # what runs need, when something is run

    settings, secrets = openai_settings(params, "moderation", _VENDORS, _NO_MODEL, _USUAL)
    context = params.context
    if context.mode == "replay":
        raise Unscored("moderation is not recorded, and this run uses recordings only", at=params.config)
    if context.ports is None:
        raise Unscored("outputs are moderated only as part of a run", at=params.config)
    model = settings["model"]
    place = TargetLocation("moderation", lambda name: name or "provider", context.directory, secrets)
    asking = HttpTarget(Api(params.config.span), place, context.ports, model=model)
    asked = [{"type": "text", "text": params.text}] if model.startswith(_PARTS) else params.text
    url, body = f"{settings['base_url'].rstrip('/')}/moderations", {"model": model, "input": asked}
    context.exchanges.add(secrets.within(Exchange(role="server", to=url, payload=body)))
    try:
        reply, _ = await asking.ask(url, {"Authorization": f"Bearer {settings['api_key']}"}, body)
    except ProviderError as error:
        raise GraderError(f"moderation: {error}", at=params.config) from None
    results = reply.get("results")
    if not isinstance(results, list) or not all(_is_result(each) for each in results):
        raise GraderError("moderation: the reply has no results that can be read", at=params.config)
    return list(dict.fromkeys(name for each in results for name in _flagged(each)))


def _is_result(result: Any) -> bool:
    return isinstance(result, Mapping) and (not result.get("flagged") or isinstance(result.get("categories"), Mapping))


def _flagged(result: Mapping[str, Any]) -> Iterator[str]:
    if result.get("flagged"):
        yield from (str(name) for name, holds in result["categories"].items() if holds)


MODERATION: Mapping[str, Handler] = {"moderation": _moderation}
