"""Formulas of derived metrics: what mathjs 15 parsed, and what it refused, when it was asked about each."""

import pytest

from rubric_core.families.promptfoo.checks.formulas import formula_fault

#: Of these nothing may be reported.
READ = (
    "a + b", "+ a", "a and b", "a == b", "a = b", "a!", "not a", "a %", "a % b", "50%", "a ? b : c", "a : b", "1:3", "2 a", "a 2", "f(a, b)",
    "f(a b)", "[a, b]", "{a: 1}", "Math.max(a, b)", ".5 + a", "5. + a", "1e", "a # b", "a ; b", "a^b", "a | b", "~a", "a <= b", "a ?? b", "a?.b",
    "a × b", "2π", "a'", "a''", "a.^2", "a ./ b", "f(x) = x", "f()", "a[1]", "a to b", "mod(a, b)", "a xor b", "a +- b", "a -- b", "a >>> b",
    "$a", "á", "(a)(b)", "2(b)", '"abc" + a', "'it\\'s'", "\"a'b\"", "a ? (b ? 1 : 2) : [c, d][1]", "-a^-b",
)  # fmt: skip
REFUSED = (
    "(a + b", "a + b)", "a +", "* a", "a * * b", "a ** b", "a && b", "a || b", "a === b", "a !== b", "!a", "a ? b", '"abc', "'abc", "a, b",
    "f(a,)", "f(,a)", "[a, b", "a @ b", "a ^^ b", "a =< b", "a => b", "a -> b", "a ` b", "“abc”", "a − b", "a / ()", "()", "a[", "a =", "f(a))",
    "{{a + b}} +", "a,", "a ? b :", "? a", '"a" "b"', 'a "b"', "1,000", "a++", "a--", "a +/ b", "a >", "a{b}", '"a\\"', "'a\"", "a // b", "`a`", "a or", "${a}",
)  # fmt: skip


@pytest.mark.parametrize("formula", READ)
def test_what_mathjs_reads_is_no_mistake(formula: str) -> None:
    assert formula_fault(formula) is None


@pytest.mark.parametrize("formula", REFUSED)
def test_what_mathjs_refuses_is_one(formula: str) -> None:
    fault = formula_fault(formula)
    assert fault is not None
    assert 0 <= fault.start < fault.end <= len(formula)


@pytest.mark.parametrize("formula", ["a\n+ b", "{{env.A}} +", "{{a | round}} +", "a; b +", "", "a +" * 1000])
def test_some_formulas_are_not_looked_at(formula: str) -> None:
    assert formula_fault(formula) is None
