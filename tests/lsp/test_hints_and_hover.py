"""Hints beside the text, and hovers."""

import re
from pathlib import Path

import pytest
from client import VSCODE, Connect, ServerError, place, until
from everywhere import params_at
from harness import LANGUAGE, cursor
from markdown_it import MarkdownIt

from rubric_core.analysis import Analysis, analyze
from rubric_core.text import Span
from rubric_lsp.features.derived_hints import derived_hints
from rubric_lsp.features.hints import HintSettings
from rubric_lsp.features.hover import hover
from rubric_lsp.features.markdown import shortened
from rubric_lsp.features.name_hover import name_hover
from rubric_lsp.features.names import name_at

SUITE = """\
# rubric: dialect=agentv-3
assertions:
  - {type: latency, threshold: 8000}
tests:
  - id: a
    criteria: x
    input: hi
    assertions:
      - type: rubrics
        weight: 2
        required: true
        criteria:
          - {id: tone, outcome: Stays polite, weight: 3, min_score: 0.6}
          - id: depth
            outcome: Goes deep
            weight: 1.0
            score_ranges: {0: rude, 3: curt, 7: warm}
          - Is short
      - {type: contains, value: x}
  - id: b
    criteria: x
    input: hi
"""


def read(text: str, dialect: str = "agentv-3") -> Analysis:
    return analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect)


def shown(text: str, wanted: HintSettings | None = None) -> str:
    """The text with its hints in it."""
    found = list(derived_hints(read(text), Span(0, len(text)), wanted or HintSettings()))
    for hint in sorted(found, key=lambda h: h.offset, reverse=True):
        assert len(hint.label) <= 43
        text = f"{text[: hint.offset]}«{hint.label}»{text[hint.offset :]}"
    return text


def test_hints_that_follow_from_the_text() -> None:
    assert shown(SUITE) == (
        SUITE
        .replace("    assertions:\n      - type: rub", "    assertions:«+ latency (suite)»\n      - type: rub")
        .replace("weight: 2\n", "weight: 2«= 50 %»\n")
        .replace("weight: 3,", "weight: 3«= 60 %»,")
        .replace("weight: 1.0\n", "weight: 1.0«= 20 %»\n")
        .replace("{0: rude, 3: curt, 7: warm}", "{0«–2»: rude, 3«–6»: curt, 7«–10»: warm}")
        .replace("id: depth\n", "id: depth«not required»\n")
        .replace("- Is short\n", "- Is short«required»\n")
        .replace("id: b\n", "id: b«+ latency (suite)»\n")
    )  # fmt: skip


def test_hints_in_what_a_suite_gives_to_its_cases() -> None:
    suite = """\
assertions:
  - {type: latency, threshold: 8000, weight: 2}
  - type: rubrics
    criteria:
      - {id: a, outcome: x, weight: 1}
      - {id: b, outcome: y, weight: 3, score_ranges: {0: rude, 5: warm}}
      - Is short
tests:
  - id: a
    criteria: x
    input: hi
"""
    # The weight of an evaluator comes to something else in each case.
    assert shown(suite, HintSettings(inherited=False)) == (
        suite
        .replace("weight: 1", "weight: 1«= 20 %»")
        .replace("weight: 3", "weight: 3«= 60 %»")
        .replace("{0: rude, 5: warm}}", "{0«–4»: rude, 5«–10»: warm}}«not required»")
        .replace("weight: 1«= 20 %»}", "weight: 1«= 20 %»}«not required»")
        .replace("- Is short", "- Is short«required»")
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["weights", "bands", "inherited", "required"])
def test_each_kind_can_be_switched_off(kind: str) -> None:
    off = {"weights": False, "bands": False, "inherited": False, "required": False}
    signs = {"weights": "«= ", "bands": "«–", "inherited": "«+ ", "required": "required»"}
    only = shown(SUITE, HintSettings(**{**off, kind: True}))
    assert [k for k, sign in signs.items() if sign in only] == [kind]


def test_many_inherited_evaluators_are_counted() -> None:
    extra = "".join(f"  - {{type: contains, value: word number {n}}}\n" for n in range(9))
    assert "«+ 10 evaluators of the suite»" in shown(SUITE.replace("tests:\n", extra + "tests:\n"))


def test_only_what_is_visible_is_worked_out() -> None:
    at = SUITE.index("  - id: b")
    assert [h.label for h in derived_hints(read(SUITE), Span(at, len(SUITE)), HintSettings())] == ["+ latency (suite)"]


def test_switches_reach_the_editor(connect: Connect) -> None:
    client = connect()
    client.replies["workspace/configuration"] = lambda _: [{"weightHints": False, "bandHints": False}]
    client.initialize(VSCODE)
    uri = "file:///suites/a.eval.yaml"
    client.open(uri, SUITE)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": whole}
    labels = lambda: {h["label"] for h in client.request("textDocument/inlayHint", asked)}  # noqa: E731
    until("fewer hints", lambda: labels() == {"+ latency (suite)", "required", "not required"})


# -- hover -------------------------------------------------------------------------------------------------------------


def told(marked: str) -> str:
    text, offset = cursor(marked)
    found = hover(read(text), offset)
    assert found is not None
    return found.markdown


def test_bands_are_drawn_as_a_scale() -> None:
    text = told(SUITE.replace("score_ranges", "score<|>_ranges"))
    assert "```text\n0 ─ 2 │ 3 ─ 6 │ 7 ─ 10\nrude    curt    warm\n```" in text
    assert "Weight 1 = 20 % of this rubric, 10 % of the case, 5 % of the suite." in text


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ("{0: rude, <|>3: curt, 7: warm}", "Between two points it is interpolated linearly: 5, between 3 (curt) and 7 (warm), gives 0.50."),
        ("{<|>0: rude, 3: curt, 7: warm}", "1, between 0 (rude) and 3 (curt), gives 0.10."),
        ("{0: rude, 3: curt, <|>7: warm}", "Each score within a band counts individually: 7 gives 0.70 and 10 gives 1.00."),
        ("[{score_range: <|>[0, 4], outcome: rude}, {score_range: [5, 10], outcome: warm}]", "Each score within a band counts individually: 0 gives 0.00 and 4 gives 0.40."),
        ("[{score_range: [<|>0, 10], outcome: any}]", "0 gives 0.00 and 10 gives 1.00."),
    ],
)  # fmt: skip
def test_what_a_score_between_two_points_counts(ranges: str, words: str) -> None:
    assert words in told(SUITE.replace("{0: rude, 3: curt, 7: warm}", ranges))


def test_where_every_score_has_a_text_of_its_own_there_is_nothing_between() -> None:
    ranges = "{" + ", ".join(f"{n}: n{n}" for n in range(11)) + "}"
    text = told(SUITE.replace("{0: rude, 3: curt, 7: warm}", ranges).replace("score_ranges", "score<|>_ranges"))
    assert "divided by 10." in text
    assert "gives" not in text


@pytest.mark.parametrize(
    ("dialect", "words"),
    [
        ("agentv-2.7", "the rubric fails when it is scored less than 10"),
        ("agentv-3", "the rubric fails when it is scored less than 10"),
        ("agentv-1", "the rubric fails when it is scored 0"),
    ],
)
def test_a_plain_string_beside_bands_is_no_matter_of_yes_or_no(dialect: str, words: str) -> None:
    text, offset = cursor("- {id: a, rubrics: [Is sh<|>ort, {id: b, score_ranges: {0: bad, 5: good}}]}\n")
    head = "evalcases:\n" if dialect == "agentv-1" else "tests:\n"
    found = hover(read(head + text, dialect), len(head) + offset)
    assert found is not None
    assert words in found.markdown
    found = hover(read(head + text.replace("score_ranges", "x"), dialect), len(head) + offset)
    assert found is not None
    assert "a plain string is a criterion that must be met" in found.markdown


def test_long_texts_are_below_the_scale() -> None:
    text = told(SUITE.replace("0: rude", "0: is rude to people who ask").replace("score_ranges", "score<|>_ranges"))
    assert "0 ────────────── 2 │ 3 ─ 6 │ 7 ─ 10\nis rude to people…   curt    warm" in text
    assert "- **0 – 2** is rude to people who ask" in text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("weight: 3,", "wei<|>ght: 3,", "Weight 3 = 60 % of this rubric, 30 % of the case, 15 % of the suite."),
        ("min_score: 0.6", "min<|>_score: 0.6", "The rubric fails below 0.6."),
        ("weight: 2\n", "wei<|>ght: 2\n", "Weight 2 = 50 % of this case, 25 % of the suite."),
        ("required: true", "requi<|>red: true", "The case fails when this evaluator does not pass."),
    ],
)
def test_weights_and_gates_in_words(old: str, new: str, words: str) -> None:
    assert words in told(SUITE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        (
            SUITE.replace("tests:", "execution: {targets: []}\ntests:") + "    on_dependency_failure: ru<|>n\n",
            "**run** — ",
        ),
        ("tests:\n  - id: a\n    input: [{role: ass<|>istant, content: x}]\n", "**assistant** — what the target says"),
    ],
)
def test_words_of_a_list_say_what_they_do(marked: str, words: str) -> None:
    found = told(marked)
    assert found.startswith(words)
    assert "one of" in found, "what else there is"


HOSTILE = "![x](http://evil/x.png) <img src=x> [a](command:b) ```"


def rendered(markdown: str) -> str:
    """What an editor makes of it."""
    return str(MarkdownIt().render(markdown))


def test_anchors_and_aliases_show_the_value() -> None:
    shared = f"shared: &base\n  a: 1\n  b: '{HOSTILE}'\n"
    text = shared + "tests:\n  - id: a\n    criteria: x\n    metadata: *base\n    input: hi\n"
    for marked in (text.replace("&base", "&ba<|>se"), text.replace("*base", "*ba<|>se")):
        plain, offset = cursor(marked)
        found = read(plain)
        name = name_at(found, offset)
        assert name is not None
        shown = name_hover(found, name, lambda _: None)
        assert shown is not None
        assert "a: 1\nb: " in shown.markdown
        assert not re.search("<img|<a ", rendered(shown.markdown))


def test_an_alias_means_the_anchor_above_it() -> None:
    plain, offset = cursor("x: &a 1\ny: &a 2\nz: *<|>a\nw: &a 3\ntests: []\n")
    found = read(plain)
    name = name_at(found, offset)
    assert name is not None
    shown = name_hover(found, name, lambda _: None)
    assert shown is not None
    assert "```yaml\n2\n```" in shown.markdown


def test_ids_of_suites_and_criteria_in_prose() -> None:
    suite = told(
        "name: su<|>pport\ntests:\n  - {id: a, criteria: x, input: hi}\nassertions: [{type: latency, threshold: 5}]\n"
    )
    assert "`support` — a suite of 1 case. Every case is graded by latency." in suite
    assert "Read as **agentv-3**" in suite
    criterion = told(
        "tests:\n  - id: a\n    assertions:\n      - type: rubrics\n        criteria:\n"
        f"          - {{id: po<|>lite, outcome: '{HOSTILE}', weight: 3}}\n          - {{id: b, outcome: x}}\n"
    )
    assert criterion.startswith("`polite` — a criterion of this rubric")
    assert "Weight 3 = 75 % of this rubric" in criterion
    assert not re.search("<img|<a ", rendered(criterion))


def test_a_file_that_is_referred_to_is_previewed(connect: Connect, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for path in (folder / ".agentv", folder / "prompts"):
        path.mkdir(parents=True)
    (tmp_path / "outside.md").write_text("not for you", encoding="utf-8")
    (folder / "prompts" / "judge.md").write_text(f"{HOSTILE}\n```\n" + "line\n" * 100, encoding="utf-8")
    (folder / "prompts" / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "prompts" / "long.txt").write_text("x" * 100_000, encoding="utf-8")
    (folder / "prompts" / "binary.txt").write_bytes(b"a\0b")
    files = ["prompts/judge.md", "../outside.md", "prompts/link.md", "prompts/long.txt", "prompts/binary.txt"]
    checks = "".join(f"  - type: llm-grader\n    prompt: {name}\n" for name in files)
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, "# rubric: dialect=agentv-3\ntests: []\nassertions:\n" + checks)
    shown = [client.at("hover", uri, 4 + 2 * n, 16)["contents"]["value"] for n in range(len(files))]
    assert shown[0].startswith("`prompts/judge.md` — 102 lines\n\n````markdown\n![x](http")
    assert shown[0].count("\n") < 40
    assert shown[0].endswith("…\n````")
    assert not re.search("<img|<a ", rendered(shown[0]))
    assert not [
        text for text in (shown[1], shown[2], shown[4]) if "not for you" in text or "lines" in text or "\0" in text
    ]
    assert len(shown[3]) < 3_000


@pytest.mark.parametrize("way", ["link", "link to a folder", "path"])
def test_nothing_of_a_file_outside_is_displayed(connect: Connect, tmp_path: Path, way: str) -> None:
    """Neither on hover, nor in the preview of a prompt: not of inputs, cases, targets, values and parts of other files."""
    folder, outside = tmp_path / "project", tmp_path / "outside"
    for path in (folder / ".agentv", outside):
        path.mkdir(parents=True)
    for name, text in {
        "input.txt": "hunter2", "cases.yaml": "- {id: b, criteria: c, input: hunter2}\n", "part.yaml": "a: {type: contains, value: hunter2}\n",
        "targets.yaml": "targets: [{name: bot, provider: cli, command: hunter2}]\n", "data.yaml": "- vars: {q: hunter2}\n",
    }.items():  # fmt: skip
        (outside / name).write_text(text, encoding="utf-8")
        if way == "link":
            (folder / name).symlink_to(outside / name)
    (folder / ".agentv/targets.yaml").symlink_to(outside / "targets.yaml")
    (folder / "linked").symlink_to(outside)
    at = {"link": "", "link to a folder": "linked/", "path": "../outside/"}[way]
    suites = {
        "a.eval.yaml": f"execution: {{target: bot}}\ntests:\n  - id: a\n    criteria: c\n    input: [{{role: user, content: [{{type: file, value: {at}input.txt}}]}}]\n",
        "b.eval.yaml": f"tests: {at}cases.yaml\n",
        "promptfooconfig.yaml": f"prompts: ['{{{{q}}}}']\nproviders: [echo]\ntests: file://{at}data.yaml\ndefaultTest: {{assert: [$ref: '{at}part.yaml#/a']}}\n",
    }
    client = connect()
    client.initialize(VSCODE, folder)
    for name, text in suites.items():
        (folder / name).write_text(text, encoding="utf-8")
        uri = (folder / name).as_uri()
        client.open(uri, text)
        for offset in range(len(text)):
            assert "hunter2" not in str(
                client.request("textDocument/hover", params_at("hover", place(text, offset), uri))
            )
    for name, case in (("a.eval.yaml", "a"), ("b.eval.yaml", "b")):
        asked = {"uri": f"rubric:/prompt?kind=prompt&suite={(folder / name).as_uri()}&case={case}"}
        with pytest.raises(ServerError, match="leads out of the open folders"):
            client.request("workspace/textDocumentContent", asked)


CHECKS = "tests:\n  - id: a\n    criteria: x\n    input: hi\n    assertions:\n"
RUBRIC = CHECKS + "      - type: rubrics\n        criteria:\n"
BANDS = "          - {id: q, outcome: x, score_ranges: {0: a, 5: b}}\n"


@pytest.mark.parametrize(
    ("marked", "about", "paragraph"),
    [
        (CHECKS + "      - {type: contains, value: x, min_<|>score: 0.5}\n", "min_score", "Weight 1 = 100 % of this case. It passes with 0.5 or more."),
        (CHECKS + "      - {type: contains, value: x, requi<|>red: 0.6}\n", "required", "Weight 1 = 100 % of this case. The case fails when this evaluator is below 0.6."),
        (CHECKS + "      - {type: contains, value: x, min_score: 0.5, requi<|>red: true}\n", "required",
         "Weight 1 = 100 % of this case. It passes with 0.5 or more. The case fails when this evaluator does not pass."),
        (CHECKS + "      - {type: contains, value: x, requi<|>red: false}\n", "required", "Weight 1 = 100 % of this case."),
        (CHECKS + "      - {type: contains, value: x, wei<|>ght: 0}\n", "weight", "Weight 0."),
        (CHECKS + "      - {type: con<|>tains, value: x}\n", "contains", "**contains**"),
        (CHECKS + "      - {ty<|>pe: contains, value: x}\n", "type", "**type** — a non-empty string, required"),
        (RUBRIC + "          - {id: p, outcome: x, we<|>ight: 2}\n", "weight",
         "Weight 2 = 100 % of this rubric, 100 % of the case. It does not gate: `required` is not set, and the documentation of this dialect defaults it to false; agentv treats it as true."),
        (RUBRIC + "          - {id: p, outcome: x, we<|>ight: 2, required: false}\n", "weight", "Weight 2 = 100 % of this rubric, 100 % of the case."),
        (RUBRIC + BANDS.replace("{id", "{we<|>ight: 2, id"), "weight", "Weight 2 = 100 % of this rubric, 100 % of the case."),
        (RUBRIC + "          - {id: p, outcome: x, required_min_score: 6, we<|>ight: 1}\n", "weight",
         "Weight 1 = 100 % of this rubric, 100 % of the case. The rubric fails below 6 of 10."),
        (RUBRIC + "          - {id: p, outcome: x, requi<|>red: true}\n", "required",
         "Weight 1 = 100 % of this rubric, 100 % of the case. The rubric fails when this criterion does."),
        (RUBRIC + "          - {id: p, outcome: x, requi<|>red: true}\n" + BANDS, "required",
         "Weight 1 = 50 % of this rubric, 50 % of the case. The rubric fails when this criterion is scored less than 10."),
        (RUBRIC + "          - {id: p<|>p, outcome: x}\n", "pp", "`pp` — a criterion of this rubric"),
        (RUBRIC + "          - {i<|>d: pp, outcome: x}\n", "id", "**id** — a non-empty string, default rubric-1, rubric-2, …"),
        (RUBRIC + "          - Is sh<|>ort\n", "Is short", "**criterion** — a plain string is a criterion that must be met, with weight 1"),
        ("name: su<|>p\n" + SUITE, "sup", "`sup` — a suite of 2 cases. Every case is graded by latency."),
        ("name: su<|>p\ntests: []\n", "sup", "`sup` — a suite of 0 cases."),
        ("na<|>me: sup\ntests: []\n", "name", "**name** — a non-empty string"),
        (SUITE.replace("- id: b", "- id: <|>b"), "b", "**b** — not run yet · agentv-3\n- latency (latency), weight 1 = 100% of the case"),
        (SUITE.replace("- id: b", "- id: <|>b").replace("threshold: 8000", "threshold: 8000, weight: 0"), "b",
         "**b** — not run yet · agentv-3\n- latency (latency), weight 0 = weight 0"),
        ("tests: [{id: <|>a, criteria: x, input: hi}]", "a", "**a** — not run yet · agentv-3\n- graded by a judge against the criteria of the case"),
    ],
)  # fmt: skip
def test_what_is_told_first_and_of_what(marked: str, about: str, paragraph: str) -> None:
    text, offset = cursor(marked)
    found = hover(read(text), offset)
    assert found is not None
    assert found.markdown.split("\n\n")[0] == paragraph
    assert text[found.span.start : found.span.end] == about
    assert found.span.start <= offset <= found.span.end


@pytest.mark.parametrize("marked", ["tests:\n<|>\n  - id: a\n", SUITE.replace("    weight: 2", "<|>    weight: 2", 1)])
def test_nothing_is_told_between(marked: str) -> None:
    text, offset = cursor(marked)
    assert hover(read(text), offset) is None


def test_the_report_of_a_run_and_the_marks_of_the_suite_come_first() -> None:
    text, offset = cursor(SUITE.replace("- id: b", "- id: <|>b"))
    found = hover(read(text), offset, {"b": "It **passed**."}.get, lambda _: "not for a case")
    assert found is not None
    assert found.markdown.startswith("It **passed**.\n\n**id** — ")
    text, offset = cursor(SUITE.replace("type: latency", "type: lat<|>ency"))
    found = hover(read(text), offset, None, lambda shape: f"2 of 2 passed {type(shape).__name__}")
    assert found is not None
    assert found.markdown.startswith("2 of 2 passed Latency\n\n**latency**")
    text, offset = cursor(SUITE.replace("threshold: 8000", "thres<|>hold: 8000"))
    found = hover(read(text), offset, None, lambda _: "2 of 2 passed")
    assert found is not None
    assert found.markdown.startswith("**threshold** — ")


def test_why_this_dialect() -> None:
    assert "Read as **agentv-3** (AgentV" in told(SUITE.replace("tests:", "te<|>sts:"))


def test_targets_without_their_secrets_and_variables_with_their_values(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv" / "targets.yaml").write_text(
        "targets:\n  - {name: local, provider: openai, base_url: 'http://x/v1', model: m, api_key: sk-abcdef123456}\n"
        "  - {name: env, provider: openai, api_key: '${{ KEY }}', model: m}\n",
        encoding="utf-8",
    )
    client = connect()
    client.initialize(VSCODE, tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(
        uri,
        "# rubric: dialect=agentv-5\nprompts: ['{{ who }}']\nproviders: [local, env]\n"
        "tests:\n  - vars: {who: Ada}\n    description: '{{ who }}'\n    assert: [{type: contains, value: x}]\n"
        "  - vars: {who: [Ada, {a: true}]}\n    description: '{{ who }}'\n    assert: [{type: contains, value: x}]\n",
    )
    at = lambda line, character: client.at("hover", uri, line, character)["contents"]["value"]  # noqa: E731
    local = at(2, 13)
    assert "sk-" not in local
    assert "api_key: ••••" in local
    assert "model: m" in local
    assert "api_key: '${{ KEY }}'" in at(2, 19)
    assert "```text\nAda\n```" in at(5, 22)
    assert "```yaml\n- Ada\n- a: true\n```" in at(8, 22), "as an author would write it"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n b\t c", "a b c"),
        ("a" + " " * 300 + "b", "a b"),
        ("\n" * 200 + "a", "a"),
        ("", ""),
    ],
)
def test_a_text_on_one_line_has_single_blanks(text: str, line: str) -> None:
    assert shortened(text) == line


def test_a_long_text_on_one_line_ends_with_a_sign() -> None:
    longest = max(length for length in range(400) if not shortened("a" * length).endswith("…"))
    assert shortened("a" * (longest + 1)) == "a" * (longest - 1) + "…"
