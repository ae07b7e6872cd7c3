"""Names in inline code of promptfoo that nothing defines: only those are reported that are certain."""

import pytest

from rubric_core.families.promptfoo.checks.script_syntax import read_javascript, read_python
from rubric_core.families.promptfoo.language.javascript import GLOBALS

_GIVEN = {"output", "context", "process"}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("ouput.length > 3", {"ouput"}),
        ("output.length > 3 && foo.bar", {"foo"}),
        ("output.foo.bar(output.baz)", set()),
        ("typeof foo === 'undefined' || foo > 1", set()),
        ("output.split(' ').map(word => word.length).every(n => n < lmit)", {"lmit"}),
        ("((a, {b, c: [d, e = a]}, ...rest) => a + b + d + e + rest.length + c)(output)", {"c"}),
        ("[...output].filter((x, i) => i % 2).length", set()),
        ("({foo: 1, bar() { return foo }, get baz() { return 2 }, [key]: 3}).foo", {"foo", "key"}),
        ("({output, short}).short", {"short"}),
        ("`${output} ${ouptut}`.length > 3", {"ouptut"}),
        ("/ouput/.test(output)", set()),
        ("'ouput' in JSON.parse(output)", set()),
        ("output?.a?.[key] ?? fallback", {"key", "fallback"}),
        ("async () => await fetch(output)", set()),
        ("const a = output; a.length > b", {"b"}),
        ("output === '{{ouput}}'", set()),
        ("eval(output) && x", {"x", "eval"}),
        ("new Foo(output)", {"Foo"}),
    ],
)
def test_an_expression(code: str, names: set[str]) -> None:
    read = read_javascript(code, is_body=False, declares=True, parameters=tuple(_GIVEN))
    assert read.fault == ""
    assert {each.text for each in read.free} - (GLOBALS - {"eval"}) == names
    assert all(code.startswith(each.text, each.offset) for each in read.free)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        # What a default value uses counts as a parameter.
        ("function f(x, y = z) { return x + y }\nreturn f(output)", set()),
        ("try {\n  return JSON.parse(output)\n} catch (error) {\n  return error.message\n}", set()),
        ("try { a() } catch { return false }\nreturn true", {"a"}),
        ("for (const [key, value] of Object.entries(output)) { if (key === value) return true }\nreturn false", set()),
        ("for (let i = 0; i < n; i++) { total += i }\nreturn total", {"n"}),
        ("for (word of output) count = word\nreturn count", set()),
        ("let seen = 0, { a, ...b } = output\nreturn seen + a + b", set()),
        ("outer: for (;;) { break outer }\nreturn label", {"label"}),
        ("({ x, y } = output)\nreturn x + y + z", {"z"}),
        ("with (output) {\n  return anything\n}", set()),
        ("class A extends B { static c = d; #e() { return super.f(this.g) } }\nreturn A", set()),  # `#` is not read
        (
            "class A extends B { static c = d; get e() { return super.f(this.g) } }\nreturn anything",
            {"B", "d", "anything"},
        ),
        ("switch (output) { case one: return 1; default: return two }\n", {"one", "two"}),
        ("const word = output\nreturn words.length", {"words"}),
        ("return arguments.length + undefined + this.x\n", {"arguments"}),
    ],
)
def test_the_body_of_a_function(code: str, names: set[str]) -> None:
    read = read_javascript(code, is_body=True, parameters=tuple(_GIVEN))
    assert read.fault == ""
    assert {each.text for each in read.free} - GLOBALS == names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("len(outptu) > 3", {"outptu"}),
        ("json.loads(output)['a'] and context['vars']", set()),
        ("any(w in output for w in words)", {"words"}),
        ("import re\nreturn bool(re.search(pattern, output))", {"pattern"}),
        ("from math import *\nreturn sqrt(4)", set()),
        ("exec(output)\nreturn x", set()),
        ("def f(a, *b, c=1, **d):\n    return a, b, c, d, e\nreturn f(output)", {"e"}),
        ("try:\n    pass\nexcept ValueError as error:\n    return error\nreturn eror", {"eror"}),
        ("(n := len(output)) > 3 and n < m", {"m"}),
        ("global total\ntotal = 1\nreturn total", set()),
        ("output == '{{ouput}}' and ouput", set()),
        ("match output:\n    case {'a': a, **rest}:\n        return a, rest\n    case [b, *c] as d:\n        return b, c, d\nreturn f", {"f"}),
    ],
)  # fmt: skip
def test_python(code: str, names: set[str]) -> None:
    read = read_python(code)
    assert read.fault == ""
    assert {each.text for each in read.free} == names
    assert all(code.startswith(each.text, each.offset) for each in read.free)
