"""Providers of promptfoo that are files with code: `python:`, `ruby:`, `file://x.py` and `file://x.rb` with `call_api`, `file://x.js` with a class."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.code.interpreters import INTERPRETERS, Language, with_interpreter
from rubric_core.evaluation.code.scripts import Conventions, language_of, run_function
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.families.promptfoo.code.transform import output_text
from rubric_core.families.promptfoo.targets.context import call_context
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Answer, Ports, ProviderError, Request, SentPayload, Tokens
from rubric_core.text import Span

__all__ = ["PromptfooScript", "script_of"]

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
