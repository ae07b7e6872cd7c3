"""A third family of eval files, which is nowhere but in `drill` beside this file, goes through everything that there is.

The list of families is read when modules are imported, so each command is a process of its own; see `entry.py`.
"""

import base64
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

ENTRY = Path(__file__).with_name("entry.py")
SUMS = """\
subject: Sums
drills:
  - ask: &sum What is 2 + 3?
    expect: "5"
  - ask: *sum
    expect: six
    match: equals
    points: 2
"""
TARGETS = "targets: [{name: default, provider: mock, response: It is 5.}]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(TARGETS, encoding="utf-8")
    (tmp_path / "sums.drill.yaml").write_text(SUMS, encoding="utf-8")
    return tmp_path


def rubric(folder: Path, *arguments: str, code: int = 0) -> str:
    """What a command of rubric prints with the family."""
    done = subprocess.run(
        [sys.executable, str(ENTRY), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def findings(folder: Path, *arguments: str, code: int = 0) -> list[tuple[str, str, tuple[int, int, int], str]]:
    """The file, code, place (line, first and last column, from 0) and message of each finding of a check."""
    found = json.loads(rubric(folder, "check", "--format", "json", *arguments, code=code))
    return [(each["path"], each["code"], place(each["range"]), each["message"]) for each in found]


def place(span: dict[str, dict[str, int]]) -> tuple[int, int, int]:
    return span["start"]["line"], span["start"]["character"], span["end"]["character"]


def shown(folder: Path, marked: str) -> Any:
    """What an editor shows of a text with `<|>` at the cursor."""
    (folder / "shown.drill.yaml").write_text(marked, encoding="utf-8")
    return json.loads(rubric(folder, "editor", "shown.drill.yaml"))


def test_a_walk_finds_its_files_and_leaves_others_alone(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner/deep.drill.yaml").write_text("drills: [{ask: a}]\n", encoding="utf-8")
    (folder / "inner/other.yaml").write_text("drills: [{ask: a}]\n", encoding="utf-8")
    needed = "a drill needs `expect`: the text that the answer should have"
    assert findings(folder, ".", code=1) == [("inner/deep.drill.yaml", "missing-key", (0, 9, 17), needed)]


def test_a_modeline_names_its_dialect(folder: Path) -> None:
    (folder / "a.eval.yaml").write_text("# rubric: dialect=drill-1\n" + SUMS.replace("ask", "aks"), encoding="utf-8")
    assert ("a.eval.yaml", "unknown-key", (3, 4, 7), "a drill has no key `aks`; did you mean `ask`?") in findings(
        folder, "a.eval.yaml", code=1
    )


def test_a_check_names_places_and_fixes_them(folder: Path) -> None:
    path = folder / "sums.drill.yaml"
    path.write_text(SUMS.replace("points: 2", "points: -2"), encoding="utf-8")
    words = "`points` is -2; it must be 0 or more"
    assert findings(folder, path.name, code=1) == [(path.name, "drill/points", (7, 12, 14), words)]
    assert findings(folder, "--select", "unknown-key", path.name) == []
    assert findings(folder, "--ignore", "bad-weight", path.name) == []
    rubric(folder, "check", "--fix", path.name)
    assert path.read_text(encoding="utf-8") == SUMS


def test_the_code_of_its_check_has_a_page(folder: Path) -> None:
    page = rubric(folder, "explain", "drill/points")
    assert page.startswith("# drill/points\n")
    assert "`bad-weight` selects and ignores it" in page
    assert "agentv" not in page
    assert "drill/points" in rubric(folder, "explain")
    done = subprocess.run(
        [sys.executable, str(ENTRY), "explain", "drill/point"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "rubric: there is no code drill/point; did you mean drill/points?\n")


def test_its_shapes_make_the_reference(folder: Path) -> None:
    page = rubric(folder, "explain", "--language", "drill-1")
    assert page.startswith("# The language of Drill, dialect drill-1\n")
    assert "- `expect` (a non-empty string; required): The text that the answer should have." in page
    assert "agentv" not in page


def test_its_shapes_make_a_json_schema(folder: Path) -> None:
    schema = Draft7Validator(json.loads(rubric(folder, "schema", "--dialect", "drill-1")))
    assert schema.is_valid({"drills": [{"ask": "a", "expect": "b", "match": "equals"}]})
    assert not schema.is_valid({"drills": [{"ask": "a"}]})
    assert not schema.is_valid({"drills": [{"ask": "a", "expect": "b", "match": "similar"}]})


def test_hover_says_what_a_key_is(folder: Path) -> None:
    hover = shown(folder, "drills:\n  - ask: a\n    exp<|>ect: b\n")["hover"]
    assert hover.startswith("**expect** — a non-empty string, required\n\nThe text that the answer should have.")


@pytest.mark.parametrize(
    ("marked", "labels"),
    [
        ("<|>", ["subject", "drills"]),
        ("drills:\n  - <|>", ["drill", "ask", "expect", "match", "points"]),
        ("drills:\n  - ask: a\n    <|>\n", ["expect", "match", "points"]),
        ("drills:\n  - ask: a\n    match: <|>\n", ["contains", "equals"]),
        ("drills: [{ask: a, match: <|>}]\n", ["contains", "equals"]),
        ("drills:\n  - ask: a\n    expect: b\n  <|>\n", ["drill"]),
        ("drills:\n  - ask: a\n    expect: b\n<|>", ["subject"]),
    ],
)
def test_completion_offers_its_keys_words_and_skeletons(folder: Path, marked: str, labels: list[str]) -> None:
    assert shown(folder, marked)["completion"] == labels


def test_a_skeleton_is_its_own_case(folder: Path) -> None:
    found = shown(folder, "drills:\n  - ask: a\n    expect: b\n  <|>\n")
    assert found["insertions"] == ["- ask: ${1:question}\n  expect: ${2:answer}"]


def test_the_outline_has_its_cases(folder: Path) -> None:
    assert shown(folder, SUMS)["outline"] == ["What is 2 + 3?", "What is 2 + 3?"]
    assert shown(folder, "drills: [{ask: a, expect: b}]\n")["outline"] == ["a"]


def test_every_request_of_an_editor_is_answered(folder: Path) -> None:
    assert json.loads(rubric(folder, "requests", "sums.drill.yaml")) > len(SUMS)


def test_an_editor_shows_results_at_their_own_lines(folder: Path) -> None:
    rubric(folder, "run", "sums.drill.yaml", code=1)
    marks = {
        line: label.partition("  ")[0] for line, label in json.loads(rubric(folder, "results-shown", "sums.drill.yaml"))
    }
    assert marks == {2: "✔ 1.00", 3: "✔", 4: "✘ 0.00", 5: "✘"}


def test_messages_name_its_program(folder: Path) -> None:
    wrong = folder / "wrong.drill.yaml"
    for text in ("- ask: a\n", "drills: [{ask: !x a, expect: b}]\n---\n", "drills: [{ask: a, aks: b, ask: c}]\n"):
        wrong.write_text(text, encoding="utf-8")
        said = rubric(folder, "check", wrong.name, code=1)
        assert "drill rejects the" in said
        assert "agentv" not in said


def test_a_check_reads_the_targets_of_its_run(folder: Path) -> None:
    targets = folder / ".agentv/targets.yaml"
    targets.write_text(TARGETS.replace("response", "responce"), encoding="utf-8")
    assert [found[:2] for found in findings(folder, "sums.drill.yaml")] == [(".agentv/targets.yaml", "unknown-key")]


def test_its_text_is_cut_into_blocks_of_which_an_edit_keeps_all_others(folder: Path) -> None:
    assert shown(folder, SUMS)["blocks"] == 3
    wrong = SUMS.replace("points: 2", "points: -2").replace('"5"', "5")
    (folder / "wrong.drill.yaml").write_text(wrong, encoding="utf-8")
    assert json.loads(rubric(folder, "edits", "wrong.drill.yaml")) == {"differing": [], "kept": 2}


def test_a_run_scores_its_cases_at_their_own_lines(folder: Path) -> None:
    out = rubric(folder, "run", "sums.drill.yaml", code=1)
    assert "- ask: &sum What is 2 + 3?  ✔ 1.00" in out
    assert "    match: equals" in out
    assert "sums.drill.yaml:5 line-5 failed 0.00, needs 0.80\n" in out
    done = json.loads(rubric(folder, "run", "--format", "json", "sums.drill.yaml", code=1))
    assert [(each["id"], each["line"], each["verdict"]) for each in done["cases"]] == [
        ("line-3", 3, "passed"),
        ("line-5", 5, "failed"),
    ]
    (failed,) = done["cases"][1]["evaluators"]
    assert (failed["type"], failed["weight"], failed["misses"]) == ("equals", 2.0, ['does not equal "six"'])


def test_a_mistake_keeps_only_its_own_case_from_being_run(folder: Path) -> None:
    wrong = "drills:\n  - {ask: a, expect: It}\n  - 5\n  - {ask: b}\n  - &c {ask: c, expect: is}\n  - *c\n"
    (folder / "wrong.drill.yaml").write_text(wrong, encoding="utf-8")
    done = json.loads(rubric(folder, "run", "--format", "json", "wrong.drill.yaml", code=3))
    assert [(each["line"], each["verdict"]) for each in done["cases"]] == [
        (2, "passed"),
        (3, "unscored"),
        (4, "unscored"),
        (5, "passed"),
        (6, "passed"),
    ]
    assert done["cases"][2]["reason"] == (
        "line 4 has a mistake, missing-key: a drill needs `expect`: the text that the answer should have"
    )


def test_a_case_is_run_by_its_name(folder: Path) -> None:
    assert "1 failed" in rubric(folder, "run", "sums.drill.yaml::line-5", code=1)


def test_results_are_stored_and_reported(folder: Path) -> None:
    rubric(folder, "run", "sums.drill.yaml", code=1)
    assert "sums.drill.yaml::line-5" in rubric(folder, "results", "show")
    assert "1 failed" in rubric(folder, "run", "--failed", "sums.drill.yaml", code=1)
    rubric(folder, "report", "-o", "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    packed = "".join(gzip.decompress(base64.b64decode(each)).decode() for each in re.findall(r"H4sI[\w+/=]+", page))
    assert "sums.drill.yaml" in packed
    assert "does not equal" in packed
