"""What programs of a suite were given by the two runners: standard input, arguments, files, variables, directory; compared by key.

`programs/capture.py` stores it. Values that no two runs share are compared by their kind: times, ids, temporary paths.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .compare import ABSENT, Difference

__all__ = ["ENVIRONMENT", "Captured", "compare_captured", "compare_values", "read_captured", "without_places"]

#: The calls of programs by label, `CASE.WHAT`, in their order.
Captured = dict[str, list[dict[str, Any]]]

#: The variables by which programs find what a runner offers them; others are compared where a label ends with ENVIRONMENT, by name.
_PROTOCOL = re.compile(r"AGENTV_(?:WORKSPACE_PATH|TARGET_PROXY_\w+)")
ENVIRONMENT = ".environment"
#: Variables of shells, that say nothing about who starts them.
_OF_SHELLS = {"_", "SHLVL", "PWD", "OLDPWD", "LINES", "COLUMNS"}
_UNSHARED = (
    (re.compile(r"<root>/home/\.agentv/workspaces/[^/\s]+/[\w-]+"), "<workspace>"),
    (re.compile(re.escape(tempfile.gettempdir()) + r"/[^\s\"']*"), "<temporary>"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"), "<time>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{16,64}\b"), "<id>"),
)
#: Keys whose numbers no two runs share, and variables that are secrets of a run.
_MEASURED = {"duration_ms"}
_TOKENS = re.compile(r"AGENTV_\w+_TOKEN")


def read_captured(folder: Path, root: Path) -> Captured:
    """What the programs of a suite stored, laid out in a folder below `root`, without what is different in every run."""
    found: Captured = {}
    for path in sorted((folder / "captured").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found[path.stem] = [without_places(_row(row, path.stem), _places(row, folder, root)) for row in rows]
    return found


def _row(row: dict[str, Any], label: str) -> dict[str, Any]:
    environment = row["environment"]
    if label.endswith(ENVIRONMENT):
        return {"environment": dict.fromkeys(environment.keys() - _OF_SHELLS, "")}
    return {**row, "environment": {name: value for name, value in environment.items() if _PROTOCOL.match(name)}}


def _places(row: Mapping[str, Any], folder: Path, root: Path) -> list[tuple[str, str]]:
    """Directories of this run with names for them, inner ones first."""
    stdin = row["stdin"] if isinstance(row["stdin"], dict) else {}
    workspace = stdin.get("workspace_path") or row["environment"].get("AGENTV_WORKSPACE_PATH")
    places = [(workspace, "<workspace>")] if isinstance(workspace, str) else []
    return [*places, (str(folder), "<suite>"), (str(root), "<root>")]


def without_places(value: Any, places: Sequence[tuple[str, str]]) -> Any:
    """A value without what no two runs share: these directories become names, like temporary files, times and ids."""
    if isinstance(value, dict):
        return {key: _unshared(key, item) or without_places(item, places) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_places(item, places) for item in value]
    if not isinstance(value, str):
        return value
    for place, name in places:
        value = value.replace(place, name)
    for pattern, name in _UNSHARED:
        value = pattern.sub(name, value)
    return value


def _unshared(key: str, value: Any) -> str:
    """What stands for a value that is different in every run, or nothing."""
    if key in _MEASURED and type(value) in (int, float):
        return "<milliseconds>"
    return "<token>" if _TOKENS.fullmatch(key) else ""


def compare_captured(agentv: Captured, rubric: Captured) -> Iterator[Difference]:
    """What differs between the calls of programs with the same label."""
    for label in dict.fromkeys([*agentv, *rubric]):
        case, place = label.partition(".")[0], f"payload {label}"
        one, other = agentv.get(label, []), rubric.get(label, [])
        if len(one) != len(other):
            yield Difference(case, place, "calls", str(len(one)), str(len(other)))
            continue
        for number, (call, same_call) in enumerate(zip(one, other, strict=True), 1):
            at = "" if len(one) == 1 else f"call {number}, "
            for where, left, right in compare_values(call, same_call):
                yield Difference(case, place, f"{at}{where}", left, right)


def compare_values(agentv: Any, rubric: Any, where: str = "") -> Iterator[tuple[str, str, str]]:
    """The places where two values differ, with what is there: by key and by position as far as both have them."""
    if isinstance(agentv, dict) and isinstance(rubric, dict):
        for key in dict.fromkeys([*agentv, *rubric]):
            at = f"{where}.{key}" if where else key
            if key not in agentv or key not in rubric:
                one, other = (_shown(side[key]) if key in side else ABSENT for side in (agentv, rubric))
                yield at, one, other
            else:
                yield from compare_values(agentv[key], rubric[key], at)
    elif isinstance(agentv, list) and isinstance(rubric, list) and len(agentv) == len(rubric):
        for number, (one, other) in enumerate(zip(agentv, rubric, strict=True)):
            yield from compare_values(one, other, f"{where}[{number}]")
    elif isinstance(agentv, str) and isinstance(rubric, str) and agentv != rubric:
        same = next((at for at, (one, other) in enumerate(zip(agentv, rubric, strict=False)) if one != other), 0)
        start = max((same or min(len(agentv), len(rubric))) - 20, 0)
        one, other = (_shown(f"{'…' if start else ''}{text[start:]}") for text in (agentv, rubric))
        yield where, one, other
    elif _kind(agentv) != _kind(rubric) or agentv != rubric:
        yield where, _shown(agentv), _shown(rubric)


def _kind(value: Any) -> type:
    """The type in JSON, which has one kind of numbers."""
    return float if type(value) is int else type(value)


def _shown(value: Any, most: int = 60) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}…"
