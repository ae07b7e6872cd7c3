"""The skills that an agent used, found in its tool calls as AgentV does."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["skills_used"]

_NAME = r"([A-Za-z0-9._:-]+)"
#: The file of a skill as a path, and within a text.
_FILE = re.compile(rf"(?:^|/)skills/{_NAME}/SKILL\.md\Z")
_IN_TEXT = re.compile(rf"(?:^|[/\"'`\s(\[{{<])skills/{_NAME}/SKILL\.md(?=$|[)\"'`\s,;:\]}}>])")
_PATHS = ("file_path", "path", "filePath")
_FAILED = frozenset(("error", "timeout", "cancelled"))


def skills_used(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of skills, one per call of the tool `skill` and one per file `skills/NAME/SKILL.md` that was read.

    Failed calls do not count. Files are searched in the path of `read`, in the command of `bash`, and in the output of tools.
    """
    found: list[str] = []
    files: set[tuple[str, str]] = set()
    for call in calls:
        if call.get("status") in _FAILED:
            continue
        given = call["input"] if isinstance(call.get("input"), Mapping) else {}
        tool = str(call.get("tool", "")).lower()
        if tool == "skill":
            name = given.get("skill") or given.get("name")
            found += [name.strip()] if isinstance(name, str) and name.strip() else []
            continue
        new = [each for each in dict.fromkeys(_files(tool, given, call)) if each not in files]
        files.update(new)
        found += [name for name, _ in new]
    return found


def _files(tool: str, given: Mapping[str, Any], call: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The skills whose files a call names, each with the text that names it."""
    if tool == "read":
        path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), "").strip().replace("\\", "/")
        match = _FILE.search(path)
        if match is not None:
            yield match[1], path
        return
    command = given.get("command") if tool == "bash" else None
    output = call.get("output")
    texts = (command, output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str))
    for text in texts if output is not None else (command,):
        if isinstance(text, str):
            yield from ((match[1], match[0]) for match in _IN_TEXT.finditer(text.replace("\\", "/")))
