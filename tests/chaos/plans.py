"""What a run does is what its plan showed: every setting of the catalogue with a hostile value, in both families.

Each suite is usual first, then one setting becomes another program, directory, host, file, variable, function or code. A run that
may do what is usual does nothing of that, and one that may do what the hostile plan shows does nothing else: neither this process,
nor the programs that it starts, nor the requests that a server gets. What is new asks, however the run is started.
"""

import json
import os
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from client import VSCODE, Client

from .hostile_settings import HostileSetting, hostile_settings
from .tally import Setting, Tally

__all__ = ["run"]

_PROGRAM = """\
#!/bin/sh
{ printf 'RAN %s\\nIN %s\\n' "$0" "$PWD"; env | sed 's/^/ENV /'; while IFS= read -r line; do printf 'STDIN %s\\n' "$line"; done; printf '\\036'; } > LOG.$$
cat LOG.$$ >> LOG  # at once: others write as well
echo '{"score": 1, "pass": true, "reason": "ok", "output": "ok"}'
"""
_NAMES = ("prog", "good", "sh", "git", "node", "python3", "claude", "codex", "copilot")
_MODULE = "open('LOG', 'a').write('MARK')\ndef act(*_): return 'ok'\ncall_api = get_var = prompt = get_assert = get_transform = act\n"
_SCRIPT = "require('fs').appendFileSync('LOG', 'MARK'); module.exports = () => 'ok'\n"
#: Variables that every program has, or that rubric sets.
_OF_PROGRAMS = ("SECRET_", "PWD=", "OLDPWD=", "RUBRIC_PROGRAM=", "AGENTV_WORKSPACE_PATH=", "_=")
#: Seconds for one suite.
_PATIENCE = 60.0
_SECONDS = 45.0


def run(setting: Setting, tally: Tally) -> None:
    """Run a random choice of all hostile settings."""
    chance = setting.random("plans")
    every = list(hostile_settings(chance, 1))
    tally.count("settings", len(every))
    # Of each kind of place some, as there are many more of the large ones.
    chosen = _spread(every)[: setting.of(40, 5_000)]
    end = time.monotonic() + (_PATIENCE if setting.short else _SECONDS)
    acting: list[tuple[HostileSetting, str]] = []
    with _held_runs(setting.folder) as place:
        for number, each in enumerate(chosen):
            if time.monotonic() > end:
                break
            mark = f"n{number}x"
            answer = place.answer(each, mark)
            tally.count("suites")
            if answer is None or "error" in answer:
                tally.fault(f"{each.name}: the process ended", answer=answer, files=each.hostile)
                break
            done = _judge(each, mark, answer, place, tally)
            if done & {"programs", "code"}:
                acting.append((each, mark))
        asked: dict[str, tuple[HostileSetting, str]] = {}
        for each, mark in acting:
            asked.setdefault(each.suite, (each, mark))
        for each, mark in list(asked.values())[: setting.of(0, 1)]:
            _ask_everywhere(each, mark, place, tally)
    # Whoever hears nothing finds nothing.
    missing = [what for what in ("programs", "requests", "variables", "files", "code") if not tally.counts[what]]
    tally.expect(not missing or setting.short, f"no {' and no '.join(missing)} seen at all")


def _spread(every: Sequence[HostileSetting]) -> list[HostileSetting]:
    """One of each kind of place, then another of each, and so on."""
    kinds: dict[str, list[HostileSetting]] = {}
    for each in every:
        kinds.setdefault(each.name.partition(",")[0], []).append(each)
    rounds = max(map(len, kinds.values()), default=0)
    return [several[number] for number in range(rounds) for several in kinds.values() if number < len(several)]


class _Place:
    """A process that runs suites, see `held_run`, and the folders that it uses."""

    def __init__(self, folder: Path, process: "subprocess.Popen[str]", url: str, variables: Mapping[str, str]) -> None:
        self.folder, self.url, self.variables = folder, url, variables
        self.log = folder / "log"
        self._process = process
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line)

    def outside(self, mark: str) -> Path:
        """The directory outside that a hostile suite names."""
        return self.folder / "out" / mark

    def answer(self, setting: HostileSetting, mark: str) -> Mapping[str, Any] | None:
        """What a suite did; None if the process has ended."""
        root, outside = self.folder / "repositories" / mark, self.outside(mark)
        for directory in (root, outside):
            directory.mkdir(parents=True)
        for path in (*(outside / name for name in _NAMES), root / f"prog-{mark}.sh"):
            os.link(self.folder / "bin/good", path)
        (outside / "file.txt").write_text(f"canary-{mark}", encoding="utf-8")
        for name, text in ((f"mod_{mark}.py", _MODULE), (f"mod_{mark}.js", _SCRIPT)):
            (root / name).write_text(text.replace("LOG", str(self.log)).replace("MARK", mark), encoding="utf-8")
        files = [self._all_filled(each, mark) for each in (setting.usual, setting.hostile)]
        job = {"mark": mark, "folder": str(root), "suite": setting.suite, "usual": files[0], "hostile": files[1]}
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            found: Mapping[str, Any] = json.loads(self._answers.get(timeout=_PATIENCE))
        except (OSError, queue.Empty):
            return None
        return found

    def write(self, root: Path, files: Mapping[str, str], mark: str) -> None:
        """Write the files of a suite."""
        for name, text in self._all_filled(files, mark).items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

    def _all_filled(self, files: Mapping[str, str], mark: str) -> dict[str, str]:
        return {name: self._filled(text, mark) for name, text in files.items()}

    def _filled(self, text: str, mark: str) -> str:
        for name, value in (("@OUT", self.outside(mark)), ("@MARK", mark), ("@URL", self.url), ("@LOG", self.log)):
            text = text.replace(name, str(value))
        return text


@contextmanager
def _held_runs(folder: Path) -> Iterator[_Place]:
    for name in ("bin", "home", "out", "repositories"):
        (folder / name).mkdir()
    log = folder / "log"
    log.touch()
    for name in ("good", "claude", "codex", "copilot"):
        path = folder / "bin" / name
        path.write_text(_PROGRAM.replace("LOG", str(log)), encoding="utf-8")
        path.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder / "home"), "CHAOS_LOG": str(log), "CHAOS_PORT": str(port),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "chaos.held_run"], cwd=folder, env=variables, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            yield _Place(folder, process, f"http://127.0.0.1:{port}", variables)
        finally:
            process.kill()


def _judge(setting: HostileSetting, mark: str, answer: Mapping[str, Any], place: _Place, tally: Tally) -> set[str]:
    """Compare what was done with what was shown. Gives the kinds of hostile acts."""
    shown = "\n".join(answer["shown"])
    evidence = {"files": setting.hostile, "mark": mark, **answer}
    tally.expect(not answer["unknown"], f"{setting.name}: {answer['unknown']}", **evidence)
    loaded = set(_acts(answer["loaded"], mark, place))
    for kind, what in dict.fromkeys(each for each in _acts(answer["refused"], mark, place) if each not in loaded):
        tally.fault(f"{setting.name}: {kind} {what} although only what is usual was allowed", **evidence)
    done = list(dict.fromkeys(_acts(answer["allowed"], mark, place)))
    for kind, what in done:
        tally.count(kind)
        tally.expect(_is_shown(kind, what, shown), f"{setting.name}: {kind} {what} not shown", **evidence)
    tally.expect(not done or answer["new"], f"{setting.name}: {done} asks nothing", **evidence)
    refused = [each for each in answer["reasons"] if "in the question" in each and "(none)" not in each]
    tally.expect(not refused, f"{setting.name}: what was shown is refused: {refused}", **evidence)
    return {kind for kind, _ in done}


_MCP = """\
import asyncio, sys
from pathlib import Path
from rubric_lsp.mcp.run_tools import RunTools
from rubric_lsp.mcp.served_folder import ServedFolder
asyncio.run(RunTools(ServedFolder(Path(sys.argv[1]))).run_case(sys.argv[2], "*"))
"""
_NOT_ALLOWED = "was not allowed before"
_ASKED = re.compile(f"{_NOT_ALLOWED}|more than you allowed before")


def _ask_everywhere(setting: HostileSetting, mark: str, place: _Place, tally: Tally) -> None:
    """Let a folder remember its usual suite, then add the hostile setting and run it in every way: each asks or refuses."""
    root = place.folder / "repositories" / mark
    state = place.folder / f"state-{mark}"
    variables = {**os.environ, **place.variables, "XDG_STATE_HOME": str(state)}
    variables.pop("PYTHONPATH")

    def ran(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *arguments], cwd=root, env=variables, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )  # fmt: skip
        return done.stdout + done.stderr

    place.write(root, setting.usual, mark)
    said = ran("-m", "rubric_core", "trust", str(root))
    tally.expect("Traceback" not in said, f"{setting.name}: `rubric trust` fails: {said[-300:]}")
    usual = ran("-m", "pytest", "--rubric", "-q", "-p", "no:cacheprovider", setting.suite)
    tally.expect(_NOT_ALLOWED not in usual, f"{setting.name}: pytest refuses what the folder remembers: {usual[-500:]}")
    place.write(root, setting.hostile, mark)
    before = place.log.stat().st_size
    for name, words in (
        ("pytest", ran("-m", "pytest", "--rubric", "-q", "-p", "no:cacheprovider", setting.suite)),
        ("rubric mcp", ran("-c", _MCP, str(root), setting.suite)),
        ("an editor", _asked_by_an_editor(root, setting.suite, state, variables)),
    ):
        tally.count("entry points")
        new = place.log.read_bytes()[before:].decode("utf-8", "replace")
        acts = list(_acts([f"program {each}" for each in new.split("\x1e") if each], mark, place))
        tally.expect(not acts, f"{setting.name}: {name} does {acts} without a question", files=setting.hostile)
        tally.expect(
            _ASKED.search(words), f"{setting.name}: {name} does not ask: {words[-300:]}", files=setting.hostile
        )


def _asked_by_an_editor(root: Path, suite: str, state: Path, variables: Mapping[str, str]) -> str:
    """The questions that an editor is asked when it runs a suite; nobody answers them."""
    questions: list[str] = []
    path = root / suite

    def asked(params: Any) -> Any:
        questions.append(params["message"])

    client = Client(cwd=root, state=state, variables=dict(variables))
    try:
        client.initialize(VSCODE, root)
        client.replies["window/showMessageRequest"] = asked
        client.replies["window/showDocument"] = lambda _: {"success": True}
        client.open(path.as_uri(), path.read_text(encoding="utf-8"))
        client.answer(
            client.start("workspace/executeCommand", {"command": "rubric.runFile", "arguments": [path.as_uri()]})
        )
        end = time.monotonic() + _PATIENCE / 3
        while not questions and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        client.close()
    return " ".join(questions)


def _is_shown(kind: str, what: str, shown: str) -> bool:
    if what in shown or (kind == "variables" and "any variable" in shown):
        return True
    # A directory stands for what is below it.
    return kind == "files" and ("any file" in shown or any(str(each) in shown for each in Path(what).parents[:3]))


def _acts(events: Sequence[str], mark: str, place: _Place) -> Iterator[tuple[str, str]]:
    """What was done that is hostile, by kind, with the word for it that a plan has."""
    outside = str(place.outside(mark))
    for event in events:
        kind, _, text = event.partition(" ")
        if kind == "program":
            yield from _of_program(text, mark, outside)
        elif kind == "request":
            path = text.partition("\x1f")[0].partition("?")[0]
            if mark in path and f"value-{mark}" not in path:
                yield "requests", mark
        elif kind in ("open", "copy") and text.startswith(outside):
            yield "files", text
        elif kind == "connect" and text.strip("b'") not in ("127.0.0.1", "::1", "localhost"):
            yield "hosts", text.strip("b'")
        if kind in ("program", "request"):
            if f"value-{mark}-secret" in text:
                yield "variables", f"SECRET_{mark}"
            if f"canary-{mark}" in text:
                yield "files", f"{outside}/file.txt"


def _of_program(text: str, mark: str, outside: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    ran = next((line[4:] for line in lines if line.startswith("RAN ")), "")
    if not ran and mark in text:
        yield "code", mark
    if ran.startswith(outside):
        yield "programs", outside
    elif f"prog-{mark}.sh" in ran:
        yield "programs", f"prog-{mark}.sh"
    if any(line.startswith(f"IN {outside}") for line in lines):
        yield "directories", outside
    for line in lines:
        name, _, value = line.removeprefix("ENV ").partition("=")
        if line.startswith("ENV ") and mark in line and not line[4:].startswith(_OF_PROGRAMS) and "value-" not in value:
            yield "settings of variables", name
