"""What is known of the files around suites, and when it has to be found out again."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from harness import LANGUAGE

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.loading.directory_search import SHARED_DEPTH, directories_up
from rubric_core.loading.known_names import known_targets
from rubric_core.loading.project import Project, TrackedLookup

T = TypeVar("T")

ROOT = Path("/workspace")


def test_new_suites_are_reported_only_to_looks_that_asked_for_them() -> None:
    project = Project(DiskFiles())
    asked, other = project.look(), project.look()
    assert asked.suites_below(ROOT / "a") == ()
    other.is_file(ROOT / "a" / "x.eval.yaml")
    suites = [ROOT / "a" / "x.eval.yaml", ROOT / "b" / "y.eval.yaml"]

    version = project.version
    assert project.register_suites([ROOT], suites)
    assert project.changed_since(version, asked.seen)
    assert not project.changed_since(version, other.seen)
    assert asked.suites_below(ROOT / "a") == (suites[0],)

    version = project.version
    assert not project.register_suites([ROOT], suites)
    assert project.version == version
    assert project.register_suites([ROOT], [*suites, ROOT / "b" / "z.eval.yaml"])
    assert not project.changed_since(version, asked.seen)
    assert project.register_suites([], [])
    assert project.changed_since(version, asked.seen)
    assert asked.suites_below(ROOT / "a") == ()


class Counted(DiskFiles):
    """Keeps account of what is read."""

    def __init__(self) -> None:
        self.reads: list[Path] = []

    def read(self, path: Path, limit: int | None = None) -> bytes:
        self.reads.append(path)
        return super().read(path, limit)


def test_only_what_depends_on_a_changed_file_is_found_out_again(tmp_path: Path) -> None:
    paths = [tmp_path / name / "a.yaml" for name in ("one", "two", "three")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("a: 1\n", encoding="utf-8")
    files = Counted()
    project = Project(files)

    def trees() -> list[Path]:
        files.reads.clear()
        for path in paths:
            project.look().tree(path)
        return files.reads

    assert trees() == paths
    assert trees() == []
    project.changed([paths[1]])
    assert trees() == [paths[1]]
    project.changed([paths[0].parent])  # a directory: what is in it has changed with it
    assert trees() == [paths[0]]
    project.changed([tmp_path])
    assert trees() == paths
    project.changed()
    assert trees() == paths


def test_what_changed_is_known_however_long_ago_it_was() -> None:
    project = Project(DiskFiles())
    look = project.look()
    for name in ("a/b/c.yaml", "a/b.yaml", "x.yaml"):
        look.is_file(ROOT / name)
    seen = frozenset(look.seen)
    version = project.version
    for number in range(500):
        project.changed([ROOT / "elsewhere" / f"{number}.yaml"])
    assert not project.changed_since(version, seen)
    project.changed([ROOT / "a" / "b"])
    for number in range(500):
        project.changed([ROOT / "elsewhere" / f"{number}.yaml"])
    assert project.changed_since(version, seen)
    assert project.changed_since(version, {ROOT / "a" / "b" / "c.yaml"})
    assert not project.changed_since(version, {ROOT / "a" / "b.yaml"})
    assert not project.changed_since(version, {ROOT / "x.yaml"})
    assert not project.changed_since(project.version, seen)


@pytest.mark.parametrize("folder", ["", "a", "a/b", "a.b", "a/", "ab", "c"])
def test_the_suites_below_a_folder_are_those_that_have_it_above_them(folder: str) -> None:
    names = (
        "a/b/x.eval.yaml",
        "a/y.eval.yaml",
        "a.b/z.eval.yaml",
        "a-b/z.eval.yaml",
        "ab/w.eval.yaml",
        "a0/v.eval.yaml",
        "v.eval.yaml",
    )
    project = Project(DiskFiles())
    project.register_suites([Path("/")], [ROOT / name for name in names])
    below = project.suites_below(ROOT / folder)
    assert set(below) == {ROOT / name for name in names if ROOT / folder in (ROOT / name).parents}
    assert len(project.suites_below(Path("/"))) == len(names)


class CountedLook(TrackedLookup):
    """Counts the lookups."""

    lookups = 0

    def once(self, key: object, make: Callable[[TrackedLookup], T]) -> T:
        CountedLook.lookups += 1
        return super().once(key, make)


def lookups_after_an_edit(folder: Path, targets: int, suites: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often something is looked up for a file of targets that no suite names, after a letter in one of the suites."""
    home = folder / f"{targets}-{suites}"
    paths = [home / f"{number}.eval.yaml" for number in range(suites)]
    (home / ".agentv").mkdir(parents=True)
    for path in paths:
        path.write_text("tests: []\n", encoding="utf-8")
    file = home / ".agentv" / "targets.yaml"
    names = [*(f"spare-{number}" for number in range(targets)), "two words"]
    text = "targets:\n" + "".join(f"  - {{name: {name}, provider: mock}}\n" for name in names)
    project = Project(DiskFiles())
    monkeypatch.setattr(project, "look", lambda: CountedLook(project))
    project.register_suites([home], paths)

    def unused() -> list[str]:
        CountedLook.lookups = 0
        found = analyze(LANGUAGE.document(text, file), LANGUAGE, path=file, project=project).diagnostics
        return [text[d.span.start : d.span.end] for d in found if d.code == "unused-target"]

    assert unused() == names
    paths[0].write_text("tests: [] # spare-0, my-spare-1, two words\n", encoding="utf-8")
    project.changed([paths[0]])
    assert unused() == names[1:-1]
    return CountedLook.lookups


def test_targets_are_searched_for_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, more = (lookups_after_an_edit(tmp_path, number, 20, monkeypatch) for number in (2, 12))
    assert more - few <= 20, "one for each further target, not one for each suite"


@pytest.mark.parametrize(
    "name",
    [
        "a/b/f",
        "l/b/f",
        "l/b/g",
        "l/b",
        "l",
        "a/loop",
        "l/loop",
        "nowhere",
        "nowhere/q",
        "l/none/f",
        "a/b/f/k",
        ".",
        "l/..",
    ],
)
def test_links_are_followed_as_the_system_follows_them(tmp_path: Path, name: str) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "f").touch()
    for link, to in (("l", "a"), ("a/b/g", "f"), ("a/loop", "loop"), ("nowhere", "gone/z")):
        (tmp_path / link).symlink_to(to)
    project = Project(DiskFiles())
    for _ in range(2):
        assert project.look().real_path(tmp_path / name) == os.path.realpath(tmp_path / name)


def test_a_link_that_leads_elsewhere_now_is_followed_again(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f").touch()
    (tmp_path / "l").symlink_to("one")
    project = Project(DiskFiles())
    assert project.look().real_path(tmp_path / "l" / "f") == str(tmp_path / "one" / "f")
    (tmp_path / "l").unlink()
    (tmp_path / "l").symlink_to("two")
    project.changed([tmp_path / "l"])
    assert project.look().real_path(tmp_path / "l" / "f") == str(tmp_path / "two" / "f")


@pytest.mark.parametrize("depth", [1, 3, SHARED_DEPTH + 30])
def test_folders_share_the_targets_of_the_nearest_folder_that_has_some(tmp_path: Path, depth: int) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "targets.yaml").write_text("targets:\n  - {name: top, provider: mock}\n")
    between = tmp_path / "a"
    deep = between.joinpath(*"b" * depth)
    deep.mkdir(parents=True)
    project = Project(DiskFiles())

    def names(folder: Path) -> set[str]:
        return {*known_targets(project.look(), folder).names}

    look = project.look()
    up = [deep, *deep.parents]
    assert list(directories_up(deep, look)) == up[: up.index(tmp_path) + 1]
    assert names(deep) == names(between) == {"top"}

    nearer = between / ".agentv" / "targets.yaml"
    nearer.parent.mkdir()
    nearer.write_text("targets:\n  - {name: nearer, provider: mock}\n")
    project.changed([nearer])
    assert names(deep) == names(between) == {"nearer"}
    assert names(tmp_path) == {"top"}

    nearer.unlink()
    project.changed([nearer])
    assert names(deep) == {"top"}


def test_what_is_found_out_again_is_forgotten_again_with_each_of_its_files() -> None:
    project = Project(DiskFiles())
    paths = [ROOT / "a" / name for name in ("x", "y", "z")]
    made: list[int] = []

    def make(look: TrackedLookup) -> int:
        for path in paths[: 3 - len(made) % 2]:  # every second time from one file less
            look.is_file(path)
        made.append(len(made))
        return made[-1]

    for number, path in enumerate([paths[0], paths[0], paths[1], paths[1], paths[0]], 1):
        project.look().once("all of them", make)
        if number % 2:
            project.settle()
        project.changed([path])
        project.look().once("all of them", make)
        assert len(made) == number + 1
