"""What a check keeps for the next one: it is used where nothing changed, and it never makes a difference but in time."""

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from cached_project import CASES, PROMPT, SUITE, TARGETS, TICK, link, plant, said, same_stamp, settle, swap
from command import BROKEN, CLEAN, Run, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import seeds

from rubric_core.cli import check_inputs, check_run, file_checker, parallel
from rubric_core.user_key import user_key

FEWEST = check_run._FEWEST


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_run, "_FEWEST", 1)
    monkeypatch.setattr(parallel, "_processors", lambda: 1)
    monkeypatch.setattr(check_inputs, "_TICK", TICK)


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """The names of the files that were analysed since this was called last."""
    seen: list[str] = []
    real = file_checker.analyze

    def counted(*arguments: Any, **named: Any) -> Any:
        seen.append(Path(named["path"]).name)
        return real(*arguments, **named)

    def taken() -> list[str]:
        names = sorted(seen)
        seen.clear()
        return names

    monkeypatch.setattr(file_checker, "analyze", counted)
    return taken


def cached() -> Path:
    return max(Path(".rubric/cache").glob("check-*.json"), key=lambda each: each.stat().st_mtime_ns)


def forget_report() -> None:
    """Remove the stored reports, which there are if the machine took its time, so that the cache of findings is used."""
    for report in Path(".rubric/cache").glob("report-*"):
        report.unlink()


def test_what_has_not_changed_is_not_analysed(rubric: Run, analysed: Callable[[], list[str]]) -> None:
    plant()
    fresh = rubric("check", "--no-cache")
    every = analysed()
    assert said(rubric("check")) == said(fresh)
    assert analysed() == every
    for options in (
        [],
        ["--format", "json"],
        ["--format", "sarif"],
        ["--format", "github"],
        ["--statistics"],
        ["--quiet"],
    ):
        assert said(rubric("check", *options)) == said(rubric("check", *options, "--no-cache"))
        assert analysed() == every
    assert Path(".rubric/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_the_root_of_the_disk_is_there_as_before(rubric: Run, analysed: Callable[[], list[str]]) -> None:
    """A folder that a program runs in is looked for up to the root, which has no name in any folder."""
    plant()
    shutil.rmtree(".git")  # which ends the search
    grader = "    assertions:\n      - {type: code-grader, command: [python, grade.py], cwd: .}\n"
    write("evals/program.eval.yaml", f"tests:\n  - id: a\n    criteria: x\n    input: Hello\n{grader}")
    rubric("check")
    analysed()
    write("evals/clean.eval.yaml", BROKEN)
    rubric("check")
    assert "program.eval.yaml" not in analysed()


def test_an_edit_looks_again_at_what_depends_on_it(rubric: Run, analysed: Callable[[], list[str]]) -> None:
    plant()
    rubric("check")
    analysed()
    write("evals/clean.eval.yaml", BROKEN)
    forget_report()
    rubric("check")
    # That a target is used by nobody depends on every suite.
    assert analysed() == ["clean.eval.yaml", "targets.yaml"]
    write("evals/prompts/grade.md", "Grade {{ answer }}.\n")
    forget_report()
    rubric("check")
    # The fix of the other suite names this file, and was tried.
    assert analysed() == ["grade.md", "one.eval.yaml", "two.eval.yaml"]
    write("evals/prompts/gone.md", PROMPT)
    forget_report()
    rubric("check")
    assert analysed() == ["gone.md", "two.eval.yaml"]
    write("evals/targets.yaml", TARGETS)
    forget_report()
    assert "targets.yaml" in (rubric("check"), analysed())[1]
    write(".rubric.toml", 'ignore = ["unknown-key"]\n')
    assert said(rubric("check")) == said(rubric("check", "--no-cache"))


def test_neither_size_nor_time_tells_that_nothing_changed(rubric: Run) -> None:
    plant()
    rubric("check")
    for path, old, new in (
        (Path("evals/one.eval.yaml"), "target: one", "target: eno"),
        (Path(".agentv/targets.yaml"), "name: two", "name: owt"),
    ):
        before = path.stat()
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = path.stat()
        assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert said(rubric("check")) == said(rubric("check", "--no-cache"))
    assert "eno" in rubric("check").out


def test_fixes_are_the_same(rubric: Run) -> None:
    plant()
    diffs = [rubric("check", "--diff", *more) for more in (["--no-cache"], [], [])]
    assert said(diffs[0]) == said(diffs[1]) == said(diffs[2])
    assert "+" in diffs[0].out
    fresh = rubric("check", "--fix", "--no-cache"), Path("evals/broken.eval.yaml").read_bytes()
    assert fresh[1] != BROKEN.encode()
    plant()
    for _ in range(2):
        assert said(rubric("check", "--fix")) == said(fresh[0])
        assert Path("evals/broken.eval.yaml").read_bytes() == fresh[1]
        plant()


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-20]),
        lambda file: file.write_bytes(b"\xff\x00" * 1000),
        lambda file: file.write_bytes(file.read_bytes().replace(b"unknown-key", b"unknown-kex")),
        lambda file: (file.unlink(), file.mkdir()),
        lambda file: (file.unlink(), os.mkfifo(file)),
    ],
    ids=["empty", "cut", "binary", "edited", "folder", "pipe"],
)
def test_a_damaged_cache_is_none(
    rubric: Run, analysed: Callable[[], list[str]], damage: Callable[[Path], object]
) -> None:
    plant()
    fresh = rubric("check")
    every = analysed()
    damage(cached())
    forget_report()
    assert said(rubric("check")) == said(fresh)
    assert analysed() == every


def test_a_cache_that_somebody_else_signed_hides_nothing(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plant()
    monkeypatch.setenv("XDG_STATE_HOME", str(Path("../stranger").absolute()))
    write("evals/broken.eval.yaml", CLEAN)
    rubric("check")
    file = cached()
    # As if nothing were wrong in what comes with it.
    forged = file.read_bytes()
    write("evals/broken.eval.yaml", BROKEN)
    monkeypatch.setenv("XDG_STATE_HOME", str(Path("../mine").absolute()))
    file.write_bytes(forged)
    assert "unknown-key" in rubric("check").out
    assert file.read_bytes() != forged
    assert (Path("../mine/rubric/cache.key").stat().st_mode & 0o777) == 0o600


def test_a_cache_of_another_place_is_none(rubric: Run, analysed: Callable[[], list[str]]) -> None:
    plant()
    rubric("check")
    signed = cached().read_bytes()
    rubric("check", "--ignore", "unknown-key")
    every = len(analysed()) // 2
    for file in Path(".rubric/cache").iterdir():
        file.write_bytes(signed)
    rubric("check", "--ignore", "unknown-key")
    assert len(analysed()) == every


def test_a_cache_that_is_a_link_is_left_alone(rubric: Run) -> None:
    plant()
    write("../elsewhere/check-old.json", "mine")
    Path(".rubric").mkdir()
    Path(".rubric/cache").symlink_to("../../elsewhere")
    fresh = rubric("check", "--no-cache")
    assert said(rubric("check")) == said(fresh)
    assert [each.name for each in Path("../elsewhere").iterdir()] == ["check-old.json"]


def test_what_cannot_be_written_is_not_kept(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plant()
    fresh = said(rubric("check", "--no-cache"))

    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    user_key()  # which is written as well
    with monkeypatch.context() as patch:
        patch.setattr("rubric_core.atomic_write.write_file", full)
        assert said(rubric("check")) == fresh
    with monkeypatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(write("../file", "no folder").absolute()))
        assert said(rubric("check")) == fresh
    shutil.rmtree(".rubric")
    write(".rubric", "no folder")
    assert said(rubric("check")) == fresh


def test_it_never_grows_without_bound(rubric: Run) -> None:
    plant()
    for number in range(12):
        rubric("check", "evals", "--max-warnings", str(number))
        rubric("check", ".", "./" * number + "evals")
        settle()
    kept = [each.name.partition("-")[0] for each in Path(".rubric/cache").iterdir()]
    assert (kept.count("check"), kept.count("report"), len(kept)) == (8, 8, 16)
    sizes = []
    for number in range(5):
        write("evals/clean.eval.yaml", CLEAN.replace("refund", f"refund-{number}"))
        rubric("check", "evals")
        sizes.append(cached().stat().st_size)
    assert max(sizes) < 1.2 * sizes[0]


def test_a_few_files_leave_nothing_behind(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_run, "_FEWEST", FEWEST)
    write("one.eval.yaml", CLEAN)
    rubric("check", "one.eval.yaml")
    assert not Path(".rubric").exists()


def test_checks_at_once_do_not_disturb_each_other(process: Run) -> None:
    plant()
    for number in range(60):
        write(f"evals/{number}.eval.yaml", (BROKEN, CLEAN)[number % 2])
    fresh = said(process("check", "--no-cache"))
    command = [sys.executable, "-m", "rubric_core.cli", "check"]
    several = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outs = [each.communicate()[0] for each in several]
    assert {re.sub(r"\d+\.\d\d s", "", out) for out in outs} == {fresh[1]}
    assert said(process("check")) == fresh
    assert len({each.name for each in Path(".rubric/cache").iterdir()} - {cached().name}) <= 1


PROMPTFOO = """\
prompts: [file://ask.txt]
providers: [echo]
tests:
  - vars: {q: a}
    assert: [{type: equals, value: a}]
  - file://rows.yaml
  - file://rows.csv
"""
#: Where something may be written, and what.
EDITS = st.one_of(
    st.tuples(
        st.sampled_from(["evals/one.eval.yaml", "evals/two.eval.yaml", "evals/new.eval.yaml", "deep/er/x.eval.yaml"]),
        st.one_of(
            st.builds(
                lambda target, prompt: SUITE.format(target=target, prompt=prompt),
                st.sampled_from(["one", "two", "three", "default"]),
                st.sampled_from(["prompts/grade.md", "prompts/gone.md", "more.md", "x.prompt"]),
            ),
            st.sampled_from([CLEAN, BROKEN, "tests:\n  - file://more.yaml\n", "tests: [\n", "tests:\n  - include: x\n"]),
        ),
    ),
    st.tuples(
        st.sampled_from([".agentv/targets.yaml", "evals/targets.yaml", "evals/.agentv/targets.yaml", "deep/targets.yml"]),
        st.sampled_from([TARGETS, TARGETS.replace("two", "three"), "targets: []\n", "nothing\n"]),
    ),
    st.tuples(
        st.sampled_from(["evals/prompts/grade.md", "evals/prompts/gone.md", "evals/more.md", "more.md"]),
        st.sampled_from([PROMPT, "Grade {{ answer }}.\n", "", "Grade {{ output }\n"]),
    ),
    st.tuples(
        st.sampled_from(["evals/more.yaml", "more.yaml", "deep/more.yaml"]),
        st.sampled_from([CASES, CASES * 2, "cases: 1\n", "- {id: other, input: Hi, criteria: Greets, wieght: 1}\n"]),
    ),
    st.tuples(
        st.sampled_from([".rubric.toml", "evals/.rubric.toml"]),
        st.sampled_from(['ignore = ["unknown-key"]\n', 'dialect = "agentv-2.7"\n', 'exclude = ["two*"]\n', "broken ="]),
    ),
    st.tuples(
        st.sampled_from(["evals/.agentv/config.yaml", ".agentv/config.yaml", "evals/.git", ".agentv/templates/x.yaml"]),
        st.sampled_from(["targets:\n  - {name: three, provider: mock}\n", "- {type: contains, value: x}\n", ""]),
    ),
    st.tuples(
        st.sampled_from(["evals/plain.yaml", "plain.yaml", "evals/broken.eval.yaml", "evals/other.test.yaml"]),
        st.sampled_from(["jobs: {}\n", CLEAN, CASES, BROKEN.replace("tests:", "evalcases:"), PROMPTFOO]),
    ),
    st.tuples(
        st.sampled_from(["promptfooconfig.yaml", "evals/promptfooconfig.yaml"]),
        st.sampled_from([PROMPTFOO, PROMPTFOO.replace("q:", "p:"), PROMPTFOO.replace("equals", "eqals"), "tests: []\n"]),
    ),
    st.tuples(
        st.sampled_from(["ask.txt", "evals/ask.txt", "rows.yaml", "rows.csv"]),
        st.sampled_from(["Say {{ q }}", "Say {{ p }}", "- vars: {q: b}\n", "q,__expected\nb,equals:b\n"]),
    ),
)  # fmt: skip
#: What else may happen to one of the files above.
MOVES = st.one_of(
    st.builds(
        lambda path, old, new: ("same stamp", path, old, new),
        st.sampled_from(
            ["evals/one.eval.yaml", "evals/two.eval.yaml", ".agentv/targets.yaml", "evals/prompts/grade.md"]
        ),
        st.sampled_from(["one", "two", "ade", "id:"]),
        st.sampled_from(["two", "one", "eda", "di:"]),
    ),
    st.builds(
        lambda one, other: ("swap", one, other),
        st.sampled_from(["evals/one.eval.yaml", "evals/clean.eval.yaml", "evals/more.yaml"]),
        st.sampled_from(["evals/broken.eval.yaml", "evals/two.eval.yaml", ".agentv/targets.yaml"]),
    ),
    st.builds(
        lambda path, to: ("link", path, to),
        st.sampled_from(["evals/new.eval.yaml", "evals/prompts/grade.md", "evals/more.yaml"]),
        st.sampled_from(["broken.eval.yaml", "../evals/more.yaml", "nowhere.yaml", "../../../outside.md"]),
    ),
)
STEPS = st.lists(st.tuples(EDITS | MOVES, st.booleans(), st.booleans()), min_size=1, max_size=6)


def step(edit: tuple[str, ...], *, removed: bool) -> None:
    """Write a file, remove it, or do something else with it."""
    what, *rest = edit
    if what == "swap" and all(map(Path.is_file, map(Path, rest))):
        swap(*map(Path, rest))
    elif what == "link":
        link(*rest)
    elif what == "same stamp" and Path(rest[0]).is_file() and rest[1] in Path(rest[0]).read_text(encoding="utf-8"):
        same_stamp(*rest)
    elif len(edit) == 2 and removed:
        Path(what).unlink(missing_ok=True)
    elif len(edit) == 2:
        if Path(what).is_symlink():
            Path(what).unlink()
        write(*edit)


@settings(
    max_examples=len(seeds(40, few=12)), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=STEPS,
    several=st.lists(
        st.sampled_from([[], ["--format", "json"], ["--format", "sarif"], ["--diff"], ["--quiet", "--max-warnings=1"]]),
        min_size=1,
        max_size=2,
    ),
)
def test_a_cache_makes_no_difference(
    rubric: Run, here: Path, steps: list[tuple[tuple[str, ...], bool, bool]], several: list[list[str]]
) -> None:
    for each in here.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    plant()
    write("../outside.md", PROMPT)
    rubric("check", *several[0])
    for edit, removed, waits in steps:
        step(edit, removed=removed)
        for number in range(3 if waits else 2):
            if waits:
                settle()
            options = several[number % len(several)]
            assert said(rubric("check", *options)) == said(rubric("check", *options, "--no-cache"))
