"""Whether JavaScript can be the body of a function.

Written here because the parsers in Python that are kept up are programs to install or refuse what node takes (`?.`,
`??`): a correct line must never be called wrong, and an author needs a sentence, not a node of a tree.
"""

from collections.abc import Callable
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.function_reading import FunctionReading
from rubric_core.families.promptfoo.checks.javascript_expressions import ExpressionReader
from rubric_core.families.promptfoo.checks.javascript_reader import (
    RESERVED,
    FaultError,
    Token,
    UnsureError,
    read_token,
)
from rubric_core.lazy_compilation import pattern

__all__ = ["BodyReading", "read_function_body"]

#: An import, whose names are bound.
_IMPORT = pattern(r"import\b(?P<names>[^;'\"()=]{0,500})(?:\"[^\"\n]{1,300}\"|'[^'\n]{1,300}');?")
#: A list of exports.
_EXPORTS = pattern(
    r"export\s{0,9}(?:\{[\w$\s,]{0,2000}\}|\*(?:\s{1,9}as\s{1,9}[\w$]{1,60})?)"
    r"(?:\s{0,9}\bfrom\s{0,9}(?:\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'))?;?"
)
_NAME = pattern(r"[A-Za-z_$][\w$]*")


class BodyReading(NamedTuple):
    """Certain facts about the body of a function. Offsets are those of the code."""

    #: The syntax error, and its offset; empty for none, or if uncertain.
    fault: str = ""
    fault_at: int = 0
    #: Names used as values that nothing in the code binds; empty if a part of the code was not read.
    free: tuple[Token, ...] = ()
    #: The names that the code binds.
    bound: frozenset[str] = frozenset()
    #: The keys of each object in the code.
    objects: tuple[tuple[Token, ...], ...] = ()
    #: The methods of its classes.
    methods: frozenset[str] = frozenset()
    #: The functions in it.
    functions: tuple[FunctionReading, ...] = ()
    #: The body as a function itself; None if a part of the code was not read.
    whole: FunctionReading | None = None


def read_function_body(code: str, parameters: tuple[str, ...] = ()) -> BodyReading:
    """Read the body of a function with these parameters."""
    parser: _Parser | None = None
    try:
        parser = _Parser(code)
        parser.body(parameters)
    except FaultError as fault:
        at = 0 if parser is None else parser.token.start if parser.fault_at is None else parser.fault_at
        return BodyReading(str(fault), at)
    except (UnsureError, RecursionError):
        return BodyReading()
    bound = parser.bound.union(parameters)
    return BodyReading(
        free=tuple(t for t in parser.used if t.text not in bound),
        bound=frozenset(bound),
        objects=tuple(map(tuple, parser.objects)),
        methods=frozenset(parser.methods),
        functions=tuple(parser.functions[:-1]),
        whole=parser.functions[-1],
    )


class _Parser(ExpressionReader):
    """Reads statements."""

    def body(self, parameters: tuple[str, ...]) -> None:
        self.begin_function("", 0)
        self.declared.append(set(parameters))
        while self.token.kind != "end":
            if self.is_sign(")", "]", "}"):
                raise FaultError(f"`{self.token.text}` has no matching start")
            self.statement()
        self.end_function()

    def block(self) -> None:
        self.expect("{")
        self.enter()
        self.declared.append(set())
        while not self.is_sign("}"):
            if self.token.kind == "end" or self.is_sign(")", "]"):
                raise FaultError("`{` is not closed")
            self.statement()
        self.declared.pop()
        self.depth -= 1
        self.next()

    def statement(self) -> None:
        read = _STATEMENTS.get(self.token.text) if self.token.kind in ("name", "sign") else None
        if read is not None:
            read(self)
            return
        imports = self.is_word("import") and self.following().text not in ("(", ".")
        if imports or self.is_word("export"):
            self.module_statement()
            return
        if self.is_word("enum"):
            raise UnsureError
        if self.is_word("class"):
            self.class_body()
            return
        is_name = self.token.kind == "name"
        kind = self.expression()
        if is_name and kind == "name" and self.take(":"):
            self.bound.add(self.used.pop().text)
            self.statement()
            return
        self.finish()

    def module_statement(self) -> None:
        """An import, whose names are bound, or a list of exports."""
        is_import = self.is_word("import")
        found = (_IMPORT if is_import else _EXPORTS).match(self.code, self.token.start)
        if found is None:
            raise UnsureError
        if is_import:
            self.bound.update(_NAME.findall(found["names"]))
        self.token = read_token(self.code, found.end())

    def finish(self) -> None:
        """The end of a statement, which a line break may be as well."""
        if self.take(";") or self.is_sign("}") or self.token.kind == "end" or self.token.after_break:
            return
        if self.is_sign(")", "]"):
            raise FaultError(f"`{self.token.text}` has no matching start")
        self.unexpected()

    def declaration(self) -> None:
        if self.is_word("let") and self.following().kind != "name" and self.following().text not in ("[", "{"):
            raise UnsureError
        word = self.next().text
        self.bindings(word)
        self.finish()

    def bindings(self, word: str, *, in_header: bool = False) -> None:
        while True:
            name = self.token.text
            self.binding(is_lexical=word != "var")
            if self.take("="):
                self.assignment(no_in=in_header)
            elif word == "const" and not in_header:
                raise FaultError(f"`const {name}` has no value")
            if not self.take(","):
                return

    def binding(self, *, is_lexical: bool) -> None:
        if self.is_sign("[", "{"):
            begin = len(self.used)
            self.primary()
            self.bind_used(begin)
            return
        if self.token.kind != "name" or self.token.text in RESERVED:
            self.unexpected()
        name = self.next().text
        self.bound.add(name)
        if is_lexical:
            if name in self.declared[-1]:
                raise FaultError(f"`{name}` is declared already")
            self.declared[-1].add(name)

    def conditional_statement(self) -> None:
        self.next()
        self.expect("(")
        self.expression()
        self.close("(")
        self.statement()

    def with_statement(self) -> None:
        raise UnsureError  # any name may be one of an object

    def if_statement(self) -> None:
        self.conditional_statement()
        if self.is_word("else"):
            self.next()
            self.statement()

    def do_statement(self) -> None:
        self.next()
        self.statement()
        if not self.is_word("while"):
            self.unexpected()
        self.next()
        self.expect("(")
        self.expression()
        self.close("(")
        self.take(";")

    def for_statement(self) -> None:
        self.next()
        if self.is_word("await"):
            self.next()
        self.expect("(")
        self.declared.append(set())
        is_declaration = self.is_word("const", "let", "var")
        if is_declaration:
            self.bindings(self.next().text, in_header=True)
        begin = len(self.used)
        if not is_declaration and not self.is_sign(";"):
            self.expression(no_in=True)
        if self.is_word("of", "in"):
            self.bind_used(begin)
            self.next()
            self.expression()
        else:
            for _ in range(2):
                self.expect(";")
                if not self.is_sign(";", ")"):
                    self.expression()
        self.close("(")
        self.statement()
        self.declared.pop()

    def return_statement(self) -> None:
        is_throw = self.next().text == "throw"
        if is_throw and self.within:
            self.within[-1].throws = True
        if is_throw and self.token.after_break:
            self.unexpected()
        if not (self.is_sign(";", "}") or self.token.kind == "end" or self.token.after_break) or is_throw:
            start = self.token.start
            self.expression()
            if not is_throw:
                self.returns(start)
        self.finish()

    def jump(self) -> None:
        self.next()
        if self.token.kind == "name" and not self.token.after_break:
            self.next()
        self.finish()

    def try_statement(self) -> None:
        self.next()
        self.block()
        if not self.is_word("catch", "finally"):
            raise FaultError("`try` has neither `catch` nor `finally`")
        if self.is_word("catch"):
            self.next()
            if self.take("("):
                self.declared.append(set())
                self.binding(is_lexical=False)
                self.declared.pop()
                self.close("(")
            self.block()
        if self.is_word("finally"):
            self.next()
            self.block()

    def switch_statement(self) -> None:
        self.next()
        self.expect("(")
        self.expression()
        self.close("(")
        self.expect("{")
        self.declared.append(set())
        while not self.is_sign("}"):
            if self.is_word("case"):
                self.next()
                self.expression()
                self.expect(":")
            elif self.is_word("default"):
                self.next()
                self.expect(":")
            elif self.token.kind == "end":
                raise FaultError("`{` is not closed")
            else:
                self.statement()
        self.declared.pop()
        self.next()


def _skip(parser: _Parser) -> None:
    parser.next()


_STATEMENTS: dict[str, Callable[[_Parser], None]] = {
    "{": _Parser.block, ";": _skip, "const": _Parser.declaration, "let": _Parser.declaration, "var": _Parser.declaration,
    "if": _Parser.if_statement, "while": _Parser.conditional_statement, "with": _Parser.with_statement,
    "do": _Parser.do_statement, "for": _Parser.for_statement, "return": _Parser.return_statement, "throw": _Parser.return_statement,
    "break": _Parser.jump, "continue": _Parser.jump, "debugger": _Parser.jump, "try": _Parser.try_statement,
    "switch": _Parser.switch_statement, "function": _Parser.function,
}  # fmt: skip
