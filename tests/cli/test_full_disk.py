"""What becomes of files when the disk is full: RLIMIT_FSIZE ends every write half way, as a full disk does."""

import errno
import os
import re
import resource
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command import Ran, write
from thorough import sample

from rubric_core.evaluation.results import schema
from rubric_core.evaluation.results.connection import open_to_write
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.store_errors import ResultStoreError

#: Bytes that fit. Every suite here is longer.
ROOM = 4096
CASES = 120
SUITE = "# rubric: dialect=agentv-3\ntests:\n" + "".join(
    f"  - id: c{number}\n    input:    hi\n    criteria: c\n    assertions:\n      - {{type: contains, value: hi, wieght: 2}}\n"
    for number in range(CASES)
)
TARGETS = "targets: [{name: default, provider: mock, response: hi}]\n"


def rubric(*arguments: str, room: int = ROOM) -> Ran:
    done = subprocess.run(
        # Bytecode that is cut off half way would be loaded ever after.
        [sys.executable, "-B", "-m", "rubric_core.cli", *arguments],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def suite() -> Path:
    return write("a.eval.yaml", SUITE)


def test_fixes_leave_a_suite_that_cannot_be_written_as_it_was(suite: Path) -> None:
    other = write("b.eval.yaml", SUITE[: SUITE.index("  - id: c2\n")])
    ran = rubric("check", "--fix", "--statistics")
    assert (ran.code, ran.err) == (2, "rubric: a.eval.yaml: cannot be written: File too large\n")
    last = ran.out.splitlines()[-1]
    assert last.startswith(
        f"2 findings fixed in 1 file · 1 file could not be written · {CASES} warnings in 1 of 2 suites · "
    )
    assert suite.read_text() == SUITE
    assert "wieght" not in other.read_text(), "what can be written is"
    assert sorted(p.name for p in suite.parent.iterdir()) == ["a.eval.yaml", "b.eval.yaml"]


def test_a_finding_is_shown_where_it_still_is(suite: Path) -> None:
    ran = rubric("check", "--fix", "--format", "json")
    assert [row["code"] for row in ran.json] == ["unknown-key"] * CASES
    assert suite.read_text().splitlines()[6][ran.json[0]["range"]["start"]["character"] :].startswith("wieght")


def test_a_migration_leaves_a_suite_that_cannot_be_written_as_it_was(suite: Path) -> None:
    ran = rubric("migrate", "--to", "agentv-5", "a.eval.yaml")
    assert (ran.code, ran.err) == (
        2,
        "rubric: a.eval.yaml: cannot be written, and stays agentv-3: File too large\n",
    )
    assert ran.out.startswith("0 files of 1 changed")
    assert suite.read_text() == SUITE


def test_formatting_leaves_a_suite_that_cannot_be_written_as_it_was(suite: Path) -> None:
    ran = rubric("format")
    assert (ran.code, ran.err) == (2, "rubric: a.eval.yaml: cannot be written: File too large\n")
    assert suite.read_text() == SUITE


@pytest.mark.parametrize("room", [ROOM, 200_000], ids=["for none", "for some"])
def test_a_run_whose_results_cannot_be_stored_says_how_many_are_lost_and_fails(suite: Path, room: int) -> None:
    write(".agentv/targets.yaml", TARGETS)
    suite.write_text(SUITE.replace("wieght", "weight"))
    ran = rubric("run", "a.eval.yaml", "--format", "json", room=room)
    assert ran.code == 2
    assert ran.json["summary"]["passed"] == CASES, "the scores are shown all the same"
    first, last, *_ = ran.err.splitlines()
    assert first.startswith("rubric: results cannot be stored: ")
    kept = len(ResultDatabase.of(suite).latest(suite))
    assert bool(kept) == (room > ROOM)
    assert last.startswith(f"rubric: a.eval.yaml: results could not be stored, {CASES - kept} of {CASES} are lost: ")


def test_a_file_of_results_that_cannot_be_written_fails_the_run(suite: Path) -> None:
    write(".agentv/targets.yaml", TARGETS)
    suite.write_text(f"# rubric: dialect=agentv-5\noutput_path: out.json\n{SUITE.replace('wieght', 'weight')}")
    ran = rubric("run", "a.eval.yaml", room=1_000)
    assert ran.code == 2
    assert "`output_path`: out.json cannot be written: File too large" in ran.err
    assert not Path("out.json").exists()


@pytest.mark.parametrize("room", sample([0, 1_000, 5_000, 20_000, 40_000, 60_000], 3))
def test_a_database_that_cannot_be_made_says_why(suite: Path, room: int) -> None:
    """Also where SQLite has undone by itself what was begun: what fails then is not that there is nothing to undo."""
    write(".agentv/targets.yaml", TARGETS)
    ran = rubric("run", "a.eval.yaml", "-q", room=room)
    assert ran.code == 2
    assert "cannot rollback" not in ran.err
    assert re.search(r"results cannot be stored: .*(File too large|No space left on device|disk I/O error)", ran.err), (
        ran.err
    )
    assert not list(suite.parent.glob(".rubric/*damaged*"))


def test_a_first_suite_that_cannot_be_written_leaves_no_folder(suite: Path) -> None:
    write("here/notes.txt", "mine")
    for arguments in (["new/folder"], ["--promptfoo", "here/new"]):
        ran = rubric("init", "--yes", *arguments, room=10)
        assert ran.code == 2
        assert ran.err.endswith("cannot be written: File too large; nothing was written\n")
    assert sorted(str(each.relative_to(suite.parent)) for each in suite.parent.rglob("*")) == [
        "a.eval.yaml", "here", "here/notes.txt",
    ]  # fmt: skip


def test_a_database_is_put_in_place_as_a_whole(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite puts the log into a database when its last user closes it, and does not say when that fails."""
    users = []

    def create_with_another_user(connection: sqlite3.Connection) -> None:
        create(connection)
        file = connection.execute("PRAGMA database_list").fetchone()[2]
        users.append(sqlite3.connect(file))
        users[-1].execute("SELECT * FROM sqlite_master").fetchall()

    create = schema.create
    monkeypatch.setattr(schema, "create", create_with_another_user)
    store = suite.parent / ".rubric" / "results.db"
    store.parent.mkdir()
    open_to_write(store).close()
    assert users
    users[-1].close()
    assert not list(store.parent.glob("*damaged*"))
    assert schema.schema_of(sqlite3.connect(store)) == schema.expected_schema()


def test_a_disk_that_fails_when_a_file_is_closed_leaves_no_draft(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    close = os.close

    def failing(file: int) -> None:
        close(file)
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    store = suite.parent / ".rubric" / "results.db"
    store.parent.mkdir()
    (store.parent / ".gitignore").touch()
    with monkeypatch.context() as patched:
        patched.setattr(os, "close", failing)
        with pytest.raises(ResultStoreError, match="quota"):
            open_to_write(store)
    assert [path.name for path in store.parent.iterdir()] == [".gitignore"]


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs Linux")
def test_a_disk_that_gets_full_damages_no_new_database(suite: Path) -> None:
    """On a disk of its own, which holds a part of the new database and its log."""
    write(".agentv/targets.yaml", TARGETS)
    script = f"""
        mount -t tmpfs -o size=160k tmpfs disk && cp -r a.eval.yaml .agentv disk || exit 77
        cd disk && {shlex.quote(sys.executable)} -B -m rubric_core.cli run -q a.eval.yaml >&2; ls .rubric
    """
    Path("disk").mkdir()
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert "results could not be stored" in done.stderr
    assert "damaged" not in done.stderr + done.stdout


def test_a_list_of_trusted_folders_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    told = rubric("trust", str(tmp_path), room=8)
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(f"rubric: {tmp_path}/state/rubric/trust.json: File too large")
    assert not (tmp_path / "state/rubric/trust.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    "command",
    [
        ["check", "a.eval.yaml"], ["check", "--fix", "a.eval.yaml"], ["check", "--fix", "--diff", "a.eval.yaml"], ["run", "a.eval.yaml"],
        ["format", "--check", "a.eval.yaml"], ["explain", "unknown-key"], ["compare"], ["--help"], ["nonsense"],
    ],
)  # fmt: skip
def test_output_and_errors_on_one_full_disk_are_no_findings(suite: Path, command: list[str]) -> None:
    """As with `rubric check --fix >log 2>&1`: 1 would say that something was found."""
    write("a.eval.yaml", suite.read_text().replace("criteria", "critera"))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rubric_core.cli", *command], stdout=full, stderr=full, check=False, timeout=120
        )
    assert done.returncode == 2
