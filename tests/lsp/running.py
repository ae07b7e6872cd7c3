"""What conversations about runs have in common: suites on disk, commands, and what is seen afterwards."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from client import Client, until

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with files in it, by their paths."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def line_of(suite: str, text: str) -> int:
    """The line on which a text first stands."""
    return suite[: suite.index(text)].count("\n")


def command(client: Client, name: str, *arguments: Any) -> Any:
    return client.request("workspace/executeCommand", {"command": f"rubric.{name}", "arguments": list(arguments)})


def run(client: Client, uri: str, case: str | None = None) -> None:
    """Begin to run a case, or every case."""
    command(client, *(("runFile", uri) if case is None else ("runCase", uri, case)))


def progress(client: Client, kind: str) -> list[dict[str, Any]]:
    """The progress of runs: on a slow machine, a check of the workspace has its own."""
    heard = [p["value"] for p in client.heard("$/progress") if p["token"].startswith("rubric-run-")]
    return [value for value in heard if value["kind"] == kind]


def ended(client: Client, runs: int = 1) -> None:
    until("the end of the run", lambda: len(progress(client, "end")) >= runs)


def hints(client: Client, uri: str) -> dict[int, str]:
    """What stands at the ends of lines."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    found = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
    return {hint["position"]["line"]: hint["label"] for hint in found or ()}


def outcomes(client: Client, uri: str) -> dict[str, dict[str, Any]]:
    """What is listed about runs now, by code."""
    newest: dict[str, Any] = next(client.published(uri), {"diagnostics": []})
    return {d["code"]: d for d in newest["diagnostics"] if d["source"] == "rubric run"}


def kept(suite: Path, runs: int = 1) -> bool:
    """Whether so many runs of a suite are stored, and over."""
    time.sleep(0.1)  # who reads all the time keeps out who has to recover the log before writing
    found = ResultDatabase.of(suite).runs()
    return len(found) >= runs and all(run.state is not RunState.RUNNING for run in found)


def store(suite: Path, *results: CaseResult) -> None:
    """What another program stores: a run with these results."""
    writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
    for result in results:
        writer.add(result, suite=suite)
    writer.end(RunState.DONE)
