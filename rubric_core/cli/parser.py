"""The parser of the command line: its commands, and suggestions for misspelt words."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from rubric_core import __version__
from rubric_core.language.closest_name import closest

__all__ = ["COMMANDS", "CommandParser", "RootParser", "chosen_colour", "make_parser"]

#: Each is a module here with `add_arguments(parser)` and `main(args) -> int`; only the requested one is imported.
COMMANDS = {
    "init": "write a first suite, check it and run it",
    "check": "check suites, and fix them",
    "format": "format suites: indentation and spaces",
    "run": "run the cases of suites and score the answers",
    "report": "write a run as a page that needs no network",
    "compare": "compare two runs case by case, with statistics",
    "baseline": "name runs that others are compared with",
    "view": "show runs in a browser, also while they go on",
    "results": "list stored runs, show one, remove old ones",
    "judge": "measure judge accuracy",
    "local": "run a small local model as a target, offline",
    "explain": "explain a code, with an example",
    "mcp": "serve coding agents over the Model Context Protocol",
    "migrate": "upgrade suites to a newer dialect",
    "schema": "print the JSON Schema of a dialect",
    "trust": "show what suites in a folder do, and allow that in editors",
    "completion": "print the completion script for a shell",
}
#: For contributors; not listed.
_INTERNAL = {"reference": "write the pages of the reference"}
_COLOURS = ("auto", "always", "never")


class HelpFormatter(argparse.HelpFormatter):
    """A formatter that determines the terminal's width lazily: every option creates one."""

    def __init__(self, prog: str, indent_increment: int = 2, max_help_position: int = 24) -> None:
        super().__init__(prog, indent_increment, max_help_position, width=1)
        self._widest_position = max_help_position

    def format_help(self) -> str:
        """See `argparse.HelpFormatter`."""
        import shutil  # noqa: PLC0415  # loads every archive format

        self._width = shutil.get_terminal_size().columns - 2
        self._max_help_position = min(self._widest_position, max(self._width - 20, self._indent_increment * 2))
        return super().format_help()


class CommandParser(argparse.ArgumentParser):
    """A parser that suggests the option that was probably meant."""

    @property
    def arguments(self) -> Sequence[argparse.Action]:
        """Its arguments."""
        return self._actions

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, a version or an error. Raises OSError where argparse ignores a full disk."""
        stream = file or sys.stderr
        if message and stream is not None:  # it may be closed
            stream.write(message)
            stream.flush()

    @property
    def options(self) -> list[str]:
        """Its documented options."""
        return [name for each in self._actions if each.help != argparse.SUPPRESS for name in each.option_strings]

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Report unknown arguments, and exit."""
        name = next((each.partition("=")[0] for each in unknown if each.startswith("--")), "")
        meant = closest(name, [each for each in self.options if each.startswith("--")]) if name else None
        self.error(f"unrecognized arguments: {' '.join(unknown)}{f'; did you mean {meant}?' if meant else ''}")


class RootParser(CommandParser):
    """The parser of all commands."""

    commands: "argparse._SubParsersAction[CommandParser]"

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See `argparse.ArgumentParser`; exits after a usage error of a command."""
        first = args[0] if args else ""
        if first and not first.startswith("-") and first not in self.commands.choices:
            meant = closest(first, COMMANDS)
            hint = f"did you mean {meant}?" if meant else f"there are {', '.join(COMMANDS)}"
            self.error(f"there is no command {first!r}; {hint}")
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.commands.choices[parsed.command].refuse(unknown)
        return parsed


def make_parser(wanted: str | None) -> RootParser:
    """The parser with the command `wanted`. All commands if it is unknown, and all their options if it is None."""
    parser = RootParser(
        prog="rubric",
        description="Checks and runs LLM evaluation suites in YAML.",
        epilog="See rubric COMMAND --help for details.",
        formatter_class=partial(HelpFormatter, max_help_position=20),
    )
    parser.add_argument("--version", action="version", version=f"rubric {__version__}")
    parser.commands = parser.add_subparsers(
        prog=parser.prog, dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    every = {**COMMANDS, **_INTERNAL}
    for name, words in ({wanted: every[wanted]} if wanted in every else every).items():
        listed: dict[str, Any] = {"help": words} if name in COMMANDS else {}
        description = f"{words[0].upper()}{words[1:]}."
        command = parser.commands.add_parser(name, description=description, formatter_class=HelpFormatter, **listed)
        command.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
        if wanted in (None, name):
            import_module(f"rubric_core.cli.{name}").add_arguments(command)
            command.add_argument(
                "--color",
                choices=_COLOURS,
                default="auto",
                help="when to colour the output (default: auto, which means on a terminal unless NO_COLOR or FORCE_COLOR says otherwise)",
            )
    return parser


@contextmanager
def chosen_colour(choice: str) -> Iterator[None]:
    """Within this context, the environment has the value of `--color`, for all output and started programs."""
    names = ("NO_COLOR", "FORCE_COLOR")
    before = {name: os.environ.get(name) for name in names}
    wanted = {"always": (None, "1"), "never": ("1", None)}.get(choice)
    try:
        if wanted is not None:
            _set(dict(zip(names, wanted, strict=True)))
        yield
    finally:
        if wanted is not None:
            _set(before)


def _set(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
