"""Mistakes in the inline code of a promptfoo configuration that are certain without running it."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.families.promptfoo.checks.function_reading import FunctionReading
from rubric_core.families.promptfoo.checks.javascript_syntax import BodyReading, read_function_body
from rubric_core.families.promptfoo.loading.programs import python_fault
from rubric_core.lazy_compilation import pattern

if TYPE_CHECKING:
    import ast

__all__ = ["CodeReading", "FreeName", "read_javascript", "read_javascript_module", "read_python", "read_python_module"]

#: Longer code is not checked.
_LONGEST = 20_000
_NOT_ASCII = pattern(r"[^\x00-\x7f]")
#: Readings that are remembered: cases and configurations repeat the code of others.
_MOST_READ = 256
#: A statement, which cannot follow the `return` that promptfoo puts before one line of code.
_STATEMENT = pattern(r"(?:\{\s{0,9})?(return|if|for|while|switch|throw|try)\b(?![ \t]*[.:=])")
#: After declarations, promptfoo puts `return` before the last statement.
_LAST_RETURN = pattern(r";\s{0,9}(return)\b[^;{}]{0,2000};{0,9}\s{0,9}\Z")
_TEMPLATE = pattern(r"\{\{[^{}]{0,500}\}\}")
#: What makes a module of a statement, or of an expression.
_EXPORTED = pattern(
    r"^export[ \t]{1,9}(?:default[ \t]{1,9})?(?=(?:const|let|var|async|function|class|\(|new\b|[A-Za-z_$][\w$]{0,60}[ \t]{0,9}(?:=>|;?[ \t]{0,9}$)))",
    re.MULTILINE,
)
#: Represents a template: any character in a string, and unknown code elsewhere.
_UNKNOWN = "\0"
_RETURN = "return "
#: The code that promptfoo wraps around one line of Python, and before each of several lines.
_PYTHON_RETURN, _PYTHON_INDENT = "    return ", "    "


class FreeName(NamedTuple):
    """A name that nothing defines."""

    text: str
    #: Its place in the code.
    offset: int


class CodeReading(NamedTuple):
    """Certain facts about code."""

    #: The syntax error; empty for none, or if uncertain.
    fault: str = ""
    #: The offset in the code at which the fault shows, if that is known.
    fault_at: int | None = None
    #: Every use of a name that neither the code, nor promptfoo, nor the language defines.
    free: tuple[FreeName, ...] = ()
    #: The names that the code defines.
    bound: frozenset[str] = frozenset()
    #: The keys of each object that the code writes.
    objects: tuple[tuple[FreeName, ...], ...] = ()
    #: Mappings of Python that nothing takes.
    dropped: tuple[FreeName, ...] = ()
    #: The methods of the classes that JavaScript defines.
    methods: frozenset[str] = frozenset()
    #: The functions that a file defines.
    functions: tuple[FunctionReading, ...] = ()
    #: Inline JavaScript as the function that promptfoo makes of it; None if a part of it was not read.
    whole: FunctionReading | None = None


@lru_cache(maxsize=_MOST_READ)
def read_python(code: str) -> CodeReading:
    """Read the code of a Python assertion. Code with a template in it is not judged."""
    if len(code) > _LONGEST or "{{" in code or "{%" in code:
        return CodeReading()
    before = _PYTHON_INDENT if "\n" in code else _PYTHON_RETURN
    lines = code.split("\n")
    wrapped = "\n".join(f"{before}{line}" for line in lines)
    try:
        tree = _tree(f"def main(output, context):\n{wrapped}\n")
    except SyntaxError as error:
        at = _offset(lines, (error.lineno or 0) - 2, (error.offset or 1) - 1 - len(before))
        return CodeReading(error.msg, at)
    except (ValueError, RecursionError, MemoryError):
        return CodeReading()
    return _python_facts(tree, lines, before_line=2, before_column=len(before))


@lru_cache(maxsize=_MOST_READ)
def read_python_module(code: str) -> CodeReading:
    """Read a file of Python."""
    fault = python_fault(code)
    if fault is not None:
        line, column, words = fault
        return CodeReading(words, _offset(code.split("\n"), line - 1, column - 1))
    if len(code) > _LONGEST:
        return CodeReading()
    try:
        tree = _tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return CodeReading()
    return _python_facts(tree, code.split("\n"), before_line=1, before_column=0)


def _tree(code: str) -> "ast.Module":
    """The tree of Python, whose columns are characters: Python itself counts bytes. Raises what `ast.parse` raises."""
    # Most configurations have no Python.
    import ast  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes in strings
        tree = ast.parse(code)
        return tree if code.isascii() else ast.parse(_NOT_ASCII.sub("x", code))


def _python_facts(tree: "ast.Module", lines: list[str], *, before_line: int, before_column: int) -> CodeReading:
    from rubric_core.families.promptfoo.checks.python_syntax import (  # noqa: PLC0415
        dropped_mappings,
        free_names,
        functions_of,
        keys_of_mappings,
    )

    def placed(names: Iterable[tuple[str, int, int]]) -> tuple[FreeName, ...]:
        found = ((name, _offset(lines, line - before_line, column - before_column)) for name, line, column in names)
        return tuple(FreeName(name, at) for name, at in found if at is not None and (is_ascii or is_written(name, at)))

    def is_written(name: str, at: int) -> bool:
        return code.startswith(name, at)

    code = "\n".join(lines)
    is_ascii = code.isascii()

    names, bound = free_names(tree, is_inline=before_column > 0)
    return CodeReading(
        "",
        None,
        placed(names),
        bound,
        tuple(map(placed, keys_of_mappings(tree))),
        dropped=placed(dropped_mappings(tree)),
        functions=tuple(functions_of(tree, lines)) if not before_column else (),
    )


def _offset(lines: list[str], line: int, column: int) -> int | None:
    """The offset of a place; None if it is not in the code itself."""
    if not 0 <= line < len(lines):
        return None
    return sum(len(each) + 1 for each in lines[:line]) + min(max(column, 0), len(lines[line]))


@lru_cache(maxsize=_MOST_READ)
def read_javascript_module(code: str) -> CodeReading:
    """Read a file of JavaScript."""
    if len(code) > _LONGEST:
        return CodeReading()
    # As long as before, so that lines and columns stay.
    read = read_function_body(_EXPORTED.sub(lambda found: " " * len(found[0]), code))
    free = tuple(FreeName(token.text, token.start) for token in read.free)
    return CodeReading(
        read.fault,
        read.fault_at if read.fault else None,
        free,
        read.bound,
        _objects(read, code, 0),
        methods=read.methods,
        functions=read.functions,
    )


def _objects(read: BodyReading, code: str, before: int) -> tuple[tuple[FreeName, ...], ...]:
    """The keys of objects, as written without quotes; `before` is the length of what was put before the code."""
    return tuple(
        tuple(
            FreeName(
                code[token.start - before : token.end - before].strip("\"'"),
                token.start - before + (token.kind == "string"),
            )
            for token in keys
        )
        for keys in read.objects
        if keys
    )


@lru_cache(maxsize=_MOST_READ)
def read_javascript(
    code: str, *, is_body: bool, declares: bool = False, parameters: tuple[str, ...] = ()
) -> CodeReading:
    """Read JavaScript.

    Args:
        code: What is written.
        is_body: Whether it is the body of a function, not an expression.
        declares: Whether an expression may begin with declarations, after which an expression is the result.
        parameters: The names that the code is called with, which it cannot declare.
    """
    bare = code.strip()
    if not bare or len(code) > _LONGEST or "{%" in code:
        return CodeReading()
    is_declaration = bare.startswith(("const ", "let ", "var "))
    if not is_body:
        found = _STATEMENT.match(bare) or (_LAST_RETURN.search(bare) if is_declaration else None)
        if found is not None:
            return CodeReading(f"code of one line is an expression, without `{found[1]}`")
        if not declares and is_declaration:
            return CodeReading("code of one line is an expression")
    before = "" if is_body or is_declaration else _RETURN
    # As long as the template, so that offsets stay valid.
    bare = _TEMPLATE.sub(lambda found: _UNKNOWN * len(found[0]), code)
    read = read_function_body(before + bare, parameters)
    free = tuple(FreeName(token.text, token.start - len(before)) for token in read.free)
    at = read.fault_at - len(before) if read.fault else None
    objects = _objects(read, code, len(before))
    whole = read.whole
    if whole is not None and before:
        whole = whole._replace(results=tuple(each.moved(-len(before)) for each in whole.results))
    return CodeReading(read.fault, at, free, read.bound, objects, whole=whole)
