"""The environment in which promptfoo reads and runs a configuration: that of the user, of files, and of the configuration itself."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rubric_core.evaluation.model.variables import Variables
from rubric_core.families.promptfoo.language.run_options import is_on
from rubric_core.language.javascript_values import value_text
from rubric_core.lazy_compilation import pattern
from rubric_core.ports import Files

__all__ = [
    "MissingEnvironmentFileError",
    "RunEnvironment",
    "TableFormat",
    "further_environment_files",
    "read_environment_files",
    "run_environment",
    "suite_variables",
    "table_format",
    "variables_in",
]

_KEY = pattern(r"[ \t]{0,99}(?:export[ \t]{1,99})?(?P<name>[\w.-]{1,999})(?:[ \t]{0,99}=|:[ \t])[ \t]{0,99}")
_QUOTES = "'\"`"


def variables_in(text: str) -> dict[str, str]:
    """The variables that a file sets; the last one of a name counts."""
    return dict(_entries(text.replace("\r\n", "\n").replace("\r", "\n")))


def _entries(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _KEY.match(text, at)
        if found is None:
            at = _end_of_line(text, at) + 1
            continue
        value, at = _value(text, found.end())
        yield found["name"], value


def _value(text: str, begin: int) -> tuple[str, int]:
    """The value that begins at an offset, and where its line ends: between quotes also over several lines."""
    quote = text[begin : begin + 1]
    close = _closing(text, begin) if quote and quote in _QUOTES else -1
    if close >= 0:
        return _expanded(quote, text[begin + 1 : close]), _end_of_line(text, close) + 1
    end = _end_of_line(text, begin)
    value = text[begin:end].partition("#")[0].strip()
    is_quoted = len(value) > 1 and value[0] in _QUOTES and value[0] == value[-1]
    return _expanded(value[:1], value[1:-1] if is_quoted else value), end + 1


def _expanded(quote: str, value: str) -> str:
    return value.replace("\\n", "\n").replace("\\r", "\r") if quote == '"' else value


def _closing(text: str, begin: int) -> int:
    """The quote that closes a value, after which only a comment may stand on the line; -1 without one."""
    quote, at = text[begin], begin
    while (at := text.find(quote, at + 1)) >= 0:
        if text[at - 1] != "\\":
            rest = text[at + 1 : _end_of_line(text, at)].strip()
            return at if not rest or rest.startswith("#") else -1
    return -1


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


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


class TableFormat(NamedTuple):
    """How promptfoo reads a table: what separates its cells, and whether a misplaced quote stops it."""

    delimiter: str = ","
    is_strict: bool = True


def table_format(environment: Mapping[str, str]) -> TableFormat:
    """The format of tables of tests."""
    is_strict = is_on(environment, "PROMPTFOO_CSV_STRICT")
    return TableFormat(environment.get("PROMPTFOO_CSV_DELIMITER") or ",", is_strict)
