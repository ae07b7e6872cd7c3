"""`rubric completion bash|zsh|fish`: shell completion of commands and options, generated from the parsers."""

import argparse

from rubric_core.cli.parser import COMMANDS, make_parser

__all__ = ["add_arguments", "main"]

_SHELLS = ("bash", "zsh", "fish")
#: Metavariables of arguments that take a file, and of those that take a folder.
_FILES, _FOLDERS = ("FILE", "PATH", "FILE[::CASE-ID]"), ("FOLDER",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric completion`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "bash: rubric completion bash > ~/.local/share/bash-completion/completions/rubric\n"
        "zsh:  rubric completion zsh > ~/.zfunc/_rubric, with fpath+=~/.zfunc before compinit in ~/.zshrc\n"
        "fish: rubric completion fish > ~/.config/fish/completions/rubric.fish"
    )
    parser.add_argument("shell", choices=_SHELLS, help="the shell")


def main(options: argparse.Namespace) -> int:
    """Print the script. Returns the exit code."""
    import shtab  # noqa: PLC0415  # for this command alone

    parser = make_parser(None)
    for name in COMMANDS:
        for action in parser.commands.choices[name].arguments:
            if action.metavar in (*_FILES, *_FOLDERS):
                vars(action)["complete"] = shtab.FILE if action.metavar in _FILES else shtab.DIRECTORY
    print(shtab.complete(parser, options.shell))
    return 0
