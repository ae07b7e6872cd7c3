"""What an engine calls in the programs that its files name."""

from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["ProgramRole", "ProgramUse"]

#: What a function is called for, where its result has a certain shape.
ProgramRole = Literal["provider", "assertion", "scoring", "transform", "variables", "variable", "prompt", "value"]


class ProgramUse(NamedTuple):
    """A function of a program that the engine calls."""

    path: Path
    role: ProgramRole
    #: Its name; empty for the module itself.
    function: str
    #: The settings that a provider gets, those of the engine included; empty if they are unknown.
    settings: tuple[str, ...] = ()
