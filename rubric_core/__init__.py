"""rubric: the language, diagnostics and evaluation of eval YAML, for servers, command lines and scripts.

Two entry points are used by all of them alike: `analyze(document, language)` and `run_case(case, ports, on_event)`.
Names are imported when they are first asked for, so that checking a file loads nothing of what running needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric_core.analysis import Analysis, Language, analyze
    from rubric_core.text import Edit, LineIndex, Position, Span, apply_edits
    from rubric_core.validation.rule import Diagnostic, Finding, Fix, Related, Rule, rule

__version__ = "0.1.0"

_HOMES = {
    "Analysis": "analysis", "Diagnostic": "validation.rule", "Edit": "text", "Finding": "validation.rule", "Fix": "validation.rule",
    "Language": "analysis", "LineIndex": "text", "Position": "text", "Related": "validation.rule", "Rule": "validation.rule",
    "Span": "text", "analyze": "analysis", "apply_edits": "text", "rule": "validation.rule",
}  # fmt: skip

__all__ = [
    "Analysis", "Diagnostic", "Edit", "Finding", "Fix", "Language", "LineIndex", "Position", "Related", "Rule", "Span", "analyze",
    "apply_edits", "rule",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
