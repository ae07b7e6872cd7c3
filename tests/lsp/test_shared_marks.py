"""What the suite gives to every case: on its lines stands what all cases made of it, and the hover says which did what."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, replaced, until
from harness import LANGUAGE
from running import command, ended, hints, line_of, outcomes, run, written

from rubric_core.analysis import Analysis, analyze
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.known_case import KnownCase
from rubric_core.text import Edit, Span
from rubric_lsp.features.hints import hints as hints_of
from rubric_lsp.features.results import ShownCase
from rubric_lsp.features.suite_marks import SharedMarks, shared_report

SUITE = """\
# rubric: dialect=agentv-1
execution:
  target: canned
  evaluators:
    - name: quality
      type: rubric
      rubrics:
        - id: tone
          expected_outcome: Stays polite
          required_min_score: 5
          score_ranges: {0: rude, 5: polite}
        - id: depth
          expected_outcome: Explains why
          required: false
evalcases:
  - id: one
    expected_outcome: Helps
    input: first
  - id: two
    expected_outcome: Helps
    input: second
  - id: three
    expected_outcome: Helps
    input: third
"""
TARGETS = "targets: [{name: canned, provider: mock, response: You have 30 days.}]\n"
#: What a judge said: of each question, the scores for tone and depth.
SAID = {"first": (8, 9), "second": (2, 9), "third": (4, 10)}
WHOLE = Span(0, 10_000)


def recorded(said: dict[str, tuple[int, int]]) -> str:
    """The file of recordings with these scores."""
    rows = [
        {
            "judge": "hand-written", "prompt": "built-in 1", "question": question, "goal": "Helps", "answer": "You have 30 days.",
            "criteria": [
                {"criterion": "Stays polite", "bands": {"0-4": "rude", "5-10": "polite"}, "reply": {"score": tone, "reasoning": f"{question} is curt"}},
                {"criterion": "Explains why", "reply": {"score": depth}},
            ],
        }
        for question, (tone, depth) in said.items()
    ]  # fmt: skip
    return json.dumps({"version": 1, "recordings": rows})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {".agentv/targets.yaml": TARGETS, "a.eval.yaml": SUITE, "a.recordings.yaml": recorded(SAID)}
    return written(tmp_path / "suites", files)


def opened(connect: Connect, folder: Path, name: str = "a.eval.yaml") -> tuple[Client, str]:
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    uri = (folder / name).as_uri()
    client.open(uri, (folder / name).read_text())
    return client, uri


def at(client: Client, uri: str, text: str, within: str = SUITE) -> str:
    """The hover on a text."""
    line = line_of(within, text)
    return str(
        client.at("hover", uri, line, within.splitlines()[line].index(text) + len(text) - 1)["contents"]["value"]
    )


def test_a_rubric_of_the_suite_has_results_where_it_is_written(connect: Connect, folder: Path) -> None:
    client, uri = opened(connect, folder)
    run(client, uri)
    ended(client)
    shown = until("results", lambda: h if (h := hints(client, uri)).get(line_of(SUITE, "id: tone")) else None)
    assert shown[line_of(SUITE, "id: tone")] == "✘ 1/3 cases  4.7/10 on average"
    assert shown[line_of(SUITE, "id: depth")] == "✔ 3/3 cases  9.3/10 on average"
    assert shown[line_of(SUITE, "name: quality")] == "✘ 1/3 cases  0.70 on average"
    assert all(len(label) <= 43 for label in shown.values())
    report = at(client, uri, "id: tone")
    assert [row.split(" | ") for row in report.splitlines() if row.startswith("| ")][1:] == [
        ["| two", "✘ 2/10 → 0.20  min 0.5", "0–4 rude", "second is curt |"],
        ["| three", "✘ 4/10 → 0.40  min 0.5", "0–4 rude", "third is curt |"],
        ["| one", "✔ 8/10 → 0.80  min 0.5", "5–10 polite", "first is curt |"],
    ], "the worst first"
    assert "Names the criterion in results" in report, "and what the key means"
    assert "| two |" in at(client, uri, "Stays polite")
    assert "| two |" not in at(client, uri, "required_min_score")


def test_it_is_one_problem_for_all_cases(connect: Connect, folder: Path) -> None:
    client, uri = opened(connect, folder)
    run(client, uri)
    ended(client)
    found = until("problems", lambda: o if "criterion-failed" in (o := outcomes(client, uri)) else None)
    tone = next(
        d
        for d in next(client.published(uri))["diagnostics"]
        if d["code"] == "criterion-failed" and d["range"]["start"]["line"] == line_of(SUITE, "id: tone")
    )
    assert tone["message"].splitlines() == [
        "failed in 2 of 3 cases, 4.7/10 on average",
        "two: 2/10 → 0.20  min 0.5  second is curt",
        "three: 4/10 → 0.40  min 0.5  third is curt",
    ]
    assert [r["location"]["range"]["start"]["line"] for r in tone["relatedInformation"]] == [
        line_of(SUITE, "id: two"), line_of(SUITE, "id: three"),
    ]  # fmt: skip
    assert found["case-failed"]["severity"] == 1


def test_a_case_that_changed_is_counted_as_stale(connect: Connect, folder: Path) -> None:
    client, uri = opened(connect, folder)
    run(client, uri)
    ended(client)
    tone = line_of(SUITE, "id: tone")
    until("results", lambda: hints(client, uri).get(tone))
    client.change(uri, replaced(SUITE, "input: second", "input: another"))
    until("stale", lambda: hints(client, uri).get(tone) == "✘ 1/2 cases  6.0/10 on average  ◌ 1 stale")
    changed = SUITE.replace("input: second", "input: another")
    assert "| two | ◌ stale · was ✘ 2/10 → 0.20  min 0.5 |" in at(client, uri, "id: tone", changed)
    # Another suite makes every result another one's.
    client.change(uri, {"text": changed.replace("Stays polite", "Stays calm")})
    until("all stale", lambda: hints(client, uri).get(tone) == "◌ stale in 3 cases")
    client.change(uri, {"text": SUITE})
    until("as before", lambda: hints(client, uri).get(tone) == "✘ 1/3 cases  4.7/10 on average")
    command(client, "clearResults", uri)
    until("nothing", lambda: tone not in hints(client, uri))


def test_what_is_there_is_counted_while_a_run_goes_on(connect: Connect, tmp_path: Path) -> None:
    program = f"import os, time; open({str(tmp_path / 'alive')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    text = f"""\
# rubric: dialect=agentv-3
execution: {{target: canned, workers: 1}}
assertions:
  - {{type: contains, value: days}}
  - {{type: contains, value: weeks}}
tests:
  - {{id: quick, criteria: Helps, input: hi}}
  - id: slow
    criteria: Helps
    input: hi
    assertions:
      - type: code-grader
        command: {json.dumps([sys.executable, "-c", program])}
"""
    folder = written(tmp_path / "s", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": text})
    client, uri = opened(connect, folder)
    run(client, uri)
    until("a program", (tmp_path / "alive").exists)
    until("the first case", lambda: hints(client, uri).get(3) == "✔ 1/1 cases  ⟳ 1 running")
    assert hints(client, uri)[4] == "✘ 0/1 cases  ⟳ 1 running"
    command(client, "cancel", uri)
    ended(client)
    until("the end", lambda: hints(client, uri).get(3) == "✔")
    assert hints(client, uri)[4] == "✘", "of one case alone the mark is its own"


def test_cases_in_other_files_count(connect: Connect, tmp_path: Path) -> None:
    suite = """\
# rubric: dialect=agentv-3
execution: {target: canned}
tests: ./cases.yaml
assertions:
  - {type: contains, value: days}
  - Is short
"""
    cases = "- {id: a, criteria: Helps, input: hi}\n- {id: b, criteria: Helps, input: ho}\n"
    folder = written(tmp_path / "s", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": suite, "cases.yaml": cases})
    client, uri = opened(connect, folder)
    run(client, uri)
    ended(client)
    until("results", lambda: hints(client, uri).get(4) == "✔ 2/2 cases")
    assert hints(client, uri)[5] == "○ 0/2 cases", "there is no judge"
    assert "| a | ○ unscored: no judge" in at(client, uri, "Is short", suite)
    assert "criterion-unscored" not in outcomes(client, uri), "the cases say so"


# -- what it costs -----------------------------------------------------------------------------------------------------


def analyzed(text: str) -> Analysis:
    return analyze(LANGUAGE.document(text), LANGUAGE)


def result_of(name: str, raw: int) -> ShownCase:
    tone = CriterionResult(
        id="tone",
        outcome="Stays polite",
        verdict=Verdict.FAILED if raw < 5 else Verdict.PASSED,
        score=raw / 10,
        raw=raw,
    )
    depth = CriterionResult(id="depth", outcome="Explains why", verdict=Verdict.PASSED, score=0.9, raw=9)
    rubric = EvaluatorResult(name="quality", type="rubric", verdict=Verdict.PASSED, score=0.8, criteria=(tone, depth))
    return ShownCase(KnownCase.of(CaseResult(id=name, verdict=Verdict.PASSED, score=0.8, evaluators=(rubric,))))


def suite_of(count: int) -> str:
    head = SUITE.partition("  - id: one")[0]
    return head + "".join(f"  - id: c{n}\n    expected_outcome: Helps\n    input: q{n}\n" for n in range(count))


def words(marks: SharedMarks, analysis: Analysis, results: dict[str, ShownCase]) -> list[str]:
    return [each.words for each in marks.of(analysis, results)]


def test_only_what_changed_is_counted_again() -> None:
    text = suite_of(50)
    document = LANGUAGE.document(text)
    analysis = analyze(document, LANGUAGE)
    results = {f"c{n}": result_of(f"c{n}", n % 10) for n in range(50)}
    marks = SharedMarks()
    assert words(marks, analysis, results)[1:] == [
        "✘ 25/50 cases  4.5/10 on average",
        "✔ 50/50 cases  9.0/10 on average",
    ]
    assert marks.looked_at == 50
    place = text.index("input: q7\n") + len("input: q7")
    document = document.edited(Edit(Span(place, place), "x"))
    edited = analyze(document, LANGUAGE, previous=analysis)
    stale = {**results, "c7": ShownCase(results["c7"].last, stale=True)}
    assert words(marks, edited, stale)[1] == "✘ 24/49 cases  4.4/10 on average  ◌ 1 stale"
    assert marks.looked_at == 51
    assert words(marks, edited, {**stale, "c7": result_of("c7", 10)})[1] == "✘ 25/50 cases  4.6/10 on average"
    assert (
        words(marks, edited, {k: v for k, v in results.items() if k != "c7"})[1] == "✘ 24/49 cases  4.4/10 on average"
    )
    assert marks.looked_at == 52
    assert words(SharedMarks(), edited, {**stale, "c7": result_of("c7", 10)})[1] == "✘ 25/50 cases  4.6/10 on average"


def test_a_long_list_of_cases_is_cut_and_says_so() -> None:
    analysis = analyzed(suite_of(40))
    (_, tone, _) = SharedMarks().of(analysis, {f"c{n}": result_of(f"c{n}", n % 10) for n in range(40)})
    report = shared_report(tone)
    assert len(re.findall(r"\n\| c\d+ ", report)) == 12
    assert report.endswith("… and 28 more cases")
    assert report.index("0/10") < report.index("1/10") < report.index("2/10")


def test_hints_are_those_of_the_lines_that_are_seen() -> None:
    text = suite_of(5)
    analysis = analyzed(text)
    results = {f"c{n}": result_of(f"c{n}", n) for n in range(5)}
    shared = SharedMarks().of(analysis, results)
    every = hints_of(analysis, results, WHOLE, None, shared)
    assert len(every) == 8
    begin = text.index("  - id: c2")
    seen = hints_of(analysis, results, Span(begin, begin + 20), None, shared)
    assert [text[: hint.offset].rpartition("\n")[2].strip() for hint in seen] == ["- id: c2"]
    assert {hint.tooltip.partition("\n")[0] for hint in every if "cases" in hint.label} >= {"c0: ✘ 0/10 → 0.00"}


def test_every_client_without_hints_has_the_problem(connect: Connect, folder: Path) -> None:
    plain: dict[str, Any] = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
    client = connect()
    client.initialize(plain, folder, initializationOptions={"trusted": True})
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    run(client, uri)
    until("the problem", lambda: "criterion-failed" in outcomes(client, uri))
