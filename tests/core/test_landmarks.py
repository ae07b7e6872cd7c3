"""Landmarks, the files searched in every folder, are found or missed as if each were searched separately."""

import os
from pathlib import Path

import pytest

from rubric_core.cli.dependencies import CurrentFacts, RecordingProject
from rubric_core.disk import DiskFiles, OpenFiles
from rubric_core.loading.landmarks import CONFIGURATIONS, LANDMARKS, ROOTS, TARGET_FILES
from rubric_core.loading.project import Project

EVERY = (*TARGET_FILES, *CONFIGURATIONS, *ROOTS)


def put(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


@pytest.mark.parametrize("name", EVERY)
def test_each_is_found_and_missed(tmp_path: Path, name: str) -> None:
    project = Project(DiskFiles())
    before = project.look()
    assert before.landmarks(tmp_path) == frozenset()

    path, version = put(tmp_path, name), project.version
    assert project.has_dependents(path)
    project.changed([path])
    assert project.changed_since(version, before.seen)
    after = project.look()
    assert after.landmarks(tmp_path) == {name}

    path.unlink()
    version = project.version
    project.changed([path])
    assert project.changed_since(version, after.seen)
    assert project.look().landmarks(tmp_path) == frozenset()


@pytest.mark.parametrize("name", EVERY)
def test_a_folder_that_comes_and_goes_brings_and_takes_them(tmp_path: Path, name: str) -> None:
    project = Project(DiskFiles())
    inside = tmp_path / "repository"
    assert project.look().landmarks(inside) == frozenset()
    put(inside, name)
    project.changed([inside])
    assert project.look().landmarks(inside) == {name}
    inside.rename(tmp_path / "moved")
    project.changed([inside])
    assert project.look().landmarks(inside) == frozenset()


def test_other_files_do_not_change_the_landmarks(tmp_path: Path) -> None:
    project = Project(DiskFiles())
    look = project.look()
    assert look.landmarks(tmp_path) == frozenset()
    version = project.version
    project.changed([put(tmp_path, "a.eval.yaml"), put(tmp_path, ".git/index"), put(tmp_path, ".agentv/cases.yaml")])
    assert not project.changed_since(version, look.seen)


def test_names_are_compared_as_the_disk_compares_them(tmp_path: Path) -> None:
    project = Project(DiskFiles())
    assert project.look().landmarks(tmp_path) == frozenset()
    project.changed([put(tmp_path, "Targets.YAML")])
    found = frozenset({"targets.yaml"} if (tmp_path / "targets.yaml").exists() else ())
    assert DiskFiles().present(tmp_path, LANDMARKS) == found
    assert project.look().landmarks(tmp_path) == found


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    for name in EVERY[:-1]:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    assert DiskFiles().present(tmp_path, LANDMARKS) == frozenset()
    assert DiskFiles().present(tmp_path / "missing", LANDMARKS) == frozenset()
    assert DiskFiles().present(put(tmp_path, "file"), LANDMARKS) == frozenset()


def test_landmarks_in_a_folder_that_cannot_be_listed_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "targets.yaml")

    def refuse(path: Path) -> list[str]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "listdir", refuse)
    assert DiskFiles().present(tmp_path, LANDMARKS) == {"targets.yaml"}


def test_one_that_is_open_and_not_saved_counts(tmp_path: Path) -> None:
    opened = {tmp_path / ".agentv" / "targets.yaml": ""}
    assert OpenFiles(DiskFiles(), opened.get).present(tmp_path, LANDMARKS) == {".agentv/targets.yaml"}


@pytest.mark.parametrize("name", EVERY)
def test_what_was_recorded_holds_until_one_comes_or_goes(tmp_path: Path, name: str) -> None:
    def recorded() -> RecordingProject:
        project = RecordingProject(DiskFiles(), tmp_path)
        project.look().landmarks(tmp_path)
        assert project.facts() is not None
        return project

    for change in (lambda: put(tmp_path, name), (tmp_path / name).unlink):
        project = recorded()
        facts = [fact for _, fact in project.news()]
        assert list(CurrentFacts(DiskFiles(), project).holds(facts)) == [True]
        change()
        assert list(CurrentFacts(DiskFiles(), project).holds(facts)) == [False]
