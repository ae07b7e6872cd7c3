"""The gate for fixes: what it lets through, what it keeps back, and that looking nearby is as good as looking everywhere."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from edit_scripts import random_edit
from harness import LANGUAGE, ROOT, Folder, analysis_of
from thorough import seeds

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.analysis.trial import Trial, try_edits, try_edits_briefly
from rubric_core.fixing import Gate, apply_safe_fixes
from rubric_core.fixing.comparison import FindingComparison
from rubric_core.fixing.offset_origin import OffsetOrigin, OriginFinder
from rubric_core.language.evaluators import Criterion
from rubric_core.language.model import Case
from rubric_core.loading.project import Project
from rubric_core.text import Edit, Span, apply_edits
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.selection import Selection

HERE = Path(__file__).parent
EXAMPLES = sorted(HERE.parents[1].glob("examples/**/*.yaml")) + sorted(HERE.glob("documents/*.yaml"))

SUITE = """\
# rubric: dialect=agentv-3
tests:
  - id: a
    criteria: Greets  # warmly
    input: hi
  - id: b
    criteria: Says goodbye
    input: bye
"""


def with_fixes(*made: Callable[[str, Case], tuple[Edit, ...]]) -> Language:
    """The language with one more rule, which finds fault with `criteria: Greets` and offers fixes for it."""

    @rule("made-up", "warning", "Greetings")
    def made_up(case: Case, context: Context):
        """Greetings are wrong."""
        if case.criteria == "Greets":
            fixes = tuple(Fix(f"fix {n}", make(context.text, case)) for n, make in enumerate(made))
            yield Finding(case.at("criteria"), "a greeting", fixes=fixes)

    return Language(rules=(*LANGUAGE.rules, made_up))


def at(part: str, new: str) -> Callable[[str, Case], tuple[Edit, ...]]:
    """A fix that writes `new` in the place of the first `part`."""

    def make(text: str, _: Case) -> tuple[Edit, ...]:
        start = text.find(part)
        return (Edit(Span(start, start + len(part)), new),) if start >= 0 else ()

    return make


BAD = {
    "leaves its finding": at("  # warmly", ""),
    "loses a comment": at("criteria: Greets  # warmly", "criteria: Waves"),
    "changes nothing": at("Greets", "Greets"),
    "brings a syntax error": at("Greets", '"Waves'),
    "brings an error": at("Greets", "[Waves]"),
    "brings a warning": at("criteria: Greets", "criteriaa: Waves"),
    "takes away what another needs": at("id: a", "ids: a"),
    "makes two cases of one name": at("id: a\n    criteria: Greets", "id: b\n    criteria: Waves"),
    "brings the finding somewhere else": at("criteria: Greets  # warmly", "expected_output: x\n    criteria: Greets"),
    "brings another dialect": at("criteria: Greets", "criteria: Waves\n    vars: {a: b}\n    assert: [x]"),
    "cannot be made": lambda *_: (Edit(Span(0, 9), "x"), Edit(Span(5, 12), "y")),
}


@pytest.mark.parametrize("make", BAD.values(), ids=BAD)
def test_it_keeps_back_what_makes_a_file_worse(make):
    analysis = analyze(SUITE, with_fixes(make))
    (found,) = [d for d in analysis.diagnostics if d.code == "made-up"]
    assert len(found.fixes) == 1
    assert Gate(analysis).fixes(found) == ()
    done = apply_safe_fixes(analysis)
    assert (done.analysis.document.text, done.count) == (SUITE, 0)


def test_it_lets_through_what_takes_the_finding_away():
    analysis = analyze(SUITE, with_fixes(at("Greets", "Waves"), at("Greets", '"Waves'), at("Greets", "Bows")))
    (found,) = analysis.diagnostics
    assert [fix.title for fix in Gate(analysis).fixes(found)] == ["fix 0", "fix 2"]
    assert apply_safe_fixes(analysis).count == 0  # which of the two, only the author knows


def test_the_only_fix_is_applied():
    done = apply_safe_fixes(analyze(SUITE, with_fixes(at("Greets", "Waves"))))
    assert (done.analysis.document.text, done.count) == (SUITE.replace("Greets", "Waves"), 1)


def test_what_was_hidden_is_not_new():
    """A misspelt key keeps the check from looking at its value: mended, it shows what was wrong all the time."""
    text = SUITE.replace("input: bye", "assertion: [{type: contains}, {type: cost, budget: 1}]\n    input: bye")
    (found,) = (analysis := analysis_of(text)).diagnostics
    (fix,) = Gate(analysis).fixes(found)
    assert [d.code for d in analysis_of(apply_edits(text, fix.edits)).diagnostics] == ["missing-key"]
    done = apply_safe_fixes(analysis)
    assert (done.count, [d.code for d in done.analysis.diagnostics]) == (1, ["missing-key"])


def test_what_a_fix_writes_was_not_hidden():
    """What is wrong with a value that a fix writes is new, even where the finding hid the value that was there."""

    @rule("made-up", "warning", "Greetings")
    def made_up(case: Case, context: Context):
        """Greetings are wrong, and nothing else is looked at in them."""
        if case.criteria == "Greets":
            at = case.at("criteria")
            fixes = (Fix("bad", (Edit(at, "[Waves]"),)), Fix("good", (Edit(at, "Waves"),)))
            yield Finding(at, "a greeting", fixes=fixes, hides=at)

    analysis = analyze(SUITE, Language(rules=(*LANGUAGE.rules, made_up)))
    (found,) = analysis.diagnostics
    assert [fix.title for fix in Gate(analysis).fixes(found)] == ["good"]


def test_fixes_that_only_hold_up_alone_are_made_one_after_the_other():
    """Two criteria of one id each get the next free one, which is the same for both."""
    taken = {"a": "c", "b": "c"}

    @rule("made-up", "error", "Ids that begin the alphabet")
    def made_up(case: Case, context: Context):
        """Every such case is called `c`."""
        if case.id in taken:
            yield Finding(case.at("id"), "the id", fixes=(Fix("rename it", (Edit(case.at("id"), taken[case.id]),)),))

    analysis = analyze(SUITE, Language(rules=(*LANGUAGE.rules, made_up)))
    done = apply_safe_fixes(analysis)
    assert done.count == 1
    assert done.analysis.document.text == SUITE.replace("id: a", "id: c")
    assert [d.code for d in done.analysis.diagnostics] == ["made-up"]


def test_many_fixes_of_which_one_is_bad():
    cases = "".join(f'  - id: c{n}\n    criteria: X{n}\n    input: hi\n    weight: "1"\n' for n in range(120))

    @rule("made-up", "warning", "Cases")
    def made_up(case: Case, context: Context):
        """Number 70 is mended badly."""
        if (case.criteria or "").startswith("X"):
            new = '"Y' if case.id == "c70" else "Y"
            yield Finding(case.at("criteria"), "X", fixes=(Fix("write Y", (Edit(case.at("criteria"), new),)),))

    analysis = analyze(f"tests:\n{cases}", Language(rules=(made_up,)))
    done = apply_safe_fixes(analysis)
    assert (done.count, done.analysis.document.text.count("criteria: Y")) == (119, 119)
    assert "criteria: X70" in done.analysis.document.text


def greeters(bad: int, *spoilt: Edit) -> Analysis:
    """A text with 128 findings in cases of their own, whose fixes hold up together, apart from that of one."""
    cases = "".join(f"  - id: c{n}\n    criteria: X{n}\n    input: hi\n" for n in range(128))

    @rule("made-up", "warning", "Cases")
    def made_up(case: Case, context: Context):
        """That one is mended badly."""
        if (case.criteria or "").startswith("X"):
            edits = (Edit(case.at("criteria"), "Y"),)
            yield Finding(case.at("criteria"), "X", fixes=(Fix("Y", spoilt if case.id == f"c{bad}" else edits),))

    return analyze(f"tests:\n{cases}", Language(rules=(made_up,)))


@pytest.mark.parametrize("bad", [0, 70, 127])
@pytest.mark.parametrize(
    ("spoilt", "count"),
    [
        # All of them, those that are not to blame, and the bad one: the parser stumbles in its case.
        ((Edit(Span(4, 5), '"'),), 3),
        # Nothing tells which one cannot be made: all, four times two halves, and what is left of the last half.
        ((Edit(Span(4, 7), "x"), Edit(Span(5, 8), "x")), 1 + 2 * 4 + 8),
    ],
)
def test_one_bad_fix_among_many_costs_a_few_trials(bad, spoilt, count, monkeypatch):
    trials = []

    def counted(analysis, edits, enough):
        trials.append(len(edits))
        return try_edits_briefly(analysis, edits, enough)

    analysis = greeters(bad, *spoilt)
    monkeypatch.setattr("rubric_core.fixing.gate.try_edits_briefly", counted)
    assert [n for n, d in enumerate(Gate(analysis).passed(analysis.diagnostics)) if not d.fixes] == [bad]
    assert len(trials) == count


def test_fixes_that_touch_one_another_are_tried_in_two_turns(monkeypatch):
    """Every other line is taken out, then the others."""
    trials = []

    def counted(analysis, edits, enough):
        trials.append(len(edits))
        return try_edits_briefly(analysis, edits, enough)

    analysis = analysis_of(
        SUITE.replace("    input: hi\n", "    input: hi\n" + "".join(f"    zz{n}: 1\n" for n in range(40)))
    )
    monkeypatch.setattr("rubric_core.fixing.gate.try_edits_briefly", counted)
    assert all(len(d.fixes) == 1 for d in Gate(analysis).passed(analysis.diagnostics))
    assert trials == [20, 20]


def rivals(count: int) -> Analysis:
    """A text with so many criteria whose fixes rename them to one and the same free id."""
    same = "".join(f"          - {{id: '{n}', outcome: one, required: true}}\n" for n in range(count))

    @rule("made-up", "warning", "Criteria")
    def made_up(criterion: Criterion, context: Context):
        """Numbers are no ids."""
        if (criterion.id or "").isdecimal():
            at = criterion.at("id")
            yield Finding(at, "a number", fixes=(Fix("rename it", (Edit(at, "one"),), safe=False),))

    duplicates = next(r for r in LANGUAGE.rules if r.code == "duplicate-criterion-id")
    return analyze(
        "# rubric: dialect=agentv-3\ntests:\n  - id: c0\n    criteria: ok\n    input: hi\n    assertions:\n"
        f"      - type: rubrics\n        criteria:\n{same}",
        Language(rules=(duplicates, made_up)),
    )


def test_names_that_are_taken_are_given_way_to_at_once():
    """Every fix writes a name of its own, so that all of them hold up together."""
    analysis = analysis_of(SUITE + "".join("  - {id: a, criteria: x, input: y}\n" for _ in range(300)))
    fixes = [fix for d in Gate(analysis).passed(analysis.diagnostics) for fix in d.fixes]
    assert [fix.edits[0].new_text for fix in fixes] == [f"a-{n}" for n in range(2, 302)]


def test_what_takes_too_long_to_try_is_left_out_and_let_through_when_asked_for():
    """Each of these fixes holds up alone and no two of them do: every one writes the same free id."""
    analysis = rivals(160)
    passed = Gate(analysis).passed(analysis.diagnostics)
    left_out = [found for found, kept in zip(analysis.diagnostics, passed, strict=True) if not kept.fixes]
    assert 0 < len(left_out) < len(passed)
    assert [each.untried for each in passed] == [int(not each.fixes) for each in passed]
    assert Gate(analysis).passed(left_out[-1:])[0].untried == 0
    assert all(kept.fixes for kept in passed[:8])
    assert Gate(analysis).passed(left_out[-1:]) == tuple(left_out[-1:])


def test_what_comes_to_light_is_fixed_and_not_counted():
    """The check of this text says one thing, so that no more than one can be fixed."""
    text = SUITE.replace("input: bye", "assertion: [{type: contians, value: bye}]\n    input: bye")
    done = apply_safe_fixes(analysis := analysis_of(text))
    assert (len(analysis.diagnostics), done.count, done.analysis.diagnostics) == (1, 1, ())
    assert done.analysis.document.text == text.replace("assertion:", "assertions:").replace("contians", "contains")


def test_a_finding_that_is_ignored_is_not_counted():
    """A fix that takes away a finding nobody was shown says nothing about that."""
    text = SUITE.replace("input: bye", "assertion: [{type: contians, value: bye}]\n    input: bye")
    chosen = analyze(text, LANGUAGE, selection=Selection(frozenset({"unknown-key"})))
    assert apply_safe_fixes(chosen).count == 1
    none = analyze(text, LANGUAGE, selection=Selection(frozenset({"unknown-type"})))
    assert (apply_safe_fixes(none).count, apply_safe_fixes(none).analysis.document.text) == (0, text)


def test_the_fixed_text_is_written_with_the_line_breaks_it_has():
    text = SUITE.replace("input: bye", "expected_output: x\n    inptu: bye").replace("\n", "\r\n")
    done = apply_safe_fixes(analysis_of(text))
    assert done.count == 1
    assert done.analysis.document.text == text.replace("inptu", "input")


@pytest.mark.parametrize(
    ("edits", "places"),
    [
        ([Edit(Span(2, 4), "xyz")], {0: (0, False), 2: (2, True), 4: (2, True), 5: (4, False), 9: (8, False)}),
        ([Edit(Span(2, 4), "")], {1: (1, False), 2: (4, False), 3: (5, False)}),
        ([Edit(Span(2, 2), "ab")], {2: (2, True), 3: (2, True), 4: (2, False)}),
        ([Edit(Span(0, 2), ""), Edit(Span(4, 4), "!")], {0: (2, False), 2: (4, True), 3: (4, False)}),
    ],
)
def test_the_way_back(edits, places):
    shift = OriginFinder(edits)
    for offset, (start, written) in places.items():
        origin = shift.origin(offset)
        assert (origin.offset, origin.edit is not None) == (start, written), offset
    assert OriginFinder([]).origin(7) == OffsetOrigin(7, None)


def tried_apart(analysis: Analysis, edits: list[Edit]) -> Trial:
    """A trial of the whole text, held against what it changes alone."""
    trial, everywhere = try_edits_briefly(analysis, edits, lambda _: False)
    assert everywhere
    return trial


def said(diagnostics) -> list[tuple[object, ...]]:
    return [(d.code, d.span, d.message, d.severity) for d in diagnostics]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_nearby_is_as_good_as_everywhere(path: Path) -> None:
    """The findings in the touched cases are those of a check of the whole text, and no others change."""
    draw = random.Random(path.name)
    text = path.read_text(encoding="utf-8")
    analysis = analysis_of(text)
    assert isinstance(analysis, Analysis)
    near = 0
    for _ in seeds(60, few=20):
        edit = random_edit(text, draw)
        found, everywhere = try_edits_briefly(analysis, [edit])
        if everywhere:
            continue
        near += 1
        whole = try_edits(analysis, [edit])
        before, after = said(found.before), said(found.after)
        assert [each for each in said(whole.before) if each not in before] == [
            (code, Span(*(OriginFinder([edit]).origin(at).offset for at in span)), message, severity)
            for code, span, message, severity in said(whole.after)
            if (code, span, message, severity) not in after
        ]
    assert near or len(analysis.document.blocks) < 3


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_what_stays_the_same_makes_no_difference(path: Path) -> None:
    """Edits are held against what they change alone, and the outcome is that of all findings."""
    draw = random.Random(path.name)
    text = path.read_text(encoding="utf-8")
    analysis = analysis_of(text)
    assert isinstance(analysis, Analysis)
    for _ in seeds(40, few=15):
        edit = random_edit(text, draw)
        whole, apart = try_edits(analysis, [edit]), tried_apart(analysis, [edit])
        meant = [(d.code, d.span.start, d.message) for d in draw.sample(whole.before, min(2, len(whole.before)))]
        one, other = FindingComparison(whole, meant), FindingComparison(apart, meant)
        assert (one.is_worse, said(one.gone)) == (other.is_worse, said(other.gone))
        # Of two cases that are alike after the edit, either may be the new one.
        assert sorted((d.code, d.message) for d, _ in one.new) == sorted((d.code, d.message) for d, _ in other.new)


def test_an_edit_around_many_cases_is_held_against_no_other_finding() -> None:
    cases = "".join(f"  - id: c{n}\n    input: hi\n    criteria: x\n    expected_outcom: y\n" for n in range(200))
    analysis = analysis_of(f"name: s\ntests:\n{cases}")
    assert isinstance(analysis, Analysis)
    assert len(analysis.every) >= 200
    trial = tried_apart(analysis, [Edit(Span(0, 0), "description: x\n")])
    assert len(trial.before) + len(trial.after) < 10


def test_a_case_above_the_keys_of_the_suite():
    text = SUITE.replace("input: bye", "inptu: bye") + "description: Greetings\n"
    (found,) = (analysis := analysis_of(text)).diagnostics
    assert len(Gate(analysis).fixes(found)) == 1


def test_a_trial_of_a_case_finds_the_files_that_it_names_afterwards() -> None:
    project, path = Project(Folder({"hi.txt": "hi"})), ROOT / "promptfooconfig.yaml"
    cases = "".join(f"  - vars: {{word: {word}}}\n" for word in ("a", "file://hi.txt", "b"))
    text = f"prompts: ['{{{{word}}}}']\nproviders: [echo]\ntests:\n{cases}"
    analysis = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=project)
    assert not analysis.every
    at = text.index("hi.txt")
    trial, everywhere = try_edits_briefly(analysis, [Edit(Span(at, at + 2), "ho")])
    assert not everywhere
    assert [each.message for each in trial.after] == ["there is no file `ho.txt`; did you mean `hi.txt`?"]


def test_half_a_case_is_looked_at_with_the_other_half():
    """Once the case above has its own `input`, the item after the extra dash is not a half of it any more."""
    text = "tests:\n  - id: a\n    criteria: Greets\n  - input: Hi there\n"
    at = text.index("    criteria: Greets")
    analysis = analysis_of(text)
    assert "split-item" in {d.code for d in analysis.diagnostics}
    _, everywhere = try_edits_briefly(analysis, [Edit(Span(at, at), "    input: hi\n")])
    assert everywhere


def test_trying_leaves_the_analysis_as_it_was():
    analysis = analysis_of(SUITE)
    assert isinstance(analysis, Analysis)
    before = {block: state.shapes for block, state in analysis.states.items()}
    Gate(analysis).accepts([Edit(Span(27, 27), "assertions: [{type: is-json}]\n")])
    assert {block: state.shapes for block, state in analysis.states.items()} == before


def test_equal_cases_do_not_take_one_another_s_place():
    """After a fix of the first case, the second block is at the place of the first: it is not the same finding."""
    analysis = analysis_of("tests:\n" + "  - criteria: ok\n    input: hi\n" * 3)
    missing = [d for d in analysis.diagnostics if d.code == "missing-key"]
    assert len(missing) == 3
    assert [len(d.fixes) for d in Gate(analysis).passed(missing)] == [1, 1, 1]
