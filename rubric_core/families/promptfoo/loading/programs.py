"""The functions that a program file defines: the one that promptfoo calls may be missing, or the file may be invalid."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from rubric_core.families.promptfoo.language.graded_assertions import PythonCode, RubyCode
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.program_uses import ProgramRole
from rubric_core.loading.project import TrackedLookup

if TYPE_CHECKING:
    import ast

__all__ = [
    "METHODS",
    "PROVIDER_FUNCTIONS",
    "TRANSFORMS",
    "Exported",
    "ProgramTrouble",
    "called_in",
    "module_trouble",
    "program_trouble",
    "python_fault",
]

#: The required methods of a provider in Python, and in JavaScript.
PROVIDER_FUNCTIONS = ("call_api", "call_embedding_api", "call_classification_api")
METHODS = ("callApi", "callEmbeddingApi", "callClassificationApi", "callModerationApi")
TRANSFORMS = ("transform", "postprocess", "transform_vars", "context_transform")

#: How many arguments promptfoo calls functions in Python with, whose result it needs.
_ARGUMENTS: dict[ProgramRole, int] = {
    "assertion": 2, "scoring": 2, "transform": 2, "variables": 2, "provider": 3, "variable": 3, "prompt": 1, "value": 2,
}  # fmt: skip
#: What promptfoo takes a JavaScript module for, unless a reference names a function of it. Hooks need no result.
Exported = Literal["function", "hook", "class"]
#: Longer programs are not examined.
_LONGEST = 200_000
_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
#: Syntax of a later Python than the one that rubric runs on.
_LATER = pattern(
    r"^[ \t]{0,40}type[ \t]{1,9}\w{1,60}[ \t]{0,9}[\[=]|\b(?:def|class)[ \t]{1,9}\w{1,60}[ \t]{0,9}\[|\bexcept[ \t]{0,9}\*",
    re.MULTILINE,
)
#: JavaScript that may define names invisible in its text.
_HIDDEN = pattern(
    r"\bexports[ \t]{0,9}=\s{0,9}(?!\s{0,9}(?:\{|async\b|function\b|class\b|\())"
    r"|\b(?:exports[ \t]{0,9}=|export[ \t]{1,9}default)\s{0,9}\{[^{}]{0,2000}\.\.\."
    r"|\bexport[ \t]{0,9}\*|\bexports\[|\bObject\.(?:assign|definePropert\w{1,3})\(\s{0,9}(?:module\.)?exports"
)
_ASSIGNED_EXPORTS = pattern(r"^[ \t]{0,9}exports[ \t]{0,9}=(?!=)", re.MULTILINE)
#: A default export that is a function, or a name.
_DEFAULT_FUNCTION = pattern(
    r"^export[ \t]{1,9}default[ \t]{1,9}(?:(?:async[ \t]{1,9})?function\b|(?:async[ \t]{0,9})?\(|class\b|(?P<name>(?!async\b|new\b)[A-Za-z_$][\w$]{0,60})[ \t]{0,9};?[ \t]{0,9}$)",
    re.MULTILINE,
)
#: An export that is a text, a number or a collection.
_VALUE = r"(?:\bexports\.|^export[ \t]{{1,9}}(?:const|let|var)[ \t]{{1,9}}){name}[ \t]{{0,9}}=[ \t]{{0,9}}(?:['\"`\[{{\d]|(?:true|false|null)\b)"
#: A class that inherits nothing, and how a module is a name.
_CLASS = r"\bclass[ \t]{{1,9}}{name}[ \t]{{0,9}}\{{"
_ONE_CLASS = pattern(
    r"\bmodule\.exports[ \t]{0,9}=[ \t]{0,9}([A-Za-z_$][\w$]{0,60})[ \t]{0,9};?[ \t]{0,9}$|^export[ \t]{1,9}default[ \t]{1,9}(?:class[ \t]{1,9})?([A-Za-z_$][\w$]{0,60})\b",
    re.MULTILINE,
)
#: A module that is one name.
_EXPORTED_NAME = pattern(
    r"\bmodule\.exports[ \t]{0,9}=[ \t]{0,9}([A-Za-z_$][\w$]{0,60})[ \t]{0,9};?[ \t]{0,9}$", re.MULTILINE
)
#: JavaScript that may define methods invisible in its text.
_INHERITS = pattern(r"\bfrom[ \t]{1,9}['\"]|\bextends\b|\brequire\b|\bimport\b|\bObject\.assign\b|\[['\"`]")
_EXPORTS = pattern(r"(?<!\.)\bexport\b|\bexports\b")
#: The members that a module exports, and what exports a value as the module, or may.
_NAMED_EXPORT = pattern(
    r"\bexports\.[A-Za-z_$][\w$]{0,60}\s{0,9}=(?!=)|\bmodule\.exports[ \t]{0,9}=\s{0,9}\{"
    r"|^export[ \t]{1,9}(?:async[ \t]{1,9})?(?:const|let|var|function|class)\b",
    re.MULTILINE,
)
_WHOLE_EXPORT = pattern(
    r"\bdefault\b|\bfunc\b|\.\.\.|\b__esModule\b|\bObject\.|\bmodule\.exports[ \t]{0,9}=(?!=)(?!\s{0,9}\{)|\bmodule\[|\bexports\["
    r"|(?<!\.)\bexports[ \t]{0,9}=(?!=)|\bexport[ \t]{0,9}[*{=]"
)
#: An object of names that is all that a module exports.
_LISTED_EXPORTS = pattern(
    r"^module\.exports[ \t]{0,9}=\s{0,9}\{([\w$\s,:]{0,2000})\}[ \t]{0,9};?[ \t]{0,9}$", re.MULTILINE
)
#: A module that is one function with a body, and what gives a result.
_FUNCTION_MODULE = pattern(
    r"(?:\bmodule\.exports[ \t]{0,9}=|^export[ \t]{1,9}default)\s{1,9}(?:async[ \t]{1,9})?"
    r"(?:function\b[^(){}]{0,60}\([^()]{0,300}\)|(?:\([^()]{0,300}\)|[\w$]{1,60})[ \t]{0,9}=>)\s{0,9}\{",
    re.MULTILINE,
)
_GIVES = pattern(r"\b(?:return|throw|yield|exit|eval)\b")
_WORD = pattern(r"[A-Za-z_$][\w$]*")
#: The methods that a Ruby file defines, and Ruby that may define others invisible in its text.
_DEFINED = pattern(
    r"^[ \t]{0,40}(?:(?:private|public)[ \t]{1,9})?def[ \t]{1,9}(?:self\.)?([A-Za-z_]\w{0,100}[?!]?)", re.MULTILINE
)
_HIDDEN_IN_RUBY = pattern(
    r"(?<![.\w])(?:require|require_relative|load|autoload|include|extend|alias|alias_method|define_method|attr_\w{1,20}|module_function)\b(?!\?)"
    r"|\b(?:method_missing|define_singleton_method|def_delegators?|\w{0,20}eval|send)\b|\bclass[ \t]{1,9}(?:<<|\w{1,100}[ \t]{0,9}<)"
)
#: Ruby libraries that define nothing that promptfoo could call.
_HARMLESS = pattern(
    r"^[ \t]{0,9}require[ \t]{0,9}\(?['\"](?:json|time|date|set|net/http|uri|openssl|digest|yaml|csv|logger)['\"]\)?",
    re.MULTILINE,
)


class ProgramTrouble(NamedTuple):
    """A problem with a program, in words that follow its name."""

    words: str
    #: The function that was probably meant.
    meant: str = ""
    #: Whether the file is no Python, which is reported in the file if it is checked.
    is_unreadable: bool = False
    #: Whether there is such a name, and it cannot be called.
    is_value: bool = False


def called_in(shape: Shape, field: str) -> tuple[str, ...]:
    """The function that promptfoo calls in a Python or Ruby file in a field, if none is named."""
    if field == "value":
        return ("get_assert",) if isinstance(shape, PythonCode | RubyCode) else ()
    if field == "scoring":
        return ("func",)
    return ("get_transform",) if field in TRANSFORMS else ()


def program_trouble(
    path: Path, functions: tuple[str, ...], look: TrackedLookup, role: ProgramRole | None = None
) -> ProgramTrouble | None:
    """Why promptfoo cannot call any of `functions` in a file; None if it can, or that is unknown.

    With a `role`, the first of the functions is called for that.
    """
    if path.suffix not in (".py", ".rb", *_SCRIPTS):
        return None
    key = ("program", path, functions, role)
    return look.answer(key, lambda files: _trouble(path, functions, role, files.text(path)))


def _trouble(
    path: Path, functions: tuple[str, ...], role: ProgramRole | None, text: str | None
) -> ProgramTrouble | None:
    if text is None or len(text) > _LONGEST:
        return None
    if path.suffix == ".rb":
        return _in_ruby(text, functions)
    return _in_python(text, functions, role) if path.suffix == ".py" else _in_javascript(text, functions)


def _in_ruby(text: str, functions: tuple[str, ...]) -> ProgramTrouble | None:
    if _HIDDEN_IN_RUBY.search(_HARMLESS.sub("", text)):
        return None
    return _lacking(functions, frozenset(_DEFINED.findall(text)))


def _in_javascript(text: str, functions: tuple[str, ...]) -> ProgramTrouble | None:
    if _ASSIGNED_EXPORTS.search(text) and "module.exports" not in text and "exports." not in text:
        return ProgramTrouble("exports nothing: `exports` is a variable there; write `module.exports`")
    if not _EXPORTS.search(text):
        return ProgramTrouble("exports nothing" + ("; write `module.exports`" if "module.export" in text else ""))
    exported = _EXPORTED_NAME.search(text)
    is_function = exported is not None and re.search(
        rf"\bfunction[ \t]{{1,9}}{re.escape(exported[1])}[ \t]{{0,9}}\(", text
    )
    # A function has no members but those that the text gives it.
    if functions == METHODS and _is_plain_class(text):
        return _lacking(functions, frozenset(_WORD.findall(text)))
    if (_INHERITS if functions == METHODS else _HIDDEN).search(_EXPORTED_NAME.sub("", text) if is_function else text):
        return None
    words = frozenset(_WORD.findall(text))
    if functions and re.search(_VALUE.format(name=re.escape(functions[0])), text, re.MULTILINE):
        return ProgramTrouble(f"has a `{functions[0]}` that is no function", is_value=True)
    return _lacking(functions, words) or _not_exported(text, functions) or _beside_default(text, functions)


def _not_exported(text: str, functions: tuple[str, ...]) -> ProgramTrouble | None:
    """A function that the only list of exports leaves out."""
    found, name = _LISTED_EXPORTS.search(text), functions[0] if len(functions) == 1 else ""
    if found is None or not name or "." in name or text.count("exports") > 1 or "export " in text:
        return None
    listed = frozenset(_WORD.findall(found[1]))
    if name in listed or not listed.isdisjoint(("default", "func")):
        return None
    if re.search(rf"\b(?:function|const|let|var|class)[ \t]{{1,9}}{re.escape(name)}\b", text) is None:
        return None
    return ProgramTrouble(f"does not export its `{name}`; add it to `module.exports`")


def _beside_default(text: str, functions: tuple[str, ...]) -> ProgramTrouble | None:
    """An export beside a default one that is a function: promptfoo looks for it there."""
    default, name = _DEFAULT_FUNCTION.search(text), functions[0] if len(functions) == 1 else ""
    if default is None or not name or re.search(rf"\.{re.escape(name)}[ \t]{{0,9}}=", text) is not None:
        return None
    called = default["name"]
    is_function = not called or re.search(
        rf"\b(?:function|class)[ \t]{{1,9}}{re.escape(called)}\b|\b{re.escape(called)}[ \t]{{0,9}}=[ \t]{{0,9}}(?:async\b|\(|function\b)",
        text,
    )
    if (
        not is_function
        or re.search(
            rf"^export[ \t]{{1,9}}(?:const|let|var|async|function|class)[^\n=(]{{0,99}}\b{re.escape(name)}\b",
            text,
            re.MULTILINE,
        )
        is None
    ):
        return None
    return ProgramTrouble(
        f"exports `{name}` beside a default export, and promptfoo looks for it in that; remove `export default`"
    )


def module_trouble(path: Path, exported: Exported, look: TrackedLookup) -> ProgramTrouble | None:
    """Why promptfoo cannot take a JavaScript module for what it needs; None if it can, or that is unknown."""
    text = look.text(path) if path.suffix in _SCRIPTS else None
    if text is None or len(text) > _LONGEST:
        return None
    if _NAMED_EXPORT.search(text) and not _WHOLE_EXPORT.search(text):
        what = "class" if exported == "class" else "function"
        other = "" if exported == "class" else ", or the name of one behind the path, as in `file://name.js:function`"
        return ProgramTrouble(f"exports named members only; promptfoo needs a {what} as the module itself{other}")
    if exported == "function" and _FUNCTION_MODULE.search(text) and not _GIVES.search(text):
        return ProgramTrouble("exports a function that returns nothing")
    return None


def _is_plain_class(text: str) -> bool:
    """Whether a module is one class, whose methods all stand in its text."""
    found = _ONE_CLASS.search(text)
    if found is None or "Object.assign" in text or "['" in text or '["' in text:
        return False
    name = re.escape(found[1] or found[2])
    return re.search(_CLASS.format(name=name), text) is not None and "extends" not in text


def python_fault(text: str) -> tuple[int, int, str] | None:
    """What keeps a file from being Python of any version: its line and column, from 1, and words. None if nothing does."""
    if len(text) > _LONGEST:
        return None
    read = _read_python(text)
    if not isinstance(read, SyntaxError) or "f-string" in read.msg or _LATER.search(text):
        return None
    return read.lineno or 1, read.offset or 1, read.msg


def _read_python(text: str) -> "ast.Module | SyntaxError | None":
    """The tree of a file of Python, or why there is none; None if that is unknown."""
    import ast  # noqa: PLC0415  # few configurations name programs
    import warnings  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in strings
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None


def _in_python(text: str, functions: tuple[str, ...], role: ProgramRole | None) -> ProgramTrouble | None:
    tree = _read_python(text)
    if tree is None or isinstance(tree, SyntaxError):
        fault = python_fault(text) if tree is not None else None
        return fault and ProgramTrouble(f"is no Python: line {fault[0]}: {fault[2]}", is_unreadable=True)
    names = frozenset(_bound(tree.body))
    if "*" in names or "__getattr__" in names:
        return None
    return _lacking(functions, names) or _uncallable(tree.body, functions, role)


def _uncallable(body: Iterable[object], functions: tuple[str, ...], role: ProgramRole | None) -> ProgramTrouble | None:
    """A function at the top that takes other arguments than promptfoo calls it with, or gives no result."""
    import ast  # noqa: PLC0415

    named = functions[0] if functions else ""
    body = list(body)
    if _is_value(body, named):
        return ProgramTrouble(f"has a `{named}` that is no function", is_value=True)
    count = _ARGUMENTS[role] if role is not None else None
    defined = [each for each in body if isinstance(each, ast.FunctionDef) and each.name == named]
    if count is None or len(defined) != 1 or defined[0].decorator_list:
        return None
    taken = defined[0].args
    most = len(taken.posonlyargs) + len(taken.args)
    needed = most - len(taken.defaults)
    if needed > count or (most < count and taken.vararg is None):
        what = "1 argument" if count == 1 else f"{count} arguments"
        return ProgramTrouble(f"is called with {what}, and its `{named}` takes {most}")
    gives = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(defined[0]))
    if gives or any(isinstance(n, ast.Raise | ast.Yield | ast.YieldFrom) for n in ast.walk(defined[0])):
        return None
    return ProgramTrouble(f"has a `{named}` that returns nothing")


def _is_value(body: Iterable[object], name: str) -> bool:
    """Whether a module gives a name nothing but texts, numbers and collections."""
    import ast  # noqa: PLC0415

    binding = [each for each in body if name in _bound([each])]
    values = (each.value if isinstance(each, ast.Assign | ast.AnnAssign) else None for each in binding)
    written = ast.Constant | ast.JoinedStr | ast.List | ast.Tuple | ast.Dict | ast.Set
    return bool(binding) and all(isinstance(each, written) for each in values)


def _bound(body: Iterable[object]) -> Iterator[str]:
    """The names that the statements of a module define, nested ones included; `*` for unknown imports."""
    import ast  # noqa: PLC0415

    for each in body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name
        elif isinstance(each, ast.Import | ast.ImportFrom):
            yield from (name.asname or name.name.partition(".")[0] for name in each.names)
        elif isinstance(each, ast.stmt):
            yield from (n.id for n in ast.walk(each) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            if any(
                isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("globals", "exec")
                for n in ast.walk(each)
            ):
                yield "*"
            for block in ("body", "orelse", "finalbody"):
                yield from _bound(getattr(each, block, ()))
            yield from (name for handler in getattr(each, "handlers", ()) for name in _bound(handler.body))


def _lacking(functions: tuple[str, ...], names: frozenset[str]) -> ProgramTrouble | None:
    # Of a class in Python, such as `Prompts.text`, the methods are not looked at.
    if not functions or any(each.partition(".")[0] in names or each.rpartition(".")[2] in names for each in functions):
        return None
    meant = closest(functions[0], sorted(names)) or ""
    advice = f"; did you mean `{meant}`?" if meant else ""
    return ProgramTrouble(f"has no `{functions[0]}`{advice}", meant)
