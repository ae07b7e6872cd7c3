"""The programs that run the code of a suite: node, python3 and ruby on the PATH, or others that a suite or its environment names."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.evaluation.model.variables import Variables
from rubric_core.language.shape import Shape
from rubric_core.loading.directory_search import current_directory
from rubric_core.ports import Ports
from rubric_core.program_lookup import find_program

__all__ = ["INTERPRETERS", "Interpreter", "Language", "interpreter_of", "with_interpreter"]

Language = Literal["javascript", "python", "ruby"]


class Interpreter(NamedTuple):
    """How the program is found that runs code in one language."""

    #: The language, as people write it.
    language: str
    #: The program on the PATH.
    name: str
    #: The environment variable that names another one, for promptfoo.
    variable: str = ""
    #: The setting of a provider of promptfoo that names another one.
    setting: str = ""


INTERPRETERS: Mapping[Language, Interpreter] = MappingProxyType({
    "javascript": Interpreter("JavaScript", "node"),
    "python": Interpreter("Python", "python3", "PROMPTFOO_PYTHON", "pythonExecutable"),
    "ruby": Interpreter("Ruby", "ruby", "PROMPTFOO_RUBY", "rubyExecutable"),
})  # fmt: skip


def interpreter_of(language: Language, ports: Ports, directory: Path, at: Shape) -> str:
    """The program that runs code of a suite in a directory. Raises GraderError without one."""
    known = INTERPRETERS[language]
    chosen = ports.environment.get(known.variable, "")
    if chosen:
        found = _chosen(chosen, directory.resolve(), ports.environment)
        if found is None:
            raise GraderError(
                f"there is no {known.language} interpreter {chosen}, which the suite or its environment names", at=at
            )
        return found
    found = find_program(known.name, directory.resolve(), ports.environment)
    if found is None and language == "python":
        return sys.executable
    if found is None:
        raise GraderError(f"{known.language} needs {known.name}, and there is no {known.name} on the PATH", at=at)
    return found


def with_interpreter(ports: Ports, language: Language, chosen: object) -> Ports:
    """The ports with which code in a language is run by the program that a provider names, if it names one."""
    if not isinstance(chosen, str) or not chosen:
        return ports
    return replace_fields(ports, environment=Variables({INTERPRETERS[language].variable: chosen}, ports.environment))


def _chosen(written: str, directory: Path, environment: Mapping[str, str]) -> str | None:
    """A program by its name on the PATH, or by its path from the working directory, else from that of the suite."""
    bases = [each for each in (current_directory(), directory) if each is not None]
    if os.path.dirname(written) == "":  # noqa: PTH120  # a name is no path
        bases = [directory]
    return next((found for base in bases if (found := find_program(written, base, environment))), None)
