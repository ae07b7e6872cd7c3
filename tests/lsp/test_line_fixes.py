"""Fixes of a line: Neovim sends the cursor alone as the range, and with it every diagnostic of the line."""

import pytest
from harness import Page, analysis_of, unmarked

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.rule import Rule
from rubric_core.validation.rules import all_rules
from rubric_lsp.features.code_actions import QUICK_FIX, actions


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_fix_is_found_from_both_ends_of_its_line(rule: Rule[object]) -> None:
    for block in Page(rule.page).blocks("Example"):
        text = unmarked(block.text)[0]
        analysis = analysis_of(text)
        if not isinstance(analysis, Analysis):  # of several files, or of settings
            continue
        for found in analysis.diagnostics:
            line = text.rfind("\n", 0, found.span.start) + 1
            end = (text + "\n").index("\n", line)
            listed = frozenset({(found.code, found.span.start)})

            def fixes(at: Span, listed: frozenset[tuple[str, int]], analysis=analysis, code=found.code) -> set[str]:  # type: ignore[no-untyped-def]
                offered = actions(analysis, at, wanted=lambda kind: kind == QUICK_FIX, listed=listed)
                return {each.title for each in offered if each.code == code}

            there = fixes(found.span, frozenset())
            assert there <= fixes(Span(line, line), listed), found
            assert there <= fixes(Span(end, end), listed), found
