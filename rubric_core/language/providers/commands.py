"""The settings of a command: a program that takes a prompt and prints an answer."""

from rubric_core.language.providers.base import COMMAND, SECONDS, Settings
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Boolean, Choice, Text

__all__ = ["Cli", "Healthcheck"]


class Healthcheck(Shape):
    """A health check: how to find out whether a command can answer."""

    type = key(Choice((("http", "by a request"), ("command", "by a program"))), "How it is measured.")
    command = key(
        COMMAND,
        "A program that exits with 0 if the target is healthy.",
        required=True,
        group="probe",
        example="python agent.py --version",
    )
    url = key(
        Text(),
        "An address that replies if the target is healthy.",
        required=True,
        group="probe",
        example="http://localhost:8080/health",
    )
    cwd = key(Text(refers_to="directory"), "The working directory of the program.")
    timeout_seconds = key(SECONDS, "The longest that it may take, in seconds.", example="5")


class Cli(Settings):
    """A command: any program that takes a prompt and prints an answer."""

    command = key(
        COMMAND,
        "The command line; placeholders such as {PROMPT} stand for the case.",
        required=True,
        example="python agent.py {PROMPT}",
    )
    files_format = key(
        Text(),
        "How each file is written in place of {FILES}; {path} and {basename} stand for it.",
        default="{path}",
        shown="{path}",
        example="--file {path}",
    )
    cwd = key(
        Text(refers_to="directory"),
        "The working directory, if the suite has no workspace.",
        shown="the directory of the suite",
        example="..",
    )
    timeout_seconds = key(SECONDS, "The longest that it may take for a case, in seconds.", example="30")
    healthcheck = key(
        Shaped(Healthcheck), "How to check whether it can answer.", example="{command: python agent.py --version}"
    )
    verbose = key(Boolean(), "Whether its output is shown.")
    keep_temp_files = key(Boolean(), "Whether the files that were made for it are kept.")
