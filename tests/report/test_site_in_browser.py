"""The documentation site in a real browser: its search answers, and narrow and wide windows show whole names."""

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium, program

REPOSITORY = Path(__file__).parents[2]
PAGES = ("index.html", "docs/concepts.html", "docs/agentv.html", "docs/reference/keys.html", "docs/command-line.html")
pytestmark = pytest.mark.skipif(program() is None, reason="Chromium is not there: the site cannot be looked at")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A web server that keeps to itself."""

    def log_message(self, *args: object) -> None:
        """Nothing is logged."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, built and served over HTTP, as its search needs it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, check=True, timeout=300)
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as started:
        yield started


@pytest.mark.parametrize("width", [390, 1280])
def test_the_search_finds_a_key(browser: Chromium, address: str, width: int) -> None:
    tab = browser.tab(width).open(address + "index.html", "article h1")
    tab.run("document.querySelector('label[for=__search]').click()")
    tab.run("document.querySelector('input.md-search__input').focus()")
    for letter in "score_ranges":
        tab.key(letter)
    tab.wait("document.querySelector('.md-search-result__item a')")
    found = tab.run("[...document.querySelectorAll('.md-search-result__item a')].map((each) => each.pathname)")
    assert any("malformed_band" in path for path in found), found


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_pages_fit_the_window_and_names_stay_whole(browser: Chromium, address: str, width: int, dark: bool) -> None:
    tab = browser.tab(width, dark=dark)
    for page in PAGES:
        tab.open(address + page, "article h1")
        assert tab.run("document.documentElement.scrollWidth") == width, page
        broken = "[...document.querySelectorAll('article td:first-child code')].filter((each) => each.getClientRects().length > 1)"
        assert tab.run(f"{broken}.map((each) => each.innerText)") == [], page
        behind = tab.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (max(behind[:3]) < 100) == dark, behind
        assert tab.complaints == [], page
