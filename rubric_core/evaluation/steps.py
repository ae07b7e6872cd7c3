"""Steps that a target took, and which of them an evaluator means: names, patterns, how often."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from typing import Any

from rubric_core.evaluation.result import Unscored
from rubric_core.language.evaluators import StepCount
from rubric_core.language.shape import Shape
from rubric_core.ports import ToolUse

__all__ = ["Wanted", "skills_in", "steps_of", "wanted", "wanted_all"]

#: Tools that run commands and tools that search, by the names that agents give them, in small letters.
_COMMANDS = frozenset(("bash", "shell", "sh", "exec", "exec_command", "command_execution", "local_shell", "run_command", "terminal"))  # fmt: skip
_SEARCHES = frozenset(("search", "grep", "glob", "websearch", "web_search", "file_search", "ripgrep", "find"))
_SKILL = re.compile(r"skills[/\\]+([^/\\\s\"']+)[/\\]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Steps that are looked for: by name or pattern (`*` and `?`, whatever the case), and how often."""

    name: str
    least: int = 1
    most: int | None = None
    #: Of which kind they are; empty for tools.
    kind: str = ""

    def fits(self, use: ToolUse) -> bool:
        """Whether a call is such a step."""
        return self.named(use.tool) and (not self.kind or is_kind(use, self.kind))

    def named(self, name: str) -> bool:
        """Whether a name is the one that is looked for."""
        return re.match(translate(self.name.lower()), name.lower()) is not None

    def count_holds(self, count: int) -> bool:
        """Whether `count` steps are enough and not too many."""
        return count >= self.least and (self.most is None or count <= self.most)

    @property
    def words(self) -> str:
        """How often, in words."""
        most = "" if self.most is None else f", at most {self.most}"
        return f"at least {self.least}{most}"


def is_kind(use: ToolUse, kind: str) -> bool:
    """Whether a call of a tool is a step of that kind."""
    name = use.tool.lower()
    return kind == "tool" or (kind == "command" and name in _COMMANDS) or (kind == "search" and name in _SEARCHES)


def steps_of(uses: Sequence[ToolUse], kind: str, at: Shape) -> list[ToolUse]:
    """The steps of a kind, every step for an empty one. Raises Unscored for a kind that nobody keeps a record of."""
    if kind and kind not in StepCount.step_types:
        raise Unscored(f"`{kind}` is no type of step; there are {', '.join(StepCount.step_types)}", at=at)
    if kind in ("message", "reasoning", "span"):
        raise Unscored(f"steps of type `{kind}` are in no record that targets give to rubric", at=at)
    return [use for use in uses if not kind or is_kind(use, kind)]


def wanted_all(value: Any, at: Shape) -> list[Wanted]:
    """Every step that a `value` asks for: one name, a list of names, or a mapping. Raises Unscored."""
    return [wanted(item, at) for item in (value if isinstance(value, list) else [value])]


def wanted(value: Any, at: Shape) -> Wanted:
    """The step that a name or a mapping asks for. Raises Unscored for one that says nothing, or what cannot be."""
    if isinstance(value, str) and value:
        return Wanted(value)
    if not isinstance(value, Mapping):
        raise Unscored("`value` needs a name, or a mapping with `name` or `pattern`", at=at)
    name = value.get("name") or value.get("pattern")
    if not isinstance(name, str):
        raise Unscored("`value` needs a `name` or a `pattern`", at=at)
    least, most, kind = _whole(value, "min", at), _whole(value, "max", at), value.get("type", "")
    least = 1 if least is None else least
    if most is not None and most < least:
        hint = "" if "min" in value else ", which is 1 where it is not written: write `min: 0`"
        raise Unscored(f"`max: {most}` is less than `min`{hint}", at=at)
    steps_of((), str(kind), at)
    return Wanted(name, least, most, str(kind))


def _whole(value: Mapping[str, Any], name: str, at: Shape) -> int | None:
    found = value.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise Unscored(f"`{name}` has to be a whole number of at least 0, found {found!r}", at=at)
    return found


def skills_in(uses: Sequence[ToolUse]) -> list[str]:
    """The skills that were used, once for each call: called by name, or their files read."""
    found: list[str] = []
    for use in uses:
        given = use.input if isinstance(use.input, Mapping) else {}
        if use.tool.lower() == "skill":
            found.append(str(given.get("skill") or given.get("name") or ""))
            continue
        read = [str(value) for value in given.values()] if use.tool.lower() in {"read", "read_file"} | _COMMANDS else []
        found += dict.fromkeys(name for text in read for name in _SKILL.findall(text))
    return found
