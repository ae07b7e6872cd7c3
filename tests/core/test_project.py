"""What is known of the files around suites, and when it has to be found out again."""

from pathlib import Path

from rubric_core.disk import DiskFiles
from rubric_core.loading.project import Project

ROOT = Path("/workspace")


def test_other_suites_are_news_only_for_who_asked_for_them() -> None:
    project = Project(DiskFiles())
    asked, other = project.look(), project.look()
    assert asked.suites_below(ROOT / "a") == ()
    other.is_file(ROOT / "a" / "x.eval.yaml")
    suites = [ROOT / "a" / "x.eval.yaml", ROOT / "b" / "y.eval.yaml"]

    version = project.version
    assert project.knows([ROOT], suites)
    assert project.changed_since(version, asked.seen)
    assert not project.changed_since(version, other.seen)
    assert asked.suites_below(ROOT / "a") == (suites[0],)

    version = project.version
    assert not project.knows([ROOT], suites)
    assert project.version == version
    assert project.knows([ROOT], [*suites, ROOT / "b" / "z.eval.yaml"])
    assert not project.changed_since(version, asked.seen)
    assert project.knows([], [])
    assert project.changed_since(version, asked.seen)
    assert asked.suites_below(ROOT / "a") == ()
