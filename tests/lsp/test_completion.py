"""What completion offers, place by place and dialect by dialect, and what becomes of the text."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from client import VSCODE, Connect
from every_key import KeyPlace, places_of_keys
from harness import LANGUAGE, cursor
from thorough import sample

from rubric_core.analysis import Analysis, analyze
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import children
from rubric_core.language.usage_counts import count
from rubric_lsp.features.completion import Completion, complete

KNOWN = {
    "target": ["local", "judge"],
    "file": ["cases.yaml", "other.eval.yaml", "prompts/judge.md", "prompts/other.md", "picture.png"],
    "directory": ["scripts"],
    "script": ["check.py"],
    "template": ["safety"],
    "type": ["my-check"],
}


def names(kind: str, typed: str = "", fits: Callable[[str], bool] = lambda _: True, /) -> Sequence[str]:
    found = [name for name in KNOWN.get(kind, ()) if fits(name)]
    return [f"../{n}" for n in found] if typed.startswith("../") else found


def analysis(text: str, dialect: str = "agentv-3", path: str | None = None) -> Analysis:
    where = Path(path) if path else None
    return analyze(LANGUAGE.document(text, where), LANGUAGE, dialect=dialect, path=where)


def offered(marked: str, dialect: str = "agentv-3", path: str | None = None) -> list[Completion]:
    text, offset = cursor(marked)
    found = complete(analysis(text, dialect, path), offset, names)
    for each in found:
        assert "\n" not in text[each.span.start : each.span.end], "an edit of another line"
        assert each.span.start <= offset <= each.span.end
        assert not re.search(r"\$[{\d]", each.plain)
    return sorted(found, key=lambda c: c.sort)


def labels(marked: str, dialect: str = "agentv-3", path: str | None = None) -> list[str]:
    return [c.label for c in offered(marked, dialect, path)]


def accepted(marked: str, label: str, dialect: str = "agentv-3", *, path: str | None = None) -> str:
    """The text when an offer is taken: tab stops filled with what they show, lines indented as an editor does."""
    text, _ = cursor(marked)
    chosen = next(c for c in offered(marked, dialect, path) if c.label == label)
    line = text[text.rfind("\n", 0, chosen.span.start) + 1 : chosen.span.start]
    margin = line[: len(line) - len(line.lstrip(" "))]
    written = (chosen.snippet or chosen.plain).replace("\n", "\n" + margin)
    written = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\|\}", r"\1", written)
    written = re.sub(r"\$\{\d+:((?:[^\\}]|\\.)*)\}|\$\d+", lambda m: re.sub(r"\\(.)", r"\1", m[1] or ""), written)
    written = written.replace("\\$", "$")
    return text[: chosen.span.start] + written + text[chosen.span.end :]


CASE = "tests:\n  - id: a\n    criteria: x\n    input: hi\n"
CHECKS = CASE + "    assertions:\n"
RUBRIC = CHECKS + "      - type: rubrics\n        criteria:\n"


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("<|>", ["suite", "name", "description"]),
        ("te<|>", ["suite", "name", "description"]),
        ("name: x\n<|>", ["description", "tests"]),
        ("tests:\n  <|>", ["case"]),
        ("tests:\n  - <|>", ["case", "id", "input"]),
        ("tests:\n  - i<|>", ["case", "id", "input"]),
        ("tests:\n  - id: a\n    <|>", ["criteria", "assertions", "input"]),
        ("tests: [{<|>}]", ["id", "input"]),
        ("tests: [{id: a, <|>}]", ["criteria", "assertions", "input"]),
        (CHECKS + "      - t<|>", ["type", "name"]),
        (CHECKS + "      - type: contains\n        <|>", ["value", "required"]),
        (CASE + "    assertions: [{type: contains, <|>}]", ["value", "required"]),
        (RUBRIC + "          - <|>", ["criterion", "outcome", "id"]),
        (RUBRIC + "          - id: x\n            <|>", ["outcome", "weight"]),
        (RUBRIC + "          - id: x\n            score_ranges: <|>", ["bands as a map", "bands as a list"]),
        (
            RUBRIC + "          - id: x\n            score_ranges:\n              - <|>",
            ["band", "outcome", "score_range"],
        ),
        (CASE + "    on_dependency_failure: <|>", ["skip", "fail", "run"]),
        (CASE + '    on_dependency_failure: "<|>"', ["skip", "fail", "run"]),
        (CHECKS + "      - type: contains\n        negate: <|>", ["true", "false"]),
        (CASE.replace("input: hi\n", "input:\n      - role: <|>"), ["user", "system", "assistant", "tool"]),
        (CASE.replace("input: hi\n", "input:\n      <|>"), ["message"]),
    ],
)
def test_keys_and_words(marked: str, first: list[str]) -> None:
    assert labels(marked)[: len(first)] == first


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        # The key behind the one in front, as the neighbours have it.
        ("tests:\n  - id: a\n    input: x\n    criteria: y\n  - id: b\n    <|>", ["input"]),
        ("tests:\n  - id: a\n    metadata: {}\n  - id: b\n    metadata: {}\n  - id: c\n    <|>", ["metadata"]),
        ("tests: [{id: a, metadata: {}}, {id: b, metadata: {}}, {id: c, <|>}]", ["metadata"]),
        # Before the first and behind the last key of a mapping.
        (CHECKS + "      - <|>\n        value: x\n", ["type", "name"]),
        (CASE + "<|>", ["description", "execution"]),
        # Types and words: by what the neighbours have, and by the item in front.
        (CHECKS + "      - type: is-json\n      - type: is-json\n      - type: <|>", ["is-json"]),
        (CASE.replace("input: hi\n", "input:\n      - role: system\n        content: x\n      - role: <|>"), ["user"]),
        (
            CASE.replace("input: hi\n", "input:\n      - role: user\n        content: x\n      - role: <|>"),
            ["assistant"],
        ),
        (CASE + "    expected_output:\n      - role: <|>", ["assistant"]),
        (CHECKS + "      - type: regex\n        value: a\n        required: <|>", ["true"]),
        # Names that are in use come first.
        (
            "execution:\n  target: judge\n" + CHECKS + "      - type: llm-grader\n        target: <|>",
            ["judge", "local"],
        ),
    ],
)
def test_what_is_used_comes_first(marked: str, first: list[str]) -> None:
    assert labels(marked)[: len(first)] == first


@pytest.mark.parametrize("place", [p for p in places_of_keys() if p.shape in (Evaluator, Assertion)], ids=str)
def test_what_an_evaluator_is_comes_first(place: KeyPlace) -> None:
    """The type decides which other keys there are."""
    found = offered(f"{place.lead}<|>", place.dialect.name, f"/project/{place.file}")
    assert next(c.label for c in found if c.kind == "key") == "type"


def test_types_come_by_how_many_suites_have_them() -> None:
    found = labels(CHECKS + "      - type: <|>")
    assert set(found[:4]) == {"contains", "llm-grader", "code-grader", "rubrics"}
    current = [c.label for c in offered(CHECKS + "      - type: <|>") if not c.deprecated]
    assert current.index("rubric") > current.index("skill-trigger"), "of those without uses the last"


def test_what_the_workspace_uses_comes_before_what_others_use() -> None:
    text, offset = cursor(CHECKS + "      - type: <|>")
    other = analysis(CHECKS + "      - type: latency\n        threshold: 5\n      - type: cost\n        budget: 1\n")
    workspace = count(each for state in other.states.values() for root in state.shapes for each in children(root))
    found = sorted(complete(analysis(text), offset, names, workspace), key=lambda c: c.sort)
    assert found[0].label == "latency", "where a list begins"
    assert "cost" in [c.label for c in found[:5]], "somewhere in a list"


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS])
def test_what_a_type_does_stands_beside_it(dialect: str) -> None:
    known = LANGUAGE.dialect(dialect)
    cases = known.spelled(Suite, "cases")
    checks = known.spelled(Case, "assertions") or known.spelled(Case, "evaluators")
    if checks is None:
        pytest.skip("a case has no evaluators of its own")
    found = offered(f"{cases}:\n  - id: a\n    {checks}:\n      - type: <|>", dialect)
    told = {c.label: c.detail for c in found if c.kind == "type" and not c.deprecated}
    assert told
    assert not {label for label, each in told.items() if len(each.split()) < 3 or label in each}
    if "contains" in told:
        assert told["contains"] == "the answer has this text in it"


@pytest.mark.parametrize(
    "marked",
    [
        CHECKS + "      - type: <|>",
        CHECKS + "      - type: con<|>\n        value: x\n",
        CHECKS + '      - type: "<|>"',
        CHECKS + "      - type: 'con<|>",
        CHECKS + "      - <|>",
        CASE + "    assertions: [{type: <|>}]",
    ],
)
def test_types_wherever_one_can_stand(marked: str) -> None:
    found = labels(marked)
    assert {"contains", "rubrics", "composite", "my-check"} <= set(found)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("execution: {target: <|>}\n" + CASE, ["local", "judge"]),
        ("execution:\n  targets:\n    - <|>\n" + CASE, ["local", "judge"]),
        (CHECKS + "      - type: llm-grader\n        target: <|>", ["local", "judge"]),
        (CASE + "  - id: b\n    depends_on: [<|>]", ["a"]),
        (CASE + "  - id: b\n    depends_on:\n      - <|>", ["a"]),
        (CASE + "  - id: b\n    depends_on: ['<|>']", ["a"]),
        (CHECKS + "      - include: <|>", ["safety"]),
        (CASE + "    input_files: [<|>]", ["cases.yaml", "prompts/judge.md"]),
        (CASE + "    input_files:\n      - ../<|>", ["../cases.yaml", "../prompts/judge.md"]),
        (CASE + "    workspace: <|>", ["cases.yaml"]),
        ("tests: <|>", ["cases.yaml", "other.eval.yaml"]),
        ("tests: file://<|>", ["file://cases.yaml", "file://other.eval.yaml"]),
        ("tests:\n  - file://<|>", ["file://cases.yaml", "file://other.eval.yaml"]),
        (
            CASE + "    input:\n      - role: user\n        content:\n          - {type: file, value: <|>}",
            ["cases.yaml"],
        ),
        (CHECKS + "      - type: llm-grader\n        prompt: <|>", ["prompts/judge.md", "prompts/other.md"]),
        (CHECKS + "      - type: code-grader\n        command: [python, <|>]", ["check.py"]),
        (CHECKS + "      - type: code-grader\n        cwd: <|>", ["scripts"]),
    ],
)
def test_names_and_paths(marked: str, expected: list[str]) -> None:
    assert labels(marked)[: len(expected)] == expected


@pytest.mark.parametrize(
    "marked",
    [
        CASE + "    workspace: <|>",
        CHECKS + "      - type: llm-grader\n        prompt: <|>",
        CASE + "    input_files: [<|>]",
        CASE + "    input:\n      - {role: user, content: [{type: image, value: <|>}]}",
    ],
)
def test_suites_are_offered_only_where_cases_are_taken_over(marked: str) -> None:
    found = labels(marked)
    assert "other.eval.yaml" not in found
    assert ("picture.png" in found) == ("image" in marked or "input_files" in marked)


def test_files_that_the_neighbours_have_come_first() -> None:
    before = CHECKS + "      - {type: llm-grader, prompt: prompts/other.md}\n"
    assert labels(before + "      - type: llm-grader\n        prompt: <|>")[:2] == [
        "prompts/other.md",
        "prompts/judge.md",
    ]


@pytest.mark.parametrize("lead", ["", "./", "file://", "file://./"])
def test_paths_are_written_as_the_neighbours_write_them(lead: str) -> None:
    before = CHECKS + f"      - {{type: llm-grader, prompt: '{lead}prompts/other.md'}}\n"
    asked = before + "      - type: llm-grader\n        prompt: <|>"
    assert labels(asked)[:2] == [f"{lead}prompts/other.md", f"{lead}prompts/judge.md"]
    assert not labels(asked.replace("<|>", "pro<|>"))[0].startswith((".", "file:")), "as it was begun"


def test_paths_of_prompts_are_marked_in_the_newest_dialect() -> None:
    keys = [
        "id", "label", "raw", "prompt", "messages", "path", "file", "command", "config", "function", "function_file", "prefix", "suffix",
        "role", "content",
    ]  # fmt: skip
    paths = ["file://cases.yaml", "file://prompts/judge.md", "file://prompts/other.md"]
    assert labels("prompts:\n  - <|>\n", "agentv-5") == [*keys, *paths]


COMPOSITE = (
    CHECKS
    + "      - type: composite\n        assertions:\n          - {name: safe, type: contains, value: x}\n"
    + "          - {name: in tone, type: llm-grader}\n"
)


@pytest.mark.parametrize(
    "marked",
    [
        COMPOSITE + "        aggregator:\n          type: weighted_average\n          weights:\n            <|>",
        COMPOSITE + "        aggregator: {type: weighted_average, weights: {<|>}}",
    ],
)
def test_members_of_a_composite_in_its_weights(marked: str) -> None:
    assert labels(marked) == ["safe", "in tone"]


def test_members_that_have_a_weight_are_left_out() -> None:
    text = COMPOSITE + "        aggregator:\n          weights:\n            safe: 1\n            <|>"
    assert labels(text) == ["in tone"]
    assert accepted(text, "in tone").endswith("\n            in tone: 1.0")


PROMPT = CHECKS + "      - type: llm-grader\n        prompt: "


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        ("Judge {{<|>", "Judge {{ output }}"),
        ("Judge {{ <|> }}", "Judge {{ output }}"),
        ('"Judge {{ out<|>"', '"Judge {{ output }}"'),
        ("|\n          Judge\n          {{ <|>\n          kindly\n", "{{ output }}\n          kindly\n"),
    ],
)
def test_template_variables_in_prompts(typed: str, after: str) -> None:
    assert "output" in labels(PROMPT + typed)
    assert accepted(PROMPT + typed, "output").endswith(after)


def test_template_variables_on_their_way_out_are_not_offered() -> None:
    head = "evalcases:\n  - id: a\n    execution:\n      evaluators:\n        - {name: n, type: llm_judge, prompt: '{{ <|> }}'}\n"
    assert labels(head, "agentv-0.5") == [
        "candidate_answer", "expected_messages", "question", "expected_outcome", "reference_answer", "input_messages"
    ]  # fmt: skip
    assert not {"input_text", "output_text", "answer"} & set(labels(PROMPT + "'{{ <|> }}'"))


def test_values_of_the_case_between_braces() -> None:
    text = "default_test: {vars: {tone: polite}}\ntests:\n  - vars: {who: Ada}\n    prompts: ['{{ <|> }}']\n  - vars: {x: 1}\n"
    assert [(c.label, c.detail) for c in offered(text, "agentv-5")] == [("tone", "polite"), ("who", "Ada")]


def test_nothing_in_comments_and_texts() -> None:
    assert labels("# <|>") == []
    assert labels(CASE + "    # a {{ <|>") == []
    assert labels(CASE + "    input: |\n      some <|>text\n") == []
    assert labels(CHECKS + "      - type: |<|>") == labels(CHECKS + "      - type: ><|>") == []
    assert labels(CHECKS + "      - type: |-<|>\n          contains\n") == []


def test_a_key_in_front_of_a_block_scalar_is_behind_the_one_above() -> None:
    marked = "tests:\n  - id: a\n    criteria: |-\n      good\n\n    input:\n      - role: user\n        <|>: |-\n          hi\n"
    assert labels(marked)[0] == "content"
    assert (
        labels(marked.replace("good\n", "good\n\n      and <|>so on\n").replace("        <|>:", "        content:"))
        == []
    )


def test_prompts_of_the_suite_know_the_variables_of_its_cases() -> None:
    cases = "tests:\n  - vars: {who: Ada, tone: [a, {b: true}]}\n  - vars: {more: 1}\n"
    found = {c.label: c for c in offered("prompts:\n  - 'Hi {{ <|>'\n" + cases, "agentv-5")}
    assert set(found) == {"who", "tone", "more"}
    assert found["who"].detail == "Ada"
    assert found["tone"].documentation() == "```yaml\n- a\n- b: true\n```"
    own = offered("prompts: [x]\n" + cases + "    description: '{{ <|>'\n", "agentv-5")
    assert [c.label for c in own] == ["more"], "in a case its own"


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("# rubric: <|>\n" + CASE, ["dialect=", "ignore[]", "ignore-file[]"]),
        ("# rubric: dialect=<|>\n" + CASE, ["agentv-5", "agentv-3"]),
        ("# rubric: dialect=agentv-<|>3\n" + CASE, ["agentv-5", "agentv-3"]),
        # What is found here comes first, then what is found in the file.
        (CASE + "    weigth: 1 # rubric: ignore[<|>]\n  - id: a\n", ["unknown-key", "duplicate-case-id"]),
        (CASE + "    weigth: 1 # rubric: ignore[unknown-key, <|>]\n  - id: a\n", ["duplicate-case-id"]),
        ("x: &one 1\n" + CASE + "    metadata:\n      a: &two 2\n      b: *<|>\n", ["two", "one"]),
        (CASE + "    metadata:\n      a: &two {b: 1}\n      c: *<|>\n      d: &later 1\n", ["two"]),
        (CASE + "    metadata: &m {a: 1}\n  - id: b\n    metadata: *<|>\n", ["m"]),
        ("x: &one 1\ny: &map {a: 1}\n" + CASE + "    <<: *<|>\n", ["map"]),
    ],
)
def test_comments_for_rubric_and_aliases(marked: str, first: list[str]) -> None:
    assert labels(marked)[: len(first)] == first


def test_nothing_is_offered_where_it_would_be_no_alias() -> None:
    for marked in (CASE + "    note: 2 *<|>\n", CASE + '    note: "*<|>"\n', CASE + "    # rubric is <|>\n"):
        assert labels(marked) == [], marked
    assert "later" not in labels(CASE + "    metadata: {a: *<|>, b: &later 1}\n")
    assert labels("x: &one 1\ny: &map {a: 1}\n" + CASE + "    <<: *<|>\n") == ["map"]


def test_an_alias_shows_its_value() -> None:
    (one,) = offered("x: &one\n  a: 1\n  b: ![x](http://x)\n" + CASE + "    metadata: *<|>\n")
    assert one.detail == "a: 1 b: ![x](http://x)"
    assert one.documentation() == "```yaml\na: 1\nb: ![x](http://x)\n```"


def test_a_modeline_is_completed_to_a_dialect() -> None:
    assert accepted("# rubric: dialect=agentv-<|>1\n" + CASE, "agentv-3") == "# rubric: dialect=agentv-3\n" + CASE
    assert accepted(CASE + "    # rubric: ig<|>\n", "ignore[]") == CASE + "    # rubric: ignore[]\n"


# -- other kinds of files ----------------------------------------------------------------------------------------------

TARGETS = "/x/.agentv/targets.yaml"


@pytest.mark.parametrize(
    ("marked", "expected", "path"),
    [
        ("<|>", ["targets"], TARGETS),
        ("targets:\n  <|>", ["target"], TARGETS),
        ("targets:\n  - <|>", ["target", "name", "provider"], TARGETS),
        ("targets:\n  - name: x\n    provider: mo<|>", ["cli", "azure"], TARGETS),
        ("targets:\n  - name: x\n    provider: mock\n    resp<|>", ["grader_target"], TARGETS),
        ("targets:\n  - {name: one}\n  - name: x\n    grader_target: <|>", ["local", "judge", "one"], TARGETS),
        ("<|>", ["$schema", "eval_patterns"], "/x/.agentv/config.yaml"),
        ("- id: a\n  <|>", ["criteria", "assertions"], "/x/cases.yaml"),
    ],
)
def test_other_kinds_of_files(marked: str, expected: list[str], path: str) -> None:
    assert labels(marked, path=path)[: len(expected)] == expected


def test_the_settings_of_a_provider() -> None:
    assert "response" in labels("targets:\n  - name: x\n    provider: mock\n    <|>", path=TARGETS)
    assert "response" not in labels("targets:\n  - name: x\n    provider: openai\n    <|>", path=TARGETS)


# -- what was given up -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "dialect", "old", "line"),
    [
        ("evalcases:\n  - id: a\n    <|>", "agentv-0.5", "grader", "    evaluator: llm_judge"),
        ("evalcases:\n  - id: a\n    gra<|>", "agentv-1", "grader", "    evaluator: llm_judge"),
        ("evalcases:\n  - id: a\n    gra<|>: llm_judge", "agentv-1", "grader", "    evaluator: llm_judge"),
        ("evalcases: [{id: a, <|>}]", "agentv-1", "grader", "evalcases: [{id: a, evaluator: }]"),
    ],
)
def test_a_key_that_was_given_up_is_last_and_writes_its_successor(
    marked: str, dialect: str, old: str, line: str
) -> None:
    found = offered(marked, dialect)
    gone = next(c for c in found if c.label == old)
    assert gone.deprecated
    assert gone.detail == "deprecated: use evaluator"
    assert [c for c in found if c.sort > gone.sort and not c.deprecated] == []
    assert accepted(marked, old, dialect).partition("|")[0].rstrip(" ").splitlines()[-1].startswith(line.rstrip()[:14])


ONE_PER_SHAPE = {(place.dialect.name, place.file, place.shape): place for place in places_of_keys()}.values()


@pytest.mark.parametrize("dialect", [*(d.name for d in DIALECTS), "promptfoo"])
def test_nothing_that_was_given_up_is_its_own_successor(dialect: str) -> None:
    """In every mapping of the language, among its keys and among its types."""
    for place in (each for each in ONE_PER_SHAPE if each.dialect.name == dialect):
        where = f"/project/{place.file}"
        found = offered(f"{place.lead}<|>", dialect, where)
        if place.shape.tag:
            found += offered(f"{place.lead}{place.shape.tag}: <|>", dialect, where)
        for each in found:
            instead = each.detail.removeprefix("deprecated: use ")
            assert each.deprecated is (instead != each.detail), (place, each.label)
            assert instead != each.label, (place, each.label)
            assert not each.deprecated or not each.plain.startswith(f"{each.label}:"), (place, each.label)


# -- whole things ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS])
def test_a_whole_suite_is_sound_in_every_dialect(dialect: str) -> None:
    text = accepted("<|>", "suite", dialect)
    assert [f"{d.code}: {d.message}" for d in analysis(text, dialect).diagnostics if d.severity != "hint"] == []
    spelled = analysis(text, dialect).dialect
    more = accepted(text + "  <|>", "case", dialect).replace("id: name\n", "id: other\n", 1)
    again = [d for d in analysis(more, dialect).diagnostics if d.code not in ("duplicate-case-id", "same-criterion")]
    assert [f"{d.code}: {d.message}" for d in again] == [], more
    assert spelled.name == dialect


def _checked(text: str) -> list[str]:
    return [f"{d.code}: {d.message}" for d in analysis(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize("label", ["bands as a map", "bands as a list"])
@pytest.mark.parametrize(
    "place",
    [
        "          - id: x\n            outcome: y\n            score_ranges: <|>\n",
        "          - id: x\n            outcome: y\n            score_ranges:\n              <|>\n",
        "          - {id: x, outcome: y, score_ranges: <|>}\n",
    ],
)
def test_skeletons_of_bands_are_sound(place: str, label: str) -> None:
    text = accepted(RUBRIC + place, label)
    assert _checked(text) == [], text
    (band,) = {len(s.bands) for s in _ranges(analysis(text))}
    assert band == 3


def _ranges(found: Analysis) -> list[object]:
    from rubric_core.language.evaluators import ScoreRanges
    from rubric_core.language.shape import children

    return [s for e in found.cases for s in children(e.case) if isinstance(s, ScoreRanges)]


@pytest.mark.parametrize("kind", ["contains", "rubrics", "composite", "code-grader", "llm-grader", "regex", "latency"])
@pytest.mark.parametrize("place", ["      - type: <|>\n", "      - <|>\n"])
def test_a_type_comes_with_the_fields_that_it_needs(kind: str, place: str) -> None:
    text = accepted(CHECKS + place, kind)
    found = [d for d in analysis(text).diagnostics if d.code in ("missing-key", "unknown-key", "syntax-error")]
    assert [d.message for d in found if "composite" not in kind] == [], text


RESOLVING = {
    **VSCODE,
    "textDocument": {
        **VSCODE["textDocument"],
        "completion": {
            "completionItem": {
                **VSCODE["textDocument"]["completion"]["completionItem"],
                "resolveSupport": {"properties": ["documentation", "detail"]},
            }
        },
    },
}


JSON = """{
  "name": "a",
  "tests": [
    {
      "id": "a",
      "assertions": [
        {
          "type": "contains", # a { in a comment
          <|>
        }
      ]
    }
  ]
}
"""


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        JSON.replace("<|>", '"<|>"'),
        JSON.replace("<|>", '"<|>": 1'),
        '{"name":"a","tests":[{"id":"a","assertions":[{"type":"contains",<|>}]}]}',
        "tests:\n  - id: a\n    assertions:\n      - &same {type: contains, <|>}",
        "tests:\n  - id: a\n    assertions:\n      - !!map {type: contains, <|>}",
        "tests:\n  -\n    id: a\n    assertions:\n      -\n        type: contains\n        <|>",
    ],
    ids=[
        "brackets over lines",
        "a quoted key",
        "one with a colon",
        "JSON in a line",
        "an anchor",
        "a tag",
        "dashes alone",
    ],
)
def test_keys_are_offered_in_every_layout(text: str) -> None:
    assert set(labels(text)) == {"name", "weight", "required", "min_score", "negate", "preprocessors", "value"}


def test_a_map_of_bands_has_scores_for_keys() -> None:
    assert labels("tests: [{id: a, rubrics: [{score_ranges: {0: bad, <|>}}]}]") == []


@pytest.mark.parametrize("typed", ["", "i"])
def test_a_key_that_is_being_typed_makes_nothing_else_of_a_file(typed: str) -> None:
    offered = labels(f"template: ./t\n{typed}<|>\nhooks: {{enabled: true}}\n", path="/project/ws.yaml")
    assert "isolation" in offered
    assert "tests" not in offered


def test_a_bare_list_of_providers_holds_providers() -> None:
    offered = labels("- id: mock\n  label: a\n  <|>\n", "agentv-5", "/project/.agentv/providers.yaml")
    assert {"response", "config"} < set(offered)
    assert "use_target" not in offered


def test_documentation_is_sent_when_it_is_asked_for(connect: Connect) -> None:
    client = connect()
    offered = client.initialize(RESOLVING)["capabilities"]
    assert offered["completionProvider"]["resolveProvider"] is True
    uri = "file:///suites/a.eval.yaml"
    client.open(uri, CASE + "    ")
    items = client.at("completion", uri, 4, 4)["items"]
    assert not any("documentation" in i for i in items)
    item = next(i for i in items if i["label"] == "depends_on")
    told = client.request("completionItem/resolve", item)
    assert told["documentation"]["value"].startswith("**depends_on**")
    assert {k: v for k, v in told.items() if k != "documentation"} == item
    old = {**item, "data": 4_000}
    assert client.request("completionItem/resolve", old) == old


def test_documentation_is_made_when_it_is_wanted() -> None:
    (key,) = [c for c in offered(CASE + "    <|>") if c.label == "depends_on"]
    assert key.documentation().startswith("**depends_on** — a list")


# -- what a key brings along -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "key", "dialect", "path", "after"),
    [
        ("te<|>", "tests", "agentv-3", None, "tests:\n  - id: name\n    criteria: what a good answer achieves\n"),
        ("ev<|>", "evalcases", "agentv-1", None, "evalcases:\n  - id: name\n"),
        (
            "te<|>",
            "tests",
            "promptfoo",
            "/x/promptfooconfig.yaml",
            "tests:\n  - vars:\n      name: value\n    assert:\n",
        ),
        ("pr<|>", "prompts", "promptfoo", "/x/promptfooconfig.yaml", "prompts:\n  - "),
        ("pr<|>", "providers", "promptfoo", "/x/promptfooconfig.yaml", "providers:\n  - "),
        ("tests:\n  - va<|>", "vars", "promptfoo", "/x/promptfooconfig.yaml", "tests:\n  - vars:\n      "),
        ("de<|>", "default_test", "agentv-5", None, "default_test:\n  "),
        (CASE + "    as<|>", "assertions", "agentv-3", None, CASE + "    assertions:\n      - type: "),
        (CASE + "    ex<|>", "expected_output", "agentv-3", None, CASE + "    expected_output: "),
        (PROMPT.replace("prompt: ", "pr<|>"), "prompt", "agentv-3", None, PROMPT),
        ("tests: [{de<|>}]", "depends_on", "agentv-3", None, "tests: [{depends_on: }]"),
    ],
)
def test_a_key_brings_what_most_suites_have(marked: str, key: str, dialect: str, path: str | None, after: str) -> None:
    marked = marked if marked.startswith("tests: [") or CASE in marked else f"# rubric: dialect={dialect}\n{marked}"
    text = accepted(marked, key, dialect, path=path)
    assert text.removeprefix(f"# rubric: dialect={dialect}\n").startswith(after)


@pytest.mark.parametrize("place", sample(list(places_of_keys()), 9), ids=str)
def test_an_accepted_key_is_sound_and_suggestions_open_where_there_are_some(place: KeyPlace) -> None:
    path = f"/project/{place.file}"
    for each in offered(f"{place.lead}<|>\n", place.dialect.name, path):
        if each.kind != "key":
            continue
        block = "\n" in each.snippet
        assert not (block and each.plain.endswith(" ")), "a blank at the end of a line above a block"
        assert not any(line.endswith(" ") for line in each.snippet.splitlines())
        if each.then_suggest:
            margin = " " * (len(place.lead.splitlines()[-1]) - len(place.lead.splitlines()[-1].lstrip(" ")))
            inserted = each.snippet.replace("\n", f"\n{margin if block else ''}").replace("$1", "<|>")
            marked = f"{place.lead}{inserted}\n"
            assert marked.count("<|>") == 1, "one place where typing goes on"
            assert labels(marked, place.dialect.name, path), marked


@pytest.mark.parametrize(
    ("marked", "key", "dialect", "opens"),
    [
        ("tests:\n  - id: a\n    <|>", "depends_on", "agentv-5", False),
        ("tests:\n  - id: a\n    <|>\n  - id: b\n", "depends_on", "agentv-5", True),
        ("tests:\n  - <|>", "providers", "promptfoo", False),
        ("providers:\n  - id: echo\n    label: e\ntests:\n  - <|>", "providers", "promptfoo", True),
        ("<|>", "providers", "promptfoo", True),
    ],
)
def test_suggestions_open_for_names_where_there_are_others(marked: str, key: str, dialect: str, opens: bool) -> None:
    path = "/project/promptfooconfig.yaml" if dialect == "promptfoo" else "/project/a.eval.yaml"
    found = offered(f"# rubric: dialect={dialect}\n{marked}\n", dialect, path)
    assert [each.then_suggest for each in found if each.label == key] == [opens]
