"""`rubric run` as a person or a program calls it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from suites import Folder, stored_cases

from rubric_core.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
SUITE = """
tests:
  - id: good
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: hello}
  - id: bad
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: goodbye}
      - {name: words, type: icontains, value: HELLO}
"""
PASSING = SUITE.replace("goodbye", "hello")
NO_JUDGE = SUITE + "  - {id: open, criteria: c, input: hi, assertions: [Is kind]}\n"


@pytest.fixture
def suite(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.mock("hello world")
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(["run", *arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    ("text", "code"), [(PASSING, 0), (SUITE, 1), (NO_JUDGE, 3), (NO_JUDGE.replace("goodbye", "hello"), 3)]
)
def test_exit_codes(suite: Folder, capsys: pytest.CaptureFixture[str], text: str, code: int) -> None:
    suite.suite(text)
    assert run(capsys, "suite.eval.yaml")[0] == code


def test_the_suite_with_its_results(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "suite.eval.yaml")
    lines = out.splitlines()
    assert lines[2].startswith("  - id: good")
    assert "✔ 1.00" in lines[2]
    assert "✘ 0.50" in lines[7]
    assert lines[11].rstrip().endswith('✘  does not contain "goodbye"')
    assert "suite.eval.yaml:8 bad failed 0.50, needs 0.80" in out
    assert '    contains-goodbye: does not contain "goodbye"' in out
    assert "1 passed, 1 failed · target default" in out


def test_json(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "suite.eval.yaml", "--format", "json")
    told = json.loads(out)
    assert code == 1
    assert (told["suite"], told["dialect"]) == ("suite.eval.yaml", "agentv-3")
    assert told["summary"] == {"passed": 1, "borderline": 0, "failed": 1, "unscored": 0}
    good, bad = told["cases"]
    assert (good["id"], good["verdict"], good["score"], good["threshold"], good["reason"]) == (
        "good",
        "passed",
        1.0,
        0.8,
        None,
    )
    first, second = bad["evaluators"]
    assert (first["name"], first["type"], first["score"], first["verdict"]) == (
        "contains-goodbye",
        "contains",
        0.0,
        "failed",
    )
    assert (first["hits"], first["misses"], first["reasoning"]) == ([], ['does not contain "goodbye"'], None)
    assert second["name"] == "words"


def test_the_reason_of_an_unscored_case_is_in_the_json(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(NO_JUDGE)
    _, out, _ = run(capsys, "suite.eval.yaml::open", "--format", "json")
    (case,) = json.loads(out)["cases"]
    assert (case["verdict"], case["score"]) == ("unscored", None)
    assert "no judge is configured" in case["reason"]
    assert "no judge is configured" in case["evaluators"][0]["reason"]


def test_jsonl_has_a_row_for_each_case(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "suite.eval.yaml", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert sorted((r["id"], r["suite"], r["dialect"]) for r in rows) == [
        ("bad", "suite.eval.yaml", "agentv-3"),
        ("good", "suite.eval.yaml", "agentv-3"),
    ]


def test_one_case_of_a_file_with_two_colons_in_its_name(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    (suite.path / "suite.eval.yaml").rename(suite.path / "a::b.eval.yaml")
    _, out, _ = run(capsys, "a::b.eval.yaml::good", "--format", "jsonl")
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["good"]


def test_one_case(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "suite.eval.yaml::good")
    assert code == 0
    assert "bad" not in out
    assert out.splitlines()[0].startswith("  - id: good")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.eval.yaml"], "none.eval.yaml"),
        (["suite.eval.yaml::god"], "no case has the id god; did you mean good?"),
        (["empty.eval.yaml"], "there is no case to run"),
        (["list.eval.yaml"], "list.eval.yaml"),
        (["binary.eval.yaml"], "binary.eval.yaml"),
        ([".agentv"], ".agentv: no suites in this folder"),
        (["*.nothing"], "no file matches this pattern"),
        (["suite.eval.yaml", "--record", "--replay"], "exclude"),
        (["suite.eval.yaml", "--dialect", "agentv-9"], "no dialect agentv-9"),
        (["suite.eval.yaml", "--targets", "gone.yaml"], "gone.yaml: there is no such file"),
        (["suite.eval.yaml", "--threshold", "2"], "from 0 to 1"),
        (["suite.eval.yaml", "--threshold", "most"], "a number from 0 to 1, not 'most'"),
        (["suite.eval.yaml", "--workers", "0"], "at least 1"),
        (["suite.eval.yaml", "--repeat", "some"], "a whole number of at least 1, not 'some'"),
        ([""], "an empty name is not a path"),
    ],
)
def test_wrong_use_is_said_in_a_line_and_exits_2(
    suite: Folder, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    suite.suite("", "empty.eval.yaml")
    suite.suite("- a\n- b\n", "list.eval.yaml")
    (suite.path / "binary.eval.yaml").write_bytes(b"\x00\xff\xfe")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_results_are_stored(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "suite.eval.yaml")
    run(capsys, "suite.eval.yaml::good")
    cases = stored_cases(suite.path / "suite.eval.yaml")
    assert {name: (c.result.verdict.value, len(c.history)) for name, c in cases.items()} == {
        "good": ("passed", 2),
        "bad": ("failed", 1),
    }


def test_options_reach_the_run(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.targets(
        {"name": "default", "provider": "mock", "response": "no"},
        {"name": "other", "provider": "mock", "response": "hello goodbye"},
    )
    assert run(capsys, "suite.eval.yaml", "--target", "other", "--workers", "2")[0] == 0
    assert run(capsys, "suite.eval.yaml::bad", "--threshold", "0")[0] == 0


def test_a_suite_with_carriage_returns_tabs_and_control_characters(
    suite: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    (suite.path / "suite.eval.yaml").write_bytes(
        ("name: a\r\n# \x1b[31m red\r\n" + PASSING.replace("\n", "\r\n")).encode()
    )
    _, out, _ = run(capsys, "suite.eval.yaml")
    assert "\x1b" not in out


@pytest.mark.parametrize("more", [(), ("--explain",)])
def test_nothing_in_an_id_or_an_answer_commands_the_terminal(
    suite: Folder, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    suite.mock("bye \x1b]0;title\x07 \x1b[2J \x1b[8m \x9b1m \u202eabc\u2066")
    case = '  - {id: "a\\e[31mb\\nc", criteria: c, input: hi, assertions: [{name: "n\\e[1m", type: equals, value: "x\\e]0;t\\a"}]}\n'
    for text in (f"tests:\n{case}", "tests:\n" + "  #\n" * 300 + case):
        suite.suite(text)
        code, out, err = run(capsys, "suite.eval.yaml", *more)
        assert code == 1
        assert not {c for c in out + err if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066"} - {"\n"}
        assert "a�[31mb c" in out or "a�b c" in out


@pytest.mark.parametrize("action", [(), ("show",), ("show", "last::a")])
def test_nothing_in_a_stored_result_commands_what_shows_it(
    suite: Folder, capsys: pytest.CaptureFixture[str], action: tuple[str, ...]
) -> None:
    """A pager or a log obeys as a terminal does."""
    suite.mock("bye \x1b]0;title\x07 \x1b[2J \x9b1m \u202eabc\u2066")
    name = "odd\x1b[31m.eval.yaml"
    suite.suite(SUITE.replace("good", "a"), name)
    assert run(capsys, name)[0] == 1
    assert main(["results", *action]) == 0
    out = capsys.readouterr().out
    assert not {c for c in out if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066"} - {"\n"}
    assert ("bye" in out) == (len(action) > 1)


@pytest.mark.parametrize("wanted", ["json", "jsonl", "junit"])
def test_nothing_in_other_formats_commands_the_terminal(
    suite: Folder, capsys: pytest.CaptureFixture[str], wanted: str
) -> None:
    """Whoever prints them on a terminal sees letters; a program that reads them has the same values as ever."""
    said = "bye \x1b]0;title\x07 \x7f \x9b1m \u202eabc\u2066"
    suite.mock(said)
    suite.suite('tests:\n  - {id: "a\\u202e", criteria: c, input: hi, assertions: [{type: equals, value: x}]}\n')
    _, out, err = run(capsys, "suite.eval.yaml", "--format", wanted)
    assert not {c for c in out + err if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066"} - {"\n"}
    if wanted != "junit":
        assert json.dumps(said)[1:-1] in json.dumps(json.loads(out))


def test_a_program_that_prints_an_empty_list_grades_by_its_exit_code(
    suite: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    """As AgentV 4.42 does: no object, so the exit code decides, and with a list and an exit code of 1 it has crashed."""
    for script, code in (("echo []", 0), ("echo []; exit 1", 3), ("echo {}", 3)):
        suite.suite(
            "# rubric: dialect=agentv-3\ntests:\n  - id: a\n    criteria: c\n    input: hi\n    assertions:\n"
            f'      - {{type: code-grader, command: [sh, -c, "{script}"]}}\n'
        )
        assert run(capsys, "suite.eval.yaml")[0] == code, script


def ids(out: str) -> list[str]:
    return sorted(row["id"] for row in map(json.loads, out.splitlines()))


def test_failed_runs_what_did_not_pass(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "suite.eval.yaml", "--failed")
    assert (code, "has been run yet" in err) == (2, True)
    run(capsys, "suite.eval.yaml")
    assert ids(run(capsys, "suite.eval.yaml", "--failed", "--format", "jsonl")[1]) == ["bad"]
    suite.suite(PASSING)
    assert run(capsys, "suite.eval.yaml", "--failed")[0] == 0
    assert run(capsys, "suite.eval.yaml", "--failed")[1].strip() == "nothing to run"


def test_resume_leaves_out_what_still_holds(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "suite.eval.yaml::good")
    assert ids(run(capsys, "suite.eval.yaml", "--resume", "--format", "jsonl")[1]) == ["bad"]
    suite.suite(SUITE.replace("value: hello}", "value: hell}"))
    assert ids(run(capsys, "suite.eval.yaml", "--resume", "--format", "jsonl")[1]) == ["good"]
    assert run(capsys, "suite.eval.yaml", "--resume", "--format", "jsonl") == (1, "", ""), "one did not pass before"
    out = run(capsys, "suite.eval.yaml", "--resume")[1]
    assert out.strip() == "nothing to run; already done and unchanged: 1 passed, 1 failed"


def test_what_to_run_next_is_a_whole_command(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(NO_JUDGE)
    Path("my targets.yaml").write_text(Path(".agentv/targets.yaml").read_text())
    out = run(capsys, "suite.eval.yaml", "--targets", "my targets.yaml", "--workers", "2", "--replay", "--explain")[1]
    assert out.splitlines()[-1] == (
        "again: rubric run suite.eval.yaml --failed --targets 'my targets.yaml' --workers 2 --replay"
    )


def test_every_target_of_a_matrix(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.targets(
        {"name": "a", "provider": "mock", "response": "hello"}, {"name": "b", "provider": "mock", "response": "goodbye"}
    )
    suite.suite("execution: {targets: [a, {name: b}]}\n" + SUITE)
    _, out, _ = run(capsys, "suite.eval.yaml", "--format", "json")
    assert [(c["id"], c["target"], c["verdict"]) for c in json.loads(out)["cases"]] == [
        ("good", "a", "passed"), ("good", "b", "failed"), ("bad", "a", "failed"), ("bad", "b", "failed"),
    ]  # fmt: skip
    assert list(stored_cases(suite.path / "suite.eval.yaml")) == ["good", "good@b", "bad", "bad@b"]
    _, out, _ = run(capsys, "suite.eval.yaml")
    assert "good (b) failed 0.00" in out
    assert run(capsys, "suite.eval.yaml::good", "--target", "a")[0] == 0


def test_dependencies_come_along(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(PASSING.replace("id: bad", "id: bad\n    depends_on: [good]"))
    assert ids(run(capsys, "suite.eval.yaml::bad", "--format", "jsonl")[1]) == ["bad", "good"]


def test_explain_and_repeat(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "suite.eval.yaml::bad", "--explain", "--repeat", "3")
    assert "0/3" in out
    assert "(0.00·1 + 1.00·1) / 2 = 0.50" in out


def test_a_long_suite_is_a_line_a_case(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(
        "tests:\n"
        + "".join(
            f"  - id: c{n}\n    criteria: c\n    input: hi\n    assertions:\n      - {{type: contains, value: hello}}\n"
            for n in range(60)
        )
    )
    code, out, _ = run(capsys, "suite.eval.yaml")
    assert (code, "60 passed" in out, "criteria" in out) == (0, True, False)
    assert sum(line.startswith("✔ 1.00") for line in out.splitlines()) == 60


def test_the_quickstart(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns(".rubric"))
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "examples/quickstart.eval.yaml")
    assert (code, "rubric:" in err) == (1, False)  # where it takes longer than two seconds, cases are told there
    assert "2 passed, 1 failed · target shop-bot · judge: recorded (hand-written)" in out
    assert "gate: apology" in out
    assert "✘ 3/10 → 0.30  min 0.7" in out
    assert "✔ 3/3 cases" in out
    assert main(["check", "examples/quickstart.eval.yaml"]) == 0


def test_several_suites_and_folders(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(PASSING, "evals/one.eval.yaml")
    suite.suite(SUITE, "evals/deep/two.eval.yaml")
    code, out, _ = run(capsys, "evals", "suite.eval.yaml::good")
    assert code == 1
    headed = [line for line in out.splitlines() if line.endswith(".eval.yaml")]
    assert sorted(headed) == ["evals/deep/two.eval.yaml", "evals/one.eval.yaml", "suite.eval.yaml"]
    lines = out.splitlines()
    assert lines[lines.index("evals/one.eval.yaml") :][1].startswith("✔ 1.00  good")
    assert "\nevals/deep/two.eval.yaml:8 bad failed 0.50, needs 0.80\n" in out
    assert lines[-2].startswith("3 suites: 4 passed, 1 failed · target default")
    assert lines[-1] == "again: rubric run evals suite.eval.yaml::good --failed"
    again = run(capsys, "evals", "--resume")
    assert again == (1, "\nnothing to run; already done and unchanged: 3 passed, 1 failed\n", "")
    code, out, _ = run(capsys, "evals", "--failed", "--format", "json")
    assert [[c["id"] for c in s["cases"]] for s in json.loads(out)["suites"]] == [["bad"]]
    rows = [
        json.loads(line) for line in run(capsys, "evals/*.yaml", "suite.eval.yaml", "--format", "jsonl")[1].splitlines()
    ]
    assert {(row["suite"], row["id"]) for row in rows} == {
        (name, case) for name in ("evals/one.eval.yaml", "suite.eval.yaml") for case in ("good", "bad")
    }
    suite.suite("", "evals/empty.eval.yaml")
    code, out, err = run(capsys, "evals", "gone.yaml")
    assert (code, "2 suites: 3 passed, 1 failed" in out) == (2, True)
    assert err.startswith("rubric: gone.yaml: there is no such file")
    assert "evals/empty.eval.yaml:1: there is no case to run" in err


def test_several_cases_of_a_suite(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ids(run(capsys, "suite.eval.yaml::bad", "suite.eval.yaml::good", "--format", "jsonl")[1]) == ["bad", "good"]
    assert ids(run(capsys, "suite.eval.yaml::bad", "suite.eval.yaml", "--format", "jsonl")[1]) == ["bad", "good"]


def test_the_dialect_of_the_settings_counts(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite("tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n")
    suite.write(".rubric.toml", 'dialect = "agentv-5"\n')
    for more, dialect in (((), "agentv-5"), (("--dialect", "agentv-3"), "agentv-3")):
        assert json.loads(run(capsys, "suite.eval.yaml", "--format", "json", *more)[1])["dialect"] == dialect


def test_checking_loads_nothing_of_what_running_needs() -> None:
    script = "import sys, rubric_core, rubric_core.evaluation as e, rubric_core.cli.check_command; [getattr(e, n) for n in e.__all__]; print([m for m in ('httpx', 'pydantic', 'ruamel.yaml') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_settings_that_are_not_acted_on_are_said_once(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write(
        "targets.yaml", "targets:\n  - name: default\n    provider: cli\n    command: echo hello\n    verbose: true\n"
    )
    code, _, err = run(capsys, "suite.eval.yaml", "--targets", "targets.yaml")
    assert code == 1
    assert err.count("rubric: targets.yaml:5, verbose: ignored; ") == 1


def test_ways_to_record_exclude_each_other(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "suite.eval.yaml", "--record", "--refresh")
    assert (code, err) == (2, "rubric: --record and --refresh exclude each other\n")


def test_quietly(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "suite.eval.yaml", "-q")
    assert out.splitlines()[:3] == [
        "",
        "suite.eval.yaml:8 bad failed 0.50, needs 0.80",
        '    contains-goodbye: does not contain "goodbye"',
    ]
    assert "good passed" not in out


def test_quietly_when_all_is_well(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(PASSING)
    suite.suite(PASSING, "b.eval.yaml")
    _, out, _ = run(capsys, "suite.eval.yaml", "b.eval.yaml", "--quiet")
    assert out.startswith("\n2 suites: 4 passed · target default")
    assert len(out.splitlines()) == 2


def test_verbosely(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "suite.eval.yaml", "-v")
    lines = out.splitlines()
    assert "    answer: hello world" in lines
    assert '    contains-goodbye 0.00: does not contain "goodbye"' in lines
    assert '    words 1.00: contains "HELLO"' in lines


def test_quiet_and_verbose_exclude_each_other(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "suite.eval.yaml", "-q", "-v")
    assert code == 2
    assert "not allowed with" in err
