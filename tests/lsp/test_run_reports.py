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
    assert client.request("rubric/runReport", about) == {"trouble": "a.eval.yaml has not been run yet."}
    store(suite, CaseResult(id="refund", verdict=Verdict.FAILED, score=0.1, answer="old"))
    store(suite, CaseResult(id="refund", verdict=Verdict.PASSED, score=0.9, answer="new"))
    data = client.request("rubric/runReport", about)["data"]
    assert [(each["id"], each["verdict"]) for each in data["cases"]] == [("refund", "passed")]
    assert len(data["trend"]) == 2
    asked = {**about, "run": data["run"]["id"], "suite": "a.eval.yaml", "case": "refund", "target": ""}
    assert client.request("rubric/runCase", asked)["answer"] == "new"
    assert client.request("rubric/runCase", {**asked, "case": "other"}) is None
    assert client.request("rubric/runCase", {**asked, "run": "nothing"}) is None


def test_what_is_no_file_is_refused(connect: Connect, tmp_path: Path) -> None:
    client = connect()
    client.initialize(VSCODE, tmp_path)
    for wrong in ({}, {"textDocument": 1}, {"textDocument": {"uri": "untitled:a"}}):
        with pytest.raises(ServerError):
            client.request("rubric/runReport", wrong)
