"""Commands of promptfoo, `exec:COMMAND`: how they are split into arguments."""

import re

from rubric_core.evaluation.code.commands import ProgramError, ended_words, last_words, run_program
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.shape import Shape
from rubric_core.ports import Processes, Program

__all__ = ["EXEC", "command_parts", "printed_text", "without_escapes"]

EXEC = "exec:"
#: A word, or a quoted text: no shell is started, and nothing is escaped.
_PART = re.compile(r"""[^\s"']+|"([^"]*)"|'([^']*)'""")
#: Terminal escape sequences, which promptfoo removes from output.
_ESCAPE = re.compile(r"\x1b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")


def command_parts(command: str) -> list[str]:
    """The program and the arguments of a command, as promptfoo splits it."""
    return [found[1] or found[2] or found[0] for found in _PART.finditer(command)]


def without_escapes(output: bytes) -> str:
    """What a program has printed, as a text without space around it and without escape sequences of terminals."""
    return _ESCAPE.sub("", output.decode("utf-8", "replace").strip())


async def printed_text(program: Program, processes: Processes, at: Shape) -> str:
    """The output of a program without escape sequences. Raises Unscored if it fails, or prints only errors."""
    try:
        finished = await run_program(program, processes)
    except ProgramError as error:
        raise Unscored(f"{error}", at=at) from None
    said = last_words(finished.stderr)
    if finished.exit_code:
        words = said or last_words(finished.stdout)
        raise Unscored(f"it {ended_words(finished.exit_code)}{f': {words}' if words else ''}", at=at)
    text = without_escapes(finished.stdout)
    if said and not text:
        raise Unscored(f"it printed nothing but errors: {said}", at=at)
    return text
