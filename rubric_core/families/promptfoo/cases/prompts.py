"""The prompts of a configuration of promptfoo: texts, and files that promptfoo recognises in texts."""

import csv
import io
import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any, NamedTuple

from rubric_core.evaluation.cases.variant import Prompt
from rubric_core.evaluation.templating.interpolate import node_of
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.inlined_files import InlinedFiles
from rubric_core.families.promptfoo.code.command import EXEC, command_parts
from rubric_core.families.promptfoo.language.listed_entries import prompt_key
from rubric_core.families.promptfoo.loading.table import PROMPT_COLUMN
from rubric_core.language.javascript_values import json_text, read_json
from rubric_core.lazy_compilation import dataclass, field, pattern, replace
from rubric_core.loading.directory_search import URL
from rubric_core.loading.path_matches import path_matches
from rubric_core.syntax.tree import Node

__all__ = [
    "DATA",
    "LINES",
    "PROGRAMS",
    "TEXTS",
    "WHOLE",
    "FilePrompt",
    "PromptfooPrompt",
    "is_executable",
    "is_reference_to",
    "prompts_in_file",
    "prompts_of",
]

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


_DEFAULT = "{{prompt}}"
#: The extensions of files whose program or function generates a prompt.
PROGRAMS = (
    ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".sh", ".bash", ".pl", ".php", ".lua", ".ps1", ".bat", ".cmd", ".exe",
)  # fmt: skip
#: Those of them that promptfoo starts as programs, each by its first line.
_EXECUTABLES = (".sh", ".bash", ".exe", ".bat", ".cmd", ".ps1", ".rb", ".pl")
#: Those with functions that are run.
_FUNCTION = pattern(r"[^:*]+\.(?:[cm]?[jt]s|py)(?::[A-Za-z_$][\w$.]*)?\Z")
_ENDINGS = (*TEXTS, *WHOLE, *DATA, *LINES, *PROGRAMS)
_REMOTE = ("portkey://", "langfuse://", "helicone://")
#: The longest program whose text promptfoo takes for the prompt that is shown, in bytes.
_LONGEST_PROGRAM = 100 * 1024
_BINARY = pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class PromptfooPrompt:
    """One prompt."""

    #: Its label and id for promptfoo, by which cases and providers refer to it.
    label: str
    id: str
    text: str
    #: The prompt that is run, with the label used in results.
    prompt: Prompt
    #: Why it cannot be run.
    trouble: str = ""
    #: The program that makes it, as `file://PATH[:FUNCTION]` or `exec:COMMAND`; `text` is then the content of the file.
    #: Empty if the prompt is a text.
    program: str = ""
    #: Settings that its program gets, and that take precedence over those of the provider.
    config: Mapping[str, Any] = field(default_factory=dict)
    #: The file of texts that it is in, relative to the configuration; empty for any other prompt.
    file: str = ""


def prompts_of(configuration: PromptfooConfiguration) -> list[PromptfooPrompt]:
    """The prompts in the order of the text, without repeated entries. Raises ConfigurationError when the whole list is unusable."""
    written = configuration.value("prompts")
    node = configuration.node("prompts")
    if written is None:
        written = [_DEFAULT]
    if isinstance(written, dict):
        written = [{"id": source, "label": label} for source, label in written.items()]
    listed = written if isinstance(written, list) else [written]
    if not listed:
        raise ConfigurationError("`prompts` is empty")
    found: list[PromptfooPrompt] = []
    seen = set[str]()
    for item, at in zip(listed, configuration.items(node, listed), strict=True):
        key = prompt_key(item, str(configuration.directory))
        if key not in seen:
            found += _prompts_of_item(item, at, configuration, len(found))
        if key is not None:
            seen.add(key)
    return found


def is_reference_to(reference: object, label: str, identity: str) -> bool:
    """Whether a reference in a case or provider matches this label and id: exactly, by `prefix*`, or by the part before `:`."""
    if not isinstance(reference, str):
        return False
    names = [name for name in (label, identity) if name]
    prefix = reference[:-1] if reference.endswith("*") else f"{reference}:"
    return reference in names or any(name.startswith(prefix) for name in names)


def _prompts_of_item(
    item: Any, at: Node, configuration: PromptfooConfiguration, before: int
) -> Iterator[PromptfooPrompt]:
    label = identity = ""
    config: Mapping[str, Any] = {}
    if isinstance(item, dict):
        label, identity = _text(item.get("label")), _text(item.get("id"))
        config = found if isinstance(found := item.get("config"), dict) else {}
        raw = item.get("raw")
        # Also `raw` may be a path.
        item = raw if isinstance(raw, str) else identity or item.get("path")
    if not isinstance(item, str):
        yield _prompt(
            "", at, before, label, identity, trouble="it is neither a text nor a mapping with `raw` or a file"
        )
    elif "\n" in item or not _is_path(item):
        yield replace(_prompt(item, at, before, label or item, identity, named=label), config=config)
    else:
        for made in _prompts_at_path(item, at, configuration, before, label):
            # promptfoo drops those of text files.
            yield made if not made.program and item.lower().endswith(".txt") else replace(made, config=config)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_path(text: str) -> bool:
    """Whether promptfoo takes a prompt of one line for a path."""
    name = text.partition(":")[0] if not text.startswith(URL) else text
    return (
        text.startswith((URL, "exec:", *_REMOTE)) or name.lower().endswith(_ENDINGS) or text.lower().endswith(_ENDINGS)
        or any(sign in text for sign in "/\\*") or text[-3:-2] == "." or text[-4:-3] == "."
    )  # fmt: skip


def _prompts_at_path(
    text: str, at: Node, configuration: PromptfooConfiguration, before: int, label: str
) -> Iterator[PromptfooPrompt]:
    name = text.removeprefix(URL)
    if _FUNCTION.match(name):
        yield _prompt_from_function(name, at, configuration, before, label)
        return
    if text.startswith(EXEC) or is_executable(name, configuration):
        yield _prompt_from_command(name.removeprefix(EXEC), at, configuration, before, label)
        return
    if text.startswith(_REMOTE) or PurePath(name.partition(":")[0]).suffix.lower() in PROGRAMS:
        trouble = f"rubric does not run programs and functions that make prompts of promptfoo: {text}"
        yield _prompt(text, at, before, label or text, "", named=label, trouble=trouble)
        return
    names = [name]
    if "*" in name or configuration.files.is_directory(configuration.directory / name):
        wanted = name if "*" in name else f"{name.rstrip('/')}/*"
        matches = path_matches(wanted, [configuration.directory], configuration.files)
        names = list(map(str, matches.files_first))
        if not names:  # promptfoo sends the pattern itself
            yield _prompt(text, at, before, label or text, "", named=label)
            return
    for number, each in enumerate(names):
        if each != name and (_FUNCTION.match(each) or is_executable(each, configuration)):
            yield from _prompts_at_path(each, at, configuration, before + number, label)
        else:
            yield from _prompts_in_file(each, at, configuration, before + number, label)


def is_executable(name: str, configuration: PromptfooConfiguration) -> bool:
    """Whether promptfoo starts a file as a program, by its extension, or because it is executable and of no other kind."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _EXECUTABLES:
        return True
    path = configuration.directory / name
    is_other = suffix in (*TEXTS, *WHOLE, *DATA, *LINES) or bool(_FUNCTION.match(name))
    return not is_other and configuration.files.is_file(path) and os.access(path, os.X_OK)


def _prompt_from_command(
    command: str, at: Node, configuration: PromptfooConfiguration, before: int, label: str
) -> PromptfooPrompt:
    """A prompt that a program prints; promptfoo shows the text of its file."""
    command = posixpath.normpath(command)
    path = next(iter(command_parts(command)), "")
    text = command
    with suppress(OSError, UnicodeDecodeError):
        written = configuration.files.read(configuration.directory / path, _LONGEST_PROGRAM).decode("utf-8")
        text = command if _BINARY.search(written[:1000]) else written
    shown = label or command
    return replace(_prompt(text, at, before, shown, "", named=label or PurePath(path).stem), program=f"{EXEC}{command}")


def _prompt_from_function(
    name: str, at: Node, configuration: PromptfooConfiguration, before: int, label: str
) -> PromptfooPrompt:
    """A prompt that a function of a file makes, or a whole Python file."""
    path, _, function = name.partition(":")
    full = f"{configuration.directory / path}:{function}" if function else f"{configuration.directory / path}"
    try:
        text, trouble = configuration.read(path), ""
    except ConfigurationError as error:
        text, trouble = "", str(error)
    named = label or ":".join(part for part in (PurePath(path).stem, function) if part)
    identity = "" if label else _relative(name, configuration)
    made = _prompt(text, at, before, label or full, identity, named=named, trouble=trouble)
    return replace(made, program=f"{URL}{name}")


def _relative(name: str, configuration: PromptfooConfiguration) -> str:
    """The path of a prompt file as promptfoo calls it where it runs in the folder of the configuration."""
    return posixpath.relpath(configuration.directory / name, configuration.directory)


def _prompts_in_file(
    name: str, at: Node, configuration: PromptfooConfiguration, before: int, label: str
) -> Iterator[PromptfooPrompt]:
    try:
        found = prompts_in_file(name, configuration)
    except ConfigurationError as error:
        yield _prompt(
            name, at, before, label or name, "", named=label, trouble=f"promptfoo takes it for a path, and {error}"
        )
        return
    for number, (text, own) in enumerate(found):
        shown = own or label or PurePath(name).stem
        path = _relative(name, configuration)
        full = own or label or f"{path}: {text}"
        is_one_of_several = len(found) > 1 and not own
        named = f"{shown}-{number + 1}" if is_one_of_several else shown
        identity = "" if own or label else path
        yield replace(_prompt(text, at, before + number, full, identity, named=named), file=path)


def _prompt(
    text: str, at: Node, before: int, label: str, identity: str, *, named: str = "", trouble: str = ""
) -> PromptfooPrompt:
    shown = " ".join(named.translate(str.maketrans("[],", "   ")).split()) or f"prompt-{before + 1}"
    return PromptfooPrompt(label, identity, text, Prompt(shown, node_of(text, at)), trouble)
