"""`rubric check`: exit codes, bad input, standard input, fixes."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from command import BROKEN, CLEAN, Run, write

from rubric_core.cli.check_result import CheckedFile, CheckRound

if TYPE_CHECKING:
    from rubric_core.syntax.blocks import Document

NO_TRACE = "Traceback"
#: What may have the name of a file and is none, and how it is called.
NO_FILES: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: os.mkfifo(path), "this is a named pipe, not a file"),  # noqa: PLW0108  # Windows has none
    (os.mkdir, "Is a directory"),
    (lambda path: path.symlink_to("nowhere"), "No such file or directory"),
    (lambda path: path.symlink_to("/dev/zero"), "this is a device, not a file"),
]


def test_a_clean_suite_ends_with_0(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    ran = rubric("check", "a.eval.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("no findings in 1 suite · ")


def test_an_error_ends_with_1(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    ran = rubric("check", "a.eval.yaml")
    assert ran.code == 1
    assert "a.eval.yaml:8:57 error[bad-weight]" in ran.out
    assert "1 error, 1 warning in 1 of 1 suite · 1 fixable with --fix · " in ran.out.splitlines()[-1]


def test_a_warning_ends_with_0(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN.replace("-1", "1"))
    ran = rubric("check", "a.eval.yaml")
    assert ran.code == 0
    assert "warning[unknown-key]" in ran.out


def test_without_a_path_the_current_folder_is_checked(rubric: Run) -> None:
    write("evals/a.eval.yaml", BROKEN)
    assert "evals/a.eval.yaml:8:57 error" in rubric("check").out


def test_a_file_that_is_named_twice_is_checked_once(rubric: Run) -> None:
    write("evals/a.eval.yaml", CLEAN)
    assert rubric("check", "evals", "evals/a.eval.yaml", "./evals/../evals").out.startswith("no findings in 1 suite ")


# What cannot be read.


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"tests:\n  - id: \xff\n", "a.eval.yaml:2: not UTF-8: byte 0xff at offset 15; save it as UTF-8"),
        ("tests: []\n".encode("utf-16"), "this is UTF-16, not UTF-8; save it as UTF-8"),
        ("tests: []\n".encode("utf-16-le"), "UTF-16 without a byte order mark: byte 0x00 at offset 1"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x9f\x92", "not UTF-8: byte 0x9f at offset 9; this is a binary file"),
    ],
    ids=["invalid UTF-8", "UTF-16", "UTF-16 without a mark", "binary"],
)
def test_what_is_no_text_is_named(rubric: Run, content: bytes, words: str) -> None:
    write("a.eval.yaml", content)
    ran = rubric("check", "a.eval.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("rubric: a.eval.yaml:")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_the_others_are_checked_all_the_same(rubric: Run) -> None:
    write("a.eval.yaml", b"\xff")
    write("b.eval.yaml", BROKEN)
    ran = rubric("check", "a.eval.yaml", "b.eval.yaml", "missing.yaml", "--format", "json")
    assert ran.code == 2
    assert {row["path"] for row in ran.json} == {"b.eval.yaml"}
    assert len(ran.err.splitlines()) == 2


def test_a_missing_file_is_named_with_the_one_that_was_meant(rubric: Run) -> None:
    write("evals/support.eval.yaml", CLEAN)
    ran = rubric("check", "evals/suport.eval.yaml")
    assert ran.code == 2
    assert ran.err == "rubric: evals/suport.eval.yaml: there is no such file; did you mean evals/support.eval.yaml?\n"


def test_a_folder_without_suites_is_no_success(rubric: Run) -> None:
    write("docs/readme.yaml", "a: 1\n")
    ran = rubric("check", "docs")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("rubric: docs: no suites in this folder; rubric looks for *.eval.yaml, ")


def test_a_pattern_that_matches_nothing_is_no_success(rubric: Run) -> None:
    ran = rubric("check", "evals/**/*.eval.yaml")
    assert (ran.code, ran.err) == (2, "rubric: evals/**/*.eval.yaml: no file matches this pattern\n")
    ran = rubric("check", "[z-a].yaml", "x" * 300)
    said = [
        "[z-a].yaml: this is not a pattern: bad character range z-a at position 2",
        f"{'x' * 300}: there is no such file",
    ]
    assert (ran.code, ran.err) == (2, "".join(f"rubric: {each}\n" for each in said))


def test_a_byte_order_mark_is_not_shown(rubric: Run) -> None:
    write("a.eval.yaml", "\ufeffnothing: 1\n")
    assert "\n1 │ nothing: 1\n  │ ^^^^^^^\n" in rubric("check", "a.eval.yaml").out


def test_a_file_that_may_not_be_read(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.eval.yaml", CLEAN)
    monkeypatch.setattr("rubric_core.loading.files.read_file", _refuse)
    ran = rubric("check", "a.eval.yaml")
    assert (ran.code, ran.err) == (2, "rubric: a.eval.yaml: cannot be read: Permission denied\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices in folders")
@pytest.mark.parametrize(
    ("make", "words"),
    [NO_FILES[0], NO_FILES[1], (NO_FILES[2][0], "this link points to nothing")],
    ids=["pipe", "folder", "link"],
)
def test_what_stands_in_the_place_of_a_targets_file(rubric: Run, make: Callable[[Path], object], words: str) -> None:
    write("a.eval.yaml", f"execution: {{target: bot}}\n{CLEAN}")
    assert rubric("check", "a.eval.yaml").code == 0
    Path(".agentv").mkdir()
    make(Path(".agentv/targets.yaml"))
    ran = rubric("check", "a.eval.yaml")
    assert ran.code == 1
    assert f"1:21 error[unknown-target] .agentv/targets.yaml cannot be read: {words}\n" in ran.out


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices in folders")
def test_what_has_no_end_is_not_waited_for(rubric: Run) -> None:
    os.mkfifo("pipe.eval.yaml")
    Path("self.eval.yaml").symlink_to("self.eval.yaml")
    write("long.eval.yaml", "")
    os.truncate("long.eval.yaml", 100_000_001)
    ran = rubric("check", "pipe.eval.yaml", "/dev/zero", "long.eval.yaml", "self.eval.yaml")
    assert ran.code == 2
    assert [line.split(": ", 3)[-1] for line in ran.err.splitlines()] == [
        "this is a named pipe, not a file",
        "this is a device, not a file",
        "long.eval.yaml is longer than 100,000,000 bytes",
        "Too many levels of symbolic links",
    ]
    write("evals/plain.yaml", "tests: []")
    os.mkfifo("evals/pipe.yaml")
    assert (
        rubric("check", ".").err
        == "rubric: long.eval.yaml: cannot be read: long.eval.yaml is longer than 100,000,000 bytes\n"
    )


def test_a_stream_that_a_shell_hands_over_is_read(process: Run) -> None:
    assert process("check", "/dev/stdin", stdin=CLEAN.encode()).code == 0


def test_a_folder_that_may_not_be_looked_into(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("evals/a.eval.yaml", CLEAN)
    write("evals/private/b.eval.yaml", CLEAN)
    look = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: _refuse() if path.endswith("private") else look(path))
    ran = rubric("check", "evals")
    assert (ran.code, ran.err) == (2, "rubric: evals/private: cannot be looked into: Permission denied\n")
    assert ran.out.startswith("no findings in 1 suite")


def _refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_link_that_leads_nowhere(rubric: Run) -> None:
    Path("a.eval.yaml").symlink_to("gone.yaml")
    assert rubric("check", "a.eval.yaml").err == "rubric: a.eval.yaml: there is no such file\n"
    assert rubric("check", ".").code == 2, "found by nobody"


@pytest.mark.parametrize(
    "text",
    ["", "\ufeff" + CLEAN, "\t- x\n", "- a\n- b\n", "a: &x [*x]\n", "%YAML 9.9\n---\n", "[" * 10_000, "--- a\n--- b\n", "x: !!python/object:os.system\n"],
)  # fmt: skip
def test_no_text_ends_in_a_trace(rubric: Run, text: str) -> None:
    write("a.eval.yaml", text)
    ran = rubric("check", "a.eval.yaml")
    assert ran.code in (0, 1)
    assert NO_TRACE not in ran.out + ran.err


def test_lines_may_end_as_on_windows(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN.replace("\n", "\r\n"))
    assert "a.eval.yaml:8:57 error[bad-weight]" in rubric("check", "a.eval.yaml").out
    rows = rubric("check", "a.eval.yaml", "--format", "json").json
    assert rows[0]["range"]["start"] == {"line": 7, "character": 56}


# Wrong use.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dialect", "agentv-9"], "there is no dialect agentv-9; there are agentv-0.1, "),
        (["--select", "bad-wieght"], "--select: there is no code bad-wieght; did you mean bad-weight?"),
        (["--ignore", "bad-weight,xyz"], "--ignore: there is no code xyz; `rubric explain` lists them all"),
        (["--select", ""], "--select: name at least one code"),
        (["--path", "x.yaml"], "--path needs standard input: pass - as well"),
        (["-", "-"], "- can be given only once"),
        ([""], "an empty name is not a path; write . for the current folder"),
        (["-", "--watch"], "--watch needs files"),
        (["--watch", "--fix"], "--watch changes nothing"),
        (["--watch", "--format", "json"], "--watch prints only text"),
        (["--diff", "--fix"], "--diff cannot be combined with --fix or --format"),
        (["--diff", "--format", "sarif"], "--diff cannot be combined with --fix or --format"),
        (["--statistics", "--format", "sarif"], "--statistics needs --format text or json"),
        (["--format", "xml"], "invalid choice"),
        (["--nonsense"], "unrecognized arguments"),
    ],
)
def test_wrong_use_is_explained(rubric: Run, arguments: list[str], words: str) -> None:
    write("a.eval.yaml", CLEAN)
    ran = rubric("check", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


# Standard input.


def test_standard_input_is_checked(rubric: Run) -> None:
    ran = rubric("check", "-", "--format", "json", stdin=BROKEN.encode())
    assert ran.code == 1
    assert {row["path"] for row in ran.json} == {"-"}


def test_standard_input_has_the_name_and_the_settings_of_its_path(rubric: Run) -> None:
    write("evals/.rubric.toml", 'ignore = ["bad-weight"]\n')
    ran = rubric("check", "-", "--path", "evals/a.eval.yaml", "--format", "json", stdin=BROKEN.encode())
    assert [(row["path"], row["code"]) for row in ran.json] == [("evals/a.eval.yaml", "unknown-key")]


def test_standard_input_that_is_no_text(rubric: Run) -> None:
    assert (
        rubric("check", "-", stdin=b"a: \xff").err
        == "rubric: -:1: not UTF-8: byte 0xff at offset 3; save it as UTF-8\n"
    )


def test_the_fixed_text_leaves_where_the_text_came_in(rubric: Run) -> None:
    ran = rubric("check", "-", "--fix", stdin=BROKEN.replace("\n", "\r\n").encode())
    assert ran.out == BROKEN.replace("wieght", "weight").replace("\n", "\r\n")
    assert "1 finding fixed in 1 file · 1 error in 1 of 1 suite" in ran.err
    assert ran.code == 1
    assert rubric("check", "-", "--fix", stdin=CLEAN.encode()).out == CLEAN


# Fixes.


def test_safe_fixes_are_written_and_nothing_else_changes(rubric: Run) -> None:
    file = write("a.eval.yaml", "\ufeff# mine\r\n" + BROKEN.replace("\n", "\r\n"))
    file.chmod(0o640)
    before = file.read_bytes()
    ran = rubric("check", "--fix")
    assert ran.out.splitlines()[-1].startswith("1 finding fixed in 1 file · 1 error in 1 of 1 suite · ")
    assert file.read_bytes() == before.replace(b"wieght", b"weight")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert rubric("check", "--fix").out.splitlines()[-1].startswith("nothing to fix · 1 error ")


def test_only_what_is_selected_is_fixed(rubric: Run) -> None:
    file = write("a.eval.yaml", BROKEN)
    assert rubric("check", "--fix", "--ignore", "unknown-key").code == 1
    assert file.read_text() == BROKEN


def test_a_file_that_cannot_be_written(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.eval.yaml", BROKEN)
    monkeypatch.setattr("rubric_core.cli.source_writer.write_file", _refuse)
    ran = rubric("check", "--fix")
    assert (ran.code, ran.err) == (2, "rubric: a.eval.yaml: cannot be written: Permission denied\n")


def test_diff_shows_what_would_change_and_changes_nothing(rubric: Run) -> None:
    file = write("evals/a.eval.yaml", BROKEN.rstrip("\n"))
    ran = rubric("check", "--diff")
    assert file.read_text() == BROKEN.rstrip("\n")
    assert ran.out.startswith("--- evals/a.eval.yaml\n+++ evals/a.eval.yaml\n@@ ")
    assert "-      - {type: contains, wieght: 2, value: 30 days}\n\\ No newline at end of file\n" in ran.out
    assert "+      - {type: contains, weight: 2, value: 30 days}\n\\ No newline at end of file\n" in ran.out
    assert ran.err.startswith("1 finding would be fixed in 1 file · ")
    assert subprocess.run(["patch", "-p0"], input=ran.out.encode(), capture_output=True, check=False).returncode == 0
    assert file.read_text() == BROKEN.replace("wieght", "weight").rstrip("\n")


def test_diff_ends_as_the_check_of_the_files_as_they_are(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    assert (rubric("check", "--diff").code, rubric("check", "--diff").out) == (0, "")
    write("a.eval.yaml", BROKEN)
    assert rubric("check", "--diff").code == 1


# Statistics, selection, dialect.


def test_statistics_count_codes(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    write("b.eval.yaml", BROKEN.replace("-1", "1"))
    ran = rubric("check", "--statistics")
    assert ran.out.splitlines()[:2] == [
        "2  unknown-key  warning  A key that is not known in this place  (all fixable)",
        "1  bad-weight   error    A weight that is negative, or a criterion with weight 0",
    ]
    assert "1 error, 2 warnings in 2 of 2 suites" in ran.out
    rows = rubric("check", "--statistics", "--format", "json").json
    assert [(r["code"], r["severity"], r["count"], r["fixable"]) for r in rows] == [
        ("unknown-key", "warning", 2, 2),
        ("bad-weight", "error", 1, 0),
    ]


def test_codes_are_selected_and_ignored(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    assert rubric("check", "--format", "json", "--select", "unknown-key").codes == ["unknown-key"]
    assert rubric(
        "check", "--format", "json", "--select", "bad-weight, unknown-key", "--ignore", "unknown-key"
    ).codes == ["bad-weight"]
    assert rubric("check", "--format", "json", "--ignore", "bad-weight", "--ignore", "unknown-key").code == 0


def test_a_dialect_counts_where_the_text_names_none(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    assert "agentv-1" in rubric("check", "--dialect", "agentv-1").out
    write("a.eval.yaml", "# rubric: dialect=agentv-3\n" + CLEAN)
    assert rubric("check", "--dialect", "agentv-1").code == 0


# As a process.


def test_the_process_says_the_same(process: Run) -> None:
    write("a.eval.yaml", BROKEN)
    ran = process("check", "a.eval.yaml", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.codes == ["bad-weight", "unknown-key"]


def test_the_process_reads_standard_input(process: Run) -> None:
    ran = process("check", "-", "--fix", stdin=BROKEN.encode())
    assert (ran.code, ran.out) == (1, BROKEN.replace("wieght", "weight"))


def test_nothing_heavy_is_loaded() -> None:
    write(".gitignore", "x\n")
    write("a.eval.yaml", BROKEN)
    script = "import sys; from rubric_core.cli import main; main(['check', 'a.eval.yaml', '.']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    heavy = {
        "pydantic",
        "httpx",
        "ruamel",
        "ruamel.yaml",
        "asyncio",
        "pygls",
        "lsprotocol",
        "jsonschema",
        "tomllib",
        "unittest",
        "shutil",
        "hashlib",
        "email",
    }
    assert not loaded & heavy
    assert not {m for m in loaded if m.startswith(("rubric_lsp", "rubric_core.evaluation"))}


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    write("a.eval.yaml", BROKEN + "".join(BROKEN[7:].replace("refund", f"r{i}") for i in range(500)))
    command = f"{sys.executable} -m rubric_core.cli check a.eval.yaml | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no pipe breaks in this way")
@pytest.mark.parametrize(
    "command", [["check", "a.eval.yaml"], ["check", "gone.eval.yaml"], ["explain"], ["schema"], ["results"]]
)
def test_a_reader_that_goes_first_is_seen_in_the_exit_code(command: list[str]) -> None:
    write("a.eval.yaml", BROKEN)
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [sys.executable, "-m", "rubric_core.cli", *command], stdout=writer, stderr=writer, timeout=300, check=False
    )
    os.close(writer)
    assert ran.returncode == 141


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of a process cannot be removed there")
def test_a_current_folder_that_is_gone_is_named() -> None:
    program = f"mkdir gone; cd gone; rmdir ../gone; {sys.executable} -m rubric_core.cli check"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert done.stderr == "rubric: the current folder is gone: No such file or directory (--debug shows more)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links in folders")
@pytest.mark.parametrize(("make", "words"), NO_FILES)
def test_what_is_called_like_a_targets_file_and_is_none_is_named(
    make: Callable[[Path], object], words: str, rubric: Run
) -> None:
    write("a.eval.yaml", CLEAN)
    Path(".agentv").mkdir()
    make(Path(".agentv/targets.yaml"))
    ran = rubric("check", ".")
    assert (ran.code, ran.err) == (2, f"rubric: .agentv/targets.yaml: cannot be read: {words}\n")


# What is no suite.


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
@pytest.mark.parametrize("command", [["explain"], ["schema"], ["check"], ["--version"], ["run", "--help"]])
def test_a_full_disk_is_no_success(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.eval.yaml").write_text(CLEAN)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "rubric_core.cli", *command],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert "No space left on device" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
def test_streams_may_be_closed() -> None:
    write("a.eval.yaml", CLEAN)
    for closed in ("<&-", ">&-", "2>&-"):
        command = f"{sys.executable} -m rubric_core.cli check a.eval.yaml {closed}"
        assert subprocess.run(["sh", "-c", command], capture_output=True, timeout=300, check=False).returncode == 0


def test_other_files_are_checked_as_what_they_are(rubric: Run) -> None:
    write(
        "cases.jsonl",
        '{"id": "a", "input": "x", "criteria": "Says x"}\n{"id": "b", "inptu": "x", "criteria": "Says x"}\n',
    )
    ran = rubric("check", "cases.jsonl", "--format", "json")
    assert {row["range"]["start"]["line"] for row in ran.json} == {1}
    assert "of 1 file" in rubric("check", "cases.jsonl").out


def test_what_standard_input_is_depends_on_its_path(rubric: Run) -> None:
    text = b'{"id": "a", "input": "x", "criteria": "Says x"}\n'
    assert rubric("check", "-", "--path", "cases.jsonl", stdin=text).code == 0
    assert rubric("check", "-", stdin=text).code == 1


def test_a_markdown_fence_around_a_file_is_taken_away(rubric: Run) -> None:
    for above, below in (("", ""), ("# copied out of a chat\n", "\n"), ("", "\r\n")):
        write("a.eval.yaml", f"{above}```yaml\n{CLEAN}```{below}")
        assert rubric("check", "a.eval.yaml").code == 1
        rubric("check", "--fix", "a.eval.yaml")
        assert Path("a.eval.yaml").read_text() == above + CLEAN
        assert rubric("check", "a.eval.yaml").code == 0
    write("a.eval.yaml", f"tests: []\n```yaml\n{CLEAN}```\nThat is all.\n")
    before = Path("a.eval.yaml").read_bytes()
    rubric("check", "--fix", "a.eval.yaml")
    assert Path("a.eval.yaml").read_bytes().count(b"```") == before.count(b"```")


WARNED = BROKEN.replace("-1", "1")


@pytest.mark.parametrize(
    ("options", "text", "code"),
    [
        ((), WARNED, 0),
        (("--strict",), WARNED, 1),
        (("--strict",), CLEAN, 0),
        (("--max-warnings", "0"), WARNED, 1),
        (("--max-warnings", "1"), WARNED, 0),
        (("--max-warnings", "1"), BROKEN, 1),
        (("--strict", "--fix"), WARNED, 0),
        (("--strict", "--ignore", "unknown-key"), WARNED, 0),
    ],
)
def test_warnings_fail_where_that_is_asked_for(options: tuple[str, ...], text: str, code: int, rubric: Run) -> None:
    write("a.eval.yaml", text)
    assert rubric("check", *options, "a.eval.yaml").code == code


def test_the_summary_says_why_warnings_fail(rubric: Run) -> None:
    write("a.eval.yaml", WARNED)
    assert "1 warning in 1 of 1 suite" in rubric("check", "--strict").out
    assert " · failed: no warnings allowed · " in rubric("check", "--strict").out
    write("b.eval.yaml", WARNED)
    assert " · failed: at most 1 warning allowed · " in rubric("check", "--max-warnings", "1").out


def test_quiet_shows_what_fails_and_nothing_else(rubric: Run) -> None:
    write("a.eval.yaml", WARNED)
    assert (rubric("check", "-q").code, rubric("check", "-q").out, rubric("check", "-q").err) == (0, "", "")
    strict = rubric("check", "--quiet", "--strict")
    assert strict.code == 1
    assert "warning[unknown-key]" in strict.out
    assert "1 suite" not in strict.out
    write("a.eval.yaml", BROKEN)
    assert "error[bad-weight]" in rubric("check", "-q").out
    assert "unknown-key" not in rubric("check", "-q").out
    assert rubric("check", "-q", "--format", "json").codes == ["bad-weight"]
    assert rubric("check", "-q", "--format", "github").err == ""
    assert rubric("check", "-q", "missing.yaml").err == "rubric: missing.yaml: there is no such file\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strict", "--max-warnings", "3"), "--strict means --max-warnings 0; use only one of them"),
        (("--watch", "--strict"), "--watch shows everything and never fails"),
        (("--watch", "-q"), "--watch shows everything and never fails"),
        (("--max-warnings", "-1"), "write 0 or more"),
        (("--max-warnings", "few"), "few is not a number of warnings; write 0 or more"),
    ],
)
def test_options_of_failing_that_make_no_sense(options: tuple[str, ...], words: str, rubric: Run) -> None:
    ran = rubric("check", *options)
    assert (ran.code, words in ran.err) == (2, True)


@pytest.mark.parametrize("colour", ["0", "1"])
@pytest.mark.parametrize("kind", ["text", "github"])
def test_nothing_in_a_name_commands_the_terminal(
    rubric: Run, monkeypatch: pytest.MonkeyPatch, kind: str, colour: str
) -> None:
    monkeypatch.setenv("FORCE_COLOR", colour)
    case = '  - {id: "x\\e[2J\\e[8m \\u202Eabc \\x9b2J \\a", criteria: y, input: q, "k\\e]0;t\\a": 1}\n'
    write("a.eval.yaml", f'name: "n\\e[5m"\ntests:\n{case}{case}')
    ran = rubric("check", "a.eval.yaml", "--format", kind)
    assert "is taken by another case" in ran.out
    acting = set(re.sub(r"\x1b\[(?:[0-36;]+)m", "", ran.out + ran.err)) & set("\x1b\x9b\u202e\a")
    assert acting == set()
    assert "\x1b[8m" not in ran.out


def test_a_terminal_obeys_no_name_of_a_file(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    name = "no\x1b[2Jfile\x9b1m\u202e.eval.yaml"
    done = subprocess.run([sys.executable, "-m", "rubric_core", "check", name], cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, check=False)  # fmt: skip
    os.close(theirs)
    shown = os.read(ours, 65_536).decode()
    os.close(ours)
    assert (done.returncode, "�[2Jfile�1m�.eval.yaml" in shown) == (2, True)


def test_the_exit_code_of_many_warnings_looks_at_each_a_few_times() -> None:
    looks: list[str] = []

    class Warned:
        more = more_fixable = 0
        fixes = ()

        @property
        def severity(self) -> str:
            looks.append("")
            return "warning"

    found: Any = tuple(Warned() for _ in range(200))
    document = cast("Document", None)
    files = tuple(CheckedFile(f"{number}.eval.yaml", document, found) for number in range(5))
    assert CheckRound(files, (), 0.0).exit_code == 0
    assert CheckRound(files, (), 0.0, most_warnings=999).exit_code == 1
    assert len(looks) <= 4 * 2 * 1_000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes")
def test_a_prompt_that_is_a_pipe_is_named_as_something_that_is_there(rubric: Run) -> None:
    os.mkfifo("pipe.md")
    Path("link.md").symlink_to("nowhere.md")
    Path("folder.md").mkdir()
    for name in ("pipe.md", "link.md", "folder.md"):
        write(
            "a.eval.yaml",
            f"tests:\n  - {{id: a, criteria: c, input: [{{role: user, content: [{{type: file, value: {name}}}]}}]}}\n",
        )
        ran = rubric("check", "--no-cache", "a.eval.yaml")
        assert ran.code == 1
        assert (
            f"`{name}` is not a file that can be read, but a directory, a pipe or a broken link; agentv reads a file here"
            in ran.out
        )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program does not learn the path of such a folder")
def test_a_current_folder_whose_path_is_too_long_is_named(process: Run) -> None:
    """Folders can be entered one by one until their path is longer than any that the system takes."""
    here = os.open(".", os.O_RDONLY)
    try:
        for _ in range(20):
            os.mkdir("d" * 250)  # noqa: PTH102  # a path of it would be too long
            os.chdir("d" * 250)
        ran = process("check")
    finally:
        os.fchdir(here)
        os.close(here)
    assert ran.code == 2
    assert re.fullmatch(r"rubric: the path …d+/.* is longer than this system allows \(--debug shows more\)\n", ran.err)
