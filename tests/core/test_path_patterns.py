"""Patterns for paths mean what git means, and none of them takes for ever."""

import random
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.loading.case_files import cases_behind
from rubric_core.loading.path_matches import TOO_MANY_FOLDERS, PathMatches, path_matches
from rubric_core.loading.path_patterns import Patterns, braces, without_backtracking
from rubric_core.loading.project import Project
from rubric_core.loading.template_files import template_trouble

#: What lines are made of, and what stands between slashes in paths.
TOKENS = ["a", "b", "*", "*", "?", "/", "**/", "/**/", "/**", "[ab]", "[]b]", "[!a]", "[+-9]", "c.x", "\\*"]
LETTERS = "aabc.x*]"


def test_the_same_paths_match() -> None:
    choose = random.Random(14)
    changed = 0
    for _ in range(1500):
        line = "".join(choose.choice(TOKENS) for _ in range(choose.randint(1, 9)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = next((p.regex.pattern for p in GitIgnoreSpec.from_lines([line]).patterns if p.regex), "")
        made = without_backtracking(found)
        changed += "first_0" in made
        # The library lets a set hold the slash, which git does not.
        sets = re.sub(r"(\\.|\[\^/\])|\[\^?\]?(?:\\.|[^\]\\])*\]", lambda m: m[0] if m[1] else f"(?!/){m[0]}", found)
        before, after = re.compile(sets), re.compile(made)
        for _ in range(20):
            path = "/".join(
                "".join(choose.choices(LETTERS, k=choose.randint(1, 5))) for _ in range(choose.randint(1, 6))
            )
            old, new = before.match(path), after.match(path)
            assert (old is None) == (new is None), (line, path)
            assert old is None or new is None or old.groupdict().get("ps_d") == new.groupdict().get("ps_d"), (
                line,
                path,
            )
    assert changed > 100


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a" * 30 + "b", "a" * 250),
        ("*[!b]" * 30 + "c", "a" * 250),
        ("**/a/" * 12 + "b", "a/" * 2000),
        ("/a" + "/**/a" * 12 + "*a*a*a*a*b", "a/" * 2000),
        ("**/*a*a*a/" * 6 + "b", ("a" * 50 + "/") * 80),
    ],
)
def test_no_line_takes_for_ever(line: str, path: str) -> None:
    began = time.process_time()
    assert Patterns("/", [line]).decide(f"/{path}") is None
    assert time.process_time() - began < 1


def test_braces_are_written_out_in_order() -> None:
    assert braces("{a,b}/{c,d}") == ["a/c", "a/d", "b/c", "b/d"]
    assert braces("{a,{b,c}}") == ["a", "b", "a", "c"]


def test_braces_are_not_written_out_without_end() -> None:
    with pytest.raises(ValueError, match="stands for more than 1,000 patterns"):
        braces("{a,b}" * 40)


def test_links_in_a_circle_and_stars_lead_to_each_case_once(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x.yaml").write_text("- {id: a, input: hi}\n")
    for name in "pqr":
        (tmp_path / "deep" / name).symlink_to(".")
    project = Project(DiskFiles(), tmp_path)
    began = time.process_time()
    found = cases_behind(project.look(), "**/**/**/*.yaml", tmp_path)
    assert time.process_time() - began < 1
    assert [path.name for path in found.files] == ["x.yaml"]


def test_of_a_folder_without_cases_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "cases" / "empty").mkdir(parents=True)
    found = cases_behind(Project(DiskFiles(), tmp_path).look(), "./cases", tmp_path)
    assert (found.complete, found.trouble) == (False, "no directory in cases has a case.yaml")


def test_templates_may_include_others_three_levels_deep(tmp_path: Path) -> None:
    look = Project(DiskFiles(), tmp_path).look()
    folder = tmp_path / ".agentv" / "templates"
    folder.mkdir(parents=True)
    for name, item in (
        ("one", "include: two"),
        ("two", "include: three"),
        ("three", "include: four"),
        ("four", "Greets"),
    ):
        (folder / f"{name}.yaml").write_text(f"- {item}\n")
    assert template_trouble(look, folder / "two.yaml") == ""
    assert template_trouble(look, folder / "one.yaml") == (
        "three.yaml includes four.yaml, which is nested deeper than 3 levels"
    )


class _Disk:
    """Directories below one another without end, each with ten more; nothing else is there."""

    def __init__(self) -> None:
        self.listed = 0

    def read(self, path: Path, limit: int | None = None) -> bytes:
        raise OSError(path, limit)

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        raise OSError(path, limit)

    def is_file(self, path: Path) -> bool:
        return path.suffix == ".md" and len(path.parts) < 5

    def is_directory(self, path: Path) -> bool:
        return not path.suffix

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        return frozenset(name for those in names.values() for name in those if self.is_file(path / name))

    def names(self, _: Path) -> tuple[str, ...]:
        self.listed += 1
        return (*(str(n) for n in range(10)), "x.md")


@pytest.mark.parametrize("pattern", ["**/*.yaml", "**/**/**/**/*.yaml", "*/*/*/*/*/*/*.yaml"])
def test_no_pattern_lists_the_whole_disk(pattern: str) -> None:
    files = _Disk()
    found = path_matches(pattern, [Path("/a"), Path("/")], files)
    assert found == PathMatches(given_up=True)
    assert files.listed == 5_000


def test_what_is_near_is_found_first() -> None:
    files = _Disk()
    found = path_matches("*/x.md", [Path("/a"), Path("/")], files)
    assert found == PathMatches(tuple(Path(f"/a/{n}/x.md") for n in range(10)))
    assert files.listed == 1


def test_a_pattern_that_is_given_up_is_reported(tmp_path: Path) -> None:
    text = "tests: file://**/*.cases.yaml\n"
    found = analyze(text, path=tmp_path / "a.eval.yaml", project=Project(_Disk(), tmp_path)).diagnostics
    assert [(each.code, each.message) for each in found if each.code == "broken-cases"] == [
        ("broken-cases", f"no cases were loaded from here: {TOO_MANY_FOLDERS}"),
    ]


def test_the_order_of_promptfoo(tmp_path: Path) -> None:
    """As glob 13 gave these files to promptfoo 0.121."""
    ordered = [
        "z.t", "m.t", "c/k.t", "b/z.t", "b/m.t", "b/b1/k.t", "a/z.t", "a/m.t", "a/B.t", "a/a2/m.t", "a/a1/z.t", "a/a1/m.t", "a/a1/q/k.t",
    ]  # fmt: skip
    for name in ordered:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = path_matches("**/*.t", [tmp_path], DiskFiles()).files_first
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ordered
