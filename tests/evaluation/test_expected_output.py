"""What a case expected is stored with its result, so that a report of an earlier run shows it beside the answer."""

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from suites import Folder, stored_cases

from rubric_core.cli import main
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.packed_result import pack_result, unpack_result

SUITE = """
tests:
  - id: text
    criteria: c
    input: Which city?
    expected_output: Paris, in France
    assertions: [{type: contains, value: Paris}]
  - id: messages
    criteria: c
    input: Which city?
    expected_output: [{role: assistant, content: {file}}]
    assertions: [{type: contains, value: Paris}]
  - id: none
    criteria: c
    input: Which city?
    assertions: [{type: contains, value: Paris}]
"""


def run(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The expected output of each case, as it is stored."""
    folder.mock("Paris")
    path = folder.suite(SUITE.replace("{file}", '[{type: text, value: "It is key-12345, Paris"}]'))
    monkeypatch.chdir(folder.path)
    assert main(["run", path.name, "-q"]) == 0
    return {name: case.result.expected_output for name, case in stored_cases(path).items()}


def test_the_expected_output_is_stored_as_graders_received_it(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(folder, monkeypatch) == {
        "text": "Paris, in France",
        "messages": "It is key-12345, Paris",
        "none": "",
    }


def test_the_report_of_a_stored_run_has_it(folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run(folder, monkeypatch)
    monkeypatch.chdir(folder.path)
    # The suite has changed since: the report is of what ran.
    folder.suite(SUITE.replace("{file}", "x").replace("Paris, in France", "Rome"))
    assert main(["report", "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "Paris, in France" in _unpacked(text)
    assert "Rome" not in _unpacked(text)


def _unpacked(page: str) -> str:
    """Everything that a page holds as text."""
    packed = re.findall(r'<script type="text/plain" id="[a-z0-9-]+">([A-Za-z0-9+/=]*)</script>', page)
    return "".join(gzip.decompress(base64.b64decode(each)).decode() for each in packed)


def test_a_secret_in_it_is_not_stored(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "key-12345")
    folder.mock("Paris")
    path = folder.suite(SUITE.replace("{file}", '[{type: text, value: "It is ${{ MY_KEY }}, Paris"}]'))
    monkeypatch.chdir(folder.path)
    assert main(["run", path.name, "-q"]) == 0
    assert stored_cases(path)["messages"].result.expected_output == "It is ***, Paris"
    assert b"key-12345" not in b"".join(each.read_bytes() for each in (folder.path / ".rubric").glob("results.db*"))


def test_of_a_long_one_the_beginning_is_stored() -> None:
    stored = unpack_result(pack_result(CaseResult(id="a", verdict=Verdict.PASSED, expected_output="x" * 60_000)))
    assert stored.expected_output == f"{'x' * 50_000}\n… and 10,000 more characters"


def test_a_result_of_an_earlier_version_has_none() -> None:
    assert unpack_result(json.dumps({"id": "a", "verdict": "passed", "score": 1.0}).encode()).expected_output == ""
