"""Findings that repeat one another are one, in the command line and in an editor, and after every edit."""

import random

from rubric_core.analysis import Language, analyze
from rubric_core.text import Edit, Span
from rubric_core.validation.selection import EVERYTHING
from rubric_lsp.features.code_actions import actions

LANGUAGE = Language()
HEAD = "# rubric: dialect=promptfoo\nprompts: ['Say {{a}}']\nproviders: [echo]\ntests:\n"
CASE = "  - lables: {NAME}\n    vars: {{a: {NAME}}}\n    assert: [{{type: contains, value: S}}]\n"


def _case(name: str) -> str:
    return CASE.replace("{{", "{").replace("}}", "}").replace("{NAME}", name)


def _shown(text: str) -> list[tuple[str, int, int]]:
    analysis = analyze(text, LANGUAGE)
    return [
        (d.code, analysis.document.range(d.span).start.line, d.more) for d in analysis.listed.placed(analysis.document)
    ]


def test_a_warning_about_one_name_is_one_in_a_file() -> None:
    text = HEAD + "".join(_case(str(n)) for n in range(12))
    assert [row for row in _shown(text) if row[0] == "promptfoo/unknown-key"] == [("promptfoo/unknown-key", 4, 11)]
    other = text.replace("lables: 5", "owner: 5")
    assert [row for row in _shown(other) if row[0] == "promptfoo/unknown-key"] == [
        ("promptfoo/unknown-key", 4, 10),
        ("promptfoo/unknown-key", 19, 0),
    ]


def test_one_fix_is_for_all() -> None:
    analysis = analyze(HEAD + "".join(_case(str(n)) for n in range(4)), LANGUAGE)
    for offset in (analysis.document.text.index("lables"), analysis.document.text.rindex("lables")):
        offered = [each for each in actions(analysis, Span(offset, offset)) if "everywhere" in each.title]
        assert [each.title for each in offered] == ["Remove `lables`, everywhere in this file"]
        settled = offered[0].settled(len(analysis.document.text), {})
        assert settled is not None
        assert "lables" not in analysis.revised(settled.edits).document.text


def test_an_edit_leaves_what_a_fresh_analysis_finds() -> None:
    """Keys come and go in any case, and around the cases."""
    rng = random.Random("repetitions")
    analysis = analyze(HEAD + "".join(_case(str(n)) for n in range(9)), LANGUAGE, selection=EVERYTHING)
    for _ in range(120):
        text = analysis.document.text
        at = rng.choice(
            [m for m in (text.find(word, rng.randrange(len(text))) for word in ("lables", "owner", "vars")) if m >= 0]
            or [0]
        )
        word = text[at : at + 6].split(":")[0]
        new = {"lables": "owner", "owner": "lables"}.get(word, "")
        edit = Edit(Span(at, at + len(word)), new) if new else Edit(Span(at, at), "lables: 1\n    " if at else "")
        analysis = analysis.revised([edit])
        fresh = analyze(analysis.document.text, LANGUAGE)
        assert analysis.listed.placed(analysis.document) == fresh.listed.placed(fresh.document)
    assert any(d.more for d in analysis.listed.each())
