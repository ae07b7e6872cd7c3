"""Texts that a fix once made worse, or that it took for something else: what the fix makes of each now, to the letter."""

import pytest
from harness import analysis_of
from sample_texts import sample_texts

from rubric_core.fixing import Gate, apply_safe_fixes
from rubric_core.text import apply_edits

HEAD = 'prompts: ["{{ q }}"]\ntests:\n  - id: a\n    vars: {q: hi}\n'
CASE = "tests:\n  - id: a\n    input: hi\n    criteria: Greets\n"
BANDS = f"""{CASE}    rubrics:
      - id: c
        outcome: Says when the shop opens
        score_ranges:
          - {{score_range: %s, outcome: never}}
          - {{score_range: %s, outcome: for some days}}
          - {{score_range: %s, outcome: for every day}}
"""
REPO = f"""workspace:
  repos:
    - path: ./shop
      %s
{CASE}"""

#: Dialect, text, and what the first fix of the finding makes of it.
MENDED = {
    "a criterion on several lines becomes an item": (
        "agentv-5",
        f"{HEAD}    criteria: Greets\n      warmly and\n      kindly\n    assert:\n      - type: contains\n        value: hi\n",
        f"{HEAD}    assert:\n      - Greets\n        warmly and\n        kindly\n      - type: contains\n        value: hi\n",
    ),
    "a quoted one becomes an item further in": (
        "agentv-5",
        f'{HEAD}    assert:\n        - type: is-json\n    criteria: "Greets\n      warmly"\n',
        f'{HEAD}    assert:\n        - "Greets\n          warmly"\n        - type: is-json\n',
    ),
    "a block becomes an item": (
        "agentv-5",
        f"{HEAD}    criteria: |\n      Greets\n\n      warmly\n    assert:\n      - type: is-json\n",
        f"{HEAD}    assert:\n      - |\n        Greets\n\n        warmly\n      - type: is-json\n",
    ),
    "the plural of a key is that key": (
        "agentv-3",
        CASE.replace("input:", "inputs:"),
        CASE,
    ),
    "members of a composite are a list": (
        "agentv-3",
        f"{CASE}    assertions:\n      - {{type: composite, assertions: [], aggregator: {{type: weighted_average}}}}\n",
        f"{CASE}    assertions:\n      - {{type: composite, assertions: [{{name: refund, type: contains, value: refund}}], aggregator: {{type: weighted_average}}}}\n",
    ),
    "one bound has a zero too many": (
        "agentv-3",
        BANDS % ("[0, 3]", "[4, 7]", "[8, 100]"),
        BANDS % ("[0, 3]", "[4, 7]", "[8, 10]"),
    ),
    "bounds are shares of 1": (
        "agentv-3",
        BANDS % ("[0, 0.3]", "[0.4, 0.7]", "[0.8, 1]"),
        BANDS % ("[0, 3]", "[4, 7]", "[8, 10]"),
    ),
    "bounds are shares of 100 that meet": (
        "agentv-3",
        BANDS % ("[0, 30]", "[30, 70]", "[70, 100]"),
        BANDS % ("[0, 3]", "[4, 7]", "[8, 10]"),
    ),
    "of two types that are as near, the one with these keys": (
        "agentv-3",
        f"{CASE}    assertions:\n      - {{type: rubris, criteria: [Greets]}}\n",
        f"{CASE}    assertions:\n      - {{type: rubrics, criteria: [Greets]}}\n",
    ),
    "an en dash begins an item": (
        "agentv-3",
        f"{CASE}    assertions:\n      – type: contains\n        value: hi\n",
        f"{CASE}    assertions:\n      - type: contains\n        value: hi\n",
    ),
    "an address keeps its place and its version": (
        "agentv-3",
        REPO % "source:\n        type: git\n        url: https://example.org/shop\n      checkout:\n        ref: main\n        ancestor: 1",
        REPO % "repo: https://example.org/shop\n      commit: main\n      ancestor: 1",
    ),
    "an address in braces": (
        "agentv-3",
        REPO % "source: {type: git, url: https://example.org/shop}",
        REPO % "repo: https://example.org/shop",
    ),
    "a colon is missing": (
        "agentv-3",
        f"execution:\n  target default\n{CASE}",
        f"execution:\n  target: default\n{CASE}",
    ),
    "a key too far out above another item": (
        "agentv-3",
        f"{CASE}    assertions:\r\n      - type: is-json\r\n    weight: 2\r\n      - type: is-json\r\n",
        f"{CASE}    assertions:\r\n      - type: is-json\r\n        weight: 2\r\n      - type: is-json\r\n",
    ),
    "a budget in dollars": (
        "agentv-3",
        f'{CASE}    assertions: [{{type: cost, budget: "$5"}}]\n',
        f"{CASE}    assertions: [{{type: cost, budget: 5}}]\n",
    ),
}  # fmt: skip

#: Dialect, text, and what no fix may do: there is something wrong, or nothing, and only the author knows.
LEFT = {
    "a word that is no mode": ("agentv-3", f"{CASE}    model: gpt-4o\n", "mode:"),
    "a budget in euros": ("agentv-3", f'{CASE}    assertions: [{{type: cost, budget: "5 EUR"}}]\n', "budget: 5"),
    "a clone that has no other name": (
        "agentv-3",
        REPO % "source: {type: git, url: https://example.org/shop}\n      clone: {depth: 1}",
        "path: ./shop\ntests",
    ),
}


@pytest.mark.parametrize(("dialect", "before", "wanted"), MENDED.values(), ids=MENDED)
def test_the_first_fix_writes_what_was_meant(dialect, before, wanted):
    analysis = analysis_of(before, dialect)
    offered = [fix for found in analysis.diagnostics for fix in Gate(analysis).fixes(found)]
    assert apply_edits(before, offered[0].edits) == wanted


@pytest.mark.parametrize(("dialect", "text", "never"), LEFT.values(), ids=LEFT)
def test_no_fix_guesses(dialect, text, never):
    analysis = analysis_of(text, dialect)
    made = [apply_edits(text, fix.edits) for found in analysis.diagnostics for fix in Gate(analysis).fixes(found)]
    assert not [each for each in made if never in each]
    assert apply_safe_fixes(analysis).analysis.document.text == text


def test_keys_that_later_releases_of_a_dialect_read_are_no_mistake():
    workspace = "workspace: {hooks: {before_all: {command: [make]}}, repos: [{path: ./a, source: {type: git, url: x}}], mode: temp}"
    assert not analysis_of(f"{workspace}\n{CASE}", "agentv-2.7").diagnostics


def test_fixing_counts_what_is_gone_and_leaves_a_file_that_can_be_read():
    text = (
        f"{HEAD}    criteria: Greets\n      warmly\n    assert:\n      - type: contians\n        value: hi\n"
        "      - type: contains\n        valeu: ho\n  - id: a\n    vars: {q: ho}\n    assert: [Greets]\n"
    )
    done = apply_safe_fixes(before := analysis_of(text, "agentv-5"))
    codes = ["criteria-beside-assert", "unknown-type", "unknown-key", "duplicate-case-id"]
    assert [d.code for d in before.diagnostics] == codes
    assert ([d.code for d in done.analysis.diagnostics], done.count) == (["duplicate-case-id"], 3)
    assert done.analysis.document.text == (
        f"{HEAD}    assert:\n      - Greets\n        warmly\n      - type: contains\n        value: hi\n"
        "      - type: contains\n        value: ho\n  - id: a\n    vars: {q: ho}\n    assert: [Greets]\n"
    )


def test_no_fix_beside_another_is_safe() -> None:
    """Which of several repairs is right, only the author knows: none is applied unattended, and the message names them."""
    several = [d for text in sample_texts().values() for d in analysis_of(text).diagnostics if len(d.fixes) > 1]
    assert len({d.code for d in several}) > 10
    for found in several:
        assert not any(fix.safe for fix in found.fixes), found
        assert found.fixes[0].title in found.advice


@pytest.mark.parametrize(
    "bands",
    [
        ("[0, 4]", "[4, 7]", "[8, 10]"),
        ("[0, 4]", "[4, 7]", "[9, 10]"),
        ("[0, 3]", "[4, 7]", "[9, 10]"),
        ("[1, 3]", "[4, 7]", "[8, 10]"),
        ("[0, 3]", "[4, 7]", "[8, 9]"),
        ("[0, 3]", "[2, 8]", "[8, 10]"),
    ],
)
def test_what_a_judge_is_told_of_bands_changes_by_hand_only(bands: tuple[str, str, str]) -> None:
    analysis = analysis_of(BANDS % bands)
    assert analysis.diagnostics
    assert all(d.fixes for d in analysis.diagnostics)
    assert apply_safe_fixes(analysis).count == 0
