"""Damaged results in `.rubric/results.db` break nothing that an editor shows: hovers, hints, lenses, actions, the test tree, reports."""

import json
import random
import sqlite3
import zlib
from contextlib import closing, suppress
from pathlib import Path

from client import VSCODE, Client, Connect, ServerError, until
from damage import damaged
from everywhere import Direct, assert_quiet
from running import ended, hints, kept, outcomes, run, store, written
from thorough import seeds

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_lsp.protocol.transport import encoded

SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: canned
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    assertions:
      - type: contains
        value: 30 days
  - id: late
    criteria: Apologises
    input: My order is late.
    assertions:
      - type: contains
        value: sorry
      - type: composite
        aggregator: {type: weighted_average}
        assertions:
          - {name: one, type: contains, value: hello}
          - {name: two, type: contains, value: sorry}
  - id: judged
    criteria: Stays polite
    input: Hello
    assertions:
      - type: rubrics
        criteria:
          - {id: tone, outcome: Stays polite, required: true}
"""
TARGETS = """\
targets:
  - {name: canned, provider: mock, response: We are sorry. You have 30 days., grader_target: judge}
  - name: judge
    provider: mock
    response: '{"score": 1, "checks": [{"id": "tone", "satisfied": true, "reasoning": "r"}], "overall_reasoning": "r"}'
"""
PLAIN = "# rubric: dialect=agentv-3\ntests:\n" + "".join(
    f"  - id: c{n}\n    criteria: x\n    input: hi\n    assertions: [{{type: contains, value: hi}}]\n"
    for n in range(30)
)
COMMANDS = ("openReport", "openAnswer", "openReply", "openTrace", "diffAnswer", "openPrompt", "copyCommand")
FILES = len(seeds(40, few=15))
COLUMNS = (
    "results.verdict", "results.score", "results.at", "results.duration_ms", "results.fingerprint", "results.grader_errors", "cases.id",
    "cases.target", "cases.suite", "cases.file", "details.content", "files.path", "runs.state", "runs.id",
)  # fmt: skip


def whole_database(path: Path, copy: Path) -> bytes:
    """A database including the content of its log, which is separate until the last connection is closed."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy.read_bytes()


def test_nothing_that_is_shown_breaks(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "suites", {"a.eval.yaml": SUITE, ".agentv/targets.yaml": TARGETS})
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    run(client, uri)
    ended(client)
    until("results", lambda: kept(folder / "a.eval.yaml"))
    good = whole_database(folder / ".rubric" / "results.db", tmp_path / "good.db")
    assert set(ResultDatabase.of(folder / "a.eval.yaml").latest(folder / "a.eval.yaml")) == {"refund", "late", "judged"}
    whole = asked(client, uri)
    assert whole["hover"] > len(SUITE.splitlines()) // 3
    assert whole["hints"] >= 3
    assert whole["reports"] == 3

    rng, shown = random.Random(14), 0
    for number in range(FILES):
        path = folder / str(number) / "a.eval.yaml"
        path.parent.joinpath(".git").mkdir(parents=True)
        path.write_text(SUITE, encoding="utf-8")
        data = damage(good, rng, path.parent / ".rubric" / "results.db")
        client.open(path.as_uri(), SUITE)
        client.diagnostics(path.as_uri())
        until("a look at the results", lambda: client.request("rubric/discoverTests", {}) or True)
        try:
            found = asked(client, path.as_uri())
            assert_quiet(client)
        except (AssertionError, ServerError) as error:
            raise AssertionError(f"{error}\n{client.log}\n{data}") from None
        assert found["hover"] >= whole["hover"] - 3
        shown += found["hints"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    assert shown > FILES  # most of them are damaged in one case alone
    assert outcomes(client, uri) is not None


def damage(good: bytes, rng: random.Random, path: Path) -> str:
    """A database with something in it that is not as it was; what that is."""
    path.parent.mkdir()
    path.write_bytes(good)
    way = rng.choice(("bytes", "value", "value", "whole result", "whole result"))
    if way == "bytes":
        data = bytearray(good)
        at = rng.randrange(len(data))
        data[at : at + 50] = rng.randbytes(50)
        path.write_bytes(data)
        return f"bytes at {at}"
    with closing(sqlite3.connect(path)) as connection, connection:
        if way == "value":
            column, value = rng.choice(COLUMNS), rng.choice((0, -1, 1e308, "", "x", "[" * 5_000, b"\xff", "\x1b[2J\n"))
            connection.execute(f"UPDATE OR IGNORE {column.replace('.', ' SET ')} = ?", (value,))
            return f"{column} = {value!r}"
        number, packed = rng.choice(connection.execute("SELECT result, content FROM details").fetchall())
        whole = json.loads(packed if packed[:1] == b"{" else zlib.decompress(packed))
        text = damaged(json.dumps({"version": 1, "cases": {"a": {"latest": whole, "history": []}}}), rng)
        connection.execute("UPDATE details SET content = ? WHERE result = ?", (_latest(text), number))
        return text[:3_000].decode(errors="replace")


def _latest(text: bytes) -> bytes:
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        return json.dumps(json.loads(text)["cases"]["a"]["latest"]).encode()
    return text


def asked(client: Client, uri: str) -> dict[str, int]:
    """Ask everything that shows results; how many hovers and hints there were."""
    document = {"textDocument": {"uri": uri}}
    client.request("textDocument/codeLens", document)
    hovers = reports = 0
    for line, text in enumerate(SUITE.splitlines()):
        start = len(text) - len(text.lstrip(" -"))
        hovers += bool(client.at("hover", uri, line, start))
        place = {"line": line, "character": start}
        client.request(
            "textDocument/codeAction",
            {**document, "range": {"start": place, "end": place}, "context": {"diagnostics": []}},
        )
    for name in ("refund", "late", "judged"):
        for command in COMMANDS:
            params = {"command": f"rubric.{command}", "arguments": [uri, name]}
            error = client.answer(client.start("workspace/executeCommand", params)).get("error")
            # There is no such answer, reply or recording: said, and nothing more.
            assert error is None or error["code"] in (-32602, -32803), (command, error)
        reports += client.request("rubric/report", {"testId": f"{uri}::{name}"}) is not None
    client.request("textDocument/documentSymbol", document)
    client.request("rubric/suite", document)
    client.request("workspace/diagnostic", {"previousResultIds": []})
    return {"hover": hovers, "hints": len(hints(client, uri)), "reports": reports}


def test_a_result_is_read_when_its_case_is_shown(tmp_path: Path) -> None:
    folder = written(tmp_path, {"a.eval.yaml": PLAIN})
    path = folder / "a.eval.yaml"
    contains = EvaluatorResult(name="contains-hi", type="contains", verdict=Verdict.PASSED, score=1.0)
    rows = [CaseResult(id=f"c{n}", verdict=Verdict.PASSED, score=1.0, evaluators=(contains,)) for n in range(30)]
    store(path, *rows)
    server = Direct()
    try:
        server.initialize(VSCODE)
        server.open(path.as_uri(), PLAIN, 0)
        record = server.server.known.record
        server.loop.run_until_complete(record.load(path.as_uri(), path))
        document = {"textDocument": {"uri": path.as_uri()}}
        assert encoded(server.answer(server.start("textDocument/codeLens", document))).count(b'"Report"') == 30
        server.answer(server.start("textDocument/diagnostic", document))
        last = record.last(path.as_uri())
        assert len(last) == 30
        assert not any(known.is_read for known in last.values())
        line = PLAIN.splitlines().index("  - id: c7")
        params = {**document, "position": {"line": line, "character": 9}}
        assert server.answer(server.start("textDocument/hover", params))["result"]
        assert [name for name, known in last.items() if known.is_read] == ["c7"]
    finally:
        server.end()


def test_a_person_is_told_once_that_a_damaged_store_was_set_aside(connect: Connect, tmp_path: Path) -> None:
    """It is not only in the log of the server, which nobody reads."""
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": SUITE})
    store = ResultDatabase.of(folder / "a.eval.yaml").path
    store.parent.mkdir()
    store.write_bytes(b"no database at all" * 100)
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    for count in (1, 2):
        run(client, uri, "refund")
        ended(client, count)
        until("it is set aside", lambda: any(".damaged-" in each.name for each in store.parent.iterdir()))
        until("stored results", lambda count=count: kept(folder / "a.eval.yaml", count))
    said = [each["message"] for each in client.heard("window/showMessage") if "they are now" in each["message"]]
    (aside,) = [each.name for each in store.parent.iterdir() if ".damaged-" in each.name]
    assert said == [f"rubric: the stored results were damaged: they are now {aside}, and new ones were begun"]
