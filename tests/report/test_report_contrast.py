"""What is drawn can be told apart from what it is drawn on: bars, charts and signs, in both shades of the page."""

import json
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, Tab

pytestmark = pytest.mark.editor

#: By WCAG 2: parts of a drawing, and text.
DRAWN, TEXT = 3.0, 4.5
DRAWINGS = ".fill, .meter span, .given span, path.trend, .point, .pair .solid, .pair .stroke"
SCRIPT = (Path(__file__).parent / "contrast.mjs").read_text("utf-8").replace("export ", "")


def contrasts(tab: Tab, selector: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tab.run(f"(() => {{ {SCRIPT}\nreturn contrasts({json.dumps(selector)}) }})()")
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("address", ["", "view=cases", "view=map", "view=compare", "case=refund-3"])
def test_what_is_drawn_stands_out(browser: Chromium, comparison_page: str, address: str, *, dark: bool) -> None:
    tab = browser.tab(dark=dark).open(f"{comparison_page}#{address}")
    tab.wait("document.querySelector('article.case, .rows, .grid-2')")
    drawings = contrasts(tab, DRAWINGS)
    signs = contrasts(tab, ".sign")
    assert signs
    assert drawings or address == "view=map"
    assert [each for each in drawings if each["ratio"] < DRAWN] == []
    assert [each for each in signs if each["ratio"] < TEXT] == []
