"""Results and recordings that somebody else wrote: other suites, other times, huge numbers, markup and escapes in every text."""

import json
import random
import re
import sqlite3
import time
import zlib
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from client import VSCODE, Client

from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.signatures import digest_of, signature_of

from .processes import rubric, sound, suite_folder
from .tally import Setting, Tally

__all__ = ["run"]

_SUITE = """\
name: s
tests:
  - {id: a, input: hi, criteria: x, assertions: [{type: contains, value: hello}]}
  - {id: b, input: hi, criteria: x, assertions: [{type: contains, value: nothing}]}
  - {id: c, input: hi, criteria: x, assertions: [{type: rubrics, criteria: [{id: r, outcome: Says hello, required: true}]}]}
"""
_REPLY = '{"score": 1, "checks": [{"id": "r", "satisfied": true, "reasoning": "r"}], "overall_reasoning": "r"}'
_TARGETS: tuple[dict[str, object], ...] = (
    {"name": "default", "provider": "mock", "response": "hello", "grader_target": "judge"},
    {"name": "judge", "provider": "mock", "response": _REPLY},
)
_TEXTS = (
    "![x](http://127.0.0.1:9/pixel)", "[run](command:workbench.action.terminal.new)", "<img src=x onerror=alert(1)>", "\x1b[2J\x1b]0;title\x07", "\u202eright\u2066", "x" * 300_000, "\ud800", "```\n# no code\n",
    "::error file=x,line=1::injected", "", "../../../../etc/passwd", "9999-99-99T99:99:99+99:99", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00-23:59", "\x00", "passed", "another.eval.yaml",
)  # fmt: skip
_NUMBERS = (1e308, -1e308, float("inf"), float("nan"), 10**400, -1, 0, 2**63, 1e-320, True)
_OTHERS: tuple[Any, ...] = (None, [], {}, [[[]]], {"a": {"a": {}}})
#: A link, a picture or a tag that nothing keeps from being one.
_RENDERED = re.compile(r"(?<!\\)\]\((?:command|http)|(?<!\\)<img")
#: What any program may have said; the rest makes a stored result one of the case.
_SAID = frozenset({"answer", "hits", "misses", "reason", "reasoning", "content", "target", "model"})
#: Seconds within which results that hold are shown; of others there is nothing to wait for.
_TAKEN_IN = 2.0
_COLUMNS = (
    "results.verdict", "results.score", "results.at", "results.duration_ms", "results.fingerprint", "results.grader_errors", "results.run",
    "cases.id", "cases.target", "cases.file", "files.path", "runs.id", "runs.state", "runs.command", "runs.started_at", "scores.path",
)  # fmt: skip
#: What a signature covers, behind the digest and the content.
_COVERED = """\
    SELECT r.digest, d.content, f.path, c.id, c.target, r.number, r.run, r.verdict, r.score, r.at, r.fingerprint, r.test_fingerprint,
      r.grader_errors
    FROM results r JOIN details d ON d.result = r.number JOIN cases c ON c.number = r.case_number JOIN files f ON f.number = c.suite"""
_COMMANDS = (("run", "--resume"), ("run", "--failed"), ("run", "--replay"), ("check",), ("run",))


def run(setting: Setting, tally: Tally) -> None:
    """Forge, run, show."""
    rng = setting.random("forged")
    folder = suite_folder(setting.folder, _SUITE, *_TARGETS)
    suite, recordings = folder / "s.eval.yaml", folder / "s.recordings.yaml"
    sound(tally, "a run", rubric(folder, "run", "--record", "s.eval.yaml"))
    good, recorded = ResultDatabase.of(suite).path.read_bytes(), recordings.read_text(encoding="utf-8")
    client = Client(cwd=folder, state=folder / ".state")
    try:
        client.initialize(VSCODE, folder)
        for number in range(setting.of(6, 12)):
            share = rng.choice((0.02, 0.2, 1.0))
            # What holds is shown, so every other time only texts are forged.
            text = _store_forged(suite, good, rng, None if number % 2 else share)
            _shown(client, suite, tally, text)
            recordings.write_text(_forged_lines(recorded, rng, share), encoding="utf-8", errors="surrogatepass")
            command = _COMMANDS[number % len(_COMMANDS)]
            ended = rubric(folder, *command, "s.eval.yaml")
            sound(tally, f"{' '.join(command)} with forged results", ended)
            tally.expect(ended.code in (0, 1, 2, 3), f"{command}: exit {ended.code}: {ended.said[-300:]}", text=text)
            recordings.write_text(recorded, encoding="utf-8")
            _mended(folder, suite, tally, text)
            tally.count("forgeries")
    finally:
        client.close()
    tally.expect(tally.counts["markup shown as text"], "nothing that was forged is ever shown")
    tally.expect("Traceback" not in client.log, f"the server's log: {client.log[-600:]}")


def _store_forged(suite: Path, good: bytes, rng: random.Random, share: float | None) -> str:
    """The good database with other results in it; without a share, with other texts alone. What they are."""
    path, texts = ResultDatabase.of(suite).path, []
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    draft = path.with_name("forged.db")
    draft.write_bytes(good)
    with closing(sqlite3.connect(draft)) as connection, connection:
        # Later than anything that was run, so that an editor takes it for news.
        later = datetime.now(tz=timezone.utc) + timedelta(days=1)
        connection.execute("UPDATE results SET at = ?", (later.isoformat(timespec="seconds"),))
        for number, packed in connection.execute("SELECT result, content FROM details").fetchall():
            result = json.loads(packed if packed[:1] == b"{" else zlib.decompress(packed))
            text = json.dumps(_marked_up(result, rng) if share is None else _forged(result, rng, share))
            connection.execute("UPDATE details SET content = ? WHERE result = ?", (text.encode(), number))
            texts.append(text)
        if share is None:
            _sign(connection, (suite.parent / ".state/rubric/cache.key").read_bytes())
        for column in _COLUMNS if share is not None else ():
            if rng.random() < share:
                table, name = column.split(".")
                value = rng.choice(
                    (
                        *(each.encode("utf-8", "replace").decode() for each in _TEXTS),
                        1e308,
                        float("inf"),
                        -1,
                        0,
                        b"\xff",
                        1e-320,
                    )
                )
                connection.execute(f"UPDATE OR IGNORE {table} SET {name} = ?", (value,))
                texts.append(f"{column} = {value!r:.200}")
    for end in ("-wal", "-shm"):
        draft.with_name(draft.name + end).unlink(missing_ok=True)
    draft.replace(path)
    return "\n".join(texts)


def _sign(connection: sqlite3.Connection, key: bytes) -> None:
    """Sign what stands there with the user's key, as if a program had said it: what is not signed is shown as foreign, without marks."""
    for digest, content, *covered in connection.execute(_COVERED).fetchall():
        signed = digest_of(content) + digest[len(digest_of(content)) :]
        signature = signature_of(key, "result", (*covered, signed))
        connection.execute(
            "UPDATE results SET digest = ?, signature = ? WHERE number = ?", (signed, signature, covered[3])
        )


def _mended(folder: Path, suite: Path, tally: Tally, text: str) -> None:
    """Whatever stood there, a run shows and keeps what it found itself."""
    ended = rubric(folder, "run", "s.eval.yaml")
    sound(tally, "a run over forged results", ended)
    tally.expect(
        "2 passed" in ended.out and "1 failed" in ended.out, f"a forged result: {ended.said[-300:]}", text=text
    )
    with tally.no_exception("the results behind a forged one", text=text):
        cases = ResultDatabase.of(suite).latest(suite)
        verdicts = {name: cases[name].result.verdict.value for name in "abc"}
        tally.expect(verdicts == {"a": "passed", "b": "failed", "c": "passed"}, f"kept: {verdicts}", text=text)


def _shown(client: Client, suite: Path, tally: Tally, text: str) -> None:
    """What an editor shows of forged results is text, and every question gets an answer."""
    uri = suite.as_uri()
    client.notify(
        "workspace/didChangeWatchedFiles", {"changes": [{"uri": ResultDatabase.of(suite).path.as_uri(), "type": 2}]}
    )
    client.open(uri, _SUITE)
    client.diagnostics(uri)
    end = time.monotonic() + _TAKEN_IN
    while time.monotonic() < end and not client.answer(client.start(*_hints(uri)), 120).get("result"):
        time.sleep(0.05)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    document = {"textDocument": {"uri": uri}}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("textDocument/codeLens", document), _hints(uri), ("textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}}),
        *(("textDocument/hover", {**document, "position": {"line": line, "character": 10}}) for line in range(2, 5)),
    ]  # fmt: skip
    for method, parameters in asked:
        with tally.no_exception(f"{method} with forged results", text=text):
            given = client.answer(client.start(method, parameters), 120)
            tally.expect("error" not in given, f"{method} with forged results: {given}"[:600], text=text)
            answer = json.dumps(given, ensure_ascii=False)
            tally.expect("\\u001b" not in answer and "\u202e" not in answer, f"{method} shows what acts", text=text)
            if method.endswith("hover"):
                tally.count("markup shown as text", any(each in answer for each in ("pixel", "onerror", "workbench")))
                found = _RENDERED.search(answer)
                tally.expect(
                    found is None, f"{method} renders {found and answer[found.start() - 60 :][:160]}", text=text
                )
    client.notify("textDocument/didClose", document)


def _hints(uri: str) -> tuple[str, dict[str, Any]]:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    return "textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole}


def _marked_up(value: Any, rng: random.Random, key: str = "") -> Any:
    """The same with other answers and reasons."""
    if isinstance(value, dict):
        return {name: _marked_up(each, rng, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_marked_up(each, rng, key) for each in value]
    return rng.choice(_TEXTS) if isinstance(value, str) and key in _SAID else value


def _forged(value: Any, rng: random.Random, share: float) -> Any:
    """The same with a share of its texts and numbers, and now and then a whole part, in other forms."""
    if rng.random() < share / 30:
        return rng.choice(_OTHERS)
    if isinstance(value, dict):
        return {
            rng.choice(_TEXTS) if rng.random() < share / 10 else key: _forged(each, rng, share)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_forged(each, rng, share) for each in value] * rng.choice((1, 1, 1, 2))
    if rng.random() >= share:
        return value
    if isinstance(value, str):
        return rng.choice(_TEXTS)
    return rng.choice(_NUMBERS)


def _forged_lines(text: str, rng: random.Random, share: float) -> str:
    """Recordings with a share of their values in other forms."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        key, sign, _ = line.partition(": ")
        if sign and rng.random() < share / 3:
            lines[number] = f"{key}: {json.dumps(rng.choice((*_TEXTS, *_NUMBERS, *_OTHERS)))}"
    return "\n".join(lines) + "\n"
