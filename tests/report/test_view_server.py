"""`rubric view`: who is answered, and that the page follows a run."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from sample_runs import store

from rubric_core.cli import main
from rubric_core.cli.report_server import ReportServer
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.report_page.live_report import LiveReport, editor_address
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState


@pytest.fixture
def own_database(tmp_path: Path) -> ResultDatabase:
    return store(tmp_path, cases=12, runs=3)


@pytest.fixture
def server(own_database: ResultDatabase) -> Iterator[ReportServer]:
    with ReportServer(LiveReport(own_database)) as started:
        thread = threading.Thread(target=started.serve_forever, args=(0.02,))
        thread.start()
        yield started
        started.shutdown()
        thread.join()


def ask(server: ReportServer, path: str = "", method: str = "GET", *, token: str | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:  # fmt: skip
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, f"/{server.token if token is None else token}/{path}", headers=told)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), content


def data(server: ReportServer, path: str = "data") -> Any:
    status, _, content = ask(server, path)
    assert status == 200, content
    return json.loads(content)


def test_it_listens_on_this_computer_alone(server: ReportServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_may_load_nothing_and_be_framed_by_nobody(server: ReportServer) -> None:
    status, headers, content = ask(server)
    assert status == 200
    assert b'data-source="served"' in content
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_results_that_can_no_longer_be_read_are_told_and_served_when_they_can(
    server: ReportServer, own_database: ResultDatabase
) -> None:
    whole = own_database.path.read_bytes()
    for broken in (b"no database at all" * 1000, None):
        own_database.path.unlink()
        if broken is None:
            own_database.path.symlink_to("/dev/zero")
        else:
            own_database.path.write_bytes(broken)
        for path in ("data", "case?case=a"):
            status, _, content = ask(server, path)
            assert (status, own_database.path.name in content.decode()) == (503, True), content
    own_database.path.unlink()
    own_database.path.write_bytes(whole)
    assert data(server)["cases"]


@pytest.mark.parametrize("token", ["", "x", "data", "../data"])
def test_nothing_without_the_token(server: ReportServer, token: str) -> None:
    for path in ("", "data", "case?case=a"):
        status, _, content = ask(server, path, token=token)
        assert status == 404
        assert b"cases" not in content


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "script"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"},
    ],
    ids=str,
)  # fmt: skip
def test_other_pages_are_refused(server: ReportServer, headers: dict[str, str]) -> None:
    """A page elsewhere that learnt the address, and a name that was made to point here."""
    status, _, content = ask(server, "data", **headers)
    assert status == 403
    assert b"cases" not in content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_it_only_reads(server: ReportServer, method: str) -> None:
    assert ask(server, "data", method)[0] == 501


def test_the_same_report_is_not_sent_twice(server: ReportServer) -> None:
    _, headers, _ = ask(server, "data")
    status, _, content = ask(server, "data", If_None_Match=headers["ETag"])
    assert (status, content) == (304, b"")


def test_a_case_of_the_run(server: ReportServer, own_database: ResultDatabase) -> None:
    shown = data(server)
    row = shown["cases"][3]
    found = data(
        server, f"case?run={shown['run']['id']}&suite={shown['suites'][row['suite']]}&case={row['id']}&target=desk-bot"
    )
    assert found["caseId"] == row["id"]
    assert found["answer"]
    assert "cut" not in found
    assert row["open"] == f"vscode://file/{str(own_database.root).lstrip('/')}/evals/support.eval.yaml:39"
    assert ask(server, "case?case=nothing")[0] == 404


def test_another_run_can_be_chosen(server: ReportServer, own_database: ResultDatabase) -> None:
    _, second, _ = own_database.runs()
    shown = data(server, f"data?run={second.id}")
    assert shown["run"]["id"] == second.id
    assert len(shown["trend"]) == 3
    status, _, words = ask(server, "data?run=nothing")
    assert status == 404
    assert b"nothing" in words


def test_a_run_to_compare_with_can_be_chosen(server: ReportServer, own_database: ResultDatabase) -> None:
    newest, second, oldest = own_database.runs()
    assert "comparison" not in data(server, f"data?run={newest.id}")
    shown = data(server, f"data?run={newest.id}&base={oldest.id}")
    assert (shown["run"]["id"], shown["comparison"]["base"]["id"]) == (newest.id, oldest.id)
    changed = next(each for each in shown["comparison"]["pairs"] if each["change"] != "same")
    row = shown["cases"][changed["case"]]
    asked = f"run={newest.id}&suite={shown['suites'][row['suite']]}&case={row['id']}&target=desk-bot"
    assert "before" in data(server, f"case?{asked}&base={oldest.id}")
    assert "before" not in data(server, f"case?{asked}")
    assert data(server, f"data?run={newest.id}&base={second.id}")["comparison"]["base"]["id"] == second.id
    assert "comparison" not in data(server, f"data?run={newest.id}&base={newest.id}")
    assert ask(server, f"data?run={newest.id}&base=nothing")[0] == 404


def test_two_runs_that_were_asked_for_stay(own_database: ResultDatabase) -> None:
    newest, _, oldest = own_database.runs()
    shown = json.loads(LiveReport(own_database, base=oldest.id, run=newest.id).snapshot().content)
    assert (shown["run"]["id"], shown["comparison"]["base"]["id"]) == (newest.id, oldest.id)


@pytest.mark.parametrize("wrong", [["nothing"], ["last", "nothing"], ["last", "last", "last"]], ids=" ".join)
def test_runs_that_are_not_there_are_a_usage_error(own_database: ResultDatabase, wrong: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(own_database.root)
    assert main(["view", "--no-open", *wrong]) == 2
    assert capsys.readouterr().err.startswith("rubric: ")


def test_it_follows_a_run_case_by_case(server: ReportServer, own_database: ResultDatabase) -> None:
    suites = [own_database.root / name for name in own_database.find("last").suites]
    before = ask(server, "data")[1]["ETag"]
    writer = own_database.begin(RunInfo(suites=suites))
    for number in range(3):
        writer.add(CaseResult(id=f"c{number}", verdict=Verdict.PASSED, score=1.0), suite=suites[0])
        status, headers, content = ask(server, "data", If_None_Match=before)
        shown = json.loads(content)
        assert status == 200
        assert (shown["run"]["id"], shown["run"]["state"], len(shown["cases"])) == (writer.id, "running", number + 1)
        before = headers["ETag"]
    writer.end(RunState.DONE)
    assert data(server)["run"]["state"] == "done"


def test_an_address_of_a_file_with_odd_signs_stays_one(tmp_path: Path) -> None:
    result = CaseResult(id="a", verdict=Verdict.PASSED, line=7, file="../cases/a b?c#d.yaml")
    assert editor_address(Path("/w"), "evals/s.yaml", result) == "vscode://file/w/evals/../cases/a%20b%3Fc%23d.yaml:7"
