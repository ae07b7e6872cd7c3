"""Publishing while a person types: certain findings at once, the others after a pause."""

import time
from pathlib import Path
from typing import Any

from client import VSCODE, Client, Connect, place, until

URI = "file:///suites/a.eval.yaml"
CASE = "name: a\ntests:\n  - id: a\n    criteria: Greets\n    input: Hi\n"
PULLS: dict[str, Any] = {
    **VSCODE,
    "workspace": {**VSCODE["workspace"], "diagnostics": {"refreshSupport": True}},
    "textDocument": {**VSCODE["textDocument"], "diagnostic": {}},
}
#: Seconds for which something may wait, and by how much a clock may be wrong.
PAUSE, TICK = 0.4, 0.02


class Typist:
    """Types into one document, letter by letter."""

    def __init__(self, client: Client, text: str, uri: str = URI) -> None:
        self.client, self.text, self.uri = client, text, uri
        client.open(uri, text)
        client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    def type(self, keys: str, at: int | None = None) -> None:
        at = len(self.text) if at is None else at
        for number, key in enumerate(keys):
            where = place(self.text, at + number)
            self.client.change(self.uri, {"range": {"start": where, "end": where}, "text": key})
            self.text = self.text[: at + number] + key + self.text[at + number :]


def sent(client: Client, uri: str = URI) -> list[tuple[int | None, list[str]]]:
    """The publications for a document in their order: version and codes."""
    return [(p.get("version"), [d["code"] for d in p["diagnostics"]]) for p in reversed(list(client.published(uri)))]


def test_a_half_written_word_is_said_behind_a_pause_for_the_same_version(client: Client) -> None:
    typist = Typist(client, CASE)
    client.diagnostics(URI)
    typist.type("    expect")
    begun = time.monotonic()
    assert client.diagnostics(URI) == []
    version = client.versions[URI]
    until("the rest", lambda: sent(client)[-1] == (version, ["syntax-error"]))
    assert time.monotonic() - begun > PAUSE / 2
    assert sent(client)[-2] == (version, [])


def test_what_waits_for_nothing_is_sent_once(client: Client) -> None:
    typist = Typist(client, CASE)
    client.diagnostics(URI)
    typist.type("    metadata: {a: 1}")
    client.diagnostics(URI)
    time.sleep(PAUSE + 0.1)
    assert [v for v, _ in sent(client)].count(client.versions[URI]) == 1


def test_what_does_not_touch_the_word_is_sent_at_once(client: Client) -> None:
    typist = Typist(client, CASE)
    client.diagnostics(URI)
    typist.type("    metadata: 5\n    expect")
    assert [d["code"] for d in client.diagnostics(URI)] == ["wrong-type"]


def test_an_edit_elsewhere_says_the_rest(client: Client) -> None:
    typist = Typist(client, f"# note\n{CASE}")
    client.diagnostics(URI)
    typist.type("    expect")
    client.diagnostics(URI)
    typist.type("s", len("# note"))
    assert [d["code"] for d in client.diagnostics(URI)] == ["syntax-error"]


def test_saving_says_the_rest(client: Client) -> None:
    typist = Typist(client, CASE)
    client.diagnostics(URI)
    typist.type("    expect")
    assert [d["code"] for d in client.saved(URI)] == ["syntax-error"]


def test_nothing_is_said_of_a_document_that_was_closed_meanwhile(client: Client) -> None:
    typist = Typist(client, CASE)
    client.diagnostics(URI)
    typist.type("    expect")
    client.diagnostics(URI)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    time.sleep(PAUSE + 0.1)
    client.request("workspace/symbol", {"query": ""})
    assert not any(codes for _, codes in sent(client))


def test_a_document_that_is_opened_again_says_everything(client: Client) -> None:
    typist = Typist(client, CASE)
    typist.type("    expect")
    client.diagnostics(URI)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.open(URI, typist.text, version=50)
    assert [d["code"] for d in client.diagnostics(URI)] == ["syntax-error"]


def test_an_undo_takes_what_waits_with_it(client: Client) -> None:
    typist = Typist(client, CASE)
    client.diagnostics(URI)
    typist.type("    expect")
    start, end = place(typist.text, len(CASE)), place(typist.text, len(typist.text))
    client.change(URI, {"range": {"start": start, "end": end}, "text": ""})
    client.diagnostics(URI)
    time.sleep(PAUSE + 0.1)
    client.request("workspace/symbol", {"query": ""})
    assert not any(codes for _, codes in sent(client))


def test_two_documents_wait_each_for_itself(client: Client) -> None:
    other = "file:///suites/b.eval.yaml"
    first, second = Typist(client, CASE), Typist(client, CASE, other)
    first.type("    expect")
    second.type("    expect")
    for uri in (URI, other):
        until(f"the rest of {uri}", lambda uri=uri: sent(client, uri)[-1] == (client.versions[uri], ["syntax-error"]))


def test_a_suite_waits_for_its_targets(connect: Connect, tmp_path: Path) -> None:
    targets = tmp_path / ".agentv" / "targets.yaml"
    targets.parent.mkdir()
    written = "targets:\n  - name: local\n    provider: mock\n"
    targets.write_text(written, encoding="utf-8")
    client = connect()
    client.initialize(folder=tmp_path)
    suite = (tmp_path / "a.eval.yaml").as_uri()
    client.open(suite, f"execution:\n  target: local\n{CASE}")
    typist = Typist(client, written, targets.as_uri())
    client.diagnostics(targets.as_uri())
    at = written.index("local") + len("local")
    typist.type("ly", at)
    until("the suite", lambda: sent(client, suite)[-1:] and sent(client, suite)[-1][1] == ["unknown-target"])
    messages = [d["message"] for p in client.published(suite) for d in p["diagnostics"]]
    assert not any("`locall`" in message for message in messages)


# -- clients that ask ---------------------------------------------------------------------------------------------------


def pulled(client: Client, known: dict[str, Any] | None = None) -> dict[str, Any]:
    more = {"previousResultId": known["resultId"]} if known else {}
    found: dict[str, Any] = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}, **more})
    return found


def codes(report: dict[str, Any]) -> list[str]:
    return [d["code"] for d in report["items"]]


def test_a_client_that_asks_behind_each_edit_is_told_to_ask_again(connect: Connect) -> None:
    client = connect()
    client.initialize(PULLS)
    typist = Typist(client, CASE)
    first = pulled(client)
    typist.type("    expect")
    refreshes = lambda: sum(method == "workspace/diagnostic/refresh" for method, _ in client.requests)  # noqa: E731
    before = refreshes()
    begun = time.monotonic()
    report = pulled(client, first)
    quick = time.monotonic() - begun < PAUSE / 2
    if quick:  # on a loaded machine the pause may be over, or nearly
        assert report["kind"] == "unchanged"
        until("it is told", lambda: refreshes() > before)
    else:
        until("the end of the pause", lambda: pulled(client, first)["kind"] == "full")
    time.sleep(TICK)
    assert codes(pulled(client, first)) == ["syntax-error"]


def test_a_client_that_has_nothing_yet_gets_everything(connect: Connect) -> None:
    client = connect()
    client.initialize(PULLS)
    typist = Typist(client, CASE)
    first = pulled(client)
    typist.type("    expect")
    assert codes(pulled(client)) == ["syntax-error"]
    report = pulled(client, first)
    assert codes(report) == ["syntax-error"], "and nothing is taken back"


def test_a_client_that_cannot_be_told_gets_everything(client: Client) -> None:
    typist = Typist(client, CASE)
    first = pulled(client)
    typist.type("    expect")
    assert codes(pulled(client, first)) == ["syntax-error"]
