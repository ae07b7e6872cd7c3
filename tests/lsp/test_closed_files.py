"""Files that are not open keep their whole analysis only for a while, and answers about all files are the same without."""

import asyncio
import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from rubric_lsp import convert
from rubric_lsp.documents.closed_files import AnalysisCache
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.routes import make_server
from rubric_lsp.server import RubricServer

TARGETS = "targets:\n  - {name: local, provider: mock}\n  - {name: 'spare', provider: mock}\n"
CASES = "- {id: taken-over, criteria: x, input: hi}\n"
PROMPT = "Rate {{ answer }} by {{ criteria }}, {{ style }}.\n"
SUITE = """\
# rubric: dialect=agentv-3
name: Súite {n} 😀
execution: {{target: local}}
tests:
  - file://cases.yaml
  - id: case-{n}
    criteria: é{n}
    input: hi
    vars: {{style: {n}}}
    execution: {{target: "spare"}}
assertions:
  - {{type: llm-grader, prompt: file://judge.md}}
"""
SEVERAL = """\
# rubric: dialect=agentv-3
execution: {target: local}
tests:
  - {id: first, criteria: x, input: hi}
---
execution: {target: local}
tests:
  - {id: second, criteria: x, input: hi}
"""
SUITES = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".agentv").mkdir()
    texts = {".agentv/targets.yaml": TARGETS, "cases.yaml": CASES, "judge.md": PROMPT, "z.eval.yaml": SEVERAL}
    texts |= {f"{n}.eval.yaml": SUITE.format(n=n) for n in range(SUITES)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def started(folder: Path, most: int) -> RubricServer:
    server = make_server()
    server.client = Client(diagnostic_tags=frozenset({1, 2}))
    server.documents.folders = {folder.as_uri(): "folder"}
    server.documents.closed_files = AnalysisCache(most)
    return server


async def looked(server: RubricServer) -> list[Any]:
    return [(report.uri, report.items) async for report in server.workspace_check.reports(opened=False)]


async def answers(server: RubricServer, folder: Path) -> list[Any]:
    """What is asked about all files, from the targets, from a suite and from a prompt."""
    found: list[Any] = [await looked(server), dict(server.documents.usage), await server.tree.discover(None)]
    for name, words in {
        ".agentv/targets.yaml": ("local", "spare"),
        "0.eval.yaml": ("local", "cases.yaml", "judge.md", "case-0"),
        "judge.md": ("style",),
    }.items():
        text = (folder / name).read_text(encoding="utf-8")
        kind = "markdown" if name.endswith(".md") else "yaml"
        document = {"uri": (folder / name).as_uri(), "languageId": kind, "version": 1, "text": text}
        server.opened({"textDocument": document})
        snapshot = server.documents.get(document["uri"])
        assert snapshot is not None
        for word in words:
            at = text.index(word) + 1
            places = await server.navigation.references(snapshot, at, declaration=True)
            found.append([convert.location(where, each.span) for where, each in places])
            if not word.endswith((".yaml", ".md")):
                edits = await server.navigation.rename(snapshot, at, "other")
                found.append(convert.workspace_edits(edits, server.client))
        if kind == "yaml":
            found.append(convert.reference_lenses(snapshot, server.navigation.uses(snapshot), server.client))
    found.append(convert.found_symbols(await server.navigation.symbols("")))
    return found


def test_answers_about_all_files_are_the_same_without_their_analyses(folder: Path) -> None:
    async def both() -> tuple[list[Any], list[Any]]:
        kept, condensed = started(folder, 10**9), started(folder, 0)
        made = await answers(kept, folder), await answers(condensed, folder)
        assert len(kept.documents.closed_files) > SUITES
        assert len(condensed.documents.closed_files) == 1
        await kept.closed()
        await condensed.closed()
        return made

    with_them, without = asyncio.run(both())
    assert with_them == without


def test_only_what_is_asked_for_is_analyzed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analyzed: list[str] = []
    analyze = ClientWorkspace.analyze

    def counted(self: ClientWorkspace, snapshot: Snapshot) -> Any:
        analyzed.append(snapshot.uri)
        return analyze(self, snapshot)

    monkeypatch.setattr(ClientWorkspace, "analyze", counted)

    async def ask() -> None:
        server = started(folder, 0)
        targets = folder / ".agentv" / "targets.yaml"
        await looked(server)
        assert len(analyzed) == len(set(analyzed)) > SUITES
        analyzed.clear()
        await looked(server)
        assert analyzed == []
        document = {"uri": targets.as_uri(), "languageId": "yaml", "version": 1, "text": TARGETS}
        server.opened({"textDocument": document})
        snapshot = server.documents.get(targets.as_uri())
        assert snapshot is not None
        await looked(server)
        assert analyzed == [targets.as_uri()], "its text is the same as on disk: nothing has changed for the others"
        uses = await server.navigation.references(snapshot, TARGETS.index("local"), declaration=False)
        assert len(uses) == SUITES + 2
        assert len(await server.navigation.symbols("case")) == SUITES
        assert len(server.navigation.uses(snapshot)) == 2
        server.closed_document({"textDocument": document})
        await looked(server)
        assert analyzed == [targets.as_uri()]
        await server.closed()

    asyncio.run(ask())


def test_an_analysis_that_is_not_kept_is_gone_at_once(folder: Path) -> None:
    made: list[weakref.ref[Any]] = []

    async def look() -> None:
        server = started(folder, 0)
        gc.disable()  # what goes in a circle would stay until somebody collects it
        try:
            made.extend([weakref.ref(suite.analysis) async for suite in server.index.suites()])
        finally:
            gc.enable()
        assert [each for each in made[:SUITES] if each() is not None] == []
        assert made[-1]() is not None
        await server.closed()

    asyncio.run(look())
    assert len(made) == SUITES + 1
