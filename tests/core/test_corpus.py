"""Real suites have no errors, in their own dialect and by what their keys tell; neither have the examples of the documents."""

import csv
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest
from corpus import Suite, needs_corpus, suites
from harness import analysis_of

HERE = Path(__file__).parent
DOCUMENTS = sorted((HERE / "documents").glob("*.yaml"))
SUITES = suites()

pytestmark = pytest.mark.corpus


@lru_cache(maxsize=1)
def exceptions() -> set[tuple[str, str]]:
    with (HERE / "corpus_exceptions.tsv").open(encoding="utf-8", newline="") as rows:
        return {(row["suite"], row["code"]) for row in csv.DictReader(rows, delimiter="\t") if row["why"]}


@needs_corpus
@pytest.mark.parametrize("dialect", ["agentv-0.1", "agentv-0.5", "agentv-1", "agentv-2.7", "agentv-3", "agentv-5"])
def test_no_suite_has_an_error_in_its_own_dialect(dialect):
    mine = [s for s in SUITES if s.dialect == dialect]
    assert mine
    for suite in mine:
        analysis = analysis_of(suite.text, dialect)
        found = [(suite.name, d.code) for d in analysis.diagnostics if d.severity == "error"]
        assert set(found) <= exceptions(), [(d.span, d.message) for d in analysis.diagnostics]
        assert analysis.cases or analysis.suite.cases or analysis.suite.has("scenarios"), suite.name


@needs_corpus
def test_every_exception_is_still_needed():
    by_name = {s.name: s for s in SUITES}
    for name, code in exceptions():
        suite = by_name[name]
        assert code in {d.code for d in analysis_of(suite.text, suite.dialect).diagnostics}, f"{name}: {code}"


@needs_corpus
def test_warnings_are_few():
    """A finding on a suite that its authors run every day has to be worth it."""
    found = Counter(d.severity for s in SUITES for d in analysis_of(s.text, s.dialect).diagnostics)
    assert found["warning"] < len(SUITES) / 5, found


@needs_corpus
def test_most_suites_tell_their_dialect():
    wrong = [s.name for s in SUITES if analysis_of(s.text).choice.name != s.dialect]
    assert len(wrong) < len(SUITES) * 0.08, wrong


@needs_corpus
def test_what_detection_takes_for_the_next_dialect_is_no_error_there():
    for suite in SUITES:
        analysis = analysis_of(suite.text)
        if analysis.choice.name != suite.dialect and not analysis.choice.certain:
            assert {d.severity for d in analysis.diagnostics} <= {"information", "hint", "warning"}, suite.name


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_examples_of_the_documents_have_no_errors(path: Path):
    analysis = analysis_of(path.read_text(encoding="utf-8"))
    assert analysis.choice.name == ("agentv-1" if path.name.startswith("002") else "agentv-3")
    assert not [d for d in analysis.diagnostics if d.severity == "error"]
    incomplete = [d for d in analysis.diagnostics if d.severity == "warning"]
    assert all(d.code == "missing-key" for d in incomplete), "only what the documents leave out with …"


def test_the_documents_are_there():
    assert len(DOCUMENTS) >= 14


def rubric_suites() -> list[Suite]:
    return [s for s in SUITES if "/rubric" in s.path and s.dialect in ("agentv-1", "agentv-2.7", "agentv-3")]


@needs_corpus
def test_there_are_rubric_suites_to_plant_mistakes_in():
    assert len(rubric_suites()) >= 4
