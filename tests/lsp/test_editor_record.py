"""What an editor is answered about whole folders of files, as `records/NAME.txt` shows it; the files are in `records/NAME.files.txt`.

`UPDATE=1 pytest tests/lsp/test_editor_record.py` writes what comes out anew; people read the difference.
"""

import os
import sys
from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path

import pytest
from editor_record import (
    ASKED,
    Editor,
    Record,
    asked_again_record,
    document_record,
    folder_record,
    hovers,
    invent,
    question_record,
    results_record,
    sections,
    written,
)
from harness import UPDATING, files
from record import WHOLE

from rubric_core.adapters import filtered

RECORDS = Path(__file__).parent / "records"
NAMES = ("agentv-3", "promptfoo", "agentv-5", "mistakes", "old")
Words = dict[str, dict[str, str]]
OF_FOLDERS = {"workspace/symbol", "workspace/willRenameFiles", "rubric/discoverTests", "workspace/executeCommand"}
OF_RESULTS = {"workspace/textDocumentContent", "rubric/report"}
#: Answered when a client asks one by one: other tests have these.
ELSEWHERE = {"codeAction/resolve", "workspace/diagnostic"}
OF_DOCUMENTS = {method for methods in ASKED.values() for method in methods} - OF_FOLDERS - OF_RESULTS - ELSEWHERE


class Noon(datetime):
    """A clock that stands."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Noon":
        return cls(2026, 1, 5, 12, tzinfo=tz)


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("rubric_lsp.features.results.datetime", Noon)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "state"))


def read(name: str) -> Mapping[str, str]:
    return files((RECORDS / f"{name}.files.txt").read_text(encoding="utf-8"))


def compare(name: str, made: str) -> None:
    if UPDATING:
        (RECORDS / f"{name}.txt").write_text(made, encoding="utf-8")
    assert made == recorded(name)


def recorded(name: str) -> str:
    return (RECORDS / f"{name}.txt").read_text(encoding="utf-8")


def begun(name: str, words: Words) -> Record:
    """A record that is compared while it is written."""
    return Record(words, None if UPDATING else recorded(name))


def answers(folder: Path, name: str, words: Words) -> tuple[str, set[str]]:
    """The record of a folder, and the methods that were asked."""
    editor, record = Editor(folder, read(name)), begun(name, words)
    for file in editor.files:
        editor.show(file)
    for file in editor.files:
        if not file.endswith((".py", ".sh", ".js")):
            document_record(record, editor, file)
    editor.end()
    return record.text(), editor.methods


def test_answers(tmp_path: Path) -> None:
    words: Words = {}
    for name in NAMES if WHOLE else ("agentv-5", "promptfoo"):
        made, asked = answers(tmp_path / name, name, words)
        compare(name, made)
        assert asked >= OF_DOCUMENTS
    if WHOLE:
        compare("words", written(sections(words)))


@pytest.mark.parametrize(
    ("name", "suites"),
    [
        ("agentv-3", ("support.eval.yaml", "more/a.yaml")),
        ("agentv-5", ("suite.eval.yaml",)),
        ("promptfoo", ("promptfooconfig.yaml",)),
    ],
)
def test_results(name: str, suites: tuple[str, ...], tmp_path: Path) -> None:
    words: Words = {}
    editor, record = Editor(tmp_path / name, read(name), showPassed=True), begun(f"results-{name}", words)
    for file in suites:
        editor.show(file)
    plain = hovers(editor, suites)
    for number in range(3):
        record.head(f"round {number}")
        invent(editor, suites[0], number)
        results_record(record, editor, suites, plain)
    assert editor.methods >= OF_RESULTS
    editor.end()
    compare(f"results-{name}", f"{record.text()}{written(sections(words))}")


SUITES = {
    "agentv-3": ("support.eval.yaml",),
    "agentv-5": ("suite.eval.yaml",),
    "promptfoo": ("promptfooconfig.yaml",),
    "running": ("wide.eval.yaml", "five.eval.yaml"),
    "old": ("one.eval.yaml", "two.eval.yaml", "half.eval.yaml"),
}


def test_folders(tmp_path: Path) -> None:
    record = begun("folders", {})
    for name, suites in SUITES.items():
        editor = Editor(tmp_path / name, read(name))
        for file in editor.files:
            editor.show(file)
        folder_record(record, editor, suites)
        assert editor.methods >= OF_FOLDERS
        editor.end()
    compare("folders", record.text())


def test_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The question depends on what is installed, and on the variables of whoever runs.
    for name in os.environ.keys() - filtered(os.environ).keys():
        if not name.startswith("XDG_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(installed(tmp_path / "bin", "sh", "node", "python3", "ruby")))
    record = begun("questions", {})
    for name, suites in SUITES.items():
        editor = Editor(tmp_path / name, read(name), trusted=False)
        for file in suites:
            editor.show(file)
        question_record(record, editor, suites)
        asked_again_record(record, editor, suites)
        editor.end()
    compare("questions", record.text())


def installed(folder: Path, *names: str) -> Path:
    """A folder with programs that do nothing."""
    folder.mkdir()
    for name in names:
        program = folder / (f"{name}.bat" if sys.platform == "win32" else name)
        program.write_text("", encoding="utf-8")
        program.chmod(0o755)
    return folder


def test_no_capability_is_left_out(tmp_path: Path) -> None:
    editor = Editor(tmp_path / "project", {})
    said = {name for name, value in editor.capabilities.items() if value is not False}
    editor.end()
    assert said - {"positionEncoding", "textDocumentSync"} == set(ASKED)
