"""Mistakes in the inline code of a promptfoo configuration that are certain without running it (issue 18, section 2)."""

from rubric_core.lazy_compilation import pattern

__all__ = ["javascript_error", "python_error"]

#: Longer code is not looked at.
_LONGEST = 20_000
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
#: A statement, which cannot follow the `return` that stands before code of one line.
_STATEMENT = pattern(r"(?:\{\s{0,9})?(return|if|for|while|switch|throw|try)\b(?![ \t]*[.:=])")
_WORD_BEFORE = pattern(r"(?:^|[^\w.$])(return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)\s{0,9}\Z")


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


def javascript_error(code: str, *, is_body: bool, declares: bool = False) -> str:
    """What is wrong with JavaScript: brackets and quotes without their end, a statement in place of an expression; empty for nothing.

    Args:
        code: What is written.
        is_body: Whether it is the body of a function, not an expression.
        declares: Whether an expression may begin with declarations, after which an expression is the result.
    """
    bare = code.strip()
    if not bare or len(code) > _LONGEST or "{%" in code:
        return ""
    if not is_body:
        found = _STATEMENT.match(bare)
        if found is not None:
            return f"code of one line is an expression, without `{found[1]}`"
        if not declares and bare.startswith(("const ", "let ", "var ")):
            return "code of one line is an expression"
    return _Brackets(code).error()


class _Brackets:
    """Reads code for its brackets, strings, templates, comments and patterns; gives up where a `/` can be either of two things."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.at = 0
        self.open: list[str] = []

    def error(self) -> str:
        code = self.code
        while self.at < len(code):
            sign = code[self.at]
            if sign in "\"'":
                if not self._string(sign):
                    return f"a string that begins with {sign} has no end"
            elif sign == "`" or (sign == "}" and self.open[-1:] == ["${"]):
                if sign == "}":
                    self.open.pop()
                if not self._template():
                    return "a template that begins with ` has no end"
            elif code.startswith(("//", "/*"), self.at):
                self._comment()
            elif sign == "/":
                if self._slash() is None:
                    return ""
            elif sign in _CLOSERS:
                self.open.append(sign)
                self.at += 1
            elif sign in ")]}":
                if not self.open:
                    return f"`{sign}` has no matching start"
                begun = self.open.pop()
                if _CLOSERS.get(begun) != sign:
                    return f"`{begun}` is not closed"
                self.at += 1
            else:
                self.at += 1
        return f"`{self.open[-1]}` is not closed" if self.open else ""

    def _string(self, quote: str) -> bool:
        self.at += 1
        while self.at < len(self.code):
            sign = self.code[self.at]
            if sign == "\\":
                self.at += 1
            elif sign == quote:
                self.at += 1
                return True
            elif sign == "\n":
                return False
            self.at += 1
        return False

    def _template(self) -> bool:
        """The text of a template up to its end, or to an expression in it."""
        self.at += 1
        while self.at < len(self.code):
            sign = self.code[self.at]
            if sign == "\\":
                self.at += 1
            elif sign == "`":
                self.at += 1
                return True
            elif self.code.startswith("${", self.at):
                self.open.append("${")
                self.at += 2
                return True
            self.at += 1
        return False

    def _comment(self) -> None:
        end = "*/" if self.code.startswith("/*", self.at) else "\n"
        found = self.code.find(end, self.at + 2)
        self.at = len(self.code) if found < 0 else found + len(end)

    def _slash(self) -> bool | None:
        """A division, or a pattern; None where that cannot be told."""
        before = self.code[max(0, self.at - 40) : self.at].rstrip()
        if before[-1:] in (")", "}"):
            return None
        if before and before[-1] not in "(,=:[!&|?{;+-*%<>~^" and _WORD_BEFORE.search(f"{before} ") is None:
            self.at += 1
            return True
        in_class = False
        self.at += 1
        while self.at < len(self.code):
            sign = self.code[self.at]
            if sign == "\n":
                return None
            if sign == "\\":
                self.at += 1
            elif sign == "[":
                in_class = True
            elif sign == "]":
                in_class = False
            elif sign == "/" and not in_class:
                self.at += 1
                return True
            self.at += 1
        return None
