"""Every file is read through `disk`: only regular ones, and no more of them than is said."""

import ast
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

import rubric_core
from rubric_core.analysis import Language, analyze
from rubric_core.configuration.discovery import Discovery
from rubric_core.configuration.lookup import Configurations
from rubric_core.disk import open_file, read_file, read_stream
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.json_results import json_path
from rubric_core.evaluation.results.store_errors import ResultStoreError
from rubric_core.syntax.template_syntax import filters_used, loose_statements
from rubric_core.text import Span
from rubric_core.trust import Trust

#: What else opens files to read, and which.
OTHERS = {
    "disk.py": "this module",
    "atomic_write.py": "a file that is written, and its draft",
    "orphan_processes.py": "what the system says of processes",
    "cli/__init__.py": "/dev/null",
    "cli/explain.py": "pages that belong to rubric",
    "cli/reference.py": "pages of the reference",
    "cli/sarif.py": "pages that belong to rubric",
    "cluster/versions.py": "the language of rubric itself, to compare it with that of workers",
    "evaluation/judge_check/items.py": "a file that belongs to rubric",
    "evaluation/report_page/document.py": "files that belong to rubric",
    "language/usage_counts.py": "a file that belongs to rubric",
}


#: Without one of these, a module need not be parsed.
_MAY_READ = re.compile(r"\bread_(?:text|bytes)\b|\bopen\b")


def reads(tree: ast.Module) -> Iterator[int]:
    """The lines on which files are opened to read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            # The function that reads suites has the name of a method of paths.
            is_ours = name == "read_text" and isinstance(node.func, ast.Name)
            modes = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)]
            text = any(isinstance(m, str) and "utf" in m for m in modes) and not {"w", "a", "x"} & set(modes)
            if (name in ("read_text", "read_bytes") and not is_ours) or (name == "open" and ("rb" in modes or text)):
                yield node.lineno


def test_one_module_reads_files() -> None:
    root = Path(rubric_core.__file__).parents[1]
    modules = [p for package in ("rubric_core", "rubric_lsp") for p in sorted((root / package).rglob("*.py"))]
    found = {
        path.relative_to(root).as_posix().removeprefix("rubric_core/")
        for path in modules
        if _MAY_READ.search(text := path.read_text(encoding="utf-8")) and any(reads(ast.parse(text)))
    }
    assert found == set(OTHERS)


def test_what_counts_as_reading() -> None:
    text = "p.read_text()\nread_text(p)\np.read_bytes()\np.open('rb')\nopen(p, encoding='utf-8')\np.open('w', encoding='utf-8')\n"
    assert list(reads(ast.parse(text))) == [1, 3, 4, 5]


@pytest.fixture(params=["/dev/zero", "pipe", "folder"])
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a link may lead that never ends, or never begins."""
    if request.param == "pipe":
        os.mkfifo(tmp_path / "pipe")
    elif request.param == "folder":
        (tmp_path / "folder").mkdir()
    return request.param if request.param == "/dev/zero" else str(tmp_path / request.param)


def test_no_trap_is_read(trap: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(trap)
    with pytest.raises(OSError, match=r"named pipe|device|directory"):
        read_file(link, 1000)
    with pytest.raises(OSError, match=r"named pipe|device|directory"):
        open_file(link, 1000)


def test_no_trap_in_a_repository_is_read(trap: str, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    (folder / ".git" / "info").mkdir(parents=True)
    suite = folder / "a.eval.yaml"
    suite.write_text("tests: []\n")
    results = json_path(suite)
    results.parent.mkdir(parents=True)
    for place in (
        results,
        results.with_suffix(".jsonl"),
        folder / ".gitignore",
        folder / ".git/info/exclude",
        folder / "eval.yaml",
    ):
        place.symlink_to(trap)
    assert ResultDatabase.of(suite).latest(suite) == {}
    found = list(Discovery(Configurations(Language())).suites(str(folder)))
    assert [Path(path).name for path in found] == ["a.eval.yaml"]
    (tmp_path / "trust.json").symlink_to(trap)
    assert Trust(tmp_path / "trust.json").folders() == []


def test_no_trap_is_a_database(trap: str, tmp_path: Path) -> None:
    """SQLite opens databases itself, so the file is examined first."""
    suite = tmp_path / "repository" / "a.eval.yaml"
    database = ResultDatabase.of(suite)
    database.path.parent.mkdir(parents=True)
    database.path.symlink_to(trap)
    with pytest.raises(ResultStoreError, match="not a regular file"):
        database.latest(suite)
    with pytest.raises(ResultStoreError, match="not a regular file"):
        database.runs()


def opens_databases(tree: ast.Module) -> bool:
    """Whether a module opens databases of SQLite on disk."""
    return any(
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == "sqlite3.connect"
        and ":memory:" not in ast.unparse(node)
        for node in ast.walk(tree)
    )


def test_one_module_opens_databases() -> None:
    root = Path(rubric_core.__file__).parents[1]
    modules = [p for package in ("rubric_core", "rubric_lsp") for p in sorted((root / package).rglob("*.py"))]
    texts = {path.name: text for path in modules if "sqlite3" in (text := path.read_text(encoding="utf-8"))}
    found = [name for name, text in texts.items() if opens_databases(ast.parse(text))]
    assert found == ["connection.py"]


def test_a_file_of_results_is_read_line_by_line(tmp_path: Path) -> None:
    """Two gigabytes of zeros take no space on disk, and one line."""
    suite = tmp_path / "a.eval.yaml"
    results = json_path(suite)
    results.parent.mkdir(parents=True)
    with results.open("wb") as file:
        file.truncate(3_000_000_000)
    began = time.process_time()
    assert ResultDatabase.of(suite).latest(suite) == {}
    assert time.process_time() - began < 1


@pytest.mark.parametrize("unit", ["{{", "{%", "{#", "{% raw %}", "{{ ", "{% if x "])
def test_braces_without_end_are_read_once(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        began = time.process_time()
        list(loose_statements(text, Span(0, len(text))))
        list(filters_used(text, Span(0, len(text))))
        return time.process_time() - began

    short, long = (min(seconds(length) for _ in range(3)) for length in (10_000, 80_000))
    # Eight times the text: 64 times the work if each brace looked at all others.
    assert long < 30 * short + 0.05


def test_a_suite_of_braces_is_analysed() -> None:
    language = Language()
    text = "# rubric: dialect=agentv-5\ntests:\n  - {id: a}\n    note: x" + "{{" * 50_000 + "\n"
    began = time.process_time()
    analyze(language.document(text), language)
    assert time.process_time() - began < 5


def test_a_file_that_has_nothing_to_read_yet_is_refused() -> None:
    """Some files of `/proc` are regular, and wait for something to read as a pipe does."""

    waiting = Mock(read=Mock(return_value=None))  # what Python gives for such a file
    for limit in (None, 100):
        with pytest.raises(OSError, match="nothing to read yet"):
            read_stream(waiting, "kmsg", limit)
