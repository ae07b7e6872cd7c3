"""Mistakes in the JavaScript files that a configuration of promptfoo names (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo.javascript_globals import GLOBALS
from rubric_core.loading.reference_issues import ProgramText
from rubric_core.validation.promptfoo.script_names import OF_MODULES, WORDS
from rubric_core.validation.promptfoo.script_syntax import read_javascript_module
from rubric_core.validation.rule import Finding

__all__ = ["faults_of_program"]


def faults_of_program(program: ProgramText) -> Iterator[Finding]:
    """What keeps a file from being loaded, and slips of the names that it defines."""
    read = read_javascript_module(program.text)
    if read.fault:
        line = _line(program, read.fault_at or 0)
        words = f"`{program.name}` is no JavaScript: line {line}: {read.fault}"
        yield Finding(program.span, words, severity="error", consequence=program.consequence)
        return
    known = GLOBALS.union(WORDS, OF_MODULES)
    told = set[str]()
    for each in read.free:
        meant = closest(each.text, sorted(read.bound)) if each.text not in known and each.text not in told else None
        if meant is not None:
            told.add(each.text)
            line = _line(program, each.offset)
            words = f"{program.name}, line {line}: nothing defines `{each.text}`; did you mean `{meant}`?"
            yield Finding(program.span, words, consequence="the code throws where it comes to that")


def _line(program: ProgramText, offset: int) -> int:
    return program.text.count("\n", 0, offset) + 1
