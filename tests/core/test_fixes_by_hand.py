"""Fixes that are made by hand, on the smallest text: what is offered first, and what it makes of it."""

import pytest
from harness import after, analysis_of

CASE = "tests:\n  - id: a\n    input: hi\n    criteria: Greets\n"
OLD = "evalcases:\n  - id: a\n    input: hi\n    expected_outcome: Greets\n"

#: What is written below a case, and what the first fix of the first finding makes of it.
BELOW = [
    ("assertions: {type: contains, value: hi}", "assertions: [{type: contains, value: hi}]"),
    ("assertions:\n      type: contains\n      value: hi # said", "assertions:\n      - type: contains\n        value: hi # said"),
    ("assertions: [{type: [contains], value: hi}]", "assertions: [{type: contains, value: hi}]"),
    ("assertions: [{type: contians, value: hi}]", "assertions: [{type: contains, value: hi}]"),
    ("assertions: [{type: regx, value: hi}]", "assertions: [{type: regex, value: hi}]"),
    ("assertions: [{type: contains-any, value: []}]", "assertions: [{type: contains-any, value: [refund, return]}]"),
    ("assertions: [{type: regex, value: '(a.b'}]", "assertions: [{type: regex, value: '\\(a\\.b'}]"),
    ("assertions: [{type: cost, budget: -1}]", "assertions: [{type: cost, budget: 1}]"),
    ("depends_on: [nobody]", ""),
    ("rubrics: [{id: c, outcome: Greets, required: true, weight: heavy}]", "rubrics: [{id: c, outcome: Greets, required: true}]"),
    ("rubrics: [{id: c, outcome: Greets, required: always}]", "rubrics: [{id: c, outcome: Greets, required: true}]"),
    ("rubrics: [{id: c, outcome: A, required: true, min_score: 7}]", "rubrics: [{id: c, outcome: A, required: true}]"),
    ("rubrics: [{id: c, score_ranges: {0: bad, 6: good}, min_score: 6}]", "rubrics: [{id: c, score_ranges: {0: bad, 6: good}, min_score: 0.6}]"),
    ("rubrics: [{id: c, score_ranges: {0: bad, 3: worse, 6: Bad.}}]", None),
    ("rubrics: [{id: c, score_ranges: {0: bad, 3: bad, 6: good}}]", "rubrics: [{id: c, score_ranges: {0: bad, 6: good}}]"),
    (
        "rubrics: [{id: c, score_ranges: [{score_range: [0, 4], outcome: bad}, {outcome: good}]}]",
        "rubrics: [{id: c, score_ranges: [{score_range: [0, 4], outcome: bad}, {outcome: good, score_range: [5, 10]}]}]",
    ),
    (
        "rubrics: [{id: c, score_ranges: [{score_range: [0, four], outcome: bad}, {score_range: [5, 10], outcome: good}]}]",
        "rubrics: [{id: c, score_ranges: [{score_range: [0, 4], outcome: bad}, {score_range: [5, 10], outcome: good}]}]",
    ),
    ("rubrics: [{id: c, score_ranges: {1: some, 0: none}}]", None),
    ("rubrics: [Greets, greets.]", "rubrics: [Greets]"),
    ("turns: [{input: hi}]", "mode: conversation\n    turns: [{input: hi}]"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "fixed"), BELOW, ids=[w[:40] for w, _ in BELOW])
def test_below_a_case(written, fixed):
    found = [d for d in analysis_of(f"{CASE}    {written}\n", "agentv-3").diagnostics if d.fixes]
    if fixed is None:
        assert not found
        return
    made = after(f"{CASE}    {written}\n", found[0].fixes[0])
    assert sorted(made.splitlines()) == sorted(f"{CASE}    {fixed}\n".rstrip(" \n").splitlines())


#: What is written below a case, and every fix of its first finding: its title, and what it makes of it.
OFFERED = [
    (
        "rubrics: [{id: c, score_ranges: {0-3: bad, 4-10: good}}]",
        {"write 0 and 4": "rubrics: [{id: c, score_ranges: {0: bad, 4: good}}]"},
    ),
    ("rubrics: [{id: c, score_ranges: [{score_range: 0-3, outcome: bad}, {score_range: 4-10, outcome: good}]}]", {
        "write 0–3 and 4–10": "rubrics: [{id: c, score_ranges: [{score_range: [0, 3], outcome: bad}, {score_range: [4, 10], outcome: good}]}]",
    }),
    (
        "assertions: [{type: tool-trajectory, mode: exact, expected: []}]",
        {"expect a call: …": "assertions: [{type: tool-trajectory, mode: exact, expected: [{tool: search}]}]"},
    ),
    (
        "metadata: {a: !thing x}",
        {"put it in quotes: text, not a tag": 'metadata: {a: "!thing x"}', "remove the tag": "metadata: {a: x}"},
    ),
    ("metadata: {a: !thing &x y}", {"remove the tag": "metadata: {a: &x y}"}),
    ("metadata:\n      a: !thing x\n        y", {"remove the tag": "metadata:\n      a: x\n        y"}),
]  # fmt: skip


@pytest.mark.parametrize(("written", "offered"), OFFERED, ids=[w[:40] for w, _ in OFFERED])
def test_every_fix_of_a_finding(written, offered):
    text = f"{CASE}    {written}\n"
    fixes = analysis_of(text, "agentv-3").diagnostics[0].fixes
    assert {fix.title: after(text, fix) for fix in fixes} == {t: f"{CASE}    {new}\n" for t, new in offered.items()}
    assert not any(fix.safe for fix in fixes)


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        ("{bad: [0, 3], good: [4, 10]}", "{0: bad, 4: good}"),
        # A map would give 4 to the first band.
        (
            "{bad: [0, 3], good: [5, 10]}",
            "[{score_range: [0, 3], outcome: bad}, {score_range: [5, 10], outcome: good}]",
        ),
    ],
)
def test_texts_over_their_bounds(written, fixed):
    text = f"{CASE}    rubrics: [{{id: c, score_ranges: {written}}}]\n"
    (finding,) = (d for d in analysis_of(text, "agentv-3").diagnostics if d.code == "malformed-band")
    assert [fix.title for fix in finding.fixes] == ["write them as bands"]
    assert after(text, finding.fixes[0]) == f"{CASE}    rubrics: [{{id: c, score_ranges: {fixed}}}]\n"


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        (
            "rubrics: [{id: c, score_ranges: {0: bad, 6: good}, min_score: 0.6}]",
            "rubrics: [{id: c, score_ranges: {0: bad, 6: good}, required_min_score: 6}]",
        ),
        ("assertions: [Greets warmly]", "rubrics: [Greets warmly]"),
    ],
)
def test_below_a_case_of_an_older_dialect(written, fixed):
    text = f"{OLD}    {written}\n"
    found = next(d for d in analysis_of(text, "agentv-1").diagnostics if d.fixes)
    assert after(text, found.fixes[0]) == f"{OLD}    {fixed}\n"


@pytest.mark.parametrize(
    ("value", "fixed"),
    [("{min: 4, max: 2}", "{min: 2, max: 4}"), ("{min: -1}", "{min: 1}"), ("{}", "{min: 1}")],
)
def test_limits_of_a_check(value, fixed):
    head = 'prompts: ["{{ q }}"]\ntests:\n  - id: a\n    vars: {q: hi}\n    assert:\n      - type: "trajectory:step-count"\n        value: '
    (found,) = [d for d in analysis_of(f"{head}{value}\n", "agentv-5").diagnostics if d.fixes]
    assert after(f"{head}{value}\n", found.fixes[0]) == f"{head}{fixed}\n"


@pytest.mark.parametrize(
    "text", ["tests: []\n", "name: x\n", "{name: x, tests: []}\n", 'prompts: ["{{ q }}"]\ntests:\n']
)
def test_a_first_case_is_asked_and_brings_nothing(text):
    (found,) = analysis_of(text, "agentv-5").diagnostics
    assert not analysis_of(after(text, found.fixes[0]), "agentv-5").diagnostics


HOOKED = 'prompts: ["{{ q }}"]\nextensions: [%s]\ntests:\n  - {id: a, vars: {q: hi}, assert: [Greets]}\n'
CHECKED = 'prompts: ["{{ q }}"]\ntests:\n  - {id: a, vars: {q: hi}, assert: [%s]}\n'
OLD_RUBRIC = f"{OLD}    rubrics: [{{id: c, expected_outcome: Says when to return it, %s}}]\n"
MESSAGE = "tests:\n  - id: a\n    criteria: Greets\n    input: %s\n"
METADATA = f"{CASE}    metadata: {{%s}}\n"
EXECUTION = f"execution:\n  %s\n{CASE}"
IN_MESSAGE = (
    "tests:\n  - id: a\n    criteria: Greets\n    input:\n      - role: user\n        content: hi\n        %s\n"
)
NO_INPUT = "tests:\n  - id: a\n    criteria: Greets\n    %s\n"
LAST = f"{CASE}    %s\n"
ASKED = "tests:\n  - {id: a, prompts: ['{{q}}'], vars: {q: hi}, assert: [Greets]}\n  - {%s, assert: [Greets]}\n"
SUITE = f"%s\n{CASE}"
CRITERIA = "prompts: ['{{q}}']\ntests:\n  - {id: a, vars: {q: &said hi}, criteria: %s, assert: [Greets]}\n"
HOOKS = ("beforeAll", "beforeEach", "afterEach", "afterAll")
BEFORE_HOOK = "file://a:b"

#: A dialect, a text, what is written in it, and every fix of the first finding there: whether it is safe, its title, and what it makes.
SAFE_OR_NOT = [
    ("agentv-5", HOOKED, "clean", []),
    ("agentv-5", HOOKED, "clean.py", [(False, f"write `file://clean.py:{h}`", f"file://clean.py:{h}") for h in HOOKS]),
    ("agentv-5", HOOKED, "hooks/clean", [(False, f"write `file://hooks/clean:{h}`", f"file://hooks/clean:{h}") for h in HOOKS]),
    ("agentv-5", HOOKED, "hooks/clean.py:afterAll", [(True, "put `file://` in front", "file://hooks/clean.py:afterAll")]),
    ("agentv-5", HOOKED, "hooks/clean.py:later", []),
    ("agentv-5", HOOKED, "'file://:afterAll'", []),  # nothing to run
    ("agentv-5", HOOKED, f"{BEFORE_HOOK}/c", [(False, f"add `:{h}`", f"{BEFORE_HOOK}/c:{h}") for h in HOOKS]),
    ("agentv-5", HOOKED, f"{BEFORE_HOOK}.py", [(False, f"add `:{h}`", f"{BEFORE_HOOK}.py:{h}") for h in HOOKS]),
    ("agentv-5", HOOKED, BEFORE_HOOK, [(False, f"change it to `{h}`", f"file://a:{h}") for h in HOOKS]),
    (
        "agentv-1",
        OLD_RUBRIC,
        "min_score: 0.6, score_ranges: {0: bad, 6: good}",
        [(True, "write `required_min_score: 6`", "required_min_score: 6, score_ranges: {0: bad, 6: good}")],
    ),
    (
        "agentv-1",
        OLD_RUBRIC,
        "min_score: 0.64, score_ranges: {0: bad, 6: good}",
        [(False, "write `required_min_score: 6`", "required_min_score: 6, score_ranges: {0: bad, 6: good}")],
    ),
    (
        "agentv-1",
        OLD_RUBRIC,
        "min_score: 0.6, score_ranges: {0: bad, 6: good}, required_min_score: 6",
        [(False, "remove `min_score`", "score_ranges: {0: bad, 6: good}, required_min_score: 6")],
    ),
    (
        "agentv-1",
        f"{OLD}    execution: {{evaluators: [{{%s, name: n, type: llm_judge}}]}}\n",
        "min_score: 0.6",
        [(False, "remove `min_score`", None)],
    ),
    ("agentv-1", OLD_RUBRIC, "required: true, operator: contradiction", [(False, "remove `operator`", "required: true")]),
    ("agentv-1", OLD_RUBRIC, "required: true, operator: 1", [(False, "remove `operator`", "required: true")]),
    (
        "agentv-1",
        f"{OLD}    %s: [{{type: llm_judge, name: n}}]\n",
        "assertions",
        [(True, "rename it to `evaluators`", "evaluators")],
    ),
    (
        "agentv-1",  # there an evaluator needs a name, and the list was not read so far
        f"{OLD}    %s: [{{type: llm_judge}}]\n",
        "assertions",
        [(False, "rename it to `evaluators`", "evaluators")],
    ),
    (
        "agentv-2.7",  # there it needs none
        f"{CASE}    %s: [{{type: llm_judge}}]\n",
        "assertions",
        [(True, "rename it to `assert`", "assert")],
    ),
    (
        "agentv-3",
        f"{CASE}    metadata: {{note: %s}}\n",
        "*bold",
        [(False, "put it in quotes: text, not a reference", '"*bold"')],
    ),
    (
        "agentv-5",
        CHECKED,
        "{type: composite, aggregator: {type: weighted_average}, assert: [Greets]}",
        [(False, "make it `assert-set`", "{type: assert-set, threshold: 0.8, assert: [Greets]}")],
    ),
    (
        "agentv-5",
        CHECKED,
        "{type: composite, assert: [Greets]}",
        [(False, "make it `assert-set`", "{type: assert-set, assert: [Greets]}")],
    ),
    ("agentv-5", CHECKED, "{type: composite, aggregator: {type: weighted_average, weights: {a: 1}}, assert: [Greets]}", []),
    ("agentv-5", CHECKED, "{type: composite, aggregator: {type: threshold}, assert: [Greets]}", []),
    (
        "agentv-2.7",
        MESSAGE,
        "{role: user, content: hi}",
        [(True, "make it a list with one message", "[{role: user, content: hi}]")],
    ),
    (
        "agentv-2.7",
        MESSAGE,
        "{role: user}",
        [
            (False, "write only the text", "user"),
            (False, "make it a list with one message", '[{role: user, content: "…"}]'),
        ],
    ),
    (
        "agentv-2.7",
        MESSAGE,
        "\n      role: user",
        [(False, "make it a list with one message", "\n      - role: user")],
    ),
    (
        "agentv-3",
        f"{CASE}    assertions:\n      - type: contains\n        value: x\n%snegate: true\n",
        "    ",
        [
            (False, "indent it: it belongs to the item above", "        "),
            (False, "remove `negate`", None),
        ],
    ),
    ("agentv-3", MESSAGE, "\n      - role: user\n        content: hi\n        ? assertions\n        : [Greets]", []),
    (
        "agentv-3",
        f"{CASE}    rubrics:\n      - id: c\n        score_ranges:%s",
        "\n          - 0-4: |\n              bad\n          - 5-10: 'good: yes'\n",
        [
            (
                True,
                "write them as bands",
                (
                    '\n          - score_range: [0, 4]\n            outcome: "bad\\n"'
                    "\n          - score_range: [5, 10]\n            outcome: 'good: yes'\n"
                ),
            )
        ],
    ),
    (
        "agentv-3",
        "tests:\n  - {id: a, vars: {name: Ann}, input: 'Hi {{ %s }}', criteria: Greets}\n",
        "nme",
        [(True, "change it to `name`", "name")],
    ),
    # A key that is the first of its item has no item above.
    (
        "agentv-3",
        "tests:\n  - %sid: a\n    input: hi\n    criteria: Greets\n    assertions: [{type: contains, value: x}]\n",
        "negate: true\n    ",
        [(False, "remove `negate`", "")],
    ),
    ("agentv-3", METADATA, "a: x, a: x", [(True, "remove this one", "a: x")]),
    ("agentv-3", METADATA, "a: x, a: y", [(False, "remove this one", "a: x"), (False, "remove the other one", "a: y")]),
    ("agentv-3", METADATA, "a: 1, a: '1'", [(False, "remove this one", "a: 1"), (False, "remove the other one", "a: '1'")]),
    ("agentv-3", METADATA, "a: [x], a: [x]", [(False, "remove this one", None), (False, "remove the other one", None)]),
    ("agentv-3", EXECUTION, "target: [a, b]", [(False, "rename it to `targets`", "targets: [a, b]")]),
    # There are `targets` already.
    ("agentv-3", EXECUTION, "target: [a, b]\n  targets: [c]", [
        (False, "change it to `a`", "target: a\n  targets: [c]"), (False, "change it to `b`", "target: b\n  targets: [c]"),
    ]),
    ("agentv-3", SUITE, "workers: 4", [(False, "move it under `execution`", "execution: {workers: 4}")]),
    ("agentv-3", SUITE, "trials:\n  count: 3", [(False, "move it under `execution`", "execution:\n  trials:\n    count: 3")]),
    ("agentv-3", IN_MESSAGE, "assertions: [Greets]", [(False, "move it to the case", None)]),
    # What has several lines, if only by the list below its key, cannot be moved as it is.
    ("agentv-3", IN_MESSAGE, "assertions:\n          - {type: contains, value: hi}", []),
    ("agentv-3", IN_MESSAGE, "assertions: [Greets,\n          Answers]", []),
    ("agentv-3", NO_INPUT, "input_messages: [{role: user, content: hi}]", [(True, "rename it to `input`", "input: [{role: user, content: hi}]")]),
    ("agentv-3", LAST, "assert: [{type: mine}]", [(True, "rename it to `assertions`", "assertions: [{type: mine}]")]),
    # Nothing has read these evaluators so far: under their new name they have to be known.
    ("agentv-2.7", LAST, "assertions: [{name: x, type: contains, value: x}]", [(True, "rename it to `assert`", None)]),
    ("agentv-2.7", LAST, "assertions: [{name: x, type: mine}]", [(False, "rename it to `assert`", None)]),
    ("agentv-3", LAST, "assertions:\n      - contains:\n          value: hi\n          weight: 2", [
        (True, "write `type: contains` beside its keys", "assertions:\n      - type: contains\n        value: hi\n        weight: 2"),
    ]),
    ("agentv-3", LAST, "assertions:\n      - contains: {value: hi}", []),
    ("agentv-3", LAST, "assertions:\n      - contains: # greets\n          value: hi", []),  # the comment would be lost
    # The prompts of the other case may not suit this one.
    ("agentv-5", ASKED, "id: b, vars: {q: hi}", [(False, 'add `prompts: ["{{ q }}"]`', 'id: b, prompts: ["{{ q }}"], vars: {q: hi}')]),
    # A text that an anchor gives stays where it is.
    ("agentv-5", CRITERIA, "*said", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "text", "written", "offered"), SAFE_OR_NOT, ids=[w[:40] for _, _, w, _ in SAFE_OR_NOT]
)
def test_what_is_safe_and_what_has_to_be_chosen(dialect, text, written, offered):
    whole = text.replace("%s", written)
    found = analysis_of(whole, dialect).diagnostics[0]
    made = [(fix.safe, fix.title, after(whole, fix)) for fix in found.fixes]
    assert [each[:2] for each in made] == [each[:2] for each in offered]
    for (_, _, got), (_, _, wanted) in zip(made, offered, strict=True):
        assert wanted is None or got == text.replace("%s", wanted)


@pytest.mark.parametrize(
    "text",
    [
        "tests:\n  - {id: a, vars: {name: '{{ nme }}'}, input: hi, criteria: Greets}\n",
        "tests:\n  - {id: a, vars: {name: Ann}, input: hi, criteria: '{% set nme = 1 %}{{ nme }}'}\n",
    ],
)
def test_names_that_may_be_filled_in_otherwise_are_left_alone(text):
    assert not analysis_of(text, "agentv-3").diagnostics


@pytest.mark.parametrize("band", ["0-4: 7", "0-4:", "0-4: [bad]"])
def test_a_band_that_says_nothing_gets_no_text_of_our_own(band):
    text = (
        "tests:\n  - id: a\n    input: hi\n    criteria: Greets\n    assertions:\n      - type: rubrics\n        criteria:\n"
        f"          - id: x\n            outcome: y\n            score_ranges:\n              - {band}\n"
        "              - {score_range: [5, 10], outcome: good}\n"
    )
    found = analysis_of(text, "agentv-3").diagnostics
    assert [each.code for each in found] == ["malformed-band"]
    assert not found[0].fixes


#: A list of evaluators where no release reads one.
ROOT = "evaluators:\n  - name: quality\n    type: rubric\n    rubrics:\n      - id: accuracy\n        expected_outcome: Is correct\n"
INNER = ROOT.replace("\n", "\n  ").rstrip(" ")


@pytest.mark.requirement("rubric-among-evaluators")
@pytest.mark.parametrize(
    ("text", "title", "made"),
    [
        (ROOT, "move it under `execution`", f"execution:\n  {INNER}"),
        (f"{ROOT}{OLD}", "move it under `execution`", f"execution:\n  {INNER}{OLD}"),
        (f"execution:\n  target: bot\n{ROOT}{OLD}", "move it under `execution`", f"execution:\n  target: bot\n  {INNER}{OLD}"),
        (
            f"execution: {{target: bot}}\nevaluators: [{{name: q, type: llm_judge}}]\n{OLD}",
            "move it under `execution`",
            f"execution: {{target: bot, evaluators: [{{name: q, type: llm_judge}}]}}\n{OLD}",
        ),
        (
            f"execution:\n  evaluators: [{{name: q, type: llm_judge}}]\nevaluators: [{{name: r, type: llm_judge}}]\n{OLD}",
            "remove `evaluators`",
            f"execution:\n  evaluators: [{{name: q, type: llm_judge}}]\n{OLD}",
        ),
        (
            "# rubric: dialect=agentv-5\nevaluators: [{type: contains, value: hi}]\ntests: [{id: a, vars: {x: y}}]\n",
            "rename it to `assert`",
            "# rubric: dialect=agentv-5\nassert: [{type: contains, value: hi}]\ntests: [{id: a, vars: {x: y}}]\n",
        ),
    ],
    ids=["alone", "no block", "a block", "one line", "a list there", "the newest dialect"],
)  # fmt: skip
def test_evaluators_at_the_top_level_are_moved_to_where_they_are_read(text, title, made):
    found = next(d for d in analysis_of(text).diagnostics if d.code == "renamed-key")
    assert [fix.title for fix in found.fixes] == [title]
    assert after(text, found.fixes[0]).rstrip("\n") == made.rstrip("\n")
    assert not found.fixes[0].safe
