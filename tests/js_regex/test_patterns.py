"""JavaScript regular expressions in Python: the same texts match. Node, where there is one, has the last word."""

import json
import shutil
import subprocess

import pytest
from against_node import SCRIPT, holds

from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.js_regex.translate import translate


def matches(pattern: str, flags: str, text: str) -> bool:
    return holds(translate(pattern, flags), text)


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
    ("s", "i", "ſ", False),
    ("s", "iu", "ſ", True),
    ("[a-z]", "i", "\u212a", False),
    ("[a-z]", "iu", "\u212a", True),
    ("i", "iu", "İ", False),
    ("[^ß]", "iu", "ẞ", False),
    ("ß", "i", "ẞ", False),
    ("σ", "i", "ς", True),
    ("ᾈ", "iu", "ᾀ", True),
    (r"\w", "iu", "ſ", True),
    (r"ſ\bs", "iu", "ſs", False),
    (r"^\P{Lu}$", "iu", "A", True),
    (r"^\P{Lu}$", "iv", "A", False),
    ("𐐀", "i", "𐐨", False),
    ("𐐀", "iu", "𐐨", True),
    ("^.$", "", "😀", False),
    ("^.$", "u", "😀", True),
    ("^[😀]$", "", "😀", False),
    (r"\ud83d", "", "😀", True),
    (r"\ud83d", "u", "😀", False),
    (r"^(a\1)$", "", "a", True),
    (r"^\1(a)$", "", "a", True),
    (r"^(?:(a)\1|b)+$", "", "aab", True),
    (r"(?!(a))\1b", "", "b", True),
    (r"^(a)\1$", "i", "aA", True),
    (r"(?<=a+)b", "", "aab", True),
    (r"(?<!^a*)b", "", "aab", False),
    (r"(?<=(\d+)(\d+))$", "", "1053", True),
    (r"^(?=a)*b", "", "b", True),
    (r"^(?:|a)+$", "", "aa", True),
    (r"^\c$", "", "\\c", True),
    (r"^[\c_]$", "", "\x1f", True),
    (r"^\8$", "", "8", True),
    (r"^\p{Script=Greek}+$", "u", "αβγ", True),
    (r"^\p{scx=Grek}$", "u", "a", False),
    (r"^\p{Emoji_Presentation}$", "u", "😀", True),
    (r"^[\p{L}--[a-z]]$", "v", "a", False),
    (r"^[\w&&\d]$", "v", "7", True),
    (r"^[\q{abc|d|}x]$", "v", "abc", True),
    (r"^[^\d[a-c]]$", "v", "b", False),
]
#: The same for what came with ECMAScript 2025, which not every Node knows.
NEWER = [
    ("^(?i:a)b$", "", "Ab", True),
    ("^(?i:a)b$", "", "AB", False),
    ("^(?-i:a)b$", "i", "aB", True),
    ("(?s-m:^.b)", "m", "x\n\nb", False),
    (r"^(?:(?<n>a)|(?<n>b))\k<n>$", "", "bb", True),
    (r"^(?:(?<n>a)|(?<n>b))\k<n>$", "", "ab", False),
]
INVALID = [
    ("(", ""), (")", ""), ("[a", ""), ("*", ""), ("a**", ""), ("a++", ""), ("+a", ""), ("(?P<n>a)", ""), ("(?>a)", ""), ("(?#x)", ""), ("\\", ""),
    ("a{2,1}", ""), ("[b-a]", ""), ("^*", ""), ("a", "x"), ("a", "gg"), ("{", "u"), ("]", "u"), (r"\q", "u"), (r"\1", "u"), ("(?<n", ""), ("(?<=a)*", ""), ("(?(1)a)", ""),
    ("(?i)a", ""), ("(?ii:a)", ""), ("(?-:a)", ""), ("(?<n>a)(?<n>b)", ""), (r"\k<m>(?<n>a)", ""), (r"\p{foo}", "u"), (r"\p{script=Greek}", "u"), (r"[\d-x]", "u"),
    (r"[a&&b--c]", "v"), ("[(]", "v"), (r"[^\q{ab}]", "v"), (r"\p{Script=Nowhere}", "u"), (r"\u{110000}", "u"), (r"\1", "v"), (r"\c", "u"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), CASES + NEWER)
def test_matches(pattern: str, flags: str, text: str, expected: bool) -> None:
    assert matches(pattern, flags, text) is expected


@pytest.mark.parametrize(("pattern", "flags"), INVALID)
def test_what_javascript_refuses_is_refused(pattern: str, flags: str) -> None:
    with pytest.raises(InvalidPatternError):
        translate(pattern, flags)


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [(r"\p{RGI_Emoji}", "v"), (r"(?:(a)|b)*\1", ""), (r"(?<=(a)\1)b", ""), ("(" * 2000 + ")" * 2000, "")],
)
def test_what_rubric_cannot_run_is_said(pattern: str, flags: str) -> None:
    with pytest.raises(UnsupportedPatternError):
        translate(pattern, flags)


@pytest.mark.skipif(shutil.which("node") is None, reason="asks Node, and there is none")
def test_node_agrees() -> None:
    rows = [(p, f, [t], [want]) for p, f, t, want in CASES] + [(p, f, [""], None) for p, f in INVALID]
    done = subprocess.run(["node", "-e", SCRIPT], input=json.dumps(rows), capture_output=True, text=True, check=True)
    wrong = [(row, node) for row, node in zip(rows, json.loads(done.stdout), strict=True) if row[3] != node]
    assert wrong == []
