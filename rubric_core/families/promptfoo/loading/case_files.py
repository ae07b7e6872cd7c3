"""Case, prompt and value files of promptfoo: the kind of each, its variables, the files that it names in turn, and whether it is empty."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES
from rubric_core.families.promptfoo.loading.table import PROMPT_COLUMN
from rubric_core.language.file_extensions import DATASETS, PROMPTS, TABLES
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.defined_names import CountedNames
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.files import absolute
from rubric_core.loading.path_matches import path_matches
from rubric_core.loading.plain_cases import plain_cases
from rubric_core.loading.project import TrackedLookup
from rubric_core.syntax.csv_cells import other_delimiter, rows_of

__all__ = [
    "DATA",
    "SCHEMA_TYPES",
    "case_file_trouble",
    "counted_names",
    "has_no_case",
    "has_no_prompt",
    "kind_of_cases",
    "kind_of_prompt",
    "nested_files",
    "unread_columns",
    "variables_in_cases",
    "variables_in_file",
    "words_in",
]

_YAML = (".yaml", ".yml", ".json")
_PROMPTS = (*PROMPTS, *_YAML)
_WORD = pattern(r"[A-Za-z_]\w*")
#: The prefix of table columns that are not variables.
SPECIAL = "__"
#: Of more cases each is not compared with all others.
_MOST = 200
#: Each of these keys makes a mapping a case.
_NEEDED = frozenset({"assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold"})


def kind_of_cases(path: Path) -> FileKind | None:
    """The kind as which a case file is checked; None for a program, or a file that nothing reads."""
    suffix = path.suffix.lower()
    if suffix in (*_YAML, ".jsonl"):
        return PromptfooFile.CASES
    return PromptfooFile.TABLE if suffix == ".csv" else None


def kind_of_prompt(path: Path, *, of_judges: bool = False) -> FileKind | None:
    """The kind as which a prompt file is checked; None for a program, and for several prompts as data."""
    kind = PromptfooFile.JUDGE_PROMPT if of_judges else PromptfooFile.PROMPT
    return kind if path.suffix.lower() in _PROMPTS else None


def variables_in_cases(path: Path, look: TrackedLookup) -> frozenset[str] | None:
    """The variables that cases in a file define; None if unknown."""

    def find(files: TrackedLookup) -> frozenset[str] | None:
        text = files.text(path)
        if text is None:
            return None
        if path.suffix.lower() == ".csv":
            return _columns(text)
        found = plain_cases(path, text)
        if found is None:
            return None
        names: set[str] = set()
        for case in found:
            for each in _parts(case):
                given = _given(each.get("vars"), path, files)
                if given is None or "$ref" in each:
                    return None
                names |= given
                options = each.get("options")
                stored = options.get("storeOutputAs") if isinstance(options, dict) else None
                names.update([stored] if isinstance(stored, str) else ())
        return frozenset(names)

    return look.answer(("promptfoo variables", path), find)


def counted_names(paths: Collection[Path], look: TrackedLookup) -> CountedNames | None:
    """How many of the cases in some files have each variable; None of tables, whose cells may be empty, and of many cases."""
    cases: list[frozenset[str]] = []
    for path in paths:
        known = _names_by_case(path, look)
        if known is None or len(cases) + len(known) > _MOST:
            return None
        cases += known
    return CountedNames(len(cases), frozenset(Counter(name for names in cases for name in names).items()))


def _names_by_case(path: Path, look: TrackedLookup) -> tuple[frozenset[str], ...] | None:
    """The variables of each case in a file; None if some are unknown."""

    def find(files: TrackedLookup) -> tuple[frozenset[str], ...] | None:
        text = files.text(path) if path.suffix.lower() != ".csv" else None
        found = plain_cases(path, text) if text is not None else None
        if found is None or len(found) > _MOST or not all(isinstance(case, dict) for case in found):
            return None
        cases = [_given(case.get("vars"), path, files) for case in found]
        known = tuple(names for names in cases if names is not None)
        return known if len(known) == len(cases) else None

    return look.answer(("promptfoo names by case", path), find)


def _given(variables: Any, path: Path, files: TrackedLookup) -> frozenset[str] | None:
    """The names under `vars` in a file of cases; those in other files are relative to it."""
    if variables is None or isinstance(variables, dict):
        return frozenset(map(str, variables or ()))
    listed = variables if isinstance(variables, list) else [variables]
    names = frozenset[str]()
    for each in listed:
        found = variables_in_file(absolute(path.parent / each), files) if isinstance(each, str) else None
        if found is None:
            return None
        names |= found
    return names


def variables_in_file(path: Path, look: TrackedLookup) -> frozenset[str] | None:
    """The variables that a file under `vars` has; None if it cannot be read."""

    def find(files: TrackedLookup) -> frozenset[str] | None:
        text = files.text(path) if path.suffix.lower() in _YAML else None
        found = plain_cases(path, text) if text is not None else None
        only = found[0] if found is not None and len(found) == 1 else None
        return frozenset(map(str, only)) if isinstance(only, dict) else None

    return look.answer(("promptfoo variables in a file", path), find)


def _parts(case: Any) -> Iterator[dict[str, Any]]:
    """A case, or the parts and cases of a scenario."""
    if isinstance(case, dict):
        yield case
        for field in ("config", "tests"):
            inner = case.get(field)
            yield from (each for each in (inner if isinstance(inner, list) else ()) if isinstance(each, dict))


def words_in(path: Path, look: TrackedLookup) -> frozenset[str]:
    """The words of a file, each of which may be a variable that it uses."""
    return look.answer(("promptfoo words", path), lambda files: frozenset(_WORD.findall(files.text(path) or "")))


def case_file_trouble(path: Path, look: TrackedLookup, *, listed: bool) -> str:
    """Why promptfoo rejects a case file; empty if it does not, or if the file is read in another way.

    In a list of paths JSON is read as such; a path alone is read as YAML.
    """
    text = look.text(path)
    if text is None or path.suffix.lower() not in (*_YAML, ".jsonl"):
        return ""
    cases = plain_cases(path, text)
    if cases is not None and listed and path.suffix.lower() == ".json" and (fault := _json_fault(text)):
        return f"{path.name} is no JSON: {fault}"
    for case in cases or ():
        if isinstance(case, dict) and case and not _NEEDED & case.keys() and "$ref" not in case:
            if "tests" in case:
                return f"{path.name} has a key `tests`; a file of cases is the list itself"
            return f"{path.name} has a case without `vars`, `assert` or `options`; put its values under `vars`"
    return ""


def _json_fault(text: str) -> str:
    """What keeps a text from being JSON, and in which line; empty for nothing."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg.lower()}"
    except (ValueError, RecursionError):
        return ""
    return ""


def _columns(text: str) -> frozenset[str]:
    """The variables among the columns of a table, also if something else than commas separates them."""
    header = next(rows_of(text), [])
    delimiter = other_delimiter(header)
    names = header[0].text.split(delimiter) if delimiter else [cell.text for cell in header]
    return frozenset(name.strip() for name in names if not name.strip().startswith(SPECIAL))


#: The ends of the names of files with data.
DATA = (".yaml", ".yml", ".json")
#: The types of assertions whose value is a JSON Schema.
SCHEMA_TYPES = ("is-json", "contains-json", "not-is-json", "not-contains-json")


def nested_files(path: Path, base: Path, look: TrackedLookup, *, of_cases: bool) -> Mapping[Path, FileKind]:
    """The files of known kinds that are named in a file of cases, of defaults or of scenarios.

    Only cases have files of variables. Their paths are relative to a file of cases, and those of scenarios to the configuration.
    """
    own = path.parent if of_cases else base

    def find(files: TrackedLookup) -> dict[Path, FileKind]:
        text = files.text(path)
        found = plain_cases(path, text) if text is not None else None
        named = (each for case in found or () for each in _named(case, is_case=of_cases))
        return {
            file: kind
            for name, kind in named
            for file in _files(name, own if kind is PromptfooFile.VARS else base, files)
        }

    return look.once(("promptfoo nested files", path, base, of_cases), find)


def _files(name: str, base: Path, look: TrackedLookup) -> Iterable[Path]:
    name = name.removeprefix(URL)
    if not name.lower().endswith((*DATA, *DATASETS, *TABLES)) or "{" in name:
        return ()
    if is_pattern(name):
        return path_matches(name, (base,), look).paths
    return (place,) if look.is_file(place := absolute(base / name)) else ()


def _named(case: Any, *, is_case: bool) -> Iterator[tuple[str, FileKind]]:
    """The paths in a case, or in the parts and cases of a scenario."""
    if not isinstance(case, dict):
        return
    tests = case.get("tests")
    for each in tests if isinstance(tests, list) else [tests]:
        if isinstance(each, str) and (kind := kind_of_cases(Path(each))) is not None:
            yield each, kind
        yield from _named(each, is_case=True)
    for each in case["config"] if isinstance(case.get("config"), list) else ():
        yield from _named(each, is_case=False)
    given = case.get("vars") if is_case else None
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, str) and not each.startswith(URL):
            yield each, PromptfooFile.VARS
    yield from _providers(case.get("provider"))
    options = case.get("options")
    yield from _providers(options.get("provider")) if isinstance(options, dict) else ()
    yield from _assertions(case.get("assert"))


def _assertions(checks: Any) -> Iterator[tuple[str, FileKind]]:
    if isinstance(checks, str) and checks.startswith(URL):
        yield checks, PromptfooFile.ASSERTIONS
    for check in checks if isinstance(checks, list) else ():
        if isinstance(check, str) and check.startswith(URL):
            yield check, PromptfooFile.ASSERTION
        if not isinstance(check, dict):
            continue
        value = check.get("value")
        if check.get("type") in SCHEMA_TYPES and isinstance(value, str) and value.startswith(URL):
            yield value, PromptfooFile.SCHEMA
        yield from _providers(check.get("provider"))
        yield from _assertions(check.get("assert"))


def _providers(provider: Any) -> Iterator[tuple[str, FileKind]]:
    """The files of a model that grades or is called, or of one for each role."""
    roles = [provider.get(role) for role in GRADER_ROLES] if isinstance(provider, dict) else []
    for each in (provider, *roles):
        identity = each.get("id") if isinstance(each, dict) else each
        if isinstance(identity, str) and identity.startswith(URL):
            yield identity, PromptfooFile.PROVIDER


#: Files of prompts of which at least one text has to be left.
_NEEDS_TEXT = frozenset({".txt", ".yaml", ".yml", ".csv"})


def has_no_prompt(path: Path, text: str) -> bool:
    """Whether nothing of a file of prompts is left once it is split."""
    return path.suffix in _NEEDS_TEXT and not text.replace("---", "").strip()


def unread_columns(path: Path, text: str) -> str:
    """Why a table has no prompt; empty if it may have one."""
    # promptfoo reads a table without commas, and one that is no table, as one prompt per line.
    if path.suffix.lower() != ".csv" or "," not in text:
        return ""
    rows = list(rows_of(text))
    if (
        not rows
        or other_delimiter(rows[0])
        or any(len(row) != len(rows[0]) or any(cell.quotes for cell in row) for row in rows)
    ):
        return ""
    columns = [cell.text.strip() for cell in rows[0]]
    if PROMPT_COLUMN not in columns:
        return f"none of its columns is `{PROMPT_COLUMN}`"
    cells = (row[len(columns) - 1 - columns[::-1].index(PROMPT_COLUMN)] for row in rows[1:])
    return "" if any(cell.text.strip() for cell in cells) else f"its column `{PROMPT_COLUMN}` is empty"


def has_no_case(path: Path, text: str) -> bool:
    """Whether a table has no row below its header, or a list of cases no item."""
    if path.suffix.lower() == ".csv":
        rows = rows_of(text)
        next(rows, None)
        return next(rows, None) is None
    return path.suffix.lower() == ".json" and plain_cases(path, text) == []
