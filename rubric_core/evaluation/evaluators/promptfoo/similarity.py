"""`similar`: the output is close in meaning to a text, by the embeddings of both."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.evaluation.evaluators.promptfoo.check import Check, Finding, Handler, row_error
from rubric_core.evaluation.evaluators.similar import cosine, embeddings
from rubric_core.evaluation.model.redaction import Redactor, named_variables
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.language.variables import PROMPTFOO_ENVIRONMENT
from rubric_core.ports import ProviderError

__all__ = ["SIMILARITIES", "embedded"]

_NO_MODEL = (
    "no model embeds: name one as `openai:embedding:MODEL` under `provider` of the assertion or of `options`; "
    "promptfoo would choose one by the keys in the environment"
)
_VENDORS = ("openai:embedding:", "openai:embeddings:")
_ADDRESS, _KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"
#: The settings of an embedding model that count here, or that change nothing.
_SETTINGS = frozenset({"apiKey", "apiKeyEnvar", "apiBaseUrl", "apiHost", "cost"})
_USUAL = 0.75
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


async def _similar(check: Check) -> Finding:
    value = check.value
    wanted = value if isinstance(value, list) else [value]
    if not wanted or not all(isinstance(each, str) for each in wanted):
        raise row_error(check, "needs a text, or a list of texts, as `value`")
    output, *others = await embedded(check, [check.text, *wanted])
    measure = _MEASURES[check.config.base_type.partition(":")[2] or "cosine"]
    return _best([_compared(check, measure, each, output) for each in others], inverse=check.inverse)


async def embedded(check: Check, texts: Sequence[str]) -> list[list[float]]:
    """The embeddings of texts by the model that the assertion or the options name. Raises Unscored."""
    settings, secrets = _embedder(check)
    if check.context.mode == "replay":
        raise Unscored("embeddings are not recorded, and `--replay` calls no model", at=check.config)
    try:
        return await embeddings(texts, settings, check.context, check.config, secrets)
    except ProviderError as error:
        raise GraderError(f"embeddings: {error}", at=check.config) from None


def _compared(check: Check, measure: _Measure, one: Sequence[float], other: Sequence[float]) -> Finding:
    bound = _USUAL if check.config.threshold is None else check.config.threshold
    found = measure.of(one, other)
    score = 1 / (1 + found) if measure.is_distance else found
    wants_more = measure.is_distance == check.inverse
    passed = found >= bound - _NEAR if wants_more else found <= bound + _NEAR
    what, needs = "distance" if measure.is_distance else "similarity", "at least" if wants_more else "at most"
    return Finding(passed, 1 - score if check.inverse else score, f"{what} {found:.3f}, needs {needs} {bound:g}")


def _best(found: Sequence[Finding], *, inverse: bool) -> Finding:
    """Of several texts one has to be close, the first of them counts; negated, none may be, and the closest counts."""
    if inverse:
        return next((each for each in found if not each.passed), None) or min(found, key=lambda each: each.score)
    return next((each for each in found if each.passed), None) or max(found, key=lambda each: each.score)


def _embedder(check: Check) -> tuple[Mapping[str, Any], Redactor]:
    """The settings of the model that embeds, and what of them is secret. Raises Unscored."""
    written = check.config.settings.get("provider") or check.config.options.get("provider")
    if isinstance(written, Mapping) and "id" not in written and "embedding" in written:
        written = written["embedding"]
    identity, config = _parts(written)
    model = next((identity.removeprefix(each) for each in _VENDORS if identity.startswith(each)), "")
    if not model:
        raise Unscored(
            f"rubric gets no embeddings of {identity}; {_NO_MODEL}" if identity else _NO_MODEL, at=check.config
        )
    unsent = next((name for name in config if name not in _SETTINGS), "")
    if unsent:
        raise Unscored(f"rubric does not send `config.{unsent}` to {identity}", at=check.config)
    ports = check.context.ports
    known = ports.environment if ports is not None else {}
    texts = [each for each in config.values() if isinstance(each, str)]
    filled = dict(_filled(config, known))
    host = filled.get("apiHost")
    address = filled.get("apiBaseUrl") or (f"https://{host}/v1" if host else _ADDRESS)
    key = filled.get("apiKey") or known.get(str(filled.get("apiKeyEnvar") or _KEY))
    if not key:
        raise Unscored(f"{identity} needs a key: set {filled.get('apiKeyEnvar') or _KEY}", at=check.config)
    return {"model": model, "base_url": address, "api_key": key}, Redactor.of(
        [("apiKey", str(key)), *named_variables(texts, known)]
    )


def _parts(written: Any) -> tuple[str, Mapping[str, Any]]:
    """The id of a provider, and its settings."""
    if not isinstance(written, Mapping):
        return written if isinstance(written, str) else "", {}
    identity, config = written.get("id"), written.get("config")
    return identity if isinstance(identity, str) else "", config if isinstance(config, Mapping) else {}


def _filled(config: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        yield (
            name,
            PROMPTFOO_ENVIRONMENT.sub(lambda m: environment.get(m[1] or m[2], ""), value)
            if isinstance(value, str)
            else value,
        )


SIMILARITIES: Mapping[str, Handler] = {"similar": _similar, **{f"similar:{each}": _similar for each in _MEASURES}}
