"""JavaScript regular expressions in Python: the same texts match. Node, where there is one, has the last word."""

import json
import re
import shutil
import subprocess

import pytest
from suites import context, evaluator

from rubric_core.adapters import system_ports
from rubric_core.evaluation.evaluators.regex import REGEX
from rubric_core.evaluation.jsregex import InvalidPatternError, UnsupportedPatternError, translate
from rubric_core.evaluation.result import Unscored


def matches(pattern: str, flags: str, text: str) -> bool:
    found = translate(pattern, flags)
    compiled = re.compile(found.pattern, found.flags)
    return bool(compiled.match(text) if found.sticky else compiled.search(text))


#: pattern, flags, text, and whether JavaScript matches.
CASES = [
    ("[0-9]+ days", "", "within 30 days", True),
    ("^abc$", "", "abc\n", False),
    ("^abc$", "m", "x\nabc\ny", True),
    ("^abc$", "m", "x\u2028abc\ry", True),
    ("a.c", "", "a\nc", False),
    ("a.c", "", "a\u2028c", False),
    ("a.c", "s", "a\nc", True),
    ("ABC", "i", "xabcx", True),
    ("é", "i", "É", True),
    (r"\d", "", "\u0663", False),
    (r"\w", "", "é", False),
    (r"\W", "", "é", True),
    (r"\s", "", "\ufeff", True),
    (r"\s", "", "\x1c", False),
    (r"[\s\d]{2}", "", "\u20037", True),
    (r"[^\s]", "", "\u2003", False),
    (r"\S", "", "\x85", True),
    (r"\bfoo\b", "", "a foo b", True),
    (r"\bfoo\b", "", "éfoo", True),
    (r"\Boo", "", "foo", True),
    (r"[\b]", "", "\b", True),
    (r"(?<year>\d{4})-\k<year>", "", "2026-2026", True),
    (r"(a)|\1b", "", "b", True),
    (r"(?:a|(b))\1c", "", "ac", True),
    (r"\x41\u0042\cA", "", "AB\x01", True),
    (r"\u{1F600}", "u", "😀", True),
    (r"\u{41}", "", "u" * 41, True),
    (r"\ud83d\ude00", "", "😀", True),
    (r"[^]", "", "\n", True),
    (r"[]", "", "anything", False),
    (r"a{", "", "a{", True),
    (r"a{,3}", "", "aaa", False),
    (r"a{,3}", "", "a{,3}", True),
    (r"x{2}", "", "xx", True),
    (r"\/path\/", "", "/path/", True),
    (r"a]b}", "", "a]b}", True),
    (r"\A", "", "A", True),
    (r"\Z", "", "Z", True),
    (r"(?<=\$)\d+", "", "$42", True),
    (r"(?<!\$)\b\d+", "", "$42", False),
    (r"foo(?=bar)", "", "foobar", True),
    (r"foo(?!bar)", "", "foobar", False),
    (r"[a-z&&[b]]", "", "a]", True),
    (r"[\w-]+@[\w.-]+", "", "a-b@c.d", True),
    (r"[-a]", "", "-", True),
    (r"[\]]", "", "]", True),
    (r"\0", "", "\0", True),
    (r"\101", "", "A", True),
    (r"a", "y", "ba", False),
    (r"b", "y", "ba", True),
    (r"a*?b", "g", "aab", True),
    (r"(?:)", "", "", True),
    (r"|", "", "", True),
    (r"\$\{", "", "${", True),
    (r"#\ x", "", "# x", True),
    (r"^\p{L}+$", "u", "Zoë", True),
    (r"^\p{L}+$", "u", "a1", False),
    (r"\p{L}", "", "p{L}", True),
    (r"^\P{Letter}$", "u", "é", False),
    (r"^[\p{Lu}\d]+$", "u", "É5", True),
    (r"^[^\p{L}]$", "u", "é", False),
    (r"^\p{gc=Nd}$", "u", "٣", True),
    (r"^\p{General_Category=Currency_Symbol}", "u", "€5", True),
    (r"^\p{Lu}$", "iu", "é", True),
    (r"^\p{ASCII}+$", "u", "aé", False),
    (r"^\P{ASCII}$", "v", "é", True),
    (r"^\p{Any}$", "u", "𝒳", True),
]
INVALID = [
    ("(", ""), (")", ""), ("[a", ""), ("*", ""), ("a**", ""), ("a++", ""), ("+a", ""), ("(?P<n>a)", ""), ("(?>a)", ""), ("(?#x)", ""), ("\\", ""),
    ("a{2,1}", ""), ("[b-a]", ""), ("^*", ""), ("a", "x"), ("a", "gg"), ("{", "u"), ("]", "u"), (r"\q", "u"), (r"\1", "u"), ("(?<n", ""), ("(?<=a)*", ""), ("(?(1)a)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), CASES)
def test_matches(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert matches(pattern, flags, text) is expected


@pytest.mark.parametrize(("pattern", "flags"), INVALID)
def test_what_javascript_refuses_is_refused(pattern: str, flags: str) -> None:
    with pytest.raises(InvalidPatternError):
        translate(pattern, flags)


@pytest.mark.parametrize(
    ("pattern", "flags"), [(r"\p{Script=Greek}", "u"), (r"\p{Emoji}", "u"), ("(?<=a+)b", ""), ("(?i:a)", "")]
)
def test_what_rubric_cannot_run_is_said(pattern: str, flags: str) -> None:
    with pytest.raises(UnsupportedPatternError):
        translate(pattern, flags)


@pytest.mark.skipif(shutil.which("node") is None, reason="asks Node, and there is none")
def test_node_agrees() -> None:
    script = """
    const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'))
    console.log(JSON.stringify(rows.map(([p, f, t]) => { try { return new RegExp(p, f).test(t) } catch { return null } })))
    """
    rows = [list(case[:3]) for case in CASES] + [[p, f, ""] for p, f in INVALID]
    done = subprocess.run(["node", "-e", script], input=json.dumps(rows), capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    wrong = [
        (row, want, node)
        for row, want, node in zip(rows, [c[3] for c in CASES] + [None] * len(INVALID), said, strict=True)
        if want is not node
    ]
    assert wrong == []


async def grade(pattern: str, text: str):
    async with system_ports() as ports:
        return await REGEX.evaluate(context(evaluator(json.dumps({"type": "regex", "value": pattern})), text, ports))


async def test_an_invalid_pattern_scores_0_and_says_so() -> None:
    score = await grade("(", "x")
    assert (score.score, score.crashed) == (0, True)
    assert "unterminated" in score.misses[0]


async def test_a_pattern_that_takes_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rubric_core.evaluation.evaluators.regex._TIME_LIMIT", 0.5)
    with pytest.raises(Unscored, match="took longer than"):
        await grade("(a|a)*c", "a" * 40)
    with pytest.raises(Unscored, match="took longer than"):
        await grade("(a+)+c", "a" * 40)


async def test_a_costly_pattern_that_ends_has_its_score() -> None:
    assert (await grade("(?:a+)+b$", "a" * 15 + "b")).score == 1
    assert (await grade(".*x.*y.*z", "x y " + "-" * 5000)).score == 0
