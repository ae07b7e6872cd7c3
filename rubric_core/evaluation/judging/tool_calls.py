"""The tool calls of an answer for a judge: one line per call, with its most important argument."""

from collections.abc import Mapping, Sequence

from rubric_core.ports import ToolUse

__all__ = ["tool_call_lines"]

#: The argument that says most, by the names that agents give their tools.
_TELLING: Mapping[str, str] = {
    "Skill": "skill", "Read": "file_path", "Write": "file_path", "Edit": "file_path", "Bash": "command", "Grep": "pattern", "Glob": "pattern",
}  # fmt: skip
#: Characters of an argument.
_LONGEST = 120


def tool_call_lines(uses: Sequence[ToolUse]) -> str:
    """`- TOOL: argument` for each call, as agentv fills in `{{ tool_calls }}`; empty without any."""
    return "\n".join(f"- {use.tool}: {told}" if (told := _telling(use)) else f"- {use.tool}" for use in uses)


def _telling(use: ToolUse) -> str:
    given = use.input if isinstance(use.input, Mapping) else {}
    first = given.get(_TELLING.get(use.tool, ""))
    if isinstance(first, str) and first:
        return first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"
    return next((v for v in given.values() if isinstance(v, str) and 0 < len(v) <= _LONGEST), "")
