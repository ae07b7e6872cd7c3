"""Reads JavaScript expressions, and reports only certain errors.

It accepts more than the language: what it reports, no engine compiles.
"""

from abc import ABC, abstractmethod

from rubric_core.families.promptfoo.checks.function_reading import UNKNOWN_VALUE, ReturnedValue
from rubric_core.families.promptfoo.checks.javascript_reader import (
    ASSIGNING,
    BINARY,
    RESERVED,
    UNARY,
    FaultError,
    Token,
    TokenReader,
    UnsureError,
    pattern_end,
    read_token,
    template_part,
)

__all__ = ["ExpressionReader"]

#: What may follow a value: members, an element, arguments, a template.
_GOES_ON = frozenset({".", "?.", "[", "("})


class ExpressionReader(TokenReader, ABC):
    """Reads expressions by recursive descent. Each method returns the kind of the expression."""

    @abstractmethod
    def block(self) -> None:
        """Read statements between braces."""

    @abstractmethod
    def finish(self) -> None:
        """Read the end of a statement."""

    def function(self) -> None:
        start = self.next().start
        self.take("*")
        name = self.next().text if self.token.kind == "name" else ""
        self.bound.update({name} if name else ())
        self.parameters(name, start)

    def parameters(self, name: str, start: int) -> None:
        """The parameters and the body of a function, which begins at `start`."""
        self.begin_function(name, start)
        self.expect("(")
        begin = len(self.used)
        self.elements(")")
        self.bind_used(begin)
        self.close("(")
        self.within[-1].head_end = self.before.end
        self.block()
        self.end_function()

    # Expressions

    def expression(self, *, no_in: bool = False) -> str:
        kind = self.assignment(no_in=no_in)
        while self.take(","):
            self.assignment(no_in=no_in)
            kind = "value"
        return kind

    def assignment(self, *, no_in: bool = False) -> str:
        self.enter()
        begin, start = len(self.used), self.token.start
        if self.token.kind == "name":
            if self.token.text == "yield":
                raise UnsureError
            if self.token.text == "async" and not self.following().after_break and self.following().kind == "name":
                self.next()
        kind = self.conditional(no_in=no_in)
        if self.is_sign("=>"):
            if kind not in ("name", "parentheses"):
                self.unexpected()
            self.bind_used(begin)
            self.arrow(start, no_in=no_in)
            kind = "value"
        elif self.token.kind == "sign" and self.token.text in ASSIGNING:
            if kind not in ("name", "member", "literal", "parentheses"):
                raise FaultError(f"what stands before `{self.token.text}` cannot be assigned to")
            if kind != "member":
                self.bind_used(begin)
            self.next()
            self.assignment(no_in=no_in)
            kind = "value"
        self.depth -= 1
        return kind

    def arrow(self, start: int, *, no_in: bool) -> None:
        """The body of an arrow function, which begins at `start`, from its arrow on."""
        self.begin_function("", start)
        self.within[-1].head_end = self.token.start
        self.next()
        if self.is_sign("{"):
            self.block()
        else:
            begun = self.token.start
            self.assignment(no_in=no_in)
            self.returns(begun)
        self.end_function()

    def conditional(self, *, no_in: bool) -> str:
        kind = self.unary()
        while self.token.text in BINARY and self.token.kind in ("sign", "name") and not (no_in and self.is_word("in")):
            self.next()
            self.unary()
            kind = "value"
        if self.token.text == "?" and self.take("?"):
            self.assignment()
            self.expect(":")
            self.assignment(no_in=no_in)
            kind = "value"
        return kind

    def unary(self) -> str:
        begun = self.token
        last, begin = begun, len(self.used)
        while self.token.kind in ("sign", "name") and self.token.text in UNARY:
            last = self.next()
        is_plain = begun is self.token
        kind = self.operand()
        if last.text == "typeof" and kind == "name":
            self.bind_used(begin)
        if self.is_sign("++", "--") and not self.token.after_break:
            self.next()
            kind = "value"
        return kind if is_plain else "value"

    def operand(self) -> str:
        while self.is_word("new"):
            self.next()
            if self.is_sign("."):
                raise UnsureError
        is_async = self.is_word("async")
        kind = self.primary()
        while True:
            # Most values are followed by something else.
            if self.token.kind != "template" and (self.token.kind != "sign" or self.token.text not in _GOES_ON):
                return kind
            if self.take(".", "?."):
                if self.is_sign("[", "("):
                    kind = "member"
                    continue
                if self.token.kind != "name" and not self.is_sign("#"):
                    self.unexpected()
                self.next()
                kind = "member"
            elif self.is_sign("["):
                self.next()
                self.expression()
                self.close("[")
                kind = "member"
            elif self.is_sign("("):
                self.next()
                self.elements(")")
                self.close("(")
                kind = "parentheses" if is_async and kind == "name" else "call"
            else:
                self.template()
                kind = "value"

    def primary(self) -> str:
        token = self.token
        if token.kind == "name":
            return self.word()
        if token.kind in ("number", "string"):
            self.next()
            return "value"
        if token.kind == "template":
            self.template()
            return "value"
        if self.is_sign("/", "/="):
            end = pattern_end(self.code, token.start)
            self.before = Token("pattern", "", token.start, end, False)
            self.token = read_token(self.code, end)
            return "value"
        if self.take("("):
            return self.parenthesized()
        if self.take("["):
            self.elements("]")
            self.close("[")
            return "literal"
        if not self.is_sign("{"):
            self.unexpected()
        self.object()
        return "literal"

    def word(self) -> str:
        text = self.token.text
        if text == "function":
            self.function()
            return "value"
        if text == "class":
            self.class_body()
            return "value"
        if text == "super":
            self.next()
            return "value"
        if text in RESERVED:
            self.unexpected()
        token = self.next()
        if text in ("true", "false", "null", "this"):
            return "value"
        self.used.append(token)
        return "name"

    def template(self) -> None:
        start = self.token.start
        end, is_open = template_part(self.code, self.token.end)
        while is_open:
            self.token = read_token(self.code, end)
            self.expression()
            if not self.is_sign("}"):
                self.unexpected()
            end, is_open = template_part(self.code, self.token.end)
        self.before = Token("template", "", start, end, False)
        self.token = read_token(self.code, end)

    def parenthesized(self) -> str:
        is_empty = self.take(")")
        only_parameters = is_empty or self.elements(")", is_call=False)
        if not is_empty:
            self.close("(")
        if only_parameters and not self.is_sign("=>"):
            words = "`()` holds no value" if is_empty else "only parameters can end with a comma or contain `...`"
            raise FaultError(words)
        return "parentheses"

    def elements(self, end: str, *, is_call: bool = True) -> bool:
        """Values between commas, up to `end`. Gives whether there is `...`, or a comma at the end."""
        special = False
        while not self.is_sign(end):
            if self.is_sign(",") and end == "]":
                self.next()
                continue
            special = self.take("...") or special
            self.assignment()
            if not self.take(","):
                break
            special = special or self.is_sign(end)
        return special and not is_call

    def class_body(self) -> None:
        """A class, from its keyword on."""
        self.next()
        if self.token.kind == "name" and not self.is_word("extends"):
            self.bound.add(self.next().text)
        if self.is_word("extends"):
            self.next()
            self.operand()
        self.expect("{")
        while not self.is_sign("}"):
            self.class_member()
        self.next()

    def class_member(self) -> None:
        if self.take(";"):
            return
        if self.is_word("static") and self.following().text not in ("(", "=", ";", "}"):
            self.next()
        if self.is_sign("{"):
            self.block()
            return
        if self.is_sign("*") or (
            self.is_word("get", "set", "async") and self.following().text not in ("(", "=", ";", "}")
        ):
            self.next()
            self.take("*")
        name = self.token
        if self.take("["):
            self.assignment()
            self.close("[")
        elif self.token.kind in ("name", "string", "number"):
            self.next()
            if self.is_sign("("):
                self.methods.add(name.text)
        else:
            self.unexpected()
        if self.is_sign("("):
            self.parameters(name.text, name.start)
            return
        if self.take("="):
            self.assignment()
        self.finish()

    def object(self) -> None:
        start = self.next().start
        keys: list[Token] = []
        members: list[tuple[str, ReturnedValue]] = []
        is_whole = True
        while not self.is_sign("}"):
            is_whole = self.member(keys, members) and is_whole
            if not self.take(","):
                break
        self.close("{")
        self.objects.append(keys)
        self.mappings[start] = ReturnedValue("mapping", start, self.before.end, tuple(members), is_whole)

    def member(self, keys: list[Token], members: list[tuple[str, ReturnedValue]]) -> bool:
        """One member, which is added to both lists. Gives whether its name is written."""
        if self.take("..."):
            self.assignment()
            return False
        if self.is_sign("*") or (
            self.is_word("get", "set", "async") and self.following().text not in (",", ":", "(", "}", "=")
        ):
            self.next()
            self.take("*")
        begun = self.token
        is_name = begun.kind == "name"
        if self.take("["):
            self.assignment()
            self.close("[")
        elif self.token.kind in ("name", "string", "number"):
            keys.append(self.next())
        elif self.token.kind == "end":
            raise FaultError("`{` is not closed")
        else:
            self.unexpected()
        value = UNKNOWN_VALUE
        if self.is_sign("("):
            self.parameters(begun.text, begun.start)
        elif self.is_sign(":"):
            self.next()
            start = self.token.start
            self.assignment()
            value = self.value_of(start, self.before.end)
        elif is_name:
            self.used.append(begun)
            if self.take("="):
                self.bound.add(begun.text)
                self.assignment()
        else:
            self.expect(":")
        members.append((self.code[begun.start : begun.end].strip("\"'"), value))
        return begun.text != "["
