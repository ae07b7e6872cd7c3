"""What an editor shows at the end of a line: one line of text, cut where the window ends."""

import pytest
from harness import Page, analysis_of, unmarked

from rubric_core.validation.rule import Diagnostic, Fix, Rule
from rubric_core.validation.rules import all_rules

#: Columns of a message after which a terminal of 100 may have cut it; what to do has begun by then.
ROOM = 85
#: What their messages list is what may be written: it begins in time.
LISTING = {"extension-hook", "malformed-band", "missing-key", "old-interpolation", "skipped-string", "wrong-type"}


def found(rule: Rule[object]) -> list[Diagnostic]:
    """The findings of a rule in the examples of its page."""
    texts = [unmarked(block.text)[0] for block in Page(rule.page).blocks("Example")]
    return [d for text in texts for d in analysis_of(text).diagnostics if d.code == rule.code]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_to_do_stands_before_what_happens_otherwise(rule: Rule[object]) -> None:
    for each in found(rule):
        lines = each.in_full.split("\n")
        assert lines[0] == each.message
        assert lines[-1] == (each.consequence or lines[-1])
        if not each.fixes:
            continue
        advice = f"fix: {each.fixes[0].title}"
        assert advice not in lines[2:]
        if advice in lines and rule.code not in LISTING:
            assert len(each.message) <= ROOM, each.message


def test_advice_is_not_given_twice() -> None:
    fix = Fix("rename it to `criteria`", ())

    def in_full(message: str) -> str:
        return Diagnostic("c", "error", None, message, fixes=(fix,), consequence="agentv skips it").in_full  # type: ignore[arg-type]

    assert in_full("use `criteria`: that is old") == "use `criteria`: that is old\nagentv skips it"
    assert in_full("no key `criterion`; did you mean `criteria`?").count("\n") == 1
    assert in_full("that is old") == "that is old\nfix: rename it to `criteria`\nagentv skips it"


def test_what_quotes_an_endless_value_is_cut_in_the_middle() -> None:
    long = "refund" * 20_000
    text = f"""\
tests:
  - id: {long}
    criteria: c
    input: hi
    depends_on: [{long}, {long.replace("d", "b")}]
    assertions:
      - type: {long}
  - id: {long}
    criteria: c
    input: hi
"""
    diagnostics = analysis_of(text).diagnostics
    assert {each.code for each in diagnostics} >= {"duplicate-case-id", "unknown-type"}
    said = [
        text
        for each in diagnostics
        for text in (
            each.message,
            each.consequence,
            *(related.message for related in each.related),
            *(fix.title for fix in each.fixes),
        )
    ]
    assert max(map(len, said)) == 1000
    (unknown,) = (each.message for each in diagnostics if each.code == "unknown-type")
    assert unknown.startswith("agentv-3 has no evaluator type `refund")
    assert unknown.endswith("refund`")
