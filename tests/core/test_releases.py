"""Ranges of releases as npm writes them, and the dialect of a release."""

from pathlib import Path

import pytest

from rubric_core.analysis import Language
from rubric_core.configuration.parse import read
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.releases import NEWEST, NEXT, Release, Releases


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("4.42", "4.42", "4.42"),
        ("4.42.4", "4.42", "4.42"),
        ("v4.42.4-next.1", "4.42", "4.42"),
        ("4", "4.0", "4.999"),
        ("4.x", "4.0", "4.999"),
        ("^4.2.1", "4.2", "4.999"),
        ("~4.2.1", "4.2", "4.2"),
        (">=4.2", "4.2", "999.999"),
        (">= 4.2 <5", "4.2", "4.999"),
        (">4.1, <=4.3", "4.1", "4.3"),
        ("<4.26.0", "0.0", "4.25"),
    ],
)
def test_a_range_has_a_first_and_a_last_release(text: str, first: str, last: str) -> None:
    releases = Releases.of(text)
    assert releases is not None
    assert (str(releases.first), str(releases.last)) == (first, last)


@pytest.mark.parametrize("text", ["", "latest", "^3.1 || ^4.2", ">=5 <4", "4.2 - 4.4", "*"])
def test_what_names_no_range_decides_nothing(text: str) -> None:
    assert Releases.of(text) is None


def test_the_nearest_release_of_a_range_counts() -> None:
    allowed = Releases(Release(4, 2), Release(4, 9))
    assert [allowed.nearest(r) for r in (Release(3, 1), Release(4, 5), Release(5, 0))] == [(4, 2), (4, 5), (4, 9)]


def test_a_dialect_is_the_same_object_for_the_same_release() -> None:
    newest = DIALECTS[-1]
    assert newest.release == NEWEST
    assert newest.at(NEWEST) is newest
    assert newest.at(NEXT) is newest.at(NEXT) != newest
    assert newest.at(NEXT).at(NEWEST) == newest


@pytest.mark.parametrize(
    ("written", "dialect"),
    [("4.42", "agentv-3"), ("2.10", "agentv-2.7"), ("5.3", "agentv-5"), ("5.9", "agentv-5"), (">=4.2", None)],
)
def test_a_configured_release_decides_the_dialect_where_one_dialect_is_possible(
    written: str, dialect: str | None
) -> None:
    found = read(Path("/p/.rubric.toml"), f'agentv = "{written}"\n', Language())
    assert found is not None
    assert (found.dialect, found.diagnostics) == (dialect, ())
    assert found.selection().releases == Releases.of(written)


def test_a_configured_dialect_counts_before_the_one_of_the_release() -> None:
    found = read(Path("/p/.rubric.toml"), 'agentv = "4.42"\ndialect = "agentv-5"\n', Language())
    assert found is not None
    assert found.dialect == "agentv-5"


@pytest.mark.parametrize("written", ['"latest"', "4.42", "[4]"])
def test_a_wrong_release_in_the_configuration_is_named(written: str) -> None:
    found = read(Path("/p/.rubric.toml"), f"agentv = {written}\n", Language())
    assert found is not None
    assert found.selection().releases is None
    assert [d.message.partition(",")[0] for d in found.diagnostics] == ["`agentv` takes the release in use"]
