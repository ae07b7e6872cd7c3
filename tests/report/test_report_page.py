"""The page in a real browser, as a person uses it: keys, links, filters, print, a narrow window, and answers that attack it."""

import json
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium, Tab
from test_report_file import NOW

from rubric_core.evaluation.comparison.pairs import CaseChange
from rubric_core.evaluation.comparison.runs import compare_runs
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Tally, Verdict
from rubric_core.evaluation.report_page.write_report import write_report
from rubric_core.evaluation.reporting.comparison_report import conclusion_words
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.ports import ChatMessage

pytestmark = pytest.mark.editor

#: Each sets `window.taken`, or asks for http://127.0.0.1:9/…, where it gets through.
ATTACKS = [
    "<script>window.taken=1</script>",
    "<img src=x onerror='window.taken=1'>",
    "<svg onload='window.taken=1'><script>window.taken=1</script></svg>",
    "</script><script>window.taken=1</script>",
    "--><script>window.taken=1</script><!--",
    "<iframe srcdoc='<script>parent.taken=1</script>'></iframe>",
    "<style>@import 'http://127.0.0.1:9/style.css'; body{display:none}</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/link.css><base href=http://127.0.0.1:9/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/meta'>",
    "<form action=http://127.0.0.1:9/form><button>send</button></form>",
    "![image](http://127.0.0.1:9/image.png)",
    "[link](javascript:window.taken=1) [data](data:text/html,<script>opener.taken=1</script>)",
    "<javascript:window.taken=1> <http://127.0.0.1:9/auto>",
    '[reference][1]\n\n[1]: javascript:window.taken=1 "title"',
    "```html\n<script>window.taken=1</script>\n```",
    "| <img src=x onerror=window.taken=1> | b |\n|---|---|\n| `<script>` | ![x](http://127.0.0.1:9/cell) |",
    "&lt;script&gt;window.taken=1&lt;/script&gt; &#60;img src=x onerror=window.taken=1&#62;",
    "{{constructor.constructor('window.taken=1')()}} ${window.taken=1} javascript:/*--></title></style></textarea></script>",
    "> " * 400 + "deep",
    "[" * 3000 + "](" * 10,
    "* " * 500 + "list",
    "\u202egnp.exe \u2066hidden\u2069 \x1b[31mred\x1b[0m \x00",
    "__proto__ constructor toString <a id=taken name=taken>clobber</a>",
]  # fmt: skip


def hostile_run(root: Path) -> ResultDatabase:
    """A case for each attack, which is in every text that a case has."""
    database = ResultDatabase(root)
    suite = root / "a.eval.yaml"
    writer = database.begin(RunInfo(command=("rubric", "run", ATTACKS[0]), suites=(suite,)))
    for number, attack in enumerate(ATTACKS):
        criterion = CriterionResult(id=attack, outcome=attack, verdict=Verdict.FAILED, score=0.0, raw=0, reasoning=attack, bands=((0, 10, attack),))  # fmt: skip
        judged = EvaluatorResult(
            name=f"{attack} {number}", type=attack, verdict=Verdict.FAILED, score=0.0, criteria=(criterion,), judge=attack, reasoning=attack, raw_replies=(attack,),
            exchanges=(Exchange(role="judge", to=attack, messages=(ChatMessage("user", attack),)),),
        )  # fmt: skip
        plain = EvaluatorResult(
            name="plain", type="contains", verdict=Verdict.UNSCORED, error=attack, reason=attack, misses=(attack,)
        )
        result = CaseResult(
            id=f"{number} {attack}", verdict=Verdict.FAILED, score=0.0, answer=attack, reason=attack, target=f"t {attack}", evaluators=(judged, plain),
            exchanges=(Exchange(role="target", to=attack, messages=(ChatMessage("user", attack),)),),
        )  # fmt: skip
        writer.add(result, suite=suite, tags=(attack,))
    writer.end(RunState.DONE)
    return database


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("hostile")
    database = hostile_run(root)
    path = root / "r.html"
    run = database.find("last")
    write_report(path, database, run, now=NOW)
    return path.as_uri()


ACTIVE = "main :is(script, style, iframe, img, object, embed, link, meta, base, form:not([role=search])), main [onerror], main [onload], main a[href]:not([href^='#'])"


def is_untouched(tab: Tab, page: str) -> None:
    assert tab.run("window.taken") is None
    assert tab.run(f"document.querySelectorAll({json.dumps(ACTIVE)}).length") == 0
    assert [each for each in tab.requests if each.split("#")[0] != page] == []
    assert tab.complaints == []


@pytest.mark.parametrize("number", range(len(ATTACKS)))
def test_an_answer_that_attacks_is_only_text(tab: Tab, hostile_page: str, number: int) -> None:
    tab.open(f"{hostile_page}#view=cases&sort=order")
    tab.run(f"document.querySelector('.rows a[data-index=\"{number}\"]').click()")
    tab.wait("document.querySelector('article.case')")
    tab.unfold()
    tab.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    is_untouched(tab, hostile_page)


@pytest.mark.parametrize("view", ["overview", "cases", "map"])
def test_names_that_attack_are_only_text(tab: Tab, hostile_page: str, view: str) -> None:
    is_untouched(tab.open(f"{hostile_page}#view={view}"), hostile_page)


def test_an_address_that_attacks_is_only_text(tab: Tab, page: str) -> None:
    for value in ("<img src=x onerror=window.taken=1>", "__proto__", "constructor"):
        tab.open("about:blank", "body")
        tab.open(f"{page}#case={value}&view={value}&q={value}&sort={value}&tag={value}")
        assert "no such case" in tab.run("document.querySelector('main').innerText")
        is_untouched(tab, page)


def test_script_from_elsewhere_does_not_run(tab: Tab, page: str) -> None:
    """What the policy is for: should a text become markup after all, it does nothing."""
    tab.open(page)
    refused = "(() => { try { %s; return 'done' } catch (error) { return error.name } })()"
    assert tab.run(refused % "document.body.setAttribute('onclick', 'window.taken=1')") == "TypeError"
    assert tab.run(refused % "document.body.innerHTML = '<b>x</b>'") == "TypeError"
    tab.run(
        "(() => { const made = document.createElement('iframe'); made.src = 'http://127.0.0.1:9/'; document.body.append(made) })()"
    )
    tab.run("document.body.click()")
    assert tab.run("window.taken") is None
    assert tab.run("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')") == "refused"
    assert any("connect-src" in each or "Content Security Policy" in each for each in tab.complaints)


def test_markdown_is_laid_out_and_links_are_words(browser: Chromium, tmp_path: Path) -> None:
    answer = "# Title\n\n**bold** and *it* `x<y`\n\n1. one\n2. two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n\nSee [our page](https://example.com/a?b=c) ![chart](https://example.com/c.png)\n\n<b>not bold</b> a &amp; b"
    database = ResultDatabase(tmp_path)
    writer = database.begin(RunInfo(suites=(tmp_path / "a.eval.yaml",)))
    writer.add(CaseResult(id="a", verdict=Verdict.PASSED, score=1.0, answer=answer), suite=tmp_path / "a.eval.yaml")
    writer.end(RunState.DONE)
    write_report(tmp_path / "r.html", database, database.find("last"), now=NOW)
    tab = browser.tab().open(f"{(tmp_path / 'r.html').as_uri()}#case=a", "article.case .markdown")
    count = "document.querySelectorAll('.markdown {}').length"
    for selector, amount in {
        "h4": 1,
        "strong": 1,
        "em": 1,
        "code": 1,
        "ol li": 2,
        "td": 2,
        "a": 0,
        "img": 0,
        "b": 0,
    }.items():
        assert tab.run(count.format(selector)) == amount, selector
    shown = tab.run("document.querySelector('.markdown').innerText")
    assert "our page (https://example.com/a?b=c)" in shown
    assert "chart (https://example.com/c.png)" in shown
    assert "<b>not bold</b>" in shown
    assert "a & b" in shown


def test_a_merged_part_says_in_how_many_rows_it_passed(browser: Chromium, tmp_path: Path) -> None:
    tally = Tally(passed=6, count=12, shown="tone=curt")
    polite = EvaluatorResult(
        name="polite", type="icontains", verdict=Verdict.FAILED, score=0.5, weight=1.0, tally=tally
    )
    database = ResultDatabase(tmp_path)
    writer = database.begin(RunInfo(suites=(tmp_path / "a.eval.yaml",)))
    result = CaseResult(id="a", verdict=Verdict.FAILED, score=0.5, answer="x", evaluators=(polite,))
    writer.add(result, suite=tmp_path / "a.eval.yaml")
    writer.end(RunState.DONE)
    write_report(tmp_path / "r.html", database, database.find("last"), now=NOW)
    tab = browser.tab().open(f"{(tmp_path / 'r.html').as_uri()}#case=a", "article.case .evaluator")
    assert "0.50 6/12" in " ".join(tab.run("document.querySelector('.scores tbody').innerText").split())
    assert "passed in 6/12 · shown: tone=curt" in tab.run("document.querySelector('.evaluator').innerText")


def listed(tab: Tab) -> list[str]:
    names: list[str] = tab.run("[...document.querySelectorAll('.rows a')].map((each) => each.textContent)")
    return names


def test_search_and_filters(tab: Tab, page: str) -> None:
    tab.open(page).key("/")
    tab.wait("document.activeElement.id === 'search'")
    for letter in "refund-":
        tab.key(letter)
    tab.wait("location.hash.includes('q=refund-')")
    assert len(listed(tab)) == 10
    assert all(each.startswith("refund-") for each in listed(tab))
    tab.run(
        "[...document.querySelectorAll('.filters button')].find((each) => each.textContent === 'Clear filters').click()"
    )
    tab.run("[...document.querySelectorAll('.chip')].find((each) => each.textContent.includes('unscored')).click()")
    tab.wait("location.hash.includes('verdict=unscored')")
    assert listed(tab) == ["address-4"]
    assert tab.run("document.querySelector('.found [role=status]').textContent") == "1 of 60 cases"


def test_keys_lead_through_the_cases_and_back(tab: Tab, page: str) -> None:
    tab.open(page).key("2")
    tab.wait("document.querySelector('.rows .row')")
    first, second, *_ = listed(tab)
    tab.key("j").wait("document.querySelectorAll('.rows .row')[1].classList.contains('at')")
    tab.key("Enter").wait("document.querySelector('article.case h1')")
    assert tab.run("document.querySelector('h1').textContent") == second
    assert tab.run("document.activeElement.id") == "main"
    tab.key("k").wait(f"document.querySelector('article.case h1')?.textContent === {json.dumps(first)}")
    tab.key("Escape").wait("document.querySelector('.rows')")
    assert tab.run("document.querySelector('.row.at a').textContent") == first
    tab.run("history.back()")
    tab.wait("document.querySelector('article.case')")
    tab.key("?").wait("document.querySelector('dialog[open]')")
    tab.key("Escape").wait("!document.querySelector('dialog')")
    assert tab.complaints == []


def test_keys_can_be_turned_off(tab: Tab, page: str) -> None:
    """WCAG 2.1.4: who speaks to the computer would press them by accident."""
    tab.open(page).key("?").wait("document.querySelector('dialog[open]')")
    tab.run("document.querySelector('dialog input').click()")
    tab.run("document.querySelector('dialog').close()")
    tab.wait("!document.querySelector('dialog')")
    tab.key("2")
    assert tab.run("location.hash") == ""
    tab.run("localStorage.clear()")


def test_a_link_to_a_case_opens_it(tab: Tab, page: str) -> None:
    tab.open(f"{page}#case=refund-3", "article.case")
    assert tab.run("document.querySelector('h1').textContent") == "refund-3"
    assert "refund-3" in tab.run("document.title")


def test_the_band_that_the_judge_gave(tab: Tab, page: str) -> None:
    tab.open(f"{page}#case=refund-3", "article.case .bands")
    hits = tab.run("[...document.querySelectorAll('.bands .hit')].map((each) => each.textContent)")
    assert hits
    assert all("← the judge gave" in each for each in hits)


@pytest.mark.parametrize("width", [1280, 768, 390, 320])
@pytest.mark.parametrize("address", ["", "view=cases", "view=map", "case=address-4"])
def test_nothing_is_wider_than_the_window(browser: Chromium, page: str, width: int, address: str) -> None:
    tab = browser.tab(width, 800).open(f"{page}#{address}")
    tab.wait("document.querySelector('article.case, .rows, .grid-2')")
    assert tab.run("document.documentElement.scrollWidth") <= width


def test_print_has_every_case(tab: Tab, page: str) -> None:
    tab.open(f"{page}#view=cases")
    before = len(listed(tab))
    tab.run("window.dispatchEvent(new Event('beforeprint'))")
    assert len(listed(tab)) == 60 > before
    tab.run("window.dispatchEvent(new Event('afterprint'))")
    tab.wait(f"document.querySelectorAll('.rows a').length === {before}")


def test_long_lists_are_not_in_the_page_as_a_whole(tab: Tab, page: str) -> None:
    tab.open(f"{page}#view=map")
    assert len(listed(tab)) < 60
    tab.run("window.scrollTo(0, document.body.scrollHeight)")
    last = tab.run("document.querySelector('.map').getAttribute('aria-rowcount')")
    tab.wait(f"document.querySelector('.rows [aria-rowindex=\"{last}\"]')")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["wide-light", "narrow-dark"])
@pytest.mark.parametrize("address", ["", "view=cases", "view=map", "view=compare", "case=refund-3", "case=address-4"])
def test_axe_finds_nothing(
    browser: Chromium, comparison_page: str, node_modules: Path, *, dark: bool, width: int, address: str
) -> None:
    axe = (node_modules / "axe-core" / "axe.min.js").read_text("utf-8")
    tab = browser.tab(width, 900, dark=dark).open(f"{comparison_page}#{address}")
    tab.wait("document.querySelector('article.case, .rows, .grid-2')")
    tab.unfold()
    tab.run(axe)
    found: list[dict[str, Any]] = tab.run("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map(({id, nodes}) => ({id, nodes: nodes.map((n) => n.html + ' ' + n.failureSummary)})))")  # fmt: skip
    assert found == []


def test_a_comparison_begins_with_what_flipped(tab: Tab, comparison_page: str, database: ResultDatabase) -> None:
    tab.open(f"{comparison_page}#view=compare", "#pairs-no_longer_passes")
    comparison = compare_runs(database, database.find("last~4"), database.find("last"))
    titles = tab.run(
        "[...document.querySelectorAll('.panel[aria-labelledby^=pairs-] h2')].map((each) => each.innerText)"
    )
    assert "No longer pass" in titles[0]
    assert "Pass now" in titles[1]
    lost = tab.run("[...document.querySelectorAll('[aria-labelledby=pairs-no_longer_passes] tbody th')].map((each) => each.innerText)")  # fmt: skip
    assert sorted(lost) == sorted(pair.case.id for pair in comparison.with_change(CaseChange.NO_LONGER_PASSES))
    words = tab.run("document.querySelector('.versus .words').textContent")
    assert words.casefold() == f"{conclusion_words(comparison)}.".casefold()
    tab.run("document.querySelector('[aria-labelledby=pairs-no_longer_passes] tbody a').click()")
    tab.wait("document.getElementById('before')")
    assert tab.complaints == []


def test_the_key_of_the_comparison_is_there_with_one(tab: Tab, page: str, comparison_page: str) -> None:
    press = "window.dispatchEvent(new KeyboardEvent('keydown', {key: '4', bubbles: true, cancelable: true}))"
    tab.open(comparison_page).run(f"document.body.dispatchEvent{press.removeprefix('window.dispatchEvent')}")
    tab.wait("location.hash.includes('view=compare')")
    tab.open(page)
    assert "Comparison" not in tab.run("document.querySelector('.top nav').innerText")


def test_high_contrast_marks_only_the_view_that_is_open(tab: Tab, comparison_page: str) -> None:
    """Such themes draw edges that are transparent elsewhere."""
    tab.call("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    tab.open(f"{comparison_page}#view=compare").wait("document.querySelector('.grid-2')")
    ground = tab.run("getComputedStyle(document.querySelector('.top nav a:not([aria-current])')).borderBottomColor")
    edges = tab.run("[...document.querySelectorAll('.top nav a')].map((each) => [each.innerText, getComputedStyle(each).borderBottomColor])")  # fmt: skip
    assert [name for name, color in edges if color != ground] == ["Comparison"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pictures(browser: Chromium, comparison_page: str, artifacts: Path, *, dark: bool, width: int) -> None:
    """For people to look at."""
    shade = "dark" if dark else "light"
    tab = browser.tab(width, 900, dark=dark)
    for name, address in {
        "overview": "",
        "cases": "view=cases",
        "map": "view=map",
        "compare": "view=compare",
        "case": "case=refund-3",
    }.items():
        tab.open("about:blank", "body")
        tab.open(f"{comparison_page}#{address}").wait("document.querySelector('article.case, .rows, .grid-2')")
        tab.picture(artifacts / f"report-{name}-{shade}-{width}.png", whole=name not in ("cases", "map"))
    if not dark and width == 1280:
        tab.open(comparison_page).pdf(artifacts / "report-overview.pdf")
        assert (artifacts / "report-overview.pdf").read_bytes().startswith(b"%PDF")
