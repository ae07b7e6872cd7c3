"""An assertion that is written like an earlier one, in which nothing was found, is not checked again: the findings are the same."""

import re

import pytest
from harness import analysis_of
from sample_texts import sample_texts

from rubric_core.analysis.clean_shapes import CleanShapes
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile

_TESTS = re.compile(r"^tests:[ ]*\n(?P<items>(?:[ ]*\n|[ ]*- .*\n|[ ].*\n)+)\Z", re.MULTILINE)


def test_remembered_assertions_change_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of each sample are there twice, so that every assertion has been seen."""
    found = {}
    for name, text in sample_texts().items():
        tests = _TESTS.search(text)
        if tests is not None:
            doubled = text + tests["items"]
            analysis = analysis_of(doubled)
            if getattr(analysis, "kind", None) is PromptfooFile.CONFIGURATION:
                found[name] = doubled, [repr(each) for each in analysis.every]
    assert len(found) > 100
    monkeypatch.setattr(CleanShapes, "has", lambda _, __: False)
    for name, (text, remembered) in found.items():
        assert [repr(each) for each in analysis_of(text).every] == remembered, name


def test_an_equal_assertion_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "prompts: [hi]\nproviders: [echo]\ntests:\n" + "".join(
        f"  - vars: {{n: {n}}}\n    assert:\n      - {{type: contains, value: hi}}\n      - type: equals\n        value: hi\n"
        for n in range(5)
    )
    known = []
    has = CleanShapes.has

    def asked(self, key):
        known.append((key is not None, has(self, key)))
        return known[-1][1]

    monkeypatch.setattr(CleanShapes, "has", asked)
    analysis_of(f"# promptfooconfig.yaml\n{text}")
    assert [was for is_assertion, was in known if is_assertion] == [False] * 2 + [True] * 8
