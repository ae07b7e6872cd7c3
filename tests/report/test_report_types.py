"""The types of the page's data are written three times: in Python, in TypeScript, and in the test protocol. They agree."""

import re
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.report_page import data

REPOSITORY = Path(__file__).parents[2]
#: The interfaces of `data.ts`, and what each is called in `data.py`.
IN_PYTHON = {
    "Run": "RunData", "CaseRow": "CaseRow", "Pair": "PairData", "Difference": "DifferenceData", "Comparison": "ComparisonData",
    "ReportData": "ReportData", "Band": "BandData", "Criterion": "CriterionData", "Evaluator": "EvaluatorData",
    "SentRequest": "RequestData", "Usage": "UsageData", "CaseDetails": "CaseData",
}  # fmt: skip
#: The same, as the test protocol calls them; a report has what an editor adds as well.
IN_PROTOCOL = {
    "Criterion": "CriterionReport",
    "Evaluator": "EvaluatorReport",
    "SentRequest": "SentRequest",
    "Usage": "Usage",
    "CaseDetails": "Report",
}
#: Only an editor has these, and only the page those: what it compares with, and what it cut.
OF_EDITORS = {"testId", "range", "markdown"}
OF_PAGES = {"before", "cut"}
#: Fields of a report that an editor can rely on; a result of an older file may lack them.
ALWAYS_TOLD = {"stale", "durationMs"}


def interfaces(text: str) -> dict[str, dict[str, bool]]:
    """The fields of every interface, and whether each may be left out."""
    text = re.sub(r"/\*.*?\*/|[ ]*//[^\n]*", "", text, flags=re.DOTALL)
    found = {}
    for name, body in re.findall(r"^(?:export )?interface (\w+) \{\n(.*?)^\}", text, flags=re.DOTALL | re.MULTILINE):
        while (flat := re.sub(r"\{[^{}]*\}", "", body)) != body:
            body = flat  # noqa: PLW2901  # one more level of braces is gone
        found[name] = {field: mark == "?" for field, mark in re.findall(r"(?:^|;)\s*(\w+)(\??):", body, re.MULTILINE)}
    return found


PAGE = interfaces((REPOSITORY / "report" / "src" / "data.ts").read_text("utf-8"))
PROTOCOL = interfaces((REPOSITORY / "docs" / "test-protocol.md").read_text("utf-8"))


@pytest.mark.parametrize("name", IN_PYTHON)
def test_the_page_knows_every_field_that_is_written(name: str) -> None:
    written: Any = getattr(data, IN_PYTHON[name])
    assert set(PAGE[name]) == set(written.__annotations__)


@pytest.mark.parametrize("name", IN_PROTOCOL)
def test_the_protocol_describes_what_the_page_knows(name: str) -> None:
    described, known = PROTOCOL[IN_PROTOCOL[name]], PAGE[name]
    if name != "CaseDetails":
        assert described == known
        return
    assert set(described) - OF_EDITORS == set(known) - OF_PAGES
    differing = {field for field in set(described) & set(known) if described[field] != known[field]}
    assert differing == ALWAYS_TOLD


def test_interfaces_are_read() -> None:
    text = "interface A {\n  one: string; two?: { three: number }[] // four: no\n  five?: { six: { seven: A } }\n}\n"
    assert interfaces(text) == {"A": {"one": False, "two": True, "five": True}}
