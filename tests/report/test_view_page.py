"""`rubric view` in a browser: it follows the run, opens cases, and changes to another run."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Tab
from sample_runs import store

from rubric_core.cli.report_server import ReportServer
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.report_page.live_report import LiveReport
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState

pytestmark = pytest.mark.editor


@pytest.fixture
def runs(tmp_path: Path) -> ResultDatabase:
    return store(tmp_path, cases=12, runs=3)


@pytest.fixture
def address(runs: ResultDatabase) -> Iterator[str]:
    with ReportServer(LiveReport(runs)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


def test_it_follows_a_run_that_begins_while_it_is_open(tab: Tab, address: str, runs: ResultDatabase) -> None:
    tab.open(f"{address}#view=cases", ".rows .row")
    assert "12 cases" in tab.run("document.querySelector('.found').textContent")
    suites = [runs.root / name for name in runs.find("last").suites]
    writer = runs.begin(RunInfo(suites=suites))
    writer.add(CaseResult(id="first", verdict=Verdict.PASSED, score=1.0), suite=suites[0])
    tab.wait("document.querySelector('.live')?.textContent.includes('Running')")
    assert tab.run("[...document.querySelectorAll('.rows a')].map((each) => each.textContent)") == ["first"]
    writer.add(CaseResult(id="second", verdict=Verdict.FAILED, score=0.0), suite=suites[0])
    tab.wait("document.querySelectorAll('.rows a').length === 2")
    writer.end(RunState.DONE)
    tab.wait("!document.querySelector('.live')")
    assert tab.complaints == []


def test_a_case_has_its_command_and_opens_in_the_editor(tab: Tab, address: str) -> None:
    tab.open(f"{address}#case=refund-1", "article.case .verdict")
    assert "rubric run evals/support.eval.yaml::refund-1" in tab.run("document.querySelector('.command').textContent")
    assert tab.run("document.querySelector('.actions a').href").startswith("vscode://file/")
    assert tab.run("document.querySelector('.actions a').href").endswith("/evals/support.eval.yaml:12")
    assert tab.complaints == []


def test_another_run_can_be_chosen(tab: Tab, address: str, runs: ResultDatabase) -> None:
    oldest = runs.runs()[-1]
    tab.open(address, ".tools select")
    tab.run(f"const s = document.querySelector('.tools select'); s.value = '{oldest.id}'; s.dispatchEvent(new Event('change', {{bubbles: true}}))")  # fmt: skip
    tab.wait(f"document.querySelector('#about').parentElement.textContent.includes('{oldest.id}')")


def test_a_run_to_compare_with_can_be_chosen_and_dropped(tab: Tab, address: str, runs: ResultDatabase) -> None:
    oldest = runs.runs()[-1]
    choose = "const s = document.querySelectorAll('.tools select')[1]; s.value = '{}'; s.dispatchEvent(new Event('change', {{bubbles: true}}))"  # fmt: skip
    tab.open(address, ".tools select")
    assert tab.run("[...document.querySelectorAll('.tools select')[1].options].length") == 3  # none, and the two others
    tab.run(f"{{ {choose.format(oldest.id)} }}")
    tab.wait("document.querySelector('.top nav').innerText.includes('Comparison')")
    tab.run("[...document.querySelectorAll('.top nav a')].find((each) => each.textContent === 'Comparison').click()")
    tab.wait("document.querySelector('.versus')")
    tab.run(f"{{ {choose.format('')} }}")
    tab.wait("!document.querySelector('.top nav').innerText.includes('Comparison')")
    assert tab.complaints == []


def test_it_says_that_the_server_has_gone(tab: Tab, runs: ResultDatabase) -> None:
    with ReportServer(LiveReport(runs)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        tab.open(server.address)
        server.shutdown()
        thread.join()
    tab.wait("document.querySelector('main .stale')?.textContent.includes('has ended')")
    assert tab.run("document.querySelectorAll('.panel').length") > 0  # what was shown stays
