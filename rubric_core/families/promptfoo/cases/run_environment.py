"""The environment in which promptfoo reads and runs a configuration: that of the user, of files, and of the configuration itself."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rubric_core.evaluation.model.variables import Variables
from rubric_core.families.promptfoo.cases.environment_file import variables_in
from rubric_core.language.javascript_values import value_text
from rubric_core.ports import Files

__all__ = [
    "MissingEnvironmentFileError",
    "RunEnvironment",
    "further_environment_files",
    "read_environment_files",
    "run_environment",
    "suite_variables",
]

#: The file that promptfoo reads in its working directory.
USUAL_FILE = ".env"
#: No variables.
_EMPTY: Mapping[str, str] = MappingProxyType({})
#: The largest size in bytes of a file with variables.
_LARGEST = 1_000_000
#: Where programs are looked for: a suite that sets it would run others than those which the question before a run names.
_OF_PROGRAMS = frozenset({"PATH", "PATHEXT"})
#: The variables that promptfoo has read before it looks at the `env` of a configuration.
_READ_BEFORE = frozenset({
    "PROMPTFOO_CSV_DELIMITER", "PROMPTFOO_CSV_STRICT", "PROMPTFOO_DISABLE_AJV_STRICT_MODE", "PROMPTFOO_DISABLE_REF_PARSER",
    "PROMPTFOO_PROMPT_SEPARATOR", "PROMPTFOO_STRICT_FILES",
})  # fmt: skip


class MissingEnvironmentFileError(Exception):
    """Raised for a file with variables that cannot be read; the message names it."""


class RunEnvironment(NamedTuple):
    """The variables of promptfoo, by when it reads them."""

    #: While it reads the configuration.
    loading: Mapping[str, str] = _EMPTY
    #: While it runs it: with those of `envPath` and of `env`, whose templates are not filled in.
    running: Mapping[str, str] = _EMPTY
    #: Those of `env`.
    own: Mapping[str, str] = _EMPTY
    #: Those of `envPath`.
    further: Mapping[str, str] = _EMPTY


def run_environment(
    shell: Mapping[str, str], data: Mapping[str, Any], directory: Path, working_directory: Path | None, files: Files
) -> RunEnvironment:
    """The environment of a configuration in a directory. Raises MissingEnvironmentFileError.

    A `.env` in the working directory, by default that of the configuration, adds to the variables of the user; files of `envPath` replace them.
    """
    usual = _usual_file(directory, working_directory, files)
    loading = shell if usual is None else Variables(shell, _variables(usual, files))
    own = {name: value for name, value in _own(data).items() if name not in _READ_BEFORE}
    further: dict[str, str] = {}
    for path in further_environment_files(data, directory):
        further |= _variables(path, files)
    return RunEnvironment(loading, Variables({**further, **own}, loading) if further or own else loading, own, further)


def read_environment_files(
    data: Mapping[str, Any], directory: Path, working_directory: Path | None, files: Files
) -> list[Path]:
    """The files with variables that a run reads: `.env` where there is one, and those of `envPath`."""
    usual = _usual_file(directory, working_directory, files)
    return [*([usual] if usual is not None else []), *further_environment_files(data, directory)]


def suite_variables(
    data: Mapping[str, Any], directory: Path, working_directory: Path | None, files: Files
) -> Iterator[tuple[str, str]]:
    """All variables that a configuration and its files set; those of a file that cannot be read are none."""
    yield from _own(data).items()
    for path in read_environment_files(data, directory, working_directory, files):
        with suppress(MissingEnvironmentFileError):
            yield from _variables(path, files).items()


def _own(data: Mapping[str, Any]) -> dict[str, str]:
    """The variables of `env`."""
    written = data.get("env")
    entries = written.items() if isinstance(written, Mapping) else ()
    return _harmless({str(name): value_text(value) for name, value in entries if value is not None})


def _harmless(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables without those that stay as the user has them."""
    return {name: value for name, value in variables.items() if name.upper() not in _OF_PROGRAMS}


def _usual_file(directory: Path, working_directory: Path | None, files: Files) -> Path | None:
    path = (working_directory or directory) / USUAL_FILE
    return path if files.is_file(path) else None


def further_environment_files(data: Mapping[str, Any], directory: Path) -> Iterator[Path]:
    """The files of `envPath` of a configuration in a directory, of which each replaces the variables of earlier ones."""
    options = data.get("commandLineOptions")
    written = options.get("envPath") if isinstance(options, Mapping) else None
    for each in written if isinstance(written, list) else [written]:
        names = each.split(",") if isinstance(each, str) else ()
        yield from (directory / name.strip() for name in names if name.strip())


def _variables(path: Path, files: Files) -> dict[str, str]:
    try:
        return _harmless(variables_in(files.read_variables(path, _LARGEST).decode("utf-8-sig", "replace")))
    except OSError as error:
        raise MissingEnvironmentFileError(f"the file {path.name} cannot be read: {error.strerror or error}") from None
