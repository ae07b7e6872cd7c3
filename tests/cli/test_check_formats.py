"""What `rubric check` prints for programs: JSON, SARIF, GitHub; and in colour for people."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from command import BROKEN, CLEAN, Run, write
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from rubric_core.cli.code_frames import FramedFile, frame
from rubric_core.cli.hide_secrets import hide_secrets
from rubric_core.cli.terminal_style import TerminalStyle, width
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.parse import LARGEST
from rubric_core.text import Edit, LineIndex, Position, Span, apply_edits
from rubric_core.validation.rule import Diagnostic, Related

WIDE = BROKEN.replace("Stays friendly", "Stays 😀 friendly")


def test_json_is_the_contract(rubric: Run) -> None:
    write("a.eval.yaml", WIDE)
    first, second = rubric("check", "a.eval.yaml", "--format", "json").json
    assert list(first) == ["path", "code", "severity", "message", "range", "fixes"]
    assert (first["path"], first["code"], first["severity"]) == ("a.eval.yaml", "bad-weight", "error")
    assert [f["title"] for f in first["fixes"]] == ["write 1"]
    # UTF-16: the face counts twice.
    assert first["range"] == {"start": {"line": 7, "character": 59}, "end": {"line": 7, "character": 61}}
    (fix,) = second["fixes"]
    assert fix["title"] == "change it to `weight`"
    place = {"start": {"line": 8, "character": 25}, "end": {"line": 8, "character": 31}}
    assert fix["edits"] == [{"range": place, "newText": "weight"}]


def test_json_of_nothing_is_an_empty_list(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    assert rubric("check", "--format", "json").json == []


def sarif(rubric: Run, *arguments: str) -> dict[str, Any]:
    log = rubric("check", "--format", "sarif", *arguments).json
    Sarif.model_validate(log)
    (run,) = log["runs"]
    return run


def test_sarif_is_valid_and_complete(rubric: Run) -> None:
    write(
        "evals/müll, a.eval.yaml",
        WIDE.replace("criteria:\n", "criteria:\n          # rubric: ignore[bad-weight]\n", 1).replace("-1", "-1"),
    )
    run = sarif(rubric)
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == ["bad-weight", "unknown-key"]
    assert all(r["help"]["markdown"].startswith(f"# {r['id']}") for r in rules)
    assert "file:" not in str(run), "nothing of this machine"
    shown, ignored = run["results"]
    assert (shown["ruleId"], shown["ruleIndex"], shown["level"]) == ("unknown-key", 1, "warning")
    assert "suppressions" not in shown
    assert (ignored["ruleId"], ignored["level"]) == ("bad-weight", "error")
    assert ignored["suppressions"] == [{"kind": "inSource"}]
    place = shown["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "evals/m%C3%BCll%2C%20a.eval.yaml"}
    assert place["region"] == {"startLine": 10, "startColumn": 26, "endLine": 10, "endColumn": 32}


def test_the_fixes_in_sarif_mend_the_text(rubric: Run) -> None:
    file = write("a.eval.yaml", WIDE)
    change = sarif(rubric)["results"][1]["fixes"][0]["artifactChanges"][0]
    index = LineIndex(file.read_text())

    def offset(region: dict[str, int], end: str) -> int:
        return index.offset(Position(region[f"{end}Line"] - 1, region[f"{end}Column"] - 1), "utf-32")

    edits = [
        Edit(Span(offset(r["deletedRegion"], "start"), offset(r["deletedRegion"], "end")), r["insertedContent"]["text"])
        for r in change["replacements"]
    ]
    assert apply_edits(file.read_text(), edits) == WIDE.replace("wieght", "weight")


def test_sarif_names_other_places(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN + CLEAN[7:])
    (result,) = (r for r in sarif(rubric)["results"] if r["ruleId"] == "duplicate-case-id")
    (other,) = result["relatedLocations"]
    assert other["physicalLocation"]["region"]["startLine"] == 2


def test_sarif_says_what_could_not_be_read(rubric: Run) -> None:
    write("a.eval.yaml", b"\xff")
    (invocation,) = sarif(rubric)["invocations"]
    assert not invocation["executionSuccessful"]
    assert "not UTF-8" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_sarif_of_absolute_paths(rubric: Run, here: Path) -> None:
    write("a.eval.yaml", BROKEN)
    place = sarif(rubric, str(here / "a.eval.yaml"))["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == (here / "a.eval.yaml").as_uri()


def test_github_gets_one_command_for_each_finding(rubric: Run) -> None:
    write("a,b: 100%.eval.yaml", BROKEN)
    ran = rubric("check", "--format", "github")
    assert ran.code == 1
    first, second = ran.out.splitlines()
    place = "file=a%2Cb%3A 100%25.eval.yaml,line=8,endLine=8,col=57,endColumn=59,title=bad-weight"
    assert (
        first
        == f"::error {place}::the weight is -1; a weight is 0 or more%0Afix: write 1%0Aagentv subtracts it from the score"
    )
    assert second.startswith(
        "::warning file=a%2Cb%3A 100%25.eval.yaml,line=9,endLine=9,col=26,endColumn=32,title=unknown-key::"
    )
    assert second.endswith("; did you mean `weight`?%0Aagentv silently ignores it")
    assert "1 error, 1 warning" in ran.err


def test_information_is_a_notice_for_github(rubric: Run) -> None:
    write(".rubric.toml", 'severity = {bad-weight = "hint", unknown-key = "information"}\n')
    write("a.eval.yaml", BROKEN)
    assert {line.partition(" ")[0] for line in rubric("check", "--format", "github").out.splitlines()} == {"::notice"}


def test_colour_only_where_it_is_wanted(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.eval.yaml", BROKEN)
    assert "\x1b[" not in rubric("check").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror[bad-weight]\x1b[0m" in rubric("check").out
    assert "\x1b[31m-      - {type: contains, wieght: 2, value: 30 days}\x1b[0m\n" in rubric("check", "--diff").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in rubric("check").out
    assert not TerminalStyle.of().colour


def test_fixes_that_nobody_tried_are_spoken_of(rubric: Run) -> None:
    """Every fix writes the same id, and of so many in one case not each can be tried."""
    same = "".join(f"          - {{id: '{n}', outcome: Greets, required: true}}\n" for n in range(400))
    head = "tests:\n  - id: a\n    criteria: Greets\n    input: Hi\n    assertions:\n      - type: rubrics\n"
    write("a.eval.yaml", f"# rubric: dialect=agentv-3\n{head}        criteria:\n{same}")
    untried = [d for d in rubric("check", "--format", "json").json if "untriedFixes" in d]
    assert untried
    assert [d["code"] for d in untried if "more in this file" in d["message"]] == [d["code"] for d in untried]
    told = "  = not every fix was tried, because that takes too long here; an editor tries the fixes of one line"
    assert sum(line.strip() == told.strip() for line in rubric("check").out.splitlines()) == len(untried)


def test_a_frame_shows_the_line_and_what_to_do(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    assert rubric("check").out.split("\n\n")[1].splitlines() == [
        "a.eval.yaml:9:26 warning[unknown-key] a contains check has no key `wieght`; did you mean `weight`?",
        "  │",
        "8 │           - {id: tone, outcome: Stays friendly, weight: -1, required: true}",
        "9 │       - {type: contains, wieght: 2, value: 30 days}",
        "  │                          ^^^^^^",
        "  │",
        "  = agentv silently ignores it",
        "  = fix: change it to `weight`   rubric explain unknown-key",
    ]


@pytest.mark.parametrize("columns", [1, 20, 24, 41, 60, 80, 120, 700, None])
@pytest.mark.parametrize("filler", ["x", "häh ", "日本", "\t"])
def test_a_frame_fits_the_terminal_at_any_width(columns: int | None, filler: str) -> None:
    """A line of 689 columns is shown around what is underlined, in rows that do not wrap."""
    for before in (0, 3, 30, 300, 640):
        text = f"# {filler * 400}\n{filler * before}wrong{filler * 300}\n# {filler * 400}"
        start = text.index("wrong")
        found = Diagnostic("unknown-key", "error", Span(start, start + 5), "no")
        _, *rows = frame(
            FramedFile("a.yaml", Document.of(text)), found, TerminalStyle(colour=False), columns
        ).splitlines()
        code = [row for row in rows if "│" in row]
        assert max(map(width, code)) <= max(columns or 160, 24) + (4 if columns is None else 0)
        shown, marks = code[2], code[3]
        at = width(marks) - width(marks.lstrip("│ ").lstrip())
        assert marks.endswith("^^^^^")
        assert width(shown[: shown.index("wrong")]) == at


def test_marks_that_are_far_apart_are_shown_in_two_windows() -> None:
    text = f"first {'x' * 300} second\n"
    at = text.index("second")
    found = Diagnostic("unknown-key", "error", Span(at, at + 6), "no", related=(Related(Span(0, 5), "here"),))
    rows = frame(FramedFile("a.yaml", Document.of(text)), found, TerminalStyle(colour=False), 40).splitlines()
    assert rows[2:6] == [
        "1 │ first xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
        "  │ ───── here",
        "1 │ …xxxxxxxxxxxxxxxxxxxxxxxxxxxx second",
        "  │                               ^^^^^^",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "agent"])
def test_a_file_name_that_is_not_utf_8(form: str, rubric: Run) -> None:
    name = os.fsdecode(b"caf\xe9.eval.yaml")
    write(name, BROKEN)
    ran = rubric("check", name, "--format", form)
    assert (ran.code, "Unicode" in ran.err) == (1, False)
    if form == "sarif":
        places = [r["locations"][0]["physicalLocation"]["artifactLocation"] for r in ran.json["runs"][0]["results"]]
        assert places == [{"uri": "caf%E9.eval.yaml"}] * 2


def test_agents_get_one_line_per_finding(rubric: Run) -> None:
    write("a.eval.yaml", WIDE)
    ran = rubric("check", "--format", "agent")
    first, second = ran.out.splitlines()
    assert first == (
        "a.eval.yaml:8:59 error[bad-weight] the weight is -1; a weight is 0 or more "
        "| agentv subtracts it from the score | fix: write 1"
    )
    assert second == (
        "a.eval.yaml:9:26 warning[unknown-key] a contains check has no key `wieght`; did you mean `weight`? "
        "| agentv silently ignores it | fix (safe): change it to `weight`"
    )
    assert ran.code == 1
    assert ran.err.startswith("1 error, 1 warning in 1 of 1 suite")
    assert rubric("check", "--format", "agent", "-q").err == ""


def test_the_documented_members_are_those_of_the_json(rubric: Run) -> None:
    write("a.eval.yaml", WIDE)
    page = (Path(__file__).parents[2] / "docs/agents.md").read_text(encoding="utf-8")
    documented = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    rows = rubric("check", "--format", "json").json
    assert all([*row, "untriedFixes"] == documented for row in rows)


#: Lines of a file of targets with a secret, each beside a finding: a key that nobody knows.
SECRETS = [
    "    api_key: sk-hidden-1\n    modle: x\n",
    "    modle: x\n    api_key: 'sk-hidden-1'  # mine\n",
    '    "api_key": "sk-hidden, 1"\n    modle: x\n',
    "    api_key: >-\n      sk-hidden-1\n    modle: x\n",
    "    api_key:\n      sk-hidden-1\n    modle: x\n",
    # More lines than one, and a value that begins far before what is shown of a long line.
    "    api_key: |\n      sk-1\n      sk-hidden-2\n      sk-hidden-3\n    modle: x\n",
    "    api_key: >-\n      sk-1\n\n      sk-hidden-2\n    modle: x\n",
    "    api_key:\n      sk-1\n      sk-hidden-2\n    modle: x\n",
    "    api_key: &mine\n      sk-hidden-1\n    modle: x\n",
    '    api_key: "sk-1\n      sk-hidden-2"\n    modle: x\n',
    "    ? api_key\n    : sk-hidden-1\n    modle: x\n",
    '    "api\\x5fkey": sk-hidden-1\n    modle: x\n',
    '    env: {"api_key":"sk-hidden-1"}\n    modle: x\n',
    "    headers: {X-Auth-Token: sk-hidden-1, Cookie: 'id=sk-hidden-1'}\n    modle: x\n",
    "    credentials: {user: a, pin: [sk-hidden-1]}\n    modle: x\n",
    "    note: &mine sk-hidden-1\n    modle: x\n    api_key: *mine\n",
    "    base_url: https://me:sk-hidden-1@127.0.0.1/v1\n    modle: x\n",
    f"    modle: x\n  - {{name: b, provider: openai, model: m, api_key: '{'sk-hidden-1 ' * 90}', modle: x}}\n",
    "    api_key: SK1HIDDEN234\n    modle: x\n",
    "    authorization: Bearer hidden ${{ MINE }}\n    modle: x\n",
    "    api_kye: sk-hidden-1\n    modle: x\n",
    # No tree can be made of these.
    "    api_key: |\n      sk-1\n      sk-hidden-2\n    modle: x\n    broken: [\n",
    "    api_key: 'sk-hidden-1\n    modle: x\n",
]


@pytest.mark.parametrize("lines", [*SECRETS, "  - {name: b, provider: mock, api_key: sk-hidden-1, modle: x}\n"])
@pytest.mark.parametrize("output", ["text", "json", "sarif", "github", "agent"])
def test_no_format_shows_a_secret(rubric: Run, lines: str, output: str) -> None:
    write(".agentv/targets.yaml", f"targets:\n  - name: a\n    provider: openai\n    model: m\n{lines}")
    ran = rubric("check", ".agentv/targets.yaml", "--format", output)
    assert "modle" in ran.out
    assert "hidden" not in ran.out.lower()


def test_of_a_text_that_is_too_large_the_beginning_is_searched_for_secrets() -> None:
    shown = hide_secrets(f"{{api_key: hidden, note: {'x' * LARGEST}}}")
    assert shown.startswith("{api_key: ******, note: xxx")
    assert len(shown) < LARGEST / 100


def test_a_reference_to_the_environment_is_no_secret(rubric: Run) -> None:
    write(
        ".agentv/targets.yaml",
        "targets:\n  - name: a\n    provider: mock\n    api_key: ${{ MINE }}\n    secret: '$MINE'\n    token: MY_TOKEN\n    max_tokens: 12x\n    modle: x\n",
    )
    out = rubric("check", ".agentv/targets.yaml").out
    assert "*" not in out


@pytest.mark.parametrize("word", ["abc", "abç"])
def test_a_finding_far_along_a_line_is_shown_with_what_is_near(word: str) -> None:
    text = f"a: [{f'{word}, ' * 4_000}last]\n"
    at = text.index("last")
    found = Diagnostic("code", "error", Span(at, at + 4), "message")
    _, _, line, mark, *_ = frame(
        FramedFile("a.yaml", Document.of(text)), found, TerminalStyle(colour=False)
    ).splitlines()
    assert line.startswith("1 │ …")
    assert width(line) < 170
    assert line[mark.index("^") : mark.rindex("^") + 1] == "last"
