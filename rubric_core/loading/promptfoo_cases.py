"""Files of promptfoo with cases, prompts and values: what kind each is, and which variables and secrets are in it."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubric_core.language.file_extensions import PROMPTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.secret_names import NOT_SENT, looks_secret
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.workbook_text import workbook_text
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read

__all__ = [
    "case_file_trouble",
    "is_secret",
    "kind_of_cases",
    "kind_of_prompt",
    "secrets_read",
    "variables_in_cases",
    "words_in",
]

_YAML = (".yaml", ".yml", ".json")
#: Of which what is for providers is not sent.
_OF_DATA = (*_YAML, ".jsonl")
_PROMPTS = (*PROMPTS, *_YAML)
_WORD = pattern(r"[A-Za-z_]\w*")
#: Columns of tables begin like this if they are no variables.
SPECIAL = "__"
#: One of these makes a case.
_NEEDED = frozenset({"assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold"})


def kind_of_cases(path: Path) -> FileKind | None:
    """What a file with cases is checked as; None for one that is a program, or that nothing reads."""
    suffix = path.suffix.lower()
    if suffix in (*_YAML, ".jsonl"):
        return FileKind.PROMPTFOO_CASES
    return FileKind.PROMPTFOO_TABLE if suffix == ".csv" else None


def kind_of_prompt(path: Path) -> FileKind | None:
    """What a file with a prompt is checked as; None for a program, and for one that holds several prompts as data."""
    return FileKind.PROMPTFOO_PROMPT if path.suffix.lower() in _PROMPTS else None


def variables_in_cases(path: Path, look: TrackedLookup) -> frozenset[str] | None:
    """The variables that cases in a file define; None where that cannot be told."""

    def find(files: TrackedLookup) -> frozenset[str] | None:
        text = files.text(path)
        if text is None:
            return None
        if path.suffix.lower() == ".csv":
            return _columns(text)
        found = _data(path, text)
        if found is None:
            return None
        names: set[str] = set()
        for case in found:
            for each in _parts(case):
                given = each.get("vars")
                if (given is not None and not isinstance(given, dict)) or "$ref" in each:
                    return None
                names.update(map(str, given or ()))
        return frozenset(names)

    return look.once(("promptfoo variables", path), find)


def _parts(case: Any) -> Iterator[dict[str, Any]]:
    """A case, or the parts and cases of a scenario."""
    if isinstance(case, dict):
        yield case
        for field in ("config", "tests"):
            inner = case.get(field)
            yield from (each for each in (inner if isinstance(inner, list) else ()) if isinstance(each, dict))


def words_in(path: Path, look: TrackedLookup) -> frozenset[str]:
    """The words of a file, any of which may be a variable that it uses."""
    return look.once(("promptfoo words", path), lambda files: frozenset(_WORD.findall(files.text(path) or "")))


def case_file_trouble(path: Path, look: TrackedLookup) -> str:
    """Why promptfoo refuses a file of cases; empty where it does not, or where the file is read in another way."""
    text = look.text(path)
    if text is None or path.suffix.lower() not in (*_YAML, ".jsonl"):
        return ""
    for case in _data(path, text) or ():
        if isinstance(case, dict) and case and not _NEEDED & case.keys() and "$ref" not in case:
            if "tests" in case:
                return f"{path.name} has a key `tests`; a file of cases is the list itself"
            return f"{path.name} has a case without `vars`, `assert` or `options`; put its values under `vars`"
    return ""


def _data(path: Path, text: str) -> list[Any] | None:
    """The cases of a file as plain data; None where it cannot be read."""
    if path.suffix.lower() == ".jsonl":
        return _rows(text)
    if path.suffix.lower() not in _YAML:
        return None
    tree = parse(text)
    if tree.problems or tree.root is None:
        return None
    found = plain(tree.root, tree.anchors)
    return found if isinstance(found, list) else [found]


def _rows(text: str) -> list[Any] | None:
    """A case in JSON on each line; None where one is none, or is nested too deeply."""
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None


def _columns(text: str) -> frozenset[str] | None:
    import csv  # noqa: PLC0415  # few suites have tables

    try:
        header = next(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")), [])
    except csv.Error:
        return None
    return frozenset(name.strip() for name in header if not name.strip().startswith(SPECIAL))


def secrets_read(path: Path, look: TrackedLookup, *, cases: bool) -> frozenset[str]:
    """The secrets by the names of their variables; `ANY_VARIABLE` for a name that is computed.

    Of files with `cases`, or with defaults or scenarios, what is for providers is left out.
    """

    def find(files: TrackedLookup) -> frozenset[str]:
        text = files.text(path)
        if text is None:
            content = files.data(path) or b""
            is_workbook = path.suffix.lower() == ".xlsx"
            text = workbook_text(content) if is_workbook else content.decode("utf-8", "replace")
        if "env" not in text or ("{{" not in text and "{%" not in text):
            return frozenset()
        data = _data(path, text) if cases and path.suffix.lower() in _OF_DATA else None
        return frozenset(
            name
            for each in ([text] if data is None else _texts(data))
            for name, _ in environment_read(each.replace("${{", " {{"))  # there, a dollar sign and a variable
            if is_secret(name)
        )

    return look.once(("promptfoo secrets", path, cases), find)


def is_secret(name: str) -> bool:
    """Whether the value of a variable does not belong in a prompt."""
    return name == ANY_VARIABLE or looks_secret(name)


def _texts(data: Any) -> Iterator[str]:
    """The texts in plain data that are not for providers. The keys of variables are names that anybody may choose."""
    left, seen = [(data, False)], set[tuple[int, bool]]()
    while left:
        value, below_vars = left.pop()
        if isinstance(value, str):
            yield value
        elif (
            isinstance(value, list | dict) and (id(value), below_vars) not in seen
        ):  # an anchor may stand in many places
            seen.add((id(value), below_vars))
            if isinstance(value, list):
                left += [(item, below_vars) for item in value]
            else:
                left += [(v, below_vars or k == "vars") for k, v in value.items() if below_vars or _is_sent(k, v)]


def _is_sent(key: Any, value: Any) -> bool:
    """Whether what stands behind a key may go to a model; the `config` of a scenario is a list of variables."""
    return key not in NOT_SENT or (key == "config" and isinstance(value, list))
