"""Assertions that models of OpenAI measure: `moderation`, and `similar` by embeddings."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.evaluation.evaluators.similar import cosine, embeddings
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.redaction import Redactor, named_variables
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, row_error
from rubric_core.families.promptfoo.loading.environment_settings import fill_environment, unset_variable
from rubric_core.families.promptfoo.model.assertion import NO_VALUE
from rubric_core.language.providers import Api
from rubric_core.language.variables import unset_message
from rubric_core.ports import ProviderError

__all__ = ["MODERATION", "SIMILARITIES", "embedded", "openai_settings"]

_ADDRESS, _KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"
#: The settings of such a model that count here, or that change nothing.
_SETTINGS = frozenset({"apiKey", "apiKeyEnvar", "apiBaseUrl", "apiHost", "cost"})
#: What follows the name of a role in a sentence.
_PLURAL: Mapping[str, str] = {"embedding": "s"}


def openai_settings(
    params: AssertionParams, role: str, vendors: Sequence[str], missing: str, usual: str = ""
) -> tuple[Mapping[str, Any], Redactor]:
    """`model`, `base_url` and `api_key` of the model that the assertion or its options name, and what of them is secret.

    Args:
        params: The assertion.
        role: The key of the model in a `provider` with one for each role.
        vendors: How the ids of such models begin.
        missing: What to do where none is named.
        usual: The model of an id that names none.

    Raises Unscored.
    """
    written = params.config.settings.get("provider") or params.config.options.get("provider")
    if isinstance(written, Mapping) and "id" not in written and role in written:
        written = written[role]
    identity, config = _parts(written)
    begin = next((each for each in vendors if f"{identity}:".startswith(each)), None)
    model = f"{identity}:".removeprefix(begin).strip(":") or usual if begin is not None else ""
    if not model:
        raise Unscored(
            f"rubric gets no {role}{_PLURAL.get(role, '')} of {identity}; {missing}" if identity else missing,
            at=params.config,
        )
    unsent = next((name for name in config if name not in _SETTINGS), "")
    if unsent:
        raise Unscored(f"rubric does not send `config.{unsent}` to {identity}", at=params.config)
    ports = params.context.ports
    known = ports.environment if ports is not None else {}
    texts = [each for each in config.values() if isinstance(each, str)]
    filled = fill_environment(config, known)
    unset = unset_variable(filled)
    if unset is not None:
        setting, variable = unset
        raise Unscored(unset_message(variable, f"`config.{setting}` of {identity}"), at=params.config)
    host = filled.get("apiHost")
    address = filled.get("apiBaseUrl") or (f"https://{host}/v1" if host else _ADDRESS)
    key = filled.get("apiKey") or known.get(str(filled.get("apiKeyEnvar") or _KEY))
    if not key:
        raise Unscored(f"{identity} needs a key: set {filled.get('apiKeyEnvar') or _KEY}", at=params.config)
    secrets = Redactor.of([("apiKey", str(key)), *named_variables(texts, known)])
    return {"model": model, "base_url": str(address), "api_key": key}, secrets


def _parts(written: Any) -> tuple[str, Mapping[str, Any]]:
    """The id of a provider, and its settings."""
    if not isinstance(written, Mapping):
        return written if isinstance(written, str) else "", {}
    identity, config = written.get("id"), written.get("config")
    return identity if isinstance(identity, str) else "", config if isinstance(config, Mapping) else {}


_MODERATION_VENDORS = ("openai:moderation:",)
_USUAL_MODERATION_MODEL = "omni-moderation-latest"
_NO_MODERATION_MODEL = (
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

    settings, secrets = openai_settings(
        params, "moderation", _MODERATION_VENDORS, _NO_MODERATION_MODEL, _USUAL_MODERATION_MODEL
    )
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


_NO_EMBEDDING_MODEL = (
    "no model embeds: name one as `openai:embedding:MODEL` under `provider` of the assertion or of `options`; "
    "promptfoo would choose one by the keys in the environment"
)
_EMBEDDING_VENDORS = ("openai:embedding:", "openai:embeddings:")
_USUAL_SIMILARITY = 0.75
#: The accuracy of comparisons in JavaScript.
_NEAR = 2.0**-52


class _Measure(NamedTuple):
    """A way to compare two embeddings."""

    of: Callable[[Sequence[float], Sequence[float]], float]
    #: Whether it is a distance, which passes when it is small.
    is_distance: bool = False


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


_MEASURES = {
    "cosine": _Measure(cosine), "dot": _Measure(_dot), "euclidean": _Measure(math.dist, is_distance=True),
}  # fmt: skip


async def _similar(params: AssertionParams) -> GradingResult:
    value = params.value
    wanted = value if isinstance(value, list) else [value]
    if not wanted or not all(isinstance(each, str) for each in wanted):
        raise row_error(params, "needs a text, or a list of texts, as `value`")
    output, *others = await embedded(params, [params.text, *wanted])
    measure = _MEASURES[params.config.base_type.partition(":")[2] or "cosine"]
    return _best([_compared(params, measure, each, output) for each in others], inverse=params.inverse)


async def embedded(params: AssertionParams, texts: Sequence[str]) -> list[list[float]]:
    """The embeddings of texts by the model that the assertion or the options name. Raises Unscored."""
    settings, secrets = openai_settings(params, "embedding", _EMBEDDING_VENDORS, _NO_EMBEDDING_MODEL)
    if params.context.mode == "replay":
        raise Unscored("embeddings are not recorded, and this run uses recordings only", at=params.config)
    try:
        return await embeddings(texts, settings, params.context, params.config, secrets)
    except ProviderError as error:
        raise GraderError(f"embeddings: {error}", at=params.config) from None


def _compared(
    params: AssertionParams, measure: _Measure, one: Sequence[float], other: Sequence[float]
) -> GradingResult:
    bound = _USUAL_SIMILARITY if params.config.threshold is None else params.config.threshold
    found = measure.of(one, other)
    score = 1 / (1 + found) if measure.is_distance else found
    wants_more = measure.is_distance == params.inverse
    passed = found >= bound - _NEAR if wants_more else found <= bound + _NEAR
    what, needs = "distance" if measure.is_distance else "similarity", "at least" if wants_more else "at most"
    return GradingResult(passed, 1 - score if params.inverse else score, f"{what} {found:.3f}, needs {needs} {bound:g}")


def _best(found: Sequence[GradingResult], *, inverse: bool) -> GradingResult:
    """The first of several texts that is similar enough. When negated, none may be, and the most similar one counts."""
    if inverse:
        return next((each for each in found if not each.passed), None) or min(found, key=lambda each: each.score)
    return next((each for each in found if each.passed), None) or max(found, key=lambda each: each.score)


SIMILARITIES: Mapping[str, Handler] = {"similar": _similar, **{f"similar:{each}": _similar for each in _MEASURES}}
