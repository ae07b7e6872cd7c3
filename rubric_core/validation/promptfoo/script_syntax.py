"""Mistakes in the inline code of a promptfoo configuration that are certain without running it (issue 18, section 2)."""

from rubric_core.lazy_compilation import pattern
from rubric_core.validation.promptfoo.javascript_syntax import function_body_fault

__all__ = ["javascript_error", "python_error"]

#: Longer code is not looked at.
_LONGEST = 20_000
#: A statement, which cannot follow the `return` that stands before code of one line.
_STATEMENT = pattern(r"(?:\{\s{0,9})?(return|if|for|while|switch|throw|try)\b(?![ \t]*[.:=])")
#: After declarations promptfoo writes `return` in front of what stands last.
_LAST_RETURN = pattern(r";\s{0,9}(return)\b[^;{}]{0,2000};{0,9}\s{0,9}\Z")
_TEMPLATE = pattern(r"\{\{[^{}]{0,500}\}\}")
#: Stands for what a template fills in: any character in a string, and elsewhere nothing that is looked at.
_UNKNOWN = "\0"


def python_error(code: str) -> str:
    """What Python says of the code of an assertion; empty if it can be parsed, or is a template."""
    if len(code) > _LONGEST or "{{" in code or "{%" in code:
        return ""
    # Most configurations have no Python.
    import ast  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    lines = "\n".join(f"    {line}" for line in code.split("\n")) if "\n" in code else f"    return {code}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            ast.parse(f"def main(output, context):\n{lines}\n")
    except SyntaxError as error:
        return error.msg
    except (ValueError, RecursionError, MemoryError):
        return ""
    return ""


def javascript_error(code: str, *, is_body: bool, declares: bool = False, parameters: tuple[str, ...] = ()) -> str:
    """What keeps JavaScript from being compiled; empty for nothing, and where that cannot be told.

    Args:
        code: What is written.
        is_body: Whether it is the body of a function, not an expression.
        declares: Whether an expression may begin with declarations, after which an expression is the result.
        parameters: The names that the code is called with, which it cannot declare.
    """
    bare = code.strip()
    if not bare or len(code) > _LONGEST or "{%" in code:
        return ""
    is_declaration = bare.startswith(("const ", "let ", "var "))
    if not is_body:
        found = _STATEMENT.match(bare) or (_LAST_RETURN.search(bare) if is_declaration else None)
        if found is not None:
            return f"code of one line is an expression, without `{found[1]}`"
        if not declares and is_declaration:
            return "code of one line is an expression"
    return function_body_fault(
        _TEMPLATE.sub(_UNKNOWN, code if is_body or is_declaration else f"return {code}"), parameters
    )
