"""A check of which nothing has changed prints what the last one printed, and looks at nothing but stamps."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cached_project import PROMPT, TICK, link, plant, said, same_stamp, settle, swap
from command import BROKEN, CLEAN, Run, write

from rubric_core.cli import check, check_inputs, check_output, check_run, parallel, sources


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_run, "_FEWEST", 1)
    monkeypatch.setattr(parallel, "_processors", lambda: 1)
    monkeypatch.setattr(check_inputs, "_TICK", TICK)


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """The number of checks since the last call that found all files, rather than repeating or patching a stored report."""
    begun: list[object] = []
    real = check_run.CheckRun.round

    def counted(self: check_run.CheckRun, *, cached: bool) -> Any:
        begun.append(self)
        return real(self, cached=cached)

    def taken() -> int:
        number = len(begun)
        begun.clear()
        return number

    monkeypatch.setattr(check_run.CheckRun, "round", counted)
    return taken


FORMATS = [[], *(["--format", name] for name in check_output.FORMATS), ["--statistics"], ["--quiet"], ["--diff"]]


@pytest.mark.parametrize("options", FORMATS, ids=" ".join)
def test_where_nothing_changed_the_same_is_printed(rubric: Run, rounds: Callable[[], int], options: list[str]) -> None:
    plant()
    write("evals/other.test.yaml", "jobs: {}\n")
    settle()
    fresh = said(rubric("check", *options, "--no-cache"))
    assert said(rubric("check", *options)) == fresh  # this one makes the folder for it
    assert rounds() == 2
    for _ in range(3):
        assert said(rubric("check", *options)) == fresh
        settle()
    assert rounds() == 0
    assert tuple(check_output.FORMATS) == check.FORMATS


def test_at_a_path_that_is_too_long_there_is_nothing(tmp_path: Path) -> None:
    """The text of a message is looked for as a file, too, and may be longer than names can be."""
    assert check_inputs.kind_of(str(tmp_path / ("Is this a path? " * 40))) == check_inputs.ABSENT
    assert check_inputs.kind_of(str(tmp_path)) == check_inputs.FOLDER


def test_what_may_have_changed_within_a_tick_counts_as_changed(
    rubric: Run, rounds: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant()
    settle()
    rubric("check")
    settle()
    write("evals/clean.eval.yaml", BROKEN)
    monkeypatch.setattr(check_inputs, "_TICK", 3600 * 10**9)
    for _ in range(3):
        rubric("check")
    assert rounds() == 4
    monkeypatch.setattr(check_inputs, "_TICK", TICK)
    settle()
    for _ in range(3):
        rubric("check")
    assert rounds() == 1


def test_a_disk_without_times_of_changes_keeps_nothing(
    rubric: Run, rounds: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant()
    monkeypatch.setattr(check_inputs.sys, "platform", "win32")
    for _ in range(4):
        rubric("check")
        settle()
    assert rounds() == 4


CHANGES: list[tuple[str, Callable[[], object]]] = [
    ("a file that says nothing", lambda: write("evals/other.eval.yaml", CLEAN)),
    ("a file beside the cache", lambda: write("new.eval.yaml", CLEAN)),
    ("a folder beside the cache", lambda: write("deep/new.eval.yaml", BROKEN)),
    ("a folder for a file beside the cache", lambda: (Path("notes").unlink(), write("notes/new.eval.yaml", CLEAN))),
    ("a link for a folder beside the cache", lambda: (Path("empty").rmdir(), link("empty", "evals"))),
    ("a folder", lambda: write("evals/deep/new.eval.yaml", CLEAN)),
    ("a targets file where none was", lambda: write("evals/.agentv/targets.yaml", "targets: []\n")),
    ("the root of a repository below", lambda: write("evals/.git", "gitdir: elsewhere\n")),
    ("a configuration above", lambda: write(".rubric.toml", 'ignore = ["unknown-key"]\n')),
    ("patterns of git", lambda: write("evals/.gitignore", "one*\n")),
    ("patterns of git that only one clone has", lambda: write(".git/info/exclude", "one*\n")),
    ("patterns of the engine", lambda: write(".agentv/config.yaml", "eval_patterns: ['**/more.yaml']\n")),
    ("a prompt", lambda: write("evals/prompts/grade.md", "Grade {{ answer }}.\n")),
    ("a prompt where none was", lambda: write("evals/prompts/gone.md", PROMPT)),
    ("a file less", lambda: Path("evals/one.eval.yaml").unlink()),
    ("cases less", lambda: Path("evals/more.yaml").unlink()),
    ("another name", lambda: Path("evals/one.eval.yaml").rename("evals/1.eval.yaml")),
    ("two names swapped", lambda: swap(Path("evals/clean.eval.yaml"), Path("evals/broken.eval.yaml"))),
    ("a link elsewhere", lambda: link("evals/linked.eval.yaml", "broken.eval.yaml")),
    ("a link to nothing", lambda: link("evals/linked.eval.yaml", "none.eval.yaml")),
    ("what a link to nothing leads to", lambda: write("later/cases.yaml", BROKEN)),
    ("nobody may read it", lambda: Path("evals/prompts/grade.md").chmod(0)),
    ("a folder for a file", lambda: (Path("evals/more.yaml").unlink(), Path("evals/more.yaml").mkdir())),
    ("content with the same size and time", lambda: same_stamp("evals/one.eval.yaml", "target: one", "target: eno")),
    ("targets with the same size and time", lambda: same_stamp(".agentv/targets.yaml", "name: two", "name: owt")),
]  # fmt: skip


@pytest.mark.parametrize("waits", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize("change", [change for _, change in CHANGES], ids=[name for name, _ in CHANGES])
def test_whatever_changes_is_seen(
    rubric: Run, rounds: Callable[[], int], change: Callable[[], object], waits: bool
) -> None:
    plant()
    link("evals/linked.eval.yaml", "clean.eval.yaml")
    link("evals/later.eval.yaml", "../later/cases.yaml")
    write("later/none.txt", "")
    write("notes", "")
    Path("empty").mkdir()
    settle()
    before = said(rubric("check"))
    rounds()
    assert said(rubric("check")) == before
    assert rounds() == 0
    change()
    if waits:
        settle()
    now = said(rubric("check"))
    assert rounds() <= 1  # none for some changes of contents: the report is patched
    assert now == said(rubric("check", "--no-cache"))
    settle()
    Path("evals/broken.eval.yaml").write_text(f"{BROKEN}# more\n", encoding="utf-8")
    if waits:
        settle()
    assert said(rubric("check")) == said(rubric("check", "--no-cache"))


@pytest.mark.parametrize("place", ["late.eval.yaml", "evals/late.eval.yaml"])
def test_what_comes_while_a_check_goes_on_is_seen_by_the_next(
    rubric: Run, rounds: Callable[[], int], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Also where the folder has changed anyway, because the first check makes its own in it."""
    plant()
    settle()
    write_all = check_output.write

    def slowly(*given: Any) -> Any:
        write(place, BROKEN)
        return write_all(*given)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(check_output, "write", slowly)
        rubric("check")
    settle()
    rounds()
    assert said(rubric("check")) == said(rubric("check", "--no-cache"))
    assert rounds() == 2


def test_a_link_that_leads_out_of_the_repository_now(rubric: Run) -> None:
    plant()
    for folder in ("inside", "../outside"):
        write(f"{folder}/grade.md", PROMPT)
    link("evals/prompts/grade.md", "../../inside/grade.md")
    settle()
    for _ in range(3):
        assert "outside" not in rubric("check").out
        settle()
    link("evals/prompts/grade.md", "../../../outside/grade.md")
    for _ in range(3):
        assert "outside" in rubric("check").out
        assert said(rubric("check")) == said(rubric("check", "--no-cache"))
        settle()


def test_colours_are_those_of_now(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plant()
    settle()
    for _ in range(2):
        for colour in ("0", "1"):
            monkeypatch.setenv("FORCE_COLOR", colour)
            for _ in range(3):
                assert ("\x1b[" in rubric("check").out) is (colour == "1")
                settle()


def test_where_one_file_changed_only_it_is_read(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the targets, which some suite may name now; another format shows lines of everything that has findings."""
    plant()
    settle()
    rubric("check")
    settle()
    Path("evals/clean.eval.yaml").write_text(f"{CLEAN}# more\n", encoding="utf-8")
    settle()
    read: list[str] = []
    real = sources.read_text
    monkeypatch.setattr(sources, "read_text", lambda path: read.append(path.name) or real(path))
    ran = said(rubric("check"))
    shown = {"broken.eval.yaml", "one.eval.yaml", "two.eval.yaml"}
    assert set(read) == {"clean.eval.yaml", "targets.yaml"}
    read.clear()
    assert said(rubric("check", "--format", "json"))[0] == ran[0]
    assert set(read) == shown
    assert said(rubric("check", "--no-cache")) == ran
