"""Mistakes in the programs that a configuration of promptfoo names, in the files themselves or at their references."""

import re
import sys
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.script_names import (
    OF_MODULES,
    OFTEN_MEANT,
    PYTHON_MEANT,
    WORDS,
    meant_name,
    misread_settings,
    slips_of_context,
)
from rubric_core.families.promptfoo.checks.script_results import RESULT_REFUSED, refused_results, slips_of_results
from rubric_core.families.promptfoo.checks.script_syntax import (
    CodeReading,
    read_javascript_module,
    read_python_module,
)
from rubric_core.families.promptfoo.language.consequences import NO_FILTER, ROW_ERRORS
from rubric_core.families.promptfoo.language.javascript import GLOBALS
from rubric_core.families.promptfoo.loading.programs import METHODS, PROVIDER_FUNCTIONS
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import BrokenProgram, ProgramText
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

_DROPPED = "the function returns nothing here"
_THROWS = "the code throws where it comes to that"
#: Shorter names resemble too many others.
_LEAST_NAME = 3
#: No more mistakes of one file are reported at its reference.
_MOST = 3


#: `module.export =`, and `exports =`, which is a variable.
_EXPORT = pattern(
    r"\bmodule\.(?P<member>export)\s{0,9}=(?!=)|^[ \t]{0,9}(?P<alone>exports)[ \t]{0,9}=(?!=)", re.MULTILINE
)
#: What CommonJS has and modules of ECMAScript do not, and the other way round, at the beginning of a line.
_COMMON = pattern(r"^(?P<word>module\.exports|exports\.\w{1,60})[ \t]{0,9}=(?!=)", re.MULTILINE)
_EXPORTED = pattern(r"^(?P<word>export)[ \t]{1,9}(?:default|async|function|class|const|let|\{)", re.MULTILINE)
#: Modules of Node.js that a file imports before it uses them.
_OF_NODE = frozenset({"assert", "child_process", "fs", "http", "https", "os", "path", "util"})
_MADE_REQUIRE = pattern(r"\bcreateRequire\b|\b(?:const|let|var)[ \t]{1,9}(?:module|exports)\b")
_EXPORTS = MappingProxyType({"export": "exports", "exports": "module.exports"})
#: An object that is a statement: JavaScript takes it for a block, and its key for a label.
_DROPPED_OBJECT = pattern(
    r"(?<=[;{}\n])\s{0,99}\n[ \t]{0,99}(?P<brace>\{)\s{0,99}(?:output|pass|score|error)[ \t]{0,9}:[^{}]{0,500}(?:\{[^{}]{0,200}\}[^{}]{0,500}){0,9}\}[ \t]{0,9};?[ \t]{0,9}$",
    re.MULTILINE,
)
#: What an object belongs to, so many characters before it.
_NEAR = 200
_GOES_ON = pattern(r"[(,=?:&|\[>+]\s{0,99}\Z|\breturn\s{0,99}\Z")
#: What promptfoo calls where a reference names no function.
_PYTHON_ENTRIES = (*PROVIDER_FUNCTIONS, "get_assert", "get_transform", "get_var", "generate_tests")
_FUNCTION = pattern(r"^(?:async[ \t]{1,9})?def[ \t]{1,9}(\w{1,60})\(", re.MULTILINE)
_METHOD = pattern(
    r"^[ \t]{1,40}(?:async[ \t]{1,9})?([A-Za-z_$][\w$]{0,60})\([^()\n]{0,200}\)[ \t]{0,9}\{", re.MULTILINE
)
#: A member of what promptfoo gives to Python, as an attribute; and what gives these names another value or type.
_ATTRIBUTE = pattern(
    r"(?<![\w.'\"])(?:context(?=\.(?:vars|prompt|test|config)\b)|options(?=\.config\b))\.(?P<name>\w{1,10})(?![(\w])"
)
_OWN_CONTEXT = pattern(
    r"\b(?:context|options)[ \t]{0,9}(?::[ \t]{0,9}(?!dict|Dict|Any)\w|=(?!=))|\b(?:as|for)[ ](?:context|options)\b"
)
_NOTHING = "promptfoo does not find it"
_TOKEN = pattern(r"[\w$]{1,99}|\S")
#: Names that code for both releases of Python tries.
_OF_PYTHON_2 = frozenset(
    {"basestring", "unicode", "unichr", "cmp", "xrange", "long", "raw_input", "reload", "file", "reduce"}
)


class _Fault(NamedTuple):
    offset: int
    words: str
    consequence: str
    #: The misspelt name, the intended one, and every place of the former.
    name: str = ""
    meant: str = ""
    places: tuple[int, ...] = ()
    #: The end of what is wrong, if that is no name.
    end: int = 0

    def in_file(self, text: str) -> Finding:
        """The finding in the file itself. No fix is safe: rubric does not rewrite programs by itself."""
        at = Span(self.offset, self.end or self.offset + max(len(self.name), 1))
        return Finding(at, self.message, fixes=tuple(self._fixes(text)), consequence=self.consequence)

    def _fixes(self, text: str) -> Iterator[Fix]:
        edits = tuple(Edit(Span(each, each + len(self.name)), self.meant) for each in self.places or (self.offset,))
        if self.meant and all(text[slice(*edit.span)] == self.name for edit in edits):
            yield Fix(f"change it to `{self.meant}`", edits, safe=False)

    @property
    def message(self) -> str:
        """What is wrong, and what was probably meant."""
        return f"{self.words}; did you mean `{self.meant}`?" if self.meant else self.words


@checks("promptfoo/program-function", "script-value", "warning")
def missing_function(issue: BrokenProgram, context: Context) -> Iterator[Finding]:
    """A program without a function that promptfoo can call where the configuration names it."""
    fixes: tuple[Fix, ...] = ()
    end = issue.node.span.end - issue.node.is_quoted
    if issue.meant and issue.function and context.text.endswith(issue.function, issue.node.span.start, end):
        at = Span(end - len(issue.function), end)
        fixes = (Fix(f"change it to `{issue.meant}`", (Edit(at, issue.meant),)),)
    words = f"`{issue.name}` {issue.trouble}"
    effect = "the filter fails, or gives nothing, where it is used"
    if issue.consequence == NO_FILTER:
        yield Finding(issue.span, words, fixes=fixes, consequence=effect)
    else:
        yield Finding(issue.span, words, fixes=fixes, severity="error", consequence=issue.consequence)


@checks("promptfoo/program", "script-value", "warning")
def faults_of_program(program: ProgramText) -> Iterator[Finding]:
    """A program that cannot be loaded, or has a misspelt name, member or result."""
    is_python = program.name.endswith(".py")
    read = read_python_module(program.text) if is_python else read_javascript_module(program.text)
    if read.fault:
        yield _unreadable(program, read, "Python" if is_python else "JavaScript")
        return
    faults = [
        *_names(program.text, read, is_python=is_python),
        *_results(read, is_python=is_python),
    ]
    faults += _members(program.text, is_python=is_python)
    faults += _entries(program.text, is_python=is_python) if program.is_own else ()
    faults += _attributes(program.text) if is_python else ()
    faults += _other_modules(program)
    for slip in misread_settings(program.text, program.called) if is_python and program.is_own else ():
        effect = "the code gets nothing" if slip.is_optional else _THROWS
        faults.append(
            _Fault(slip.offset, f"no configuration has a setting `{slip.name}`", effect, slip.name, slip.meant)
        )
    told = {each.offset for each in faults}
    faults += [
        _Fault(each.start, each.words, each.consequence, end=each.end)
        for each in refused_results(program, read)
        if not any(each.start <= at < each.end for at in told)
    ]
    faults += [
        _Fault(each.offset, "this mapping is dropped; `return` is missing before it", _DROPPED) for each in read.dropped
    ]
    if program.is_own:
        yield from (each.in_file(program.text) for each in faults)
        return
    for fault in sorted(faults)[:_MOST]:
        words = f"{program.name}, line {_line(program, fault.offset)}: {fault.message}"
        yield Finding(program.span, words, consequence=fault.consequence)


def _unreadable(program: ProgramText, read: CodeReading, language: str) -> Finding:
    """A file that cannot be loaded."""
    at = read.fault_at or 0
    if program.is_own:
        found = _TOKEN.match(program.text, at)
        words, span = f"this is no {language}: {read.fault}", Span(at, found.end() if found is not None else at)
    else:
        words, span = f"`{program.name}` is no {language}: line {_line(program, at)}: {read.fault}", program.span
    return Finding(span, words, severity="error", consequence=program.consequence)


def _names(code: str, read: CodeReading, *, is_python: bool) -> Iterable[_Fault]:
    """Each name that nothing defines, where it is used first; in JavaScript only modules and slips, since other programs may define some."""
    if not is_python and "context" in read.bound:
        own = tuple(each.offset for each in read.free if each.text == "vars")
        if own:
            yield _Fault(own[0], "nothing defines `vars`", _THROWS, "vars", "context.vars", own)
    known = _OF_PYTHON_2 if is_python else GLOBALS.union(WORDS, OF_MODULES)
    candidates = sorted(read.bound.union(PYTHON_MEANT if is_python else (*OFTEN_MEANT, *OF_MODULES)))
    modules = sys.stdlib_module_names if is_python else _OF_NODE
    told = set[str]()
    for each in read.free:
        if each.text in known or each.text in told:
            continue
        is_module = each.text in modules and code.startswith(".", each.offset + len(each.text))
        is_short = len(each.text) < _LEAST_NAME or "$" in each.text
        meant = None if is_short or is_module else meant_name(each.text, candidates)
        if meant is None and (is_module or is_python) and "NameError" not in code:
            told.add(each.text)
            yield _Fault(each.offset, f"nothing defines `{each.text}`", _THROWS, each.text)
        # A browser, or a library, may define a class that is called as a variable is.
        if meant is not None and not (each.text[0].isupper() and meant[0].islower()):
            told.add(each.text)
            places = tuple(other.offset for other in read.free if other.text == each.text)
            yield _Fault(each.offset, f"nothing defines `{each.text}`", _THROWS, each.text, meant, places)


def _entries(code: str, *, is_python: bool) -> Iterable[_Fault]:
    """Slips of what promptfoo looks for in a file, where nothing is called so. Without these the reference is reported."""
    if not is_python:
        for found in _EXPORT.finditer(code):
            name = found["member"] or found["alone"]
            if found["member"] or "module.exports" not in code:
                yield _Fault(found.start(found.lastgroup or 0), "this exports nothing", _NOTHING, name, _EXPORTS[name])
        # A template literal may show what a model is to answer.
        for found in _DROPPED_OBJECT.finditer(code) if "`" not in code else ():
            if not _GOES_ON.search(code[max(0, found.start() - _NEAR) : found.start()]):
                words = "this mapping is dropped; `return` is missing before it"
                yield _Fault(found.start("brace"), words, _DROPPED)
    known = _PYTHON_ENTRIES if is_python else METHODS
    names = [(found[1], found.start(1)) for found in (_FUNCTION if is_python else _METHOD).finditer(code)]
    if not names or any(name in known for name, _ in names):
        return
    for name, at in names:
        folded = name.replace("_", "").lower()
        meant = next((each for each in known if folded == each.replace("_", "").lower() or is_typo(name, each)), None)
        if meant is not None:
            yield _Fault(at, f"promptfoo calls no `{name}`", _NOTHING, name, meant)


def _other_modules(program: ProgramText) -> Iterable[_Fault]:
    """Exports of the other kind of modules, in a file whose extension says which it is: Node.js does not load it."""
    if program.name.endswith(".mjs") and not _MADE_REQUIRE.search(program.text):
        found = _COMMON.search(program.text)
        if found is not None:
            words = "an .mjs file has no `module`; write `export default`, or call it .cjs"
            yield _Fault(found.start("word"), words, program.consequence, end=found.end("word"))
    elif program.name.endswith(".cjs"):
        found = _EXPORTED.search(program.text)
        if found is not None:
            words = "a .cjs file has no `export`; write `module.exports =`, or call it .mjs"
            yield _Fault(found.start("word"), words, program.consequence, end=found.end("word"))


def _attributes(code: str) -> Iterable[_Fault]:
    """Attributes of what promptfoo gives to Python, which are dicts."""
    for found in _ATTRIBUTE.finditer(code) if _OWN_CONTEXT.search(code) is None else ():
        name = found["name"]
        if "#" in code[code.rfind("\n", 0, found.start()) + 1 : found.start()]:
            continue
        words = f"a dict has no `.{name}`; write `['{name}']`"
        yield _Fault(found.start("name"), words, _THROWS, name)


def _results(read: CodeReading, *, is_python: bool) -> Iterable[_Fault]:
    for key, meant in slips_of_results(read, is_python=is_python):
        effect = ROW_ERRORS if meant == "output" else RESULT_REFUSED  # of a provider, and of an assertion
        yield _Fault(key.offset, f"a result has no `{key.text}`", effect, key.text, meant)


def _members(code: str, *, is_python: bool) -> Iterable[_Fault]:
    """Slips of members of `context`; in Python only of its variables, since something else may be called so."""
    for slip in slips_of_context(code, is_python=is_python):
        if not is_python or slip.meant == "vars":
            yield _Fault(slip.offset, slip.words, _THROWS, slip.name, slip.meant)


def _line(program: ProgramText, offset: int) -> int:
    return program.text.count("\n", 0, offset) + 1
