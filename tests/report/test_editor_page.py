"""The view as VS Code shows it: what the extension sends, and what the page asks it for."""

import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, Tab
from test_report_build import BUNDLE

from rubric_core.evaluation.report_page.report_data import stored_case
from rubric_core.evaluation.results.database import ResultDatabase

pytestmark = pytest.mark.editor

#: VS Code's side of a page: it keeps what it is told.
API = "window.told = []; window.acquireVsCodeApi = () => ({postMessage: (m) => told.push(m), setState: (s) => { window.kept = s }})"
THEME = ":root { --vscode-editor-background: #1e1e1e; --vscode-foreground: #cccccc; --vscode-descriptionForeground: #9d9d9d; --vscode-textLink-foreground: #4daafc; }"


@pytest.fixture
def panel(browser: Chromium, tmp_path: Path) -> Tab:
    script, style = ((BUNDLE / name).read_text("utf-8") for name in ("report.js", "report.css"))
    kept = escape(json.dumps({"testId": "file:///a::refund-1", "caseId": "refund-1"}))
    page = tmp_path / "panel.html"
    page.write_text(
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Report</title><style>{THEME}{style}</style></head>"
        f'<body class="vscode-dark" data-source="editor" data-kept="{kept}"><div id="page"></div><script>{API}</script><script>{script}</script>',
        "utf-8",
    )
    tab = browser.tab(800, 900).open(page.as_uri(), "h1")
    return tab.wait("told.some(({command}) => command === 'ready')")


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
