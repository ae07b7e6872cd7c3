"""The view as VS Code shows it: what the extension sends, and what the page asks it for."""

import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, Tab
from test_report_build import BUNDLE
from test_report_file import NOW

from rubric_core.evaluation.report_page.live_report import LiveReport
from rubric_core.evaluation.report_page.report_data import report_data, stored_case
from rubric_core.evaluation.results.database import ResultDatabase

pytestmark = pytest.mark.editor

#: VS Code's side of a page: it keeps what it is told.
API = "window.told = []; window.acquireVsCodeApi = () => ({postMessage: (m) => told.push(m), setState: (s) => { window.kept = s }})"
THEME = ":root { --vscode-editor-background: #1e1e1e; --vscode-foreground: #cccccc; --vscode-descriptionForeground: #9d9d9d; --vscode-textLink-foreground: #4daafc; }"


def panel_of(browser: Chromium, folder: Path, kept: object) -> Tab:
    """A page of VS Code that remembers `kept`."""
    script, style = ((BUNDLE / name).read_text("utf-8") for name in ("report.js", "report.css"))
    page = folder / "panel.html"
    page.write_text(
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Report</title><style>{THEME}{style}</style></head>"
        f'<body class="vscode-dark" data-source="editor" data-kept="{escape(json.dumps(kept))}"><div id="page"></div>'
        f"<script>{API}</script><script>{script}</script>",
        "utf-8",
    )
    tab = browser.tab(800, 900)
    tab.call("Page.navigate", url=page.as_uri())
    return tab.wait("window.told?.some(({command}) => command === 'ready')")


@pytest.fixture
def panel(browser: Chromium, tmp_path: Path) -> Tab:
    return panel_of(browser, tmp_path, {"testId": "file:///a::refund-1", "caseId": "refund-1"})


def case(database: ResultDatabase) -> dict[str, Any]:
    run = database.find("last")
    found = next(each for each in database.cases(run) if each.id == "refund-1")
    return {
        **stored_case(found, run),
        "range": {"start": {"line": 11, "character": 2}, "end": {"line": 11, "character": 10}},
    }


def send(tab: Tab, report: object) -> None:
    tab.run(f"window.postMessage({json.dumps({'report': report})}, '*')")


def test_it_waits_and_then_shows_the_case(panel: Tab, database: ResultDatabase, artifacts: Path) -> None:
    assert "Waiting" in panel.run("document.body.innerText")
    send(panel, case(database))
    panel.wait("document.querySelector('.verdict')")
    assert panel.run("[...document.querySelectorAll('[data-act]')].map((each) => each.dataset.act)")[:3] == [
        "run",
        "reply",
        "suite",
    ]
    assert panel.run("kept") == {"testId": "file:///a::refund-1", "caseId": "refund-1"}
    assert panel.complaints == []
    panel.picture(artifacts / "report-vscode.png")


def test_a_case_without_a_result_can_be_run(panel: Tab) -> None:
    send(panel, None)
    panel.wait("document.querySelector('[data-act=run]')")
    panel.run("document.querySelector('[data-act=run]').click()")
    assert panel.run("told.at(-1)") == {"command": "run"}


def test_it_asks_for_what_is_clicked(panel: Tab, database: ResultDatabase) -> None:
    send(panel, case(database))
    panel.wait("document.querySelector('.verdict')")
    for act in ("run", "reply", "suite", "copy"):
        panel.run(f"document.querySelector('[data-act={act}]').click()")
        panel.wait(f"told.at(-1).command === '{act}'")


def test_another_verdict_is_announced(panel: Tab, database: ResultDatabase) -> None:
    shown = case(database)
    send(panel, shown)
    panel.wait("document.querySelector('.verdict')")
    panel.unfold()
    send(panel, {**shown, "verdict": "failed", "score": 0.25})
    panel.wait("document.getElementById('announcement').textContent === 'failed 0.25'")
    assert panel.run("document.querySelectorAll('details[open]').length") > 0


def test_a_comparison_is_shown_at_once(browser: Chromium, tmp_path: Path, database: ResultDatabase) -> None:
    """What the command that compares two runs opens."""
    tab = panel_of(browser, tmp_path, {"view": "compare"})
    run, base = database.find("last"), database.find("last~1")
    found = LiveReport(database).snapshot(run.id, base.id)
    tab.run(f"window.postMessage({json.dumps({'data': json.loads(found.content)})}, '*')")
    tab.wait("document.querySelector('.versus')")
    assert tab.run("kept") == {"view": "compare"}
    assert tab.complaints == []


def test_the_report_of_a_run_leads_to_its_cases(browser: Chromium, tmp_path: Path, database: ResultDatabase) -> None:
    """VS Code takes every click on a link: the page goes to its views by itself, and asks the extension for a case."""
    tab = panel_of(browser, tmp_path, {})
    run = database.find("last")
    data = report_data(run, list(database.cases(run)), now=NOW, trend=[run])
    tab.run("document.addEventListener('click', (event) => event.target.closest('a') && event.preventDefault())")
    tab.run(f"window.postMessage({json.dumps({'data': data})}, '*')")
    tab.wait("document.querySelector('.top nav')")
    tab.run("[...document.querySelectorAll('.top nav a')].find((each) => each.textContent === 'Cases').click()")
    tab.wait("document.querySelector('.rows a')")
    tab.run("document.querySelector('.rows a').click()")
    tab.wait("told.at(-1).command === 'details'")
    index = tab.run("told.at(-1).index")
    name = data["cases"][index]["id"]
    found = next(each for each in database.cases(run) if each.id == name)
    tab.run(f"window.postMessage({json.dumps({'details': {'index': index, 'report': stored_case(found, run)}})}, '*')")
    tab.wait("document.querySelector('article.case .verdict')")
    assert tab.run("document.querySelector('h1').textContent") == name
