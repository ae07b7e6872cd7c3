"""What comes in bulk is worked on once."""

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_lsp.documents.workspace_check import WorkspaceCheck
from rubric_lsp.routes import make_server

SUITE = "tests:\n  - {id: a, criteria: x, input: hi}\n"


@pytest.mark.parametrize("name", ["x/{}.eval.yaml", ".rubric/results.db", "a.eval.yaml"])
def test_ten_thousand_changes_on_disk_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    calls: dict[str, int] = {"project": 0, "survey": 0}
    changed, looked = Project.changed, WorkspaceCheck.changed

    def project(self: Project, paths: Any = None) -> None:
        calls["project"] += 1
        changed(self, paths)

    def survey(self: WorkspaceCheck, *, publishing: bool) -> None:
        calls["survey"] += 1
        looked(self, publishing=publishing)

    monkeypatch.setattr(Project, "changed", project)
    monkeypatch.setattr(WorkspaceCheck, "changed", survey)

    async def tell() -> None:
        server = make_server()
        server.documents.folders = {tmp_path.as_uri(): "folder"}
        uri = (tmp_path / "a.eval.yaml").as_uri()
        server.opened({"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": SUITE}})
        await asyncio.sleep(0.05)
        calls.update(project=0, survey=0)
        server.files_changed([(tmp_path / name.format(n)).as_uri() for n in range(10_000)])
        assert calls["project"] == 1
        assert calls["survey"] <= 1
        await server.closed()

    asyncio.run(tell())


class _Text(str):
    """Keeps account of how much of it a search for a line break backwards may look through."""

    __slots__ = ()
    searched = 0

    def rfind(self, sub: str, start: Any = 0, end: Any = None, /) -> int:
        found = super().rfind(sub, start, end)
        type(self).searched += (len(self) if end is None else end) - max(found, start or 0)
        return found


def test_a_large_text_is_cut_in_one_pass() -> None:
    text = _Text("tests:\n" + "".join(f"  # about it\n  - id: case-{n}\n    input: hello\n" for n in range(3_000)))
    assert len(Document.of(text, frozenset({"tests"})).blocks) == 3_001
    assert 0 < _Text.searched < 4 * len(text)


def test_ten_thousand_findings_of_a_file_are_sent_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    convert = import_module("rubric_lsp.convert.diagnostics")  # the package has a function of that name
    monkeypatch.setattr(convert, "_MOST", 3)
    uri = "file:///nowhere/a.eval.yaml"
    bad = "  - {id: c, criteria: x, input: hi, assert: [{type: contains, value: 1, wieght: 1}]}\n"
    text = (
        "# rubric: dialect=agentv-5\nname: s\ntests:\n" + bad.replace("id: c", "id: a") + bad.replace("id: c", "id: b")
    )

    async def told() -> tuple[list[Any], list[Any]]:
        server = make_server()
        server.opened({"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        snapshot = server.documents.get(uri)
        assert snapshot is not None
        few = server.problems(snapshot)
        monkeypatch.setattr(convert, "_MOST", 10_000)
        every = server.problems(snapshot)
        await server.closed()
        return few, every

    few, every = asyncio.run(told())
    *shown, note = few
    assert len(every) > len(shown) == 3
    assert note["code"] == "findings-not-shown"
    assert note["message"] == f"{len(every) - 3} further findings are not shown; `rubric check` lists all of them"
    worst = sorted(each["severity"] for each in every)
    assert [each["severity"] for each in sorted(shown, key=lambda d: int(d["severity"]))] == worst[:3]
    assert [each for each in every if each in shown] == shown, "in the order of the text"
