"""Files with answers in them are for their owner alone, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from rubric_core.cli import main
from rubric_core.evaluation.results.journal import Journal, write_atomically

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")

SUITE = """\
# rubric: dialect=agentv-3
tests:
  - id: a
    criteria: x
    input: hi
    assertions: [{type: contains, value: hello}]
"""


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_one_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.recordings.yaml"
    write_atomically(file, "a")
    assert mode(file) == 0o600
    file.chmod(0o664)
    write_atomically(file, "b")
    assert (mode(file), file.read_text()) == (0o664, "b")
    write_atomically(file, "c", private=True)
    assert mode(file) == 0o600


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "x" / "y.json"
    write_atomically(path, "one")
    write_atomically(path, "two")
    assert path.read_text() == "two"
    assert [p.name for p in path.parent.iterdir()] == ["y.json"]
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "two"
    assert [p.name for p in path.parent.iterdir()] == ["y.json"]


def test_nothing_is_open_while_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.touch(0o644)

    def pieces() -> Iterator[str]:
        yield "a"
        assert [mode(each) for each in tmp_path.iterdir() if each != file] == [0o600]

    write_atomically(file, pieces())


def test_journals_and_their_locks_are_private(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.jsonl", tmp_path / "a.lock")
    journal.append({"answer": "x"})
    assert {mode(each) for each in tmp_path.iterdir()} == {0o600}


def test_what_a_run_leaves_behind_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text("targets: [{name: default, provider: mock, response: hello}]")
    (tmp_path / "a.eval.yaml").write_text(SUITE)
    assert main(["run", "a.eval.yaml"]) == 0
    left = [each for each in (tmp_path / ".rubric").rglob("*") if each.is_file() and each.name != ".gitignore"]
    assert left
    assert {each.name: mode(each) for each in left} == {each.name: 0o600 for each in left}
