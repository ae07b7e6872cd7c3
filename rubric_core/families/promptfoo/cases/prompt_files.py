"""The prompts in one file, by its extension: conversations in JSON or YAML, lines, tables, texts."""

import csv
import io
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.inlined_files import InlinedFiles
from rubric_core.families.promptfoo.loading.table import PROMPT_COLUMN
from rubric_core.language.javascript_values import json_text, read_json
from rubric_core.lazy_compilation import pattern

__all__ = ["DATA", "LINES", "TEXTS", "WHOLE", "FilePrompt", "prompts_in_file"]

TEXTS = (".txt",)
WHOLE = (".md", ".j2")
DATA = (".json", ".yaml", ".yml")
LINES = (".jsonl", ".csv")
#: The usual line that separates the prompts of one text file, without the blanks around it.
_SEPARATOR, _LINE_BREAK = "---", pattern(r"\r?\n")


class FilePrompt(NamedTuple):
    """One prompt of a file."""

    text: str
    #: The label that the file gives it; empty if none.
    label: str = ""


def prompts_in_file(name: str, configuration: PromptfooConfiguration) -> list[FilePrompt]:
    """The prompts of a file. Raises ConfigurationError for one that cannot be read."""
    suffix = PurePath(name).suffix.lower()
    text = configuration.read(name)
    if suffix in DATA:
        return [FilePrompt(_conversation(name, text, configuration))]
    if suffix == ".csv":
        return _of_table(text)
    separator = configuration.environment.loading.get("PROMPTFOO_PROMPT_SEPARATOR") or _SEPARATOR
    return [FilePrompt(each) for each in _split(text, suffix, separator)]


def _conversation(name: str, text: str, configuration: PromptfooConfiguration) -> str:
    """The data as JSON, with the files that it names; if it is not data (a template, say), the text itself."""
    is_json = PurePath(name).suffix.lower() == ".json"
    try:
        data = read_json(text) if is_json else configuration.external(name)
        inlined = InlinedFiles(configuration).deep(data)
    except (ConfigurationError, ValueError, RecursionError):
        return text
    return json_text(inlined)


def _of_table(text: str) -> list[FilePrompt]:
    if "," in text:
        rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), skipinitialspace=True)
        cells = [{str(k).strip(): str(v or "").strip() for k, v in row.items()} for row in rows]
        return [FilePrompt(each[PROMPT_COLUMN], each.get("label", "")) for each in cells if each.get(PROMPT_COLUMN)]
    lines = [line for line in _LINE_BREAK.split(text) if line.strip()]
    # Without commas, a table has one column.
    has_header = bool(lines) and lines[0].strip().lower() == PROMPT_COLUMN
    return [FilePrompt(line) for line in lines[has_header:]]


def _split(text: str, suffix: str, separator: str) -> Iterator[str]:
    if suffix == ".jsonl":
        yield from (line for line in _LINE_BREAK.split(text) if line)
        return
    if suffix not in TEXTS:
        yield text
        return
    parts: list[list[str]] = [[]]
    for line in _LINE_BREAK.split(text):
        if line.strip() == separator:
            parts.append([])
        else:
            parts[-1].append(line)
    yield from (joined for part in parts if (joined := "\n".join(part).strip()))
