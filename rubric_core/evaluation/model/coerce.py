"""Converts the arguments of an `EvaluationContext`, which may be plain data, to its fields."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.arguments import fraction, text, whole
from rubric_core.evaluation.model.errors import InvalidSuiteError
from rubric_core.evaluation.model.exchanges import ExchangeLog
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget, conversation_text
from rubric_core.evaluation.model.script_judge import as_provider
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS, dialect_named
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.loading.grading import threshold_of
from rubric_core.ports import ChatMessage
from rubric_core.text import Span

__all__ = ["config_of", "context_fields"]

_FIELDS = frozenset(each.name for each in fields(PromptInputs))
_ROLES = ("system", "user", "assistant", "tool")


def context_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an `EvaluationContext`; `given` are its arguments. Raises as that does."""
    dialect = _dialect(given["dialect"])
    case = _case(given["eval_case"], dialect)
    origin = case.origin
    dialect = dialect or (origin.dialect if origin is not None else None)
    directory, anchors = given["directory"], given["anchors"]
    if origin is not None:
        directory, anchors = origin.directory if directory is None else directory, anchors or origin.anchors
    judge, evaluator, minimum = given["judge_provider"], given["evaluator"], given["required_minimum"]
    threshold = _threshold(given["threshold"], case, dialect)
    return {
        **given,
        "eval_case": case,
        "dialect": dialect,
        "directory": directory if isinstance(directory, Path) else Path() if directory is None else Path(directory),
        "anchors": anchors,
        "candidate": text("candidate", given["candidate"]),
        "target": _target(given["target"]),
        "attempt": whole("attempt", given["attempt"]),
        "prompt_inputs": _inputs(given["prompt_inputs"], case),
        "now": _now(given["now"]),
        "judge_provider": None if judge is None else as_provider(judge),
        "evaluator": None if evaluator is None else config_of(evaluator, dialect),
        "threshold": threshold,
        "required_minimum": threshold if minimum is None else fraction("required_minimum", minimum),
        "exchanges": given["exchanges"] or ExchangeLog(),
    }


def _now(given: object) -> datetime:
    if given is None:
        return datetime.now(timezone.utc)
    if not isinstance(given, datetime):
        raise TypeError(f"now must be a datetime, found {given!r:.60}")
    return given


def _threshold(given: object, case: Case, dialect: Dialect | None) -> float:
    if given is None:
        return threshold_of(None, Suite(Span(0, 0)), case, (dialect or DIALECTS[-1]).properties)[0]
    return fraction("threshold", given)


def _dialect(given: Dialect | str | None) -> Dialect | None:
    return given if given is None or isinstance(given, Dialect) else dialect_named(given)


def _case(given: object, dialect: Dialect | None) -> Case:
    if isinstance(given, Mapping):
        from rubric_core.evaluation.model.plain_data import case_from_data  # noqa: PLC0415  # it reads suites, for scripts alone

        return case_from_data(given, dialect)
    if not isinstance(given, Case):
        raise TypeError(f"eval_case must be a Case or a mapping with its keys, found {type(given).__name__}")
    if given.origin is not None and given.origin.errors:
        raise InvalidSuiteError("\n".join(given.origin.errors))
    return given


def config_of(given: object, dialect: Dialect | None) -> Evaluator:
    """The configuration of an evaluator, which may be a mapping. Raises TypeError, and InvalidSuiteError for one with errors."""
    if isinstance(given, Evaluator):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"the configuration of an evaluator must be a mapping with its keys, found {given!r:.60}")
    from rubric_core.evaluation.model.plain_data import evaluator_from_data  # noqa: PLC0415  # as above

    return evaluator_from_data(given, dialect or DIALECTS[-1])


def _target(given: object) -> ResolvedTarget:
    """A target by its name, or of a mapping with `name`, `provider` (or `kind`) and its other settings."""
    if isinstance(given, ResolvedTarget):
        return given
    if isinstance(given, str):
        return ResolvedTarget(name=given, kind="")
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise TypeError(f"target must be a name or a mapping with `name`, found {given!r:.60}")
    kind = given.get("kind", given.get("provider", ""))
    settings = {name: value for name, value in given.items() if name not in ("name", "kind", "provider")}
    return ResolvedTarget(
        name=given["name"], kind=str(kind), grader_target=given.get("grader_target"), settings=settings
    )


# Inputs


def _inputs(given: object, case: Case) -> PromptInputs:
    """The input of a case. What a mapping leaves out is taken from the case, where its input is a text."""
    if isinstance(given, PromptInputs):
        return given
    if isinstance(given, str):
        return PromptInputs(question=given, messages=(ChatMessage("user", given),))
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"prompt_inputs must be a string or a mapping with fields of PromptInputs, found {given!r:.60}")
    told = dict(given or {})
    unknown = [name for name in told if name not in _FIELDS]
    if unknown:
        raise TypeError(f"prompt_inputs has no field {unknown[0]!r}; it has {', '.join(sorted(_FIELDS))}")
    if "messages" in told:
        told["messages"] = tuple(map(_message, told["messages"]))
    if "files" in told:
        told["files"] = tuple(map(Path, told["files"]))
    question = conversation_text(told["messages"]) if told.get("messages") else case.input
    known = {"question": question, "reference_answer": case.expected_output}
    texts = {name: value for name, value in known.items() if isinstance(value, str)}
    return PromptInputs(**{"question": "", **texts, **told})


def _message(given: object) -> ChatMessage:
    if isinstance(given, ChatMessage):
        return given
    if not isinstance(given, Mapping) or given.get("role") not in _ROLES or not isinstance(given.get("content"), str):
        raise TypeError(
            f"a message must have a `role` ({', '.join(_ROLES)}) and a string as `content`, found {given!r:.60}"
        )
    return ChatMessage(given["role"], given["content"])
