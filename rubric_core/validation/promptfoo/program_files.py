"""Mistakes in the programs that a configuration of promptfoo names (issue 18, section 2)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo.javascript_globals import GLOBALS
from rubric_core.loading.reference_issues import ProgramText
from rubric_core.validation.promptfoo.script_members import slips_of_members, slips_of_python
from rubric_core.validation.promptfoo.script_names import OF_MODULES, OFTEN_MEANT, PYTHON_MEANT, WORDS
from rubric_core.validation.promptfoo.script_results import RESULT_REFUSED, slips_of_results
from rubric_core.validation.promptfoo.script_syntax import CodeReading, read_javascript_module, read_python_module
from rubric_core.validation.rule import Finding

__all__ = ["faults_of_program"]

_DROPPED = "the function returns nothing here"
_THROWS = "the code throws where it comes to that"
#: Shorter names resemble too many others.
_LEAST_NAME = 3
#: No more mistakes of one file are reported.
_MOST = 3


#: Names that code for both releases of Python tries.
_OF_PYTHON_2 = frozenset(
    {"basestring", "unicode", "unichr", "cmp", "xrange", "long", "raw_input", "reload", "file", "reduce"}
)


#: Methods of libraries that resemble methods of JavaScript.
_OF_LIBRARIES = frozenset({"catchall"})


class _Fault(NamedTuple):
    offset: int
    words: str
    consequence: str


def faults_of_program(program: ProgramText) -> Iterator[Finding]:
    """What keeps a file from being loaded, and slips of names, members and results."""
    is_python = program.name.endswith(".py")
    read = read_python_module(program.text) if is_python else read_javascript_module(program.text)
    if read.fault:
        line = _line(program, read.fault_at or 0)
        words = f"`{program.name}` is no JavaScript: line {line}: {read.fault}"
        yield Finding(program.span, words, severity="error", consequence=program.consequence)
        return
    faults = [*_names(read, is_python=is_python), *_results(read, is_python=is_python)]
    faults += _members(program.text, read, is_python=is_python)
    faults += [
        _Fault(each.offset, "this mapping is dropped; `return` is missing before it", _DROPPED) for each in read.dropped
    ]
    for fault in sorted(faults)[:_MOST]:
        words = f"{program.name}, line {_line(program, fault.offset)}: {fault.words}"
        yield Finding(program.span, words, consequence=fault.consequence)


def _names(read: CodeReading, *, is_python: bool) -> Iterable[_Fault]:
    """Each name that nothing defines and that resembles one, where it is used first."""
    known = _OF_PYTHON_2 if is_python else GLOBALS.union(WORDS, OF_MODULES)
    candidates = sorted(read.bound.union(PYTHON_MEANT if is_python else (*OFTEN_MEANT, *OF_MODULES)))
    told = set[str]()
    for each in read.free:
        if each.text in known or each.text in told or len(each.text) < _LEAST_NAME or "$" in each.text:
            continue
        meant = closest(each.text, candidates)
        # A browser, or a library, may define a class that is called as a variable is.
        if meant is not None and not (each.text[0].isupper() and meant[0].islower()):
            told.add(each.text)
            yield _Fault(each.offset, f"nothing defines `{each.text}`; did you mean `{meant}`?", _THROWS)


def _results(read: CodeReading, *, is_python: bool) -> Iterable[_Fault]:
    for key, meant in slips_of_results(read, is_python=is_python):
        yield _Fault(key.offset, f"a result has no `{key.text}`; did you mean `{meant}`?", RESULT_REFUSED)


def _members(code: str, read: CodeReading, *, is_python: bool) -> Iterable[_Fault]:
    for slip in slips_of_python(read) if is_python else slips_of_members(code):
        # A name that looks like a slip of a JavaScript name may belong to a library: zod has `catchall`.
        if not is_python and (slip.name in _OF_LIBRARIES or slip.name[0].isupper()):
            continue
        yield _Fault(slip.offset, f"{slip.words}; did you mean `{slip.meant}`?", _THROWS)


def _line(program: ProgramText, offset: int) -> int:
    return program.text.count("\n", 0, offset) + 1
