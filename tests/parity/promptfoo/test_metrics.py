"""The metrics of columns, named and derived, in the files of results of the real promptfoo and of rubric."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import npm
import pytest
from thorough import only_thorough

from rubric_core.cli import main

from . import oracle

pytestmark = [pytest.mark.node, only_thorough]

#: Formulas that rubric does not compute, where promptfoo writes 0, or the number that it had before.
NOT_COMPUTED = ("unknown", "broken", "later", "itself", "divided")
CONFIGURATION = """\
prompts: ["Hi {{who}}", {raw: "Bye {{who}}", label: bye}]
providers: [echo, {id: echo, label: parrot}]
derivedMetrics:
  - {name: share, value: greeted / __count}
  - {name: f1, value: 2 * greeted * exact / (greeted + exact)}
  - {name: twice, value: share * 2 + 1}
  - {name: chosen, value: "exact > 1 ? 100 : -exact ^ 2"}
  - {name: rounded, value: "round(greeted / 3, 1) + max(exact, 0.25) % 2"}
  - {name: unknown, value: nothing + 1}
  - {name: broken, value: greeted +}
  - {name: later, value: last * 1}
  - {name: last, value: greeted - script}
  - {name: itself, value: itself + 1}
  - {name: divided, value: 1 / (greeted - greeted)}
tests:
  - vars: {who: [Ann, Bob]}
    assert:
      - {type: contains, value: Hi, metric: greeted, weight: 3}
      - {type: contains, value: Ann, metric: greeted}
      - {type: equals, value: "Hi {{who}}", metric: exact}
      - {type: javascript, value: "({pass: true, score: 1, reason: '', namedScores: {script: 0.25}})"}
  - vars: {who: Eve}
    threshold: 0.1
    assert:
      - {type: contains, value: "{{who}}", metric: "of-{{who}}"}
      - type: assert-set
        metric: exact
        weight: 2
        assert: [{type: contains, value: Bye, metric: greeted, weight: 2}, {type: contains, value: Eve}]
  - vars: {who: x}
    assert: [{type: contains, value: Hi, metric: greeted}, {type: latency}]
"""


@pytest.fixture(scope="module")
def command() -> tuple[str, ...]:
    try:
        return oracle.command()
    except npm.UnavailableError as reason:
        pytest.skip(str(reason))


def test_metrics_of_columns_are_those_of_promptfoo(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With weights, templates, sets, scripts, and rows that are errors."""
    monkeypatch.chdir(tmp_path)
    configuration = tmp_path / "promptfooconfig.yaml"
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "own.promptfoo.json"])
    oracle.rows(command, configuration, {}, tmp_path)
    theirs, own = list(_metrics(tmp_path / "out.json")), list(_metrics(tmp_path / "own.promptfoo.json"))
    assert len(own) == len(theirs) == 4
    for mine, other in zip(own, theirs, strict=True):
        named = other.pop("namedScores")
        computed = mine.pop("namedScores")
        assert named.keys() - computed.keys() == set(NOT_COMPUTED)
        assert computed == pytest.approx({name: named[name] for name in computed})
        assert mine == other
    said = capsys.readouterr().err
    assert "unknown [echo, Hi {{who}}] cannot be computed: there is no metric nothing" in said
    assert "divided [parrot, bye] cannot be computed: division by zero" in said


def _metrics(results: Path) -> Iterator[dict[str, Any]]:
    compared = ("score", "namedScores", "namedScoresCount", "namedScoreWeights", "assertPassCount", "assertFailCount")
    for each in json.loads(results.read_text(encoding="utf-8"))["results"]["prompts"]:
        yield {name: each["metrics"][name] for name in compared}
