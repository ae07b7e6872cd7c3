"""Entries of `prompts` and `providers` that are listed twice, and how often promptfoo runs them."""

import pytest
from harness import analysis_of

ONCE = "`promptfoo eval -c FILE` runs it once; `promptfoo eval` in its folder runs it twice"
TWICE = "promptfoo runs it twice"
TESTS = "tests: [{vars: {word: hi}, assert: [{type: contains, value: hi}]}]\n"


@pytest.mark.parametrize(
    ("entries", "consequences"),
    [
        ("prompts: ['Say {{word}}', \"Say {{word}}\"]\nproviders: [echo]\n", [ONCE]),
        ("prompts: [&own 'Say {{word}}', *own]\nproviders: [echo]\n", [ONCE]),
        ("prompts: ['file://a.txt', 'file://./a.txt']\nproviders: [echo]\n", [ONCE]),
        ("prompts: [a.txt, ./a.txt]\nproviders: [echo]\n", []),
        ("prompts: [{raw: '{{word}}', label: a}, {raw: \"{{word}}\", label: a}]\nproviders: [echo]\n", [TWICE]),
        ("prompts: [&own {raw: '{{word}}', label: a}, *own]\nproviders: [echo]\n", [TWICE]),
        ("prompts: ['{{word}}']\nproviders: [{id: echo, label: a}, {id: echo, label: a}]\n", [ONCE]),
        ("prompts: ['{{word}}']\nproviders: [&own {id: echo, label: a}, *own]\n", [ONCE]),
    ],
)
def test_how_often_promptfoo_runs_an_entry_that_is_listed_twice(entries: str, consequences: list[str]) -> None:
    found = analysis_of(f"# promptfooconfig.yaml\n{entries}{TESTS}").diagnostics
    assert [each.consequence for each in found if each.message.endswith("is listed twice")] == consequences
