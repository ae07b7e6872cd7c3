"""A file has the same findings in its folder, named, closed, open and after a keystroke: what it is depends on who uses it."""

import asyncio
import json
import os
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from thorough import THOROUGH, sample, seeds

from rubric_core.analysis import Language
from rubric_core.cli import main
from rubric_core.cli.check_result import as_json
from rubric_core.cli.check_run import CheckRun
from rubric_core.cli.file_checker import CheckOptions
from rubric_core.cli.sources import SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.text import Position, TextRange
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.template_variables import is_prompt
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.routes import make_server

LANGUAGE = Language()
ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
LANGUAGES = {".md": "markdown", ".js": "javascript", ".py": "python"}
Rows = frozenset[tuple[Any, ...]]


def row(code: str, severity: str, where: Any) -> tuple[Any, ...]:
    return (code, severity, *where["start"].values(), *where["end"].values())


def on_command_line(*names: str) -> dict[str, Rows]:
    """The findings of every file of a check, by its path; none of a file that is passed over."""
    configurations = Configurations(LANGUAGE)
    sources = SourceCollector(names, Discovery(configurations), None)
    done = CheckRun(LANGUAGE, configurations, CheckOptions(), sources).round(cached=False)
    found: defaultdict[str, set[tuple[Any, ...]]] = defaultdict(set)
    for file in done.files:
        found[os.path.normpath(file.path)] |= set()
    for each in as_json(done.files):
        found[os.path.normpath(str(each["path"]))].add(row(str(each["code"]), str(each["severity"]), each["range"]))
    return {path: frozenset(rows) for path, rows in found.items()}


class Editor:
    """A server without a wire, with an open folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = make_server()
        self.server.client = Client(diagnostic_tags=frozenset({1, 2}))
        self.server.documents.folders = {folder.as_uri(): "folder"}

    async def closed(self) -> dict[str, Rows]:
        """The findings of every closed file, when nothing more becomes known."""
        rows: dict[str, Rows] = {}
        for _ in range(3):
            before = self.server.documents.project.version
            async for report in self.server.workspace_check.reports(opened=False):
                rows[report.uri] = self._rows(report.items)
            if not self.server.documents.refresh_outdated() and before == self.server.documents.project.version:
                break
        return {str(Path(uri.removeprefix("file://")).relative_to(self.folder)): each for uri, each in rows.items()}

    def _rows(self, items: Collection[Any]) -> Rows:
        return frozenset(row(str(each["code"]), SEVERITIES[each["severity"]], each["range"]) for each in items)

    def _shown(self, uri: str) -> Rows:
        snapshot = self.server.documents.get(uri)
        assert snapshot is not None
        return self._rows(self.server.problems(snapshot)) if snapshot.is_ours else frozenset()

    def opened(self, name: str, language: str) -> tuple[Rows, Rows, bool]:
        """The findings of a file that is opened, and after a blank at its end is typed and taken away; whether it is checked."""
        path, documents = self.folder / name, self.server.documents
        uri, text = path.as_uri(), path.read_bytes().decode()
        self.server.opened({"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})
        first = self._shown(uri)
        snapshot = documents.get(uri)
        assert snapshot is not None
        end = snapshot.position(len(text))
        behind = Position(end.line, end.character + 1)
        for version, (start, stop, new) in enumerate(((end, end, " "), (end, behind, "")), 2):
            documents.change(uri, version, [ContentChange(TextRange(start, stop), new)])
            documents.refresh_outdated()
            typed = self._shown(uri)
        self.server.closed_document({"textDocument": {"uri": uri}})
        return first, typed, snapshot.is_ours


async def compare(folder: Path, names: Collection[str]) -> None:
    """Every file of these names in a folder, which is the current one."""
    whole, editor = on_command_line("."), Editor(folder)
    closed = await editor.closed()
    different = {}
    for name in names:
        language = LANGUAGES.get(Path(name).suffix, "yaml")
        opened, typed, is_checked = editor.opened(name, language)
        here, none = on_command_line(name).get(name, frozenset()), frozenset[Any]()
        views = {
            "folder": whole.get(name, none),
            "closed": closed.get(name, none),
            "named": here,
            "opened": opened,
            "typed": typed,
        }
        several = [[*views]]
        if name not in whole:
            # Nobody uses the file, and its name says nothing. Who names it, or chooses the language of suites for it, says that it
            # is of rubric; who only opens it does not.
            several = [["folder", "closed"], ["opened", "typed", *(["named"] if is_checked else [])]]
            if here and language == "yaml":
                views["chosen"], views["chosen, typed"], _ = editor.opened(name, "eval-yaml")
                several.append(["named", "chosen", "chosen, typed"])
        for equal in several:
            if len({views[each] for each in equal}) > 1:
                different[name] = {each: sorted(views[each]) for each in equal}
    assert not different, json.dumps(different, indent=1)
    await editor.server.closed()


def misspell(folder: Path, seed: int) -> None:
    """Take a letter out of keys in every file: the tree of a release has few mistakes."""
    rng = random.Random(seed)
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in (".yaml", ".yml", ".jsonl")):
        text = path.read_text(encoding="utf-8")
        keys = list(re.finditer(r'(?m)(?:^ *(?:- )?|[{,] *"?)([a-zA-Z_]{4,})"?:', text))
        for key in sorted(rng.sample(keys, min(len(keys), 2)), key=lambda each: -each.start(1)):
            at = rng.randrange(key.start(1) + 1, key.end(1) - 1)
            text = text[:at] + text[at + 1 :]
        path.write_text(text, encoding="utf-8")


def files(folder: Path) -> list[str]:
    ends = (".yaml", ".yml", ".jsonl", ".json", ".csv", ".md", ".py", ".js", ".ts")
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.suffix in ends and p.is_file())


TREES = {
    **{f"agentv-{tag}": CORPUS / tag for tag in ("HEAD", "v5.3.1-next.1", "v4.42.4", "v2.19.0", "v1.0.0")},
    "examples": ROOT / "examples",
    "promptfoo": ROOT / "tests" / "parity" / "promptfoo" / "suites",
}


@pytest.mark.parametrize("seed", seeds(4, few=1))
@pytest.mark.parametrize("tree", [*TREES] if THOROUGH else ["agentv-HEAD", "examples"])
def test_a_file_of_a_real_tree_is_the_same_file(
    tree: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not TREES[tree].exists():
        pytest.skip("the corpus of real suites is not beside the checkout")
    folder = tmp_path / "tree"
    shutil.copytree(TREES[tree], folder, ignore=shutil.ignore_patterns(".rubric", "node_modules"))
    monkeypatch.chdir(folder)
    if seed:
        misspell(folder, seed)
    # Whoever names a file checks what it includes as well, so that all of a tree take minutes: damaged ones share the files.
    names = files(folder)[seed % 3 :: 3] if seed else files(folder)
    asyncio.run(compare(folder, sample(names, 4)))


CASE = "- id: {id}\n  critria: Greets\n  input: hi\n"
SUITE = "# rubric: dialect=agentv-3\ntests: [file://{path}]\n"
WORKSPACE = "# rubric: dialect=agentv-5\ntests: [{id: a, input: hi, criteria: Greets}]\nworkspace: file://ws.yaml\n"
RESULT = '{"timestamp": "2026-01-01T00:00:00Z", "test_id": "a", "score": 0.5, "assertions": [], "input": "hi"}\n'
#: Files that are used by others, with what is in the folder.
USED: dict[str, dict[str, str]] = {
    "cases": {"a.eval.yaml": SUITE.format(path="cases.yaml"), "cases.yaml": CASE.format(id="a")},
    "only misspelt": {"a.eval.yaml": SUITE.format(path="cases.yaml"), "cases.yaml": "- id: a\n  critria: x\n"},
    "called like a suite": {"a.eval.yaml": SUITE.format(path="b.test.yaml"), "b.test.yaml": CASE.format(id="a")},
    "a case of its own": {"a.eval.yaml": SUITE.format(path="cases"), "cases/one/case.yaml": "critria: x\ninput: hi\n"},
    "elsewhere": {"evals/a.eval.yaml": SUITE.format(path="../cases.yaml"), "cases.yaml": CASE.format(id="a")},
    "JSON": {"a.eval.yaml": SUITE.format(path="cases.json"), "cases.json": '[{"id": "a", "critria": "x", "input": "hi"}]\n'},
    "a workspace": {"a.eval.yaml": WORKSPACE, "ws.yaml": "template: ./x\nhook: {}\n"},
    "a judge's prompt": {
        "a.eval.yaml": "tests:\n  - id: a\n    input: hi\n    criteria: x\n    assertions: [{type: llm-grader, prompt: file://judge.md}]\n",
        "judge.md": "Rate {{ anwser }}\n",
    },
    "results": {"a.eval.yaml": "tests: [{id: a, input: hi, criteria: x}]\n", "a.baseline.jsonl": RESULT},
    "several suites": {
        "a.eval.yaml": SUITE.format(path="cases.yaml"), "b.eval.yaml": SUITE.format(path="cases.yaml"),
        "cases.yaml": CASE.format(id="a").replace("critria", "depends_on: [b]\n  criteria"),
    },
}  # fmt: skip


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Path]:
    monkeypatch.chdir(tmp_path)

    def written(texts: dict[str, str]) -> Path:
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return written


@pytest.mark.parametrize("kind", USED)
def test_a_used_file_is_what_it_is_used_as(kind: str, write: Callable[[dict[str, str]], Path]) -> None:
    folder = write(USED[kind])
    asyncio.run(compare(folder, USED[kind]))
    used = [name for name in USED[kind] if not name.endswith(".eval.yaml")]
    mistakes = on_command_line(".")
    assert [name for name in used if mistakes.get(name)] == ([] if kind == "results" else used)


@pytest.mark.parametrize("kind", [kind for kind in USED if kind not in ("results", "a judge's prompt")])
def test_a_suite_is_checked_with_what_it_includes(kind: str, write: Callable[[dict[str, str]], Path]) -> None:
    write(USED[kind])
    suite = next(name for name in USED[kind] if name.endswith(".eval.yaml"))
    assert main(["check", "--strict", suite]) == 1


async def edge_changes(folder: Path) -> None:
    editor, uri = Editor(folder), (folder / "a.eval.yaml").as_uri()
    assert (await editor.closed())["cases.yaml"]
    text = (folder / "a.eval.yaml").read_text(encoding="utf-8").replace("cases.yaml", "more.yaml")
    editor.server.opened({"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
    now = await editor.closed()
    assert not now.get("cases.yaml"), "the editor's text counts"
    assert now["more.yaml"]
    await editor.server.closed()


def test_an_edge_of_an_open_suite_counts(write: Callable[[dict[str, str]], Path]) -> None:
    folder = write({**USED["cases"], "more.yaml": CASE.format(id="b")})
    asyncio.run(edge_changes(folder))


async def other_encodings(folder: Path) -> None:
    editor, path = Editor(folder), folder / "b.eval.yaml"
    assert (await editor.closed())["b.eval.yaml"] == {("unreadable-file", "error", 1, 0, 1, 0)}
    text = path.read_bytes().decode("latin-1")
    about = {"textDocument": {"uri": path.as_uri(), "languageId": "eval-yaml", "version": 1, "text": text}}
    editor.server.opened(about)
    assert ("unreadable-file", "error", 1, 0, 1, len("name: café")) in editor._shown(path.as_uri())
    assert "b.eval.yaml" not in await editor.closed(), "the editor has it"
    path.write_text(text, encoding="utf-8")
    editor.server.saved(about)
    shown = editor._shown(path.as_uri())
    editor.server.closed_document(about)
    assert (await editor.closed())["b.eval.yaml"] == shown == on_command_line("b.eval.yaml")["b.eval.yaml"]
    path.write_bytes(text.encode("utf-16"))
    assert (await editor.closed())["b.eval.yaml"] == {("unreadable-file", "error", 0, 0, 0, 0)}
    path.unlink()
    assert "b.eval.yaml" not in await editor.closed()
    await editor.server.closed()


def test_a_file_in_another_encoding_is_marked_where_no_program_can_read_it(
    write: Callable[[dict[str, str]], Path],
) -> None:
    folder = write({"a.eval.yaml": CASE.format(id="a")})
    suite = (
        "# rubric: dialect=agentv-5\nname: café\ntests:\n  - {id: a, input: hi, assert: [{type: contains, value: h}]}\n"
    )
    (folder / "b.eval.yaml").write_bytes(suite.encode("latin-1"))
    asyncio.run(other_encodings(folder))


async def data_of_others(folder: Path) -> None:
    editor = Editor(folder)
    await editor.closed()
    for path in sorted(each for each in folder.iterdir() if each.name != "a.eval.yaml"):
        uri, text = path.as_uri(), path.read_text(encoding="utf-8")
        language = path.suffix.removeprefix(".")
        editor.server.opened({"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})
        snapshot = editor.server.documents.get(uri)
        assert snapshot is not None
        used = path.stem == "used"
        assert snapshot.is_ours is used, path.name
        assert not is_prompt(snapshot)
        assert used or not snapshot.analyzed, path.name
    await editor.server.closed()


def test_data_that_no_suite_uses_costs_no_analysis(write: Callable[[dict[str, str]], Path]) -> None:
    row = '{"id": "a", "input": "hi", "critria": "x"}\n'
    others = {
        "log.jsonl": row * 9,
        "data.json": f'{{"tests": [{row}]}}',
        "package.json": '{"name": "x", "scripts": {}}',
        "playbook.yaml": "- name: a\n  hosts: all\n  tasks: [{shell: echo}]\n" * 300,
        "openapi.yaml": "openapi: 3.1.0\ninfo: {title: t}\npaths:\n" + "  /a:\n    get: {summary: s}\n" * 300,
    }
    suite = "# rubric: dialect=agentv-5\nname: a\ntests: file://used.jsonl\n"
    folder = write({"a.eval.yaml": suite, "used.jsonl": row, **others})
    asyncio.run(data_of_others(folder))
