"""What promptfoo passes to programs that are providers, besides the prompt."""

from collections.abc import Mapping
from typing import Any

from rubric_core.ports import Request

__all__ = ["call_context", "no_tokens", "row_context", "runtime_variables"]

#: promptfoo makes a new one for each run.
_EVALUATION = "eval-rubric"
_PASSED_ON = ("test", "repeatIndex", "evaluationId")


def row_context(
    raw: str, label: str, test: Mapping[str, Any], *, number: int, column: int, repeat: int
) -> Mapping[str, Any]:
    """The row for `Request.row`.

    Args:
        raw: The prompt before it is filled in.
        label: Its label.
        test: The test with all that it inherits.
        number: The number of the test.
        column: That of the prompt with its provider.
        repeat: That of the repetition. All begin with 0.
    """
    return {
        "vars": runtime_variables(number, column, repeat), "prompt": {"raw": raw, "label": label}, "test": test,
        "repeatIndex": repeat, "evaluationId": _EVALUATION,
    }  # fmt: skip


def runtime_variables(number: int, column: int, repeat: int) -> Mapping[str, Any]:
    """The variables that promptfoo adds for programs that make prompts or are providers; assertions do not get them."""
    step = f"test-{number}-prompt-{column}-repeat-{repeat}"
    return {"__evalId": _EVALUATION, "__evalStepId": step, "__repeatIndex": repeat}


def call_context(request: Request) -> dict[str, Any]:
    """The context of a call."""
    row = request.row
    prompt = row.get("prompt") or {"raw": request.prompt, "label": request.prompt}
    return {
        "vars": {**request.variables, **row.get("vars", {})},
        "prompt": {**prompt, "config": dict(request.config), "template": prompt["raw"]},
        **{name: row[name] for name in _PASSED_ON if name in row},
    }


def no_tokens(requests: int) -> dict[str, Any]:
    """The tokens that promptfoo counts for a reply that tells none."""
    details = dict.fromkeys(
        ("reasoning", "acceptedPrediction", "rejectedPrediction", "cacheReadInputTokens", "cacheCreationInputTokens"), 0
    )
    counts = {"prompt": 0, "completion": 0, "cached": 0, "total": 0}
    inner = {**counts, "numRequests": 0, "completionDetails": details}
    return {**counts, "numRequests": requests, "completionDetails": details, "assertions": inner}
