"""Providers of promptfoo that are files with code, and what programs that are providers learn besides the prompt."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.code.interpreters import INTERPRETERS, Language, with_interpreter
from rubric_core.evaluation.code.scripts import Conventions, language_of, run_function
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.families.promptfoo.code.transform import output_text
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Answer, Ports, ProviderError, Request, SentPayload, Tokens
from rubric_core.text import Span

__all__ = ["PromptfooScript", "call_context", "no_tokens", "row_context", "runtime_variables", "script_of"]

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


_SCRIPT = pattern(
    r"(?:(?P<prefix>python|ruby):(?:file://)?|file://)(?P<file>.+\.(?P<ending>py|rb|[cm]?[jt]s)(?::[A-Za-z_$][\w$.]*)?)\Z"
)
_ENDINGS = {"python": "py", "ruby": "rb"}
#: Seconds.
_TIMEOUT = 300.0
_AT = Shape(Span(0, 0))


def script_of(identity: str) -> str:
    """The address of the file that a provider with this id is; empty for an id of another kind."""
    found = _SCRIPT.match(identity)
    if found is None or _ENDINGS.get(found["prefix"], found["ending"]) != found["ending"]:
        return ""
    return f"{URL}{found['file']}"


@dataclass(frozen=True)
class PromptfooScript:
    """Calls a function in a Python or Ruby file, or `callApi` of a class in a JavaScript file, in a separate process."""

    name: str
    code: str
    settings: Mapping[str, Any]
    place: TargetLocation
    ports: Ports
    kind: str = "script"

    @property
    def identity(self) -> str:
        """See `Provider.identity`."""
        return f"{self.code.removeprefix(URL)}:{self.name}"

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        # The code runs in the directory of the configuration.
        config = {**(self.settings.get("config") or {}), "basePath": "."}
        options = {"id": self.settings.get("id"), "config": config}
        arguments = {"prompt": request.prompt, "options": options, "context": call_context(request)}
        request.sent(SentPayload(self.name, request.messages, argv=(self.code.removeprefix(URL),)))
        language = language_of(self.code, ruby=True)
        is_class = language == "javascript"
        if is_class:
            del arguments["options"]
        clock, chosen = self.ports.clock, config.get(INTERPRETERS[language].setting)
        ports = with_interpreter(seal(self.ports, self.place.redact), language, chosen)
        began = clock.seconds()
        try:
            told = await run_function(
                self.code, language, arguments, ports, self.place.directory, self._limit(language), _AT, function="call_api",
                method=("callApi", options) if is_class else None, conventions=Conventions(exact=True),
            )  # fmt: skip
        except Unscored as problem:
            raise ProviderError(f"{problem.reason} ({self.place.where('id')})") from None
        return self._answer(told, (clock.seconds() - began) * 1000)

    def _limit(self, language: Language) -> float:
        """The time limit in seconds: that of the settings, in milliseconds, which only Python has."""
        written = finite_number((self.settings.get("config") or {}).get("timeout")) if language == "python" else None
        return written / 1000 if written else _TIMEOUT

    def _answer(self, told: Any, took: float) -> Answer:
        if not isinstance(told, dict) or not ("output" in told or "error" in told):
            raise ProviderError(
                f"{self.code.removeprefix(URL)} returned neither `output` nor `error` ({self.place.where('id')})"
            )
        if told.get("error"):
            raise ProviderError(f"{told['error']} ({self.place.where('id')})")
        output, cost = told.get("output"), told.get("cost")
        if output is None:
            raise ProviderError(f"{self.code.removeprefix(URL)} returned no output ({self.place.where('id')})")
        return Answer(
            output_text(output), duration_ms=took, tokens=_tokens(told.get("tokenUsage")), data=None if isinstance(output, str) else output,
            cost_usd=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
            finish_reason=str(told.get("finishReason") or ""), reported=self._reported(told),
        )  # fmt: skip

    def _reported(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The reply besides the output; promptfoo counts the requests of Python and Ruby, which it caches."""
        found = {name: value for name, value in told.items() if name not in ("output", "error")}
        if language_of(self.code, ruby=True) == "javascript":
            return found
        usage = told.get("tokenUsage")
        counted = {"tokenUsage": {"numRequests": 1, **usage}} if isinstance(usage, dict) else {}
        return {**found, **counted, "cached": False}


def _tokens(told: Any) -> Tokens | None:
    if not isinstance(told, dict):
        return None
    counts = [n if isinstance(n := told.get(name), int) else 0 for name in ("prompt", "completion", "cached")]
    return Tokens(*counts) if any(counts) else None
