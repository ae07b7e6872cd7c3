"""The files that the files of promptfoo cases name in turn, and what each of them is."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES
from rubric_core.families.promptfoo.loading.cases import kind_of_cases
from rubric_core.language.file_extensions import DATASETS, TABLES
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.files import absolute
from rubric_core.loading.path_matches import path_matches
from rubric_core.loading.plain_cases import plain_cases
from rubric_core.loading.project import TrackedLookup

__all__ = ["DATA", "SCHEMA_TYPES", "nested_files"]

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
