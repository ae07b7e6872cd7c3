"""Bulk: ten thousand changes, watched files, a suite of 3.7 MB, 20,000 stored results, each answered within its budget of CPU."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from client import VSCODE, Client

from .processes import cpu_seconds, rubric, sound, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]

#: Seconds of CPU that the server may take for each; three times what it is meant to on an idle machine.
_CHANGES, _WATCHED, _OPENING, _RESULTS = 1.5, 1.5, 9.0, 0.9
#: Servers of which the least counts.
_TIMES = 3
_CASE = "  - id: case-{}\n    input: hello number {} and more words to make it long enough\n    criteria: says hello politely\n    assertions:\n      - {{type: contains, value: hello}}\n"


def run(setting: Setting, tally: Tally) -> None:
    """One kind of bulk after the other, each with a server of its own."""
    folder = suite_folder(setting.folder / "bulk", f"name: s\ntests:\n{rows_of_cases(2)}")
    _changed(folder, setting, tally)
    _watched(folder, setting, tally)
    _large(folder, setting, tally)
    _results(setting, tally)


class _Server:
    """A server, and what it costs."""

    def __init__(self, folder: Path) -> None:
        self.client = Client(cwd=folder, state=folder / ".state")
        self.client.initialize(VSCODE, folder)

    def __enter__(self) -> "_Server":  # noqa: PYI034  # `Self` came with Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def answers(self) -> None:
        """Wait until everything before has been dealt with."""
        self.client.answer(self.client.start("workspace/symbol", {"query": "zz"}), 300)

    def cost(self, work: Any) -> float:
        """Seconds of CPU until an answer comes behind `work`."""
        before = cpu_seconds(self.client.process.pid)
        work()
        self.answers()
        return cpu_seconds(self.client.process.pid) - before


def _judge(tally: Tally, setting: Setting, what: str, cost: float, most: float) -> None:
    """The tests judge no time."""
    tally.most(f"ms of CPU for {what}", cost * 1_000)
    if not setting.short:
        tally.expect(cost <= most, f"{what}: {cost:.2f} s of CPU, more than {most}")


def _changed(folder: Path, setting: Setting, tally: Tally) -> None:
    """Many changes at random places in one notification."""
    rng, number = setting.random("changes"), setting.of(500, 10_000)
    uri, text = (folder / "big.eval.yaml").as_uri(), "tests:\n" + rows_of_cases(3_000)
    with _Server(folder) as server:
        server.client.open(uri, text)
        server.client.diagnostics(uri)
        cost = server.cost(lambda: server.client.change(uri, *(_change(rng) for _ in range(number))))
        _judge(tally, setting, f"{number:,} changes in one notification", cost, _CHANGES)
        server.client.diagnostics(uri)


def _change(rng: random.Random) -> dict[str, Any]:
    """A comment behind some line: what costs is the change, not what it breaks."""
    place = {"line": rng.randrange(3, 11_000), "character": 1_000}
    return {"range": {"start": place, "end": place}, "text": " #"}


def _watched(folder: Path, setting: Setting, tally: Tally) -> None:
    """Many files that have changed, one notification each and all in one."""
    number = setting.of(500, 10_000)
    suite = (folder / "s.eval.yaml").as_uri()
    kinds = {
        "files that are not there": [{"uri": (folder / f"x/y{n}.eval.yaml").as_uri(), "type": 1 + n % 3} for n in range(number)],
        "times one suite": [{"uri": suite, "type": 2}] * number,
    }  # fmt: skip
    for name, changes in kinds.items():
        for each in ([changes], [[change] for change in changes]):
            with _Server(folder) as server:
                server.client.open(suite, f"name: s\ntests:\n{rows_of_cases(2)}")
                server.client.diagnostics(suite)
                cost = server.cost(partial(_notify, server.client, each))
                what = f"{number:,} {name}, {'together' if len(each) == 1 else 'one by one'}"
                _judge(tally, setting, what, cost, _WATCHED if len(each) == 1 else 3 * _WATCHED)


def _notify(client: Client, notifications: list[list[dict[str, Any]]]) -> None:
    for changes in notifications:
        client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def _large(folder: Path, setting: Setting, tally: Tally) -> None:
    """A suite that is as large as suites may be."""
    uri, cases = (folder / "large.eval.yaml").as_uri(), setting.of(800, 21_000)
    text = "name: s\ntests:\n" + "".join(_CASE.format(number, number) for number in range(cases))
    with _Server(folder) as server:
        cost = server.cost(partial(_opened, server.client, uri, text))
        _judge(tally, setting, f"opening {len(text) / 1e6:.1f} MB", cost, _OPENING)
        found = server.client.diagnostics(uri)
        tally.expect(not found, f"{len(found)} findings in a sound suite of {len(text):,} characters: {found[:1]}")
        for method in ("documentSymbol", "semanticTokens/full", "foldingRange", "codeLens"):
            answer = server.client.answer(
                server.client.start(f"textDocument/{method}", {"textDocument": {"uri": uri}}), 300
            )
            tally.expect(answer.get("result"), f"{method} of {len(text):,} characters: {str(answer)[:200]}")


def _opened(client: Client, uri: str, text: str) -> None:
    client.open(uri, text)
    client.diagnostics(uri)


def _results(setting: Setting, tally: Tally) -> None:
    """A suite with a result for each of its many cases."""
    cases = setting.of(100, 20_000)
    suite = f"name: s\ntests:\n{rows_of_cases(cases)}"
    folder = suite_folder(setting.folder / "results", suite)
    sound(tally, f"a run of {cases:,} cases", rubric(folder, "run", "--workers", "50", "s.eval.yaml", patience=400))
    uri = (folder / "s.eval.yaml").as_uri()
    with_results = _least(folder, lambda client: _shown(client, uri, suite, cases, tally))
    (folder / ".rubric").rename(folder / "aside")
    without = _least(folder, lambda client: _shown(client, uri, suite, cases, tally))
    _judge(tally, setting, f"{cases:,} stored results", with_results - without, _RESULTS)


def _least(folder: Path, work: Callable[[Client], None]) -> float:
    """The least of several servers: on a busy machine, work in the background is counted until the client reads the answer."""
    costs = []
    for _ in range(_TIMES):
        with _Server(folder) as server:
            costs.append(server.cost(partial(work, server.client)))
    return min(costs)


def _shown(client: Client, uri: str, suite: str, cases: int, tally: Tally) -> None:
    client.open(uri, suite)
    client.diagnostics(uri)
    lenses = client.answer(client.start("textDocument/codeLens", {"textDocument": {"uri": uri}}), 300)
    tally.expect(len(lenses["result"]) >= cases, f"{len(lenses['result'])} lenses for {cases:,} cases")
