"""Which dialect a text is in (the ordered signs, modelines, settings), and that every dialect is whole."""

import re

import pytest
from harness import LANGUAGE, ROOT, Folder, analysis_of

from rubric_core.analysis import analyze
from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape
from rubric_core.loading.project import Project

DIALECTS = pytest.mark.parametrize("dialect", LANGUAGE.dialects, ids=lambda d: d.name)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("testcases:\n  - id: a\n", "agentv-0.1"),
        ("version: 2.0\nevalcases:\n  - id: a\n", "agentv-0.5"),
        (
            "$schema: agentv-eval-v2\nevalcases:\n  - id: a\n    execution: {evaluators: [{type: llm_judge}]}\n",
            "agentv-0.5",
        ),
        ("evalcases:\n  - id: a\n    evaluators: [{type: code}]\n", "agentv-0.5"),
        ("evalcases:\n  - id: a\n    evaluators: [{type: code_judge}]\n", "agentv-1"),
        ("evalcases:\n  - id: a\n    expected_outcome: x\n", "agentv-1"),
        ("name: code-review\nversion: '1.0'\nevalcases:\n  - id: a\n    rubrics: [x]\n", "agentv-1"),
        ("evalcases:\n  - id: a\n", "agentv-1"),
        ("prompts: [x]\ntests:\n  - vars: {}\n", "agentv-5"),
        ("scenarios: []\n", "agentv-5"),
        ("tests:\n  - id: a\n    assertions: [x]\n", "agentv-3"),
        ("tests:\n  - id: a\n    assert:\n      - {type: llm-grader}\n", "agentv-3"),
        ("tests:\n  - id: a\n    assert:\n      - {type: skill_trigger}\n", "agentv-3"),
        ("tests:\n  - id: a\n    rubrics: [{outcome: x, min_score: 0.5}]\n", "agentv-3"),
        ("tests:\n  - id: a\n    turns: []\n", "agentv-3"),
        ("tests:\n  - id: a\n    depends_on: [b]\n", "agentv-3"),
        ("tests:\n  - id: a\n    assert:\n      - {type: contains, value: x}\n", "agentv-2.7"),
        ("tests:\n  - id: a\n    evaluators:\n      - {type: code-judge}\n", "agentv-2.7"),
        ("providers: [bot]\ntests: cases.yaml\n", "agentv-5"),
        ("tests:\n  - {id: a, vars: {q: b}, assert: [{type: contains, value: b}]}\n", "agentv-5"),
        ("tests: a.yaml\nassert:\n  - {type: not-skill-used, value: b}\n", "agentv-5"),
        ("tests:\n  - {id: a, input: '{{ q }}', vars: {q: b}, assert: [{type: contains, value: b}]}\n", "agentv-2.7"),
        ("tests:\n  - id: a\n", "agentv-3"),
        ("", "agentv-3"),
    ],
)
def test_a_text_tells_its_dialect(text, dialect):
    assert analysis_of(text).choice.name == dialect


def test_a_guess_says_so():
    assert not analysis_of("tests:\n  - id: a\n").choice.certain
    assert analysis_of("tests:\n  - id: a\n    assertions: [x]\n").choice.certain
    assert "`assertions`" in analysis_of("tests:\n  - id: a\n    assertions: [x]\n").choice.reason


def test_other_files_tell_where_the_text_does_not():
    folder = {
        "dataset.yaml": "description: Greetings\nevaluator: llm_judge\n",
        "dataset.jsonl": '{"id": "a", "expected_outcome": "Greets", "input": "Hello"}\n',
        "a.eval.yaml": "tests: [file://cases.yaml]\n",
        "cases.yaml": "- {id: a, vars: {q: b}, assert: [{type: contains, value: b}]}\n",
        "b.eval.yaml": "tests: nothing.yaml\n",
    }
    project = Project(Folder(folder))
    chosen = {}
    for name in ("dataset.yaml", "a.eval.yaml", "b.eval.yaml"):
        document = LANGUAGE.document(folder[name], ROOT / name)
        chosen[name] = analyze(document, LANGUAGE, path=ROOT / name, project=project).choice
    assert [c.name for c in chosen.values()] == ["agentv-1", "agentv-5", "agentv-3"]
    assert chosen["dataset.yaml"].reason == "of `expected_outcome` in dataset.jsonl"


@pytest.mark.parametrize(
    "line",
    [
        "# rubric: dialect=agentv-1",
        "#rubric: dialect = agentv-1",
        "  # rubric: lint=off dialect=agentv-1  # x",
        "# first\n# rubric: dialect=agentv-1",
    ],
)
def test_a_modeline_is_stronger(line):
    assert (
        analysis_of(f"{line}\ntests:\n  - id: a\n    assertions: [x]\n", dialect="agentv-2.7").choice.name == "agentv-1"
    )


def test_then_comes_the_setting():
    assert analysis_of("tests:\n  - id: a\n    assertions: [x]\n", dialect="agentv-2.7").choice.name == "agentv-2.7"


def test_names_that_do_not_exist_are_passed_over():
    assert (
        analysis_of("# rubric: dialect=agentv-99\nevalcases:\n  - id: a\n", dialect="nonsense").choice.name
        == "agentv-1"
    )


def test_the_dialect_of_an_edited_text_may_change():
    old = "tests:\n  - id: a\n    input: hi\n    assert: [{type: contains, value: x}]\n"
    assert analysis_of(old).choice.name == "agentv-2.7"
    assert analysis_of(old.replace("assert:", "assertions:")).choice.name == "agentv-3"


def messages_of(text: str) -> list[str]:
    return [diagnostic.message for diagnostic in analysis_of(text).diagnostics]


def test_no_setting_is_sent_to_an_execution_block_that_refuses_it():
    head = 'prompts: ["{{ q }}"]\nproviders: [{id: openai, label: bot}]\n'
    case = "tests:\n  - id: a\n    vars: {q: x}\n    target: bot\n    assert: [Explains]\n"
    assert messages_of(head + case) == ["agentv-5 refuses `target`: use `provider`"]
    old = "tests:\n  - id: a\n    criteria: c\n    input: x\n    %s: 0.5\n    assertions: [Explains]\n"
    assert messages_of(old % "target") == ["a case has no key `target`"]
    assert messages_of(old % "threshold") == ["a case has no key `threshold`; it stands under `execution`"]


def test_a_derived_metric_may_be_a_mapping():
    text = 'prompts: ["{{ q }}"]\nproviders: [{id: openai, label: bot}]\nderived_metrics: [{name: share, value: {op: div}}]\n'
    assert not messages_of(text + "tests: [{id: a, vars: {q: x}, assert: [Explains]}]\n")


# What a dialect is


def shapes(base: type[Shape] = Shape) -> set[type[Shape]]:
    return {base, *(s for c in base.__subclasses__() for s in shapes(c))}


@DIALECTS
def test_every_spelling_leads_to_a_field(dialect: Dialect):
    for shape, table in dialect.spellings.items():
        for spelling in table.values():
            assert not spelling.field or spelling.field in shape.keys, f"{shape.__name__}.{spelling.name}"


@DIALECTS
def test_a_field_has_one_current_spelling(dialect: Dialect):
    for shape in dialect.spellings:
        current = [s.field for s in dialect.table(shape).values() if s.fate is SpellingStatus.CURRENT]
        assert len(current) == len(set(current)), shape.__name__


@DIALECTS
def test_every_type_has_a_current_name(dialect: Dialect):
    for name in dialect.types.values():
        if name.fate is SpellingStatus.DEPRECATED:
            instead = re.search(r"write `([\w-]+)`", name.note)
            current = dialect.types.get(instead[1]) if instead else None
            assert dialect.type_name(name.shape) or (current is not None and current.fate is SpellingStatus.CURRENT), (
                name.name
            )


@DIALECTS
def test_a_suite_has_cases_and_a_case_has_input(dialect: Dialect):
    assert dialect.spelled(Suite, "cases")
    assert dialect.spelled(Case, "input") or dialect.spelled(Case, "vars")
    assert dialect.releases


@DIALECTS
def test_a_note_does_not_repeat_its_message(dialect: Dialect):
    """The message says what is wrong; the note says what the engine does."""
    for shape in dialect.spellings:
        for spelling in dialect.table(shape).values():
            if (
                spelling.fate in (SpellingStatus.TOLERATED, SpellingStatus.IGNORED, SpellingStatus.REJECTED)
                and spelling.field
            ):
                assert not spelling.note.startswith(f"{dialect.name} does not read it"), (
                    f"{shape.__name__}.{spelling.name}: {spelling.note}"
                )


def test_a_title_fits_into_a_sentence():
    for shape in shapes() - {Shape}:
        title = shape.title()
        assert title.startswith(("a ", "an ", "`")), f"{shape.__name__}: {title}"
        assert len(title) <= 45, title


def test_names_are_those_of_the_releases():
    assert [d.name for d in LANGUAGE.dialects] == [
        "agentv-0.1",
        "agentv-0.5",
        "agentv-1",
        "agentv-2.7",
        "agentv-3",
        "agentv-5",
    ]


@pytest.mark.parametrize(("old", "new"), [("agentv-1", "agentv-2.7"), ("agentv-2.7", "agentv-3")])
def test_a_later_dialect_knows_what_became_of_every_key(old, new):
    """A key is never simply unknown to the next dialect: it is current, renamed, or given up with a word."""
    before, after = LANGUAGE.dialect(old), LANGUAGE.dialect(new)
    for shape, table in before.spellings.items():
        for name, spelling in table.items():
            if spelling.fate is SpellingStatus.CURRENT:
                assert name in after.table(shape), f"{shape.__name__}.{name}"
