"""Inline JavaScript of promptfoo: what node compiles is no mistake, and what it refuses is one, in these words."""

import pytest

from rubric_core.families.promptfoo.checks.script_syntax import read_javascript

EXPRESSIONS = (
    "output", "!output", "!!output", "typeof output === 'string'", "-output + +output", "void 0", "delete output.a", "await output", "~output",
    "- - output", "output.a.b['c'](d)?.e?.[f]?.(g)", "output`a`", "`a ${`b ${output}`} c`", "`\\``", "tag`a`.length", "new Date().getTime()",
    "new Date", "new a.b.C(output)", "(a, b) => a + b", "a => ({a})", "async a => await a", "async (a) => a", "() => {}", "(a, ) => a",
    "(...a) => a", "({a, b: c, ...d}) => a", "([a, , b]) => a", "[a, , b]", "[...a, ]", "{a: 1}", "({a, 'b': 1, 3: 2, [c]: 4, ...d, })",
    "({get a() { return 1 }, set a(b) {}, async c() {}, *d() {}, async *e() {}})", "({get: 1, set, async: 2})", "({get(a) { return a }})",
    "a ? b : c ? d : e", "a ?? b", "a ** b", "a in b", "a instanceof b", "a >>> b", "a, b", "(a, b)", "a = b", "a += b", "a.b ??= c", "[a, b] = c",
    "a++", "--a", "a\n++\nb", "/[/]\\//g.test(output)", "a / b / c", "function (a) { return a }", "function* a() {}", "(function () {})()",
    "'it\\'s'", '"a"', "1_000", "0x1f", ".5", "1e3", "10n", "a // comment", "/* a */ output", "output.class", "({class: 1}).class",
    "class {}", "new.target", "import('a')", "this.a", "true && null",
)  # fmt: skip
BODIES = (
    "return", "return;", "return\noutput", "const a = 1, b = 2\nreturn a", "let a\nreturn a", "var a\nvar a\nreturn a", "let\na\nreturn a",
    "if (a) return b\nelse return c", "if (a) { b }\nelse if (c) {}\nelse {}\n", "for (;;) break\n", "for (const a of b) { continue }\n",
    "for (const a in b) {}\n", "for (a of b) c\n", "for (let i = 0, j = 1; i < j; i++, j--) {}\n", "for await (const a of b) {}\n",
    "while (a) a--\n", "do a()\nwhile (b)\n", "do { a() } while (b); return c\n", "switch (a) { case 1: case 2: b(); break\ndefault: c }\n",
    "try { a } catch (b) { c } finally { d }\n", "try { a } finally { b }\n", "try { a } catch { b }\n", "throw new Error('a')\n", "a: for (;;) break a\n",
    "{ const a = 1 }\n{ const a = 2 }\nreturn 1", "function a() {}\nreturn a()", ";;\n", "debugger\nreturn 1", "const {a, ...b} = c\nreturn a",
    "const [a = 1, [b]] = c\nreturn a", "return {\n  a: 1,\n}", "return a\n  .b()\n  .c()", "return a /* b\n */ + c", "with (a) {}\n",
    "const a = () => {\n  return 1\n}\nreturn a()", "return `a\n${b}\n`", "return a ? // why\n  b :\n  c", "switch (a) {}\n",
)  # fmt: skip


#: What a template fills in may be anything; some words depend on where the code stands.
NOT_JUDGED = (
    "{{a}} > 1",
    "output === '{{a}}'",
    "{% if a %}(",
    "yield a",
    "super.a",
    "a @ b",
    "a #b",
    "import a\n",
    "(" * 20_001,
)


@pytest.mark.parametrize("code", EXPRESSIONS)
def test_expressions_that_node_compiles(code: str) -> None:
    assert read_javascript(code, is_body=False).fault == ""


@pytest.mark.parametrize("code", BODIES)
def test_bodies_that_node_compiles(code: str) -> None:
    assert read_javascript(code, is_body=True).fault == ""


@pytest.mark.parametrize("code", NOT_JUDGED)
def test_some_code_is_not_judged(code: str) -> None:
    assert read_javascript(code, is_body="\n" in code).fault == ""


#: The code with `⟨` where the fault shows, and what is said.
FAULTS = {
    "(output⟨": "`(` is not closed",
    "output⟨)": "`)` has no matching start",
    "output⟨]": "`]` has no matching start",
    "[output⟨": "`[` is not closed",
    "{a: 1⟨": "`{` is not closed",
    "a +⟨": "it ends too early",
    "+⟨": "it ends too early",
    "a ⟨b": "`b` is not expected here",
    "a ? b⟨": "`:` is missing at the end",
    "a ? b ⟨c": "`:` is missing before `c`",
    "a.⟨": "it ends too early",
    "a⟨.1": "`.1` is not expected here",
    "a?.⟨": "it ends too early",
    "a[⟨": "`[` is not closed",
    "a[⟨]": "`]` is not expected here",
    "f(a ⟨b)": "`b` is not expected here",
    "f(⟨,)": "`,` is not expected here",
    "⟨`a": "a template that begins with ` has no end",
    "`a ${b⟨": "it ends too early",
    "`a ${b ⟨c}`": "`c` is not expected here",
    "⟨/a": "a pattern that begins with / has no end",
    "()⟨": "`()` holds no value",
    "(a, )⟨": "only parameters can end with a comma or contain `...`",
    "(...a)⟨": "only parameters can end with a comma or contain `...`",
    "1 ⟨= a": "what stands before `=` cannot be assigned to",
    "a + b ⟨= c": "what stands before `=` cannot be assigned to",
    "1 ⟨=> a": "`=>` is not expected here",
    "f(a) ⟨=> b": "`=>` is not expected here",
    "a.b ⟨=> c": "`=>` is not expected here",
    "a => ⟨": "it ends too early",
    "{a ⟨b}": "`b` is not expected here",
    "{1⟨}": "`:` is missing before `}`",
    "{'a'⟨}": "`:` is missing before `}`",
    "{a: ⟨}": "`}` is not expected here",
    "{[a]⟨}": "`:` is missing before `}`",
    "{⟨+: 1}": "`+` is not expected here",
    "new⟨": "it ends too early",
    "⟨else": "`else` is not expected here",
    "⟨case": "`case` is not expected here",
    "function⟨": "`(` is missing at the end",
    "function (⟨": "`(` is not closed",
    "function a(b⟨": "`(` is not closed",
    "function a() {⟨": "`{` is not closed",
    "a === ⟨= b": "`=` is not expected here",
    "a && ⟨&& b": "`&&` is not expected here",
    "!⟨": "it ends too early",
    "typeof⟨": "it ends too early",
    "a.⟨.b": "`.` is not expected here",
    "{a: 1,⟨, b}": "`,` is not expected here",
    "⟨in a": "`in` is not expected here",
    "a instanceof⟨": "it ends too early",
    "if (a ⟨{\n}\n": "`{` is not expected here",
    "if ⟨a\n": "`(` is missing before `a`",
    "if (a\n⟨": "`(` is not closed",
    "return a ⟨b\n": "`b` is not expected here",
    "⟨}\n": "`}` has no matching start",
    "a\n⟨}\n": "`}` has no matching start",
    "⟨)\n": "`)` has no matching start",
    "{\n⟨": "`{` is not closed",
    "const a\n⟨return a": "`const a` has no value",
    "const a = 1\nconst a ⟨= 2\n": "`a` is declared already",
    "let a = 1\nlet a ⟨= 2\n": "`a` is declared already",
    "let {a\n⟨": "`{` is not closed",
    "const ⟨1 = a\n": "`1` is not expected here",
    "let ⟨if = 1\n": "`if` is not expected here",
    "for (;⟨) {}\n": "`;` is missing before `)`",
    "for (a; b⟨) {}\n": "`;` is missing before `)`",
    "for ⟨a of b {}\n": "`(` is missing before `a`",
    "for (const a of b ⟨{}\n": "`{` is not expected here",
    "while ⟨a {}\n": "`(` is missing before `a`",
    "do a\n⟨": "it ends too early",
    "do a ⟨while b\n": "`while` is not expected here",
    "throw\n⟨a": "`a` is not expected here",
    "try { a }\n⟨": "`try` has neither `catch` nor `finally`",
    "try ⟨a\n": "`{` is missing before `a`",
    "try { a } catch (b ⟨{ c }\n": "`{` is not expected here",
    "switch ⟨a {}\n": "`(` is missing before `a`",
    "switch (a) { case 1 ⟨b }\n": "`:` is missing before `b`",
    "switch (a) {\n⟨": "`{` is not closed",
    "switch (a) { default ⟨b }\n": "`:` is missing before `b`",
    "function a() {\n⟨": "`{` is not closed",
    "⟨else a\n": "`else` is not expected here",
    "return (a\n⟨": "`(` is not closed",
    "return [a\n⟨": "`[` is not closed",
    "return {a: 1\n⟨": "`{` is not closed",
    "return a⟨)\n": "`)` has no matching start",
    "break a ⟨b\n": "`b` is not expected here",
    "a = {\n  b: ⟨1\n  c: 2\n}\n": "a comma is missing after this line, before `c`",
    "a = {\n  ⟨b\n  c: 2\n}\n": "a comma is missing after this line, before `c`",
    "class A ⟨(b) {}\n": "`{` is missing before `(`",
    "class A { b(⟨}\n": "`}` is not expected here",
    "class A { b() {}\n⟨": "`{` is not closed",
    "class A {\n  asyn ⟨b() {}\n}\n": "`b` is not expected here",
    "if (a) {\n  b\n⟨": "`{` is not closed",
}


@pytest.mark.parametrize(("marked", "fault"), FAULTS.items())
def test_a_fault_is_named_where_it_shows(marked: str, fault: str) -> None:
    code = marked.replace("⟨", "")
    read = read_javascript(code, is_body="\n" in code)
    assert (read.fault, read.fault_at) == (fault, marked.index("⟨"))


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("'a", "a string that begins with ' has no end"),
        ("output + \"a' + b", 'a string that begins with " has no end'),
        ("'a\nb'\n", "a string that begins with ' has no end"),
        ("/* a", "a comment that begins with /* has no end"),
        ("if (a) b", "code of one line is an expression, without `if`"),
        ("return a", "code of one line is an expression, without `return`"),
        ("{ return a }", "code of one line is an expression, without `return`"),
        ("const a = 1", "code of one line is an expression"),
    ],
)
def test_other_faults(code: str, fault: str) -> None:
    assert read_javascript(code, is_body="\n" in code).fault == fault


def test_parameters_are_declared() -> None:
    assert (
        read_javascript("const output = 1\n", is_body=True, parameters=("output",)).fault
        == "`output` is declared already"
    )


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("const a = output; a > 1", ""),
        ("const a = output; return a > 1", "code of one line is an expression, without `return`"),
        ("let a = (output", "`(` is not closed"),
    ],
)
def test_declarations_before_an_expression(code: str, fault: str) -> None:
    assert read_javascript(code, is_body=False, declares=True).fault == fault
