"""The models that grade with `--grader-target promptfoo` where a configuration names none: one is chosen by the keys in the environment."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rubric_core.evaluation.model.variables import peek

__all__ = ["CHOSEN_BY_KEYS", "DEFAULT_GRADERS", "DefaultGrader", "default_grader"]

#: What `--grader-target` says to have one chosen, which rubric does not do by itself.
CHOSEN_BY_KEYS = "promptfoo"
_AZURE_NAMES = ("AZURE_DEPLOYMENT_NAME", "AZURE_OPENAI_DEPLOYMENT_NAME")


class DefaultGrader(NamedTuple):
    """A model that grades without being named."""

    #: The name of its target.
    name: str
    id: str
    config: Mapping[str, Any]
    #: The variables of which one has to be set, and further ones that all have to be.
    keys: tuple[str, ...]
    further: tuple[str, ...] = ()


def _grader(identity: str, keys: tuple[str, ...], further: tuple[str, ...] = (), **config: Any) -> DefaultGrader:
    suffix = " for rubrics" if config else ""
    return DefaultGrader(f"default grader{suffix} {identity}", identity, config, keys, further)


_OPENAI, _GITHUB, _MISTRAL = "openai:chat:gpt-5.5-2026-04-23", "github:openai/gpt-5", "mistral:mistral-large-latest"
_CLAUDE = "anthropic:messages:claude-sonnet-4-6"
_GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "PALM_API_KEY")
_JSON = {"type": "json_object"}
#: The tool by which Claude grades.
_GRADES: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "pass": {"type": "boolean", "description": "Whether the output passes the criteria"},
        "score": {"type": "number", "description": "The score assigned to the output"},
        "reason": {"type": "string", "description": "The reason for the given grade"},
    },
    "required": ["pass", "score", "reason"],
}
_HANDS_IN: Mapping[str, Any] = {
    "tool_choice": {"type": "tool", "name": "grade_output"},
    "tools": [
        {
            "name": "grade_output",
            "description": "Grade the given output based on specific criteria",
            "input_schema": _GRADES,
        }
    ],
}
#: In the order in which promptfoo 0.121 looks for their keys, each with the one that grades `llm-rubric`.
_ORDER: tuple[tuple[DefaultGrader, DefaultGrader], ...] = (
    (_grader(_OPENAI, ("OPENAI_API_KEY",)), _grader(_OPENAI, ("OPENAI_API_KEY",), response_format=_JSON)),
    (_grader("azure:chat:{{env.AZURE_OPENAI_DEPLOYMENT_NAME}}", ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"), _AZURE_NAMES),) * 2,
    (_grader(_CLAUDE, ("ANTHROPIC_API_KEY",)), _grader(_CLAUDE, ("ANTHROPIC_API_KEY",), **_HANDS_IN)),
    (_grader("google:gemini-2.5-pro", _GOOGLE),) * 2,
    (_grader(_MISTRAL, ("MISTRAL_API_KEY",)), _grader(_MISTRAL, ("MISTRAL_API_KEY",), response_format=_JSON)),
    (_grader(_GITHUB, ("GITHUB_TOKEN",)), _grader(_GITHUB, ("GITHUB_TOKEN",), response_format=_JSON)),
)  # fmt: skip
#: All of them, each once.
DEFAULT_GRADERS: tuple[DefaultGrader, ...] = tuple({each.name: each for pair in _ORDER for each in pair}.values())


def default_grader(kind: str, environment: Mapping[str, str]) -> str | None:
    """The name of the target that grades assertions of a type without a grader; None without a key."""
    for usual, rubric in _ORDER:
        if any(peek(environment, key) for key in usual.keys) and all(peek(environment, key) for key in usual.further):
            return rubric.name if kind == "llm-rubric" else usual.name
    return None
