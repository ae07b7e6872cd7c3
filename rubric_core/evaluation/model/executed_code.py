"""A program or a piece of code that a case executes."""

from rubric_core.lazy_compilation import dataclass

__all__ = ["ExecutedCode"]


@dataclass(frozen=True, slots=True)
class ExecutedCode:
    """One program or piece of code that a case executes."""

    #: The whole program, code or file name.
    text: str
    #: The file with the code, as named, without the function; empty for code in the configuration itself.
    file: str = ""
