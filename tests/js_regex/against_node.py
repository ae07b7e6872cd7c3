"""Compares thousands of random patterns and texts with Node: `python tests/js_regex/against_node.py [COUNT] [SEED]`.

Prints what differs, and how many patterns were compared, refused by both, or said to be out of reach. No part of the tests: what it
found stands in `test_patterns.py`.
"""

import json
import random
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module

from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.js_regex.translate import Translation, translate

SCRIPT = """
const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify(rows.map(([p, f, texts]) => {
  try { return texts.map(t => { const r = new RegExp(p, f); return r.test(t) }) } catch { return null }
})))
"""
LETTERS = ["a", "b", "A", "k", "K", "s", "S", "ſ", "\u212a", "ß", "ẞ", "σ", "ς", "Σ", "µ", "μ", "İ", "ı", "i", "I", "ǆ", "ǅ", "é", "É", "1", "_", "-", " ", "\n", "\r", "\u2028", "\u00a0", "\ufeff", "😀", "𐐀", "𐐨", "θ", "ϑ", "ϴ", "Ω", "Ω", "0", "ᾀ", "ᾈ", "ﬀ"]  # fmt: skip
ESCAPES = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\n", r"\t", r"\x61", r"\u0061", r"\u{61}", r"\0", r"\1", r"\2", r"\8", r"\101", r"\cA", r"\c", r"\-", r"\/", r"\k<n>", r"\k", r"\p{L}", r"\P{Lu}", r"\p{Lu}", r"\p{Script=Greek}", r"\p{scx=Latin}", r"\p{Emoji}", r"\p{Alphabetic}", r"\p{foo}", r"\p{Ll}", r"\ud83d\ude00", r"\ud83d", r"\_", r"\$"]  # fmt: skip
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{,3}", "{2,1}", "{1,2}?", "{"]


class Random:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pattern(self, depth: int = 3) -> str:
        rows = ["".join(self.term(depth) for _ in range(self.random.randint(0, 3))) for _ in range(self.few())]
        return "|".join(rows)

    def few(self) -> int:
        return self.random.choice([1, 1, 1, 2])

    def term(self, depth: int) -> str:
        atom = self.atom(depth)
        return atom + self.random.choice(QUANTIFIERS) if self.random.random() < 0.3 else atom

    def atom(self, depth: int) -> str:
        roll = self.random.random()
        if roll < 0.4 or depth <= 0:
            return self.random.choice(LETTERS)
        if roll < 0.55:
            return self.random.choice(ESCAPES)
        if roll < 0.68:
            return self.a_class()
        if roll < 0.78:
            return self.random.choice([".", "^", "$", r"\b", r"\B", "]", "}", "[]", "[^]", "(?:)"])
        opening = self.random.choice(["(", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>"])
        return f"{opening}{self.pattern(depth - 1)})"

    def a_class(self) -> str:
        items = [self.random.choice([*LETTERS, *ESCAPES, "a-z", "A-Z", "K-s", r"\d-x", "[", "&&", "--", "^", r"\b", "[ab]", "[^a]", r"\q{ab|c}"]) for _ in range(self.random.randint(0, 4))]  # fmt: skip
        return f"[{self.random.choice(['', '', '^'])}{''.join(items)}]"

    def flags(self) -> str:
        extra = [f for f in "imsgy" if self.random.random() < (0.5 if f == "i" else 0.15)]
        return "".join([*extra, self.random.choice(["", "", "u", "v"])])

    def text(self) -> str:
        return "".join(self.random.choice(LETTERS) for _ in range(self.random.randint(0, 6)))


def holds(found: Translation, text: str) -> bool:
    compiled = import_module(found.engine).compile(found.pattern)
    given = found.text(text)
    return bool(compiled.match(given) if found.sticky else compiled.search(given))


def main(count: int, seed: int) -> int:
    made = Random(seed)
    rows = [(made.pattern(), made.flags(), [made.text() for _ in range(8)]) for _ in range(count)]
    done = subprocess.run(["node", "-e", SCRIPT], input=json.dumps(rows), capture_output=True, text=True, check=True)
    kinds, wrong = Counter[str](), 0
    for (pattern, flags, texts), node in zip(rows, json.loads(done.stdout), strict=True):
        try:
            found = translate(pattern, flags)
            ours = [holds(found, text) for text in texts]
        except InvalidPatternError as error:
            ours, kind = None, f"refused: {error}"
        except UnsupportedPatternError as error:
            kinds[f"out of reach: {re.sub(r'{.*}', '', str(error))}"] += 1
            continue
        kinds["refused by both" if node is None and ours is None else "compared"] += 1
        if ours != node:
            wrong += 1
            which = (
                [t for t, a, b in zip(texts, ours, node, strict=True) if a != b]
                if ours and node
                else kind
                if ours is None
                else "node refuses"
            )
            print(
                f"{pattern!r} {flags!r}: {which!r}"
                + (f" node says {[b for a, b in zip(ours, node, strict=True) if a != b]}" if ours and node else "")
            )
    print(dict(kinds), f"{wrong} differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*(int(each) for each in (sys.argv[1:] + ["4000", "1"][len(sys.argv) - 1 :]))))
