"""Which file a URI means, and which URIs mean none."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rubric_lsp.permission import Permission
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.routes import make_server
from rubric_lsp.running.report_builder import command_line


@pytest.mark.parametrize(
    "name",
    [
        "a.eval.yaml",
        "a b%20c.eval.yaml",
        "ünï\u2028.eval.yaml",
        "two\nlines.eval.yaml",
        "\udcff.eval.yaml",
        "\"quoted'.eval.yaml",
    ],
)
def test_a_name_comes_back(tmp_path: Path, name: str) -> None:
    assert path_of((tmp_path / name).as_uri()) == tmp_path / name


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "file:",
        "untitled:Untitled-1",
        "http://[::1",
        "file://[::1/a.eval.yaml",
        "file:///a%00.eval.yaml",
        "file:///\ud83d.eval.yaml",
    ],
)
def test_uris_without_a_file_have_no_path(uri: str) -> None:
    assert path_of(uri) is None


def test_a_path_that_leads_nowhere_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for path in (tmp_path / ("a" * 5_000) / "a.eval.yaml", tmp_path / "circle" / "a.eval.yaml"):
        assert not Permission().allows(path)
        assert Permission().folder_of(path) == path.parent


def test_folders_in_one_another_have_each_suite_once(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    suites = [tmp_path / "a.eval.yaml", inner / "b.eval.yaml"]
    for suite in suites:
        suite.write_text("tests: []\n", encoding="utf-8")
    server = make_server()
    server.documents.folders = {folder.as_uri(): "" for folder in (tmp_path, inner)}

    async def found() -> list[Path | None]:
        return [each.path async for each in server.index.suites()]

    assert asyncio.run(found()) == suites


def test_a_command_line_for_a_name_that_looks_like_an_option(tmp_path: Path) -> None:
    assert command_line(tmp_path / "-a.eval.yaml", "one", [tmp_path]) == "rubric run ./-a.eval.yaml::one"


def test_a_name_that_the_locale_cannot_write_is_found(tmp_path: Path) -> None:
    """Where even the names of files are ASCII to Python, which a person has to ask for."""
    path = tmp_path / "ünï 😀.eval.yaml"
    path.write_text("tests: []\n", encoding="utf-8")
    program = f"from rubric_lsp.protocol.uris import path_of\npath = path_of({path.as_uri()!r})\nassert path.exists(), ascii(path)"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
