"""Names that are not UTF-8, that command a terminal or a workflow, or that look like options: no format skips or obeys one."""

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from command import Run, write

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems refuse these names")

TEXT = b"name: x\ntests:\n  - id: c0\n    input: hi\n    criteria: x\n    expected_outcom: y\n"
ODD = (
    b"a b", b"quote'\"", b"new\nline", b"cr\rx", b"tab\t", b"esc\x1b[31mred", b"bad\xff\xfe", b"\xed\xa0\x80", "\u202eright".encode(),
    "\u2028ls".encode(), b"per%20cent%", b"hash#q?", b"star*[a]", b"-dash", b"--fix", b"{b}", b"back\\slash", b"a::b", b"::error file=x::pwned",
    "\x85c1\x9b".encode(), b" lead", b"\n::error::pwned", b"##[error]pwned", b"<b>&amp;",
)  # fmt: skip
#: What acts on a terminal.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")
OBEYED = re.compile(r"^\s*::(?!(warning|error|notice) file=.*::a case has no key)|##\[", re.MULTILINE)


def acting(text: str) -> list[str]:
    """What acts on a terminal, and where; as ASCII, because nobody else has to be able to show it."""
    return [
        ascii(text[max(0, found.start() - 60) : found.end() + 20]) for found in ACTING.finditer(text.replace("\n", " "))
    ]


def obeyed(text: str) -> list[str]:
    """What GitHub Actions does."""
    return [ascii(text[max(0, found.start() - 60) : found.end() + 40]) for found in OBEYED.finditer(text)]


@pytest.fixture
def names() -> Iterator[set[bytes]]:
    """Files of these names, and files in folders of these names; all have the same finding."""
    logging.disable()  # what pytest gathers of the log is sent between its processes, as UTF-8
    Path(".git").mkdir()
    made = set()
    for odd in ODD:
        Path(os.fsdecode(b"d" + odd)).mkdir()
        for name in (odd + b".eval.yaml", b"d" + odd + b"/in.eval.yaml"):
            Path(os.fsdecode(name)).write_bytes(TEXT)
            made.add(name)
    assert len(made) == 2 * len(ODD)
    yield made
    logging.disable(logging.NOTSET)


def test_json_names_every_file(rubric: Run, names: set[bytes]) -> None:
    ran = rubric("check", "--format", "json", ".")
    found = json.loads(ran.out)
    assert acting(ran.out) == []
    assert {os.fsencode(row["path"]) for row in found} == names
    assert len(found) == len(names)


def test_sarif_names_every_file(rubric: Run, names: set[bytes]) -> None:
    ran = rubric("check", "--format", "sarif", ".")
    (run,) = json.loads(ran.out)["runs"]
    assert acting(ran.out) == []
    uris = [row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for row in run["results"]]
    assert {unquote_to_bytes(uri) for uri in uris} == names
    assert all(re.fullmatch(r"[\w.~/%'()*+,;=:@!$&-]*", uri) for uri in uris)


def test_github_names_every_file_and_is_obeyed_in_nothing_else(
    rubric: Run, names: set[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = rubric("check", "--format", "github", ".")
    assert ran.out.count("\n") == len(names)
    assert [line for line in ran.out.splitlines() if not line.startswith("::warning file=")] == []
    assert acting(ran.out) == []
    assert obeyed(ran.err) == []


def test_text_shows_every_file_and_commands_nothing(
    rubric: Run, names: set[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = rubric("check", ".")
    assert len(re.findall(r"^.*:6:5 warning\[unknown-key\]", ran.out, re.MULTILINE)) == len(names)
    assert acting(ran.out + ran.err) == []
    assert obeyed(ran.out + ran.err) == []


COMMANDS = (
    ("check", "--statistics", "."), ("format", "--check", "."), ("migrate", "--to", "agentv-5", "."), ("run", "."), ("run", "--explain", "."),
    ("explain", "\x1b[31mx\u202e\n::error::x"), ("explain", "\udcff"), ("check", "nope\x1b[2J\n::error::x"), ("run", "nope\x1b[2J\n::error::x"),
    ("check", "--select", "x\x1b[2J\n::error::x", "."), ("trust", "nope\x1b[2J\n::error::x"), ("format", "nope\n ::error::x"),
    ("migrate", "--to", "agentv-5", "nope\n ::error::x"), ("judge", "check", "nope\n##[error]x"),
)  # fmt: skip


@pytest.mark.parametrize(
    "arguments", COMMANDS, ids=lambda arguments: " ".join(arguments).encode("unicode_escape").decode()
)
def test_no_command_obeys_a_name(
    rubric: Run, names: set[bytes], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write(
        "ids.eval.yaml",
        'name: "n\\e[2J\\u202e\\n::error::x"\ntests:\n  - {id: "i\\e[31m\\n::error::x", criteria: c, input: q}\n',
    )
    ran = rubric(*arguments)
    assert ran.code in (0, 1, 2, 3)
    assert acting(ran.out + ran.err) == []
    assert obeyed(ran.out + ran.err) == []
    assert "mistake in rubric" not in ran.out + ran.err


@pytest.mark.parametrize("odd", ODD, ids=ascii)
@pytest.mark.parametrize("command", ["check", "format --check", "migrate --check --to agentv-5", "run"])
def test_one_file_by_its_name(rubric: Run, names: set[bytes], odd: bytes, command: str) -> None:
    for name in (b"./" + odd + b".eval.yaml", b"d" + odd + b"/in.eval.yaml"):
        ran = rubric(*command.split(), os.fsdecode(name))
        assert ran.code in (0, 1, 3), ascii(ran)
        assert "no such" not in ran.err.lower(), ascii(ran)
        if command == "check":
            assert "unknown-key" in ran.out


def test_data_for_programs_stays_as_it_is_in_a_workflow(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter-example: what is masked for people is not masked in JSON, in a patch or in a document."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write("a.eval.yaml", "tests:\n  - id: \"\u202e\"\n    criteria: c\n    input:   hi \u202e\n    '::x': 1\n")
    assert any("::x" in row["message"] for row in json.loads(rubric("check", "--format", "json", ".").out))
    assert "\u202e" in rubric("format", "--diff", ".").out
    assert "\u202e" in rubric("format", "-", stdin=Path("a.eval.yaml").read_bytes()).out


def test_another_locale_reads_the_same_cache(names: set[bytes]) -> None:
    command = [sys.executable, "-m", "rubric_core", "check", "--format", "json", "."]
    found = []
    for more in ({}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}):
        done = subprocess.run(command, capture_output=True, env={**os.environ, **more}, check=False, timeout=120)
        assert (done.returncode, done.stderr) == (0, b"")
        found.append(len(json.loads(done.stdout)))
    assert found == [len(names)] * 3
