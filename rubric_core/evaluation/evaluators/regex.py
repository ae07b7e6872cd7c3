"""A regular expression matches somewhere in the answer; JavaScript's syntax and flags."""

import re
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, text_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.js_regex.translate import Translation, translate
from rubric_core.language.evaluators import Regex
from rubric_core.ports import Ports
from rubric_core.sandbox.process import Sandbox, SandboxError

__all__ = ["REGEX", "matches_pattern"]

#: The maximum steps of a match in this process, which cannot be interrupted: about a hundredth of a second.
_CHEAP = 500_000
#: Seconds of processor time.
_TIME_LIMIT = 5.0
_REASON = "; nested repetitions are the usual reason"


async def _grade(config: Regex, context: EvaluationContext) -> EvaluationScore:
    pattern, flags = text_of(config), config.flags or ""
    shown = f"/{pattern}/{flags}"
    try:
        translation = translate(pattern, flags)
    except InvalidPatternError as error:
        return EvaluationScore.crash(f"{shown} is not a regular expression: {error}")
    except UnsupportedPatternError as error:
        raise Unscored(str(error)) from None
    holds = await _matches(translation, context.candidate, context.ports)
    return EvaluationScore.check(holds, f"matches {shown}", f"does not match {shown}")


async def matches_pattern(pattern: str, flags: str, answer: str, ports: Ports | None) -> bool:
    """Whether a pattern of JavaScript matches somewhere in a text. Raises InvalidPatternError, UnsupportedPatternError and Unscored."""
    return await _matches(translate(pattern, flags), answer, ports)


async def _matches(translation: Translation, answer: str, ports: Ports | None) -> bool:
    text = translation.text(answer)
    if translation.most_steps(text) <= _CHEAP and translation.engine == "re":
        compiled = re.compile(translation.pattern)
        return bool(compiled.match(text) if translation.sticky else compiled.search(text))
    request = {
        "do": "match", "pattern": translation.pattern, "engine": translation.engine, "sticky": translation.sticky, "text": text,
    }  # fmt: skip
    if ports is not None:
        return await _matches_apart(request, ports.sandbox)
    with Sandbox() as sandbox:
        return await _matches_apart(request, sandbox)


async def _matches_apart(request: Mapping[str, Any], sandbox: Sandbox) -> bool:
    try:
        return bool(await sandbox.compute(request, _TIME_LIMIT))
    except SandboxError as error:
        raise Unscored(f"the pattern {error} on this answer{_REASON if error.slow else ''}") from None


REGEX = TypedEvaluator("regex", Regex, _grade)
