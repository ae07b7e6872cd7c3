"""After any edits, an analysis that kept what did not change equals a fresh one."""

import random
from pathlib import Path

import pytest
from edit_scripts import random_edit
from harness import LANGUAGE, analysis_of
from pictures import picture
from thorough import seeds

from rubric_core.analysis import Analysis, analyze, analyzer, incremental, linking
from rubric_core.disk import DiskFiles
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Block, Document
from rubric_core.text import Edit, Span, apply_edits

HERE = Path(__file__).parent
EXAMPLES = sorted(HERE.parents[1].glob("examples/**/*.yaml")) + sorted(HERE.glob("documents/*.yaml"))

SMALL = """\
# rubric: dialect=agentv-3
execution: {target: bot, threshold: 0.75}
assertions:
  - {type: latency, threshold: 8000}
tests:
  # the first one
  - &base
    id: refund
    criteria: Explains the refund window
    input: Can I return this?
    assertions:
      - Mentions the 30 day window
      - {type: contains, value: refund, weight: -1}
  - <<: *base
    id: refund
  - id: tides
    input: |
      Explain the tides:
        - in 80 words
    assertions:
      - type: rubrics
        criteria:
          - id: clarity
            outcom: Reads easily
            score_ranges:
              - {score_range: [0, 5], outcome: bad}
              - {score_range: [5, 8], outcome: good}
  - id: empty
    input: hi
name: X
"""

OLD = """\
description: rubric suite
execution: {target: default}
evalcases:
- id: essay
  expected_outcome: A short essay on tides.
  input: Explain tides in 80 words.
  grader: llm_judge
  rubrics: &r
  - Mentions the Moon
  - {id: length, expected_outcome: At most 80 words, weight: 2, required: false}
  - id: clarity
    required_min_score: 6
    score_ranges: {0: unreadable, 4: uneven, 8: crisp}

- id: second
  outcome: x
  input: y
  rubrics: *r
"""

#: No anchors: what one version says of its cases is carried over to the next.
ACROSS = """\
description: cases that know of one another
tests:
  - id: first
    criteria: x
    input: hi
  - id: second
    depends_on: [first, thrid]
    criteria: x
    input: hi
    assertions: [{type: contains, value: x, weight: -1}]
  - id: third
    depends_on: [second, third]
    criteria: x
    input: hi
  - id: first
    criteria: x
    input: hi
    assertions:
      - {type: contains, valu: x}
  - id: loop
    depends_on: [loop2]
  - id: loop2
    depends_on: [loop]
    criteria: x
    input: hi
  - id: half
    criteria: x
  - input: the other half
execution: {target: bot}
"""

PROMPTS = """\
description: prompts over variables
prompts: ["Say {{ word }} to {{ name }}", "{{ nobody }}"]
providers: [echo]
tests:
  - description: a
    vars: {word: hi, name: x}
  - description: b
    vars: {word: hi}
    assert: [{type: contains, value: hi}]
  - description: c
    vars: {wrod: hi, name: y}
"""

BROKEN = 'tests:\n  - id: a\n    input: "open\n    criteria: x\n  - id: b\n\tinput: y\n    asser\n  - id: a\n'

#: Each case takes something from the one above, one of them from around the cases, and what is below takes from a case.
CHAIN = """\
x-front: &front {criteria: Greets}
tests:
  - &c0
    <<: *front
    id: a
    input: hi
    metadata: &m0 {a: 1}
  - &c1
    <<: *c0
    id: b
    metadata: &m1 {b: *m0}
  - &c2
    <<: *c1
    id: c
    metadata: &m2 {b: *m1, c: *m0}
  - &c3
    <<: *c2
    id: d
    metadata: {b: *m2}
x-below: {m: *m2, n: *front}
"""

#: About 2,000 edits in all.
TEXTS = {
    "chain": CHAIN,
    "small": SMALL,
    "old": OLD,
    "across": ACROSS,
    "across-crlf": ACROSS.replace("\n", "\r\n"),
    "prompts": PROMPTS,
    "broken": BROKEN,
    "crlf": SMALL.replace("\n", "\r\n"),
    "one-line": "tests: [{id: a, input: b}]",
    "nothing": "",
}
SCRIPTS = [(name, seed) for name in TEXTS for seed in seeds(8, few=1)]
STEPS = 20


def follow(text: str, rng: random.Random, steps: int) -> None:
    """Make `steps` edits and compare after each."""
    document = LANGUAGE.document(text)
    analysis = analyze(document, LANGUAGE)
    for step in range(steps):
        edit = random_edit(text, rng)
        text = apply_edits(text, [edit])
        document = document.edited(edit)
        assert document.text == text
        analysis = analyze(document, LANGUAGE, previous=analysis)
        assert picture(analysis) == picture(analysis_of(text)), f"step {step}: {edit}"
        assert (analysis.every, analysis.ignored) == (analysis_of(text).every, analysis_of(text).ignored)
        assert_sound(analysis)


def assert_sound(analysis: Analysis) -> None:
    """What holds for the findings of any text."""
    text = analysis.document.text
    for diagnostic in analysis.diagnostics:
        start, end = diagnostic.span
        assert 0 <= start <= end <= len(text)
        assert not set(text[start:end]) & set("\r\n"), f"{diagnostic.code} is underlined over several lines"
        assert start < end or not text.strip(" \t\r\n\ufeff"), f"{diagnostic.code} has nothing to underline"
        assert diagnostic.message
        assert not diagnostic.message.endswith(".")
        for fix in diagnostic.fixes:
            assert apply_edits(text, fix.edits) != text, fix.title
    found = [(d.code, d.span, d.message) for d in analysis.diagnostics]
    assert len(found) == len(set(found)), "the same finding twice"


@pytest.mark.parametrize(("name", "seed"), SCRIPTS)
def test_random_edits_of_own_texts(name, seed):
    follow(TEXTS[name], random.Random(f"{name} {seed}"), STEPS)


@pytest.mark.parametrize("name", TEXTS)
def test_texts_one_after_the_other(name):
    """Whoever has no `Language` and no edits gets the same findings, line breaks of any kind included."""
    rng = random.Random(name)
    text = TEXTS[name].replace("\n", rng.choice(("\n", "\r\n")))
    analysis = analyze(text)
    for _ in range(STEPS):
        for _ in range(rng.randint(0, 3)):
            text = apply_edits(text, [random_edit(text, rng)])
        analysis = analyze(text, previous=analysis)
        assert analysis.document.text == text
        assert picture(analysis) == picture(analysis_of(text))
        assert_sound(analysis)


@pytest.mark.parametrize("kind", [FileKind.DATASET, FileKind.SUITE, FileKind.CASES, FileKind.PROMPT])
def test_a_text_that_becomes_another_kind_of_file(kind):
    text = '{"id": "a", "input": "hi", "criteria": "x"}\n{"id": "b", "input": "hi"}\n'
    for other in (FileKind.DATASET, FileKind.SUITE, FileKind.CASES, FileKind.PROMPT):
        after = analyze(text, kind=other, previous=analyze(text, kind=kind))
        assert picture(after) == picture(analyze(text, kind=other))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_random_edits_of_examples(path):
    text = path.read_text(encoding="utf-8")
    if len(text) < 12_000:
        follow(text, random.Random(path.name), 12)


@pytest.mark.parametrize("name", ["small", "old"])
def test_typing_a_text_letter_by_letter(name):
    text = TEXTS[name]
    document = LANGUAGE.document("")
    analysis = analyze(document, LANGUAGE)
    for at, char in enumerate(text):
        document = document.edited(Edit(Span(at, at), char))
        analysis = analyze(document, LANGUAGE, previous=analysis)
        if at % 7 == 0:
            assert picture(analysis) == picture(analysis_of(text[: at + 1]))
    assert picture(analysis) == picture(analysis_of(text))


TYPED = """\
  - id: refund
    input: "Can I return this?"
    criteria: Explains the window
    assertions:
      - Mentions the 30 day window
      - type: rubrics
        weight: 2
        criteria:
          - id: tone
            outcome: It's friendly
            score_ranges:
              0: rude
              5: curt
          - {id: x, outcome: "y", weight: 1.5, required: false}
      - {type: contains, value: refund}
      - type: regex
        value: '[0-9]+ days'
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_case_that_is_being_typed_leaves_the_others_alone(newline):
    head = "name: x\ntests:\n  - id: before\n    input: hi\n    criteria: x\n".replace("\n", newline)
    tail = "  - id: behind\n    input: hi\n    criteria: x\n".replace("\n", newline)
    typed = TYPED.replace("\n", newline)
    document = LANGUAGE.document(head + newline + tail)
    analysis = analyze(document, LANGUAGE)
    for at, char in enumerate(typed):
        document = document.edited(Edit(Span(len(head) + at, len(head) + at), char))
        analysis = analyze(document, LANGUAGE, previous=analysis)
        assert {"before", "behind"} <= {e.case.id for e in analysis.cases}, typed[: at + 1]
        inside = [d for d in analysis.diagnostics if len(head) <= d.span.start <= len(head) + at + 1]
        assert len(inside) == len(analysis.diagnostics), typed[: at + 1]
        assert len(inside) <= 3, (typed[: at + 1], inside)
    assert not analysis.diagnostics


def test_moving_a_case_moves_its_findings():
    document = LANGUAGE.document(SMALL)
    before = analyze(document, LANGUAGE)
    at = SMALL.index("  - id: empty")
    moved = analyze(
        document.edited(Edit(Span(at, at), "  - {id: new, input: hi, criteria: x}\n")), LANGUAGE, previous=before
    )
    assert picture(moved) == picture(analysis_of(moved.document.text))


def test_equal_cases_with_an_anchor_between_them():
    """A block may be there twice and mean two things."""
    case = "  - {id: a, input: *x, criteria: c}\n"
    text = f"tests:\n  - {{id: one, input: &x one, criteria: c}}\n{case}  - {{id: two, input: &x two, criteria: c}}\n"
    document = LANGUAGE.document(text)
    analysis = analyze(document, LANGUAGE)
    for edit in (Edit(Span(len(text), len(text)), case), Edit(Span(0, 0), "# note\n")):
        document = document.edited(edit)
        analysis = analyze(document, LANGUAGE, previous=analysis)
        assert picture(analysis) == picture(analysis_of(document.text))
    assert [e.case.input for e in analysis.cases] == ["one", "one", "two", "two"]


def test_only_the_edited_case_is_parsed_again(monkeypatch):
    text = "tests:\n" + "".join(f"  - {{id: c{n}, input: hi, criteria: x}}\n" for n in range(50))
    document = LANGUAGE.document(text)
    before = analyze(document, LANGUAGE)
    at = text.index("c25") + 3
    document = document.edited(Edit(Span(at, at), "x"))
    parsed: list[str] = []
    real = Document.parse
    monkeypatch.setattr(Document, "parse", staticmethod(lambda text: parsed.append(text) or real(text)))
    analyze(document, LANGUAGE, previous=before)
    assert parsed == ["  - {id: c25x, input: hi, criteria: x}\n"]


def test_only_the_case_that_differs_is_parsed_again_in_a_text(monkeypatch):
    text = "tests:\n" + "".join(f"  - {{id: c{n}, input: hi, criteria: x}}\n" for n in range(50))
    before = analyze(text)
    parsed: list[str] = []
    real = Document.parse
    monkeypatch.setattr(Document, "parse", staticmethod(lambda text: parsed.append(text) or real(text)))
    analyze(text.replace("c25", "c25x"), previous=before)
    assert parsed == ["  - {id: c25x, input: hi, criteria: x}\n"]


def test_an_old_analysis_stays_as_it_was():
    document = LANGUAGE.document(SMALL)
    before = analyze(document, LANGUAGE)
    kept = picture(before)
    analyze(document, LANGUAGE, previous=before, dialect="agentv-1")
    analyze(document.edited(Edit(Span(0, 0), "# rubric: dialect=agentv-1\n")), LANGUAGE, previous=before)
    assert picture(before) == kept


def test_blocks_know_no_offset():
    assert not {"start", "offset"} & set(Block.__slots__)


def counted(monkeypatch, name: str) -> list[object]:
    """What the rule `name` is called with from now on."""
    rule, calls = LANGUAGE.rule(name), []
    assert rule is not None
    check = rule.check
    monkeypatch.setitem(vars(rule), "check", lambda visited, context: calls.append(visited) or check(visited, context))
    return calls


def test_rules_across_cases_look_again_only_when_what_they_look_at_changes(monkeypatch):
    calls = counted(monkeypatch, "duplicate-case-id")
    text = "tests:\n" + "".join(f"  - {{id: c{n % 9}, input: hi, criteria: x}}\n" for n in range(12))
    document = LANGUAGE.document(text)
    analysis = analyze(document, LANGUAGE)
    assert len(calls) == 1
    for old, new, times in [("c5, input: hi", "c5, input: hello", 1), ("id: c6", "id: c66", 2)]:
        at = document.text.index(old)
        document = document.edited(Edit(Span(at, at + len(old)), new))
        analysis = analyze(document, LANGUAGE, previous=analysis)
        assert len(calls) == times, new
        assert picture(analysis) == picture(analyze(document.text, LANGUAGE))
        calls[times:] = []


def test_findings_of_other_cases_are_neither_made_nor_moved_by_an_edit():
    text = "tests:\n" + "".join(f"  - {{id: c{n}, input: hi, criteria: x, bogus: 1}}\n" for n in range(30))
    document = LANGUAGE.document(text)
    before = analyze(document, LANGUAGE)
    at = text.index("c15") + 3
    after = analyze(document.edited(Edit(Span(at, at), "more\n ")), LANGUAGE, previous=before)
    kept = [a is b for a, b in zip(before.found.blocks, after.found.blocks, strict=True) if a]
    assert (kept.count(True), kept.count(False)) == (29, 1)


#: Each line but the first may come, go or change with an edit.
REFERRING = """\
description: what cases refer to in other files
tests:
  - id: a
    criteria: x
    input: [{role: user, content: [{type: file, value: one.md}]}]
  - id: b
    criteria: x
    input: hi
    execution: {target: bot}
  - file://more.yaml
  - id: c
    criteria: x
    input: hi
    assertions: [{type: code-grader, command: [python3, check.py]}, {type: llm-grader, prompt: judge.md, target: judge}]
execution: {targets: [{name: bot, provider: mock}]}
"""


@pytest.mark.parametrize("seed", seeds(12, few=2))
def test_random_edits_of_a_suite_that_refers_to_files(tmp_path, seed):
    """What the blocks refer to together, with the names of their targets, is that of a fresh analysis."""
    for name in ("one.md", "more.yaml", "check.py"):
        (tmp_path / name).write_text("- {id: m, criteria: x, input: hi}\n", encoding="utf-8")
    path, project, rng = tmp_path / "s.eval.yaml", Project(DiskFiles()), random.Random(seed)
    text, document = REFERRING, LANGUAGE.document(REFERRING, path)
    analysis = analyze(document, LANGUAGE, path=path, project=project)
    for step in range(15):
        edit = random_edit(text, rng)
        text = apply_edits(text, [edit])
        document = document.edited(edit)
        analysis = analyze(document, LANGUAGE, path=path, project=project, previous=analysis)
        fresh = analyze(text, LANGUAGE, path=path, project=project)
        assert picture(analysis) == picture(fresh), f"step {step}: {edit}"


def test_a_letter_puts_nothing_of_the_other_cases_together_anew(monkeypatch, tmp_path):
    calls: list[object] = []
    for module, name in ((incremental, "_own_targets"), (linking, "_links"), (analyzer, "_signs_of")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda part, real=real: calls.append(part) or real(part))
    text = "tests:\n" + "".join(f"  - {{id: c{n}, input: hi, criteria: x}}\n" for n in range(50))
    around = {"path": tmp_path / "s.eval.yaml", "project": Project(DiskFiles())}
    document = LANGUAGE.document(text)
    before = analyze(document, LANGUAGE, **around)
    calls.clear()
    at = text.index("hi") + 1
    after = analyze(document.edited(Edit(Span(at, at), "x")), LANGUAGE, previous=before, **around)
    assert len(calls) < 20
    assert "cases" not in vars(after)
