"""The page without a mouse, a screen or colours: everything is reached by Tab, in its order, seen and named."""

import pytest
from chromium import Chromium

pytestmark = pytest.mark.editor

#: What can be pressed, chosen or written in.
WANTED = "[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex=\"0\"]')].filter((each) => !each.disabled && each.checkVisibility())"
#: The element that has the focus: its number among those, and whether a person sees it and its mark.
FOCUSED = """(() => {
  const at = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const { left, right, top, bottom } = at.getBoundingClientRect();
  const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
  const seen = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
  return {
    number: wanted.indexOf(at), html: at.outerHTML.slice(0, 120),
    isMarked: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, isSeen: at.contains(seen) || !!seen?.contains(at),
  };
})()"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("address", ["", "view=cases", "view=map", "view=compare", "case=refund-3", "case=address-4"])
def test_tab_reaches_everything_in_its_order(browser: Chromium, comparison_page: str, address: str, width: int) -> None:
    """Each once, marked, and not below what stays at the top."""
    tab = browser.tab(width, 700).open(f"{comparison_page}#{address}")
    tab.wait("document.querySelector('article.case, .rows, .grid-2')")
    tab.run(f"document.activeElement.blur(); window.wanted = {WANTED}; 0")
    walked = [tab.key("Tab").run(FOCUSED) for _ in range(tab.run("wanted.length"))]
    assert [each["number"] for each in walked] == list(range(len(walked)))
    assert [each for each in walked if not (each["isMarked"] and each["isSeen"])] == []


#: Elements in the colour of a verdict that neither have lines or a sign of their own, nor stand beside the sign or the word.
BY_COLOUR_ALONE = """(() => {
  const verdicts = { passed: '✔', borderline: '◐', failed: '✘', unscored: '○' };
  const near = (each) => each.closest('li, tr, .row, .cells, section, .summary, header') ?? each.parentElement;
  return Object.entries(verdicts).flatMap(([verdict, sign]) => [...document.querySelectorAll(`main .${verdict}`)]
    .filter((each) => each.checkVisibility() && !each.matches(':is(.bar, .legend) .fill, rect.fill'))
    .filter((each) => ![sign, verdict].some((known) => near(each).textContent.includes(known)))
    .map((each) => each.outerHTML.slice(0, 120)));
})()"""


@pytest.mark.parametrize("address", ["", "view=cases", "view=map", "view=compare", "case=refund-3", "case=address-4"])
def test_a_verdict_is_told_without_its_colour(browser: Chromium, comparison_page: str, address: str) -> None:
    tab = browser.tab().open(f"{comparison_page}#{address}")
    tab.wait("document.querySelector('article.case, .rows, .grid-2')")
    assert tab.run(BY_COLOUR_ALONE) == []


def test_verdicts_in_bars_and_in_the_histogram_have_lines_of_their_own(browser: Chromium, comparison_page: str) -> None:
    tab = browser.tab().open(comparison_page)
    tab.wait("document.querySelector('.chart rect.fill')")
    lines = "[...new Set([...document.querySelectorAll('{}')].map((each) => `${{each.classList}} ${{getComputedStyle(each).backgroundImage}}`))]"
    for place in (".bar.thick .fill", ".legend .fill"):
        kinds = [str(each).split(" ", 2) for each in tab.run(lines.format(place))]
        assert len({background for *_, background in kinds}) == len(kinds) >= 3, place
    drawn = tab.run("Object.fromEntries([...document.querySelectorAll('rect.fill')].map((each) => [each.classList[1], each.nextElementSibling?.getAttribute('fill') ?? '']))")  # fmt: skip
    assert len(set(drawn.values())) == len(drawn) == 3
