"""After any edits of several files, open and on disk, a server says of every file what one says that starts now."""

import asyncio
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from thorough import seeds

from rubric_core.text import Edit, LineIndex, Span
from rubric_lsp import lifecycle
from rubric_lsp.documents import workspace_check
from rubric_lsp.documents.closed_files import AnalysisCache
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.routes import make_server

SUITE = """\
# rubric: dialect=agentv-3
execution: {target: local}
tests: file://cases.yaml
assertions:
  - {type: contains, value: x}
  - {type: llm-grader, prompt: file://judge.md}
"""
OWN = """\
execution: {target: cloud}
tests:
  - {id: a, criteria: x, input: hi}
  - {id: b, criteria: x, input: [{role: user, content: [{type: file, value: data.txt}]}], expectd: 1}
"""
CONFIGURATION = """\
prompts: [file://say.txt, file://more/chat.json]
providers: [echo]
tests:
  - vars: {word: hi, name: x}
"""
#: What may stand in each file. Names that are gone, misspelt or elsewhere make mistakes in others.
TEXTS: dict[str, tuple[str, ...]] = {
    "a.eval.yaml": (SUITE, SUITE.replace("agentv-3", "agentv-2.7"), OWN, SUITE.replace("local", "spare"), SUITE.replace("cases", "more/cases")),
    "b.eval.yaml": (OWN, SUITE, OWN.replace("cloud", "local"), "tests: 1\n"),
    "more/c.eval.yaml": (OWN, SUITE, SUITE.replace("agentv-3", "agentv-2.7"), ""),
    "suite.yaml": (OWN, "kind: Deployment\n", SUITE),
    "cases.yaml": ("- {id: a, criteria: x, input: hi}\n", "- {id: a, criteria: x}\n", "- {id: a, input: 1, execution: {target: spare}}\n"),
    "more/cases.yaml": ("- {id: z, criteria: x, input: hi}\n", "- {id: z, criteria: x}\n",
        "- {vars: {word: hi}, assert: [{type: javascript, value: file://grade.js}]}\n",
        "- {vars: {word: hi}, assert: [{type: llm-rubric, value: x, rubricPrompt: file://rate.txt}]}\n"),
    "judge.md": ("Rate {{ answer }}\n", "Rate {{ anwser }}\n", "Rate {{ output }} {{ criteria }}\n"),
    "more/judge.md": ("Rate {{ anwser }}\n",),
    "data.txt": ("some\n", " \n"),
    ".agentv/targets.yaml": (
        "targets:\n  - {name: local, provider: mock}\n  - {name: cloud, provider: mock}\n",
        "targets:\n  - {name: local, provider: mock}\n  - {name: spare, provider: mock}\n",
        "targets:\n  - {name: local}\n",
    ),
    "more/.agentv/targets.yaml": ("targets:\n  - {name: cloud, provider: mock}\n",),
    ".rubric.toml": ("", 'ignore = ["unknown-key"]\n', 'exclude = ["more"]\n', 'dialect = "agentv-2.7"\n', "ignor = 1\n"),
    ".gitignore": ("", "b.eval.yaml\n"),
    "promptfooconfig.yaml": (
        CONFIGURATION, CONFIGURATION.replace("word", "wort"), CONFIGURATION.replace("prompts", "nunjucksFilters: {uper: u.js}\nprompts"),
        CONFIGURATION.replace("say.txt", "turns.yaml"), CONFIGURATION.replace("x}", "file://grade.js}") + "  - file://more/cases.yaml\n", f"{CONFIGURATION}extensions: [file://hook.js]\n", CONFIGURATION.replace("file://say.txt, ", ""),
        CONFIGURATION.replace("x}", "x}, options: {rubricPrompt: file://rate.txt}") + "  - file://more/cases.yaml\n",
        CONFIGURATION.replace("[file://say.txt, file://more/chat.json]", "'{{word}}'").replace("x}", "x}, assert: [{type: llm-rubric, value: x, rubricPrompt: file://rate.txt}]"),
    ),
    "more/promptfooconfig.yaml": (
        "prompts: [file://../say.txt, chat.json]\nproviders: [echo]\ntests: [{vars: {wrod: hi}}]\n",
        "prompts: [chat.json]\nproviders: [echo]\ntests: [{vars: {wrod: hi}, options: {rubricPrompt: file://../rate.txt}}]\n",
        "prompts: [file://chat.json, file://../judge.md, file://../rate.txt]\nproviders: [echo]\ntests: [{vars: {word: hi}}]\n",
    ),
    "grade.js": (
        "module.exports = (output) => ouput.trim();\n", "module.exports = (output) => output.trim(;\n", "let x = 1;\n",
        "module.exports = (output) => true;\n",
    ),
    "turns.yaml": ("- role: user\n  content: Say {{wrod}}\n- role: usr\n  content: hi\n", "- vars: {word: hi}\n", "- role: user\n content: x\n"),
    "rate.txt": ("Rate {{output}} {{wrod}}\n", "Rate {{ouput}} {{ word | uper }}\n", "Rate it\n"),
    "say.txt": ("Say {{word}}\n", "Say {{wrod}} {{ name | uper }}\n", "Say {{ word\n"),
    "more/chat.json": ('[{"role": "user", "content": "{{wrod}}"}]\n', '[{"role": "usr", "content": "{{word}}"}]\n', "[{{word}},]\n"),
}  # fmt: skip
#: Files that are open at times: what an editor sends to a server for suites.
OPENED = (
    "a.eval.yaml",
    "b.eval.yaml",
    "more/c.eval.yaml",
    "cases.yaml",
    "judge.md",
    ".agentv/targets.yaml",
    "promptfooconfig.yaml",
    "say.txt",
    "rate.txt",
    "turns.yaml",
    "grade.js",
)


class Desk:
    """A server without a wire, and the folder that is open in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = make_server()
        self.server.client = Client(diagnostic_tags=frozenset({1, 2}))
        self.server.documents.folders = {folder.as_uri(): "folder"}
        self.version = 1

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        self.version += 1
        kind = {".md": "markdown", ".txt": "plaintext", ".js": "javascript"}.get(Path(name).suffix, "yaml")
        self.server.opened(
            {"textDocument": {"uri": self.uri(name), "languageId": kind, "version": self.version, "text": text}}
        )

    def close(self, name: str) -> None:
        self.server.closed_document({"textDocument": {"uri": self.uri(name)}})

    def type(self, name: str, edit: Edit) -> None:
        self.version += 1
        old = self.text(name)
        where = LineIndex(old).range(edit.span, "utf-16")
        documents = self.server.documents
        assert documents.change(self.uri(name), self.version, [ContentChange(where, edit.new_text)]) is not None
        documents.refresh_outdated()

    def text(self, name: str) -> str:
        snapshot = self.server.documents.get(self.uri(name))
        assert snapshot is not None
        return snapshot.document.text

    def opened(self) -> list[str]:
        return [name for name in OPENED if self.server.documents.get(self.uri(name)) is not None]

    async def says(self) -> dict[str, Any]:
        """The findings in every file, by path, and the words of completion."""
        await self.settle()
        said = {r.uri: r.items async for r in self.server.workspace_check.reports()}
        for snapshot in self.server.documents.all():
            said[snapshot.uri] = self.server.problems(snapshot) if snapshot.is_ours else []
        return {**said, "usage": dict(self.server.documents.usage)}

    async def settle(self) -> None:
        """Wait as a person's pauses do: an analysis of the workspace may change the findings in open files."""
        for _ in range(3):
            async for _report in self.server.workspace_check.reports(opened=False):
                pass
            self.server.documents.refresh_outdated()


def told(desk: Desk, *names: str) -> None:
    desk.server.files_changed([desk.uri(name) for name in names])


def write(desk: Desk, rng: random.Random) -> str:
    name = rng.choice(list(TEXTS))
    path = desk.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = rng.choice(TEXTS[name])
    path.write_text(text, encoding="utf-8")
    told(desk, name)
    return f"write {name}: {text!r}"


def remove(desk: Desk, rng: random.Random) -> str:
    name = rng.choice(list(TEXTS))
    (desk.folder / name).unlink(missing_ok=True)
    told(desk, name)
    return f"remove {name}"


def remove_folder(desk: Desk, _: random.Random) -> str:
    shutil.rmtree(desk.folder / "more", ignore_errors=True)
    told(desk, "more")
    return "remove more/"


def open_one(desk: Desk, rng: random.Random) -> str:
    name = rng.choice([name for name in OPENED if name not in desk.opened()] or list(OPENED))
    path = desk.folder / name
    text = path.read_text(encoding="utf-8") if path.is_file() else rng.choice(TEXTS[name])
    desk.open(name, text)
    return f"open {name}: {text!r}"


def close_one(desk: Desk, rng: random.Random) -> str:
    opened = desk.opened()
    if not opened:
        return open_one(desk, rng)
    name = rng.choice(opened)
    desk.close(name)
    return f"close {name}"


def type_something(desk: Desk, rng: random.Random) -> str:
    opened = desk.opened()
    if not opened:
        return open_one(desk, rng)
    name = rng.choice(opened)
    old, new = desk.text(name), rng.choice(TEXTS[name])
    if rng.random() < 0.5:
        words = [
            word
            for word in ("local", "cloud", "spare", "cases.yaml", "judge.md", "anwser", "word", "wrod", "say.txt")
            if word in old
        ]
        if words:
            word = rng.choice(words)
            at = old.index(word)
            edit = Edit(
                Span(at, at + len(word)),
                rng.choice(("local", "cloud", "spare", "nobody", "more/cases.yaml", "answer", "wrod")),
            )
            desk.type(name, edit)
            return f"type in {name}: {edit}"
    desk.type(name, Edit(Span(0, len(old)), new))
    return f"type {name}: {new!r}"


def settings(desk: Desk, rng: random.Random) -> str:
    wanted = rng.choice([{}, {"checkWorkspace": False}, {"dialect": "agentv-2.7"}])
    lifecycle.configure(desk.server, {"rubric": wanted})
    return f"settings {wanted}"


STEPS: tuple[Callable[[Desk, random.Random], str], ...] = (
    write, write, write, remove, remove_folder, open_one, open_one, close_one, type_something, type_something, type_something, settings,
)  # fmt: skip


async def compare(folder: Path, seed: int, steps: int) -> None:
    rng = random.Random(seed)
    desk = Desk(folder)
    if seed % 2:  # of closed files, the analyses are let go of at once
        desk.server.documents.closed_files = AnalysisCache(0)
    done: list[str] = []
    for name, texts in TEXTS.items():
        if rng.random() < 0.8:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(texts[0], encoding="utf-8")
    for _ in range(steps):
        for _ in range(rng.choice((1, 1, 1, 3))):
            done.append(rng.choice(STEPS)(desk, rng))
            if rng.random() < 0.3:
                await desk.settle()
        fresh = Desk(folder)
        fresh.server.documents.settings = desk.server.documents.settings
        for snapshot in desk.server.documents.all():
            fresh.open(str(snapshot.path.relative_to(folder)) if snapshot.path else "", snapshot.document.text)
        assert await desk.says() == await fresh.says(), "\n".join(done)
        await fresh.server.closed()
    await desk.server.closed()


@pytest.mark.parametrize("seed", seeds(12, few=5))
def test_every_file_is_said_of_what_a_new_server_says(tmp_path: Path, seed: int) -> None:
    asyncio.run(compare(tmp_path, seed, 12))


def test_an_open_document_is_checked_before_those_that_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(tmp_path)
    for name in ("a.eval.yaml", "b.eval.yaml"):
        (tmp_path / name).write_text(OWN, encoding="utf-8")
    monkeypatch.setattr(workspace_check, "_IDLE", 0.0)
    published: list[str] = []
    monkeypatch.setattr(desk.server.protocol, "tell", lambda _, what: published.append(what["uri"]))

    async def opened() -> None:
        desk.open("b.eval.yaml", OWN)
        while len(published) < 2:
            await asyncio.sleep(0.01)
        await desk.server.closed()

    asyncio.run(asyncio.wait_for(opened(), 20))
    assert published == [desk.uri("b.eval.yaml"), desk.uri("a.eval.yaml")]


def test_a_client_that_asks_is_answered_when_nothing_more_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)
    for name in ("a.eval.yaml", "b.eval.yaml"):
        (tmp_path / name).write_text(OWN, encoding="utf-8")
    monkeypatch.setattr(workspace_check, "_IDLE", 1.0)
    looks: list[bool] = []
    reports = desk.server.workspace_check.reports

    def counted(*, opened: bool = True) -> Any:
        looks.append(opened)
        return reports(opened=opened)

    monkeypatch.setattr(desk.server.workspace_check, "reports", counted)

    async def asked() -> Any:
        pull = desk.server.pull.workspace
        has = {each["uri"]: each["resultId"] for each in (await pull({}, None, None))["items"]}
        waiting = asyncio.get_running_loop().create_task(pull(has, None, None))
        await asyncio.sleep(0.02)
        for text in ("tests: 1\n", "tests: 2\n", OWN.replace("expectd", "expected")):
            (tmp_path / "b.eval.yaml").write_text(text, encoding="utf-8")
            told(desk, "b.eval.yaml")
            await asyncio.sleep(0.02)
        answer = await waiting
        await desk.server.closed()
        return answer

    answer = asyncio.run(asyncio.wait_for(asked(), 20))
    assert [each["uri"] for each in answer["items"]] == [desk.uri("b.eval.yaml")]
    assert looks.count(True) == 3, "the first request, the beginning of the second, and once when all is written"


@pytest.mark.parametrize(
    ("name", "text"), [("data.txt", " \n"), ("judge.md", "Rate {{ anwser }}\n")], ids=["data", "prompt"]
)
def test_what_a_client_does_not_tell_is_noticed_at_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    desk = Desk(tmp_path)
    for each, texts in TEXTS.items():
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text(texts[0], encoding="utf-8")
    monkeypatch.setattr(workspace_check, "_IDLE", 0.0)
    said: dict[str, Any] = {}
    monkeypatch.setattr(
        desk.server.protocol, "tell", lambda _, what: said.update({what["uri"]: what["diagnostics"].items})
    )
    desk.server.workspace_check.unwatched = True

    async def looks() -> dict[str, Any]:
        desk.server.workspace_check.changed(publishing=True)
        while True:
            before = dict(said)
            await asyncio.sleep(0.3)
            if said == before:
                return before

    async def changed() -> tuple[dict[str, Any], dict[str, Any]]:
        first = await looks()
        (tmp_path / name).write_text(text, encoding="utf-8")
        second = await looks()
        await desk.server.closed()
        return first, second

    first, second = asyncio.run(asyncio.wait_for(changed(), 30))
    fresh = Desk(tmp_path)
    assert first != second
    assert {uri: items for uri, items in second.items() if items} == {
        uri: items for uri, items in asyncio.run(fresh.says()).items() if uri.startswith("file:") and items
    }
