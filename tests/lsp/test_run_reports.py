"""The report of a suite's last run, for an editor that shows the page of `rubric report`."""

from pathlib import Path

import pytest
from client import VSCODE, Connect, ServerError
from running import store

from rubric_core.evaluation.model.result import CaseResult, Verdict


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "a.eval.yaml"
    path.write_text("# rubric: dialect=agentv-3\ntests:\n  - {id: refund, input: hi, criteria: Is kind}\n", "utf-8")
    return path


def test_the_last_run_and_its_cases(connect: Connect, tmp_path: Path, suite: Path) -> None:
    client = connect()
    client.initialize(VSCODE, tmp_path)
    about = {"textDocument": {"uri": suite.as_uri()}}
    assert client.request("rubric/runReport", about) == {"trouble": "a.eval.yaml has not been run yet"}
    store(suite, CaseResult(id="refund", verdict=Verdict.FAILED, score=0.1, answer="old"))
    store(suite, CaseResult(id="refund", verdict=Verdict.PASSED, score=0.9, answer="new"))
    data = client.request("rubric/runReport", about)["data"]
    assert [(each["id"], each["verdict"]) for each in data["cases"]] == [("refund", "passed")]
    assert len(data["trend"]) == 2
    asked = {**about, "run": data["run"]["id"], "suite": "a.eval.yaml", "case": "refund", "target": ""}
    assert client.request("rubric/runCase", asked)["answer"] == "new"
    assert client.request("rubric/runCase", {**asked, "case": "other"}) is None
    assert client.request("rubric/runCase", {**asked, "run": "nothing"}) is None


def test_the_last_two_runs_compared(connect: Connect, tmp_path: Path, suite: Path) -> None:
    client = connect()
    client.initialize(VSCODE, tmp_path)
    about = {"textDocument": {"uri": suite.as_uri()}}
    for request, more in (("rubric/runReport", {"compare": True}), ("rubric/compareRuns", {})):
        assert client.request(request, {**about, **more}) == {"trouble": "a.eval.yaml has not been run yet"}
    store(suite, CaseResult(id="refund", verdict=Verdict.PASSED, score=0.9, answer="old"))
    for request, more in (("rubric/runReport", {"compare": True}), ("rubric/compareRuns", {})):
        assert "has one run only" in client.request(request, {**about, **more})["trouble"]
    store(suite, CaseResult(id="refund", verdict=Verdict.FAILED, score=0.1, answer="new"))
    data = client.request("rubric/runReport", {**about, "compare": True})["data"]
    assert [each["change"] for each in data["comparison"]["pairs"]] == ["no_longer_passes"]
    base, run = data["comparison"]["base"]["id"], data["run"]["id"]
    asked = {**about, "run": run, "base": base, "suite": "a.eval.yaml", "case": "refund", "target": ""}
    found = client.request("rubric/runCase", asked)
    assert (found["answer"], found["before"]["answer"]) == ("new", "old")
    text = client.request("rubric/compareRuns", about)["text"]
    assert text.startswith(f"  {base}")
    assert "✘ no longer passes (1)\n    a.eval.yaml::refund  0.90 → 0.10" in text


def test_what_is_no_file_is_refused(connect: Connect, tmp_path: Path) -> None:
    client = connect()
    client.initialize(VSCODE, tmp_path)
    for wrong in ({}, {"textDocument": 1}, {"textDocument": {"uri": "untitled:a"}}):
        for request in ("rubric/runReport", "rubric/compareRuns"):
            with pytest.raises(ServerError):
                client.request(request, wrong)
