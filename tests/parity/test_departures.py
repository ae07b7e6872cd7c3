"""The list of departures, its page, `rubric explain` and the differences of `make parity` say the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from harness import UPDATING

from rubric_core.analysis import Language
from rubric_core.cli import main
from rubric_core.language.departures import DEPARTURES, departures_of
from rubric_core.language.departures_page import PAGE, departures_page

from .bundles import read_suites
from .compare import kind_of
from .known import Known, false_explanations, read_known, unknown_departures

ROOT = Path(__file__).parents[2]
IDS = {row.id for row in DEPARTURES}


def test_the_page_is_current() -> None:
    page = ROOT / PAGE
    if UPDATING:
        page.write_text(departures_page(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == departures_page(), "UPDATE=1 pytest writes it"


def test_every_row_has_a_name_of_its_own_and_every_code_exists() -> None:
    assert len(IDS) == len(DEPARTURES)
    codes = {rule.code for rule in Language().rules}
    assert {code for row in DEPARTURES for code in row.codes} <= codes


def test_every_row_is_seen_in_the_comparison() -> None:
    """A row that no case shows was never measured, or holds no more."""
    seen = {row for cases in read_known().values() for known in cases.values() for row in known.departures}
    assert seen == IDS


def test_no_difference_is_given_a_reason_of_another_kind() -> None:
    assert not list(false_explanations(read_known(), DEPARTURES))


def test_a_row_that_may_not_explain_a_difference_is_found() -> None:
    row = replace(DEPARTURES[0], id="marks", explains=("evaluator verdict",))
    mark, score = "rubrics:r verdict: agentv failed, rubric passed", "score: agentv 0, rubric 0.95"

    def found(*differences: str) -> list[str]:
        return list(false_explanations({"suite": {"one": Known(("marks",), "", differences)}}, [row]))

    assert not found(mark)
    assert found(mark, score) == [f"suite: one: marks may not explain the case score: {score}"]
    assert "suite: one: marks explains none of the differences" in found(score)


def test_every_row_explains_only_kinds_that_were_measured() -> None:
    seen: dict[str, set[str]] = {}
    for cases in read_known().values():
        for known in cases.values():
            for row in known.departures:
                seen.setdefault(row, set()).update(map(kind_of, known.differences))
    assert {row.id: sorted(set(row.explains) - seen[row.id]) for row in DEPARTURES} == {i: [] for i in sorted(IDS)}


def test_an_unknown_row_is_found() -> None:
    known = read_known()
    assert not list(unknown_departures(known, IDS))
    some = DEPARTURES[0].id
    assert f"there is no row {some} in {PAGE}" in "\n".join(unknown_departures(known, IDS - {some}))


def test_only_suites_that_exist_are_known() -> None:
    assert read_known().keys() <= read_suites().keys()


def test_explain_shows_the_rows_of_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    row = next(row for row in DEPARTURES if row.codes)
    assert main(["explain", row.codes[0]]) == 0
    shown = capsys.readouterr().out
    for each in departures_of(row.codes[0]):
        assert each.agentv in shown
        assert f"`{each.id}`" in shown


def test_explain_says_nothing_of_agentv_where_there_is_no_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert not list(departures_of("unused-ignore"))
    assert main(["explain", "unused-ignore"]) == 0
    assert "departs" not in capsys.readouterr().out


def test_the_readme_leads_to_the_page() -> None:
    assert f"]({PAGE})" in (ROOT / "README.md").read_text(encoding="utf-8")
