"""Assertions that are code or a service: JavaScript by node, Python by python3, Ruby by ruby; `webhook`."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.evaluation.code.interpreters import Language
from rubric_core.evaluation.code.scripts import CodeFailedError, Conventions, language_of, run_code
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, row_error
from rubric_core.families.promptfoo.language.javascript import declarations_and_result, without_require
from rubric_core.language.javascript_values import json_text, number_of
from rubric_core.loading.directory_search import URL
from rubric_core.ports import NetworkError

__all__ = ["SCRIPTS", "SERVICES", "expected_by_script", "provider_response", "row_provider"]

#: The kinds of providers whose programs report the whole reply themselves.
_PROGRAMS = frozenset({"exec", "script"})


def row_provider(params: AssertionParams, *, is_javascript: bool) -> dict[str, Any]:
    """The provider of the row. Its id is a function, which only JavaScript has."""
    context = params.context
    told = dict(context.row_provider) or {"id": context.target.name, "label": context.target.name}
    identity = told.pop("id")
    return {"id": identity, **told} if is_javascript else told


def provider_response(params: AssertionParams) -> dict[str, Any]:
    """The reply of the provider, with its output before the assertion's own transform."""
    context, answer = params.context, params.context.answer
    if answer is None:
        return {"output": params.output}
    reported, output = dict(answer.reported or {}), answer.text if answer.data is None else answer.data
    found = {"output": output, **reported}
    if "cached" not in reported and context.target.kind not in _PROGRAMS:
        found |= _measured(params)
    found |= {"cached": True} if answer.cached_at else {}
    before = context.provider_output
    return {**found, "output": output, "providerTransformedOutput": output if before is None else before}


def _measured(params: AssertionParams) -> dict[str, Any]:
    """What was measured of a call, as promptfoo names it."""
    answer = params.context.answer
    assert answer is not None
    tokens, found = answer.tokens, dict[str, Any](cached=False)
    if answer.duration_ms is not None:
        found["latencyMs"] = round(answer.duration_ms)
    if answer.finish_reason:
        found["finishReason"] = answer.finish_reason
    if answer.cost_usd is not None:
        found["cost"] = answer.cost_usd
    if tokens is not None:
        cached: Mapping[str, int] = {"cached": tokens.cached} if tokens.cached else {}
        usage = {"total": tokens.total, "prompt": tokens.input, "completion": tokens.output}
        found["tokenUsage"] = {**usage, **cached, "numRequests": 1}
    return found


_TOO_LONG = 200
_CONVENTIONS = Conventions(default_export=True, exact=True, infinite=True)
_NEEDED = ("pass", "score", "reason")
#: Further keys of a result; null is an object in JavaScript.
_OBJECTS = ("namedScores", "namedScoreWeights", "tokensUsed", "assertion")


async def _javascript(params: AssertionParams) -> GradingResult:
    if not isinstance(params.value, str):
        return GradingResult(False, 0.0, "javascript needs code as `value`")
    code = params.value if params.value.startswith(URL) else _in_javascript(params.value.rstrip())
    try:
        result = await _run(params, code, "javascript")
    except CodeFailedError as error:
        if code is params.value:  # promptfoo makes an error of the row of it
            raise
        return GradingResult(False, 0.0, error.reason)
    if isinstance(result, dict) and _is_result(result):
        return _grade_by_mapping(params, result)
    if isinstance(result, bool):
        return _grade_by_boolean(params, result)
    if not isinstance(result, int | float):
        shown = json_text(result)[:_TOO_LONG]
        return GradingResult(False, 0.0, f"the code returned {shown}, which is no boolean, number or result")
    return _grade_by_number(params, float(result))


async def _run(params: AssertionParams, code: str, language: Language) -> Any:
    """The value that code returns for the output and its context.

    In JavaScript the provider's id is a function, and `logProbs` is undefined if there are none.
    """
    if code.startswith(URL):
        language = language_of(code, ruby=True)  # whatever the type of the assertion is
    is_javascript = language == "javascript"
    arguments = _arguments(params, is_javascript=is_javascript)
    context = arguments["context"]
    getters = {"context.provider.id": context["provider"]["id"]} if is_javascript else {}
    getters |= {"context.logProbs": None} if is_javascript and context["logProbs"] is None else {}
    # What is run is made of what the author wrote.
    says = "" if code.startswith(URL) else str(params.value).strip()
    return await run_code(
        code, language, arguments, params.context, params.config, conventions=_CONVENTIONS, getters=getters, says=says
    )


def _in_javascript(code: str) -> str:
    """Code as a call: one line is an expression, possibly after declarations; more lines are a body that returns."""
    body = code
    if "\n" not in code:
        body = code.strip().rstrip(";")
        declared, result = declarations_and_result(body)
        body = f"{declared}; return {result}" if result.strip() else body
    return without_require(body)


async def _python(params: AssertionParams) -> GradingResult:
    if not isinstance(params.value, str):
        raise row_error(params, "needs code as `value`")
    code = params.value
    if not code.startswith(URL):
        code = f"pass\n{code}" if "\n" in code else f"return {code}"
    return await _scripted(params, code, "python")


async def _ruby(params: AssertionParams) -> GradingResult:
    if not isinstance(params.value, str):
        raise row_error(params, "needs code as `value`")
    return await _scripted(params, params.value, "ruby")


async def _scripted(params: AssertionParams, code: str, language: Language) -> GradingResult:
    """The result of Python or Ruby code; as in promptfoo, code that fails is a failed assertion."""
    try:
        result = await _run(params, code, language)
    except CodeFailedError as error:
        return GradingResult(False, 0.0, error.reason)
    return _script_result(params, result)


def _script_result(params: AssertionParams, result: Any) -> GradingResult:
    lowered = result.lower() if isinstance(result, str) else None
    if isinstance(result, bool) or lowered in ("true", "false"):
        return _grade_by_boolean(params, result is True or lowered == "true")
    if isinstance(result, str) and result.startswith("{"):
        import json  # noqa: PLC0415  # for this case alone

        try:
            result = json.loads(result)
        except (ValueError, RecursionError) as error:
            return GradingResult(False, 0.0, f"the code returned text that is no JSON: {error}")
    if isinstance(result, dict | list):
        named = {_camel(name): value for name, value in result.items()} if isinstance(result, dict) else {}
        if not _is_result(named):
            return GradingResult(
                False, 0.0, f"the code returned {result!r:.{_TOO_LONG}}, which has not all of {', '.join(_NEEDED)}"
            )
        least = params.config.threshold
        if least is not None and named["score"] < least:
            named |= {"pass": False, "reason": f"the score {named['score']:g} is below {least:g}: {named['reason']}"}
        return _grade_by_mapping(params, named)
    number = finite_number(result) if not isinstance(result, str) else _leading_number(result)
    if number is None:
        return GradingResult(
            False, 0.0, f"the code returned {result!r:.{_TOO_LONG}}, which is no boolean, number or result"
        )
    return _grade_by_number(params, number)


def _camel(name: object) -> str:
    """Convert a snake_case key of a result of Python or Ruby to camelCase."""
    text = str(name)
    return "pass" if text == "pass_" else re.sub(r"_([a-z])", lambda m: m[1].upper(), text)


def _arguments(params: AssertionParams, *, is_javascript: bool) -> dict[str, Any]:
    """The arguments passed to code: the output and its context, with the keys in promptfoo's order."""
    context, config = params.context, params.config.settings.get("config")
    settings = {**context.inherited, **(config if isinstance(config, dict) else {})}
    test = context.test or {"vars": dict(context.variables)}
    response = provider_response(params)
    log_probs = response.get("logProbs")
    inner: dict[str, Any] = {
        "prompt": context.prompt_inputs.question, "vars": dict(context.variables), "test": test,
        **({"logProbs": log_probs} if is_javascript or log_probs is not None else {}),
        "provider": row_provider(params, is_javascript=is_javascript),
        "providerResponse": response,
    }  # fmt: skip
    inner |= {"config": settings} if settings else {}
    inner |= {"metadata": response["metadata"]} if response.get("metadata") is not None else {}
    return {"output": params.output, "context": inner}


def _is_result(value: Mapping[str, Any]) -> bool:
    """Whether a mapping is a result for promptfoo, which looks at its further keys as well."""
    return (
        isinstance(value.get("pass"), bool)
        and finite_number(value.get("score")) is not None
        and isinstance(value.get("reason"), str)
        and all(value[name] is None or isinstance(value[name], dict | list) for name in _OBJECTS if name in value)
        and isinstance(value.get("componentResults", []), list)
        and isinstance(value.get("comment", ""), str)
    )


def _grade_by_mapping(params: AssertionParams, result: Mapping[str, Any]) -> GradingResult:
    passed = result["pass"] != params.inverse
    named, weights = _numbers(result.get("namedScores")), _numbers(result.get("namedScoreWeights"))
    reason = str(result["reason"]) or "the code says so"
    return GradingResult(passed, float(result["score"]), reason, named, tuple(_parts(result)), weights)


def _numbers(written: Any) -> dict[str, float]:
    """The numbers of a mapping or a list by their names, as JavaScript reads them where it multiplies."""
    entries = written.items() if isinstance(written, dict) else enumerate(written) if isinstance(written, list) else ()
    found = ((str(name), number_of(value)) for name, value in entries)
    return {name: number for name, number in found if math.isfinite(number)}


def _parts(result: Mapping[str, Any]) -> Iterator[GradingResult]:
    """The `componentResults` of a result, which promptfoo lists with it."""
    listed = result.get("componentResults")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            part = {_camel(name): value for name, value in each.items()}
            score = finite_number(part.get("score")) or 0.0
            yield GradingResult(part.get("pass") is True, score, str(part.get("reason") or ""))


def _grade_by_boolean(params: AssertionParams, result: bool) -> GradingResult:
    passed = result != params.inverse
    return GradingResult(passed, 1.0 if passed else 0.0, f"the code returned {'true' if result else 'false'}")


def _grade_by_number(params: AssertionParams, number: float) -> GradingResult:
    least = params.config.threshold
    holds = number > 0 if least is None else number >= least
    wanted = "which is not above 0" if least is None else f"which is below {least:g}"
    # The score of a number without end is stored as the nearest one.
    score = number if math.isfinite(number) else float(number > 0)
    return GradingResult(
        holds != params.inverse, score, f"the code returned {number:g}{'' if holds else f', {wanted}'}"
    )


def _leading_number(text: str) -> float | None:
    """The number with which a text begins, as JavaScript reads it."""
    read = re.match(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text)
    return float(read[0]) if read else None


async def expected_by_script(params: AssertionParams) -> Any:
    """The value that a function in a file gives for an assertion of another type; a failed result where Python or Ruby code fails.

    Raises GraderError; of JavaScript that fails promptfoo makes an error of the row.
    """
    code = str(params.value)
    language = language_of(code, ruby=True)
    try:
        result = await _run(params, code, language)
    except CodeFailedError as error:
        if language == "javascript":
            raise
        return GradingResult(False, 0.0, error.reason)
    if isinstance(result, bool) or (isinstance(result, dict) and "pass" in result):
        raise row_error(params, "has a function as `value` that grades; it has to return what is compared with")
    return result


SCRIPTS: Mapping[str, Handler] = {"javascript": _javascript, "python": _python, "ruby": _ruby}


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
